//! `import --from-ce` takes documents of GS1 Resolver CE from files, folders and its API. Resolver
//! CE cannot be run here; its API is a stand-in written from the contract.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::thread;

use serde_json::{Value, json};

use crate::support::{Run, Sandbox, fingerpost, run};

fn import(place: &Sandbox, from: &str, further: &[&str]) -> Run {
    let (data, quarantine) = (place.data(), place.path("quarantine.jsonl"));
    let (data, quarantine) = (data.to_str().unwrap(), quarantine.to_str().unwrap());
    let arguments = [
        "import",
        "--data",
        data,
        "--from-ce",
        from,
        "--quarantine",
        quarantine,
        "--format",
        "json",
    ];
    run(arguments.iter().chain(further))
}

fn document(anchor: &str, qualifiers: &Value, href: &str) -> Value {
    json!({"anchor": anchor, "itemDescription": "Tea", "defaultLinktype": "gs1:pip",
        "qualifiers": qualifiers,
        "links": [{"linktype": "gs1:pip", "href": href, "title": "Page", "hreflang": ["en"]}]})
}

const KEY: &str = "/01/09506000134352";

#[test]
fn a_folder_is_imported_and_what_is_quarantined_can_be_corrected() {
    let place = Sandbox::new();
    let folder = place.path("dump");
    fs::create_dir(&folder).unwrap();
    let products = json!([
        document(KEY, &json!([]), "https://example.com/tea"),
        document(KEY, &json!([{"21": "{serial}"}]), "https://example.com/tea/{serial}"),
        document("/01/09506000134353", &json!([]), "https://example.com/wrong"),
    ]);
    fs::write(folder.join("a.json"), products.to_string()).unwrap();
    fs::write(folder.join("notes.txt"), "not documents").unwrap();
    let from = folder.to_str().unwrap();

    let dry = import(&place, from, &["--dry-run"]).expect_status(1);
    assert!(!place.data().exists());
    let imported = import(&place, from, &[]).expect_status(1);
    assert!(imported.stderr.contains("notes.txt"));
    let numbers = &imported.events_of("documents")[0];
    assert_eq!((&numbers["imported"], &numbers["quarantined"]), (&2.into(), &1.into()));
    // A dry run reports what the import does.
    assert_eq!(&dry.events_of("documents")[0], numbers);
    assert_eq!(dry.events_of("document"), imported.events_of("document"));
    assert_eq!(dry.events_of("summary")[0]["created"], 2);
    let again = import(&place, from, &["--dry-run"]).expect_status(1);
    assert_eq!(again.events_of("summary")[0]["unchanged"], 2, "it sees what is stored");
    let document = &imported.events_of("document")[0];
    assert_eq!(document["anchor"], "/01/09506000134353");
    assert_eq!(document["reasons"][0]["id"], "L_INCORRECT_CHECK_DIGIT");
    assert_eq!(imported.events_of("summary")[0]["created"], 2);

    let quarantine = place.path("quarantine.jsonl");
    let kept = fs::read_to_string(&quarantine).unwrap();
    assert_eq!(kept.lines().count(), 1);
    fs::write(&quarantine, kept.replace("134353", "134369")).unwrap();
    import(&place, quarantine.to_str().unwrap(), &[]).expect_status(0);
    assert_eq!(place.export().lines().count(), 3);
    // The same import again changes nothing.
    let again = import(&place, from, &[]).expect_status(1);
    assert_eq!(again.events_of("summary")[0]["unchanged"], 2);
    import(&place, "missing", &[]).expect_status(2);
}

#[cfg(feature = "bson")]
#[test]
fn a_dump_is_read() {
    let place = Sandbox::new();
    let dump = place.path("gs1resolver.bson");
    fs::write(&dump, b"\x05\0\0\0\0").unwrap(); // an empty document
    let dump = dump.to_str().unwrap();
    let imported = import(&place, dump, &[]).expect_status(1);
    assert_eq!(imported.events_of("documents")[0]["refused"], 1);
}

#[test]
fn what_was_imported_can_be_exported() {
    let place = Sandbox::new();
    let products = json!([
        document(KEY, &json!([]), "https://example.com/tea"),
        document(KEY, &json!([{"21": "{serialnumber}"}]), "https://example.com/{serialnumber}"),
    ]);
    let file = place.write("documents.json", &products.to_string());
    import(&place, file.to_str().unwrap(), &[]).expect_status(0);
    let data = place.data();
    let exported = run(["export", "--to-ce", "--data", data.to_str().unwrap()]).expect_status(0);
    let mut expected = products;
    expected[0].as_object_mut().unwrap().remove("qualifiers");
    assert_eq!(serde_json::from_str::<Value>(&exported.stdout).unwrap(), expected);
}

/// Answers as the contract says, with a key that fails.
fn stand_in() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let doubled = document(KEY, &json!([]), "https://example.com/tea");
    let answers = HashMap::from([
        ("/api/index".to_owned(), json!({"response_status": 200, "data": [KEY, "/01/1"]})),
        (format!("/api{KEY}"), json!({"response_status": 200, "data": [doubled, doubled]})),
    ]);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let request = lines.next().unwrap().unwrap();
            let path = request.split(' ').nth(1).unwrap().to_owned();
            let fields: Vec<_> =
                lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
            let is_known = fields
                .iter()
                .any(|field| field.eq_ignore_ascii_case("authorization: Bearer secret"));
            let (status, body) = match answers.get(&path) {
                _ if !is_known => (403, json!("Token is invalid")),
                Some(body) => (200, body.clone()),
                None => (404, json!({"response_status": 404, "error": "No document found"})),
            };
            let body = body.to_string();
            let _ = write!(
                stream,
                "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    format!("http://{address}/api/")
}

#[test]
fn a_running_resolver_ce_is_imported() {
    let place = Sandbox::new();
    let (address, token) = (stand_in(), place.write("token", "secret\n"));
    let other = place.write("other", "guess\n");
    for refused in [&[][..], &["--ce-token", other.to_str().unwrap()]] {
        let refused = import(&place, &address, refused).expect_status(2);
        assert!(refused.stderr.contains("Resolver CE refused the token"), "{}", refused.stderr);
        assert!(refused.stderr.contains("--ce-token"), "{}", refused.stderr);
        assert!(!refused.stderr.contains("guess"), "the token is a secret: {}", refused.stderr);
        assert_eq!(place.export(), "", "nothing was imported");
    }
    let missing = import(&place, &address, &["--ce-token", "missing"]).expect_status(2);
    assert!(missing.stderr.contains("cannot read `missing`"), "{}", missing.stderr);
    let dry = [&["--dry-run"], &["--ce-token", token.to_str().unwrap()][..]].concat();
    let dry = import(&place, &address, &dry).expect_status(1);
    assert_eq!(dry.events_of("documents")[0]["merged"], 2);
    assert_eq!(place.export(), "", "a dry run changes nothing");
    let token = ["--ce-token", token.to_str().unwrap()];
    let imported = import(&place, &address, &token).expect_status(1);
    let numbers = &imported.events_of("documents")[0];
    assert_eq!((&numbers["merged"], &numbers["refused"]), (&2.into(), &1.into()));
    assert_eq!(place.export().lines().count(), 1);
}

/// As other imports: the same command again imports the rest.
#[test]
fn a_killed_import_is_completed_by_the_same_command() {
    const DOCUMENTS: u64 = 3_000;
    let place = Sandbox::new();
    let lots = (0..DOCUMENTS).map(|lot| {
        let lot = lot * 7_919 % DOCUMENTS;
        document(KEY, &json!([{"10": format!("L{lot}")}]), &format!("https://example.com/{lot}"))
    });
    let wrong = document("/01/09506000134353", &json!([]), "https://example.com/wrong");
    let text: String = lots.chain([wrong]).map(|document| format!("{document}\n")).collect();
    let file = place.write("documents.jsonl", &text);
    let file = file.to_str().unwrap();
    let quarantine = place.path("quarantine.jsonl");

    let (data, quarantined) = (place.data(), quarantine.to_str().unwrap());
    let mut child = fingerpost()
        .args(["import", "--format", "json", "--batch", "1", "--data", data.to_str().unwrap()])
        .args(["--from-ce", file, "--quarantine", quarantined])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut events = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut committed = events.by_ref().map_while(Result::ok).filter(|it| it.contains("committed"));
    assert!(committed.nth(4).is_some());
    child.kill().unwrap();
    child.wait().unwrap();
    let stored = place.export().lines().count() as u64;
    assert!((5..DOCUMENTS).contains(&stored), "{stored}");
    assert!(!quarantine.exists(), "the file of a killed import is not complete");

    let again = import(&place, file, &[]).expect_status(1);
    let summary = &again.events_of("summary")[0];
    let key = 1;
    assert_eq!(
        (&summary["unchanged"], &summary["created"]),
        (&(stored - key).into(), &(DOCUMENTS + key - stored).into()),
        "the record of the key is there"
    );
    assert_eq!(again.events_of("documents")[0]["quarantined"], 1);
    assert_eq!(fs::read_to_string(&quarantine).unwrap().lines().count(), 1);
    let whole = Sandbox::new();
    import(&whole, file, &[]).expect_status(1);
    assert_eq!(place.export(), whole.export());
}
