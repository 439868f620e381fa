//! The certificate that an authority issues: read before the server listens, and kept current on a thread of its own.

use std::path::Path;
use std::sync::Arc;
use std::{io, thread};

use fingerpost_acme::{Keeper, Listeners};
use fingerpost_http::Shutdown;
use fingerpost_public::Server;
use jiff::Timestamp;
use tokio::runtime;

use crate::config::Config;
use crate::failure::Failure;

/// Returns what keeps the certificate, if a listener uses one; the public side presents it from now on.
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

/// Keeps the certificate current until shutdown, on a thread of its own.
pub(crate) fn keep(keeper: &Arc<Keeper>, shutdown: &Shutdown) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_time().build()?;
    let (keeper, shutdown) = (Arc::clone(keeper), shutdown.clone());
    thread::Builder::new().name("certificates".to_owned()).spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                () = keeper.run() => {}
                () = shutdown.started() => {}
            }
        });
        // A request to the authority may be in progress, which nobody waits for.
        runtime.shutdown_background();
    })?;
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "certificates are valid for times of the clock, which they are compared with"
)]
fn now() -> Timestamp {
    Timestamp::now()
}
