//! Streaming replicas of a server, and their promotion.

use std::thread;
use std::time::{Duration, Instant};

use super::{Cluster, PATIENCE, temporary_directory};
use crate::port::free_port;
use crate::servers::as_server_user;

impl Cluster {
    /// Creates and starts a streaming replica of this server. The name is the one that
    /// `synchronous_standby_names` needs.
    ///
    /// # Panics
    ///
    /// If it cannot be created, or does not begin to stream.
    pub fn replica(&self, name: &str) -> Self {
        let mut replica = Self {
            programs: self.programs.clone(),
            files: temporary_directory(),
            port: free_port(),
            settings: self.settings.clone(),
            running: None,
        };
        let mut copy = as_server_user(self.programs.join("pg_basebackup"));
        copy.args(["-R", "-X", "stream", "-c", "fast", "--no-sync", "-D"]);
        copy.arg(replica.files.join("data")).arg("-d");
        let port = self.port;
        let source = format!("host=127.0.0.1 port={port} user=fingerpost application_name={name}");
        let output = copy.arg(source).output().expect("pg_basebackup runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "pg_basebackup failed: {text}");
        replica.resume();
        let of = format!("FROM pg_stat_replication WHERE application_name = '{name}'");
        self.wait_for(&format!("SELECT state {of}"), "streaming");
        replica
    }

    /// Lets commits of this server wait for a replica, or for none if the name is empty.
    ///
    /// # Panics
    ///
    /// If the replica is not there.
    pub fn commit_with(&self, replica: &str) {
        let set = format!("ALTER SYSTEM SET synchronous_standby_names = '{replica}'");
        let _ = self.sql(&set);
        let _ = self.sql("SELECT pg_reload_conf()");
        if !replica.is_empty() {
            self.wait_for("SELECT DISTINCT sync_state FROM pg_stat_replication", "sync");
        }
    }

    /// Ends the replication of this replica, which then lacks all later commits.
    ///
    /// # Panics
    ///
    /// If it does not end.
    pub fn detach(&self) {
        let _ = self.sql("ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=1'");
        let _ = self.sql("SELECT pg_reload_conf()");
        self.wait_for("SELECT count(*) FROM pg_stat_wal_receiver", "0");
    }

    /// Makes this replica a primary.
    ///
    /// # Panics
    ///
    /// If it does not become one.
    pub fn promote(&self) {
        assert_eq!(self.sql("SELECT pg_promote(true, 60)"), "t", "the replica is promoted");
    }

    /// Waits until a query has this result.
    fn wait_for(&self, query: &str, expected: &str) {
        let begin = Instant::now();
        loop {
            let found = self.try_sql(query);
            if found.as_deref() == Ok(expected) {
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "{query}: expected {expected}, found {found:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}
