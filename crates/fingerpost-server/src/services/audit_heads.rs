//! Publishes the head of the audit log at intervals: to a file, to syslog, to a web address. Heads
//! that are kept elsewhere show later that the log was not rewritten (`fingerpost audit verify
//! --heads`).
//!
//! Publishing never delays a write. A failure is logged, and that destination is tried again after
//! the next interval.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fingerpost_store::{AuditHead, Store, StoreError};
use serde_json::json;

use super::{Next, Service, Stop};
use crate::client::web_agent;
use crate::config::AuditOptions;
use crate::failure::Failure;
use crate::opened::Primary;

/// Priority of the line in syslog: facility 13 (log audit), severity 6 (RFC 5424 section 6.2.1).
const PRIORITY: u8 = 13 * 8 + 6;

/// Time limit of sending a head, so that one destination delays neither the others nor the end of
/// the server.
const SENDING: Duration = Duration::from_secs(10);

/// Where heads are published, and the last one published there.
struct Destination {
    kind: Kind,
    last: AuditHead,
}

enum Kind {
    File(PathBuf),
    Syslog(PathBuf),
    Webhook(String),
}

/// Publishes heads where they are configured.
pub(crate) struct AuditHeads {
    interval: Duration,
    primary: Primary,
    destinations: Mutex<Vec<Destination>>,
}

impl AuditHeads {
    pub(crate) fn new(options: &AuditOptions, primary: Primary) -> Self {
        let destinations = Mutex::new(destinations(options));
        Self { interval: options.heads_interval.get(), primary, destinations }
    }

    fn destinations(&self) -> MutexGuard<'_, Vec<Destination>> {
        self.destinations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self) {
        let mut destinations = self.destinations();
        // A database that does not answer has no new heads of this process.
        if !destinations.is_empty()
            && let Ok(Some(store)) = self.primary.store()
        {
            publish_new(&mut destinations, &store);
        }
    }
}

impl Service for AuditHeads {
    fn name(&self) -> &'static str {
        "audit-heads"
    }

    fn run(&self, _: &Stop) -> Result<Next, Failure> {
        if self.destinations().is_empty() {
            return Ok(Next::AtStop);
        }
        self.publish();
        Ok(Next::After(self.interval))
    }

    /// Publishes the last head.
    fn finish(&self) {
        self.publish();
    }

    fn is_awaited(&self) -> bool {
        true
    }
}

fn destinations(options: &AuditOptions) -> Vec<Destination> {
    let file = options.heads_file.clone().map(Kind::File);
    let syslog = options.heads_syslog.then(|| Kind::Syslog(options.heads_syslog_socket.clone()));
    let webhook = options.heads_webhook.clone().map(Kind::Webhook);
    let kinds = file.into_iter().chain(syslog).chain(webhook);
    kinds.map(|kind| Destination { kind, last: AuditHead::default() }).collect()
}

/// Publishes the head at each destination that does not have it.
fn publish_new(destinations: &mut [Destination], store: &Store) {
    let read = store.view(|view| -> Result<_, StoreError> {
        let head = view.audit_head()?;
        Ok(view.audit(head.seq())?.map(|record| (head, record.at())))
    });
    let (head, at) = match read {
        Ok(Some(found)) => found,
        Ok(None) => return,
        Err(error) => return tracing::error!(%error, "the head of the audit log was not published"),
    };
    let line = json!({ "head": head.to_string(), "at": at.to_string() }).to_string();
    for destination in destinations.iter_mut().filter(|destination| destination.last != head) {
        match destination.kind.publish(&line) {
            Ok(()) => destination.last = head,
            Err(error) => tracing::error!(
                %error,
                destination = destination.kind.option(),
                "the head of the audit log was not published"
            ),
        }
    }
}

impl Kind {
    /// Returns the option that configures the destination.
    fn option(&self) -> &'static str {
        match self {
            Self::File(_) => "heads_file",
            Self::Syslog(_) => "heads_syslog",
            Self::Webhook(_) => "heads_webhook",
        }
    }

    fn publish(&self, line: &str) -> io::Result<()> {
        match self {
            Self::File(file) => append(file, line),
            Self::Syslog(socket) => to_syslog(socket, line),
            Self::Webhook(url) => post(url, line),
        }
    }
}

fn append(file: &Path, line: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(file)?;
    file.write_all(format!("{line}\n").as_bytes())?;
    file.sync_all()
}

fn to_syslog(path: &Path, line: &str) -> io::Result<()> {
    let socket = UnixDatagram::unbound()?;
    socket.set_write_timeout(Some(SENDING))?; // a syslog that reads nothing
    socket.send_to(format!("<{PRIORITY}>fingerpost: audit head {line}").as_bytes(), path)?;
    Ok(())
}

fn post(url: &str, line: &str) -> io::Result<()> {
    let request = web_agent(url).post(url).content_type("application/json");
    let answer = request.config().timeout_global(Some(SENDING)).build().send(line);
    match answer.map_err(io::Error::other)?.status() {
        status if status.is_success() => Ok(()),
        status => Err(io::Error::other(format!("the answer has status {status}"))),
    }
}
