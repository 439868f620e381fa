//! `import --from` asks a running resolver for the records of a list of identifiers (GS1-Conformant
//! Resolver 1.2.0, sections 2.9, 2.10 and 3).

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Run, Sandbox, Server, fingerpost, finish, gtin, record, run, run_with_input};

const DESCRIPTION: &str = "/.well-known/gs1resolver";

fn import_from(sandbox: &Sandbox, from: &str, identifiers: &str, further: &[&str]) -> Run {
    let (data, list) = (sandbox.data(), sandbox.write("list.txt", identifiers));
    let (data, list) = (data.to_str().unwrap(), list.to_str().unwrap());
    let arguments = ["import", "--data", data, "--from", from, "--identifiers", list];
    run(arguments.iter().chain(further).chain(&["--format", "json"]))
}

/// RES-2.9-1, RES-2.9-4: another store ends with the same records.
#[test]
fn resolver_2_9_a_resolver_is_imported_completely() {
    let first = Sandbox::new();
    let link = |href: &str| {
        format!(
            r#"{{"anchor":"/01/{}/10/L%2F{href}","links":[{{"linkType":"gs1:instructions","href":"https://example.com/{href}","title":"é \"x\"","type":"text/html","hreflang":["en","fr-CA"],"context":["a"]}}]}}"#,
            gtin(1)
        )
    };
    let mut records =
        vec![link("1"), link("2"), record("/414/9520123456788", "https://example.com/p")];
    records.extend((0..50).map(|n| record(&format!("/01/{}", gtin(n)), "https://example.com/p")));
    first.import(&records.join("\n")).expect_status(0);
    let server = Server::start(&first.data(), None);
    let from = format!("http://{}", server.address());
    let mut list =
        vec![format!("(01){}(10)L/1(17)301231", gtin(1)), "(414)9520123456788".to_owned()];
    list.extend((0..50).map(gtin));
    list.push(format!("https://example.com/01/{}/10/L%2f2", gtin(1)));
    let list = list.join("\r\n");

    let second = Sandbox::new();
    let dry = import_from(&second, &from, &list, &["--dry-run"]).expect_status(0);
    assert_eq!(dry.events_of("summary")[0]["accepted"], 53);
    assert!(!second.data().exists());
    let imported = import_from(&second, &from, &list, &["--requests", "16"]).expect_status(0);
    assert_eq!(second.export(), first.export());
    assert!(imported.events_of("superseded").is_empty(), "a product comes with each lot, and once");
    assert!(imported.stderr.contains("the resolver calls itself https://id.example.org"));
    // Once more, from standard input: nothing changes.
    let data = second.data();
    let arguments =
        ["import", "--data", data.to_str().unwrap(), "--from", &from, "--identifiers", "-"];
    let again = run_with_input(arguments, list.as_bytes()).expect_status(0);
    assert!(
        again.stdout.contains("53 records accepted (unchanged: 53), none refused"),
        "{again:?}"
    );
}

/// RES-2.9-8: records of company prefixes, of any value and of ranges apply to an identifier as one
/// context object.
#[test]
fn resolver_2_9_wider_records_are_imported_with_the_identifiers() {
    let first = Sandbox::new();
    let product = format!("/01/{}", gtin(1));
    let records = [
        record("/gcp/9520", "https://company.example/"),
        record(&product, "https://product.example/"),
        record(&format!("{product}/-any/10"), "https://lots.example/{10}"),
        record(&format!("{product}/-range/10/1/A/C"), "https://range.example/"),
    ];
    first.import(&records.join("\n")).expect_status(0);
    let server = Server::start(&first.data(), None);
    let from = format!("http://{}", server.address());
    let second = Sandbox::new();
    let list = format!("{product}/10/A\n{product}/10/X\n{product}\n/414/9520123456788");
    import_from(&second, &from, &list, &[]).expect_status(0);
    let held = second.export();
    for (anchor, target) in [
        (format!("{product}/10/A"), "https://range.example/"),
        (format!("{product}/10/X"), "https://lots.example/X"),
        (product, "https://product.example/"),
        ("/414/9520123456788".to_owned(), "https://company.example/"),
    ] {
        let own = format!("\"anchor\":\"{anchor}\",");
        let line = held.lines().find(|line| line.contains(&own)).expect("a record");
        assert!(line.contains(target) && !line.contains("/gcp/"), "{line}");
    }
}

/// Links come from those who can prove that they are the resolver.
#[test]
fn certificates_are_checked_against_the_authorities_of_the_machine() {
    let first = Sandbox::new();
    first.import(&record("/414/9520123456788", "https://example.com/p")).expect_status(0);
    let authority = first.certify();
    let tls = first.write("tls.toml", "tls_cert = \"leaf.pem\"\ntls_key = \"leaf.key\"\n");
    let server = Server::start(&first.data(), Some(&tls));
    let second = Sandbox::new();
    let list = second.write("list.txt", "(414)9520123456788");
    let import = |authorities: &Path| {
        let mut command = fingerpost();
        command.env("SSL_CERT_FILE", authorities).env_remove("SSL_CERT_DIR");
        command.args(["import", "--from", &format!("https://{}", server.address())]);
        command.arg("--data").arg(second.data()).arg("--identifiers").arg(&list);
        finish(command, b"")
    };
    let refused = import(&first.path("leaf.key")).expect_status(2);
    assert!(refused.stderr.contains("certificate"), "{refused:?}");
    import(&authority).expect_status(0);
    assert_eq!(second.export(), first.export());
}

/// What a request is answered with.
type Answer = Box<dyn Fn(&str, &mut TcpStream) + Send + Sync>;

/// A resolver that answers like this; returns its address, and the requests that it gets.
fn resolver(answer: Answer) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let (answer, requests) = (Arc::new(answer), Arc::new(Mutex::new(Vec::new())));
    let noted = Arc::clone(&requests);
    // Both end with the test.
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(mut stream), answer, noted) = (stream, Arc::clone(&answer), Arc::clone(&noted))
            else {
                return;
            };
            thread::spawn(move || {
                let (mut head, mut byte) = (Vec::new(), [0]);
                while !head.ends_with(b"\r\n\r\n")
                    && stream.read(&mut byte).is_ok_and(|read| read == 1)
                {
                    head.push(byte[0]);
                }
                let head = String::from_utf8(head).expect("text");
                let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
                noted.lock().unwrap().push(target.clone());
                answer(&target, &mut stream);
            });
        }
    });
    (address, requests)
}

/// Sends an answer; a client that has seen enough closes the connection.
fn send(stream: &mut TcpStream, head: &str, body: &str) {
    let length = body.len();
    let text =
        format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    let _ = stream.write_all(text.as_bytes());
}

const OK: &str = "200 OK\r\nContent-Type: application/linkset+json";

fn linkset(anchors: &[&str]) -> String {
    let page = json!([{"href": "https://example.com/p", "title": "P", "fwqs": true}]);
    let contexts = anchors.iter().map(|anchor| {
        json!({"anchor": anchor, "itemDescription": "Tea",
            "https://gs1.org/voc/defaultLink": page[0], "https://gs1.org/voc/pip": page})
    });
    json!({"linkset": contexts.collect::<Vec<_>>()}).to_string()
}

fn description(keys: &[&str]) -> String {
    json!({"resolverRoot": "https://a.example/stem", "supportedPrimaryKeys": keys}).to_string()
}

/// The first fault of each line.
fn faults(run: &Run) -> HashMap<u64, String> {
    let events = run.events_of("refused");
    events
        .iter()
        .map(|event| {
            (
                event["line"].as_u64().unwrap(),
                event["faults"][0]["message"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

#[test]
fn answers_that_are_not_the_linkset_asked_for_are_refused_by_line() {
    let first_of_busy = Mutex::new(true);
    let (address, requests) = resolver(Box::new(move |target, stream| {
        let key = target.strip_prefix("/stem").unwrap_or_default();
        let key = key.split('?').next().unwrap_or_default();
        let own = [&format!("https://id.gs1.org{key}")[..]];
        let number = (0..12).find(|n| key == format!("/01/{}", gtin(*n)));
        match number {
            _ if target == DESCRIPTION => send(
                stream,
                "200 OK\r\nContent-Type: application/json",
                &description(&["01", "414"]),
            ),
            // Fine, in the form of Resolver CE.
            Some(0) => send(stream, OK, &linkset(&own)),
            // Links of another key beside its own.
            Some(1) => {
                send(
                    stream,
                    OK,
                    &linkset(&[own[0], &format!("https://id.gs1.org/01/{}", gtin(0))]),
                );
            }
            Some(2) => send(stream, "302 Found\r\nLocation: https://elsewhere.example/x", ""),
            // On the same host it is followed.
            Some(3) => {
                send(stream, &format!("301 Moved\r\nLocation: {}?linkType=linkset", gtin(0)), "");
            }
            Some(4) => send(stream, "200 OK\r\nContent-Type: text/html", "<html>"),
            Some(5) => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n[");
                while stream.write_all(&[b' '; 4096]).is_ok() {}
            }
            Some(6) => thread::sleep(Duration::from_secs(5)),
            Some(7) if std::mem::take(&mut *first_of_busy.lock().unwrap()) => {
                send(stream, "429 Too Many Requests\r\nRetry-After: 1", "");
            }
            Some(7) => send(stream, OK, &linkset(&own)),
            Some(8) => send(stream, "503 Service Unavailable\r\nRetry-After: 86400", ""),
            Some(9) => send(stream, OK, "{\"linkset\": [\u{0}"),
            Some(10) => send(stream, OK, "{\"linkset\": []}"),
            Some(11) => send(stream, OK, &record(key, "https://example.com/p")),
            _ => send(stream, "404 Not Found", ""),
        }
    }));
    let mut list: Vec<String> = (0..13).map(gtin).collect();
    list.extend(["09520123456789".to_owned(), "00095060001343520123".to_owned()]);
    let sandbox = Sandbox::new();
    let imported =
        import_from(&sandbox, &address, &list.join("\n"), &["--timeout", "2"]).expect_status(1);
    let exported = sandbox.export();
    let anchors: Vec<Value> = exported
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["anchor"].clone())
        .collect();
    let stored = [0, 1, 7].map(|n| format!("/01/{}", gtin(n)));
    assert_eq!(anchors, stored, "{imported:?}");
    assert!(exported.contains("\"default\":true") && exported.contains("gs1:pip"), "{exported}");
    let faults = faults(&imported);
    for (line, why) in [
        (2, "expected links of /01/"),
        (3, "redirects to another origin, which is not followed: https://elsewhere.example/x"),
        // The redirect led to a linkset of another key.
        (4, "expected links of /01/"),
        (5, "expected application/linkset+json, found text/html"),
        (6, "expected at most 8388608 bytes"),
        (7, "no complete answer within 2 s"),
        (9, "asks for a pause of 86400 s"),
        (10, "not valid JSON"),
        (11, "found an empty one"),
        (12, "expected a linkset, found other JSON"),
        (13, "no links for it (404)"),
        (14, "check digit"),
        (15, "does not serve primary keys (00)"),
    ] {
        assert!(faults.get(&line).is_some_and(|fault| fault.contains(why)), "{line}: {faults:?}");
    }
    assert_eq!(faults.len(), 13, "{faults:?}");
    let requests = requests.lock().unwrap();
    assert_eq!(requests[0], DESCRIPTION);
    assert!(requests[1..].iter().all(|target| target.starts_with("/stem/01/")), "{requests:?}");
}

#[test]
fn resolvers_of_earlier_releases_are_asked_for_all_links() {
    let (address, requests) =
        resolver(Box::new(|target, stream| match target.strip_suffix("?linkType=all") {
            Some(key) => send(stream, "200 OK\r\nContent-Type: application/json", &linkset(&[key])),
            None if target == DESCRIPTION => send(stream, "404 Not Found", ""),
            None => send(stream, "307 Temporary Redirect\r\nLocation: https://example.com/p", ""),
        }));
    let sandbox = Sandbox::new();
    let list: Vec<String> = (0..20).map(gtin).collect();
    let imported =
        import_from(&sandbox, &address, &list.join("\n"), &["--requests", "1"]).expect_status(0);
    assert!(imported.stderr.contains("no description of the resolver"), "{imported:?}");
    assert_eq!(sandbox.export().lines().count(), 20);
    assert_eq!(requests.lock().unwrap().len(), 1 + 1 + 20, "it is known after the first one");
}

#[test]
fn nothing_is_stored_when_the_resolver_is_gone() {
    let sandbox = Sandbox::new();
    let (address, _) = resolver(Box::new(|target, stream| {
        if target == DESCRIPTION {
            send(stream, "200 OK\r\nContent-Type: application/json", &description(&["all"]));
        } else if target.contains(&gtin(0)) {
            send(
                stream,
                OK,
                &linkset(&[target.split('?').next().unwrap().strip_prefix("/stem").unwrap()]),
            );
        } else {
            thread::sleep(Duration::from_secs(3));
        }
    }));
    let list: Vec<String> = (0..20).map(gtin).collect();
    let ended =
        import_from(&sandbox, &address, &list.join("\n"), &["--timeout", "1", "--requests", "16"]);
    let ended = ended.expect_status(2);
    assert!(ended.stderr.contains("gave no answer 10 times in a row"), "{ended:?}");
    assert_eq!(sandbox.export(), "");
    for (from, why) in [("http://127.0.0.1:1", "cannot be asked"), ("id.example.org", "https://")] {
        let refused = import_from(&sandbox, from, "09520123456788", &[]).expect_status(2);
        assert!(refused.stderr.contains(why), "{refused:?}");
    }
}

#[test]
fn an_interrupt_while_a_resolver_is_slow_stores_nothing() {
    let sandbox = Sandbox::new();
    let (address, requests) = resolver(Box::new(|target, stream| match target {
        DESCRIPTION => send(stream, "404 Not Found", ""),
        _ => thread::sleep(Duration::from_secs(60)),
    }));
    let list = sandbox.write("list.txt", &gtin(0));
    let mut command = fingerpost();
    command.args(["import", "--from", &address, "--data"]).arg(sandbox.data());
    command.arg("--identifiers").arg(list).stderr(Stdio::piped()).stdout(Stdio::null());
    let child = command.spawn().unwrap();
    while requests.lock().unwrap().len() < 2 {
        thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &id]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("nothing was stored"));
    assert_eq!(sandbox.export(), "");
}

#[test]
fn records_of_a_company_prefix_are_imported_for_keys_without_their_own() {
    let first = Sandbox::new();
    let company = record("/gcp/9520000", "https://example.com/all");
    let own = record(&format!("/01/{}", gtin(0)), "https://example.com/own");
    first.import(&[company, own.clone()].join("\n")).expect_status(0);
    let server = Server::start(&first.data(), None);
    let second = Sandbox::new();
    let from = format!("http://{}", server.address());
    let imported = import_from(&second, &from, &[gtin(0), gtin(1)].join("\n"), &[]);
    imported.expect_status(0);
    let exported = second.export();
    let records: Vec<&str> = exported.lines().collect();
    let of_company = record(&format!("/01/{}", gtin(1)), "https://example.com/all");
    // RES-2.9-8: one context object, with what the company adds to the own record: nothing.
    assert_eq!(records, [own, of_company]);
}
