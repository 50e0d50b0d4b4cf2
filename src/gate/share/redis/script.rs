//! What goes to the script, and what comes back: whole microseconds.

use std::sync::LazyLock;

use redis::Script;

use crate::gate::{
    ledger::{
        Ask, Closed, Command, Finding, Grant, Memory, Outcome, Refused, Rules, Throttle, Tick,
        Ticket, View,
    },
    share::store::{Answer, Order},
};

/// The ledger in Lua.
pub(super) static SCRIPT: LazyLock<Script> = LazyLock::new(|| {
    Script::new(concat!(
        include_str!("script/read.lua"),
        include_str!("script/pace.lua"),
        include_str!("script/queue.lua"),
        include_str!("script/step.lua"),
    ))
});

/// The outcome's name and its numbers, then the view's numbers.
pub(super) type Reply = (String, Vec<i64>, Vec<i64>, Tick);

/// What the script is to be called with. It goes by the server's clock if `now` is not set. `None` if the rules have nobody look by itself.
pub(super) fn arguments(order: &Order, now: Option<Tick>) -> Option<Vec<String>> {
    let Order {
        rules,
        memory,
        command,
    } = order;
    let mut arguments = Arguments::default();
    arguments.put_if_any(now);
    arguments.put_rules(rules)?;
    let backoffs = match command.is_throttle() {
        true => &*rules.backoffs,
        false => &[],
    };
    let backoffs: Vec<_> = backoffs.iter().map(i64::to_string).collect();
    arguments.put(backoffs.join(" "));
    arguments.put_memory(memory);
    arguments.put_command(command);
    Some(arguments.0)
}

#[derive(Default)]
struct Arguments(Vec<String>);

impl Arguments {
    fn put(&mut self, text: impl Into<String>) {
        self.0.push(text.into());
    }

    fn put_each(&mut self, numbers: impl IntoIterator<Item = i64>) {
        let numbers = numbers.into_iter();
        self.0.extend(numbers.map(|number| number.to_string()));
    }

    fn put_if_any(&mut self, number: Option<i64>) {
        self.put(number.map_or_else(String::new, |number| number.to_string()));
    }

    fn put_rules(&mut self, rules: &Rules) -> Option<()> {
        let polling = rules.polling?;
        self.put_each([
            rules.interval,
            rules.burst,
            rules.grace,
            rules.backoff_cap,
            rules.longest_backoff,
            rules.widening,
            rules.lease,
            match rules.max_in_flight {
                usize::MAX => -1,
                turns => count(turns),
            },
            count(rules.max_queued),
            count(polling.window),
            polling.stagger,
            polling.longest_sleep,
            i64::from(rules.waits_while_closed),
        ]);
        Some(())
    }

    fn put_memory(&mut self, memory: &Memory) {
        self.put_each([
            memory.born,
            i64::try_from(memory.round).unwrap_or(i64::MAX),
            i64::from(memory.streak),
            i64::from(memory.on_trial),
            memory.arrival,
            memory.closed,
        ]);
    }

    fn put_command(&mut self, command: &Command) {
        match *command {
            Command::Take {
                ticket,
                max_wait,
                ask,
            } => {
                self.put("take");
                self.put_if_any(ticket.map(Ticket::word));
                self.put_each([max_wait]);
                self.put(match ask {
                    Ask::Look => "look",
                    Ask::Spend => "spend",
                    Ask::SpendAlone => "spend_alone",
                });
            }
            Command::Leave(ticket) => {
                self.put("leave");
                self.put_each([ticket.word()]);
            }
            Command::Started => self.put("started"),
            Command::Answered(grant) => {
                self.put("answered");
                self.put_grant(grant);
            }
            Command::Settle(grant, finding) => {
                self.put("settle");
                self.put_grant(grant);
                match finding {
                    Finding::Answered => self.put("answered"),
                    Finding::Throttled(throttle) => self.put_throttle("throttled", throttle),
                    Finding::Unknown => self.put("unknown"),
                }
            }
            Command::Throttled(throttle) => self.put_throttle("throttled", throttle),
            Command::Reset => self.put("reset"),
        }
    }

    fn put_grant(&mut self, grant: Grant) {
        self.put_each(grant.words());
    }

    fn put_throttle(&mut self, name: &str, throttle: Throttle) {
        self.put(name);
        self.put_each([throttle.at_least, throttle.jitter]);
    }
}

/// `None` if that is no answer of the script's.
pub(super) fn answer((name, numbers, view, at): &Reply) -> Option<Answer> {
    Some(Answer {
        outcome: outcome(name, numbers)?,
        view: seen(view)?,
        at: *at,
    })
}

fn outcome(name: &str, numbers: &[i64]) -> Option<Outcome> {
    Some(match (name, numbers) {
        ("go", grant) => Outcome::Go(Grant::from_words(grant)?),
        ("due", &[ticket]) => Outcome::Due(Ticket::from_word(ticket)?),
        ("wait", &[ticket, sleep]) => Outcome::Wait {
            ticket: Ticket::from_word(ticket)?,
            sleep,
        },
        ("backing_off", &[left]) => Outcome::Refused(Refused::BackingOff { left }),
        ("past_deadline", &[by]) => Outcome::Refused(Refused::PastDeadline { by }),
        ("queue_full", &[next]) => Outcome::Refused(Refused::QueueFull { next }),
        ("closed", &[is_new]) => Outcome::Closed {
            is_new: is_new == 1,
            // They learn it when they look.
            refused: Closed::These(Vec::new()),
        },
        ("done", []) => Outcome::Done,
        _ => return None,
    })
}

fn seen(numbers: &[i64]) -> Option<View> {
    let &[
        born,
        round,
        streak,
        on_trial,
        arrival,
        closed,
        interval,
        queued,
        next_turn,
    ] = numbers
    else {
        return None;
    };
    Some(View {
        memory: Memory {
            born,
            round: u64::try_from(round).ok()?,
            streak: u32::try_from(streak).ok()?,
            on_trial: on_trial == 1,
            arrival,
            closed,
        },
        interval,
        queued: usize::try_from(queued).ok()?,
        next_turn,
    })
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
