//! One request: read, judged, logged, answered.

use super::body::{Delivery, PageBody};
use super::clients::Clients;
use super::log::{Log, field};
use super::request::{Rejection, Search, Target, read};
use super::{Entry, Outcome, ResultPage, StandInBuilder, Throttle, challenge_page, gzip};
use crate::query::Endpoint;
use http::header::{self, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// What the handle and the connections share.
#[derive(Debug)]
pub(super) struct Shared {
    settings: StandInBuilder,
    started: Instant,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) log: Log,
    pub(super) clients: Clients,
    /// How many of the next searches are refused whatever the throttle says.
    pub(super) refuse_next: u32,
}

impl State {
    fn judge(&mut self, client: IpAddr, throttle: &Throttle, now: Duration) -> Outcome {
        match self.refuse_next.checked_sub(1) {
            Some(left) => {
                self.refuse_next = left;
                Outcome::Refused
            }
            None => self.clients.judge(client, throttle, now),
        }
    }

    pub(super) fn reset(&mut self) {
        self.clients.forget();
        self.refuse_next = 0;
    }
}

impl Shared {
    pub(super) fn new(settings: StandInBuilder) -> Self {
        Self {
            settings,
            started: Instant::now(),
            state: Mutex::default(),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn scaled(&self, duration: Duration) -> Duration {
        times(duration, self.settings.time_scale)
    }

    /// Real time since the start, and the provider's.
    fn now(&self) -> (Duration, Duration) {
        let real = self.started.elapsed();
        (real, times(real, self.settings.time_scale.recip()))
    }

    pub(super) fn refused_for(&self, client: IpAddr) -> Option<Duration> {
        self.state().clients.refused_for(client, self.now().1)
    }

    /// Judges and logs a request. Under one lock, so that the log is in the order of the verdicts and of time.
    fn arrive(
        &self,
        client: IpAddr,
        parts: &Parts,
        search: &Result<Search, Rejection>,
    ) -> (Outcome, StatusCode) {
        let mut state = self.state();
        let (real_at, at) = self.now();
        let (outcome, status) = match search {
            Err((status, _)) => (Outcome::Rejected, *status),
            Ok(_) => match state.judge(client, &self.settings.throttle, at) {
                Outcome::Refused => (Outcome::Refused, self.settings.refusal_status_code()),
                outcome => (outcome, StatusCode::OK),
            },
        };
        state.log.push(Entry {
            at,
            real_at,
            client,
            method: parts.method.clone(),
            path: parts.uri.path().to_owned(),
            headers: parts.headers.clone(),
            form: search
                .as_ref()
                .map_or_else(|_| Vec::new(), |search| search.form.clone()),
            outcome,
            status,
        });
        (outcome, status)
    }

    fn result_page(&self, endpoint: Endpoint, search: &Search, method: &Method) -> ResultPage {
        let settings = &self.settings;
        let asked = |name| field(&search.form, name).unwrap_or_default();
        let start: usize = asked("s").parse().unwrap_or(0);
        let page_number = start
            .checked_div(settings.results)
            .unwrap_or(0)
            .saturating_add(1);
        let page = ResultPage::new(asked("q"))
            .endpoint(endpoint)
            .results(if page_number > settings.pages {
                0
            } else {
                settings.results
            })
            .ads(settings.ads)
            .wrapped(*method == Method::GET)
            .start(start)
            .next_page(page_number < settings.pages)
            .region(asked("kl"))
            .time(asked("df"));
        match &settings.page {
            Some(change) => change(page),
            None => page,
        }
    }
}

const HTML: &str = "text/html; charset=UTF-8";

fn times(duration: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

/// Reads, judges, logs and answers a request.
pub(super) async fn answer(
    shared: Arc<Shared>,
    client: IpAddr,
    request: Request<Incoming>,
) -> Result<Response<PageBody>, Infallible> {
    let (parts, body) = request.into_parts();
    let search = read(&parts, body).await;
    let (outcome, status) = shared.arrive(client, &parts, &search);
    let search = match search {
        Ok(search) => search,
        Err((status, message)) => return Ok(rejection(status, message)),
    };
    if !shared.settings.latency.is_zero() {
        sleep(shared.scaled(shared.settings.latency)).await;
    }
    let query = field(&search.form, "q").unwrap_or_default();
    let (content_type, page) = match (search.target, outcome) {
        (Target::Page(endpoint), Outcome::Refused) => (HTML, challenge_page(endpoint, query)),
        (Target::Page(endpoint), _) => {
            let page = shared.result_page(endpoint, &search, &parts.method);
            (HTML, page.to_html())
        }
        #[cfg(feature = "json")]
        (Target::Instant, Outcome::Refused) => (HTML, challenge_page(Endpoint::Html, query)),
        #[cfg(feature = "json")]
        (Target::Instant, _) => {
            let text = shared
                .settings
                .instant
                .as_ref()
                .and_then(|text| text(query));
            (
                super::instant::CONTENT_TYPE,
                super::instant::answer(query, text),
            )
        }
    };
    let mut delivery = shared.settings.delivery;
    delivery.chunks = delivery
        .chunks
        .map(|(length, pause)| (length, shared.scaled(pause)));
    let gzip = gzip::is_accepted(&parts.headers);
    let body = PageBody::new(page, delivery);
    let mut response = Response::new(if gzip { body.gzipped() } else { body });
    *response.status_mut() = status;
    let headers = response.headers_mut();
    if gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    for (name, value) in [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, "max-age=1"),
        (header::VARY, "Accept-Encoding"),
        (header::REFERRER_POLICY, "origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Some(delay) = shared
        .settings
        .retry_after
        .filter(|_| outcome == Outcome::Refused)
    {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(delay.as_secs()));
    }
    Ok(response)
}

fn rejection(status: StatusCode, message: &'static str) -> Response<PageBody> {
    let mut response = Response::new(PageBody::new(message, Delivery::default()));
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    if status == StatusCode::METHOD_NOT_ALLOWED {
        response
            .headers_mut()
            .insert(header::ALLOW, HeaderValue::from_static("GET, POST"));
    }
    response
}
