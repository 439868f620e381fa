//! A proxy between an engine and its server, which loses connections at chosen moments of a commit.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The message that asks for a commit.
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";

/// What happens to the next commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Loss {
    /// The connection ends before the message reaches the server.
    Request,
    /// The server commits, but its answer is lost.
    Answer,
    /// The connection of the engine ends; the message reaches the server later.
    Delayed,
}

/// A proxy on a port of its own.
pub(crate) struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    server: u16,
    loss: Mutex<Option<Loss>>,
    lost: AtomicU32,
    open: Mutex<Vec<TcpStream>>,
    /// Whether new connections end at once.
    refuses: AtomicBool,
    /// Whether all connections end with the next loss.
    then_refuses: AtomicBool,
}

impl Proxy {
    pub(crate) fn start(server: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            server,
            loss: Mutex::new(None),
            lost: AtomicU32::new(0),
            open: Mutex::default(),
            refuses: AtomicBool::new(false),
            then_refuses: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        // Ends with the process, as do the threads of connections.
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, shared) = (client.unwrap(), Arc::clone(&accepting));
                thread::spawn(move || shared.serve(client));
            }
        });
        Self { port, shared }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Loses the next commit.
    pub(crate) fn lose_next(&self, loss: Loss) {
        *self.shared.loss.lock().unwrap() = Some(loss);
    }

    /// Loses the next commit and all connections, and accepts none after that until [`Proxy::accept`].
    pub(crate) fn lose_next_and_refuse(&self, loss: Loss) {
        self.shared.then_refuses.store(true, Ordering::SeqCst);
        self.lose_next(loss);
    }

    pub(crate) fn accept(&self) {
        self.shared.refuses.store(false, Ordering::SeqCst);
    }

    /// Returns how many commits were lost.
    pub(crate) fn lost(&self) -> u32 {
        self.shared.lost.load(Ordering::SeqCst)
    }
}

impl Shared {
    fn serve(self: Arc<Self>, mut client: TcpStream) {
        if self.refuses.load(Ordering::SeqCst) {
            return;
        }
        let Ok(mut server) = TcpStream::connect(("127.0.0.1", self.server)) else { return };
        self.open.lock().unwrap().push(client.try_clone().unwrap());
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let (mut answers, mut back) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        let is_mute = Arc::new(AtomicBool::new(false));
        let mute = Arc::clone(&is_mute);
        thread::spawn(move || {
            let mut bytes = [0; 1 << 16];
            while let Ok(length @ 1..) = answers.read(&mut bytes) {
                if !mute.load(Ordering::SeqCst) && back.write_all(&bytes[..length]).is_err() {
                    break;
                }
            }
            let _ = back.shutdown(Shutdown::Both);
        });
        let mut bytes = [0; 1 << 16];
        while let Ok(length @ 1..) = client.read(&mut bytes) {
            let sent = &bytes[..length];
            let is_commit = sent.windows(COMMIT.len()).any(|window| window == COMMIT);
            let loss = if is_commit { self.loss.lock().unwrap().take() } else { None };
            let Some(loss) = loss else {
                if server.write_all(sent).is_err() {
                    break;
                }
                continue;
            };
            if self.then_refuses.swap(false, Ordering::SeqCst) {
                self.refuses.store(true, Ordering::SeqCst);
            }
            is_mute.store(true, Ordering::SeqCst);
            self.lose(loss, sent, &client, &mut server);
            if self.refuses.load(Ordering::SeqCst) {
                for connection in self.open.lock().unwrap().drain(..) {
                    let _ = connection.shutdown(Shutdown::Both);
                }
            }
            break;
        }
        let _ = (client.shutdown(Shutdown::Both), server.shutdown(Shutdown::Both));
    }

    fn lose(&self, loss: Loss, sent: &[u8], client: &TcpStream, server: &mut TcpStream) {
        self.lost.fetch_add(1, Ordering::SeqCst);
        let begin = sent.windows(COMMIT.len()).position(|window| window == COMMIT).unwrap();
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
