//! What is told to `tracing` and to `metrics`.

mod support;

use std::{
    collections::BTreeMap,
    fmt::Debug,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::Full;
use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use search_gate::{
    BACKOFF, Query, SearchGate, SearchGateLayer, Verdict,
    testing::{ResultPage, challenge_page},
};
use support::{
    answer::{html, html_with, through_for},
    far,
};
use tracing::{Event, Level, Subscriber, field::Visit};
use tracing_subscriber::{Layer, layer::Context, prelude::*};

/// Events as lines: the level, the message, the fields.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<(Level, BTreeMap<&'static str, String>)>>>);

impl<S: Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let entry = (*event.metadata().level(), fields.0);
        self.0.lock().unwrap().push(entry);
    }
}

#[derive(Debug, Default)]
struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl Log {
    fn at(&self, level: Level) -> Vec<BTreeMap<&'static str, String>> {
        let log = self.0.lock().unwrap();
        let events = log.iter().filter(|(at, _)| *at == level);
        events.map(|(_, fields)| fields.clone()).collect()
    }
}

/// Runs `work` under a paused clock, and gives what it told.
fn told<F: Future>(work: impl FnOnce() -> F) -> (Log, BTreeMap<String, DebugValue>) {
    let log = Log::default();
    let recorder = DebuggingRecorder::new();
    let counted = recorder.snapshotter();
    let subscriber = tracing_subscriber::registry().with(log.clone());
    tracing::subscriber::with_default(subscriber, || {
        metrics::with_local_recorder(&recorder, || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .start_paused(true)
                .build()
                .unwrap();
            runtime.block_on(work());
        });
    });
    let counted = counted.snapshot().into_vec().into_iter();
    let counted = counted.map(|(key, _, _, value)| {
        let key = key.key();
        let labels = key
            .labels()
            .map(|label| format!("{}={}", label.key(), label.value()));
        let labels: Vec<_> = labels.collect();
        (format!("{}{{{}}}", key.name(), labels.join(",")), value)
    });
    (log, counted.collect())
}

fn gate() -> SearchGate {
    SearchGate::builder().name("tests").build().unwrap()
}

fn secret() -> Request<Full<Bytes>> {
    Query::new("a secret query").into_request().unwrap()
}

fn page() -> String {
    ResultPage::new("a secret query")
        .results(3)
        .ads(2)
        .to_html()
}

#[test]
fn a_back_off_is_warned_of_once_however_many_requests_it_throttled() {
    let (log, counted) = told(|| async {
        let gate = gate();
        let turns = [
            gate.turn(far()).await.unwrap(),
            gate.turn(far()).await.unwrap(),
        ];
        for turn in turns {
            turn.settle(Verdict::Throttled { retry_after: None });
        }
        gate.throttled();
    });
    let warnings = log.at(Level::WARN);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(warnings[0]["cause"], "\"told\"");
    assert_eq!(warnings[0]["streak"], "1");
    assert_eq!(warnings[0]["backoff"], format!("{BACKOFF:?}"));
    assert_eq!(
        counted["search_gate_throttled_total{gate=tests,cause=told}"],
        DebugValue::Counter(3)
    );
    assert_eq!(
        counted["search_gate_backing_off{gate=tests}"],
        DebugValue::Gauge(1.0.into())
    );
}

#[test]
fn a_back_off_is_shown_no_more_when_it_is_over() {
    let (_, counted) = told(|| async {
        let gate = gate();
        gate.throttled();
        gate.reset();
    });
    assert_eq!(
        counted["search_gate_backing_off{gate=tests}"],
        DebugValue::Gauge(0.0.into())
    );
}

#[test]
#[cfg(feature = "file")]
fn of_a_shared_gate_it_is_told_what_its_store_shows() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.gate");
    let (_, counted) = told(|| async {
        let gate = || SearchGate::builder().name("tests").shared_file_at(&file);
        let [one, other] = [gate(), gate()].map(|gate| gate.build().unwrap());
        one.throttled();
        one.reset();
        other.throttled();
        one.take_turn(far()).await.unwrap_err();
    });
    assert_eq!(
        counted["search_gate_backing_off{gate=tests}"],
        DebugValue::Gauge(1.0.into())
    );
}

#[test]
fn a_throttled_answer_is_told_with_its_cause() {
    let (log, counted) = told(|| async {
        let layer = SearchGateLayer::new(gate());
        let answer = html_with(StatusCode::ACCEPTED, Full::new(Bytes::new()));
        let _ = through_for(&layer, secret(), answer).await;
        layer.gate().reset();
        let challenge = challenge_page(search_gate::Endpoint::Html, "a secret query");
        let answer = html(Full::new(Bytes::from(challenge)));
        let answer = through_for(&layer, secret(), answer).await;
        answer.into_body().page().await.unwrap_err();
    });
    let warnings = log.at(Level::WARN);
    assert_eq!(warnings[0]["cause"], "\"status\"");
    assert_eq!(warnings[0]["http.response.status_code"], "202");
    assert_eq!(warnings[1]["cause"], "\"challenge\"");
    assert!(!warnings[1].contains_key("http.response.status_code"));
    for cause in ["status", "challenge"] {
        let throttled = format!("search_gate_throttled_total{{gate=tests,cause={cause}}}");
        assert_eq!(counted[&throttled], DebugValue::Counter(1));
    }
    assert_eq!(
        counted["search_gate_pages_total{kind=challenge}"],
        DebugValue::Counter(1)
    );
}

#[test]
fn every_turn_that_was_asked_for_is_counted_by_how_that_ended() {
    let (_, counted) = told(|| async {
        let gate = SearchGate::builder()
            .name("tests")
            .max_queued(1)
            .build()
            .unwrap();
        gate.take_turn(far()).await.unwrap();
        gate.take_turn(tokio::time::Instant::now())
            .await
            .unwrap_err();
        let mut waits = tokio_test::task::spawn(gate.take_turn(far()));
        assert!(waits.poll().is_pending());
        gate.take_turn(far()).await.unwrap_err();
        drop(waits);
        gate.take_turn(far()).await.unwrap();
        gate.throttled();
        gate.take_turn(far()).await.unwrap_err();
    });
    for (result, times) in [
        ("granted", 2),
        ("past_deadline", 1),
        ("queue_full", 1),
        ("cancelled", 1),
        ("backing_off", 1),
    ] {
        let turns = format!("search_gate_turns_total{{gate=tests,result={result}}}");
        assert_eq!(counted[&turns], DebugValue::Counter(times), "{result}");
    }
    let DebugValue::Histogram(waits) =
        &counted["search_gate_wait_duration_seconds{gate=tests,result=granted}"]
    else {
        panic!("waits are a histogram");
    };
    let waits: Vec<f64> = waits.iter().map(|wait| wait.into_inner()).collect();
    assert_eq!(waits, [0.0, 2.5]);
    assert_eq!(
        counted["search_gate_queue_length{gate=tests}"],
        DebugValue::Gauge(0.0.into())
    );
}

#[test]
fn a_page_is_told_when_it_has_been_read_and_not_when_it_breaks_off() {
    let (log, counted) = told(|| async {
        let layer = SearchGateLayer::new(gate());
        let answer = html(Full::new(Bytes::from(page())));
        let answer = through_for(&layer, secret(), answer).await;
        assert_eq!(answer.into_body().page().await.unwrap().results.len(), 3);
        let answer = html(Full::new(Bytes::from(page())));
        let dropped = through_for(&layer, secret(), answer).await;
        drop(dropped.into_body());
    });
    let pages = log.at(Level::DEBUG);
    assert_eq!(pages.len(), 1, "{pages:?}");
    assert_eq!(pages[0]["results"], "3");
    assert_eq!(pages[0]["ads_dropped"], "2");
    assert_eq!(
        counted["search_gate_pages_total{kind=results}"],
        DebugValue::Counter(1)
    );
    assert_eq!(
        counted["search_gate_ads_dropped_total{}"],
        DebugValue::Counter(2)
    );
}

#[test]
fn the_query_is_never_told() {
    let (log, counted) = told(|| async {
        let layer = SearchGateLayer::new(gate());
        for status in [StatusCode::OK, StatusCode::ACCEPTED] {
            let answer = html_with(status, Full::new(Bytes::from(page())));
            let answer = through_for(&layer, secret(), answer).await;
            let _ = answer.into_body().page().await;
            tokio::time::sleep(Duration::from_secs(120)).await;
        }
    });
    assert!(!log.0.lock().unwrap().is_empty());
    let everything = format!("{log:?} {counted:?}");
    assert!(!everything.contains("secret"), "{everything}");
}
