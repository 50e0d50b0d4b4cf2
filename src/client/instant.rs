//! Instant answers through the gate.

use std::{future::poll_fn, pin::pin};

use bytes::Bytes;
use http::{Request, Response, header::CONTENT_TYPE};
use http_body::Body;
use tokio::time::Instant;
use tower_service::Service;

use super::DuckDuckGo;
use crate::{
    BoxError,
    layer::{Error, ResponseFuture, SearchBody, Throttled},
    page::{InstantAnswer, Page, PageKind},
    query::{InstantQuery, Query},
};

/// The most of an answer that is read, 1 MiB: the provider's were seen to have some 10 KiB.
const LIMIT: usize = 1 << 20;

impl<S, B, R> DuckDuckGo<S, B>
where
    S: Service<Request<B>, Response = Response<R>> + Clone,
    S::Error: Into<BoxError>,
    B: From<String>,
    R: Body<Data = Bytes>,
    R::Error: Into<BoxError>,
{
    /// Asks for an instant answer, which is no search. For most texts it is [blank](InstantAnswer::is_blank). Feature `json`.
    ///
    /// # Errors
    ///
    /// As for a [search](Self::search); `is_unrecognised` if the answer is not JSON.
    ///
    /// # Cancellation
    ///
    /// Dropping the future gives its place in the queue up, or drops the request.
    pub fn instant_answer<Q: Into<InstantQuery>>(
        &self,
        query: Q,
    ) -> impl Future<Output = Result<InstantAnswer, Error>> + use<Q, S, B, R> {
        let (client, query) = (self.clone(), query.into().or(&self.defaults));
        async move {
            let deadline = client.deadline();
            let request = query.into_request().map_err(Error::query)?;
            read(client.call(request, deadline)).await
        }
    }
}

/// The page, with an instant answer in place of the results that it does not have, if that is wanted and there is one.
pub(super) async fn fall_back<S, B, R>(
    client: DuckDuckGo<S, B>,
    query: Query,
    mut page: Page,
    deadline: Instant,
) -> Page
where
    S: Service<Request<B>, Response = Response<R>> + Clone,
    S::Error: Into<BoxError>,
    B: From<String>,
    R: Body<Data = Bytes>,
    R::Error: Into<BoxError>,
{
    let wanted = client.instant_fallback && page.zero_click.is_none();
    if wanted && page.kind == PageKind::NoResults && query.is_first() {
        // That nothing was found is true whatever becomes of this request.
        if let Ok(request) = InstantQuery::from(&query).into_request()
            && let Ok(answer) = read(client.call(request, deadline)).await
        {
            page.zero_click = answer.into_zero_click();
        }
    }
    page
}

async fn read<S, B, R>(sending: ResponseFuture<S, B, S::Future, R>) -> Result<InstantAnswer, Error>
where
    S: Service<Request<B>, Response = Response<R>> + Clone,
    S::Error: Into<BoxError>,
    R: Body<Data = Bytes>,
    R::Error: Into<BoxError>,
{
    let (head, body) = sending.await?.into_parts();
    let content_type = head.headers.get(CONTENT_TYPE);
    let is_html = content_type.is_some_and(|value| value.as_bytes().starts_with(b"text/html"));
    if head.extensions.get::<Throttled>().is_some() || is_html {
        // A challenge, as a rule, or some other page.
        let page = body.page().await?;
        return Err(Error::answer(format!("it is a page: {:?}", page.kind)));
    }
    if !head.status.is_success() {
        return Err(Error::answer(format!("its status is {}", head.status)));
    }
    let bytes = collect(body).await?;
    InstantAnswer::read(&bytes).map_err(Error::answer)
}

async fn collect<R>(body: SearchBody<R>) -> Result<Vec<u8>, Error>
where
    R: Body<Data = Bytes>,
    R::Error: Into<BoxError>,
{
    let mut body = pin!(body);
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let data = frame?.into_data().unwrap_or_default();
        if bytes.len() + data.len() > LIMIT {
            return Err(Error::answer(format!("it has over {LIMIT} bytes")));
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}
