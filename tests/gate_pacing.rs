use search_gate::{BACKOFF, Refusal, SearchGate};
use std::time::Duration;
use tokio::time::Instant;

fn far() -> Instant {
    Instant::now() + Duration::from_secs(3600)
}

#[tokio::test(start_paused = true)]
async fn a_burst_starts_one_interval_apart_in_order() {
    let gate = SearchGate::new(Duration::from_secs(2), BACKOFF);
    let start = Instant::now();
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let gate = gate.clone();
            tokio::spawn(async move {
                gate.take_turn(far()).await.unwrap();
                start.elapsed()
            })
        })
        .collect();
    for (i, t) in tasks.into_iter().enumerate() {
        assert_eq!(t.await.unwrap(), Duration::from_secs(2 * i as u64));
    }
}

#[tokio::test(start_paused = true)]
async fn queued_callers_are_refused_when_a_back_off_begins() {
    let gate = SearchGate::new(Duration::from_secs(2), BACKOFF);
    let start = Instant::now();
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let gate = gate.clone();
            tokio::spawn(async move { (gate.take_turn(far()).await, start.elapsed()) })
        })
        .collect();
    tokio::time::sleep(Duration::from_secs(3)).await;
    gate.throttled();
    let mut n = 0;
    for t in tasks {
        let (r, at) = t.await.unwrap();
        if let Err(r) = r {
            n += 1;
            assert_eq!(r, Refusal::BackingOff(BACKOFF));
            assert_eq!(at, Duration::from_secs(3));
        }
    }
    assert_eq!(n, 18);
    tokio::time::sleep(BACKOFF).await;
    let t = Instant::now();
    gate.take_turn(far()).await.unwrap();
    assert_eq!(t.elapsed(), Duration::ZERO);
}
