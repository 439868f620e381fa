//! Delivers events to webhooks, if `webhooks.deliver` is on. Of the nodes that share a database one
//! delivers: that with the lease in it. A node that reads the store of another fingerpost delivers
//! nothing.

use std::net::SocketAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use fingerpost_registry::EventKind;
use fingerpost_webhooks::{Courier, WebhookOptions};

use super::{Next, Service, Stop};
use crate::admin_side::RunningApi;
use crate::failure::Failure;
use crate::metrics::{Families, number};

/// The pause until the admin side runs, which has the registry.
const WAIT: Duration = Duration::from_secs(1);

/// Delivers events.
pub(crate) struct Webhooks {
    courier: Courier,
    api: RunningApi,
}

impl Webhooks {
    /// Creates the service; `own` are the addresses of the listeners of this server.
    pub(crate) fn new(
        options: &WebhookOptions,
        root: &str,
        own: Vec<SocketAddr>,
        api: RunningApi,
    ) -> Result<Self, Failure> {
        Ok(Self { courier: Courier::new(options, root, own).map_err(Failure::new)?, api })
    }
}

impl Service for Webhooks {
    fn name(&self) -> &'static str {
        "webhooks"
    }

    fn run(&self, stop: &Stop) -> Result<Next, Failure> {
        let Some(api) = self.api.get() else { return Ok(Next::After(WAIT)) };
        let registry = api.current().registry().clone();
        stop.run_outgoing(self.courier.run(&registry))?.transpose().map_err(Failure::new)?;
        self.courier.stop(&registry).map_err(Failure::new)?;
        Ok(Next::AtStop)
    }

    /// It reads the store, which is closed next.
    fn is_awaited(&self) -> bool {
        true
    }

    fn report(&self, families: &mut Families) {
        let counts = self.courier.counts();
        families.counter(
            "webhook_events_total",
            "Events since the start that were delivered, or became dead letters.",
            [
                (vec![("result", "delivered")], number(counts.delivered.load(Relaxed))),
                (vec![("result", "dead")], number(counts.dead.load(Relaxed))),
            ],
        );
        families.counter(
            "webhook_failures_total",
            "Requests to webhooks since the start that were not acknowledged.",
            [(Vec::<(&str, &str)>::new(), number(counts.failed.load(Relaxed)))],
        );
        let registry = self.api.get().map(|api| api.current().registry().clone());
        let Some(due) = registry.and_then(|registry| registry.due_webhooks().ok()) else { return };
        families.one(
            "webhooks_failing",
            "Webhooks whose last request was not acknowledged.",
            number(due.failing),
        );
        families.one(
            "webhook_dead_letters",
            "Dead letters of all webhooks.",
            number(due.dead_letters),
        );
    }
}

/// Queues an event about the installation. Nothing depends on it, so a failure is only logged.
pub(crate) fn raise(api: &RunningApi, kind: EventKind, subject: &str, detail: &str) {
    let Some(api) = api.get() else { return };
    if let Err(error) = api.current().registry().raise_event(kind, subject, detail) {
        tracing::warn!(%error, kind = kind.as_str(), "an event cannot be queued");
    }
}
