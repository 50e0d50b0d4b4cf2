//! The API: what is asked of it, and what it answers.

use std::{collections::HashMap, convert::Infallible, pin::Pin};

use axum::{
    Json, Router,
    extract::{Query, State},
    http::StatusCode,
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
    routing::get,
};
use futures_util::{Stream, StreamExt};
use search_gate::{DuckDuckGo, Error, HttpClient, SearchGate, SearchResult};
use serde_json::{Value, json};

type Ddg = DuckDuckGo<HttpClient>;
type Params = Query<HashMap<String, String>>;

pub(super) fn app(ddg: Ddg, gate: SearchGate) -> Router {
    Router::new()
        .route("/search", get(search))
        .route("/stream", get(stream))
        .with_state(ddg)
        .route("/gate", get(|| async move { Json(snapshot(&gate)) }))
}

/// When the caller goes away, axum drops this, and its place in the queue is free.
async fn search(State(ddg): State<Ddg>, Query(params): Params) -> Result<Json<Value>, Failure> {
    let limit = params.get("limit").and_then(|limit| limit.parse().ok());
    let page = ddg.search(text(&params)).await.map_err(Failure)?;
    let results = page.results.iter().take(limit.unwrap_or(usize::MAX));
    let results: Vec<_> = results.map(result).collect();
    Ok(Json(
        json!({"results": results, "ads_left_out": page.ads_dropped}),
    ))
}

/// The head waits for the first result, so that a refusal has a status of its own.
async fn stream(
    State(ddg): State<Ddg>,
    Query(params): Params,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failure> {
    let mut results = ddg.results(text(&params)).peekable();
    if let Some(Err(error)) = Pin::new(&mut results).next_if(Result::is_err).await {
        return Err(Failure(error));
    }
    let events = results.map(|result| {
        Ok(match result {
            Ok(found) => Event::default()
                .event("result")
                .data(self::result(&found).to_string()),
            Err(error) => Event::default().event("error").data(error.to_string()),
        })
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

fn text(params: &HashMap<String, String>) -> String {
    params.get("q").cloned().unwrap_or_default()
}

fn result(result: &SearchResult) -> Value {
    json!({"title": result.title, "url": result.url, "snippet": result.snippet})
}

fn snapshot(gate: &SearchGate) -> Value {
    let snapshot = gate.snapshot();
    json!({
        "queued": snapshot.queued,
        "next_turn_in": snapshot.next_turn.as_secs_f64(),
        "backing_off_for": snapshot.backoff_left.map(|left| left.as_secs_f64()),
        "granted": snapshot.counts.granted,
        "throttled": snapshot.counts.throttled,
    })
}

struct Failure(Error);

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let Self(error) = self;
        let status = if error.is_refused() || error.is_throttled() {
            StatusCode::TOO_MANY_REQUESTS
        } else if error.is_query() {
            StatusCode::BAD_REQUEST
        } else if error.is_timeout() {
            StatusCode::GATEWAY_TIMEOUT
        } else {
            StatusCode::BAD_GATEWAY
        };
        let body = Json(json!({"error": format!("{error:#}")}));
        match error.retry_after() {
            Some(wait) => {
                (status, [("retry-after", wait.as_secs().to_string())], body).into_response()
            }
            None => (status, body).into_response(),
        }
    }
}
