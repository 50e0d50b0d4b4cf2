//! What may happen in a world.

use super::world::World;
use crate::gate::ledger::{Ask, Finding, State, Throttle, Tick};

/// Callers and processes are told by their numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Comes {
        who: usize,
        ask: Ask,
        patience: Tick,
    },
    Asks(usize),
    Stalls {
        who: usize,
        by: Tick,
    },
    Leaves(usize),
    Crashes {
        process: usize,
    },
    Started(usize),
    IsAnsweredAndRead(usize),
    Settles(usize, Finding),
    Throttled {
        process: usize,
        throttle: Throttle,
    },
    Reset {
        process: usize,
    },
    TimePasses(Tick),
    ClockSteps(Tick),
    StateIsLost {
        is_slower: bool,
    },
    Restarts,
    IsCopied,
    FallsBack,
}

impl World<'_> {
    pub(super) fn happens(&mut self, event: Event) {
        match event {
            Event::Comes { who, ask, patience } => self.comes(who, ask, patience),
            Event::Asks(who) => self.asks(who),
            Event::Stalls { who, by } => self.stalls(who, by),
            Event::Leaves(who) => self.leaves(who),
            Event::Crashes { process } => self.crashes(process),
            Event::Started(who) => self.started(who),
            Event::IsAnsweredAndRead(who) => self.is_answered_and_read(who),
            Event::Settles(who, finding) => self.settles(who, finding),
            Event::Throttled { process, throttle } => self.throttled(process, throttle),
            Event::Reset { process } => self.reset(process),
            Event::TimePasses(ticks) => self.time += ticks,
            Event::ClockSteps(by) => self.clock_steps(by),
            Event::StateIsLost { is_slower } => self.state_is_lost(is_slower),
            Event::IsCopied => self.is_copied(),
            Event::FallsBack => self.falls_back(),
            Event::Restarts => self.restarts(),
        }
        // What a store keeps is all that there is to the state.
        let kept = State::from_words(&self.state.words());
        assert_eq!(kept.as_ref(), Some(&self.state));
    }
}

/// What has happened so far; told if it ends in a panic.
#[derive(Debug, Default)]
pub(super) struct Trace(pub(super) Vec<Event>);

impl Drop for Trace {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("after {} events:", self.0.len());
            for event in &self.0 {
                eprintln!("    {event:?}");
            }
        }
    }
}
