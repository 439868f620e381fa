//! Files that are sent while they are made: exports and sheets of labels.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use fingerpost_http::process::thread_time;
use fingerpost_registry::Registry;
use http::header::{self, HeaderName, HeaderValue};
use tokio::sync::mpsc::{self, Sender};

use crate::admission::{Turn, Work};
use crate::limits::{EXPORT_PART, MAX_UNSENT_PARTS};
use crate::problem::AdminProblem;
use crate::state::App;
use crate::stream::{self, CutOff};

/// The media type of a file, and its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named {
    pub(super) media_type: &'static str,
    pub(super) name: &'static str,
}

impl Named {
    /// Returns the header fields of a file to save.
    pub(super) fn fields(self) -> [(HeaderName, HeaderValue); 2] {
        let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{}\"", self.name));
        [
            (header::CONTENT_TYPE, HeaderValue::from_static(self.media_type)),
            (
                header::CONTENT_DISPOSITION,
                disposition.unwrap_or(HeaderValue::from_static("attachment")),
            ),
        ]
    }
}

/// Sends the file that `make` writes. It is the answer if `make` fails before the first part is
/// full.
pub(super) async fn send(
    app: &Arc<App>,
    to: Named,
    make: impl FnOnce(&Registry, &Outlet) -> Result<(), AdminProblem> + Send + 'static,
) -> Result<Response, AdminProblem> {
    let slots = app.admission().export()?;
    let turn = app.admission().turn(Work::Long).await?;
    let (send, mut parts) = mpsc::channel(MAX_UNSENT_PARTS);
    let registry = app.registry().clone();
    tokio::task::spawn_blocking(move || run(&registry, make, turn, slots, send));
    let first = match parts.recv().await {
        Some(Err(problem)) => return Err(problem),
        Some(Ok(first)) => Ok(first),
        None => Ok(Bytes::new()), // nothing to send
    };
    let part = |part: Result<Bytes, AdminProblem>| {
        part.map_err(|problem| {
            tracing::error!(?problem, "a file ended early");
            CutOff
        })
    };
    Ok((to.fields(), stream::body(first, parts, part)).into_response())
}

/// Parts of a file, or why there are no more.
type Parts = Sender<Result<Bytes, AdminProblem>>;

/// Writes the file, and releases `slots` before its end, so that the next export can begin when
/// this one has ended.
fn run<P>(
    registry: &Registry,
    make: impl FnOnce(&Registry, &Outlet) -> Result<(), AdminProblem>,
    turn: Turn,
    slots: P,
    to: Parts,
) {
    let begin = thread_time();
    let out =
        Outlet(Rc::new(RefCell::new(Writing { to, turn, part: Vec::with_capacity(EXPORT_PART) })));
    let made = make(registry, &out);
    let Ok(writing) = Rc::try_unwrap(out.0) else { return };
    let mut writing = writing.into_inner();
    // The rest would follow an incomplete file.
    let made = made.and_then(|()| writing.send().or_else(|_| Ok(())));
    let Writing { to, turn, .. } = writing;
    turn.end(thread_time().saturating_sub(begin));
    drop(slots);
    if let Err(problem) = made {
        let _ = to.blocking_send(Err(problem)); // fails if the client has gone
    }
}

/// Collects bytes into parts, and sends them.
struct Writing {
    to: Parts,
    turn: Turn,
    part: Vec<u8>,
}

impl Writing {
    fn send(&mut self) -> io::Result<()> {
        if self.part.is_empty() {
            return Ok(());
        }
        let part = std::mem::replace(&mut self.part, Vec::with_capacity(EXPORT_PART));
        match stream::send(&self.to, &mut self.turn, Ok(Bytes::from(part))) {
            true => Ok(()),
            false => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

/// The writer of a file, which yields its turn between two records.
#[derive(Clone)]
pub(super) struct Outlet(Rc<RefCell<Writing>>);

impl Outlet {
    /// Yields its turn if others wait; returns whether the client still waits for the file.
    pub(super) fn go_on(&self) -> Result<bool, AdminProblem> {
        if self.0.borrow().to.is_closed() {
            return Ok(false);
        }
        self.0.borrow_mut().turn.give_way()?;
        Ok(true)
    }
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut writing = self.0.borrow_mut();
        let taken = bytes.len().min(EXPORT_PART - writing.part.len());
        writing.part.extend_from_slice(&bytes[..taken]);
        if writing.part.len() == EXPORT_PART {
            writing.send()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().send()
    }
}
