//! A redis-server of a test's own: nothing is kept, nobody else reaches it, and it ends with the test, however that ends.

use std::{
    env,
    io::{BufRead, BufReader, ErrorKind},
    os::unix::net::UnixStream,
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// Set where a missing redis-server is a failure, and no reason to leave tests out.
const REQUIRED: &str = "SEARCH_GATE_REQUIRE_REDIS";

/// The shell outlives a test that is killed: its input ends then, and with that the server. It ends after the server, which for a moment still takes
/// connections once it has been killed.
const KEEPER: &str = r#"redis-server "$@" >/dev/null 2>&1 & server=$!; echo $server; cat >/dev/null; kill -9 $server; wait $server"#;

pub struct RedisServer {
    // Before its directory, which is removed when the server is gone.
    running: Option<Running>,
    directory: TempDir,
}

struct Running {
    keeper: Child,
    input: Option<ChildStdin>,
    server: String,
}

impl RedisServer {
    /// `None`, and a word about it, where there is no redis-server.
    pub fn start() -> Option<Self> {
        match Command::new("redis-server").arg("--version").output() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                assert!(
                    env::var_os(REQUIRED).is_none(),
                    "{REQUIRED} is set and there is no redis-server on the PATH: install one",
                );
                eprintln!("left out: there is no redis-server on the PATH");
                return None;
            }
            tried => tried.expect("redis-server runs"),
        };
        let mut server = Self {
            directory: TempDir::new().expect("a directory for the server's socket"),
            running: None,
        };
        server.run();
        Some(server)
    }

    pub fn url(&self) -> String {
        format!("redis+unix://{}", self.socket().display())
    }

    /// The server neither answers nor ends until it is let go on.
    pub fn suspend(&self) {
        self.signal("-STOP");
    }

    pub fn go_on(&self) {
        self.signal("-CONT");
    }

    pub fn kill(&mut self) {
        self.running = None;
    }

    /// Runs the server anew, with nothing in it.
    pub fn run(&mut self) {
        self.running = None;
        let mut keeper = Command::new("sh")
            .args(["-c", KEEPER, "keeper", "--port", "0"])
            .arg("--unixsocket")
            .arg(self.socket())
            .args(["--save", "", "--appendonly", "no", "--dir"])
            .arg(self.directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell runs");
        let mut server = String::new();
        let output = keeper.stdout.take().expect("it is piped");
        BufReader::new(output)
            .read_line(&mut server)
            .expect("the shell tells the server's process");
        self.running = Some(Running {
            input: keeper.stdin.take(),
            keeper,
            server: server.trim().to_owned(),
        });
        let begun = Instant::now();
        while UnixStream::connect(self.socket()).is_err() {
            assert!(
                begun.elapsed() < Duration::from_secs(20),
                "redis-server does not listen"
            );
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn socket(&self) -> PathBuf {
        self.directory.path().join("socket")
    }

    fn signal(&self, signal: &str) {
        let running = self.running.as_ref().expect("the server runs");
        let told = Command::new("kill")
            .args([signal, &running.server])
            .status();
        assert!(told.expect("kill runs").success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.input.take());
        drop(self.keeper.wait());
    }
}
