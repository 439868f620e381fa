//! Shutdown, requested by the program or by SIGTERM and SIGINT.

use std::time::Duration;
use std::{io, thread};

use tokio::runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::time::sleep;

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
    drain: Duration,
}

/// The stages of a shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// The server runs normally.
    Run,
    /// The server says that it is not ready, and runs normally otherwise.
    Drain,
    /// Requests in progress are completed within `shutdown_grace`.
    Finish,
    /// All connections end immediately.
    End,
}

impl Shutdown {
    /// Creates a handle that only the program triggers.
    pub fn new() -> Self {
        let stage = watch::Sender::new(Stage::Run);
        Self { stage, drain: Duration::ZERO }
    }

    /// Lets SIGTERM and SIGINT trigger this handle, too, from now until the process ends; a second
    /// signal ends everything immediately. The time of [`Shutdown::drain_for`] is to be set before.
    /// `hangup` is called on SIGHUP, on a thread that waits for signals only.
    pub fn on_signals(self, hangup: impl FnMut() + Send + 'static) -> io::Result<Self> {
        let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
        let signals = runtime.block_on(async { Signals::new() })?;
        let shutdown = self.clone();
        let listen = move || runtime.block_on(signals.listen(&shutdown, hangup));
        thread::Builder::new().name("signals".to_owned()).spawn(listen)?;
        Ok(self)
    }

    /// Begins the shutdown with a period in which the server is not ready but continues to serve,
    /// so that load balancers notice.
    pub fn drain_for(self, drain: Duration) -> Self {
        Self { drain, ..self }
    }

    /// Starts the shutdown, with the time for load balancers first. SIGTERM does this.
    pub fn begin(&self) {
        self.advance(if self.drain.is_zero() { Stage::Finish } else { Stage::Drain });
    }

    /// Starts the shutdown without that time: stops accepting connections, completes requests in
    /// progress, then ends. SIGINT does this, which comes from a person at a terminal.
    pub fn trigger(&self) {
        self.advance(Stage::Finish);
    }

    /// Returns whether shutdown has started.
    pub fn is_triggered(&self) -> bool {
        *self.stage.borrow() != Stage::Run
    }

    /// Waits until shutdown starts, by the program or by a signal to the running server. From then
    /// on, the server is not ready.
    pub async fn started(&self) {
        self.reached(Stage::Drain).await;
    }

    /// Ends the time for load balancers when it is over.
    pub async fn keep_time(&self) {
        self.started().await;
        sleep(self.drain).await;
        self.trigger();
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
}

/// Calls `interrupted` for each SIGINT (Ctrl-C) from now until the process ends, on a thread that
/// waits for nothing else.
pub fn on_interrupt(mut interrupted: impl FnMut() + Send + 'static) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let mut signals = runtime.block_on(async { signal(SignalKind::interrupt()) })?;
    let listen = move || {
        runtime.block_on(async {
            while signals.recv().await.is_some() {
                interrupted();
            }
        });
    };
    thread::Builder::new().name("interrupt".to_owned()).spawn(listen)?;
    Ok(())
}

/// The signals that are handled; none is lost once this exists.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn listen(mut self, shutdown: &Shutdown, mut hangup: impl FnMut()) {
        loop {
            let (begin, is_first): (fn(&Shutdown), _) = tokio::select! {
                _ = self.terminate.recv() => (Shutdown::begin, !shutdown.is_triggered()),
                _ = self.interrupt.recv() => (Shutdown::trigger, !shutdown.is_triggered()),
                _ = self.hangup.recv() => {
                    hangup();
                    continue;
                }
            };
            tracing::info!(at_once = !is_first, "shutdown requested");
            if is_first { begin(shutdown) } else { shutdown.advance(Stage::End) }
        }
    }
}

impl Default for Shutdown {
    fn default() -> Self {
        Self::new()
    }
}
