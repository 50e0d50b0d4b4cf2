//! Windows, where whoever has a file open says what others may do with it.

use super::*;

#[test]
fn a_file_in_use_cannot_be_deleted_nor_moved() {
    let world = World::new();
    let store = world.open();
    world.throttle(&store);
    assert!(fs::remove_file(world.path()).is_err());
    assert!(fs::rename(world.path(), world.directory.path().join("elsewhere")).is_err());
    assert_eq!(backoff_of(&world.ask(&store, None)), BACKOFF);

    drop(store);
    fs::remove_file(world.path()).unwrap();
}

#[test]
fn a_file_is_not_replaced_by_another_while_it_is_in_use() {
    let world = World::new();
    let store = world.open();
    world.throttle(&store);
    let other = world.directory.path().join("other");
    fs::write(&other, "").unwrap();
    assert!(fs::rename(&other, world.path()).is_err());
    assert_eq!(backoff_of(&world.ask(&store, None)), BACKOFF);
}
