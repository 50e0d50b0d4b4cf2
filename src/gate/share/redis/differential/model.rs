//! What the ledger makes of a list of steps, and what the script makes of it.

use redis::{Client, Connection, FromRedisValue, Pipeline, Value, from_redis_value, pipe};

use super::super::{
    script::{self, Reply, SCRIPT},
    server::RedisServer,
    units::FAR,
};
use crate::gate::{
    ledger::{Ask, Closed, Command, Memory, Outcome, Rules, State, Tick, View},
    share::store::{Answer, Order},
};

const KEY: &str = "gate";

/// The numbers of a state, in the ledger's order.
const HEAD: [&str; 13] = [
    "born",
    "last_start",
    "arrival",
    "widened_until",
    "interval",
    "closed_until",
    "closed_length",
    "round",
    "streak",
    "on_trial",
    "last_ticket",
    "voided",
    "last_grant",
];

const LISTS: [&str; 3] = ["places", "refused", "out"];

#[derive(Clone, Debug)]
pub(super) enum Step {
    /// In microseconds.
    Apply { now: Tick, order: Order },
    /// The state is gone.
    Lose,
    /// Someone writes into the hash.
    Spoil {
        field: &'static str,
        value: &'static str,
    },
}

/// What there is after a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct After {
    pub(super) answer: Answer,
    words: Vec<i64>,
}

/// The ledger's side.
#[derive(Default)]
pub(super) struct Model {
    state: Option<State>,
    is_spoiled: bool,
    /// When the last command came, and the rules that it came with.
    last: Option<(Tick, Rules)>,
}

impl Model {
    pub(super) fn apply(&mut self, step: &Step) -> Option<After> {
        let (now, order) = match step {
            Step::Apply { now, order } => (*now, order),
            Step::Lose => {
                *self = Self::default();
                return None;
            }
            Step::Spoil { .. } => {
                self.is_spoiled = true;
                return None;
            }
        };
        let Order {
            rules,
            memory,
            command,
        } = order;
        if std::mem::take(&mut self.is_spoiled) {
            let mut state = State::new(rules, now);
            let started = Memory {
                born: now,
                round: 0,
                streak: 0,
                on_trial: false,
                arrival: rules.burst * rules.interval,
                closed: 0,
            };
            state.recall(rules, now, &started);
            self.state = Some(state);
        }
        let state = self.state.get_or_insert_with(|| State::new(rules, now));
        state.recall(rules, now, memory);
        let outcome = match state.step(rules, now, *command) {
            Outcome::Closed { is_new, .. } => Outcome::Closed {
                is_new,
                refused: Closed::These(Vec::new()),
            },
            outcome => outcome,
        };
        let view = state.view(rules, now);
        let words = state.words();
        self.last = Some((now, rules.clone()));
        assert_eq!(State::from_words(&words).as_ref(), Some(&*state));
        Some(After {
            answer: Answer {
                outcome,
                view,
                at: now,
            },
            words,
        })
    }
}

impl Model {
    /// That the state, so much later, says no more than a new one; but a trial is held to only for as long.
    pub(super) fn is_as_new_after(&self, time: Tick) {
        let (Some(kept), Some((now, rules))) = (&self.state, &self.last) else {
            return;
        };
        let later = now + time;
        let goes = |mut state: State| {
            let take = Command::Take {
                ticket: None,
                max_wait: FAR,
                ask: Ask::Spend,
            };
            let outcome = state.step(rules, later, take);
            assert!(matches!(outcome, Outcome::Go(_)), "{outcome:?} {kept:?}");
            let view = state.view(rules, later);
            View {
                memory: Memory {
                    born: 0,
                    round: 0,
                    // For how long it has been over is nothing to a state without a streak.
                    closed: view.memory.closed.max(0),
                    ..view.memory
                },
                ..view
            }
        };
        let as_kept = goes(kept.clone());
        if !kept.on_trial() {
            assert_eq!(as_kept, goes(State::new(rules, later)), "{kept:?}");
        }
    }
}

/// What the script makes of some steps.
pub(super) struct Run {
    pub(super) after: Vec<Option<After>>,
    /// For how many milliseconds the hash is kept after the last; negative if it is not there.
    pub(super) kept_for: i64,
}

/// The script's side.
pub(super) struct Scripted {
    connection: Connection,
}

impl Scripted {
    pub(super) fn new(server: &RedisServer) -> Self {
        let client = Client::open(server.url()).expect("an address");
        let mut connection = client.get_connection().expect("the server listens");
        SCRIPT
            .prepare_invoke()
            .load(&mut connection)
            .expect("the script is sound");
        Self { connection }
    }

    /// From nothing.
    pub(super) fn apply(&mut self, steps: &[Step]) -> Run {
        let mut pipeline = pipe();
        pipeline.atomic().del(KEY).ignore();
        for step in steps {
            put(&mut pipeline, step);
        }
        pipeline.pttl(KEY);
        let replies: Vec<Value> = pipeline
            .query(&mut self.connection)
            .expect("the script runs");
        let mut replies = replies.into_iter();
        let mut after = |step: &Step| {
            let Step::Apply { .. } = step else {
                return None;
            };
            let reply: Reply = parsed(replies.next());
            let fields: Vec<String> = parsed(replies.next());
            Some(After {
                answer: script::answer(&reply).unwrap_or_else(|| panic!("an answer: {reply:?}")),
                words: words(&fields),
            })
        };
        let after = steps.iter().map(&mut after).collect();
        Run {
            after,
            kept_for: parsed(replies.next()),
        }
    }
}

fn put(pipeline: &mut Pipeline, step: &Step) {
    match step {
        Step::Apply { now, order } => {
            let arguments = script::arguments(order, Some(*now)).expect("callers look");
            let hash = SCRIPT.get_hash();
            pipeline
                .cmd("EVALSHA")
                .arg(hash)
                .arg(1)
                .arg(KEY)
                .arg(arguments);
            pipeline.cmd("HMGET").arg(KEY).arg(&HEAD).arg(&LISTS);
        }
        Step::Lose => {
            pipeline.del(KEY).ignore();
        }
        Step::Spoil { field, value } => {
            pipeline.hset(KEY, field, value).ignore();
        }
    }
}

fn parsed<T: FromRedisValue>(value: Option<Value>) -> T {
    from_redis_value(value.expect("a reply to each")).expect("of the shape that was written")
}

/// The fields of the hash, as the ledger writes a state.
fn words(fields: &[String]) -> Vec<i64> {
    let number = |word: &str| word.parse::<i64>().unwrap_or_else(|_| panic!("{word:?}"));
    let (head, lists) = fields.split_at(HEAD.len());
    let head = head.iter().map(|word| number(word));
    let count = |list: &String| list.split_whitespace().count();
    let lengths = lists
        .iter()
        .map(|list| i64::try_from(count(list)).expect("few"));
    let words = lists.iter().flat_map(|list| list.split_whitespace());
    let words = words.flat_map(|word| word.split(':')).map(number);
    head.chain(lengths).chain(words).collect()
}
