//! `Retry-After`: how long a provider that throttles asks to be left alone, and what the gate makes of it.

mod support;

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header::RETRY_AFTER};
use http_body_util::Full;
use search_gate::{BACKOFF, Cause, LONGEST_BACKOFF, SearchGate, SearchGateLayer, Throttled};
use support::{
    INTERVAL,
    answer::{all, full, html_with, layer, page, through, times_throttled},
    service::{Probe, Req, request},
};
use tokio::{sync::oneshot, time::advance};
use tokio_test::{assert_pending, assert_ready, task};
use tower::{Layer, ServiceExt, service_fn};

const BUSY: StatusCode = StatusCode::SERVICE_UNAVAILABLE;

const THROTTLING: [StatusCode; 4] = [
    StatusCode::ACCEPTED,
    StatusCode::FORBIDDEN,
    StatusCode::TOO_MANY_REQUESTS,
    BUSY,
];

/// The values that name no time to come.
fn without_a_wait() -> Vec<String> {
    let now = SystemTime::now();
    let (hour, year) = (3600, 365 * 24 * 3600);
    let past = [0, hour, 10 * year].map(|ago| httpdate::fmt_http_date(now - seconds(ago)));
    let garbage = [
        "0", "00", "", " ", "soon", "-60", "+90", "90.5", "90s", "90, 90", "1e3", "٩٠",
    ];
    past.into_iter()
        .chain(garbage.map(str::to_owned))
        .chain(["Sun, 31 Feb 2999 08:49:37 GMT", "2999-01-01T00:00:00Z"].map(str::to_owned))
        .collect()
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn in_seconds(wait: u64) -> String {
    httpdate::fmt_http_date(SystemTime::now() + seconds(wait))
}

fn answer(status: StatusCode, retry_after: &str) -> Response<Full<Bytes>> {
    let mut answer = html_with(status, full(""));
    let value = HeaderValue::from_bytes(retry_after.as_bytes()).unwrap();
    answer.headers_mut().insert(RETRY_AFTER, value);
    answer
}

/// How long the gate backs off after this answer, which its mark tells as well.
async fn backoff_after(layer: &SearchGateLayer, answer: Response<Full<Bytes>>) -> Option<Duration> {
    let response = through(layer, answer).await;
    let throttled = response.extensions().get::<Throttled>();
    let backoff = throttled.map(Throttled::backoff);
    assert_eq!(layer.gate().backoff_left(), backoff);
    if let Some(throttled) = throttled {
        assert_eq!(throttled.cause(), Cause::Status(response.status()));
    }
    backoff
}

#[tokio::test(start_paused = true)]
async fn seconds_lengthen_the_back_off() {
    for status in THROTTLING {
        for wait in ["61", " 61 ", "0061"] {
            let backoff = backoff_after(&layer(), answer(status, wait)).await;
            assert_eq!(backoff, Some(seconds(61)), "{status} {wait:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_date_lengthens_the_back_off_until_then() {
    for status in THROTTLING {
        let backoff = backoff_after(&layer(), answer(status, &in_seconds(300))).await;
        // The clock on the wall runs on meanwhile, and the date has no fractions.
        assert!((seconds(290)..=seconds(300)).contains(&backoff.unwrap()));
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_shorter_than_the_gates_own_back_off_does_not_shorten_it() {
    for status in THROTTLING {
        for wait in ["1", "59", "60", &in_seconds(20)] {
            let backoff = backoff_after(&layer(), answer(status, wait)).await;
            assert_eq!(backoff, Some(BACKOFF), "{status} {wait:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_past_and_garbage_leave_a_throttle_status_its_usual_back_off() {
    for wait in without_a_wait() {
        let backoff = backoff_after(&layer(), answer(StatusCode::ACCEPTED, &wait)).await;
        assert_eq!(backoff, Some(BACKOFF), "{wait:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_503_is_a_throttle_only_with_a_time_to_come_again() {
    for wait in without_a_wait() {
        let layer = layer();
        assert_eq!(backoff_after(&layer, answer(BUSY, &wait)).await, None);
        assert_eq!(times_throttled(&layer), 0, "{wait:?}");
    }
    let layer = layer();
    let without = html_with(BUSY, full(""));
    assert_eq!(backoff_after(&layer, without).await, None);
}

#[tokio::test(start_paused = true)]
async fn with_other_statuses_it_says_nothing() {
    for status in [200, 301, 404, 418, 500, 502, 504] {
        let status = StatusCode::from_u16(status).unwrap();
        let backoff = backoff_after(&layer(), answer(status, "90")).await;
        assert_eq!(backoff, None, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn ten_years_and_what_no_integer_holds_are_capped() {
    let ten_years = 10 * 365 * 24 * 3600;
    for wait in [
        "901",
        &ten_years.to_string(),
        &in_seconds(ten_years),
        "18446744073709551615",
        "18446744073709551616",
        &"9".repeat(1000),
    ] {
        for status in [StatusCode::TOO_MANY_REQUESTS, BUSY] {
            let backoff = backoff_after(&layer(), answer(status, wait)).await;
            assert_eq!(backoff, Some(LONGEST_BACKOFF), "{wait:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_gate_whose_own_back_off_is_longer_than_the_cap_keeps_that() {
    let hours = |hours: u64| seconds(hours * 3600);
    let layer = SearchGateLayer::new(SearchGate::new(INTERVAL, hours(2)));
    let backoff = backoff_after(&layer, answer(BUSY, "901")).await;
    assert_eq!(backoff, Some(hours(2)));
}

#[tokio::test(start_paused = true)]
async fn the_answer_is_passed_on_as_it_came() {
    let content = page("tower").ads(1).to_html();
    let mut answer = answer(BUSY, "90");
    *answer.body_mut() = full(content.clone());
    let headers = answer.headers().clone();
    let response = through(&layer(), answer).await;
    assert_eq!((response.status(), response.headers()), (BUSY, &headers));
    let (bytes, _) = all(response.into_body()).await;
    assert!(bytes == content);
}

#[tokio::test(start_paused = true)]
async fn who_asks_meanwhile_is_told_what_is_left_of_it() {
    let layer = layer();
    through(&layer, answer(StatusCode::TOO_MANY_REQUESTS, "90")).await;
    advance(Duration::from_millis(20_500)).await;
    let refused = layer.layer(Probe::default()).oneshot(request()).await;
    let error = refused.unwrap_err();
    assert!(error.is_refused());
    assert_eq!(error.retry_after(), Some(seconds(70)), "rounded up");
    advance(Duration::from_millis(69_499)).await;
    assert!(layer.gate().backoff_left().is_some());
    advance(Duration::from_millis(1)).await;
    assert_eq!(layer.gate().backoff_left(), None);
    let client = layer.layer(Probe::default());
    client.oneshot(request()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn of_two_answers_of_one_round_the_longer_wish_counts_and_the_streak_grows_by_one() {
    for wishes in [["90", "300"], ["300", "90"], ["300", "soon"]] {
        let layer = layer();
        let mut sent: Vec<_> = wishes.map(|_| later(&layer)).into();
        for (_, response) in &mut sent {
            assert_pending!(response.poll());
            advance(INTERVAL).await;
            assert_pending!(response.poll());
        }
        for ((answered, response), wish) in sent.iter_mut().zip(wishes) {
            let answered = answered.take().unwrap();
            answered.send(answer(StatusCode::ACCEPTED, wish)).unwrap();
            assert_ready!(response.poll());
        }
        assert_eq!(
            layer.gate().backoff_left(),
            Some(seconds(300)),
            "{wishes:?}"
        );
        assert_eq!(layer.gate().snapshot().streak, 1);
        assert_eq!(times_throttled(&layer), 2);
    }
}

type Answered = oneshot::Sender<Response<Full<Bytes>>>;

/// A request that is answered when the test says so.
fn later(
    layer: &SearchGateLayer,
) -> (
    Option<Answered>,
    task::Spawn<impl Future<Output = ()> + use<>>,
) {
    let (answer, answered) = oneshot::channel();
    let answered = Arc::new(Mutex::new(Some(answered)));
    let client = service_fn(move |_: Req| {
        let answered = answered.lock().unwrap().take().expect("one is sent");
        async { Ok::<_, Infallible>(answered.await.unwrap()) }
    });
    let client = layer.layer(client);
    let sent = task::spawn(async { drop(client.oneshot(request()).await.unwrap()) });
    (Some(answer), sent)
}
