//! States as numbers and as records.

use proptest::{collection::vec, prelude::*, sample::Index};

use super::*;
use crate::gate::{
    ledger::{Finding, Grant},
    share::file::{
        MAX_OUT, MAX_QUEUED,
        record::{self, PAGE, Record},
    },
};

#[derive(Clone, Debug)]
enum Event {
    Take {
        of: Option<Index>,
        max_wait: Tick,
        ask: Ask,
    },
    Leave(Index),
    Started,
    Answered(Index),
    Settle(Index, Option<Tick>),
    Throttled(Tick),
    Reset,
    Boots(Tick),
}

fn event() -> impl Strategy<Value = (Tick, Event)> {
    let ask = prop_oneof![Just(Ask::Look), Just(Ask::Spend), Just(Ask::SpendAlone)];
    let take = (any::<Option<Index>>(), -10..2_000_i64, ask)
        .prop_map(|(of, max_wait, ask)| Event::Take { of, max_wait, ask });
    let event = prop_oneof![
        10 => take,
        2 => any::<Index>().prop_map(Event::Leave),
        1 => Just(Event::Started),
        2 => any::<Index>().prop_map(Event::Answered),
        4 => (any::<Index>(), any::<Option<u8>>())
            .prop_map(|(of, throttled)| Event::Settle(of, throttled.map(Tick::from))),
        1 => (0..500_i64).prop_map(Event::Throttled),
        1 => Just(Event::Reset),
        1 => (-1_000..1_000_i64).prop_map(Event::Boots),
    ];
    (prop_oneof![8 => 0..50_i64, 1 => -500..500_i64], event)
}

fn small_rules() -> impl Strategy<Value = Rules> {
    let in_flight = prop_oneof![Just(usize::MAX), 1..5_usize];
    (in_flight, any::<bool>(), 1..4_i64, 0..100_i64).prop_map(
        |(max_in_flight, waits_while_closed, burst, widening)| Rules {
            interval: 25,
            burst,
            grace: 5,
            backoffs: [60, 120].into(),
            backoff_cap: 240,
            longest_backoff: 900,
            widening,
            lease: 300,
            max_in_flight,
            max_queued: 20,
            waits_while_closed,
            polling: rules().polling,
        },
    )
}

fn command(event: &Event, tickets: &[Ticket], grants: &[Grant]) -> Option<Command> {
    let ticket = |index: &Index| (!tickets.is_empty()).then(|| *index.get(tickets));
    let grant = |index: &Index| (!grants.is_empty()).then(|| *index.get(grants));
    let throttle = |at_least| Throttle {
        at_least,
        jitter: 0,
    };
    Some(match event {
        Event::Take { of, max_wait, ask } => Command::Take {
            ticket: of.as_ref().and_then(ticket),
            max_wait: *max_wait,
            ask: *ask,
        },
        Event::Leave(index) => Command::Leave(ticket(index)?),
        Event::Started => Command::Started,
        Event::Answered(index) => Command::Answered(grant(index)?),
        Event::Settle(index, None) => Command::Settle(grant(index)?, Finding::Answered),
        Event::Settle(index, Some(at_least)) => {
            Command::Settle(grant(index)?, Finding::Throttled(throttle(*at_least)))
        }
        Event::Throttled(at_least) => Command::Throttled(throttle(*at_least)),
        Event::Reset => Command::Reset,
        Event::Boots(_) => return None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_state_is_the_same_after_it_was_numbers_and_a_record(
        rules in small_rules(),
        events in vec(event(), 1..60),
    ) {
        let mut now = BEGIN.shared;
        let mut state = State::new(&rules, now);
        let (mut tickets, mut grants) = (Vec::new(), Vec::new());
        for (time, event) in events {
            now += time;
            match (command(&event, &tickets, &grants), &event) {
                (Some(command), _) => match state.step(&rules, now, command) {
                    Outcome::Go(grant) => grants.push(grant),
                    Outcome::Wait { ticket, .. } | Outcome::Due(ticket) => tickets.push(ticket),
                    _ => {}
                },
                (None, Event::Boots(by)) => state = state.moved(*by),
                (None, _) => {}
            }
            prop_assert_eq!(State::from_words(&state.words()), Some(state.clone()));
            let at = Time { shared: now, wall: -now };
            let bytes = record::write(&mut state, at);
            let body = record::body(&bytes);
            let expected = Record::Kept { state: state.clone(), at, body };
            prop_assert_eq!(Record::read(&bytes), expected);
        }
    }

    #[test]
    fn no_numbers_make_a_panic(words in words(), rules in small_rules(), events in vec(event(), 1..5)) {
        let Some(mut state) = State::from_words(&words) else {
            return Ok(());
        };
        let mut now = BEGIN.shared;
        for (time, event) in events {
            now += time;
            match (command(&event, &[], &[]), event) {
                (Some(command), _) => drop(state.step(&rules, now, command)),
                (None, Event::Boots(_)) => state = state.moved(words[1]),
                (None, _) => {}
            }
            let memory = state.memory(&rules, now);
            state.recall(&rules, now, &memory);
            state.view(&rules, now);
        }
    }

    #[test]
    fn no_bytes_make_a_panic(bytes in vec(any::<u8>(), 0..200)) {
        let is_kept = matches!(Record::read(&bytes), Record::Kept { .. });
        prop_assert!(!is_kept);
    }
}

/// Numbers in the shape of a state, and of any size.
fn words() -> impl Strategy<Value = Vec<i64>> {
    let number = || {
        prop_oneof![
            -3..3_i64,
            BEGIN.shared - 300..BEGIN.shared + 300,
            any::<i64>(),
            Just(i64::MAX),
            Just(i64::MIN),
        ]
    };
    let flag = || 0..2_i64;
    let counts = [0..4_usize, 0..4, 0..4];
    let head = (
        vec(number(), 9),
        flag(),
        vec(number().prop_map(|word| word.max(0)), 3),
    );
    (head, counts, vec(number(), 24)).prop_map(|((head, on_trial, tail), counts, mut pool)| {
        let mut words = head;
        words.push(on_trial);
        words.extend(tail);
        words.extend(counts.map(|count| count as i64));
        let [places, refused, out] = counts;
        let mut rest = pool.drain(..);
        for size in [places * 3, refused] {
            words.extend(rest.by_ref().take(size).map(|word| word.max(0)));
        }
        for _ in 0..out {
            words.extend(rest.by_ref().take(3).map(|word| word.max(0)));
            words.push(0);
        }
        words
    })
}

/// The numbers of a state with as many of each.
fn crowded(queued: i64, refused: i64, out: i64) -> Vec<i64> {
    let now = BEGIN.shared;
    let mut words = State::new(&rules(), now).words();
    let head = words.len();
    words[head - 3..].copy_from_slice(&[queued, refused, out]);
    words.extend((0..queued).flat_map(|place| [now + place, now, now]));
    words.extend((0..refused).map(|place| now - refused + place));
    words.extend((0..out).flat_map(|number| [number, 0, now, 0]));
    words
}

#[test]
fn numbers_that_are_no_states_make_none() {
    let words = crowded(1, 1, 1);
    assert!(State::from_words(&words).is_some());
    let one_more = [&words[..], &[0]].concat();
    let one_less = words[..words.len() - 1].to_vec();
    // The interval, and how long a back-off is.
    let negative = [4, 6].map(|at| {
        let mut words = words.clone();
        words[at] = -1;
        words
    });
    for words in negative.into_iter().chain([one_more, one_less]) {
        assert_eq!(State::from_words(&words), None);
    }
}

#[test]
fn as_many_as_may_wait_and_be_out_fit_into_a_page() {
    let [queued, out] = [MAX_QUEUED, MAX_OUT].map(|count| i64::try_from(count).unwrap());
    let words = crowded(queued, queued, out);
    assert_eq!(words.len(), State::most_words(MAX_QUEUED, MAX_OUT));
    let mut state = State::from_words(&words).unwrap();
    let bytes = record::write(&mut state, BEGIN);
    assert!(bytes.len() <= PAGE);
    assert!(state.words() == words);
    assert!(matches!(Record::read(&bytes), Record::Kept { .. }));
    const { assert!(MAX_OUT >= 20) };
}

#[test]
fn more_than_may_wait_and_be_out_are_cut_to_a_page() {
    let mut state = State::from_words(&crowded(300, 300, 300)).unwrap();
    let bytes = record::write(&mut state, BEGIN);
    assert!(bytes.len() <= PAGE);
    assert_eq!(state.queued(), MAX_QUEUED);
    assert!(matches!(Record::read(&bytes), Record::Kept { .. }));
}

#[test]
fn who_loses_its_place_to_the_page_comes_back_to_it() {
    let world = World::new();
    let store = world.open();
    assert!(is_go(&world.ask(&store, None)));
    let stalled: Vec<_> = (0..MAX_QUEUED)
        .map(|_| ticket_of(&world.ask(&store, None)))
        .collect();
    // All of them stall, and others come.
    world.passes(100 * SECOND);
    assert!(is_go(&world.ask(&store, None)));
    let others: Vec<_> = (0..MAX_QUEUED)
        .map(|_| ticket_of(&world.ask(&store, None)))
        .collect();
    for ticket in &stalled {
        ticket_of(&world.ask(&store, Some(*ticket)));
    }
    assert!(fs::metadata(world.path()).unwrap().len() <= PAGE as u64);
    assert_eq!(store.look(&rules()).unwrap().queued, MAX_QUEUED);
    let last = others[MAX_QUEUED - 1];
    assert_eq!(ticket_of(&world.ask(&store, Some(last))), last);
    world.passes(INTERVAL);
    assert!(!is_go(&world.ask(&store, Some(last))));
    assert!(is_go(&world.ask(&store, Some(stalled[0]))));
}
