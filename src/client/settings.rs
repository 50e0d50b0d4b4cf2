//! What can be set on a client.

use std::time::Duration;

use tower_layer::Layer;

use super::DuckDuckGo;
use crate::{gate::SearchGate, layer::SearchGateLayer, query::SafeSearch};

impl<S, B> DuckDuckGo<S, B> {
    /// The gate that gives the turns. Default: [`SearchGate::duckduckgo`], the one of the whole process.
    pub fn gate(self, gate: SearchGate) -> Self {
        self.layer(&SearchGateLayer::new(gate))
    }

    /// The layer in front of the HTTP client, for who wants another request limit or other signs of throttling. Its budget does not matter.
    /// Default: [`SearchGateLayer::duckduckgo`].
    pub fn layer(mut self, layer: &SearchGateLayer) -> Self {
        self.service = layer.layer(self.service.into_inner());
        self
    }

    /// How long a search may take, its waits and all its requests included, from the first poll of its future.
    /// Default: [`SEARCH_DEADLINE`](crate::SEARCH_DEADLINE). A search whose turn would come later is refused at once,
    /// and with none at all every search.
    ///
    /// For one search of many: `ddg.clone().budget(…).search(…)`.
    pub fn budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Asks a server of your own instead of the provider: see [`Query::base_url`](crate::Query::base_url).
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.defaults = self.defaults.base_url(url);
        self
    }

    /// Names the program that asks: see [`Query::user_agent`](crate::Query::user_agent).
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.defaults = self.defaults.user_agent(name);
        self
    }

    /// The region of queries that name none: see [`Query::region`](crate::Query::region).
    pub fn region(mut self, code: impl AsRef<str>) -> Self {
        self.defaults = self.defaults.region(code);
        self
    }

    /// How much is left out for queries that do not say it: see [`Query::safe_search`](crate::Query::safe_search).
    pub fn safe_search(mut self, level: SafeSearch) -> Self {
        self.defaults = self.defaults.safe_search(level);
        self
    }

    /// Whether the lite page is asked when the html page is none that this crate knows or fails on its way. Default: yes.
    pub fn lite_fallback(mut self, on: bool) -> Self {
        self.lite_fallback = on;
        self
    }

    /// Whether an instant answer is asked for when a search has found nothing. It becomes the page's
    /// [`zero_click`](crate::Page::zero_click). Default: no. If this request fails, the page is given as it is. Feature `json`.
    #[cfg(feature = "json")]
    pub fn instant_fallback(mut self, on: bool) -> Self {
        self.instant_fallback = on;
        self
    }
}
