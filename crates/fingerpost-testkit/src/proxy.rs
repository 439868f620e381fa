//! A proxy between an engine and its server: it loses connections at chosen moments of a commit, or
//! is a network that is cut, silent or slow.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The message that asks for a commit.
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";

/// What a slow network takes for a piece of so many bytes.
const PIECE: usize = 8 << 10;
const DELAY: Duration = Duration::from_millis(100);

/// How long an answer is held back while round trips are counted, so that all that is sent together
/// counts once.
const HELD: Duration = Duration::from_millis(20);

/// The message by which a reader ends its transaction; nobody waits for its answer.
const ROLLBACK: &[u8] = b"Q\0\0\0\x0dROLLBACK\0";

/// What happens to the next commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// The connection ends before the message reaches the server.
    Request,
    /// The server commits, but its answer is lost.
    Answer,
    /// The connection of the engine ends; the message reaches the server later.
    Delayed,
}

/// The state of the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Network {
    /// Everything arrives.
    #[default]
    Whole,
    /// Connections end, and new ones are accepted only to end.
    Cut,
    /// Connections are accepted, but nothing arrives; what was sent arrives later.
    Silent,
    /// Each piece of at most 8 KiB takes 100 ms in each direction.
    Slow,
}

/// A proxy on a port of its own.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    server: u16,
    network: Mutex<Network>,
    loss: Mutex<Option<Loss>>,
    lost: AtomicU32,
    /// Round trips, while they are counted.
    trips: Mutex<Option<u32>>,
    open: Mutex<Vec<TcpStream>>,
    /// Whether all connections end with the next loss.
    then_refuses: AtomicBool,
}

impl Proxy {
    /// Starts a proxy to the server at this port of this machine.
    ///
    /// # Panics
    ///
    /// If there is no free port.
    pub fn start(server: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let port = listener.local_addr().expect("a bound socket").port();
        let shared = Arc::new(Shared {
            server,
            network: Mutex::default(),
            loss: Mutex::new(None),
            lost: AtomicU32::new(0),
            trips: Mutex::new(None),
            open: Mutex::default(),
            then_refuses: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        // Ends with the process, as do the threads of connections.
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, shared) = (client.expect("a connection"), Arc::clone(&accepting));
                thread::spawn(move || shared.serve(client));
            }
        });
        Self { port, shared }
    }

    /// Returns the port of the proxy on this machine.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Loses the next commit.
    pub fn lose_next(&self, loss: Loss) {
        *lock(&self.shared.loss) = Some(loss);
    }

    /// Loses the next commit and all connections, and accepts none after that until
    /// [`Proxy::accept`].
    pub fn lose_next_and_refuse(&self, loss: Loss) {
        self.shared.then_refuses.store(true, Ordering::SeqCst);
        self.lose_next(loss);
    }

    /// Lets connections through again.
    pub fn accept(&self) {
        self.set(Network::Whole);
    }

    /// Changes the state of the network.
    pub fn set(&self, network: Network) {
        self.shared.set(network);
    }

    /// Returns how many round trips `work` takes on all connections: how often a client sends
    /// something after it got an answer. Answers are held back meanwhile.
    pub fn round_trips(&self, work: impl FnOnce()) -> u32 {
        *lock(&self.shared.trips) = Some(0);
        work();
        thread::sleep(HELD); // for what nobody waits for
        lock(&self.shared.trips).take().unwrap_or_default()
    }

    /// Returns how many commits were lost.
    pub fn lost(&self) -> u32 {
        self.shared.lost.load(Ordering::SeqCst)
    }
}

impl Shared {
    fn network(&self) -> Network {
        *lock(&self.network)
    }

    fn set(&self, network: Network) {
        *lock(&self.network) = network;
        if network == Network::Cut {
            for connection in lock(&self.open).drain(..) {
                let _ = connection.shutdown(Shutdown::Both);
            }
        }
    }

    /// Counts a round trip if the client has had an answer since it last sent something.
    fn count(&self, has_answer: &AtomicBool, sent: &[u8]) {
        if sent != ROLLBACK
            && let Some(trips) = &mut *lock(&self.trips)
            && has_answer.swap(false, Ordering::SeqCst)
        {
            *trips += 1;
        }
    }

    /// Waits as long as this many bytes take.
    fn pass(&self, length: usize) {
        while self.network() == Network::Silent {
            thread::sleep(Duration::from_millis(20));
        }
        if self.network() == Network::Slow {
            let pieces = u32::try_from(length.div_ceil(PIECE)).unwrap_or(u32::MAX);
            thread::sleep(DELAY * pieces);
        }
    }

    fn serve(self: Arc<Self>, mut client: TcpStream) {
        if self.network() == Network::Cut {
            return;
        }
        let Ok(mut server) = TcpStream::connect(("127.0.0.1", self.server)) else { return };
        lock(&self.open).push(client.try_clone().expect("a descriptor"));
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let (mut answers, mut back) =
            (server.try_clone().expect("a descriptor"), client.try_clone().expect("a descriptor"));
        let is_mute = Arc::new(AtomicBool::new(false));
        let has_answer = Arc::new(AtomicBool::new(true));
        let (mute, back_way) = (Arc::clone(&is_mute), Arc::clone(&self));
        let answered = Arc::clone(&has_answer);
        thread::spawn(move || {
            let mut bytes = [0; 1 << 16];
            while let Ok(length @ 1..) = answers.read(&mut bytes) {
                back_way.pass(length);
                if lock(&back_way.trips).is_some() {
                    thread::sleep(HELD);
                }
                answered.store(true, Ordering::SeqCst);
                if !mute.load(Ordering::SeqCst) && back.write_all(&bytes[..length]).is_err() {
                    break;
                }
            }
            let _ = back.shutdown(Shutdown::Both);
        });
        let mut bytes = [0; 1 << 16];
        while let Ok(length @ 1..) = client.read(&mut bytes) {
            let sent = &bytes[..length];
            self.count(&has_answer, sent);
            self.pass(length);
            let is_commit = sent.windows(COMMIT.len()).any(|window| window == COMMIT);
            let loss = if is_commit { lock(&self.loss).take() } else { None };
            let Some(loss) = loss else {
                if server.write_all(sent).is_err() {
                    break;
                }
                continue;
            };
            if self.then_refuses.swap(false, Ordering::SeqCst) {
                *lock(&self.network) = Network::Cut;
            }
            is_mute.store(true, Ordering::SeqCst);
            self.lose(loss, sent, &client, &mut server);
            if self.network() == Network::Cut {
                self.set(Network::Cut);
            }
            break;
        }
        let _ = (client.shutdown(Shutdown::Both), server.shutdown(Shutdown::Both));
    }

    fn lose(&self, loss: Loss, sent: &[u8], client: &TcpStream, server: &mut TcpStream) {
        self.lost.fetch_add(1, Ordering::SeqCst);
        let begin =
            sent.windows(COMMIT.len()).position(|window| window == COMMIT).expect("it was found");
        match loss {
            Loss::Request => {
                // All that was sent before reaches the server.
                let _ = server.write_all(&sent[..begin]);
            }
            Loss::Answer => {
                let _ = server.write_all(sent);
                thread::sleep(Duration::from_millis(50)); // the server commits
            }
            Loss::Delayed => {
                let _ = server.write_all(&sent[..begin]);
                let _ = client.shutdown(Shutdown::Both);
                thread::sleep(Duration::from_millis(300)); // the engine connects again, and waits for its turn
                let _ = server.write_all(&sent[begin..]);
                thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
