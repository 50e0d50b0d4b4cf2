//! What can happen.

use std::time::Duration;

use proptest::prelude::*;

/// What happens next. Numbers choose among the requests that are there.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// A request is made, with a deadline in so many seconds, and not polled.
    Come(Option<u64>),
    /// One is polled, woken or not.
    Poll(usize),
    /// All who were woken are polled.
    PollWoken,
    /// One is dropped, whatever it is at.
    Leave(usize),
    Wait(Duration),
    /// The inner service gets ready for nobody, or for everybody again.
    Busy(bool),
    /// It fails whoever asks whether it is ready, or no longer.
    Broken(bool),
    /// One of the requests sent is answered, or all of them.
    Answer(Option<usize>, Answer),
    Throttle,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    Page,
    Refusal,
    Challenge,
    Failure,
}

pub(crate) fn ops() -> impl Strategy<Value = Vec<Op>> {
    let answer = prop_oneof![
        6 => Just(Answer::Page),
        1 => Just(Answer::Refusal),
        1 => Just(Answer::Challenge),
        1 => Just(Answer::Failure),
    ];
    let millis = prop_oneof![0..600_u64, 1_900..2_600_u64, Just(2_000), 0..70_000_u64];
    let op = prop_oneof![
        4 => prop_oneof![4 => Just(None), 1 => (0..40_u64).prop_map(Some)].prop_map(Op::Come),
        6 => any::<usize>().prop_map(Op::Poll),
        6 => Just(Op::PollWoken),
        2 => any::<usize>().prop_map(Op::Leave),
        5 => millis.prop_map(|millis| Op::Wait(Duration::from_millis(millis))),
        2 => any::<bool>().prop_map(Op::Busy),
        1 => proptest::bool::weighted(0.2).prop_map(Op::Broken),
        3 => (any::<Option<usize>>(), answer).prop_map(|(which, answer)| Op::Answer(which, answer)),
        1 => Just(Op::Throttle),
    ];
    proptest::collection::vec(op, 1..80)
}
