//! Where a gate is kept.

use std::{
    fs,
    path::{Path, PathBuf},
};

use redis::{Client, aio::MultiplexedConnection};
use search_gate::{SearchGate, SearchGateBuilder};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

/// Where a gate is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Store {
    /// In each process by itself.
    Apart,
    File(PathBuf),
    Redis {
        url: String,
        key: String,
    },
}

impl Store {
    /// The gate that is set so, for this process.
    pub(super) async fn gate(&self, builder: SearchGateBuilder) -> SearchGate {
        let builder = match self {
            Self::Apart => builder,
            Self::File(path) => builder.shared_file_at(path),
            Self::Redis { url, key } => builder.shared_redis(connect(url).await, key),
        };
        builder.build().expect("the settings are sound")
    }
}

pub(super) async fn connect(url: &str) -> MultiplexedConnection {
    let client = Client::open(url).expect("the server's address is sound");
    let connection = client.get_multiplexed_async_connection().await;
    connection.expect("the server listens")
}

/// A folder that is gone when it is dropped.
#[derive(Debug)]
pub(super) struct Folder(TempDir);

impl Folder {
    pub(super) fn new() -> Self {
        Self(TempDir::new().expect("a folder for the gates"))
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name).with_extension("gate")
    }

    /// What kind of file system it is on, as the mounts tell.
    pub(super) fn file_system(&self) -> String {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let holding = mounts.lines().filter_map(|mount| {
            let mut words = mount.split(' ').skip(1);
            let (at, kind) = (Path::new(words.next()?), words.next()?);
            self.0.path().starts_with(at).then_some((at, kind))
        });
        let nearest = holding.max_by_key(|(at, _)| at.components().count());
        nearest
            .map_or("an unknown file system", |(_, kind)| kind)
            .into()
    }
}
