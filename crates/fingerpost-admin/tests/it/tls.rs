//! The listener under TLS: what browsers are told then, and that nothing is answered in the clear.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use fingerpost_admin::AdminServer;
use fingerpost_http::Shutdown;
use fingerpost_registry::Registry;
use fingerpost_store::{Store, StoreOptions};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

#[test]
fn under_tls_browsers_stay_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path(), StoreOptions::default()).expect("a store");
    let text = "[admin]\nlisten = \"127.0.0.1:0\"\ntls_self_signed = true";
    let config = crate::support::config(text);
    let registry = Registry::new(Arc::new(store), fingerpost_admin::registry_options(&config));
    let server = AdminServer::bind(&config, registry).expect("a listener");
    let address = server.local_addrs()[0];
    assert!(server.is_tls());
    assert_eq!(server.urls().collect::<Vec<_>>(), [format!("https://{address}")]);
    let pem = server.self_signed_pem().expect("a certificate").to_owned();
    let shutdown = Shutdown::new();
    let order = shutdown.clone();
    let thread = std::thread::spawn(move || server.run(&order));

    let request = b"GET /v1/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let mut roots = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_slice(pem.as_bytes()).expect("a certificate");
    roots.add(certificate).expect("a root");
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = "localhost".try_into().expect("a name");
    let connection = ClientConnection::new(Arc::new(client), name).expect("a client");
    let mut stream = StreamOwned::new(connection, TcpStream::connect(address).expect("connected"));
    stream.write_all(request).expect("sent");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8(answer).expect("text");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.contains("strict-transport-security: max-age="), "{answer}");

    let mut plain = TcpStream::connect(address).expect("connected");
    plain.write_all(request).expect("sent");
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "nothing in the clear");

    shutdown.trigger();
    thread.join().expect("no panic").expect("served");
}
