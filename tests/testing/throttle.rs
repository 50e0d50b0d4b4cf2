//! The throttle rule as a value: what it answers, when it refuses, and for how long.

use search_gate::testing::{Outcome, Throttle};
use std::time::Duration;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// The outcomes of `count` requests, `gap` apart, from `from` on: `A` for answered, `R` for refused.
fn run(throttle: &mut Throttle, from: Duration, gap: Duration, count: u32) -> String {
    (0..count)
        .map(|i| match throttle.judge(from + gap * i) {
            Outcome::Answered => 'A',
            Outcome::Refused => 'R',
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn ten_of_a_burst_are_answered_and_the_rest_refused() {
    assert_eq!(
        run(&mut Throttle::new(), ms(0), ms(850), 14),
        "AAAAAAAAAARRRR"
    );
    assert_eq!(run(&mut Throttle::new(), ms(7), ms(0), 12), "AAAAAAAAAARR");
}

#[test]
fn a_gap_of_2350_ms_ends_a_run_and_one_millisecond_less_does_not() {
    assert_eq!(
        run(&mut Throttle::new(), ms(0), ms(2350), 30),
        "A".repeat(30)
    );
    assert_eq!(
        run(&mut Throttle::new(), ms(0), ms(2349), 12),
        "AAAAAAAAAARR"
    );
}

#[test]
fn one_wide_gap_makes_the_burst_whole_again() {
    let mut throttle = Throttle::new();
    assert_eq!(run(&mut throttle, ms(0), ms(100), 10), "AAAAAAAAAA");
    assert_eq!(
        run(&mut throttle, ms(900 + 2350), ms(100), 11),
        "AAAAAAAAAAR"
    );
}

#[test]
fn a_refusal_ends_46_seconds_after_the_last_answer_however_often_one_asks() {
    let mut throttle = Throttle::new();
    assert_eq!(run(&mut throttle, ms(0), ms(0), 11), "AAAAAAAAAAR");
    assert_eq!(run(&mut throttle, ms(1_000), ms(15_000), 4), "RRRA");

    let mut throttle = Throttle::new();
    run(&mut throttle, ms(500), ms(0), 11);
    assert_eq!(throttle.judge(ms(46_499)), Outcome::Refused);
    assert_eq!(throttle.judge(ms(46_500)), Outcome::Answered);
}

#[test]
fn after_a_refusal_the_burst_is_whole() {
    let mut throttle = Throttle::new();
    run(&mut throttle, ms(0), ms(0), 20);
    assert_eq!(run(&mut throttle, ms(46_000), ms(10), 12), "AAAAAAAAAARR");
}

#[test]
fn asking_lengthens_a_refusal_if_told_so() {
    let mut throttle = Throttle::new().asking_lengthens(true);
    run(&mut throttle, ms(0), ms(0), 11);
    assert_eq!(throttle.judge(ms(45_999)), Outcome::Refused);
    assert_eq!(throttle.judge(ms(46_000)), Outcome::Refused);
    assert_eq!(throttle.judge(ms(46_000 + 45_999)), Outcome::Refused);
    assert_eq!(
        throttle.judge(ms(46_000 + 45_999 + 46_000)),
        Outcome::Answered
    );
}

#[test]
fn it_tells_what_is_left_of_a_refusal() {
    let mut throttle = Throttle::new();
    run(&mut throttle, ms(0), ms(0), 10);
    assert_eq!(throttle.refused_for(ms(0)), None);
    throttle.judge(ms(1_000));
    assert_eq!(throttle.refused_for(ms(1_000)), Some(ms(45_000)));
    assert_eq!(throttle.refused_for(ms(45_999)), Some(ms(1)));
    assert_eq!(throttle.refused_for(ms(46_000)), None);
    assert_eq!(throttle.refused_for(ms(90_000)), None);
}

#[test]
fn every_number_can_be_set() {
    let mut throttle = Throttle::new().burst(2).run_gap(ms(100)).refusal(ms(1_000));
    assert_eq!(run(&mut throttle, ms(0), ms(99), 4), "AARR");
    assert_eq!(throttle.judge(ms(1_098)), Outcome::Refused);
    assert_eq!(throttle.judge(ms(1_099)), Outcome::Answered);
    assert_eq!(
        run(
            &mut Throttle::new().burst(1).run_gap(ms(5)),
            ms(0),
            ms(5),
            4
        ),
        "AAAA"
    );
}

#[test]
fn a_burst_of_none_refuses_always_and_never_refuses_nothing() {
    let mut closed = Throttle::new().burst(0);
    assert_eq!(run(&mut closed, ms(0), ms(60_000), 5), "RRRRR");
    assert_eq!(
        run(&mut Throttle::never(), ms(0), ms(0), 100),
        "A".repeat(100)
    );
}

#[test]
fn a_refusal_for_ever_ends_with_a_reset_only() {
    let mut throttle = Throttle::new().refusal(Duration::MAX);
    run(&mut throttle, ms(1), ms(0), 11);
    assert_eq!(throttle.judge(Duration::MAX - ms(1)), Outcome::Refused);
    throttle.reset();
    assert_eq!(throttle.judge(ms(2)), Outcome::Answered);
}

#[test]
fn a_refusal_shorter_than_the_run_gap_still_refuses_one() {
    let mut throttle = Throttle::new().burst(1).run_gap(ms(1_000)).refusal(ms(10));
    assert_eq!(run(&mut throttle, ms(0), ms(500), 4), "ARAR");
}

#[test]
fn a_clock_that_steps_back_opens_nothing() {
    let mut throttle = Throttle::new().burst(1);
    assert_eq!(throttle.judge(ms(10_000)), Outcome::Answered);
    assert_eq!(throttle.judge(ms(1_000)), Outcome::Refused);
    assert_eq!(throttle.judge(ms(55_999)), Outcome::Refused);
    assert_eq!(throttle.judge(ms(56_000)), Outcome::Answered);
}
