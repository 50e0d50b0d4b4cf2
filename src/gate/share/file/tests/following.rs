//! The file is deleted, replaced or moved while programs have it open.

use super::*;

/// One who had the file open, and one who starts, know of the back-off and of the start before.
fn check(world: &World, running: &Arc<FileStore>) {
    let [elder, newer] = [running.clone(), world.open()];
    assert_eq!(backoff_of(&world.ask(&elder, None)), BACKOFF);
    assert_eq!(backoff_of(&world.ask(&newer, None)), BACKOFF);
    world.passes(BACKOFF);
    assert!(is_go(&world.ask(&newer, None)));
    assert!(!is_go(&world.ask(&elder, None)));
}

#[test]
fn a_deleted_file_is_made_anew_with_what_it_said() {
    let world = World::new();
    let running = world.open();
    world.throttle(&running);
    fs::remove_file(world.path()).unwrap();
    check(&world, &running);
}

#[test]
fn a_moved_file_is_left_and_made_anew_with_what_it_said() {
    let world = World::new();
    let running = world.open();
    world.throttle(&running);
    let elsewhere = world.directory.path().join("elsewhere");
    fs::rename(world.path(), &elsewhere).unwrap();
    let left = fs::read(&elsewhere).unwrap();
    check(&world, &running);
    assert_eq!(fs::read(&elsewhere).unwrap(), left);
}

#[test]
fn a_file_that_replaces_another_is_told_what_that_said() {
    let world = World::new();
    let running = world.open();
    world.throttle(&running);
    let other = world.directory.path().join("other");
    let others = Arc::new(world.try_open(&other).unwrap());
    ticket_of(&{
        assert!(is_go(&world.ask(&others, None)));
        world.ask(&others, None)
    });
    fs::rename(&other, world.path()).unwrap();
    check(&world, &running);
}

#[test]
fn everyone_who_had_a_deleted_file_open_comes_to_the_new_one() {
    let world = World::new();
    let (a, b) = (world.open(), world.open());
    assert!(is_go(&world.ask(&a, None)));
    fs::remove_file(world.path()).unwrap();

    let first = ticket_of(&world.ask(&b, None));
    let second = ticket_of(&world.ask(&a, None));
    world.passes(INTERVAL);
    assert!(!is_go(&world.ask(&a, Some(second))));
    assert!(is_go(&world.ask(&b, Some(first))));
}

#[test]
fn what_a_deleted_file_said_is_not_forgotten_while_the_new_one_is_locked() {
    let world = World::new();
    let (running, forgetful) = (world.open(), world.open());
    world.throttle(&running);
    fs::remove_file(world.path()).unwrap();
    let newer = world.open();
    let held = fs::File::open(world.path()).unwrap();
    held.lock().unwrap();
    for store in [&running, &forgetful] {
        let busy = store.clone().apply(world.order(take(None)));
        assert!(busy.now_or_never().is_none());
    }
    drop(held);
    world.passes(10 * SECOND);

    assert_eq!(
        backoff_of(&world.ask(&forgetful, None)),
        BACKOFF - 10 * SECOND
    );
    assert_eq!(backoff_of(&world.ask(&newer, None)), BACKOFF - 10 * SECOND);
}

#[test]
fn a_deleted_file_that_cannot_be_read_is_left_all_the_same() {
    let world = World::new();
    let running = world.open();
    world.throttle(&running);
    fs::write(
        world.path(),
        of_later_version(fs::read(world.path()).unwrap()),
    )
    .unwrap();
    apply(&running, world.order(take(None))).unwrap_err();
    fs::remove_file(world.path()).unwrap();
    assert!(is_go(&world.ask(&running, None)));
}

#[test]
fn a_look_sees_the_file_that_stands_there_now() {
    let world = World::new();
    let (a, b) = (world.open(), world.open());
    world.throttle(&a);
    fs::remove_file(world.path()).unwrap();
    assert_eq!(b.look(&rules()), None);
    assert!(is_go(&world.ask(&world.open(), None)));
    assert_eq!(b.look(&rules()).unwrap().next_turn, INTERVAL);
}

#[test]
fn a_default_directory_that_is_deleted_is_made_anew() {
    let world = World::new();
    let path = world
        .directory
        .path()
        .join("state")
        .join("search-gate")
        .join("a.gate");
    let clock = Clock::Set(world.time.clone());
    let store = FileStore::open_place(Place::below(path.clone()), clock).unwrap();
    let store = Arc::new(store);
    world.throttle(&store);
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    assert_eq!(backoff_of(&world.ask(&store, None)), BACKOFF);
    assert!(path.exists());
}

#[test]
fn what_is_put_in_the_place_of_a_file_is_refused_as_at_the_start() {
    let world = World::new();
    let running = world.open();
    fs::remove_file(world.path()).unwrap();
    fs::create_dir(world.path()).unwrap();
    let error = apply(&running, world.order(take(None))).unwrap_err();
    assert!(error.to_string().contains("it is a directory"), "{error}");
    fs::remove_dir(world.path()).unwrap();
    assert!(is_go(&world.ask(&running, None)));
}

/// As if it had been forked: it would share the lock, and so find it free while the other holds it.
#[test]
fn a_process_that_was_forked_opens_the_file_for_itself() {
    let world = World::new();
    let store = world.open();
    assert!(is_go(&world.ask(&store, None)));
    store.current.lock().unwrap().opened.process = 0;
    assert!(!is_go(&world.ask(&store, None)));
    let process = store.current.lock().unwrap().opened.process;
    assert_eq!(process, std::process::id());
}
