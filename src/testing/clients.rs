//! The throttle of each client address.

use super::{Outcome, Throttle};
use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

/// Client addresses that are remembered. When there are more, those at rest are forgotten, then the one that was answered longest ago.
const MAX_CLIENTS: usize = 1024;

/// A throttle for each client address that asked lately.
#[derive(Debug, Default)]
pub(super) struct Clients(HashMap<IpAddr, Throttle>);

impl Clients {
    /// Judges a request from `client` by its throttle, or by `new` if it has none yet.
    pub(super) fn judge(&mut self, client: IpAddr, new: &Throttle, now: Duration) -> Outcome {
        if !self.0.contains_key(&client) {
            self.make_room(now);
        }
        self.0
            .entry(client)
            .or_insert_with(|| new.clone())
            .judge(now)
    }

    pub(super) fn refused_for(&self, client: IpAddr, now: Duration) -> Option<Duration> {
        self.0.get(&client)?.refused_for(now)
    }

    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    fn make_room(&mut self, now: Duration) {
        if self.0.len() < MAX_CLIENTS {
            return;
        }
        self.0.retain(|_, throttle| !throttle.is_at_rest(now));
        if self.0.len() < MAX_CLIENTS {
            return;
        }
        let oldest = self
            .0
            .iter()
            .min_by_key(|(_, throttle)| throttle.last_answer())
            .map(|(client, _)| *client);
        if let Some(oldest) = oldest {
            self.0.remove(&oldest);
        }
    }
}
