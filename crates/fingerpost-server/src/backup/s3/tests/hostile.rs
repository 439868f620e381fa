//! Attacks by the storage: a server, run here, that answers what a hostile one would.

use std::sync::Mutex;
use std::time::Instant;

use super::*;

/// A server that answers each request by a function of its head; notes the heads.
struct Hostile {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Hostile {
    fn start(
        answer: impl Fn(&str, &mut dyn Write) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (noted, answer) = (Arc::clone(&heads), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (noted, answer) = (Arc::clone(&noted), Arc::clone(&answer));
                thread::spawn(move || {
                    let mut stream = BufReader::new(stream.unwrap());
                    let (mut head, mut length) = (String::new(), 0);
                    while length + 2 < head.len() || head.is_empty() {
                        length = head.len();
                        if stream.read_line(&mut head).unwrap_or(0) == 0 {
                            return;
                        }
                    }
                    noted.lock().unwrap().push(head.clone());
                    let _ = answer(&head, stream.get_mut());
                });
            }
        });
        Self { port, heads }
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

/// The storage at a hostile server, with limits that a test can wait for.
fn storage(server: &Hostile) -> (TempDir, S3) {
    let limits =
        Limits { request: Duration::from_secs(1), list: Duration::from_secs(2), retries: 1 };
    open_with(server.port, &limits)
}

fn answer(status: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

/// A page of a list with these keys.
fn page(keys: &[&str], more: Option<&str>) -> String {
    let contents: String = keys
        .iter()
        .map(|key| {
            format!(
                "<Contents><Key>{key}</Key><LastModified>2026-11-26T00:00:00.000Z</LastModified><ETag>x</ETag><Size>1</Size></Contents>"
            )
        })
        .collect();
    let more = match more {
        Some(token) => format!(
            "<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>"
        ),
        None => "<IsTruncated>false</IsTruncated>".to_owned(),
    };
    format!("<ListBucketResult><Name>bucket</Name>{contents}{more}</ListBucketResult>")
}

/// Names in a list are those of files directly below the prefix, or the list fails: no name leads
/// elsewhere.
#[test]
fn no_listed_name_leads_elsewhere() {
    for key in [
        "store/../secret",
        "store/..",
        "../store/x",
        "/store/x",
        "/etc/passwd",
        "store//x",
        "store/a/b",
        "store/%2e%2e/x",
        "store/%2e%2e%2fx",
        "store",
        "store/",
        "storefront/x",
        "other/x",
        "",
        "store/&#10;x",
        "store/&#0;x",
        "store/..&#47;x",
        "store/a\\b",
    ] {
        let body = answer("200 OK", &page(&["store/good", key], None));
        let server = Hostile::start(move |_, out| out.write_all(body.as_bytes()));
        let (_dir, storage) = storage(&server);
        let Ok(names) = storage.list() else { continue };
        for (name, _) in &names {
            assert!(!name.is_empty() && !name.contains('/') && name != "..", "{key}: {name:?}");
            // What is asked for by such a name is below the prefix, in one segment.
            let _ = storage.open(name);
        }
        for head in server.heads().iter().filter(|head| head.starts_with("HEAD ")) {
            let path = head.split(' ').nth(1).unwrap();
            assert_eq!(path.matches('/').count(), 3, "{key}: {head}");
            assert!(path.starts_with("/bucket/store/") && !path.contains(".."), "{key}: {head}");
        }
    }
}

#[test]
fn a_list_without_end_is_given_up() {
    type Next = fn(usize) -> String;
    let pages: [(&str, Next); 3] = [
        ("the same empty page again and again", |_| page(&[], Some("again"))),
        ("empty pages", |n| page(&[], Some(&n.to_string()))),
        ("pages of strangers' files", |n| page(&["other/x"], Some(&n.to_string()))),
    ];
    for (name, next) in pages {
        let count = AtomicU32::new(0);
        let server = Hostile::start(move |_, out| {
            let number = count.fetch_add(1, Ordering::SeqCst) as usize;
            out.write_all(answer("200 OK", &next(number)).as_bytes())
        });
        let (_dir, storage) = storage(&server);
        let begun = Instant::now();
        let failed = storage.list().unwrap_err().to_string();
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}");
        assert!(failed.contains("list") || failed.contains("files"), "{name}: {failed}");
    }
}

/// Neither an answer that never ends nor one that claims to be huge takes more memory than an
/// honest one may.
#[test]
fn the_size_of_an_answer_is_bounded() {
    const ENDLESS: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n";
    for head in [
        format!("Content-Length: {}\r\n\r\n", 1_u64 << 46),
        "Connection: close\r\n\r\n".to_owned(),
        format!("Content-Length: {}\r\n\r\n", u64::MAX),
        format!("Content-Length: {}\r\n\r\n", i64::MAX),
    ] {
        let sent = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&sent);
        let begin = format!("{ENDLESS}{head}");
        let server = Hostile::start(move |_, out| {
            out.write_all(begin.as_bytes())?;
            out.write_all(b"<ListBucketResult>")?;
            for _ in 0..64 {
                out.write_all(&vec![b' '; 1 << 20])?;
            }
            counted.fetch_add(1, Ordering::SeqCst);
            Ok(())
        });
        let (_dir, storage) = storage(&server);
        assert!(storage.list().is_err(), "{head}");
        let read = storage.open("x").and_then(|mut file| file.read(&mut [0; 9]));
        assert!(read.is_err(), "{head}");
        assert_eq!(sent.load(Ordering::SeqCst), 0, "{head}: an answer of 64 MiB was taken");
    }
}

#[test]
fn xml_that_grows_or_is_none_is_refused() {
    let levels: String = (1..40)
        .map(|n| {
            format!("<!ENTITY e{n} \"&e{0};&e{0};&e{0};&e{0};&e{0};&e{0};&e{0};&e{0};\">", n - 1)
        })
        .collect();
    let bomb =
        format!("<!DOCTYPE x [<!ENTITY e0 \"store/x\">{levels}]>{}", page(&["store/&e39;"], None));
    let outside = format!(
        "<!DOCTYPE x [<!ENTITY f SYSTEM \"file:///etc/passwd\">]>{}",
        page(&["store/&f;"], None)
    );
    let deep = "<a>".repeat(1 << 20);
    for (name, body) in [
        ("a bomb", bomb),
        ("a file", outside),
        ("depth", deep),
        ("HTML", "<html>".into()),
        ("nothing", String::new()),
    ] {
        let body = answer("200 OK", &body);
        let server = Hostile::start(move |_, out| out.write_all(body.as_bytes()));
        let (_dir, storage) = storage(&server);
        let begun = Instant::now();
        let listed = storage.list();
        assert!(listed.is_err(), "{name}: {listed:?}");
        let message = listed.unwrap_err().to_string();
        assert!(message.chars().count() < 1000 && !message.contains("root:"), "{name}: {message}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{name}");
    }
}

/// A file is what the server said it is, to the byte, or an error.
#[test]
fn a_file_with_a_wrong_length_is_an_error() {
    for (name, length, body, range) in [
        ("too short", "10", "123", "bytes 0-9/10"),
        ("too long", "10", "12345678901234567890", "bytes 0-9/10"),
        ("another range", "10", "1234567890", "bytes 5-14/20"),
        ("no range", "10", "1234567890", ""),
        ("a range of nonsense", "10", "1234567890", "bytes x-y/z"),
        ("huge", "18446744073709551615", "1234567890", "bytes 0-9/10"),
    ] {
        let server = Hostile::start(move |head, out| {
            if head.starts_with("HEAD ") {
                let head = "HTTP/1.1 200 OK\r\nLast-Modified: Thu, 26 Nov 2026 00:00:00 GMT\r\nETag: \"x\"\r\nConnection: close\r\n";
                return write!(out, "{head}Content-Length: {length}\r\n\r\n");
            }
            let range = if range.is_empty() {
                String::new()
            } else {
                format!("Content-Range: {range}\r\n")
            };
            let head = "HTTP/1.1 206 Partial Content\r\nLast-Modified: Thu, 26 Nov 2026 00:00:00 GMT\r\nETag: \"x\"\r\nConnection: close\r\n";
            write!(out, "{head}{range}Content-Length: {}\r\n\r\n{body}", body.len())
        });
        let (_dir, storage) = storage(&server);
        let mut bytes = Vec::new();
        let read = storage.open("x").and_then(|mut file| file.read_to_end(&mut bytes));
        assert!(read.is_err(), "{name}: {read:?} {bytes:?}");
    }
}

#[test]
fn a_server_that_hangs_or_drips_is_given_up() {
    for drip in [false, true] {
        let server = Hostile::start(move |_, out| {
            if drip {
                out.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")?;
            }
            for _ in 0..120 {
                thread::sleep(Duration::from_millis(500));
                if drip {
                    out.write_all(b" ")?;
                }
            }
            Ok(())
        });
        let (_dir, storage) = storage(&server);
        let begun = Instant::now();
        assert!(storage.list().is_err());
        let mut read = [0; 9];
        assert!(storage.open("x").and_then(|mut file| file.read(&mut read)).is_err());
        assert!(storage.store("x", &mut |out| out.write_all(b"x")).is_err());
        assert!(storage.delete("x").is_err());
        assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
    }
}

/// A server that sends requests on to another one gets no credential for it, and none appears in
/// what is said of its errors.
#[test]
fn credentials_reach_no_other_server_and_no_message() {
    let other = Hostile::start(|_, out| {
        out.write_all(answer("200 OK", &page(&["store/x"], None)).as_bytes())
    });
    let to = format!("http://127.0.0.1:{}/bucket", other.port);
    let server = Hostile::start(move |head, out| {
        let authorization =
            head.lines().find(|line| line.starts_with("authorization")).unwrap_or_default();
        let said = format!(
            "<Error><Code>X</Code><Message>\x1b[2J{authorization}{}</Message></Error>",
            "y".repeat(1 << 20)
        );
        match head.starts_with("GET ") {
            true => write!(
                out,
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            ),
            false => out.write_all(answer("400 Bad Request", &said).as_bytes()),
        }
    });
    let (_dir, storage) = storage(&server);
    let _ = storage.list();
    for head in other.heads() {
        let head = head.to_ascii_lowercase();
        assert!(!head.contains("authorization") && !head.contains("secret"), "{head}");
    }
    let failed = storage.store("x", &mut |out| out.write_all(b"x")).unwrap_err().to_string();
    assert!(!failed.contains("secret-of-test") && !failed.contains('\x1b'), "{failed}");
    assert!(failed.chars().count() < 1000, "{failed}");
    assert!(server.heads().iter().all(|head| !head.contains("secret-of-test")));
}

/// An endpoint without TLS is on this machine, however it is written.
#[test]
fn no_spelling_of_an_endpoint_leaves_this_machine_without_tls() {
    for endpoint in [
        "http://127.0.0.1@s3.example.org",
        "http://127.0.0.1:80@s3.example.org",
        "http://localhost:x@s3.example.org/",
        "http://127.0.0.1.example.org",
        "http://[::1].example.org",
        "http://[::1]:80@s3.example.org",
        "HTTP://s3.example.org",
        "http:\\\\s3.example.org",
        " http://s3.example.org",
    ] {
        match may_be_plain(endpoint) {
            Err(failure) => {
                assert!(!format!("{failure:?}").contains(":x@"), "{endpoint}: {failure:?}");
            }
            Ok(is_plain) => assert!(!is_plain, "{endpoint}"),
        }
    }
    for local in
        ["http://localhost", "http://127.0.0.1:9000/x", "http://[::1]", "http://[::1]:9000"]
    {
        assert!(may_be_plain(local).unwrap(), "{local}");
    }
}
