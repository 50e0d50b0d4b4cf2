//! What the ledger makes of a list of steps, and what the script makes of it.

use std::collections::BTreeMap;

use redis::{Client, Connection, FromRedisValue, Pipeline, Value, from_redis_value, pipe};

use super::super::{
    script::{self, Reply, SCRIPT},
    server::RedisServer,
};
use crate::gate::{
    ledger::{Closed, Memory, Outcome, State, Tick},
    share::store::{Answer, Order},
};

const KEY: &str = "gate";

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
        assert_eq!(State::from_words(&words).as_ref(), Some(&*state));
        Some(After {
            answer: Answer { outcome, view },
            words,
        })
    }
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
    pub(super) fn apply(&mut self, steps: &[Step]) -> Vec<Option<After>> {
        let mut pipeline = pipe();
        pipeline.del(KEY).ignore();
        for step in steps {
            put(&mut pipeline, step);
        }
        let replies: Vec<Value> = pipeline
            .query(&mut self.connection)
            .expect("the script runs");
        let mut replies = replies.into_iter();
        let mut after = |step: &Step| {
            let Step::Apply { .. } = step else {
                return None;
            };
            let reply: Reply = parsed(replies.next());
            let fields: BTreeMap<String, String> = parsed(replies.next());
            Some(After {
                answer: script::answer(&reply).unwrap_or_else(|| panic!("an answer: {reply:?}")),
                words: words(&fields),
            })
        };
        steps.iter().map(&mut after).collect()
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
            pipeline.hgetall(KEY);
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
    from_redis_value(value.expect("two for each command")).expect("of the shape that was written")
}

/// The hash, as the ledger writes a state.
fn words(fields: &BTreeMap<String, String>) -> Vec<i64> {
    let number = |word: &str| word.parse::<i64>().unwrap_or_else(|_| panic!("{word:?}"));
    let list = |name: &str| fields[name].split_whitespace();
    let lists = ["places", "refused", "out"];
    let head = [
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
    assert_eq!(fields.len(), head.len() + lists.len() + 1, "{fields:?}");
    let head = head.iter().map(|name| number(&fields[*name]));
    let lengths = lists.map(|name| i64::try_from(list(name).count()).expect("few"));
    let words = lists.into_iter().flat_map(list);
    let words = words.flat_map(|word| word.split(':')).map(number);
    head.chain(lengths).chain(words).collect()
}
