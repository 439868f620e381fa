//! The process manager: what the server tells it (`sd_notify(3)`), and the sockets that it has opened for the server
//! (`sd_listen_fds(3)`). Without one, nothing happens.

use std::collections::HashMap;
use std::env;
use std::io;
use std::net::TcpListener;
use std::os::unix::net::UnixDatagram;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_http::{Meter, Shutdown, process::monotonic_time};
use listenfd::ListenFd;

use crate::config::Overrides;
use crate::failure::Failure;

/// Time between two requests for more time to start, and how much is asked for.
const EXTEND_EVERY: Duration = Duration::from_secs(10);
const EXTEND_BY: Duration = Duration::from_secs(60);

/// Interval at which it is looked whether the server stops.
const LOOK: Duration = Duration::from_millis(100);

/// The process manager, if there is one that wants to be told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manager {
    socket: Option<Arc<UnixDatagram>>,
    /// How often it wants to hear from the server.
    watchdog: Option<Duration>,
}

impl Manager {
    /// Returns the manager that the environment names.
    pub(crate) fn of_environment() -> Self {
        let Some(address) = env::var("NOTIFY_SOCKET").ok().filter(|address| !address.is_empty())
        else {
            return Self::default();
        };
        let own = |variable: &str| env::var(variable).ok()?.parse::<u64>().ok();
        let is_meant = own("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
        let watchdog = own("WATCHDOG_USEC").filter(|_| is_meant).map(Duration::from_micros);
        match connect(&address) {
            Ok(socket) => Self { socket: Some(Arc::new(socket)), watchdog },
            Err(error) => {
                tracing::warn!(%error, address, "the process manager cannot be told anything");
                Self::default()
            }
        }
    }

    /// Says that the server answers, or that it has read its configuration again.
    pub(crate) fn ready(&self) {
        self.tell("READY=1\nSTATUS=serving");
    }

    /// Says that the server reads its configuration again.
    pub(crate) fn reloading(&self) {
        self.tell(&format!("RELOADING=1\nMONOTONIC_USEC={}", monotonic_time().as_micros()));
    }

    /// Asks for more time to start until what is returned is dropped: checking a large store takes as long as reading it.
    pub(crate) fn extend_start_timeout(&self) -> StartTimeout {
        let is_over = Arc::new(AtomicBool::new(false));
        let starting = StartTimeout(Arc::clone(&is_over));
        if self.socket.is_some() {
            let manager = self.clone();
            let extend = move || {
                let mut asked: Option<Instant> = None;
                while !is_over.load(Relaxed) {
                    if asked.is_none_or(|asked| asked.elapsed() > EXTEND_EVERY) {
                        asked = Some(Instant::now());
                        let more = EXTEND_BY.as_micros();
                        manager.tell(&format!(
                            "EXTEND_TIMEOUT_USEC={more}\nSTATUS=checking the store"
                        ));
                    }
                    thread::sleep(LOOK);
                }
            };
            spawn(extend);
        }
        starting
    }

    /// Tells on a thread of its own when the server stops, and until then that its workers run.
    pub(crate) fn look_after(&self, meter: &Meter, shutdown: &Shutdown) {
        if self.socket.is_none() {
            return;
        }
        let (manager, meter, shutdown) = (self.clone(), meter.clone(), shutdown.clone());
        spawn(move || {
            let (mut told, mut ticks) = (Instant::now(), Vec::new());
            while !shutdown.is_triggered() {
                thread::sleep(LOOK);
                let Some(interval) = manager.watchdog else { continue };
                if told.elapsed() < interval / 2 {
                    continue;
                }
                told = Instant::now();
                let now = meter.ticks();
                if is_alive(&ticks, &now) {
                    manager.tell("WATCHDOG=1");
                } else {
                    tracing::error!(
                        "a worker does not run: the process manager is not told that all is well"
                    );
                }
                ticks = now;
            }
            manager.tell("STOPPING=1\nSTATUS=stopping");
        });
    }

    fn tell(&self, state: &str) {
        let Some(socket) = &self.socket else { return };
        if let Err(error) = socket.send(state.as_bytes()) {
            tracing::debug!(%error, "the process manager was not told");
        }
    }
}

/// The time until the server answers.
#[derive(Debug)]
pub(crate) struct StartTimeout(Arc<AtomicBool>);

impl Drop for StartTimeout {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Returns whether the clock of every worker has ticked in between.
fn is_alive(before: &[u64], now: &[u64]) -> bool {
    before.len() != now.len() || before.iter().zip(now).all(|(before, now)| before != now)
}

fn spawn(work: impl FnOnce() + Send + 'static) {
    if let Err(error) = thread::Builder::new().name("manager".to_owned()).spawn(work) {
        tracing::warn!(%error, "the process manager is not told how the server is");
    }
}

/// Connects to a path, or to a name that begins with `@`, which is in no file system.
fn connect(address: &str) -> io::Result<UnixDatagram> {
    let socket = UnixDatagram::unbound()?;
    #[cfg(target_os = "linux")]
    if let Some(name) = address.strip_prefix('@') {
        use std::os::linux::net::SocketAddrExt;
        let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
        socket.connect_addr(&address)?;
        return Ok(socket);
    }
    socket.connect(address)?;
    Ok(socket)
}

/// Takes the sockets that the process manager has opened for this process, by their names (`FileDescriptorName=` of the socket unit):
/// `public`, which is also that of a unit without a name, `redirect`, `admin` and `metrics`. Their addresses replace those of the
/// configuration.
pub(crate) fn take_sockets(flags: &mut Overrides) -> Result<(), Failure> {
    let mut given = ListenFd::from_env();
    let names = env::var("LISTEN_FDNAMES").unwrap_or_default();
    let names: Vec<&str> = names.split(':').collect();
    let mut addresses: HashMap<&str, Vec<_>> = HashMap::new();
    let mut sockets: Vec<TcpListener> = Vec::new();
    for at in 0..given.len() {
        let name = names.get(at).copied().unwrap_or_default();
        let purpose = match name {
            "redirect" | "admin" | "metrics" => name,
            "" | "public" | "unknown" => "public",
            unit if unit.ends_with(".socket") => "public",
            _ => {
                return Err(Failure::advise(
                    format!("the process manager gives a socket with the unknown name `{name}`"),
                    "use FileDescriptorName=public, redirect, admin or metrics in the socket unit",
                ));
            }
        };
        let unusable = |error: io::Error| {
            Failure::advise(
                format!("the socket `{name}` of the process manager cannot be used: {error}"),
                "give sockets that listen on TCP: ListenStream= with an address and a port",
            )
        };
        let taken = given.take_tcp_listener(at).map_err(unusable)?;
        let Some(socket) = taken else { continue };
        addresses.entry(purpose).or_default().push(socket.local_addr().map_err(unusable)?);
        sockets.push(socket);
    }
    let mut set = |purpose: &str, own: &mut Vec<_>| {
        if let Some(given) = addresses.remove(purpose) {
            *own = given;
        }
    };
    set("public", &mut flags.listen);
    set("redirect", &mut flags.redirect_listen);
    set("admin", &mut flags.admin_listen);
    set("metrics", &mut flags.metrics_listen);
    fingerpost_http::give(sockets);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_stands_still_is_not_alive() {
        assert!(is_alive(&[], &[4, 4]), "at the beginning");
        assert!(is_alive(&[4, 4], &[5, 9]));
        assert!(!is_alive(&[4, 4], &[5, 4]));
    }
}
