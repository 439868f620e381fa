//! `serve`: the demo, the data directory, and what other processes write while it runs.

use crate::support;

use std::ffi::OsStr;
use std::process::Stdio;

use fingerpost_testkit::Ask;
use support::{Sandbox, Server, fingerpost, record, run};

/// The demo needs nothing else, and every curl line it prints shows what it says.
#[test]
fn the_demo_serves_what_it_invites_to_try() {
    let mut command = fingerpost();
    command.args(["serve", "--demo", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
    let mut server = Server::from_command(command);
    let lines = server.lines_until("Ctrl-C");
    let base = format!("http://{}", server.address());
    let mut tried = 0;
    for (line, comment) in lines.iter().skip(1).zip(&lines) {
        let Some(curl) = line.strip_prefix("  curl -s ") else { continue };
        let words: Vec<&str> = curl.split('\'').collect();
        let target = words.iter().find_map(|word| word.strip_prefix(&base)).expect("a URL");
        let ask = match words.iter().find_map(|word| word.split_once(": ")) {
            Some((name, value)) => Ask::get(target).header(name, value),
            None => Ask::get(target),
        };
        let expected = match comment.trim_start_matches("  # ").split_once(':') {
            Some((status, _)) if status.parse::<u16>().is_ok() => status.parse().unwrap(),
            _ if target.contains("well-known") || curl.contains("linkset+json") => 200,
            _ => 307,
        };
        assert_eq!(server.send(&ask).status, expected, "{comment}\n{line}");
        tried += 1;
    }
    assert!(tried > 15, "{lines:?}");
    let explain = lines.iter().find(|line| line.contains(" explain ")).expect("an explanation");
    let shell = ["-c".to_owned(), explain.clone()];
    let explained = std::process::Command::new("sh").args(shell).output().expect("a shell");
    let explained = String::from_utf8(explained.stdout).unwrap();
    assert!(explained.contains("redirect to https://example.com/tea/new"), "{explained}");
    for type_asked in ["linkset", "all", "gs1:promotion"] {
        let target = format!("/01/09520123456788?linkType={type_asked}");
        let answer = server.send(&Ask::get(&target)).text();
        assert!(!answer.contains("/tea/new"), "the campaign is secret: {target}: {answer}");
    }
    let home = server.send(&Ask::get("/")).text();
    assert_eq!(home.matches("class=\"try\"").count(), 5, "examples of the sample data: {home}");
    for query in home.split("href=\"").filter_map(|rest| rest.strip_prefix("/?q=")) {
        let query = query.split('"').next().expect("an attribute");
        let shown = server.send(&Ask::get(&format!("/?q={query}"))).text();
        assert!(shown.contains("<h1><bdi>Alpine herb tea"), "{query}: {shown}");
        assert!(shown.contains("class=\"go\" href=\"/01/"), "{query}: on this host: {shown}");
    }
    // The page names the product once, above links that say what they lead to (PE-8).
    let ask = Ask::get("/01/09520123456788?linkType=linkset").header("accept", "text/html");
    let page = server.send(&ask.header("accept-language", "en")).text();
    let (_, body) = page.split_once("<h1 itemprop").expect("a heading");
    assert_eq!(body.matches("Alpine herb tea").count(), 1, "{body}");
    assert!(body.contains("Taste, preparation and origin"), "{body}");
    let picture = "aria-label=\"The box of the tea\"";
    assert!(page.contains(picture), "{page}");
    assert!(page.contains("src=\"/.well-known/fingerpost/sample.svg\""), "{page}");
    // In the brand of the company whose product it is (PE-29).
    assert!(page.contains("<bdi>Alpine Herbs</bdi></a></header>"), "{page}");
    assert!(page.contains("style.css?accent=2f6b52&#38;v="), "{page}");
    let logo = page.split("<img src=\"").nth(1).and_then(|rest| rest.split('"').next());
    let logo = logo.expect("a logo").replace("&#38;", "&");
    let logo = server.send(&Ask::get(&logo));
    assert_eq!(logo.status, 200);
    assert_eq!(logo.header("content-type").as_deref(), Some("image/svg+xml"));
    let picture = server.send(&Ask::get("/.well-known/fingerpost/sample.svg"));
    assert_eq!(picture.status, 200);
    assert_eq!(picture.header("content-type").as_deref(), Some("image/svg+xml"));
    let data = explain.split(' ').skip_while(|word| *word != "--data").nth(1).unwrap().to_owned();
    server.stop();
    assert!(!std::path::Path::new(&data).exists(), "the sample data is removed");
}

#[test]
fn a_missing_data_directory_is_created_and_said_to_be_empty() {
    let sandbox = Sandbox::new();
    let mut command = fingerpost();
    command.args(["serve", "--listen", "127.0.0.1:0", "--no-admin", "--data"]).arg(sandbox.data());
    let log = std::fs::File::create(sandbox.path("log")).unwrap();
    let mut child = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
    let said = || std::fs::read_to_string(sandbox.path("log")).unwrap();
    let patience = std::time::Instant::now();
    while !said().contains("is empty") {
        assert!(patience.elapsed().as_secs() < 30, "{}", said());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(sandbox.data().join("data.mdb").exists());
}

/// What is imported while the server runs is served at once, also for a key whose record it has
/// found before.
#[test]
fn what_another_process_imports_is_served_at_once() {
    let sandbox = Sandbox::new();
    let anchor = "/01/09520123456788";
    sandbox.import(&record(anchor, "https://example.com/0")).expect_status(0);
    let server = Server::start(&sandbox.data(), None);
    for round in 0..20 {
        let location = format!("https://example.com/{round}");
        for _ in 0..10 {
            assert_eq!(server.get(anchor).header("location").as_deref(), Some(&*location));
        }
        let next = format!("https://example.com/{}", round + 1);
        sandbox.import(&record(anchor, &next)).expect_status(0);
    }
    // A level that was not there a moment ago.
    let lot = format!("{anchor}/10/L1");
    assert_eq!(server.get(&lot).header("location").as_deref(), Some("https://example.com/20"));
    sandbox.import(&record(&lot, "https://example.com/lot")).expect_status(0);
    assert_eq!(server.get(&lot).header("location").as_deref(), Some("https://example.com/lot"));
    server.stop();
}

#[test]
fn a_load_balancer_sees_the_end_before_it_comes() {
    let sandbox = Sandbox::new();
    sandbox.import(&record("/01/09520123456788", "https://example.com/a")).expect_status(0);
    let config = sandbox.write("fingerpost.toml", "[limits]\nshutdown_drain = \"15s\"");
    let mut server = Server::start(&sandbox.data(), Some(&config));
    assert_eq!(server.get("/ready").status, 200);
    server.signal("TERM");
    let patience = std::time::Instant::now();
    while server.get("/ready").status != 503 {
        assert!(patience.elapsed().as_secs() < 15, "still ready");
    }
    assert_eq!(server.get("/health").status, 200);
    assert_eq!(server.get("/01/09520123456788").status, 307);
    server.wait();
    // A person at a terminal does not wait.
    let mut server = Server::start(&sandbox.data(), Some(&config));
    let patience = std::time::Instant::now();
    server.signal("INT");
    server.wait();
    assert!(patience.elapsed().as_secs() < 15, "{:?}", patience.elapsed());
}

#[test]
fn a_crowd_on_the_public_side_leaves_descriptors_for_the_admin_side() {
    let sandbox = Sandbox::new();
    let config = "threads = 1\n[admin]\nmax_connections = 8\nlisten = \"127.0.0.1:0\"";
    let config = sandbox.write("fingerpost.toml", config);
    let mut command = std::process::Command::new("bash");
    // 64 and 16 and 8 are reserved, so 62 of 150 are for the public side.
    command.args(["-c", "ulimit -n 150; exec \"$@\"", "bash", support::FINGERPOST, "serve"]);
    command
        .args(["--listen", "127.0.0.1:0", "--config"])
        .arg(config)
        .arg("--data")
        .arg(sandbox.data());
    let log = std::fs::File::create(sandbox.path("log")).unwrap();
    let mut server = Server::logging(command, log.into());
    let lines = server.lines_until("admin listening on ");
    let admin = lines.last().unwrap().split_once("://").unwrap().1.to_owned();
    let said = std::fs::read_to_string(sandbox.path("log")).unwrap();
    assert!(said.contains("serves 62 connections at a time"), "{said}");
    let crowd: Vec<_> =
        (0..300).map(|_| std::net::TcpStream::connect(server.address()).unwrap()).collect();
    assert_eq!(support::send(&admin, &Ask::get("/health")).status, 204);
    assert_eq!(server.get("/health").status, 200, "and new clients get in");
    drop(crowd);
    server.stop();
}

#[test]
fn an_address_in_use_and_wrong_files_are_told_with_advice() {
    let sandbox = Sandbox::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let data = sandbox.data();
    for (side, advice) in
        [("--listen", "with --listen"), ("--admin-listen", "or do without by --no-admin")]
    {
        let serve = ["serve", "--listen", "127.0.0.1:0", side, &address, "--data"].map(OsStr::new);
        // Given twice, both addresses of the public side are taken.
        let failed = run(serve.into_iter().chain([data.as_os_str()])).expect_status(2);
        let said = format!("error: cannot listen on {address}");
        assert!(failed.stderr.contains(&said), "{failed:?}");
        assert!(failed.stderr.contains("help: choose another address"), "{failed:?}");
        assert!(failed.stderr.contains(advice), "{failed:?}");
    }

    let missing = ["--tls-cert", "none.pem", "--tls-key", "none.key"].map(OsStr::new);
    let failed = run(["serve", "--demo"].map(OsStr::new).into_iter().chain(missing));
    assert!(failed.expect_status(2).stderr.contains("none.pem"));

    let config =
        sandbox.write("wrong.toml", "resolver_root = \"https://id.example.org\"\nnmae = 1\n");
    let serve = ["serve", "--demo", "--config"].map(OsStr::new);
    let failed = run(serve.into_iter().chain([config.as_os_str()])).expect_status(2);
    assert!(failed.stderr.contains("wrong.toml:2"), "{failed:?}");
}

/// HTTPS without a certificate: curl is told to trust whatever comes.
#[test]
fn a_self_signed_certificate_is_made_on_the_spot() {
    let mut command = fingerpost();
    command.args(["serve", "--demo", "--tls-self-signed", "--listen", "127.0.0.1:0", "--no-admin"]);
    let mut server = Server::from_command(command);
    let lines = server.lines_until("Ctrl-C");
    let line = lines.iter().find(|line| line.starts_with("  curl -sk ")).expect("a curl line");
    let output = std::process::Command::new("sh").args(["-c", line]).output().expect("a shell");
    if output.status.code() == Some(127) {
        return fingerpost_testkit::skipped("the self-signed certificate", "curl is not installed");
    }
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.trim(), "307 https://example.com/tea", "{line}");
}

/// Even the detailed log says neither who asked nor with which query; paths may be there, for those
/// who look for a fault.
#[test]
fn nothing_about_a_client_is_logged() {
    let sandbox = Sandbox::new();
    let config = sandbox.write(
        "fingerpost.toml",
        "resolver_root = \"https://id.example.org\"\n\
         trusted_proxies = [\"127.0.0.0/8\"]\n[log]\nlevel = \"debug\"\n",
    );
    sandbox.import(&record("/01/09520123456788", "https://example.com/0")).expect_status(0);
    let mut command = fingerpost();
    command.args(["serve", "--no-admin", "--listen", "127.0.0.1:0", "--config"]).arg(config);
    command.arg("--data").arg(sandbox.data());
    let log = std::fs::File::create(sandbox.path("log")).unwrap();
    let server = Server::logging(command, log.into());
    for (target, status) in [
        ("/01/09520123456788?serial=MARKED", 307),
        ("/01/09520123456788/21/1?x=MARKED", 307),
        ("/01/09520123456789?x=MARKED", 400),
        ("/nothing?x=MARKED", 400),
        ("/?text=MARKED", 200),
        ("/urn/urn:isbn:0451450523?x=MARKED", 404),
    ] {
        let mut ask = Ask::get(target);
        for name in ["Accept-Language", "Cookie", "Referer", "User-Agent"] {
            ask = ask.header(name, "MARKED");
        }
        for name in ["Forwarded", "X-Forwarded-For", "X-Real-IP"] {
            ask = ask.header(name, "203.0.113.7");
        }
        assert_eq!(server.send(&ask).status, status, "{target}");
    }
    server.stop();
    let log = std::fs::read_to_string(sandbox.path("log")).unwrap();
    assert!(log.contains("/01/09520123456788"), "requests are in a log of this level: {log}");
    for personal in ["MARKED", "203.0.113.7"] {
        assert!(!log.contains(personal), "{personal}: {log}");
    }
}
