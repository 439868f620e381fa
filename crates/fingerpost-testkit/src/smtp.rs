//! A mail server for tests: it speaks as much of SMTP (RFC 5321) as a client needs, and keeps what
//! it gets.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A mail server on this machine, until the process ends.
#[derive(Clone, Debug)]
pub struct MailServer {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    /// How many further mails it refuses for now.
    refusing: Arc<AtomicU32>,
}

/// A mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The sender and the recipient of the envelope.
    pub envelope: (String, String),
    /// The argument of AUTH, if the client sent one.
    pub credentials: Option<String>,
    /// The message, with its lines separated by line feeds.
    pub message: String,
}

impl MailServer {
    /// Starts a server that offers no TLS.
    ///
    /// # Panics
    ///
    /// Panics if this machine has no free port.
    pub fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let server = Self { address, received: Arc::default(), refusing: Arc::default() };
        let own = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = own.clone();
                // A client that goes away ends the conversation.
                thread::spawn(move || own.talk(stream));
            }
        });
        server
    }

    /// Returns its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets it refuse the next mails for now.
    pub fn refuse(&self, mails: u32) {
        self.refusing.store(mails, SeqCst);
    }

    /// Waits until it has so many mails; returns them, the first one first.
    ///
    /// # Panics
    ///
    /// Panics after a minute.
    pub fn wait_for(&self, count: usize) -> Vec<Received> {
        let begin = Instant::now();
        loop {
            let received = self.received.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if received.len() >= count {
                return received;
            }
            assert!(begin.elapsed() < crate::PATIENCE, "{count} mails: {received:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn talk(&self, stream: TcpStream) -> io::Result<()> {
        let mut answers = stream.try_clone()?;
        let mut lines = BufReader::new(stream).lines();
        let (mut envelope, mut credentials) = ((String::new(), String::new()), None);
        answers.write_all(b"220 test\r\n")?;
        while let Some(line) = lines.next().transpose()? {
            let address = |line: &str| {
                let address = line.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
                address.map(|(address, _)| address.to_owned()).unwrap_or_default()
            };
            let verb = line.get(..4).unwrap_or_default().to_ascii_uppercase();
            let answer: &[u8] = match &*verb {
                "EHLO" => b"250-test\r\n250-AUTH PLAIN\r\n250 8BITMIME\r\n",
                "AUTH" => {
                    credentials = line.rsplit(' ').next().map(str::to_owned);
                    b"235 in\r\n"
                }
                "MAIL" => {
                    envelope.0 = address(&line);
                    b"250 ok\r\n"
                }
                "RCPT" if self.refusing.load(SeqCst) > 0 => {
                    self.refusing.fetch_sub(1, SeqCst);
                    b"451 later\r\n"
                }
                "RCPT" => {
                    envelope.1 = address(&line);
                    b"250 ok\r\n"
                }
                "DATA" => {
                    answers.write_all(b"354 go on\r\n")?;
                    let mut message = String::new();
                    for line in lines.by_ref() {
                        let line = line?;
                        if line == "." {
                            break;
                        }
                        // RFC 5321 section 4.5.2
                        message.push_str(line.strip_prefix('.').unwrap_or(&line));
                        message.push('\n');
                    }
                    let (envelope, credentials) = (envelope.clone(), credentials.clone());
                    let received = Received { envelope, credentials, message };
                    self.received.lock().unwrap_or_else(PoisonError::into_inner).push(received);
                    b"250 kept\r\n"
                }
                "QUIT" => {
                    answers.write_all(b"221 bye\r\n")?;
                    return Ok(());
                }
                "RSET" | "NOOP" => b"250 ok\r\n",
                _ => b"502 what\r\n",
            };
            answers.write_all(answer)?;
        }
        Ok(())
    }
}
