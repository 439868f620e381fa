//! Two servers that Patroni watches, with etcd.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::{PATIENCE, programs, temporary_directory};
use crate::kept::{Kept, installed};
use crate::port::free_port;
use crate::servers::as_server_user;

/// Two servers, of which one is the primary, with synchronous replication.
#[derive(Debug)]
pub struct Patroni {
    psql: PathBuf,
    files: PathBuf,
    members: Vec<Member>,
    _etcd: Kept,
}

#[derive(Debug)]
struct Member {
    name: &'static str,
    port: u16,
    running: Option<Kept>,
}

impl Patroni {
    /// Starts etcd and two servers, and waits until commits of the primary wait for the replica.
    ///
    /// # Panics
    ///
    /// If the servers do not start.
    pub fn start() -> Result<Self, String> {
        let programs = programs()?;
        let etcd = installed("etcd", "etcd-server")?;
        let patroni = installed("patroni", "patroni")?;
        let files = temporary_directory();
        let (client, peer) = (free_port(), free_port());
        let url = |port| format!("http://127.0.0.1:{port}");
        let (client_url, peer_url) = (url(client), url(peer));
        let directory = files.join("etcd");
        let arguments = [
            "--data-dir",
            &*directory.to_string_lossy(),
            "--listen-client-urls",
            &client_url,
            "--advertise-client-urls",
            &client_url,
            "--listen-peer-urls",
            &peer_url,
            "--initial-advertise-peer-urls",
            &peer_url,
            "--initial-cluster",
            &format!("default={peer_url}"),
            "--unsafe-no-fsync",
        ];
        let etcd = Kept::start(&files.join("etcd.log"), &etcd.to_string_lossy(), &arguments);
        let mut all = Self { psql: programs.join("psql"), files, members: Vec::new(), _etcd: etcd };
        for name in ["first", "second"] {
            let port = free_port();
            let text = configuration(name, port, client, &all.files, &programs);
            let file = all.files.join(format!("{name}.yml"));
            write(&file, &text);
            let log = all.files.join(format!("{name}.log"));
            let running = Kept::start(&log, &patroni.to_string_lossy(), &[&file.to_string_lossy()]);
            all.members.push(Member { name, port, running: Some(running) });
            all.wait_for("SELECT pg_is_in_recovery()", "f");
        }
        all.wait_for("SELECT sync_state FROM pg_stat_replication", "sync");
        Ok(all)
    }

    /// Returns the URL of the database, with both servers.
    pub fn url(&self) -> String {
        let hosts: Vec<_> =
            self.members.iter().map(|it| format!("127.0.0.1:{}", it.port)).collect();
        format!("postgres://fingerpost@{}/postgres", hosts.join(","))
    }

    /// Kills the primary and the Patroni beside it, as the loss of a machine would.
    ///
    /// # Panics
    ///
    /// If there is no primary.
    pub fn kill_primary(&mut self) {
        let at = (0..self.members.len())
            .find(|at| self.answer(*at, "SELECT pg_is_in_recovery()").as_deref() == Some("f"))
            .expect("a primary");
        let member = &mut self.members[at];
        if let Some(patroni) = member.running.take() {
            patroni.kill();
        }
        let pid = self.files.join(member.name).join("postmaster.pid");
        let mut kill = as_server_user("sh");
        kill.args(["-c", "kill -KILL $(head -n 1 \"$1\")", "sh"]).arg(pid);
        let _ = kill.status();
    }

    fn answer(&self, at: usize, query: &str) -> Option<String> {
        let url = format!("postgres://fingerpost@127.0.0.1:{}/postgres", self.members[at].port);
        let mut psql = Command::new(&self.psql);
        let output = psql.args(["-X", "-q", "-A", "-t", "-c", query, "-d", &url]).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        output.status.success().then_some(text)
    }

    /// Waits until a server gives this answer.
    fn wait_for(&self, query: &str, expected: &str) {
        let begin = Instant::now();
        let has = |at| self.answer(at, query).as_deref() == Some(expected);
        while !(0..self.members.len()).any(has) {
            assert!(begin.elapsed() < PATIENCE, "{query}: see {:?}", self.files);
            thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Patroni {
    fn drop(&mut self) {
        for member in &mut self.members {
            // Without Patroni, nobody starts its server again.
            drop(member.running.take());
            let pid = self.files.join(member.name).join("postmaster.pid");
            let mut kill = as_server_user("sh");
            kill.args(["-c", "kill -QUIT $(head -n 1 \"$1\") 2>/dev/null", "sh"]).arg(pid);
            let _ = kill.status();
        }
        if !thread::panicking() {
            let _ = as_server_user("rm").arg("-rf").arg(&self.files).status();
        }
    }
}

fn write(file: &std::path::Path, text: &str) {
    let mut shell = as_server_user("sh");
    let script = "printf %s \"$2\" > \"$1\"";
    let written = shell.args(["-c", script, "sh"]).arg(file).arg(text).status();
    assert!(written.is_ok_and(|status| status.success()), "{file:?}");
}

/// Returns the configuration of a member; the shortest times that Patroni allows.
fn configuration(
    name: &str,
    port: u16,
    etcd: u16,
    files: &std::path::Path,
    programs: &std::path::Path,
) -> String {
    let (rest, files, programs) = (free_port(), files.display(), programs.display());
    let mut text = format!(
        "scope: fingerpost\nname: {name}\nrestapi:\n  listen: 127.0.0.1:{rest}\n  connect_address: 127.0.0.1:{rest}\n\
         etcd3:\n  host: 127.0.0.1:{etcd}\n"
    );
    text.push_str(
        "bootstrap:\n  dcs:\n    ttl: 20\n    loop_wait: 1\n    retry_timeout: 3\n    synchronous_mode: true\n    postgresql:\n      \
         use_pg_rewind: false\n      parameters:\n        max_connections: 300\n        shared_buffers: 64MB\n  initdb:\n  - \
         encoding: UTF8\n  - locale: C\n  pg_hba:\n  - host all all 127.0.0.1/32 trust\n  - host replication all 127.0.0.1/32 trust\n",
    );
    let _ = write!(
        text,
        "postgresql:\n  listen: 127.0.0.1:{port}\n  connect_address: 127.0.0.1:{port}\n  data_dir: {files}/{name}\n  \
         bin_dir: {programs}\n  pgpass: {files}/{name}.pgpass\n  authentication:\n    superuser:\n      username: fingerpost\n    \
         replication:\n      username: replicator\n  parameters:\n    unix_socket_directories: ''\n"
    );
    text
}
