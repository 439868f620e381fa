//! The certificate that an authority issues: read before the server listens, and kept current.

use std::path::Path;
use std::sync::Arc;

use fingerpost_acme::{Keeper, Listeners};
use fingerpost_public::Server;

use super::{Next, Service, Stop};
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

/// Keeps the certificate current.
pub(crate) struct Certificates(pub(crate) Arc<Keeper>);

impl Service for Certificates {
    fn name(&self) -> &'static str {
        "certificates"
    }

    fn run(&self, stop: &Stop) -> Result<Next, Failure> {
        stop.run(self.0.run());
        Ok(Next::AtStop)
    }

    fn report(&self, families: &mut Families) {
        let (counts, state) = (self.0.counts(), self.0.state());
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
