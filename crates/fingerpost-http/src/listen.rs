//! Listening sockets: one per worker and address with `SO_REUSEPORT`, so that the kernel spreads connections
//! over the workers and none is handed from thread to thread.

use std::io;
use std::net::{SocketAddr, TcpListener};

use socket2::{Domain, Protocol, Socket, Type};

/// Connections that wait to be accepted, per worker; the kernel cuts it to its own limit.
const BACKLOG: i32 = 4096;

/// `count` sockets on one address. Port 0 takes one free port for all.
///
/// # Errors
///
/// That the address is in use, even by a listener that would share it, or may not be used.
pub(crate) fn bind(address: SocketAddr, count: usize) -> io::Result<Vec<TcpListener>> {
    if address.port() != 0 {
        // With SO_REUSEPORT alone a second server would start unnoticed and take half of the requests.
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
    // Connections of a server that just ended do not keep the address busy.
    socket.set_reuse_address(true)?;
    if shared {
        socket.set_reuse_port(true)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}
