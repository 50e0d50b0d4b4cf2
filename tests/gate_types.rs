//! What the gate's types are good for besides pacing: they cross threads, can be shown, and say what is wrong with a setting.

mod support;

use std::{error::Error, fmt::Debug, time::Duration};

use search_gate::{
    BACKOFF, BuildError, LONGEST_BACKOFF, MIN_INTERVAL, Refusal, SEARCH_DEADLINE, SearchGate,
    SearchGateBuilder, Snapshot, Turn, Verdict,
};
use support::{INTERVAL, caller, far, gate, within};
use tokio::time::sleep;
use tokio_test::{assert_pending, assert_ready_err};

fn shareable<T: Send + Sync + Unpin + Debug + 'static>() {}
fn copied<T: Copy + Eq>() {}
fn cloned<T: Clone>() {}
fn failure<T: Error + Clone + Eq>() {}

#[test]
fn every_type_crosses_threads_and_can_be_shown() {
    shareable::<SearchGate>();
    shareable::<SearchGateBuilder>();
    shareable::<BuildError>();
    shareable::<Refusal>();
    shareable::<Snapshot>();
    shareable::<Turn>();
    shareable::<Verdict>();
    copied::<Refusal>();
    copied::<Verdict>();
    cloned::<SearchGate>();
    cloned::<SearchGateBuilder>();
    cloned::<Snapshot>();
    failure::<Refusal>();
    failure::<BuildError>();
}

#[test]
fn the_futures_cross_threads_and_borrow_only_the_gate() {
    fn crosses<F: Future + Send + Sync>(_: &F) {}
    fn owned<F: Future + Send + 'static>(_: &F) {}
    let gate = gate();
    crosses(&gate.take_turn(far()));
    crosses(&gate.turn(far()));
    owned(&async move { gate.take_turn(far()).await });
}

#[test]
fn the_numbers_are_those_that_were_measured() {
    assert_eq!(MIN_INTERVAL, Duration::from_millis(2500));
    assert_eq!(BACKOFF, Duration::from_secs(60));
    assert_eq!(SEARCH_DEADLINE, Duration::from_secs(60));
    assert_eq!(LONGEST_BACKOFF, Duration::from_secs(15 * 60));
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_tells_who_waits_what_comes_next_and_what_became_of_everyone() {
    let gate = gate();
    let fresh = gate.snapshot();
    assert_eq!(fresh.interval, INTERVAL);
    assert_eq!(fresh.queued, 0);
    assert_eq!(fresh.next_turn, Duration::ZERO);
    assert_eq!(fresh.backoff_left, None);

    gate.take_turn(far()).await.unwrap();
    let mut waiting = [(); 3].map(|()| caller(&gate, far()));
    for waiter in &mut waiting {
        assert_pending!(waiter.poll());
    }
    assert_ready_err!(caller(&gate, within(INTERVAL)).poll());
    sleep(INTERVAL / 2).await;
    let busy = gate.snapshot();
    assert_eq!(busy.queued, 3);
    assert_eq!(busy.next_turn, INTERVAL * 7 / 2);
    assert_eq!(
        (busy.counts.granted, busy.counts.refused_past_deadline),
        (1, 1)
    );

    let [gives_up, mut refused, mut refused_too] = waiting;
    drop(gives_up);
    gate.throttled();
    assert_ready_err!(refused.poll());
    assert_ready_err!(refused_too.poll());
    sleep(BACKOFF / 4).await;
    let closed = gate.snapshot();
    assert_eq!(closed.queued, 0);
    assert_eq!(closed.backoff_left, Some(BACKOFF * 3 / 4));
    assert_eq!(closed.next_turn, BACKOFF * 3 / 4);
    assert_eq!(closed.counts.cancelled, 1);
    assert_eq!(closed.counts.refused_backing_off, 2);
    assert_eq!(closed.counts.throttled, 1);
    assert_eq!(
        (closed.counts.granted, closed.counts.refused_past_deadline),
        (1, 1)
    );
}

#[tokio::test(start_paused = true)]
async fn a_gate_shows_its_state() {
    let gate = gate();
    gate.throttled();
    let shown = format!("{gate:?}");
    assert!(shown.starts_with("SearchGate"), "{shown}");
    assert!(shown.contains("backoff_left: Some(60s)"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn a_builder_starts_from_the_measured_numbers() {
    let gate = SearchGate::builder().build().unwrap();
    assert_eq!(gate.snapshot().interval, MIN_INTERVAL);
    gate.throttled();
    assert_eq!(gate.backoff_left(), Some(BACKOFF));
}

#[tokio::test(start_paused = true)]
async fn a_builder_takes_its_settings_to_the_gate() {
    let gate = SearchGate::builder()
        .interval(INTERVAL)
        .backoff(BACKOFF * 3)
        .build()
        .unwrap();
    assert_eq!(gate.snapshot().interval, INTERVAL);
    gate.throttled();
    assert_eq!(gate.backoff_left(), Some(BACKOFF * 3));
}

#[test]
fn a_builder_refuses_what_cannot_be_meant_and_says_what_to_set() {
    let day = Duration::from_secs(24 * 3600);
    let over = day + Duration::from_nanos(1);
    let error = |builder: SearchGateBuilder| builder.build().unwrap_err().to_string();

    let interval = error(SearchGate::builder().interval(over));
    assert!(
        interval.contains("interval") && interval.contains("24 hours"),
        "{interval}"
    );
    let backoff = error(SearchGate::builder().backoff(Duration::MAX));
    assert!(
        backoff.contains("backoff") && backoff.contains("24 hours"),
        "{backoff}"
    );
    let zero = error(SearchGate::builder().backoff(Duration::ZERO));
    assert!(zero.contains("backoff") && zero.contains("zero"), "{zero}");

    assert!(
        SearchGate::builder()
            .interval(day)
            .backoff(day)
            .build()
            .is_ok()
    );
    assert!(
        SearchGate::builder()
            .interval(Duration::ZERO)
            .build()
            .is_ok()
    );
}

#[test]
fn errors_of_a_builder_are_equal_when_they_say_the_same() {
    let error = |builder: SearchGateBuilder| builder.build().unwrap_err();
    let no_burst = || error(SearchGate::builder().burst(0));
    assert_eq!(no_burst(), no_burst());
    assert_ne!(no_burst(), error(SearchGate::builder().max_in_flight(0)));
}

#[test]
fn a_refusal_says_when_to_come_again_rounded_up_and_never_zero() {
    let message = |left| Refusal::BackingOff(left).to_string();
    assert!(message(Duration::ZERO).ends_with("try again in 1 s"));
    assert!(message(Duration::from_nanos(1)).ends_with("try again in 1 s"));
    assert!(message(Duration::from_secs(1)).ends_with("try again in 1 s"));
    assert!(message(Duration::from_millis(1_001)).ends_with("try again in 2 s"));
    assert!(message(Duration::from_millis(59_999)).ends_with("try again in 60 s"));
    assert!(Refusal::PastDeadline.to_string().contains("deadline"));
    let _ = Refusal::BackingOff(Duration::MAX).to_string();
}
