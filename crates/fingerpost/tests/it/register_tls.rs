//! The client commands over TLS: with an authority of one's own, and without.

use crate::support;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use support::{Sandbox, Server, finish};

#[test]
fn an_authority_of_ones_own_is_trusted_when_it_is_named() {
    let (sandbox, key) = Sandbox::with_key();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let keys = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let leaf = leaf.signed_by(&keys, &authority).unwrap();
    sandbox.write("leaf.pem", &leaf.pem());
    sandbox.write("leaf.key", &keys.serialize_pem());
    let ca = sandbox.write("authority.pem", &authority.pem());
    let other = sandbox.write("other.pem", "nothing\n");
    let config = "[admin]\ntls_cert = \"leaf.pem\"\ntls_key = \"leaf.key\"\n";
    let config = sandbox.write("fingerpost.toml", config);
    let (server, url) =
        Server::start_with_admin(&sandbox.data(), &["--config", config.to_str().unwrap()]);
    assert!(url.starts_with("https://127.0.0.1:"), "{url}");

    let login = |ca: Option<&str>| {
        let mut command = sandbox.anybody();
        command.args(["login", &url]).args(ca.map(|ca| ["--ca", ca]).into_iter().flatten());
        finish(command, key.as_bytes())
    };
    let failed = login(None).expect_status(2);
    assert!(failed.stderr.contains("--ca") && failed.stderr.contains(&url), "{failed:?}");
    let failed = login(other.to_str()).expect_status(2);
    assert!(failed.stderr.contains("found none"), "{failed:?}");
    // The authority is remembered with the server.
    login(ca.to_str()).expect_status(0);
    let mut command = sandbox.anybody();
    command.args(["get", "9520123456788"]);
    finish(command, b"").expect_status(0);
    server.stop();
}
