//! What is said at start about `admin.oidc`, with the feature that it needs.

use std::sync::Arc;

use fingerpost_admin::AdminServer;
use fingerpost_registry::Registry;
use fingerpost_store::{Store, StoreOptions};

use crate::support::config;

/// What the listener says when it is to start with these lines of `admin` and `admin.oidc`.
fn said(admin: &str, oidc: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path(), StoreOptions::default()).expect("a store");
    let listen = if admin.contains("listen") { "" } else { "listen = \"127.0.0.1:0\"\n" };
    let text =
        format!("[admin]\n{listen}{admin}\n[admin.oidc]\nclient_id = \"fingerpost\"\n{oidc}");
    let config = config(&text);
    let registry = Registry::new(Arc::new(store), fingerpost_admin::registry_options(&config));
    match AdminServer::bind(&config, registry) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_cannot_work_is_refused_at_start() {
    let local = "issuer = \"http://127.0.0.1:1\"\n";
    assert_eq!(said("", local), "", "the provider need not be there yet");
    let everywhere = "listen = \"0.0.0.0:0\"\ninsecure = true";
    let public = "origins = [\"https://admin.example.org\"]\n";
    assert_eq!(said(&format!("{public}{everywhere}"), local), "");
    for (admin, oidc, expected) in [
        ("", "issuer = \"http://login.example.org\"", "issuer must begin with https://"),
        ("", "issuer = \"login.example.org\"", "issuer is not an address"),
        (
            "",
            "issuer = \"http://127.0.0.1:1\"\nclient_secret_file = \"/nowhere/secret\"",
            "cannot read client_secret_file /nowhere/secret",
        ),
        (
            "",
            "issuer = \"http://127.0.0.1:1\"\nclient_secret_file = \"/dev/null\"",
            "client_secret_file is empty",
        ),
        (
            "",
            "issuer = \"http://127.0.0.1:1\"\n\
             roles = { x = [{ organisation = \"First Ltd\", role = \"reader\" }] }",
            "or the id of an organisation, found \"First Ltd\"",
        ),
        (everywhere, "issuer = \"http://127.0.0.1:1\"", "admin.origins: set the origin"),
    ] {
        let said = said(admin, oidc);
        assert!(said.contains(expected), "{oidc}: {said}");
    }
}
