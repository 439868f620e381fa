//! Measures how many targets one core checks in an hour, against servers on this machine.
//!
//! `cargo run --release -p fingerpost-linkcheck --example throughput [TARGETS]` registers targets
//! at 256 hosts, checks all of them in one round, and prints the time of the round, the processor
//! time of its thread, and the memory of the process. The servers have a thread of their own.

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use fingerpost_http::process::thread_time;
use fingerpost_http::{AddressGuard, Outgoing};
use fingerpost_linkcheck::{Checker, LinkOptions, LinkRange, Round};
use fingerpost_registry::{Caller, Conditions, Registry, RegistryOptions};
use fingerpost_store::{Store, StoreOptions};

/// Hosts, so that the pauses of a host do not decide.
const HOSTS: usize = 256;

/// Targets in one record.
const LINKS: usize = 100;

fn main() {
    let targets: usize =
        std::env::args().nth(1).map_or(20_000, |text| text.parse().expect("a number"));
    let server = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port");
    let port = server.local_addr().expect("an address").port();
    thread::spawn(move || serve(&server));
    let dir = tempfile::tempdir().expect("a folder");
    let store = Store::open(dir.path(), StoreOptions::default()).expect("a store");
    let registry = Registry::new(Arc::new(store), RegistryOptions::new());
    for record in 0..targets.div_ceil(LINKS) {
        register(&registry, record, port);
    }
    let options =
        LinkOptions { host_pause: "1ms".parse().expect("a time"), ..LinkOptions::default() };
    let guard = AddressGuard::new(vec!["127.0.0.1".parse().expect("a network")]);
    let guard = guard.with_names(|_| vec![IpAddr::from([127, 0, 0, 1])]);
    let checker =
        Checker::with_guard(&options, "https://id.example.org", guard).expect("a checker");
    let round = Round { ranges: vec![LinkRange::default()], since: None, holder: None };
    let (began, used) = (Instant::now(), thread_time());
    let runtime = Outgoing::runtime().expect("a runtime");
    let report = runtime.block_on(checker.round(&registry, &round, |_| {})).expect("a round");
    let (time, used) = (began.elapsed(), thread_time().saturating_sub(used));
    let an_hour = |seconds: f64| (report.works as f64 / seconds * 3600.0) as u64;
    println!("{} targets at {HOSTS} hosts: {} work, {} fail", targets, report.works, report.fails);
    println!("{:.1} s: {} targets an hour", time.as_secs_f64(), an_hour(time.as_secs_f64()));
    println!(
        "{:.1} s of one core: {} targets an hour of a core",
        used.as_secs_f64(),
        an_hour(used.as_secs_f64())
    );
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(line) = status.lines().find(|line| line.starts_with("VmHWM")) {
        println!("peak memory: {}", line.trim_start_matches("VmHWM:").trim());
    }
}

fn register(registry: &Registry, record: usize, port: u16) {
    let link = |kind: &str, number: usize| {
        let host = number % HOSTS;
        format!(
            r#"{{"linkType":"{kind}","href":"http://h{host}.example:{port}/{number}","title":"{number}"}}"#
        )
    };
    let first = record * LINKS;
    let links = std::iter::once(link("gs1:defaultLink", first))
        .chain((first..first + LINKS).map(|number| link("gs1:pip", number)));
    let links: Vec<_> = links.collect();
    let json = format!(r#"{{"anchor":"/8004/9506000{record}","links":[{}]}}"#, links.join(","));
    let caller = Caller::local("throughput");
    registry.put(&caller, None, json.as_bytes(), Conditions::none()).expect("a valid record");
}

/// Answers each request with 200, and each for `robots.txt` with 404.
fn serve(server: &TcpListener) {
    for mut stream in server.incoming().flatten() {
        let mut head = [0; 2048];
        let read = stream.read(&mut head).unwrap_or(0);
        let status =
            if head[..read].starts_with(b"GET /robots.txt") { "404 Not Found" } else { "200 OK" };
        let _ = write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
    }
}
