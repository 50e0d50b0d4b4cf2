//! Three callers, each of a process of its own, in all orders in which things may happen to them.

use super::{
    caller::Caller,
    event::Event,
    search::{Bounds, Found, search},
    world::{OUTSIDER, World},
};
use crate::gate::ledger::{Ask, Finding, Polling, Rules, Throttle, Tick};

const CALLERS: usize = 3;
const FOREVER: Tick = 1 << 24;
const SOON: Tick = 5;
/// Clocks leap further than anything lasts.
const LEAP: Tick = 100;
const THROTTLE: Throttle = Throttle {
    at_least: 0,
    jitter: 0,
};

fn rules() -> Rules {
    Rules {
        interval: 4,
        burst: 1,
        grace: 1,
        backoffs: [5, 10].into(),
        backoff_cap: 10,
        longest_backoff: 12,
        widening: 0,
        lease: 6,
        max_in_flight: usize::MAX,
        max_queued: usize::MAX,
        waits_while_closed: false,
        polling: Some(Polling {
            window: 1,
            stagger: 1,
            longest_sleep: 8,
        }),
    }
}

/// The same, and others that differ where the rules part; with as many events and ticks as a test has time for.
fn all_rules() -> [(Rules, u8, u8); 4] {
    let polling = |window, stagger| {
        Some(Polling {
            window,
            stagger,
            longest_sleep: 8,
        })
    };
    let waits = Rules {
        grace: 2,
        lease: 3,
        widening: 6,
        waits_while_closed: true,
        polling: polling(2, 1),
        ..rules()
    };
    let bursts = Rules {
        burst: 2,
        ..rules()
    };
    let bounded = Rules {
        max_in_flight: 1,
        max_queued: 2,
        polling: polling(0, 0),
        ..rules()
    };
    [
        (rules(), 5, 8),
        (waits, 4, 5),
        (bursts, 4, 3),
        (bounded, 4, 5),
    ]
}

/// Idle callers whose processes know the same are the same: the first of them stands for all.
fn is_first_of_its_kind(world: &World<'_>, who: usize) -> bool {
    let kind = |who: usize| {
        let (process, caller) = &world.callers[who];
        let process = &world.processes[*process];
        let is_idle = matches!(caller, Caller::Idle);
        is_idle.then_some((process.memory, process.seen_at, process.knows))
    };
    !(0..who).any(|other| kind(other) == kind(who))
}

/// What a caller may do, and what may become of it: as it should be, and otherwise.
fn what_callers_do(world: &World<'_>) -> (Vec<Event>, Vec<Event>) {
    let (mut orderly, mut faulty) = (Vec::new(), Vec::new());
    for (who, &(process, ref caller)) in world.callers.iter().enumerate() {
        let comes = |(ask, patience)| Event::Comes { who, ask, patience };
        match caller {
            Caller::Idle if is_first_of_its_kind(world, who) => {
                let asks = [Ask::SpendAlone, Ask::Look].map(|ask| (ask, FOREVER));
                orderly.push(comes((Ask::Spend, FOREVER)));
                faulty.push(comes((Ask::Spend, SOON)));
                faulty.extend(asks.map(comes));
            }
            Caller::Idle => {}
            Caller::Waits(caller) => {
                match caller.look + caller.stalls <= world.time {
                    true => orderly.push(Event::Asks(who)),
                    false => faulty.push(Event::Asks(who)),
                }
                faulty.extend([Event::Leaves(who), Event::Crashes { process }]);
            }
            Caller::Holds(turn) => {
                orderly.push(Event::Settles(who, Finding::Answered));
                let findings = [Finding::Throttled(THROTTLE), Finding::Unknown];
                faulty.extend(findings.map(|finding| Event::Settles(who, finding)));
                faulty.push(Event::Crashes { process });
                if !turn.is_started {
                    faulty.push(Event::Started(who));
                }
                if !turn.is_answered {
                    faulty.push(Event::IsAnsweredAndRead(who));
                }
            }
        }
    }
    (orderly, faulty)
}

fn what_befalls_the_store() -> Vec<Event> {
    let mut events = vec![
        Event::Throttled {
            process: OUTSIDER,
            throttle: THROTTLE,
        },
        Event::Reset { process: OUTSIDER },
    ];
    events.extend([-LEAP, -3, 3, LEAP].map(Event::ClockSteps));
    events.extend([true, false].map(|is_slower| Event::StateIsLost { is_slower }));
    events
}

/// Everything, at any time. Time passes by one tick, until the next look, until that counts as late, until a back-off is over.
fn everything(world: &World<'_>) -> Vec<(Event, Bounds)> {
    let (mut events, faulty) = what_callers_do(world);
    events.extend(faulty);
    events.extend(what_befalls_the_store());
    let look = world.next_look().map(|(look, _)| look - world.time);
    let late = look.map(|look| look + world.rules.grace + 1);
    let times = [
        Some(1),
        look,
        late,
        Some(world.witness.store.left(world.time)),
    ];
    let mut times: Vec<_> = times.into_iter().flatten().collect();
    times.sort_unstable();
    times.dedup();
    let times = times.into_iter().filter(|&ticks| ticks > 0);
    events.extend(times.map(Event::TimePasses));
    let costs = Bounds {
        depth: 1,
        faults: 0,
    };
    events.into_iter().map(|event| (event, costs)).collect()
}

/// A tick passes once everyone has looked who is to: that is what the depth counts, and apart from it what is not as it should be.
fn few_faults(world: &World<'_>) -> Vec<(Event, Bounds)> {
    let (orderly, mut faulty) = what_callers_do(world);
    faulty.extend(what_befalls_the_store());
    let mut is_awaited = false;
    for (who, (_, caller)) in world.callers.iter().enumerate() {
        if let Caller::Waits(caller) = caller
            && caller.look + caller.stalls <= world.time
        {
            is_awaited = true;
            let late = [1, world.rules.grace + 1, 2 * world.rules.interval];
            let stalls = late.map(|by| world.time + by - caller.look);
            faulty.extend(stalls.map(|by| Event::Stalls { who, by }));
        }
    }
    let passes = (!is_awaited).then_some(Event::TimePasses(1));
    let costing = |depth, faults| move |event| (event, Bounds { depth, faults });
    let orderly = orderly.into_iter().map(costing(0, 0));
    let faulty = faulty.into_iter().map(costing(0, 1));
    let passes = passes.into_iter().map(costing(1, 0));
    orderly.chain(faulty).chain(passes).collect()
}

fn number(name: &str, usual: u8) -> u8 {
    let set = std::env::var(name);
    set.map_or(usual, |number| number.parse().expect("a number"))
}

fn tell(rules: &Rules, bounds: Bounds, found: &Found) {
    println!("{bounds:?}: {found:?}, by {rules:?}");
    assert!(found.worlds > 100);
}

/// `SEARCH_GATE_DEPTH` sets to how many events.
#[test]
fn no_rule_is_broken_by_all_that_may_happen() {
    for (rules, depth, _) in &all_rules() {
        let depth = number("SEARCH_GATE_DEPTH", *depth);
        let bounds = Bounds { depth, faults: 0 };
        let found = search(&World::new(rules, CALLERS, 1), everything, bounds);
        tell(rules, bounds, &found);
    }
}

/// `SEARCH_GATE_TICKS` sets for how long, `SEARCH_GATE_FAULTS` with how many faults.
#[test]
fn no_rule_is_broken_by_a_few_faults_for_longer() {
    for (rules, _, ticks) in &all_rules() {
        let bounds = Bounds {
            depth: number("SEARCH_GATE_TICKS", *ticks),
            faults: number("SEARCH_GATE_FAULTS", 1),
        };
        let found = search(&World::new(rules, CALLERS, 1), few_faults, bounds);
        tell(rules, bounds, &found);
    }
}
