//! Listening sockets: one per worker and address with `SO_REUSEPORT`. The kernel distributes
//! connections over the workers, and no connection is passed between threads.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use socket2::{Domain, Protocol, SockRef, Socket, Type};

use crate::limits::{ACCEPT_BACKLOG, MAX_UNSENT_IN_KERNEL};

/// Sockets that listen already, because the process manager has opened them for this process
/// (`sd_listen_fds(3)`).
static GIVEN: Mutex<Vec<TcpListener>> = Mutex::new(Vec::new());

/// Adds sockets that listen already: a server that binds the address of one of them uses it. So
/// addresses stay open while a new process takes over from an old one, and need no privilege.
pub fn give(sockets: impl IntoIterator<Item = TcpListener>) {
    GIVEN.lock().unwrap_or_else(PoisonError::into_inner).extend(sockets);
}

/// Takes the socket with this address that was given.
fn take_given(address: SocketAddr) -> Option<TcpListener> {
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    let at = given.iter().position(|socket| socket.local_addr().is_ok_and(|own| own == address))?;
    Some(given.swap_remove(at))
}

/// Returns a given socket as often as there are workers; they accept from one queue then.
fn share(given: TcpListener, count: usize, patience: Duration) -> io::Result<Vec<TcpListener>> {
    let socket = SockRef::from(&given);
    socket.set_nonblocking(true)?;
    socket.set_tcp_notsent_lowat(MAX_UNSENT_IN_KERNEL)?;
    socket.set_tcp_user_timeout(Some(patience))?;
    let mut listeners = Vec::with_capacity(count);
    for _ in 1..count {
        listeners.push(given.try_clone()?);
    }
    listeners.push(given);
    Ok(listeners)
}

/// Returns `count` sockets on one address. For port 0, all of them share one free port. The kernel
/// ends connections whose clients accept nothing for longer than `patience`.
pub(crate) fn bind(
    address: SocketAddr,
    count: usize,
    patience: Duration,
) -> io::Result<Vec<TcpListener>> {
    if let Some(given) = take_given(address) {
        return share(given, count, patience);
    }
    if address.port() != 0 {
        // With SO_REUSEPORT alone, a second server would start unnoticed and receive half of the
        // requests.
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
    socket.set_tcp_notsent_lowat(MAX_UNSENT_IN_KERNEL)?;
    socket.set_tcp_user_timeout(Some(patience))?;
    socket.bind(&address.into())?;
    socket.listen(ACCEPT_BACKLOG)?;
    Ok(socket.into())
}
