//! Servers to check, and a registry with links to them.

use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use fingerpost_http::{AddressGuard, Outgoing};
use fingerpost_linkcheck::{Checker, LinkOptions, LinkRange, Round, RoundReport};
use fingerpost_registry::{
    Caller, Conditions, LevelLinks, LinkQuery, Registry, RegistryOptions, TargetHealth,
};
use fingerpost_store::Store;

/// The address of the resolver whose links are checked.
pub(crate) const ROOT: &str = "http://id.example.org";

/// A server that answers each request on a thread of its own, and notes it.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    log: Arc<Mutex<Vec<String>>>,
}

impl Site {
    pub(crate) fn at(
        ip: [u8; 4],
        answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static,
    ) -> Self {
        Self::listening((ip, 0).into(), answer)
    }

    pub(crate) fn listening(
        address: SocketAddr,
        answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let (noted, answer) = (Arc::clone(&log), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let (noted, answer) = (Arc::clone(&noted), Arc::clone(&answer));
                thread::spawn(move || {
                    let Some(head) = head(&mut stream) else { return };
                    let line = head.split(" HTTP").next().unwrap().to_owned();
                    noted.lock().unwrap().push(head);
                    answer(&line, &mut stream);
                    let _ = stream.shutdown(Shutdown::Write);
                });
            }
        });
        Self { address, log }
    }

    pub(crate) fn new(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        Self::at([127, 0, 0, 1], answer)
    }

    /// A server with fixed answers by method and path; others are 404.
    pub(crate) fn fixed(answers: &'static [(&'static str, &'static str)]) -> Self {
        Self::new(move |line, stream| {
            let found = answers.iter().find(|(asked, _)| *asked == line);
            say(stream, found.map_or("404 Not Found", |(_, answer)| answer));
        })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://site.example:{}{path}", self.address.port())
    }

    /// The first lines of the requests, without those for `robots.txt`.
    pub(crate) fn requests(&self) -> Vec<String> {
        let heads = self.heads();
        let lines = heads.iter().map(|head| head.split(" HTTP").next().unwrap().to_owned());
        lines.filter(|line| !line.ends_with("/robots.txt")).collect()
    }

    pub(crate) fn heads(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

fn head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}

/// Sends an answer without a body: a status, and fields after it.
pub(crate) fn say(stream: &mut TcpStream, answer: &str) {
    let answer = format!("HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let _ = stream.write_all(answer.as_bytes());
}

pub(crate) fn options() -> LinkOptions {
    LinkOptions { host_pause: "0s".parse().unwrap(), ..LinkOptions::default() }
}

/// Options for servers that do not answer in time.
pub(crate) fn impatient() -> LinkOptions {
    LinkOptions { timeout: "1s".parse().unwrap(), ..options() }
}

/// A guard that permits 127.0.0.1 only, where all names lead.
pub(crate) fn guard() -> AddressGuard {
    let guard = AddressGuard::new(vec!["127.0.0.1".parse().unwrap()]);
    guard.with_names(|_| vec![IpAddr::from([127, 0, 0, 1])])
}

pub(crate) fn registry() -> Registry {
    Registry::new(Arc::new(Store::in_memory()), RegistryOptions::new())
}

/// Registers a product with one link for each target.
pub(crate) fn put(registry: &Registry, anchor: &str, targets: &[&str]) {
    let link = |kind: &str, target: &str, title: usize| {
        format!(r#"{{"linkType": "{kind}", "href": "{target}", "title": "Link {title}"}}"#)
    };
    let mut links = vec![link("gs1:defaultLink", targets[0], 0)];
    links.extend(targets.iter().enumerate().map(|(at, target)| link("gs1:pip", target, at + 1)));
    let record = format!(r#"{{"anchor": "{anchor}", "links": [{}]}}"#, links.join(","));
    registry.put(&caller(), None, record.as_bytes(), Conditions::none()).unwrap();
}

pub(crate) fn caller() -> Caller {
    Caller::local("test")
}

pub(crate) fn everything() -> Round {
    Round { ranges: vec![LinkRange::default()], since: None, holder: None }
}

/// Makes a round over all records in which every target is checked.
pub(crate) fn check(registry: &Registry, checker: &Checker) -> RoundReport {
    let round = Round { since: Some(registry.now()), ..everything() };
    Outgoing::runtime().unwrap().block_on(checker.round(registry, &round, |_| {})).unwrap()
}

pub(crate) fn checker(options: &LinkOptions, guard: AddressGuard) -> Checker {
    Checker::with_guard(options, ROOT, guard).unwrap()
}

pub(crate) fn links(registry: &Registry, broken: bool) -> Vec<LevelLinks> {
    let query = LinkQuery { broken, ..LinkQuery::default() };
    registry.checked_links(&caller(), &query, None, 1000).unwrap().items
}

/// The state of one target after a check by this checker.
pub(crate) fn health_by(checker: &Checker, target: &str) -> TargetHealth {
    let registry = registry();
    put(&registry, "/01/09506000134352", &[target]);
    check(&registry, checker);
    links(&registry, false).remove(0).links.remove(0).health.expect("checked")
}

pub(crate) fn health_with(target: &str, guard: AddressGuard) -> TargetHealth {
    health_by(&checker(&options(), guard), target)
}

pub(crate) fn health(target: &str) -> TargetHealth {
    health_with(target, guard())
}
