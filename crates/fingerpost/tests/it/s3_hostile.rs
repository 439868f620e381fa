//! A running server whose backups go to storage that is hostile (feature `s3`). Single answers of
//! such storage are tried beside `crates/fingerpost-server/src/backup/s3.rs`.

use crate::repository::Kept;
use crate::support;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use support::nodes::wait_until;
use support::{Server, gtin};

/// A listener that takes every connection, reads, says this, and then nothing more; counts the
/// connections.
fn silent_after(words: &'static str) -> (u16, Arc<AtomicU32>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let count = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(words.as_bytes());
            held.push(stream);
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    (port, count)
}

#[test]
fn hostile_storage_neither_ends_nor_holds_a_server_and_its_log_has_no_secret() {
    for (name, words) in [
        ("silence", ""),
        ("a huge answer", "HTTP/1.1 200 OK\r\nContent-Length: 70368744177664\r\n\r\n<a><b></b>"),
        ("no HTTP", "\x1b[2J\0\0\0"),
    ] {
        let (port, count) = silent_after(words);
        let options = format!(
            "full = \"1s\"\ns3_endpoint = \"http://127.0.0.1:{port}\"\ns3_region = \"us-east-1\"\ns3_credentials_file = \"keys.toml\""
        );
        let kept = Kept::new(&options);
        kept.sandbox.write(
            "keys.toml",
            "access_key_id = \"test\"\nsecret_access_key = \"secret-of-test\"\nsession_token = \"token-of-test\"\n",
        );
        let mut command = kept.command(&["serve", "--listen", "127.0.0.1:0", "--no-admin"]);
        let config = kept.sandbox.path("fingerpost.toml");
        let text = fs::read_to_string(&config).unwrap();
        fs::write(&config, text.replace("\"repository\"", "\"s3://bucket/store\"")).unwrap();
        command.env("FINGERPOST_LOG_LEVEL", "trace").current_dir(kept.sandbox.path("."));
        let log = kept.sandbox.path("log");
        let server = Server::logging(command, Stdio::from(File::create(&log).unwrap()));
        wait_until("the storage is asked", || count.load(Ordering::SeqCst) > 0);
        thread::sleep(Duration::from_secs(1));
        assert_eq!(server.get(&format!("/01/{}", gtin(1))).status, 307, "{name}");
        let begun = Instant::now();
        server.stop();
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}: it stops");
        let log = fs::read_to_string(&log).unwrap();
        assert!(!log.contains("of-test") && !log.contains('\x1b'), "{name}: {log}");
    }
}
