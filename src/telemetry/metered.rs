use std::time::Duration;

use metrics::{
    SharedString, Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge,
    histogram,
};

use super::{Cause, Ended};

const TURNS: &str = "search_gate_turns_total";
const WAIT: &str = "search_gate_wait_duration_seconds";
const QUEUE: &str = "search_gate_queue_length";
const THROTTLED: &str = "search_gate_throttled_total";
const BACKING_OFF: &str = "search_gate_backing_off";
const PAGES: &str = "search_gate_pages_total";
const ADS: &str = "search_gate_ads_dropped_total";

/// Tells the installed recorder what each metric of this crate is. Call it once, when the recorder has been installed.
/// Feature `metrics`.
///
/// | metric | kind | labels |
/// |---|---|---|
/// | `search_gate_turns_total` | counter | `gate`, `result`: granted, backing_off, past_deadline, queue_full, unreachable, cancelled |
/// | `search_gate_wait_duration_seconds` | histogram | `gate`, `result` |
/// | `search_gate_queue_length` | gauge | `gate` |
/// | `search_gate_throttled_total` | counter | `gate`, `cause`: status, challenge, grpc, told |
/// | `search_gate_backing_off` | gauge, 0 or 1, as of the gate's last change | `gate` |
/// | `search_gate_pages_total` | counter | `kind`: results, no_results, challenge, unrecognised |
/// | `search_gate_ads_dropped_total` | counter | |
///
/// `gate` is the [name](crate::SearchGateBuilder::name) of the gate. Waits last from nothing to a search's budget, so buckets from 0.1 s to 120 s fit.
pub fn describe_metrics() {
    describe_counter!(TURNS, "turns that were asked for, by how that ended");
    describe_histogram!(WAIT, Unit::Seconds, "how long callers waited for a turn");
    describe_gauge!(QUEUE, "callers that wait for a turn");
    describe_counter!(THROTTLED, "requests that the provider throttled");
    describe_gauge!(BACKING_OFF, "whether the gate backs off");
    describe_counter!(PAGES, "pages that were read, by what they were");
    describe_counter!(ADS, "ads that were left out");
}

pub(super) fn turn(gate: &str, how: Ended, wait: Duration) {
    let (gate, result) = (name(gate), how.name());
    counter!(TURNS, "gate" => gate.clone(), "result" => result).increment(1);
    histogram!(WAIT, "gate" => gate, "result" => result).record(wait);
}

pub(super) fn throttled(gate: &str, cause: Cause) {
    counter!(THROTTLED, "gate" => name(gate), "cause" => cause.name).increment(1);
}

pub(super) fn changed(gate: &str, queued: usize, closed: bool) {
    let gate = name(gate);
    #[expect(clippy::cast_precision_loss, reason = "a queue is far shorter")]
    gauge!(QUEUE, "gate" => gate.clone()).set(queued as f64);
    gauge!(BACKING_OFF, "gate" => gate).set(f64::from(u8::from(closed)));
}

pub(super) fn page(kind: &'static str, ads_dropped: usize) {
    counter!(PAGES, "kind" => kind).increment(1);
    counter!(ADS).increment(ads_dropped as u64);
}

fn name(gate: &str) -> SharedString {
    SharedString::from(gate.to_owned())
}
