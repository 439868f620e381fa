//! What runs in the background while the server does. A service is one file here, and one line in
//! [`Bound`](crate::Bound); the supervisor has the threads, the pauses, and what happens after a
//! failure or a panic.

pub(crate) mod audit_heads;
pub(crate) mod backups;
pub(crate) mod certificates;
pub(crate) mod check;
pub(crate) mod copy;
pub(crate) mod countries;
pub(crate) mod insight;
pub(crate) mod links;
pub(crate) mod mails;
pub(crate) mod process_manager;
pub(crate) mod purges;
pub(crate) mod reload;
pub(crate) mod role_keys;
pub(crate) mod samples;
pub(crate) mod webhooks;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use fingerpost_http::{Outgoing, Shutdown};
use tokio::runtime::{self, Runtime};
use tokio::time::timeout;

use crate::failure::Failure;
use crate::limits::{FIRST_PAUSE, MAX_PAUSE};
use crate::metrics::Families;

/// Work in the background. It keeps its state behind locks, because metrics read it while it runs.
pub(crate) trait Service: Send + Sync {
    /// Returns the name of its thread, which the log shows too.
    fn name(&self) -> &'static str;

    /// Does what is due, and returns when to do that again. After a failure the supervisor pauses.
    fn run(&self, stop: &Stop) -> Result<Next, Failure>;

    /// Does what is due when the server begins to stop.
    fn stopping(&self) {}

    /// Does what is left after the listeners have ended.
    fn finish(&self) {}

    /// Returns whether the end of the server waits for the thread of this service before it
    /// finishes.
    fn is_awaited(&self) -> bool {
        false
    }

    /// Adds its metrics.
    fn report(&self, _families: &mut Families) {}
}

/// When a service has something to do again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// After a pause.
    After(Duration),
    /// When the server stops.
    AtStop,
}

/// The end of the server, which a service can wait for.
pub(crate) struct Stop {
    shutdown: Shutdown,
    runtime: Runtime,
}

impl Stop {
    pub(crate) fn new(shutdown: &Shutdown) -> io::Result<Self> {
        let runtime = runtime::Builder::new_current_thread().enable_time().build()?;
        Ok(Self { shutdown: shutdown.clone(), runtime })
    }

    /// Waits; returns whether the server stops.
    pub(crate) fn wait(&self, pause: Duration) -> bool {
        self.runtime.block_on(async { timeout(pause, self.shutdown.started()).await }).is_ok()
    }

    /// Runs a future that sends requests until it ends; `None` if the server stops before.
    pub(crate) fn run_outgoing<T>(
        &self,
        future: impl Future<Output = T>,
    ) -> Result<Option<T>, Failure> {
        let runtime = Outgoing::runtime().map_err(Failure::new)?;
        let ended = runtime.block_on(async {
            tokio::select! {
                ended = future => Some(ended),
                () = self.shutdown.started() => None,
            }
        });
        runtime.shutdown_background(); // a name that is being resolved can take long
        Ok(ended)
    }

    /// Runs a future until it ends or the server stops.
    pub(crate) fn run(&self, future: impl Future<Output = ()>) {
        self.runtime.block_on(async {
            tokio::select! {
                () = future => {}
                () = self.shutdown.started() => {}
            }
        });
    }
}

/// The services with their threads. Dropping it stops the server, because a start can fail halfway,
/// and lets the services finish.
pub(crate) struct Supervisor {
    shutdown: Shutdown,
    services: Vec<(Arc<dyn Service>, JoinHandle<()>)>,
}

impl Supervisor {
    pub(crate) fn new(shutdown: &Shutdown) -> Self {
        Self { shutdown: shutdown.clone(), services: Vec::new() }
    }

    /// Starts a service on a thread of its own.
    pub(crate) fn start(&mut self, service: Arc<dyn Service>) -> Result<(), Failure> {
        let running = Arc::clone(&service);
        let spawn = || {
            let stop = Stop::new(&self.shutdown)?;
            let thread = thread::Builder::new().name(service.name().to_owned());
            thread.spawn(move || supervise(&*running, stop))
        };
        let thread =
            spawn().map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
        self.services.push((service, thread));
        Ok(())
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.shutdown.trigger();
        for (service, thread) in self.services.drain(..) {
            if service.is_awaited() {
                let _ = thread.join();
            }
            logged(&*service, || service.finish());
        }
    }
}

/// Runs a service until the server stops.
fn supervise(service: &dyn Service, stop: Stop) {
    let name = service.name();
    let mut pauses = pauses();
    loop {
        let pause = match logged(service, || service.run(&stop)) {
            Some(Ok(next)) => {
                pauses = self::pauses();
                match next {
                    Next::After(pause) => pause,
                    Next::AtStop => Duration::MAX,
                }
            }
            failed => {
                let pause = pauses.next().unwrap_or(MAX_PAUSE);
                if let Some(Err(failure)) = failed {
                    let (error, seconds) = (failure.what, pause.as_secs());
                    tracing::error!(%error, "{name}: failed; the next attempt is in {seconds} s");
                }
                pause
            }
        };
        if stop.wait(pause) {
            break;
        }
    }
    logged(service, || service.stopping());
    // A call of the service may go on in the background, which nobody waits for.
    stop.runtime.shutdown_background();
}

/// Calls a service; logs a panic, which is a fault of the program, and returns `None`.
fn logged<T>(service: &dyn Service, call: impl FnOnce() -> T) -> Option<T> {
    let done = catch_unwind(AssertUnwindSafe(call));
    done.inspect_err(|_| tracing::error!("{}: panicked", service.name())).ok()
}

/// Returns the pauses after failures in a row.
fn pauses() -> ExponentialBackoff {
    let pauses = ExponentialBuilder::new().without_max_times();
    pauses.with_min_delay(FIRST_PAUSE).with_max_delay(MAX_PAUSE).build()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// Panics, fails, or waits for the end.
    struct Odd {
        calls: AtomicU32,
        events: Mutex<Sender<&'static str>>,
    }

    impl Odd {
        fn note(&self, event: &'static str) {
            self.events.lock().unwrap().send(event).unwrap();
        }
    }

    impl Service for Odd {
        fn name(&self) -> &'static str {
            "odd"
        }

        fn run(&self, _: &Stop) -> Result<Next, Failure> {
            self.note("run");
            match self.calls.fetch_add(1, SeqCst) {
                0 => Ok(Next::After(Duration::ZERO)),
                _ => panic!("expected by the test"),
            }
        }

        fn stopping(&self) {
            self.note("stopping");
        }

        fn finish(&self) {
            self.note("finish");
        }

        fn is_awaited(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_service_that_panics_is_paused_and_finishes_with_the_server() {
        let (sender, events) = channel();
        let odd = Arc::new(Odd { calls: AtomicU32::new(0), events: Mutex::new(sender) });
        let mut supervisor = Supervisor::new(&Shutdown::new());
        supervisor.start(odd).unwrap();
        assert_eq!([events.recv(), events.recv()], [Ok("run"), Ok("run")]);
        // As after a start that failed halfway: nobody else stops the server.
        drop(supervisor);
        assert_eq!(events.try_iter().collect::<Vec<_>>(), ["stopping", "finish"]);
    }

    #[test]
    fn pauses_double_up_to_the_longest() {
        let seconds: Vec<_> = pauses().take(100).map(|pause| pause.as_secs()).collect();
        assert_eq!(seconds[..7], [60, 120, 240, 480, 960, 1920, 3600]);
        assert_eq!(seconds[99], 3600);
    }
}
