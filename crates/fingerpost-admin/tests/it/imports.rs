//! Files through the API: rights, dry runs, events, reports, spreadsheets that are not understood,
//! limits, and an end in the middle.

use crate::support;

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use fingerpost_registry::{Caller, NewKey, Secret, Verb};
use fingerpost_testkit::PATIENCE;
use serde_json::{Value, json};
use support::{
    Answer, FOREIGN, OWN, Running, ask, connect, read_answer, record, start, start_with,
};

/// A product of the first organisation, other than [`OWN`].
const OTHER: &str = "01/09506000134369";

fn import(running: &Running, key: &Secret, query: &str, file: impl Into<Vec<u8>>) -> Answer {
    ask("POST", &format!("/v1/imports{query}")).key(key).body("text/plain", file).to(running)
}

/// The events of an import, each with its name.
fn events(running: &Running, query: &str, file: impl Into<Vec<u8>>) -> Vec<(String, Value)> {
    let asked = ask("POST", &format!("/v1/imports{query}"))
        .key(&running.accounts.writer)
        .field("Accept", "text/event-stream")
        .body("application/octet-stream", file);
    let answer = asked.to(running);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.field("content-type"), Some("text/event-stream"));
    parsed(&answer.text())
}

fn parsed(text: &str) -> Vec<(String, Value)> {
    let events = text.split("\n\n").filter(|event| !event.is_empty() && !event.starts_with(':'));
    let events = events.map(|event| {
        let mut lines = event.lines();
        let name = lines.next().and_then(|line| line.strip_prefix("event: ")).expect("a name");
        let data = lines.next().and_then(|line| line.strip_prefix("data: ")).expect("data");
        assert_eq!(lines.next(), None, "{event}");
        (name.to_owned(), serde_json::from_str(data).expect("JSON"))
    });
    events.collect()
}

fn totals(report: &Value) -> [u64; 4] {
    ["created", "replaced", "unchanged", "refused"]
        .map(|name| report["totals"][name].as_u64().expect("a number"))
}

fn lines(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("{}\n", record(key))).collect()
}

fn stored(running: &Running) -> usize {
    let store = running.registry.store();
    usize::try_from(store.len().expect("a store")).expect("a number")
}

#[test]
fn every_record_is_judged_with_the_rights_of_the_caller() {
    let running = start();
    let file = lines(&[OWN, FOREIGN]);
    for query in ["?dryRun=true", ""] {
        let answer = import(&running, &running.accounts.writer, query, file.clone());
        assert_eq!(answer.status, 200, "{}", answer.text());
        let report = answer.json();
        assert_eq!(totals(&report), [1, 0, 0, 1], "{query}: {report:#}");
        let refused = &report["refused"][0];
        assert_eq!(
            (&refused["line"], &refused["anchor"]),
            (&json!(2), &json!(format!("/{FOREIGN}")))
        );
        assert_eq!(refused["faults"][0]["id"], "rights");
        assert_eq!(report["dryRun"], !query.is_empty());
        assert_eq!(stored(&running), usize::from(query.is_empty()), "{query}");
    }
    let again = import(&running, &running.accounts.writer, "", lines(&[OWN])).json();
    assert_eq!(totals(&again), [0, 0, 1, 0]);
    let read_only = import(&running, &running.accounts.reader, "", lines(&[OWN]));
    assert_eq!((read_only.status, read_only.code().as_str()), (403, "forbidden"));
}

/// The report of a dry run, which is that of the import after it.
fn compared(import: impl Fn(&str) -> Answer) -> Value {
    let reports = ["?dryRun=true", ""].map(|query| {
        let mut report = import(query).json();
        for member in ["dryRun", "proposals", "changeSet", "replaces"] {
            report.as_object_mut().expect("a report").remove(member);
        }
        report
    });
    assert_eq!(reports[0], reports[1]);
    reports[1].clone()
}

/// Limited keys, sessions and regulated link types: a dry run refuses what the import refuses.
#[test]
fn a_dry_run_says_what_the_import_then_does() {
    let running = start();
    let accounts = &running.accounts;
    // A key that is limited to other digits.
    let new = NewKey {
        label: "limited".into(),
        organisation: Some(accounts.own),
        verbs: vec![Verb::Read, Verb::Write],
        prefix: Some("95060009".parse().expect("digits")),
        expires: None,
        for_organisation: false,
    };
    let (_, limited) = running.registry.create_key(&Caller::local("test"), new).expect("a key");
    let beyond = compared(|query| import(&running, &limited, query, lines(&[OWN])));
    assert_eq!(beyond["refused"][0]["faults"][0]["id"], "rights", "{beyond:#}");
    // A person with a session.
    let browser = running.sign_in();
    let foreign = compared(|query| {
        let asked = running.by_page(&browser, ask("POST", &format!("/v1/imports{query}")));
        asked.body("text/plain", lines(&[FOREIGN])).to(&running)
    });
    assert_eq!(foreign["refused"][0]["faults"][0]["id"], "rights", "{foreign:#}");
    // A link type for which the organisation has no permission.
    let mut regulated = record(OWN);
    regulated["links"][1]["linkType"] = json!("gs1:epil");
    let regulated = regulated.to_string();
    let regulated = compared(|query| import(&running, &accounts.writer, query, &*regulated));
    assert_eq!(regulated["refused"][0]["faults"][0]["id"], "RES-2.5.2-2", "{regulated:#}");
}

/// PE-5: rows of one key about different products are refused, with both rows, unless confirmed.
#[test]
fn rows_about_different_products_are_confirmed() {
    let running = start();
    let file = "GTIN,Web address,Title\n\
        9506000134352,https://brand.example/tea,Tea\n\
        9506000134352,https://brand.example/coffee,Coffee\n";
    let send = |query: &str| import(&running, &running.accounts.writer, query, file);
    for query in ["?dryRun=true", "", "?mergeRows=false"] {
        let report = send(query).json();
        assert_eq!(totals(&report), [0, 0, 0, 1], "{report:#}");
        let fault = &report["refused"][0]["faults"][0];
        assert_eq!(
            (&fault["id"], &fault["pointer"]),
            (&json!("spreadsheet-conflict"), &json!("cell B3"))
        );
        let detail = fault["detail"].as_str().expect("text");
        for part in ["rows 2 and 3", "\"Tea\"", "\"Coffee\"", "/tea", "/coffee"] {
            assert!(detail.contains(part), "{part}: {detail}");
        }
    }
    let report = send("?mergeRows=true").json();
    assert_eq!(totals(&report), [1, 0, 0, 0], "{report:#}");
    assert!(report["warned"][0].to_string().contains("rows 2 and 3"), "{report:#}");
    assert_eq!(send("?mergeRows=perhaps").status, 400);
}

/// Ranges that only the store of the installation has, quotas and approval: the same.
#[test]
fn a_dry_run_knows_ranges_quotas_and_approval() {
    let running = start();
    let accounts = &running.accounts;
    let own = format!("/v1/organisations/{}", accounts.own);
    let change = |body: Value| {
        let answer = ask("PATCH", &own).key(&accounts.root).json(&body).to(&running);
        assert_eq!(answer.status, 200, "{}", answer.text());
    };
    let by_writer = |query: &str, file: &str| import(&running, &accounts.writer, query, file);
    running.registered(OWN);
    let range = |first: &str, last: &str| {
        let link =
            json!({ "linkType": "gs1:pip", "href": "https://brand.example/r", "title": "R" });
        let anchor = format!("/{OWN}/-range/10/4/{first}/{last}");
        json!({ "anchor": anchor, "links": [link] }).to_string()
    };
    assert_eq!(totals(&by_writer("", &range("A100", "A199")).json()), [1, 0, 0, 0]);
    let overlaps = compared(|query| by_writer(query, &range("A150", "A250")));
    assert_eq!(overlaps["refused"][0]["faults"][0]["id"], "RES-2.5.9-10", "{overlaps:#}");
    let beside = by_writer("?dryRun=true", &range("A200", "A250")).json();
    assert_eq!(totals(&beside), [1, 0, 0, 0]);
    // A quota without room for one more.
    let used = ask("GET", &format!("{own}/usage")).key(&accounts.root).to(&running).json();
    change(json!({ "quotas": { "levels": used["levels"]["used"] } }));
    let beyond = compared(|query| by_writer(query, &lines(&[OTHER])));
    assert_eq!(beyond["refused"][0]["faults"][0]["id"], "quota", "{beyond:#}");
    change(json!({ "quotas": {}, "approvalRequired": true }));
    let proposed = compared(|query| by_writer(query, &lines(&[OTHER])));
    assert_eq!(proposed["totals"]["proposed"], 1);
}

/// More than one proposal can hold, as several of them.
#[test]
fn what_needs_approval_is_proposed() {
    let running = start();
    let own = format!("/v1/organisations/{}", running.accounts.own);
    let change = json!({ "approvalRequired": true });
    ask("PATCH", &own).key(&running.accounts.root).json(&change).to(&running);
    let keys: Vec<String> = (0..1_500).map(product).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let events = events(&running, "", lines(&keys));
    let proposals: Vec<&Value> =
        events.iter().filter(|(name, _)| name == "proposed").map(|(_, data)| data).collect();
    let records: u64 = proposals.iter().filter_map(|one| one["records"].as_u64()).sum();
    assert_eq!((proposals.len() >= 2, records), (true, 1_500));
    let (name, end) = events.last().expect("an end");
    assert_eq!((name.as_str(), &end["totals"]["proposed"]), ("done", &json!(1_500)));
    assert_eq!(stored(&running), 0);
    let proposal = format!("/v1/proposals/{}", proposals[0]["proposal"].as_str().expect("an id"));
    assert_eq!(ask("GET", &proposal).key(&running.accounts.admin).to(&running).status, 200);
}

/// The path of a product of the first organisation.
fn product(number: u32) -> String {
    let digits = format!("09506000{number:05}");
    let sum: u32 = digits
        .bytes()
        .enumerate()
        .map(|(at, digit)| u32::from(digit - b'0') * if at % 2 == 0 { 3 } else { 1 })
        .sum();
    format!("01/{digits}{}", (10 - sum % 10) % 10)
}

#[test]
fn events_come_in_their_order() {
    let running = start();
    let csv = "GTIN;Product name;Product page;Note\n\
        9506000134352;Tea;https://brand.example/tea;x\n\
        9506000134353;Wrong;https://brand.example/wrong;\n\
        9506000134369;Coffee;https://brand.example/coffee;\n\
        9506000134352;Tea;https://brand.example/tea;\n";
    let found = events(&running, "?dryRun=true", csv);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.first(), Some(&"sheet"), "{names:?}");
    assert_eq!(names.last(), Some(&"done"), "{names:?}");
    assert!(!names.contains(&"committed"), "a dry run commits nothing: {names:?}");
    let sheet = &found[0].1;
    assert_eq!(sheet["row"], "product");
    let column = json!({ "letters": "A", "title": "GTIN", "column": "gtin", "isGuessed": false, "sample": sheet["columns"][0]["sample"], "hasUnusedAddresses": false });
    assert_eq!(sheet["columns"][0], column);
    assert!(
        sheet["columns"][0]["sample"].as_str().is_some_and(|text| text.starts_with("95")),
        "{sheet}"
    );
    assert_eq!(sheet["columns"][3]["column"], "ignore");
    let refused = &found.iter().find(|(name, _)| name == "refused").expect("one is refused").1;
    assert_eq!(refused["faults"][0]["pointer"], "cell A3", "{refused}");
    let progress = &found.iter().find(|(name, _)| name == "progress").expect("progress").1;
    assert_eq!((&progress["phase"], &progress["total"]), (&json!("reading"), &json!(csv.len())));
    assert_eq!(stored(&running), 0);

    let found = events(&running, "", csv);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    let at = |wanted: &str| names.iter().position(|name| *name == wanted).expect(wanted);
    assert!(at("refused") < at("committed") && at("committed") < at("done"), "{names:?}");
    assert_eq!(found[at("committed")].1["through"], format!("/{OTHER}"));
    assert_eq!(totals(&found[at("done")].1), [2, 0, 0, 1]);
    assert_eq!(stored(&running), 2);
}

#[test]
fn records_of_events_can_be_corrected_and_imported() {
    let running = start();
    let wrong = record("01/09506000134353").to_string();
    let events = events(&running, "", format!("[{wrong},\n{wrong}]"));
    let refused: Vec<&Value> =
        events.iter().filter(|(name, _)| name == "refused").map(|(_, data)| data).collect();
    assert_eq!(refused.len(), 2);
    let text = refused[1]["text"].as_str().expect("the record");
    let corrected = text.replace("09506000134353", "09506000134352");
    let report = import(&running, &running.accounts.writer, "", corrected).json();
    assert_eq!(totals(&report), [1, 0, 0, 0], "{report:#}");
}

#[test]
fn columns_that_are_not_understood_can_be_mapped() {
    let running = start();
    let key = &running.accounts.writer;
    let csv = "Art. no.,Web\n9506000134352,https://brand.example/tea\n";
    let answer = import(&running, key, "", "Art. no.,Web\nx,y\n");
    assert_eq!((answer.status, answer.code().as_str()), (422, "unknown-columns"));
    let problem = answer.json();
    let titles: Vec<&Value> = (0..2).map(|at| &problem["columns"][at]["title"]).collect();
    assert_eq!(titles, [&json!("Art. no."), &json!("Web")]);
    let names = problem["columnNames"].as_array().expect("names");
    assert!(names.contains(&json!("gtin")) && names.contains(&json!("href")), "{names:?}");
    let mapped = "?column=Art.+no.%3Dgtin&column=Web%3DProduct+page";
    assert_eq!(totals(&import(&running, key, mapped, csv).json()), [1, 0, 0, 0]);
    let remembered = "?remembered=Art.+no.%3Dgtin&remembered=Web%3Dgs1:pip&remembered=Other%3Dlot";
    assert_eq!(totals(&import(&running, key, remembered, csv).json()), [0, 0, 1, 0]);
    // IN-9: the cells say the same as the mapping.
    let guessed = import(&running, key, "", csv).json();
    assert_eq!(totals(&guessed), [0, 0, 1, 0], "{guessed:#}");
    assert_eq!(guessed["sheet"]["columns"][1]["isGuessed"], true, "{guessed:#}");
    let absent = import(&running, key, "?column=Other%3Dlot", csv);
    assert_eq!((absent.status, absent.code().as_str()), (422, "unknown-columns"));
    let unknown = import(&running, key, "?column=Web%3Daddress", csv);
    assert_eq!((unknown.status, unknown.code().as_str()), (422, "unreadable-file"));
    let same = import(&running, key, "", "GTIN,EAN,URL\n");
    assert!(same.text().contains("map one of them to ignore"), "{}", same.text());
    for query in [
        "?column=Web",
        "?column=%3Dgtin",
        "?faults=100001",
        "?faults=x",
        "?dryRun=yes",
        "?dryRun=true&dryRun=false",
        "?more=1",
    ] {
        let answer = import(&running, key, query, csv);
        assert_eq!((answer.status, answer.code().as_str()), (400, "invalid-query"), "{query}");
    }
}

#[test]
fn a_template_is_filled_in_and_imported() {
    let running = start();
    let key = &running.accounts.writer;
    let template = ask("GET", "/v1/export/template?layout=products&language=fr").key(key);
    let template = template.to(&running);
    let disposition = template.field("content-disposition").expect("a name");
    assert_eq!(disposition, "attachment; filename=\"fingerpost-products.xlsx\"");
    let empty = import(&running, key, "", template.body).json();
    assert_eq!(totals(&empty), [0, 0, 0, 0], "{empty:#}");
    let columns = empty["sheet"]["columns"].as_array().expect("columns");
    assert!(columns.iter().all(|column| column["column"] != "ignore"), "{columns:#?}");
    let damaged = import(&running, key, "", b"PK\x03\x04 no workbook".to_vec());
    assert_eq!((damaged.status, damaged.code().as_str()), (422, "unreadable-file"));
}

/// Whatever is sent, the answer says what is wrong.
#[test]
fn other_files_are_refused_in_words() {
    let running = start();
    let key = &running.accounts.writer;
    let nothing = import(&running, key, "", "").json();
    assert_eq!(totals(&nothing), [0, 0, 0, 0]);
    for file in
        [&b"\xff\xfe\x00"[..], b"\x00\x01\x02", b"{\"anchor\":", b"[1,2", b"hello", &[b'['; 5000]]
    {
        let answer = import(&running, key, "", file);
        assert!([200, 422].contains(&answer.status), "{file:?}: {}", answer.text());
        if answer.status == 200 {
            assert!(totals(&answer.json())[3] > 0, "{file:?}: {}", answer.text());
        }
    }
    let many = "x\n".repeat(3_000);
    let report = import(&running, key, "?faults=10", many).json();
    let listed = report["refused"].as_array().map(Vec::len);
    assert_eq!((listed, &report["omitted"]), (Some(10), &json!(2_990)));
}

#[test]
fn files_have_a_largest_size() {
    let running = start_with("[admin]\nlisten = \"127.0.0.1:0\"\nmax_import_bytes = \"64 KiB\"");
    let key = &running.accounts.writer;
    let large = "x".repeat((64 << 10) + 1);
    let announced = import(&running, key, "", large.clone());
    assert_eq!((announced.status, announced.code().as_str()), (413, "too-large"));
    // Without an announcement it is counted.
    let mut stream = connect(&running);
    let head = ask("POST", "/v1/imports").key(key).field("Transfer-Encoding", "chunked");
    stream.write_all(&head.bytes(&running)).expect("sent");
    for _ in 0..9 {
        let chunk = format!("2000\r\n{}\r\n", "x".repeat(0x2000));
        if stream.write_all(chunk.as_bytes()).is_err() {
            break;
        }
    }
    let counted = read_answer(&mut stream).expect("an answer");
    assert_eq!((counted.status, counted.code().as_str()), (413, "too-large"));
    let coded = ask("POST", "/v1/imports").key(key).field("Content-Encoding", "gzip");
    assert_eq!(coded.body("text/csv", "x").to(&running).status, 415);
    let limit = ask("GET", "/v1/configuration").key(key).to(&running).json();
    assert_eq!(limit["maxImport"], 64 << 10);
}

/// A file that does not arrive takes the place of its organisation, and of no other.
#[test]
fn an_organisation_sends_one_file_at_a_time() {
    let running = start();
    let head = ask("POST", "/v1/imports")
        .key(&running.accounts.writer)
        .field("Content-Length", "60000000")
        .bytes(&running);
    let mut held = Vec::new();
    let refused = loop {
        let mut stream = connect(&running);
        stream.write_all(&head).expect("sent");
        stream.write_all(b"{").expect("sent");
        held.push(stream);
        // A server that is late begins to read it after the next one has ended.
        std::thread::sleep(Duration::from_millis(300));
        let answer = import(&running, &running.accounts.admin, "?dryRun=true", "");
        if answer.status == 429 {
            break answer;
        }
    };
    assert_eq!((refused.status, refused.code().as_str()), (429, "too-many-requests"));
    assert!(refused.field("retry-after").is_some());
    let other = import(&running, &running.accounts.stranger, "", lines(&[FOREIGN]));
    assert_eq!(totals(&other.json()), [1, 0, 0, 0]);
}

/// What is committed when the client goes away stays, and the rest is not written.
#[test]
fn an_import_stops_when_nobody_waits_for_it() {
    const RECORDS: u32 = 60_000;
    let running = start();
    let file: String =
        (0..RECORDS).map(|number| format!("{}\n", record(&product(number)))).collect();
    let mut stream = connect(&running);
    let asked = ask("POST", "/v1/imports")
        .key(&running.accounts.writer)
        .field("Accept", "text/event-stream")
        .body("application/jsonl", file);
    stream.write_all(&asked.bytes(&running)).expect("sent");
    let mut answer = Vec::new();
    let mut part = [0; 4096];
    while !String::from_utf8_lossy(&answer).contains("event: committed") {
        let read = stream.read(&mut part).expect("events");
        assert!(read > 0, "{}", String::from_utf8_lossy(&answer));
        answer.extend_from_slice(&part[..read]);
    }
    drop(stream);
    // One import of a caller runs at a time: when the next one is accepted, this one has ended.
    let begin = Instant::now();
    while import(&running, &running.accounts.writer, "?dryRun=true", "").status == 429 {
        assert!(begin.elapsed() < PATIENCE, "it does not end");
        std::thread::sleep(Duration::from_millis(100));
    }
    let before = stored(&running);
    assert!(before >= 1_000 && before < RECORDS as usize, "{before}");
    // The same file again: what is there is left alone.
    let again = lines(&[&product(0), &product(RECORDS - 1)]);
    let report = import(&running, &running.accounts.writer, "", again).json();
    assert_eq!(totals(&report), [1, 0, 1, 0]);
}

/// Neither a file that arrives nor the store of a dry run has a name that a killed process would
/// leave behind.
#[test]
fn nothing_is_left_in_the_data_directory() {
    let running = start();
    let names = || {
        let dir = running.registry.store().dir().expect("a directory");
        let names = std::fs::read_dir(dir).expect("a directory");
        let mut names: Vec<_> = names.map(|entry| entry.expect("an entry").file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let mut stream = connect(&running);
    let file: String =
        (0..20_000).map(|number| format!("{}\n", record(&product(number)))).collect();
    let asked = ask("POST", "/v1/imports?dryRun=true")
        .key(&running.accounts.writer)
        .field("Accept", "text/event-stream")
        .body("application/jsonl", file);
    stream.write_all(&asked.bytes(&running)).expect("sent");
    let mut seen = String::new();
    let mut part = [0; 4096];
    while !seen.contains("\"phase\":\"writing\"") {
        let read = stream.read(&mut part).expect("events");
        assert!(read > 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&part[..read]));
    }
    assert_eq!(names(), before);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).expect("events");
    assert!(rest.contains("\"created\":20000"), "{rest}");
}
