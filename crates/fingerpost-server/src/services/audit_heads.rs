//! Publishes the head of the audit log at intervals: to a file, to syslog, to a web address. Heads that are kept elsewhere show later
//! that the log was not rewritten (`fingerpost audit verify --heads`).
//!
//! Publishing never delays a write: it has a thread of its own. What fails is logged, and tried again after the next interval, at that
//! place only.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use fingerpost_store::{AuditHead, Store, StoreError};
use serde_json::json;

use crate::client::web_agent;
use crate::config::AuditOptions;

/// Priority of the line in syslog: facility 13 (log audit), severity 6 (RFC 5424 section 6.2.1).
const PRIORITY: u8 = 13 * 8 + 6;

/// Time limit of sending a head, so that one place holds up neither the others nor the end of the server.
const SENDING: Duration = Duration::from_secs(10);

/// A place where heads are published, and the last one published there.
struct Place {
    kind: Kind,
    last: AuditHead,
}

enum Kind {
    File(PathBuf),
    Syslog(PathBuf),
    Webhook(String),
}

/// The thread that publishes heads. Dropping it publishes the last head and ends it.
pub(crate) struct Publisher {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Publisher {
    /// Starts publishing, if any place is configured.
    pub(crate) fn start(options: &AuditOptions, store: &Arc<Store>) -> io::Result<Self> {
        let mut places = places(options);
        if places.is_empty() {
            return Ok(Self { stop: None, thread: None });
        }
        let (stop, stopped) = mpsc::channel();
        let (interval, store) = (options.heads_interval.get(), Arc::clone(store));
        let publish = move || {
            loop {
                publish_new(&mut places, &store);
                if stopped.recv_timeout(interval) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            publish_new(&mut places, &store);
        };
        let thread = thread::Builder::new().name("audit-heads".to_owned()).spawn(publish)?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn places(options: &AuditOptions) -> Vec<Place> {
    let file = options.heads_file.clone().map(Kind::File);
    let syslog = options.heads_syslog.then(|| Kind::Syslog(options.heads_syslog_socket.clone()));
    let webhook = options.heads_webhook.clone().map(Kind::Webhook);
    let kinds = file.into_iter().chain(syslog).chain(webhook);
    kinds.map(|kind| Place { kind, last: AuditHead::default() }).collect()
}

/// Publishes the head at each place that does not have it.
fn publish_new(places: &mut [Place], store: &Store) {
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
    for place in places.iter_mut().filter(|place| place.last != head) {
        match place.kind.publish(&line) {
            Ok(()) => place.last = head,
            Err(error) => tracing::error!(
                %error,
                place = place.kind.option(),
                "the head of the audit log was not published"
            ),
        }
    }
}

impl Kind {
    /// Returns the option that names the place.
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
