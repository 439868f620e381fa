//! Listening sockets: one per worker and address with `SO_REUSEPORT`. The kernel distributes connections over the workers, and no
//! connection is passed between threads.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};

/// Maximum number of connections waiting to be accepted, per worker; the kernel reduces it to its own limit.
const BACKLOG: i32 = 4096;

/// Bytes of an answer that the kernel takes before the client has room for them: enough for a fast line, and little enough for thousands
/// of clients that read nothing.
const UNSENT: u32 = 128 << 10;

/// Returns `count` sockets on one address. For port 0, all of them share one free port. The kernel ends connections whose clients accept
/// nothing for longer than `patience`.
///
/// # Errors
///
/// Fails if the address is in use, even by a listener that would share it, or may not be used.
pub(crate) fn bind(
    address: SocketAddr,
    count: usize,
    patience: Duration,
) -> io::Result<Vec<TcpListener>> {
    if address.port() != 0 {
        // With SO_REUSEPORT alone, a second server would start unnoticed and receive half of the requests.
        drop(socket(address, false, patience)?);
    }
    let mut listeners = vec![socket(address, true, patience)?];
    let address = listeners[0].local_addr()?;
    while listeners.len() < count {
        listeners.push(socket(address, true, patience)?);
    }
    Ok(listeners)
}

fn socket(address: SocketAddr, shared: bool, patience: Duration) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // Connections of a server that has just ended do not keep the address busy.
    socket.set_reuse_address(true)?;
    if shared {
        socket.set_reuse_port(true)?;
    }
    socket.set_nonblocking(true)?;
    // Accepted connections inherit these.
    socket.set_tcp_notsent_lowat(UNSENT)?;
    socket.set_tcp_user_timeout(Some(patience))?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}
