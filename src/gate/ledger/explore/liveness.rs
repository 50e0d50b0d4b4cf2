//! Whether all who wait are answered in time, if from now on they look when they are told to.

use super::{caller::Caller, world::World};
use crate::gate::ledger::Tick;

impl World<'_> {
    /// Whose look is the next, and when.
    pub(super) fn next_look(&self) -> Option<(Tick, usize)> {
        let callers = self.callers.iter().enumerate();
        let looks = callers.filter_map(|(who, (_, caller))| match caller {
            Caller::Waits(caller) => Some((caller.look + caller.stalls, who)),
            _ => None,
        });
        looks.min()
    }

    /// The longest that this may take, though nothing is heard any more of the turns that are out, nor of those that are given: what is
    /// left of the back-off, a lease, the intervals after earlier starts; until those who are gone have been passed over; and for each
    /// who waits an interval or a lease, and the time after which one before it counts as late.
    fn longest_wait(&self) -> Tick {
        let rules = self.rules;
        let polling = rules.polling.expect("callers look");
        let memories = self
            .processes
            .iter()
            .map(|process| process.recalls(self.time).closed);
        let closed = memories.fold(self.state.backoff_left(self.shown()), Tick::max);
        let interval = rules.interval * if rules.widening > 0 { 2 } else { 1 };
        let window = Tick::try_from(polling.window).expect("few");
        let late = rules.grace + 1 + window * polling.stagger;
        let gone = polling.longest_sleep + late;
        let waits = self
            .callers
            .iter()
            .filter(|(_, caller)| matches!(caller, Caller::Waits(_)));
        let waits = Tick::try_from(waits.count()).expect("few");
        closed
            + rules.lease
            + rules.burst * interval
            + gone
            + waits * (interval.max(rules.lease) + late)
    }

    /// Returns how much of that time it took, in percent.
    pub(super) fn all_are_answered(&self) -> Tick {
        let mut world = self.clone();
        for who in 0..self.callers.len() {
            world.stalls(who, 0);
        }
        let longest_wait = self.longest_wait();
        while let Some((look, who)) = world.next_look() {
            world.time = world.time.max(look);
            let wait = world.time - self.time;
            assert!(
                wait <= longest_wait,
                "not answered within {longest_wait}: {world:?}"
            );
            world.asks(who);
        }
        (world.time - self.time) * 100 / longest_wait.max(1)
    }
}
