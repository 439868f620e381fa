//! An HTTP/1.1 server of the tests, one connection for each request.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// A request as it was received.
#[derive(Debug, Default)]
pub(crate) struct Received {
    pub(crate) method: String,
    pub(crate) path: String,
    /// The query string, if there is a question mark.
    pub(crate) query: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
}

impl Received {
    /// Creates a GET request.
    pub(crate) fn get(target: &str, headers: &[(&str, &str)]) -> Self {
        let (path, query) = target.split_once('?').map_or((target, None), |(it, q)| (it, Some(q)));
        let header = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self {
            method: "GET".to_owned(),
            path: path.to_owned(),
            query: query.map(str::to_owned),
            headers: headers.iter().map(header).collect(),
        }
    }

    /// Returns a header field; empty if it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value)
    }
}

/// A server that ends with the test.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TestServer {
    /// Starts a server that writes what `answer` returns for each request.
    pub(crate) fn start(answer: impl Fn(&Received, &mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let ends = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&ends);
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if flag.load(Ordering::SeqCst) {
                    return;
                }
                let mut stream = stream.expect("a client");
                if let Some(request) = read(&stream) {
                    answer(&request, &mut stream);
                }
            }
        });
        Self { address, ends, thread: Some(thread) }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Reads the head of a request.
pub(crate) fn read(stream: impl Read) -> Option<Received> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next()?.ok()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
        None => (target, None),
    };
    let mut headers = Vec::new();
    for line in lines {
        let line = line.ok()?;
        if line.is_empty() {
            return Some(Received { method, path, query, headers });
        }
        let (name, value) = line.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    None
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) version: &'static str,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
    /// How many bytes more than it has the answer announces.
    pub(crate) missing: usize,
}

impl Reply {
    pub(crate) fn new(status: u16, media_type: &str, body: impl Into<String>) -> Self {
        let headers = vec![("content-type", media_type.to_owned())];
        Self { version: "1.1", status, headers, body: body.into(), missing: 0 }
    }

    /// Replaces or removes a header field.
    pub(crate) fn set(&mut self, name: &'static str, value: Option<&str>) {
        self.headers.retain(|(it, _)| *it != name);
        self.headers.extend(value.map(|value| (name, value.to_owned())));
    }

    /// Returns a header field; empty if it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(it, _)| *it == name).map_or("", |(_, value)| value)
    }

    /// Returns `Location`; empty if it is missing.
    pub(crate) fn location(&self) -> &str {
        self.header("location")
    }

    pub(crate) fn write(&self, has_body: bool, stream: &mut impl Write) {
        let mut text = format!("HTTP/{} {} X\r\nconnection: close\r\n", self.version, self.status);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !matches!(self.status, 204 | 304) {
            text.push_str(&format!("content-length: {}\r\n", self.body.len() + self.missing));
        }
        text.push_str("\r\n");
        if has_body {
            text.push_str(&self.body);
        }
        // A client that has seen enough closes the connection.
        let _ = stream.write_all(text.as_bytes());
    }
}
