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
pub(super) type Reply = (String, Vec<i64>, Vec<i64>);

/// What the script is to be called with. It goes by the server's clock if `now` is not set. `None` if the rules have nobody look by itself.
pub(super) fn arguments(order: &Order, now: Option<Tick>) -> Option<Vec<String>> {
    let Order {
        rules,
        memory,
        command,
    } = order;
    let mut arguments = Arguments::default();
    match now {
        Some(now) => arguments.put(now),
        None => arguments.skip(),
    }
    arguments.put_rules(rules)?;
    match command.is_throttle() {
        true => arguments.put_all(&rules.backoffs),
        false => arguments.skip(),
    }
    arguments.put_memory(memory);
    arguments.put_command(command);
    Some(arguments.0)
}

#[derive(Default)]
struct Arguments(Vec<String>);

impl Arguments {
    fn put(&mut self, value: impl ToString) {
        self.0.push(value.to_string());
    }

    fn skip(&mut self) {
        self.put("");
    }

    fn put_each(&mut self, numbers: impl IntoIterator<Item = i64>) {
        numbers.into_iter().for_each(|number| self.put(number));
    }

    /// As one.
    fn put_all(&mut self, numbers: &[i64]) {
        let words: Vec<_> = numbers.iter().map(i64::to_string).collect();
        self.put(words.join(" "));
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
        self.put(memory.born);
        self.put(memory.round);
        self.put(memory.streak);
        self.put(i64::from(memory.on_trial));
        self.put(memory.arrival);
        self.put(memory.closed);
    }

    fn put_command(&mut self, command: &Command) {
        match *command {
            Command::Take {
                ticket,
                max_wait,
                ask,
            } => {
                self.put("take");
                match ticket {
                    Some(ticket) => self.put(ticket.word()),
                    None => self.skip(),
                }
                self.put(max_wait);
                self.put(match ask {
                    Ask::Look => "look",
                    Ask::Spend => "spend",
                    Ask::SpendAlone => "spend_alone",
                });
            }
            Command::Leave(ticket) => {
                self.put("leave");
                self.put(ticket.word());
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
        self.put(throttle.at_least);
        self.put(throttle.jitter);
    }
}

/// `None` if that is no answer of the script's.
pub(super) fn answer((name, numbers, view): &Reply) -> Option<Answer> {
    Some(Answer {
        outcome: outcome(name, numbers)?,
        view: seen(view)?,
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
