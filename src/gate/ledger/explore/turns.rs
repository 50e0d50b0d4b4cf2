//! What faults cost a crowd, and what a turn costs the store.

use super::{
    crowd::{Crowd, INTERVAL, Tally, rules},
    faults::Fault,
};
use crate::gate::ledger::Tick;

fn run(callers_each: usize, usual: u64, faults: &[(Fault, Tick)]) -> Tally {
    let set = std::env::var("SEARCH_GATE_GRANTS");
    let grants = set.map_or(usual, |grants| grants.parse().expect("a number"));
    let tally = Crowd::new(&rules(), callers_each, faults).takes_turns(grants);
    let count = |of: Fault| tally.faults.iter().filter(|&&fault| fault == of).count();
    let faults: Vec<_> = faults.iter().map(|&(of, _)| (of, count(of))).collect();
    println!(
        "{callers_each} callers in each process, {faults:?}: {} grants, {:.2} orders for each, {:.1} turns lost, {:.2} at most at once",
        tally.grants,
        tally.orders as f64 / tally.grants as f64,
        turns(tally.idle),
        turns(tally.longest_idle),
    );
    tally
}

fn turns(idle: Tick) -> f64 {
    idle as f64 / INTERVAL as f64
}

/// How many turns were lost for each fault.
fn lost(fault: Fault, every: Tick) -> f64 {
    let tally = run(4, 2000, &[(fault, every)]);
    turns(tally.idle) / tally.faults.len() as f64
}

#[test]
fn a_kill_costs_no_more_than_a_tenth_of_a_turn() {
    assert!(lost(Fault::Kill, 4) < 0.1);
}

#[test]
fn a_stop_costs_no_more_than_a_tenth_of_a_turn() {
    assert!(lost(Fault::Stop, 4) < 0.1);
}

#[test]
fn a_cancel_costs_next_to_nothing() {
    assert!(lost(Fault::Cancel, 1) < 0.01);
}

#[test]
fn a_turn_costs_the_store_about_as_many_orders_as_wait() {
    for callers_each in [1, 2, 4] {
        let tally = run(callers_each, 1000, &[]);
        let most = 8 * callers_each as u64;
        assert!(tally.orders <= most * tally.grants);
        assert!(turns(tally.idle) < 0.001 * tally.grants as f64);
    }
}

/// `SEARCH_GATE_GRANTS` sets how many turns are taken.
#[test]
fn no_rule_is_broken_by_a_crowd() {
    let faults = [
        (Fault::Kill, 4),
        (Fault::Stop, 4),
        (Fault::Cancel, 1),
        (Fault::Throttle, 40),
        (Fault::Loss, 200),
        (Fault::ClockStep, 100),
    ];
    let tally = run(4, 3000, &faults);
    assert!(tally.faults.len() > 100);
}
