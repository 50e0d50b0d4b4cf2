//! One search: which requests it is made of, and which of their errors is told.

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use tokio::time::Instant;
use tower_service::Service;

use super::DuckDuckGo;
use crate::{
    BoxError,
    gate::Refusal,
    layer::{Deadline, Error, ResponseFuture},
    page::Page,
    query::{Endpoint, Query},
};

pub(super) async fn search<S, B, R>(client: DuckDuckGo<S, B>, query: Query) -> Result<Page, Error>
where
    S: Service<Request<B>, Response = Response<R>> + Clone,
    S::Error: Into<BoxError>,
    B: From<String>,
    R: Body<Data = Bytes>,
    R::Error: Into<BoxError>,
{
    let deadline = client.deadline();
    let query = query.or(&client.defaults);
    let first = client.send(query.clone(), deadline)?;
    let page = match read(first).await {
        Err(first) if client.may_ask_lite(&query, &first) => {
            let second = client.send(query.clone().endpoint(Endpoint::Lite), deadline)?;
            read(second).await.map_err(|second| worse(first, second))
        }
        page => page,
    };
    #[cfg(feature = "json")]
    if let Ok(page) = page {
        return Ok(super::instant::fall_back(client, query, page, deadline).await);
    }
    page
}

async fn read<S, B, R>(sending: ResponseFuture<S, B, S::Future, R>) -> Result<Page, Error>
where
    S: Service<Request<B>, Response = Response<R>> + Clone,
    S::Error: Into<BoxError>,
    R: Body<Data = Bytes>,
    R::Error: Into<BoxError>,
{
    sending.await?.into_body().page().await
}

/// The error to tell when both pages have failed: that of the first, unless the second says when to come again.
pub(super) fn worse(first: Error, second: Error) -> Error {
    let backing_off = matches!(second.refusal(), Some(Refusal::BackingOff(_)));
    match second.is_throttled() || backing_off {
        true => second,
        false => first,
    }
}

impl<S, B> DuckDuckGo<S, B> {
    /// Whether what failed in this way is to be asked of the lite page.
    pub(super) fn may_ask_lite(&self, query: &Query, error: &Error) -> bool {
        let failed = error.is_unrecognised() || error.is_transport();
        self.lite_fallback && failed && query.is_for_html()
    }

    /// A request on its way. Nothing of the client is borrowed while it is.
    pub(super) fn send<R>(
        &self,
        query: Query,
        deadline: Instant,
    ) -> Result<ResponseFuture<S, B, S::Future, R>, Error>
    where
        S: Service<Request<B>, Response = Response<R>> + Clone,
        S::Error: Into<BoxError>,
        B: From<String>,
        R: Body<Data = Bytes>,
        R::Error: Into<BoxError>,
    {
        let request = query.into_request().map_err(Error::query)?;
        Ok(self.call(request, deadline))
    }

    pub(super) fn call<R>(
        &self,
        mut request: Request<B>,
        deadline: Instant,
    ) -> ResponseFuture<S, B, S::Future, R>
    where
        S: Service<Request<B>, Response = Response<R>> + Clone,
        S::Error: Into<BoxError>,
        R: Body<Data = Bytes>,
        R::Error: Into<BoxError>,
    {
        request.extensions_mut().insert(Deadline(deadline));
        self.service.clone().call(request)
    }
}
