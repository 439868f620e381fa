//! The sockets of several addresses, and the threads that serve them.

use std::net::{SocketAddr, TcpListener};
use std::thread;

use tokio::runtime;

use crate::{Limits, ServeError, Shutdown, Worker, listen};

/// The sockets of several addresses: one per worker and address, over which the kernel distributes
/// connections.
#[derive(Debug)]
pub struct Sockets {
    by_worker: Vec<Vec<TcpListener>>,
    local_addrs: Vec<SocketAddr>,
}

impl Sockets {
    /// Binds the addresses, without accepting connections yet.
    pub fn bind(
        addresses: &[SocketAddr],
        workers: usize,
        limits: &Limits,
    ) -> Result<Self, ServeError> {
        let mut sockets =
            Self { by_worker: (0..workers).map(|_| Vec::new()).collect(), local_addrs: Vec::new() };
        for &address in addresses {
            let bound = listen::bind(address, workers, limits.response_timeout.get())
                .map_err(|error| ServeError::Bind { address, error })?;
            sockets.local_addrs.push(bound[0].local_addr()?);
            for (worker, socket) in sockets.by_worker.iter_mut().zip(bound) {
                worker.push(socket);
            }
        }
        Ok(sockets)
    }

    /// Returns the addresses in use, in the order given, with the actual ports instead of port 0.
    pub fn local_addrs(&self) -> &[SocketAddr] {
        &self.local_addrs
    }

    /// Returns the sockets of each worker.
    pub fn into_workers(self) -> Vec<Vec<TcpListener>> {
        self.by_worker
    }
}

/// Runs each worker on its own thread and runtime until shutdown has completed. The calling thread
/// runs the last worker, together with `beside`.
pub fn run_workers(
    mut workers: Vec<Worker>,
    shutdown: &Shutdown,
    beside: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let last = workers.pop().unwrap_or_default();
    let mut handles = Vec::with_capacity(workers.len());
    for (at, worker) in workers.into_iter().enumerate() {
        let order = shutdown.clone();
        let thread = thread::Builder::new().name(format!("worker-{}", at + 1)).spawn(move || {
            let ended = run_one(worker, std::future::ready(()));
            // A server with too few workers looks healthy, so end instead.
            order.trigger();
            ended
        });
        handles.push(thread.inspect_err(|_| shutdown.trigger())?);
    }
    let served = run_one(last, beside);
    shutdown.trigger();
    for handle in handles {
        handle.join().map_err(|_| ServeError::Panicked)??;
    }
    served
}

fn run_one(worker: Worker, beside: impl Future<Output = ()>) -> Result<(), ServeError> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let beside = async {
        beside.await;
        std::future::pending().await
    };
    runtime.block_on(async {
        tokio::select! {
            ended = worker.run() => ended,
            never = beside => never,
        }
    })
}
