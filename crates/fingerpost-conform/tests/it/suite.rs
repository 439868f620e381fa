//! GS1's own test suite over the stand-ins, beside the model of it: `.ci/conform-suite` runs this
//! test together with a browser, which writes what the suite says into a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use crate::faults::{FAULTS, READINGS};
use crate::official::{Outcome, Outcomes, ROOT, is_of_later_copies, outcomes, paths};
use crate::resolver::Resolver;
use crate::server::read;

/// The tests of the suite that the model leaves out, because every stand-in passes them.
const LEFT_OUT: [&str; 5] = ["isHttps", "isURL", "plausibleDL", "tlsOK", "validDL"];

/// A stand-in over TLS; its data name it instead of the host of the data.
struct StandIn {
    fault: &'static str,
    listener: TcpListener,
}

impl StandIn {
    fn new(fault: &'static str) -> Self {
        Self { fault, listener: TcpListener::bind("127.0.0.1:0").expect("a free port") }
    }

    fn root(&self) -> String {
        format!("https://{}", self.listener.local_addr().expect("an address"))
    }

    async fn serve(self, acceptor: TlsAcceptor) {
        let root: Arc<str> = self.root().into();
        self.listener.set_nonblocking(true).expect("not blocking");
        let listener = tokio::net::TcpListener::from_std(self.listener).expect("a listener");
        while let Ok((stream, _)) = listener.accept().await {
            // A browser also opens connections that it does not use.
            tokio::spawn(answer(stream, acceptor.clone(), self.fault, Arc::clone(&root)));
        }
    }
}

async fn answer(stream: TcpStream, acceptor: TlsAcceptor, fault: &'static str, root: Arc<str>) {
    let Ok(mut stream) = acceptor.accept(stream).await else { return };
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let Some(request) = read(&head[..]) else { return };
    let mut reply = Resolver { fault }.answer(&request);
    reply.body = reply.body.replace(ROOT, &root);
    for (_, value) in &mut reply.headers {
        *value = value.replace(ROOT, &root);
    }
    let mut answer = Vec::new();
    reply.write(request.method != "HEAD", &mut answer);
    let _ = stream.write_all(&answer).await;
    let _ = stream.shutdown().await;
}

/// Returns the authority of the stand-ins, in PEM, and the configuration of their servers.
fn certificate() -> (String, ServerConfig) {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    // The certificates of one name would look self-signed.
    params.distinguished_name.push(DnType::CommonName, "authority");
    let key = KeyPair::generate().expect("a key");
    let authority = CertifiedIssuer::self_signed(params, key).expect("an authority");
    let leaf = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("an address");
    let key = KeyPair::generate().expect("a key");
    let leaf = leaf.signed_by(&key, &authority).expect("a certificate");
    let secret = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
    let config =
        ServerConfig::builder_with_provider(rustls::crypto::aws_lc_rs::default_provider().into())
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![leaf.der().clone()], secret);
    (authority.pem(), config.expect("a configuration"))
}

/// Returns the names of the stand-ins: no fault, and each fault once.
fn faults() -> BTreeSet<&'static str> {
    FAULTS.iter().chain(READINGS).map(|(fault, _)| *fault).chain([""]).collect()
}

/// Starts all stand-ins, and writes their authority and the links to test into a folder.
fn start(folder: &Path) {
    let stand_ins: Vec<_> = faults().into_iter().map(StandIn::new).collect();
    let mut links = String::new();
    for stand_in in &stand_ins {
        for path in paths() {
            let _ = writeln!(links, "{}\t{path}\t{}{path}", stand_in.fault, stand_in.root());
        }
    }
    let (authority, config) = certificate();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            for stand_in in stand_ins {
                tokio::spawn(stand_in.serve(acceptor.clone()));
            }
            std::future::pending::<()>().await;
        });
    });
    fs::write(folder.join("authority.pem"), authority).expect("written");
    fs::write(folder.join("links.part"), links).expect("written");
    fs::rename(folder.join("links.part"), folder.join("links")).expect("renamed");
}

/// Reads what the suite says: a line `link FAULT PATH`, with `-` for no fault, then its outcomes.
fn read_outcomes(text: &str) -> BTreeMap<(String, String), Outcomes> {
    let mut all = BTreeMap::<_, Outcomes>::new();
    let mut current = None;
    for line in text.lines() {
        let words: Vec<_> = line.splitn(4, ' ').collect();
        match words[..] {
            ["link", fault, path] => {
                let fault = if fault == "-" { "" } else { fault };
                current = Some((fault.to_owned(), path.to_owned()));
            }
            ["outcome", status, id, ..] => {
                let outcome = match status {
                    "pass" => Outcome::Pass,
                    "warn" => Outcome::Warn,
                    _ => Outcome::Fail,
                };
                let key = current.clone().expect("a link before its outcomes");
                all.entry(key).or_default().insert(id.trim_end_matches(':').to_owned(), outcome);
            }
            _ => {}
        }
    }
    all
}

/// Whether this copy of the suite judges a test as the model does.
fn is_judged(id: &str) -> bool {
    env::var("FINGERPOST_GS1_UNJUDGED").is_ok_and(|it| it == "none") || !is_of_later_copies(id)
}

fn differences(suite: &Outcomes, model: &Outcomes) -> Vec<String> {
    let ids = suite.keys().chain(model.keys().filter(|id| !suite.contains_key(*id)));
    ids.filter(|id| is_judged(id) && !LEFT_OUT.contains(&id.as_str()))
        .filter(|id| suite.get(*id) != model.get(*id))
        .map(|id| format!("{id}: suite {:?}, model {:?}", suite.get(id), model.get(id)))
        .chain(LEFT_OUT.iter().filter_map(|id| {
            let outcome = suite.get(*id);
            (outcome != Some(&Outcome::Pass)).then(|| format!("{id}: suite {outcome:?}"))
        }))
        .collect()
}

/// Point 4 (c) of the checker: the page of differences rests on the suite itself.
#[test]
#[ignore = "needs the files of GS1's suite and a browser: .ci/conform-suite"]
fn the_model_agrees_with_the_suite() {
    let folder = env::var_os("FINGERPOST_GS1_RUN").expect("run .ci/conform-suite");
    let folder = PathBuf::from(folder);
    start(&folder);
    let end = Instant::now() + Duration::from_secs(3600);
    while !folder.join("outcomes").exists() {
        assert!(Instant::now() < end && folder.exists(), "the browser did not end");
        thread::sleep(Duration::from_millis(200));
    }
    let suite = read_outcomes(&fs::read_to_string(folder.join("outcomes")).expect("text"));
    assert_eq!(suite.len(), faults().len() * paths().len());
    let mut compared = 0;
    let mut found = Vec::new();
    for fault in faults() {
        for path in paths() {
            let of_suite = &suite[&(fault.to_owned(), path.clone())];
            compared += of_suite.keys().filter(|id| is_judged(id)).count();
            let those = differences(of_suite, &outcomes(fault, &path));
            found.extend(those.into_iter().map(|it| format!("{fault} {path} {it}")));
        }
    }
    println!("{compared} results of the suite compared");
    assert!(found.is_empty(), "{} differences:\n{}", found.len(), found.join("\n"));
}
