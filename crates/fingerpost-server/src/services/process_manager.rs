//! The process manager: the notifications of the server (`sd_notify(3)`), and the sockets that it
//! has opened for the server (`sd_listen_fds(3)`). Without one, nothing happens.

use std::collections::HashMap;
use std::env;
use std::io;
use std::net::TcpListener;
use std::os::unix::net::UnixDatagram;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fingerpost_http::{Meter, process::monotonic_time};
use listenfd::ListenFd;

use super::{Next, Service, Stop};
use crate::config::Overrides;
use crate::failure::Failure;

/// Time between two requests for more time to start, and how much is asked for.
const EXTEND_EVERY: Duration = Duration::from_secs(10);
const EXTEND_BY: Duration = Duration::from_secs(60);

/// The process manager, if there is one that wants notifications.
#[derive(Debug, Default)]
pub(crate) struct Manager {
    socket: Option<UnixDatagram>,
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
            Ok(socket) => Self { socket: Some(socket), watchdog },
            Err(error) => {
                tracing::warn!(%error, address, "the process manager cannot be notified");
                Self::default()
            }
        }
    }

    /// Reports that the server answers, or that it has read its configuration again.
    pub(crate) fn ready(&self) {
        self.notify("READY=1\nSTATUS=serving");
    }

    /// Reports that the server reads its configuration again.
    pub(crate) fn reloading(&self) {
        self.notify(&format!("RELOADING=1\nMONOTONIC_USEC={}", monotonic_time().as_micros()));
    }

    fn notify(&self, state: &str) {
        let Some(socket) = &self.socket else { return };
        if let Err(error) = socket.send(state.as_bytes()) {
            tracing::debug!(%error, "the process manager was not notified");
        }
    }
}

/// Requests more time to start: checking a large store takes as long as reading it.
pub(crate) struct StartTimeout(pub(crate) Arc<Manager>);

impl Service for StartTimeout {
    fn name(&self) -> &'static str {
        "start-timeout"
    }

    fn run(&self, _: &Stop) -> Result<Next, Failure> {
        if self.0.socket.is_none() {
            return Ok(Next::AtStop);
        }
        let more = EXTEND_BY.as_micros();
        self.0.notify(&format!("EXTEND_TIMEOUT_USEC={more}\nSTATUS=checking the store"));
        Ok(Next::After(EXTEND_EVERY))
    }
}

/// Reports to the process manager that the workers run, and when the server stops.
pub(crate) struct Watchdog {
    manager: Arc<Manager>,
    meter: Meter,
    /// The clocks of the workers at the last report.
    ticks: Mutex<Vec<u64>>,
}

impl Watchdog {
    pub(crate) fn new(manager: &Arc<Manager>, meter: &Meter) -> Self {
        Self { manager: Arc::clone(manager), meter: meter.clone(), ticks: Mutex::default() }
    }
}

impl Service for Watchdog {
    fn name(&self) -> &'static str {
        "watchdog"
    }

    fn run(&self, _: &Stop) -> Result<Next, Failure> {
        let Some(interval) = self.manager.watchdog else { return Ok(Next::AtStop) };
        let now = self.meter.ticks();
        let mut ticks = self.ticks.lock().unwrap_or_else(PoisonError::into_inner);
        if is_alive(&ticks, &now) {
            self.manager.notify("WATCHDOG=1");
        } else {
            tracing::error!("a worker does not run: the process manager is not notified");
        }
        *ticks = now;
        Ok(Next::After(interval / 2))
    }

    fn stopping(&self) {
        self.manager.notify("STOPPING=1\nSTATUS=stopping");
    }

    fn is_awaited(&self) -> bool {
        true
    }
}

/// Returns whether the clock of every worker has ticked in between.
fn is_alive(before: &[u64], now: &[u64]) -> bool {
    before.len() != now.len() || before.iter().zip(now).all(|(before, now)| before != now)
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

/// Takes the sockets that the process manager has opened for this process, by their names
/// (`FileDescriptorName=` of the socket unit): `public`, which is also that of a unit without a
/// name, `redirect`, `admin` and `metrics`. Their addresses replace those of the configuration.
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
