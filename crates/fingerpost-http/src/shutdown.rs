//! Shutdown, requested by the program or by SIGTERM and SIGINT.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// A handle that stops a running server. Clones share the same state.
///
/// ```
/// use fingerpost_http::Shutdown;
///
/// let shutdown = Shutdown::new();
/// let elsewhere = shutdown.clone();
/// elsewhere.trigger();
/// assert!(shutdown.is_triggered());
/// ```
#[derive(Clone, Debug)]
pub struct Shutdown {
    stage: watch::Sender<Stage>,
    signals: bool,
}

/// The stages of a shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// The server runs normally.
    Run,
    /// Requests in progress are completed within `shutdown_grace`.
    Finish,
    /// All connections end immediately.
    End,
}

impl Shutdown {
    /// Creates a handle that only the program triggers.
    #[must_use]
    pub fn new() -> Self {
        Self { stage: watch::Sender::new(Stage::Run), signals: false }
    }

    /// Creates a handle that SIGTERM and SIGINT trigger too while the server runs; a second signal ends everything immediately. SIGHUP
    /// then makes the server check the certificate files immediately.
    #[must_use]
    pub fn on_signals() -> Self {
        Self { signals: true, ..Self::new() }
    }

    /// Starts the shutdown: stops accepting connections, completes requests in progress, then ends.
    pub fn trigger(&self) {
        self.advance(Stage::Finish);
    }

    /// Returns whether shutdown has started.
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        *self.stage.borrow() != Stage::Run
    }

    /// Waits until shutdown starts, by [`Shutdown::trigger`] or by a signal to the running server.
    pub async fn triggered(&self) {
        self.reached(Stage::Finish).await;
    }

    /// Waits until everything has to end immediately.
    pub async fn overdue(&self) {
        self.reached(Stage::End).await;
    }

    async fn reached(&self, stage: Stage) {
        // This fails only without senders; `self` holds one.
        if self.subscribe().wait_for(|now| *now >= stage).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<Stage> {
        self.stage.subscribe()
    }

    fn advance(&self, to: Stage) {
        self.stage.send_if_modified(|stage| {
            let further = *stage < to;
            *stage = to.max(*stage);
            further
        });
    }

    /// Handles signals until the server has ended. Calls `hangup` on SIGHUP.
    ///
    /// # Errors
    ///
    /// Fails if signal handlers cannot be installed.
    pub async fn listen_to_signals(&self, hangup: impl Fn()) -> io::Result<()> {
        if !self.signals {
            return Ok(());
        }
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut reload = signal(SignalKind::hangup())?;
        loop {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                _ = reload.recv() => {
                    hangup();
                    continue;
                }
            }
            let next = if self.is_triggered() { Stage::End } else { Stage::Finish };
            tracing::info!(at_once = next == Stage::End, "told to stop");
            self.advance(next);
        }
    }
}

impl Default for Shutdown {
    fn default() -> Self {
        Self::new()
    }
}
