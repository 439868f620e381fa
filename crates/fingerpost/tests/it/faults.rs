//! A disk that fails while the server writes: what cannot be written is refused and changes
//! nothing, what was acknowledged stays, and redirects go on. `disk.c` stands between the program
//! and the C library.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fingerpost_testkit::PATIENCE;
use support::{Sandbox, Server, export, fingerpost, finish, gtin, record};
use ureq::Agent;

/// Compiles the faults; a C compiler is needed to build LMDB, too.
fn library(sandbox: &Sandbox) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/faults/disk.c");
    let library = sandbox.path("disk.so");
    let mut compile = Command::new("cc");
    compile.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).arg("-ldl");
    assert!(compile.status().expect("a C compiler").success());
    library
}

/// A server whose disk fails as the file `fault` says, and the address of its admin side.
fn server(sandbox: &Sandbox, library: &Path) -> (Server, String) {
    let mut command = fingerpost();
    command.args(["serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data"]);
    command.arg(sandbox.data()).env("LD_PRELOAD", library).env("DISK_FAULT", sandbox.path("fault"));
    let mut server = Server::logging(command, Stdio::null());
    let lines = server.lines_until("admin listening on ");
    let url = lines.last().and_then(|line| line.strip_prefix("admin listening on "));
    (server, url.expect("the line was waited for").to_owned())
}

/// Puts a record with this number; returns the status and the body of the answer.
fn put(url: &str, key: &str, number: u32) -> (u16, String) {
    let config = Agent::config_builder().proxy(None).http_status_as_error(false);
    let agent = config.timeout_global(Some(PATIENCE)).build().new_agent();
    let mut answer = agent
        .put(format!("{url}/v1/levels/01/{}", gtin(number)))
        .header("authorization", format!("Bearer {key}"))
        .content_type("application/json")
        .send(record(&format!("/01/{}", gtin(number)), "https://example.com/p"))
        .expect("an answer");
    (answer.status().as_u16(), answer.body_mut().read_to_string().expect("a text"))
}

/// Puts a record while the disk works. The server of these tests does not shed load
/// ([`support::fingerpost`]), so it may be late, but answers.
fn put_for_sure(url: &str, key: &str, number: u32) {
    let (status, body) = put(url, key, number);
    assert_eq!(status, 201, "{body}");
}

#[test]
fn what_a_disk_does_not_take_is_refused_and_nothing_acknowledged_is_lost() {
    for (fault, codes) in [
        ("eio", &["store-unavailable", "internal-error"][..]),
        ("short", &["store-unavailable", "internal-error", "storage-full"]),
        ("readonly", &["store-unavailable", "internal-error"]),
        ("ysync", &["store-unavailable", "internal-error"]),
    ] {
        let shown = (0..5).any(|_| fails_and_recovers(fault, codes));
        assert!(shown, "{fault}: the store stopped each time");
    }
}

/// Whether the store was in use up to the fault: where the disk fails between a commit and its
/// root, as it can for a write of the server's own, LMDB stops until the next start, and redirects
/// get 503. Then nothing has been shown.
fn fails_and_recovers(fault: &str, codes: &[&str]) -> bool {
    let (sandbox, key) = Sandbox::with_key();
    let library = library(&sandbox);
    let (running, url) = server(&sandbox, &library);
    let mut acknowledged = Vec::new();
    for number in 1..6 {
        put_for_sure(&url, &key, number);
        acknowledged.push(number);
    }
    fs::write(sandbox.path("fault"), fault).unwrap();
    let (status, body) = put(&url, &key, 6);
    assert!(status >= 500, "{fault}: {status} {body}");
    assert!(codes.iter().any(|code| body.contains(&format!("\"{code}\""))), "{fault}: {body}");
    let redirect = running.get(&format!("/01/{}", gtin(3)));
    let text = String::from_utf8_lossy(&redirect.body);
    if redirect.status == 503 && text.contains("store-unavailable") {
        return false;
    }
    assert_eq!(redirect.status, 307, "{fault}: redirects go on, not {text}");
    assert_eq!(running.get(&format!("/01/{}", gtin(6))).status, 404, "{fault}: nothing changed");

    // The disk works again. Where LMDB cannot know what the disk holds, it writes again only after
    // a restart.
    fs::remove_file(sandbox.path("fault")).unwrap();
    let (status, body) = put(&url, &key, 7);
    assert!(status == 201 || status >= 500, "{fault}: {status} {body}");
    if status == 201 {
        acknowledged.push(7);
    }
    running.kill();

    let (running, url) = server(&sandbox, &library);
    put_for_sure(&url, &key, 8);
    acknowledged.push(8);
    running.stop();
    let mut check = fingerpost();
    check.args(["fsck", "--data"]).arg(sandbox.data());
    finish(check, b"").expect_status(0);
    let kept = export(&sandbox.data());
    for number in acknowledged {
        assert!(kept.contains(&gtin(number)), "{fault}: {number} is lost");
    }
    if fault != "ysync" {
        assert!(!kept.contains(&gtin(6)), "{fault}: what was refused is not there");
    }
    true
}

/// A disk that fails during a command: it says so, ends with status 2, and what it had committed
/// stays.
#[test]
fn an_import_ends_with_a_sentence_when_the_disk_fails() {
    let sandbox = Sandbox::new();
    sandbox.import(&record(&format!("/01/{}", gtin(0)), "https://example.com/0")).expect_status(0);
    let before = sandbox.export();
    let library = library(&sandbox);
    for fault in ["eio", "short", "readonly", "ysync"] {
        fs::write(sandbox.path("fault"), fault).unwrap();
        let mut import = fingerpost();
        import.args(["import", "--data"]).arg(sandbox.data()).arg("-");
        import.env("LD_PRELOAD", &library).env("DISK_FAULT", sandbox.path("fault"));
        let line = record(&format!("/01/{}", gtin(1)), "https://example.com/1");
        let ended = finish(import, line.as_bytes());
        assert_eq!(ended.status, Some(2), "{fault}: {ended:?}");
        assert!(ended.stderr.starts_with("error: "), "{fault}: {ended:?}");
        let shown = sandbox.data().display().to_string();
        assert!(ended.stderr.contains(&shown), "{fault}: the message names the place: {ended:?}");
    }
    fs::remove_file(sandbox.path("fault")).unwrap();
    assert!(sandbox.export().starts_with(before.trim_end()), "what was there stays");
    let mut check = fingerpost();
    check.args(["fsck", "--data"]).arg(sandbox.data());
    finish(check, b"").expect_status(0);
}
