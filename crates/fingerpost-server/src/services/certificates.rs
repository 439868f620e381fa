//! The certificate that an authority issues: read before the server listens, and kept current.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fingerpost_acme::{Keeper, Listeners};
use fingerpost_public::Server;
use fingerpost_registry::EventKind;
use tokio::time::sleep;

use super::webhooks::raise;
use super::{Next, Service, Stop};
use crate::admin_side::RunningApi;
use crate::clock::now;
use crate::config::Config;
use crate::failure::Failure;
use crate::metrics::{Families, number};

/// Returns what keeps the certificate, if a listener uses one; the public side presents it from now
/// on.
pub(crate) fn keeper(
    config: &Config,
    server: &Server,
    data: &Path,
    is_demo: bool,
) -> Result<Option<Arc<Keeper>>, Failure> {
    let Some(acme) = &config.acme else { return Ok(None) };
    if is_demo {
        return Err(Failure::advise(
            "a demo keeps nothing, so each start would order another certificate",
            "start without --demo, or without tls_acme and admin.tls_acme",
        ));
    }
    let listeners = Listeners::answering(server.tokens().clone());
    if let Some(issued) = server.issued() {
        listeners.add(issued);
    }
    let keeper = Keeper::open(acme.clone(), data, listeners, now).map_err(|error| {
        Failure::advise(error, "docs/operations/certificates.md describes the table `acme`")
    })?;
    Ok(Some(Arc::new(keeper)))
}

/// How often it is looked whether an attempt failed.
const LOOK: Duration = Duration::from_secs(5);

/// Keeps the certificate current.
pub(crate) struct Certificates {
    keeper: Arc<Keeper>,
    api: RunningApi,
}

impl Certificates {
    pub(crate) fn new(keeper: Arc<Keeper>, api: RunningApi) -> Self {
        Self { keeper, api }
    }

    /// Raises an event for attempts that failed; never returns.
    async fn announce_failures(&self) {
        let mut told = 0;
        loop {
            sleep(LOOK).await;
            let failed = self.keeper.counts().failed;
            if failed > told && self.api.get().is_some() {
                told = failed;
                let reason = self.keeper.state().last_failure.map(|failure| failure.reason);
                let reason = reason.unwrap_or_default();
                raise(&self.api, EventKind::CertificateFailed, "certificate", &reason);
            }
        }
    }
}

impl Service for Certificates {
    fn name(&self) -> &'static str {
        "certificates"
    }

    fn run(&self, stop: &Stop) -> Result<Next, Failure> {
        stop.run(async {
            tokio::select! {
                () = self.keeper.run() => {}
                () = self.announce_failures() => {}
            }
        });
        Ok(Next::AtStop)
    }

    fn report(&self, families: &mut Families) {
        let (counts, state) = (self.keeper.counts(), self.keeper.state());
        families.counter(
            "certificate_orders_total",
            "Attempts to get a certificate from the authority, by result.",
            [
                (vec![("result", "issued")], number(counts.issued)),
                (vec![("result", "failed")], number(counts.failed)),
            ],
        );
        families.one(
            "certificate_failed_orders",
            "Attempts that failed since the last one that succeeded, also before the start.",
            f64::from(state.failures),
        );
        if let Some(next) = state.next_attempt {
            families.one(
                "certificate_next_order_timestamp_seconds",
                "When the next attempt begins.",
                next.as_second() as f64,
            );
        }
    }
}
