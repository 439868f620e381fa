//! Runs the asynchronous client without a runtime: the thread that waits for an answer reads and
//! writes the socket itself. Nothing wakes another thread, so a round trip costs little more than
//! that of the network. A caller may be any thread, also one of an asynchronous runtime.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::fault::Fault;
use crate::limits::GRACE;

/// A connection that ends when the server or the client closes it.
type Connection = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The connection of a session, which proceeds only while a call waits for it.
pub(crate) struct Driver {
    socket: Arc<Socket>,
    /// `None` before the session begins, and after the connection has ended.
    connection: RefCell<Option<Connection>>,
    signals: Arc<Signals>,
}

/// What a call must do before it may wait for the socket.
#[derive(Default)]
struct Signals {
    /// A future can proceed.
    is_woken: AtomicBool,
    /// The socket takes no more bytes for now.
    is_full: AtomicBool,
}

impl Wake for Signals {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Ordering::Relaxed);
    }
}

impl Driver {
    /// Connects a socket to the only host of a configuration.
    pub(crate) fn connect(config: &Config) -> Result<Self, Fault> {
        let socket = Socket::connect(config)
            .map_err(|error| Fault::Unreachable(format!("error connecting to server: {error}")))?;
        let (socket, signals) = (Arc::new(socket), Arc::default());
        Ok(Self { socket, connection: RefCell::new(None), signals })
    }

    /// Returns the stream of the socket.
    pub(crate) fn stream(&self) -> Stream {
        Stream { socket: Arc::clone(&self.socket), signals: Arc::clone(&self.signals) }
    }

    /// Sets the connection that uses the stream.
    pub(crate) fn set_connection(&self, connection: impl Future<Output = ()> + Send + 'static) {
        *self.connection.borrow_mut() = Some(Box::pin(connection));
    }

    /// Waits for a future; returns [`Fault::Late`] with `what` was requested when `limit` has
    /// passed.
    pub(crate) fn run<T>(
        &self,
        limit: Duration,
        what: &'static str,
        future: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Fault> {
        let deadline = Instant::now() + limit;
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(result) = self.proceed(future.as_mut()) {
                return result.map_err(Fault::Postgres);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Fault::Late(what, limit));
            }
            self.wait(left);
        }
    }

    /// Proceeds with a future as far as that is possible without waiting.
    pub(crate) fn proceed<F: Future>(&self, mut future: Pin<&mut F>) -> Poll<F::Output> {
        let waker = Waker::from(Arc::clone(&self.signals));
        let mut context = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return Poll::Ready(output);
            }
            let mut connection = self.connection.borrow_mut();
            if connection.as_mut().is_some_and(|one| one.as_mut().poll(&mut context).is_ready()) {
                *connection = None; // the future finds it closed
            }
            if !self.signals.is_woken.swap(false, Ordering::Relaxed) {
                return Poll::Pending;
            }
        }
    }

    /// Sends and receives what is possible without waiting.
    pub(crate) fn flush(&self) {
        let _ = self.proceed(pin!(std::future::pending::<()>()));
    }

    /// Waits until the socket has something to read or, if needed, room to write.
    fn wait(&self, limit: Duration) {
        let mut events = PollFlags::IN;
        events.set(PollFlags::OUT, self.signals.is_full.swap(false, Ordering::Relaxed));
        let timeout = Timespec::try_from(limit).ok();
        let _ = poll(&mut [PollFd::new(&*self.socket, events)], timeout.as_ref());
    }
}

impl Drop for Driver {
    /// The client is gone: says goodbye to the server, if that is possible at once.
    fn drop(&mut self) {
        self.flush();
    }
}

/// A socket that does not block.
enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    fn connect(config: &Config) -> io::Result<Self> {
        let limit = config.get_connect_timeout().copied().unwrap_or(GRACE);
        let (name, port) = (config.get_hosts().first(), config.get_ports().first());
        let port = port.copied().unwrap_or(crate::address::PORT);
        let addresses = match (config.get_hostaddrs().first(), name) {
            (Some(address), _) => vec![SocketAddr::new(*address, port)],
            (None, Some(Host::Tcp(name))) => addresses(name, port, limit)?,
            (None, Some(Host::Unix(folder))) => {
                let socket = UnixStream::connect(folder.join(format!(".s.PGSQL.{port}")))?;
                socket.set_nonblocking(true)?;
                return Ok(Self::Unix(socket));
            }
            (None, None) => Vec::new(),
        };
        let mut fault = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for address in addresses {
            match TcpStream::connect_timeout(&address, limit) {
                Ok(socket) => return Self::of_tcp(socket, config),
                Err(error) => fault = error,
            }
        }
        Err(fault)
    }

    fn of_tcp(socket: TcpStream, config: &Config) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        socket.set_nonblocking(true)?;
        let options = SockRef::from(&socket);
        #[cfg(target_os = "linux")]
        options.set_tcp_user_timeout(config.get_tcp_user_timeout().copied())?;
        if config.get_keepalives() {
            let keepalive = TcpKeepalive::new().with_time(config.get_keepalives_idle());
            let interval = config.get_keepalives_interval();
            let keepalive = interval.iter().fold(keepalive, |all, time| all.with_interval(*time));
            let probes = config.get_keepalives_retries();
            let keepalive = probes.iter().fold(keepalive, |all, probes| all.with_retries(*probes));
            options.set_tcp_keepalive(&keepalive)?;
        }
        Ok(Self::Tcp(socket))
    }

    fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(socket) => (&*socket).read(bytes),
            Self::Unix(socket) => (&*socket).read(bytes),
        }
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(socket) => (&*socket).write(bytes),
            Self::Unix(socket) => (&*socket).write(bytes),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(socket) => socket.as_fd(),
            Self::Unix(socket) => socket.as_fd(),
        }
    }
}

/// Looks up the addresses of a host. The resolver of the operating system has no time limit.
fn addresses(name: &str, port: u16, limit: Duration) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = name.parse() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let (send, found) = channel();
    let name = name.to_owned();
    let resolve = move || {
        let found = (name.as_str(), port).to_socket_addrs().map(Vec::from_iter);
        let _ = send.send(found); // it can be too late
    };
    thread::Builder::new().name("resolve".to_owned()).spawn(resolve)?;
    let late = |_| io::Error::new(io::ErrorKind::TimedOut, "the host name was not resolved");
    found.recv_timeout(limit).map_err(late)?
}

/// The socket as the client uses it.
pub(crate) struct Stream {
    socket: Arc<Socket>,
    signals: Arc<Signals>,
}

impl Stream {
    /// Returns the result of an operation that does not block.
    fn result<T>(result: io::Result<T>) -> Poll<io::Result<T>> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
            result => Poll::Ready(result),
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Self::result(self.socket.read(buffer.initialize_unfilled()));
        read.map_ok(|length| buffer.advance(length))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Self::result(self.socket.write(bytes));
        self.signals.is_full.fetch_or(written.is_pending(), Ordering::Relaxed);
        written
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(())) // the socket is closed with the last handle
    }
}
