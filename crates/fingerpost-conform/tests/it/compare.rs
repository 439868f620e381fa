//! Comparisons of two resolvers.

use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_conform::{
    CompareError, CompareOptions, CompareReport, ConformOptions, Job, WebRequest, compare,
};

use crate::resolver::{self, KEY};
use crate::server::{Received, Reply, TestServer};

fn options(old: &TestServer, new: &TestServer) -> CompareOptions {
    let side = |server: &TestServer| {
        let timeout = Duration::from_millis(500);
        let web = ConformOptions { rate: 0, timeout, ..ConformOptions::default() };
        (format!("http://{}", server.address), web)
    };
    CompareOptions { old: side(old), new: side(new), concurrency: 2 }
}

fn run(
    old: &TestServer,
    new: &TestServer,
    jobs: Vec<Job>,
) -> (CompareReport, Result<(), CompareError>) {
    let mut report = CompareReport::new("old", "new");
    let mut jobs = jobs.into_iter().map(io::Result::Ok);
    let result = compare(options(old, new), &mut jobs, &mut report, &mut |_| true);
    (report, result)
}

fn key() -> Vec<Job> {
    vec![Job::Identifier(KEY.to_owned())]
}

fn kinds(report: &CompareReport) -> Vec<&str> {
    report.differences.iter().map(|it| it.kind.id).collect()
}

/// A server whose answer is a function of the request.
fn server(answer: impl Fn(&Received) -> Reply + Send + 'static) -> TestServer {
    TestServer::start(move |request, stream| answer(request).write(true, stream))
}

fn redirect(status: u16, location: &str) -> Reply {
    let mut reply = Reply::new(status, "text/plain", "");
    reply.set("location", Some(location));
    reply
}

fn page(status: u16) -> Reply {
    Reply::new(status, "text/html", "x")
}

/// A linkset with a link, for each request.
fn linkset(link: &str) -> Reply {
    let body = format!(
        r#"{{"linkset":[{{"anchor":"https://a{KEY}","itemDescription":"Tea","https://ref.gs1.org/voc/pip":[{link}]}}]}}"#
    );
    Reply::new(200, "application/linkset+json", body)
}

const LINK: &str = r#"{"href":"https://b/p","title":"Tea","hreflang":["en"]}"#;

/// Issue 33, point 3: everything that the old linkset distinguishes is requested from both.
#[test]
fn equal_resolvers_are_the_same_for_all_that_their_linksets_distinguish() {
    let received: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&received);
    let honest = resolver::start("none");
    let other = TestServer::start(move |request, stream| {
        let query = request.query.clone().unwrap_or_default();
        let line = format!(
            "{} {query} {} {}",
            request.path,
            request.header("accept"),
            request.header("accept-language")
        );
        log.lock().unwrap().push(line);
        resolver::reply("none", request).write(true, stream);
    });
    let (report, result) = run(&honest, &other, key());
    assert!(result.is_ok() && report.is_complete, "{result:?}");
    assert_eq!(kinds(&report), [""; 0], "{report:#?}");
    assert_eq!((report.done, report.requests), (1, report.compared * 2));
    let received = received.lock().unwrap().join("\n");
    for part in [
        "linkType=linkset application/linkset+json",
        "linkType=gs1:pip",
        " fr",
        "text/html",
        "context=",
    ] {
        assert!(received.contains(part), "{part}: {received}");
    }
}

/// A function that answers a request.
type Answers = Box<dyn Fn(&Received) -> Reply + Send>;

/// Each kind of difference is found, and nothing else.
#[test]
fn each_kind_of_difference_is_found() {
    let fixed = |reply: Reply| -> Answers { Box::new(move |_| reply.clone()) };
    let own = |to: &'static str| -> Answers {
        Box::new(move |request| redirect(307, &format!("http://{}{to}", request.header("host"))))
    };
    let to = |location: &str| fixed(redirect(307, location));
    let links = |link: &str| fixed(linkset(link));
    let changed = |from: &str, to: &str| fixed(linkset(&LINK.replace(from, to)));
    let mut short = page(200);
    short.missing = 5;
    let mut open = linkset(LINK);
    open.set("access-control-allow-origin", Some("*"));
    let described = || {
        let mut reply = linkset(LINK);
        reply.body = reply.body.replace("\"Tea\",\"https", "\"Coffee\",\"https");
        fixed(reply)
    };
    let a = || to("https://b/p");
    let cases: Vec<(&str, Answers, Answers)> = vec![
        ("no-answer-new", a(), fixed(short.clone())),
        ("no-answer-old", fixed(short), a()),
        ("failed 307 → 500", a(), fixed(page(500))),
        ("repaired 500 → 307", fixed(page(500)), a()),
        ("missing 307 → 404", a(), fixed(page(404))),
        ("refused 307 → 400", a(), fixed(page(400))),
        ("added 404 → 307", fixed(page(404)), a()),
        ("choice 307 → 300", a(), fixed(page(300))),
        ("target", a(), to("https://b/q")),
        ("target-query", a(), to("https://b/p?x=1")),
        ("target-spelling", a(), to("http://B/p/")),
        ("status 307 → 302", a(), fixed(redirect(302, "https://b/p"))),
        ("status 404 → 410", fixed(page(404)), fixed(page(410))),
        ("loop-old", own("/x"), a()),
        ("loop-new", a(), own("/x")),
        (
            "media-type text/html → text/plain",
            fixed(page(200)),
            fixed(Reply::new(200, "text/plain", "")),
        ),
        ("link-missing gs1:pip", links(LINK), links("")),
        ("link-added gs1:pip", links(""), links(LINK)),
        ("link-title gs1:pip", links(LINK), changed("\"Tea\"", "\"Coffee\"")),
        ("link-attributes gs1:pip", links(LINK), changed("[\"en\"]", "[\"fr\"]")),
        ("description", links(LINK), described()),
        ("cors", links(LINK), fixed(open)),
    ];
    let mut seen = Vec::new();
    for (expected, old, new) in cases {
        let (old, new) = (server(old), server(new));
        let (report, result) = run(&old, &new, key());
        assert!(result.is_ok(), "{expected}: {result:?}");
        let found: Vec<_> = report
            .differences
            .iter()
            .map(|it| format!("{} {}", it.kind.id, it.detail).trim_end().to_owned())
            .collect();
        assert_eq!(found, [expected], "{report:#?}");
        assert!(report.has_differences(&[]));
        let kind = expected.split(' ').next().unwrap().to_owned();
        assert!(!report.has_differences(std::slice::from_ref(&kind)), "ignored");
        let example = &report.differences[0].examples[0];
        assert!(example.old.starts_with("curl ") && example.new.contains(KEY), "{example:?}");
        seen.push(kind);
    }
    // A linkset at one of them only: of the answers to one request.
    let some = || -> Answers {
        Box::new(|request| match request.query.as_deref() {
            Some("linkType=linkset") => linkset(LINK),
            _ => redirect(307, "https://b/p"),
        })
    };
    for (expected, old, new) in [("linkset-missing", some(), a()), ("linkset-added", a(), some())] {
        let (report, _) = run(&server(old), &server(new), key());
        assert_eq!(kinds(&report), [expected]);
        seen.push(expected.to_owned());
    }
    let missing: Vec<_> =
        CompareReport::kinds().filter(|it| !seen.iter().any(|s| s == it)).collect();
    assert_eq!(missing, [""; 0], "kinds without a test");
}

/// The new resolver names itself like the old one before DNS is switched.
#[test]
fn redirects_inside_a_resolver_are_followed_to_their_end() {
    let old = server(|request| match &*request.path {
        KEY => redirect(301, &format!("{KEY}/")),
        "/about" => page(200),
        _ => redirect(307, "/about?x"),
    });
    let address = format!("http://{}", old.address);
    let new = server(move |request| match &*request.path {
        "/about" => page(200),
        _ => redirect(301, &format!("{address}/about?x")),
    });
    let (report, _) = run(&old, &new, key());
    assert_eq!(kinds(&report), [""; 0], "{report:#?}");
}

/// Issue 33, point 3: requests of a log are sent as they were, each once.
#[test]
fn requests_of_a_log_are_replayed() {
    let received: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&received);
    let old = server(|_| redirect(307, "https://b/p"));
    let new = server(move |request| {
        let query = request.query.clone().unwrap_or_default();
        let line =
            format!("{} {}?{query} {}", request.method, request.path, request.header("accept"));
        log.lock().unwrap().push(line);
        redirect(307, if request.path == "/01/2" { "https://b/q" } else { "https://b/p" })
    });
    let request = |method, url: &str| {
        let headers = vec![("accept", "text/html".to_owned())];
        Job::Request(WebRequest { method, url: url.to_owned(), headers })
    };
    let jobs = vec![
        request("GET", "/01/1?a=%20b"),
        request("GET", "/01/1?a=%20b"),
        Job::Skip("lines".to_owned()),
        request("HEAD", "/01/2"),
    ];
    let (report, result) = run(&old, &new, jobs);
    assert!(result.is_ok());
    assert_eq!((report.done, report.compared, kinds(&report)), (4, 2, vec!["target"]));
    assert_eq!(report.skipped.values().sum::<u64>(), 2, "{:?}", report.skipped);
    let mut received = received.lock().unwrap().clone();
    received.sort();
    assert_eq!(received, ["GET /01/1?a=%20b text/html", "HEAD /01/2? text/html"]);
}

/// Issue 33, point 3: a comparison that was interrupted ends like one that was not.
#[test]
fn comparisons_continue_from_their_reports() {
    let old = server(|_| redirect(307, "https://b/p"));
    let new = server(|request| {
        redirect(307, if request.path.ends_with('3') { "https://b/q" } else { "https://b/p" })
    });
    let jobs = |count: u32| (0..count).map(|it| Ok(Job::Identifier(format!("/01/{it}"))));
    let mut whole = CompareReport::new("old", "new");
    compare(options(&old, &new), &mut jobs(40), &mut whole, &mut |_| true).unwrap();
    assert_eq!(whole.differences.len(), 1);
    assert_eq!(whole.differences[0].count, 4);
    let mut part = CompareReport::new("old", "new");
    let stopped = compare(options(&old, &new), &mut jobs(40), &mut part, &mut |it| it.done < 16);
    assert!(matches!(stopped, Err(CompareError::Stopped)));
    assert!(!part.is_complete && part.done == 16, "{part:#?}");
    let mut file = Vec::new();
    part.write_json(&mut file).unwrap();
    let mut read = CompareReport::read(&file).unwrap();
    assert_eq!(read, part);
    compare(options(&old, &new), &mut jobs(40), &mut read, &mut |_| true).unwrap();
    assert_eq!(read, whole);
    // Another list is noticed.
    for mut other in [jobs(15).collect::<Vec<_>>(), jobs(40).skip(1).collect()] {
        let mut read = CompareReport::read(&file).unwrap();
        let result = compare(options(&old, &new), &mut other.drain(..), &mut read, &mut |_| true);
        assert!(matches!(result, Err(CompareError::Usage(_))), "{result:?}");
    }
    assert!(CompareReport::read(b"{}").is_err());
}

/// Issue 33, point 3: slow servers, endless bodies and a resolver that ends in the middle.
#[test]
fn hostile_resolvers_end_in_a_verdict() {
    let write = |text: &'static str, stream: &mut TcpStream| {
        let mut sent = stream.write_all(b"HTTP/1.1 200 X\r\n\r\n");
        let began = Instant::now();
        while sent.is_ok() && began.elapsed() < Duration::from_secs(2) {
            sent = stream.write_all(text.as_bytes());
            if text.len() == 1 {
                thread::sleep(Duration::from_millis(50));
            }
        }
    };
    let endless: &str = "x".repeat(1 << 16).leak();
    for text in ["x", endless] {
        let hostile = TestServer::start(move |_, stream| write(text, stream));
        let honest = server(|_| redirect(307, "https://b/p"));
        let began = Instant::now();
        let identifiers = (0..8).map(|it| Job::Identifier(format!("/01/{it}")));
        let jobs = [Job::Skip("lines".to_owned())].into_iter().chain(identifiers).collect();
        let (report, result) = run(&honest, &hostile, jobs);
        let Err(CompareError::Silent(why)) = result else { panic!("{result:?}") };
        // What was skipped belongs to the batch that is not done.
        assert!(report.skipped.is_empty() && report.write_text(&mut Vec::new()).is_ok());
        assert!(why.contains("requests in succession failed"), "{why}");
        assert!(!report.is_complete && report.done == 0, "continues where it stopped answering");
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    }
}

/// A pause that the resolver asks for is kept.
#[test]
fn pauses_are_kept() {
    let began = Instant::now();
    let busy = server(move |_| {
        if began.elapsed() < Duration::from_millis(900) {
            let mut reply = page(429);
            reply.set("retry-after", Some("1"));
            return reply;
        }
        redirect(307, "https://b/p")
    });
    let (report, result) = run(&busy, &server(|_| redirect(307, "https://b/p")), key());
    assert!(result.is_ok() && kinds(&report).is_empty(), "{report:#?}");
    assert!(began.elapsed() >= Duration::from_secs(1));
}

/// Any text of a server is escaped in every format.
#[test]
fn text_of_resolvers_cannot_control_terminals_or_pages() {
    let evil = "<script>alert(1)</script>\\u001b]0;x\\u202e";
    let link =
        format!(r#"{{"href":"{evil}","title":"{evil}","hreflang":["{evil}"],"type":"{evil}"}}"#);
    let old = server(move |_| linkset(&link));
    let (report, _) = run(&old, &server(|_| linkset("")), key());
    assert!(kinds(&report).contains(&"link-missing"), "{report:#?}");
    let (mut text, mut html) = (Vec::new(), Vec::new());
    report.write_text(&mut text).unwrap();
    report.write_html(&mut html).unwrap();
    let text = String::from_utf8(text).unwrap().replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
    assert!(text.chars().all(|it| it == '\n' || !it.is_control()), "{text:?}");
    assert!(text.contains(r"\u{1b}"), "{text}");
    let html = String::from_utf8(html).unwrap();
    assert!(html.contains("&lt;script&gt;") && !html.contains("<script"), "{html}");
    assert!(
        html.contains("default-src 'none'") && !html.contains("src=\"") && !html.contains("href=")
    );
}

#[test]
fn addresses_that_cannot_be_used_are_refused() {
    let server = server(|_| page(200));
    for wrong in
        ["id.example.org", "ftp://id.example.org", "https://u:p@id.example.org", "https://a?b"]
    {
        let mut options = options(&server, &server);
        options.new.0 = wrong.to_owned();
        let mut report = CompareReport::new("old", "new");
        let result = compare(options, &mut std::iter::empty(), &mut report, &mut |_| true);
        assert!(matches!(result, Err(CompareError::Usage(_))), "{wrong}");
    }
}
