//! An authority for tests: Debian's `pebble`, with names that lead to this machine.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use fingerpost_testkit::{Names, PATIENCE, free_port, installed, skipped};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use serde_json::json;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider, parse_pem};

use crate::support::Sandbox;

/// How an authority behaves.
pub(super) struct Habits {
    /// Seconds for which certificates are valid.
    pub(super) validity: u32,
    /// Percentage of valid nonces that it refuses.
    pub(super) nonces_refused: u8,
    /// Whether accounts must be bound to others.
    pub(super) binding: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Self { validity: 90 * 24 * 3600, nonces_refused: 0, binding: false }
    }
}

/// The key `kid-1` of accounts at the authority.
pub(super) const BINDING_KEY: &str =
    "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W";

/// The files and ports of an authority, which may run or not.
pub(super) struct Authority {
    program: PathBuf,
    sandbox: Sandbox,
    port: u16,
    management: u16,
    /// The ports at which it looks for challenges.
    pub(super) http: u16,
    pub(super) tls: u16,
    nonces_refused: u8,
    names: Names,
}

impl Authority {
    /// Prepares an authority; `None` if the program is not installed, which is said.
    pub(super) fn new(test: &str, habits: &Habits) -> Option<Self> {
        let program = installed("pebble", "pebble").map_err(|why| skipped(test, &why)).ok()?;
        let sandbox = Sandbox::new();
        let [port, management, http, tls] = [(); 4].map(|()| free_port());
        let mut root = CertificateParams::new(Vec::new()).unwrap();
        root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let root = CertifiedIssuer::self_signed(root, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let leaf = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let leaf = leaf.signed_by(&key, &root).unwrap();
        sandbox.write("root.pem", &root.pem());
        let own = |name, text: &str| sandbox.write(name, text).display().to_string();
        let pebble = json!({
            "listenAddress": format!("127.0.0.1:{port}"),
            "managementListenAddress": format!("127.0.0.1:{management}"),
            "certificate": own("leaf.pem", &leaf.pem()),
            "privateKey": own("leaf.key", &key.serialize_pem()),
            "httpPort": http,
            "tlsPort": tls,
            "certificateValidityPeriod": habits.validity,
            "externalAccountBindingRequired": habits.binding,
            "externalAccountMACKeys": { "kid-1": BINDING_KEY },
        });
        sandbox.write("pebble.json", &json!({ "pebble": pebble }).to_string());
        let nonces_refused = habits.nonces_refused;
        let names = Names::start();
        Some(Self { program, sandbox, port, management, http, tls, nonces_refused, names })
    }

    /// The certificate of the authority that signed the certificate of its address.
    pub(super) fn root(&self) -> PathBuf {
        self.sandbox.path("root.pem")
    }

    pub(super) fn directory(&self) -> String {
        format!("https://127.0.0.1:{}/dir", self.port)
    }

    /// Starts it.
    pub(super) fn start(&self) -> Running<'_> {
        let log = File::create(self.sandbox.path("log")).unwrap();
        let child = Command::new(&self.program)
            .arg("-config")
            .arg(self.sandbox.path("pebble.json"))
            .arg("-dnsserver")
            .arg(self.names.address().to_string())
            .env("PEBBLE_VA_NOSLEEP", "1")
            .env("PEBBLE_WFE_NONCEREJECT", self.nonces_refused.to_string())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .expect("pebble can be started");
        let running = Running { authority: self, child };
        let start = Instant::now();
        while running.get(self.port, "/dir").is_none() {
            assert!(start.elapsed() < PATIENCE, "{}", running.log());
            std::thread::sleep(Duration::from_millis(50));
        }
        running
    }
}

/// A running authority, ended with the test.
pub(super) struct Running<'a> {
    authority: &'a Authority,
    child: Child,
}

impl Running<'_> {
    fn log(&self) -> String {
        fs::read_to_string(self.authority.sandbox.path("log")).unwrap()
    }

    /// How many certificates it has issued.
    pub(super) fn issued(&self) -> usize {
        self.log().matches("Issued certificate serial").count()
    }

    /// The certificates by which clients trust what it issues.
    pub(super) fn roots(&self) -> Arc<RootCertStore> {
        let pem = self.get(self.authority.management, "/roots/0").expect("a root");
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(pem.as_bytes()).expect("a certificate")).unwrap();
        Arc::new(roots)
    }

    fn get(&self, port: u16, path: &str) -> Option<String> {
        let pem = fs::read(self.authority.root()).unwrap();
        let roots: Vec<_> = parse_pem(&pem)
            .filter_map(|item| match item {
                Ok(ureq::tls::PemItem::Certificate(certificate)) => Some(certificate),
                _ => None,
            })
            .collect::<Vec<Certificate<'static>>>();
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(Arc::new(
                rustls::crypto::aws_lc_rs::default_provider(),
            ))
            .root_certs(RootCerts::new_with_certs(&roots))
            .build();
        let config = Agent::config_builder().proxy(None).tls_config(tls);
        let agent = config.timeout_global(Some(PATIENCE)).build().new_agent();
        let mut answer = agent.get(format!("https://127.0.0.1:{port}{path}")).call().ok()?;
        answer.body_mut().read_to_string().ok()
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}
