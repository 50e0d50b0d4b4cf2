//! Nanoseconds here, microseconds there; and bounds under which the script's doubles are exact.

use crate::gate::{
    ledger::{Command, Finding, Memory, Outcome, Polling, Refused, Rules, Throttle, Tick, View},
    share::store::{Answer, Order},
};

/// The longest interval, back-off or other length that rules are set to counts as this, 12 days.
pub(super) const LONGEST: Tick = 1 << 40;

/// The longest wait counts as this, 35 years. So does all that a burst puts off.
pub(super) const FAR: Tick = 1 << 50;

const NANOS: Tick = 1000;

/// The most callers that may wait: the script reads and writes all of their places each time.
pub(in crate::gate) const MOST_QUEUED: usize = 1000;

/// An order in microseconds, as the script takes it.
pub(super) fn in_micros(order: Order) -> Order {
    let Order {
        rules,
        memory,
        command,
    } = order;
    Order {
        rules: rules_in_micros(&rules),
        memory: memory_in_micros(memory),
        command: command_in_micros(command),
    }
}

fn memory_in_micros(memory: Memory) -> Memory {
    Memory {
        round: memory.round.min(FAR.unsigned_abs()),
        arrival: up(memory.arrival).clamp(-FAR, FAR),
        closed: up(memory.closed).clamp(-FAR, LONGEST),
        ..memory
    }
}

fn rules_in_micros(rules: &Rules) -> Rules {
    let interval = length(rules.interval);
    Rules {
        interval,
        burst: rules.burst.clamp(1, 1 + FAR / interval.max(1)),
        grace: length(rules.grace),
        backoffs: rules
            .backoffs
            .iter()
            .map(|&backoff| length(backoff))
            .collect(),
        backoff_cap: length(rules.backoff_cap),
        longest_backoff: length(rules.longest_backoff),
        widening: length(rules.widening),
        lease: length(rules.lease),
        max_in_flight: rules.max_in_flight,
        max_queued: rules.max_queued.min(MOST_QUEUED),
        waits_while_closed: rules.waits_while_closed,
        polling: rules.polling.map(|polling| Polling {
            window: polling.window.min(MOST_QUEUED),
            stagger: length(polling.stagger),
            longest_sleep: length(polling.longest_sleep),
        }),
    }
}

fn command_in_micros(command: Command) -> Command {
    let throttle_in_micros = |throttle: Throttle| Throttle {
        at_least: length(throttle.at_least),
        jitter: throttle.jitter.clamp(0, 1000),
    };
    match command {
        Command::Take {
            ticket,
            max_wait,
            ask,
        } => Command::Take {
            ticket,
            max_wait: max_wait.div_euclid(NANOS).clamp(-FAR, FAR),
            ask,
        },
        Command::Settle(grant, Finding::Throttled(throttle)) => {
            Command::Settle(grant, Finding::Throttled(throttle_in_micros(throttle)))
        }
        Command::Throttled(throttle) => Command::Throttled(throttle_in_micros(throttle)),
        Command::Leave(_)
        | Command::Started
        | Command::Answered(_)
        | Command::Settle(..)
        | Command::Reset => command,
    }
}

/// The script's answer, in nanoseconds.
pub(super) fn in_nanos(answer: Answer) -> Answer {
    let Answer { outcome, view, at } = answer;
    let outcome = match outcome {
        Outcome::Wait { ticket, sleep } => Outcome::Wait {
            ticket,
            sleep: nanos(sleep),
        },
        Outcome::Refused(refused) => Outcome::Refused(match refused {
            Refused::BackingOff { left } => Refused::BackingOff { left: nanos(left) },
            Refused::PastDeadline { by } => Refused::PastDeadline { by: nanos(by) },
            Refused::QueueFull { next } => Refused::QueueFull { next: nanos(next) },
        }),
        Outcome::Go(_) | Outcome::Due(_) | Outcome::Closed { .. } | Outcome::Done => outcome,
    };
    Answer {
        outcome,
        view: View {
            memory: Memory {
                arrival: nanos(view.memory.arrival),
                closed: nanos(view.memory.closed),
                ..view.memory
            },
            interval: nanos(view.interval),
            queued: view.queued,
            next_turn: nanos(view.next_turn),
        },
        at: nanos(at),
    }
}

/// No length is rounded to less than it is: a start must not come sooner for it.
fn length(nanos: Tick) -> Tick {
    up(nanos).clamp(0, LONGEST)
}

fn up(nanos: Tick) -> Tick {
    nanos.div_euclid(NANOS) + Tick::from(nanos.rem_euclid(NANOS) > 0)
}

fn nanos(micros: Tick) -> Tick {
    micros.saturating_mul(NANOS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::{ledger::Ask, settings::Settings};

    #[test]
    fn what_is_remembered_is_rounded_up_and_bounded() {
        let memory = |round, arrival, closed| Memory {
            born: 1500,
            round,
            streak: 0,
            on_trial: false,
            arrival,
            closed,
        };
        let far = FAR.unsigned_abs();
        for (given, taken) in [
            (memory(7, 1500, 1500), memory(7, 2, 2)),
            (memory(7, -1500, -1500), memory(7, -1, -1)),
            (
                memory(u64::MAX, Tick::MAX, Tick::MAX),
                memory(far, FAR, LONGEST),
            ),
            (memory(0, Tick::MIN, Tick::MIN), memory(0, -FAR, -FAR)),
        ] {
            assert_eq!(memory_in_micros(given), taken);
        }
    }

    #[test]
    fn all_that_a_burst_puts_off_is_bounded() {
        let burst = |interval: Tick, burst| {
            let rules = Rules {
                interval,
                burst,
                ..Settings::default().rules()
            };
            rules_in_micros(&rules).burst
        };
        const SECOND: Tick = 1_000_000_000;
        assert_eq!(burst(SECOND, 7), 7);
        assert_eq!(burst(SECOND, Tick::MAX), 1 + FAR / 1_000_000);
        assert_eq!(burst(3 * SECOND, Tick::MAX), 1 + FAR / 3_000_000);
        assert_eq!(burst(0, Tick::MAX), 1 + FAR);
        assert_eq!(burst(Tick::MAX, Tick::MAX), 1 + FAR / LONGEST);
    }

    #[test]
    fn waits_are_rounded_down_and_bounded() {
        let wait = |max_wait| {
            let command = Command::Take {
                ticket: None,
                max_wait,
                ask: Ask::Spend,
            };
            match command_in_micros(command) {
                Command::Take { max_wait, .. } => max_wait,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(wait(1999), 1);
        assert_eq!(wait(-1), -1);
        assert_eq!(wait(Tick::MAX), FAR);
        assert_eq!(wait(Tick::MIN), -FAR);
    }

    #[test]
    fn lengths_are_rounded_up_and_bounded() {
        assert_eq!(length(0), 0);
        assert_eq!(length(1), 1);
        assert_eq!(length(1000), 1);
        assert_eq!(length(1001), 2);
        assert_eq!(length(-1), 0);
        assert_eq!(length(Tick::MAX), LONGEST);
        assert_eq!(up(-1), 0);
        assert_eq!(up(-1000), -1);
        assert_eq!(up(Tick::MIN), Tick::MIN / 1000);
    }
}
