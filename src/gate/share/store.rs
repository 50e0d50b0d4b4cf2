use std::{fmt, future::Future, pin::Pin, sync::Arc};

use crate::{
    BoxError,
    gate::ledger::{Command, Memory, Outcome, Rules, Tick, View},
};

/// Where the state of a shared gate is kept. Whoever keeps it applies [`State::step`](crate::gate::ledger::State::step), or what is
/// proven to do the same.
///
/// All times of an order and of its answer are lengths, in nanoseconds: no clock of one side reaches the other.
pub(in crate::gate) trait Store: fmt::Debug + Send + Sync {
    /// Brings back what the state has lost of `order.memory`, then applies the command, while nobody else does: at a time that is read then.
    ///
    /// Takes a bounded time. Dropped before it is done, the order may still be carried out. Polled once outside of a runtime, it does what
    /// can be done without waiting.
    fn apply(self: Arc<Self>, order: Order) -> Applying;

    /// What the state looks like now, if that can be seen without waiting. Changes nothing.
    fn look(&self, rules: &Rules) -> Option<View>;
}

pub(in crate::gate) type Applying = Pin<Box<dyn Future<Output = Result<Answer, BoxError>> + Send>>;

#[derive(Clone, Debug)]
pub(in crate::gate) struct Order {
    pub(in crate::gate) rules: Rules,
    pub(in crate::gate) memory: Memory,
    pub(in crate::gate) command: Command,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::gate) struct Answer {
    pub(in crate::gate) outcome: Outcome,
    /// What the state looks like after the step.
    pub(in crate::gate) view: View,
    /// When that was, on the store's clock.
    #[allow(dead_code, reason = "for who holds a store to its promises")]
    pub(in crate::gate) at: Tick,
}
