//! PgBouncer in front of a server.

use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use super::{Cluster, PATIENCE};
use crate::kept::{Kept, installed};
use crate::port::free_port;

/// A running PgBouncer.
#[derive(Debug)]
pub struct Pooler {
    port: u16,
    _running: Kept,
}

impl Pooler {
    /// Starts PgBouncer with few connections to a server, in the mode `session` or `transaction`.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn start(cluster: &Cluster, mode: &str) -> Result<Self, String> {
        let program = installed("pgbouncer", "pgbouncer")?;
        let (port, server) = (free_port(), cluster.port());
        let text = format!(
            "[databases]\npostgres = host=127.0.0.1 port={server} user=fingerpost\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = {mode}\ndefault_pool_size = 60\nmax_client_conn = 300\n"
        );
        let file = cluster.write_file(&format!("pgbouncer-{mode}.ini"), &text);
        let log = cluster.write_file(&format!("pgbouncer-{mode}.log"), "");
        let program = program.to_string_lossy();
        let running = Kept::start(&log, &program, &[&file.to_string_lossy()]);
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begin.elapsed() < PATIENCE, "PgBouncer does not start, see {log:?}");
            thread::sleep(Duration::from_millis(20));
        }
        Ok(Self { port, _running: running })
    }

    /// Returns the port of PgBouncer on this machine.
    pub fn port(&self) -> u16 {
        self.port
    }
}
