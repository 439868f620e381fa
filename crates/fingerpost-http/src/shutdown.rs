//! The order to stop: given by the program, or by SIGTERM and SIGINT.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// A handle by which a running server is told to stop. Clones give the same order.
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

/// How far the stop has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Serving.
    Run,
    /// Requests in progress are finished, within `shutdown_grace`.
    Finish,
    /// Everything ends at once.
    End,
}

impl Shutdown {
    /// A handle that only the program uses.
    #[must_use]
    pub fn new() -> Self {
        Self { stage: watch::Sender::new(Stage::Run), signals: false }
    }

    /// A handle that SIGTERM and SIGINT use too, while the server runs; a second signal ends everything at
    /// once. SIGHUP then means: look at the certificate files now.
    #[must_use]
    pub fn on_signals() -> Self {
        Self { signals: true, ..Self::new() }
    }

    /// Stop accepting, finish what is in progress, end.
    pub fn trigger(&self) {
        self.advance(Stage::Finish);
    }

    /// Whether the order was given.
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        *self.stage.borrow() != Stage::Run
    }

    /// Waits until the order is given: by [`Shutdown::trigger`], or by a signal that a running server hears.
    pub async fn triggered(&self) {
        self.reached(Stage::Finish).await;
    }

    /// Waits until everything has to end at once.
    pub async fn overdue(&self) {
        self.reached(Stage::End).await;
    }

    async fn reached(&self, stage: Stage) {
        // It fails when nobody can give the order any more; we hold a sender ourselves.
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

    /// Turns signals into orders, until the server has ended. `hangup` runs at SIGHUP.
    ///
    /// # Errors
    ///
    /// Signal handlers cannot be installed.
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
