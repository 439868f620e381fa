//! Ports for servers that tests start later.

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// The first port for servers, and the number of ports.
const PORTS: (u16, u16) = (21_000, 4_000);

/// After how many ports in use the search ends.
const TRIES: u32 = 1_000;

/// Returns a port of this machine for a server that starts later, perhaps several times. No other
/// call of this function returns it, in any process, until this process ends.
///
/// The port is below those that the system gives to clients: any connection could take such a port
/// before the server starts. A client that calls a server which is down from the very port of the
/// server would even be connected with itself.
///
/// # Panics
///
/// If a thousand ports in a row are in use.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    static RESERVED: Mutex<Vec<UnixListener>> = Mutex::new(Vec::new());
    for _ in 0..TRIES {
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let offset = process::id().wrapping_mul(37).wrapping_add(next) % u32::from(PORTS.1);
        let port = PORTS.0 + u16::try_from(offset).expect("an offset within the ports");
        // An abstract name belongs to one process, and is free again when that ends in any way.
        let name = SocketAddr::from_abstract_name(format!("fingerpost-port-{port}"));
        let Ok(reserved) = UnixListener::bind_addr(&name.expect("a short name")) else { continue };
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            RESERVED.lock().unwrap_or_else(PoisonError::into_inner).push(reserved);
            return port;
        }
    }
    panic!("expected a free port from {} on, found {TRIES} in use: end what listens there", PORTS.0)
}
