//! Random events under random rules.

use fastrand::Rng;

use super::{
    caller::Caller,
    event::{Event, Trace},
    world::{OUTSIDER, World},
};
use crate::gate::ledger::{Ask, Finding, Polling, Rules, Throttle, Tick};

/// How far a clock may leap: further than anything lasts.
const FAR: Tick = 1 << 18;

const FOREVER: Tick = 1 << 24;

fn rarely(rng: &mut Rng, most: Tick) -> Tick {
    match rng.u8(..3) {
        0 => rng.i64(0..=most),
        _ => 0,
    }
}

fn rules(rng: &mut Rng) -> Rules {
    let mut backoffs: Vec<_> = (0..rng.usize(1..4)).map(|_| rng.i64(0..20)).collect();
    backoffs.sort_unstable();
    let backoff_cap = backoffs[backoffs.len() - 1] + rng.i64(0..10);
    Rules {
        interval: rng.i64(0..8),
        burst: 1 + rarely(rng, 2),
        grace: rng.i64(0..4),
        backoffs: backoffs.into(),
        backoff_cap,
        longest_backoff: backoff_cap + rng.i64(0..30),
        widening: rarely(rng, 30),
        lease: rng.i64(1..20),
        max_in_flight: if rng.u8(..4) == 0 {
            rng.usize(1..4)
        } else {
            usize::MAX
        },
        max_queued: if rng.u8(..4) == 0 {
            rng.usize(0..4)
        } else {
            usize::MAX
        },
        waits_while_closed: rng.bool(),
        polling: Some(Polling {
            window: rng.usize(0..4),
            stagger: rng.i64(0..3),
            longest_sleep: rng.i64(1..20),
        }),
    }
}

fn throttle(rng: &mut Rng) -> Throttle {
    Throttle {
        at_least: if rng.bool() { rng.i64(0..40) } else { 0 },
        jitter: if rng.bool() { rng.i64(0..1000) } else { 0 },
    }
}

/// What may happen to a store.
#[derive(Clone, Copy)]
struct Faults {
    forward: bool,
    back: bool,
    losses: bool,
}

fn clock_steps(rng: &mut Rng) -> Tick {
    match rng.u8(..4) {
        0 => FAR,
        _ => rng.i64(0..20),
    }
}

/// One that can happen, but for what cannot: `None`.
fn draw(world: &World<'_>, rng: &mut Rng, faults: Faults) -> Option<Event> {
    let who = rng.usize(..world.callers.len());
    let (process, caller) = &world.callers[who];
    let teller = if rng.u8(..4) == 0 { OUTSIDER } else { *process };
    Some(match (rng.u8(..100), caller) {
        (0..20, Caller::Idle) => Event::Comes {
            who,
            ask: rng.choice([Ask::Look, Ask::SpendAlone, Ask::Spend, Ask::Spend])?,
            patience: if rng.u8(..3) == 0 {
                rng.i64(-2..30)
            } else {
                FOREVER
            },
        },
        (20..60, _) => match world.next_look()? {
            (look, _) if look > world.time => Event::TimePasses(look - world.time),
            (_, who) => Event::Asks(who),
        },
        (60..64, Caller::Waits(_)) => Event::Asks(who),
        (64..66, Caller::Waits(_)) => Event::Leaves(who),
        (66, _) => Event::Crashes { process: *process },
        (67..70, Caller::Holds(turn)) if !turn.is_started => Event::Started(who),
        (70..73, Caller::Holds(turn)) if !turn.is_answered => Event::IsAnsweredAndRead(who),
        (73..83, Caller::Holds(_)) => {
            let finding = match rng.u8(..6) {
                0 => Finding::Throttled(throttle(rng)),
                1 => Finding::Unknown,
                _ => Finding::Answered,
            };
            Event::Settles(who, finding)
        }
        (83, _) => Event::Throttled {
            process: teller,
            throttle: throttle(rng),
        },
        (84, _) if rng.u8(..3) == 0 => Event::Reset { process: teller },
        (85..97, _) => Event::TimePasses(rng.i64(0..8)),
        (97, _) if faults.forward => Event::ClockSteps(clock_steps(rng)),
        (98, _) if faults.back => Event::ClockSteps(-clock_steps(rng)),
        (99, _) if faults.losses => match rng.u8(..4) {
            0 | 1 => Event::StateIsLost {
                is_slower: rng.bool(),
            },
            // Of copies, clocks have to go on; and where a machine starts anew, there are none.
            _ if faults.back || world.rules.burst > 1 => Event::Restarts,
            _ if world.replica.is_none() => Event::IsCopied,
            _ => Event::FallsBack,
        },
        _ => return None,
    })
}

fn walk(seed: u64, length: usize, faults: Faults) {
    let mut rng = Rng::with_seed(seed);
    let rules = rules(&mut rng);
    let mut world = World::new(&rules, rng.usize(1..4), rng.usize(1..4));
    let mut trace = Trace::default();
    while trace.0.len() < length {
        if let Some(event) = draw(&world, &mut rng, faults) {
            trace.0.push(event);
            world.happens(event);
        }
    }
    world.all_are_answered();
}

/// As many of each length as `SEARCH_GATE_WALKS` says.
fn walks(faults: Faults) {
    let walks =
        std::env::var("SEARCH_GATE_WALKS").map_or(2_000, |walks| walks.parse().expect("a number"));
    for length in [5, 10, 20, 40, 80, 160] {
        for seed in 0..walks {
            walk(seed, length, faults);
        }
    }
}

#[test]
fn no_rule_is_broken_whatever_callers_do() {
    walks(Faults {
        forward: false,
        back: false,
        losses: false,
    });
}

#[test]
fn no_rule_is_broken_when_states_are_lost() {
    walks(Faults {
        forward: false,
        back: false,
        losses: true,
    });
}

#[test]
fn no_rule_is_broken_by_a_clock_set_forward() {
    walks(Faults {
        forward: true,
        back: false,
        losses: false,
    });
}

#[test]
fn no_rule_is_broken_by_a_clock_set_back() {
    walks(Faults {
        forward: false,
        back: true,
        losses: false,
    });
}

#[test]
fn no_rule_is_broken_by_all_of_it_at_once() {
    walks(Faults {
        forward: true,
        back: true,
        losses: true,
    });
}
