//! What the checker knows of hosts during a slice: their `robots.txt`, when the next request may be
//! sent, and whether they answer.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use fingerpost_registry::LinkAnswer;
use jiff::SignedDuration;
use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep_until};

use crate::limits::{MAX_HOSTS, MAX_SILENT_REQUESTS};
use crate::robots::Robots;

/// A host: scheme, name and port.
#[derive(Default)]
pub(crate) struct Host {
    pub(crate) robots: OnceCell<Robots>,
    next: Cell<Option<Instant>>,
    silent: Cell<u32>,
    last_silence: RefCell<Option<LinkAnswer>>,
    busy: Cell<Option<SignedDuration>>,
}

impl Host {
    /// Waits until the next request may be sent.
    pub(crate) async fn turn(&self, pause: Duration) {
        let pause = pause.max(self.robots.get().map_or(Duration::ZERO, Robots::delay));
        let now = Instant::now();
        let at = self.next.get().map_or(now, |next| next.max(now));
        self.next.set(Some(at + pause));
        sleep_until(at).await;
    }

    /// Notes that the host answered.
    pub(crate) fn answered(&self) {
        self.silent.set(0);
    }

    /// Notes that the host did not answer.
    pub(crate) fn is_silent(&self, answer: &LinkAnswer) {
        self.silent.set(self.silent.get() + 1);
        *self.last_silence.borrow_mut() = Some(answer.clone());
    }

    /// Returns the fault of the host, if it is given up for this slice.
    pub(crate) fn silence(&self) -> Option<LinkAnswer> {
        let is_given_up = self.silent.get() >= MAX_SILENT_REQUESTS;
        let mut answer = self.last_silence.borrow().clone().filter(|_| is_given_up)?;
        let detail = answer.detail.take().unwrap_or_default();
        answer.detail = Some(format!(
            "not requested after {MAX_SILENT_REQUESTS} failures of the host: {detail}"
        ));
        Some(answer)
    }

    /// Notes that the host asks to come back later.
    pub(crate) fn is_busy(&self, pause: Option<SignedDuration>) {
        self.busy.set(Some(pause.unwrap_or_default()));
    }

    /// Returns the pause that the host asked for, if it did.
    pub(crate) fn busy(&self) -> Option<SignedDuration> {
        self.busy.get()
    }
}

/// The hosts of a slice.
#[derive(Default)]
pub(crate) struct Hosts(RefCell<HashMap<String, Rc<Host>>>);

impl Hosts {
    /// Returns the host of an origin. Redirects to more hosts than fit are checked with hosts that
    /// nobody remembers.
    pub(crate) fn of(&self, origin: String) -> Rc<Host> {
        let mut hosts = self.0.borrow_mut();
        if let Some(host) = hosts.get(&origin) {
            return Rc::clone(host);
        }
        let host = Rc::new(Host::default());
        if hosts.len() < MAX_HOSTS {
            hosts.insert(origin, Rc::clone(&host));
        }
        host
    }
}
