use super::Tick;

/// What the rules are set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// The least time between two starts, on average when `burst` is over 1.
    pub(crate) interval: Tick,
    /// How many may start at once after a quiet spell.
    pub(crate) burst: Tick,
    /// How late the owner of a place may be before others pass it.
    pub(crate) grace: Tick,
    /// How long the first, the second, … throttle in a row closes the gate; the last stands for all later ones. Never empty.
    pub(crate) backoffs: Box<[Tick]>,
    /// The longest that chance may make a back-off; and how long the gate must stay open for a streak of them to be forgotten.
    pub(crate) backoff_cap: Tick,
    /// The longest that a throttle may close the gate, whatever the provider asks for. No less than the cap.
    pub(crate) longest_backoff: Tick,
    /// For how long the interval is doubled after a back-off.
    pub(crate) widening: Tick,
    /// How long a turn counts as out when nothing is heard of it.
    pub(crate) lease: Tick,
    /// How many turns may be out at once.
    pub(crate) max_in_flight: usize,
    /// How many may wait at once.
    pub(crate) max_queued: usize,
    /// Whether a closed gate lets those wait whose deadline lies beyond the back-off.
    pub(crate) waits_while_closed: bool,
    /// How those who wait find out that they may go sooner. `None` where the keeper tells them, after every step.
    pub(crate) polling: Option<Polling>,
}

/// How callers look for themselves, where nobody can tell them anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Polling {
    /// How many behind the head look whenever a turn is due: so many may vanish at once and cost the others nothing but their grace.
    pub(crate) window: usize,
    /// How much later than the one before it each of them looks, so that the one before it has gone by then.
    pub(crate) stagger: Tick,
    /// The longest that anyone sleeps between two looks; those in the window sleep at most half of it.
    pub(crate) longest_sleep: Tick,
}

impl Rules {
    /// How long the throttle that is the `streak`th in a row closes the gate. Counts from 1.
    pub(super) fn backoff(&self, streak: u32) -> Tick {
        let step = usize::try_from(streak.saturating_sub(1)).unwrap_or(usize::MAX);
        self.backoffs[step.min(self.backoffs.len() - 1)]
    }
}
