//! The storage against moto, a local server with the interface of S3, and against servers that
//! fail. `.ci/moto` installs moto.

mod hostile;
mod moto;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use tempfile::TempDir;

use super::*;
use moto::Moto;

/// Opens `bucket/store` at a port, with keys from a file.
fn open(port: u16) -> (TempDir, S3) {
    open_with(port, &USUAL)
}

/// The same with other limits.
fn open_with(port: u16, limits: &Limits) -> (TempDir, S3) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("keys.toml");
    fs::write(&file, "access_key_id = \"test\"\nsecret_access_key = \"secret-of-test\"\n").unwrap();
    let options = BackupOptions {
        s3_endpoint: Some(format!("http://127.0.0.1:{port}")),
        s3_region: Some("us-east-1".to_owned()),
        s3_credentials_file: Some(file),
        ..BackupOptions::default()
    };
    let opened = S3::open_with("bucket/store", &options, limits);
    (dir, opened.unwrap_or_else(|failure| panic!("{failure:?}")))
}

/// Bytes without a pattern.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}

fn read(storage: &S3, name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    storage.open(name).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn files_of_every_size_are_stored_listed_read_and_deleted() {
    let Some(moto) = Moto::start() else { return };
    let (_dir, storage) = open(moto.port);
    assert_eq!(storage.list().unwrap(), []);
    for (name, length) in [("empty", 0), ("small", 5), ("one", PART), ("many", 2 * PART + 7)] {
        let bytes = noise(length);
        storage.store(name, &mut |out| out.write_all(&bytes)).unwrap();
        assert!(read(&storage, name) == bytes, "{name}");
    }
    storage.store("small", &mut |out| out.write_all(b"replaced")).unwrap();
    assert_eq!(read(&storage, "small"), b"replaced");
    // What lies elsewhere in the bucket is not of the repository.
    moto.send("PUT", "/bucket/other").unwrap();
    moto.send("PUT", "/bucket/store/deep/er").unwrap();
    let mut names: Vec<_> = storage.list().unwrap().into_iter().map(|(name, _)| name).collect();
    names.sort();
    assert_eq!(names, ["empty", "many", "one", "small"]);
    storage.delete("one").unwrap();
    assert_eq!(storage.open("one").err().unwrap().kind(), io::ErrorKind::NotFound);
    // Two pages of a list.
    for number in 0..1_050 {
        storage.store(&format!("n{number}"), &mut |out| out.write_all(b"n")).unwrap();
    }
    assert_eq!(storage.list().unwrap().len(), 3 + 1_050);
}

#[test]
fn an_upload_that_fails_leaves_no_file() {
    let Some(mut moto) = Moto::start() else { return };
    let (_dir, storage) = open(moto.port);
    // The program that writes fails.
    let failed = storage.store("half", &mut |out| {
        out.write_all(&noise(PART + 1))?;
        Err(io::Error::other("the disk failed"))
    });
    assert_eq!(failed.unwrap_err().to_string(), "the disk failed");
    assert_eq!(storage.list().unwrap(), []);
    let uploads = moto.send("GET", "/bucket?uploads").unwrap();
    assert!(!uploads.contains("<UploadId>"), "{uploads}");
    // The server goes away in the middle.
    let failed = storage.store("half", &mut |out| {
        out.write_all(&noise(PART))?;
        moto.stop();
        out.write_all(&noise(PART))
    });
    assert!(failed.is_err());
}

/// A server that answers each request with the next of these, and the last one from then on; counts
/// the requests.
fn scripted(answers: &'static [&'static str], count: &'static AtomicU32) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut line = String::new();
            while stream.read_line(&mut line).is_ok_and(|length| length > 2) {
                line.clear();
            }
            let number = count.fetch_add(1, Ordering::SeqCst) as usize;
            let answer = answers[number.min(answers.len() - 1)];
            let _ = stream.get_mut().write_all(answer.as_bytes());
        }
    });
    port
}

#[test]
fn a_failure_of_the_server_is_retried() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    const BUSY: &str = "HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    const LIST: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: 129\r\nConnection: close\r\n\r\n\
        <ListBucketResult><IsTruncated>false</IsTruncated><KeyCount>0</KeyCount><Name>bucket</Name><Prefix>x</Prefix></ListBucketResult>  ";
    let (_dir, storage) = open(scripted(&[BUSY, BUSY, LIST], &COUNT));
    assert_eq!(storage.list().unwrap(), []);
    assert_eq!(COUNT.load(Ordering::SeqCst), 3);
}

#[test]
fn refused_credentials_are_told_in_words_without_the_secret() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    const REFUSED: &str = "HTTP/1.1 403 Forbidden\r\nContent-Length: 68\r\nConnection: close\r\n\r\n\
        <Error><Code>InvalidAccessKeyId</Code><Message>no</Message></Error> ";
    let (_dir, storage) = open(scripted(&[REFUSED], &COUNT));
    for error in [storage.list().unwrap_err(), storage.open("x").err().unwrap()] {
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
        let text = error.to_string();
        assert!(text.contains("refused the credentials") && !text.contains("secret"), "{text}");
    }
    let refused = may_be_plain("http://s3.example.org");
    assert!(refused.is_err());
    assert!(may_be_plain("http://127.0.0.1:9000").unwrap());
    assert!(!may_be_plain("https://s3.example.org").unwrap());
}
