//! Listening sockets: one per worker and address with `SO_REUSEPORT`. The kernel distributes connections over the workers, and no
//! connection is passed between threads.

use std::io;
use std::net::{SocketAddr, TcpListener};

use socket2::{Domain, Protocol, Socket, Type};

/// Maximum number of connections waiting to be accepted, per worker; the kernel reduces it to its own limit.
const BACKLOG: i32 = 4096;

/// Returns `count` sockets on one address. For port 0, all of them share one free port.
///
/// # Errors
///
/// Fails if the address is in use, even by a listener that would share it, or may not be used.
pub(crate) fn bind(address: SocketAddr, count: usize) -> io::Result<Vec<TcpListener>> {
    if address.port() != 0 {
        // With SO_REUSEPORT alone, a second server would start unnoticed and receive half of the requests.
        drop(socket(address, false)?);
    }
    let mut listeners = vec![socket(address, true)?];
    let address = listeners[0].local_addr()?;
    while listeners.len() < count {
        listeners.push(socket(address, true)?);
    }
    Ok(listeners)
}

fn socket(address: SocketAddr, shared: bool) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // Connections of a server that has just ended do not keep the address busy.
    socket.set_reuse_address(true)?;
    if shared {
        socket.set_reuse_port(true)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}
