//! Runs the asynchronous client for threads that block.
//!
//! Connections live on threads of their own, so a caller may be any thread, also one of another
//! asynchronous runtime: it blocks, but never panics and never waits for itself.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

use crate::fault::Fault;
use crate::limits::DRIVER_THREADS;

/// The threads of an engine's connections.
pub(crate) struct Driver(Option<Runtime>);

impl Driver {
    pub(crate) fn new() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(DRIVER_THREADS)
            .thread_name("postgres")
            .enable_all()
            .build()?;
        Ok(Self(Some(runtime)))
    }

    /// Runs `task` on the threads of the driver.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        self.runtime().spawn(task).abort_handle()
    }

    /// Waits for a future; returns [`Fault::Late`] with `what` was requested when `limit` has
    /// passed.
    pub(crate) fn run<T>(
        &self,
        limit: Duration,
        what: &'static str,
        future: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Fault> {
        let _context = self.runtime().enter();
        match block_on(tokio::time::timeout(limit, future)) {
            Ok(result) => result.map_err(Fault::Postgres),
            Err(_) => Err(Fault::Late(what, limit)),
        }
    }

    /// Waits for a future that limits itself.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        let _context = self.runtime().enter();
        block_on(future)
    }

    fn runtime(&self) -> &Runtime {
        self.0.as_ref().expect("the runtime is taken only by drop")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            // An ordinary drop waits for the threads, and panics on a thread of another runtime.
            runtime.shutdown_background();
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
