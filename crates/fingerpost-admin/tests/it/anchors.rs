//! Records of company prefixes, of any value of a qualifier and of ranges over HTTP: written,
//! listed, explained, changed, deleted and restored as every record is, within the company prefixes
//! of the caller. RES-2.5.9-8, RES-2.5.9-9, RES-2.5.9-10.

use serde_json::{Value, json};

use crate::support::{Answer, FOREIGN, OWN, Running, ask, record_to, start};

const COMPANY: &str = "gcp/9506000";

fn put(running: &Running, anchor: &str, href: &str) -> Answer {
    let target = format!("/v1/levels/{anchor}");
    let body = record_to(anchor, href);
    ask("PUT", &target).key(&running.accounts.writer).json(&body).to(running)
}

/// Where the public side sends a request.
fn location(running: &Running, path: &str) -> Option<String> {
    let question = json!({ "target": path });
    let answer = ask("POST", "/v1/explain").key(&running.accounts.root).json(&question).to(running);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let location = &answer.json()["explanation"]["outcome"]["location"];
    location.as_str().map(str::to_owned)
}

#[test]
fn one_record_answers_for_all_products_lots_and_a_range_of_serials() {
    let running = start();
    let (any, range) = (format!("{OWN}/-any/10"), format!("{OWN}/-range/21/4/A100/A199"));
    let made = put(&running, COMPANY, "https://company.example/");
    assert_eq!(made.status, 201, "{}", made.text());
    assert_eq!(made.field("location"), Some("/v1/levels/gcp/9506000"));
    let default = |path: &str| location(&running, path);
    for path in ["/01/19506000134359", "/414/9506000134352", "/8004/9506000A?a=1"] {
        let query = path.split_once('?').map_or(String::new(), |(_, query)| format!("?{query}"));
        assert_eq!(default(path), Some(format!("https://company.example/{query}")), "{path}");
    }
    assert_eq!(default(&format!("/{FOREIGN}")), None);

    assert_eq!(put(&running, OWN, "https://product.example/").status, 201);
    assert_eq!(put(&running, &any, "https://lots.example/{10}").status, 201);
    assert_eq!(put(&running, &range, "https://serials.example/{01}/{21}").status, 201);
    let of = |rest: &str, expected: &str| {
        assert_eq!(default(&format!("/{OWN}{rest}")).as_deref(), Some(expected), "{rest}");
    };
    of("", "https://product.example/");
    of("/10/A%2FB", "https://lots.example/A%2FB");
    of("/21/A150", "https://serials.example/09506000134352/A150");
    of("/10/L/21/A199", "https://serials.example/09506000134352/A199");
    of("/21/A200", "https://product.example/");
    of("/10/L/21/A1500", "https://lots.example/L");

    let overlapping = format!("{OWN}/-range/21/4/A150/A250");
    let refused = put(&running, &overlapping, "https://serials.example/");
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{}", refused.text());
    assert!(refused.text().contains(&range), "{}", refused.text());
}

#[test]
fn linksets_name_the_level_of_the_request() {
    let running = start();
    for (anchor, href) in [
        (COMPANY, "https://company.example/"),
        (OWN, "https://product.example/"),
        (&format!("{OWN}/-any/10"), "https://lots.example/{10}"),
    ] {
        assert_eq!(put(&running, anchor, href).status, 201);
    }
    let question = json!({ "target": format!("/{OWN}/10/L?linkType=linkset"), "accept": "application/linkset+json" });
    let answer =
        ask("POST", "/v1/explain").key(&running.accounts.root).json(&question).to(&running);
    let explained = answer.json();
    let body: Value =
        serde_json::from_str(explained["body"].as_str().expect("a body")).expect("JSON");
    let anchors = body["linkset"].as_array().expect("contexts").iter();
    let anchors: Vec<_> = anchors
        .map(|one| (&one["anchor"], &one["https://ref.gs1.org/voc/pip"][0]["href"]))
        .collect();
    let root = "https://id.example.org";
    assert_eq!(
        anchors,
        [
            (&json!(format!("{root}/{OWN}/10/L")), &json!("https://lots.example/L")),
            (&json!(format!("{root}/{OWN}")), &json!("https://product.example/")),
        ],
        "the company has nothing that the product lacks (RES-2.9-8)"
    );
    let levels = explained["explanation"]["levels"].as_array().expect("levels").iter();
    let levels: Vec<_> = levels.map(|level| level["anchor"].as_str().expect("an anchor")).collect();
    let expected =
        [format!("{OWN}/10/L"), format!("{OWN}/-any/10"), OWN.to_owned(), COMPANY.to_owned()];
    assert_eq!(levels, expected.map(|anchor| format!("{root}/{anchor}")));
}

#[test]
fn a_caller_writes_only_below_the_own_company_prefixes() {
    let running = start();
    for (anchor, status) in [
        (COMPANY, 201),
        ("gcp/95060001", 201),
        ("gcp/9506", 403),
        ("gcp/9520123", 403),
        ("gcp/950600013435", 201),
    ] {
        assert_eq!(put(&running, anchor, "https://company.example/").status, status, "{anchor}");
    }
    let target = format!("/v1/levels/{COMPANY}");
    let foreign =
        |method: &str| ask(method, &target).key(&running.accounts.stranger).to(&running).status;
    assert_eq!((foreign("GET"), foreign("DELETE")), (403, 403));
    let any = format!("{FOREIGN}/-any/10");
    assert_eq!(put(&running, &any, "https://lots.example/").status, 403);
    // The longer prefix is the more specific one.
    let twelve = record_to("gcp/950600013435", "https://twelve.example/");
    let target = "/v1/levels/gcp/950600013435";
    ask("PUT", target).key(&running.accounts.root).json(&twelve).to(&running);
    assert_eq!(location(&running, &format!("/{OWN}")).as_deref(), Some("https://twelve.example/"));
    assert_eq!(location(&running, "/8004/9506000A").as_deref(), Some("https://company.example/"));
}

#[test]
fn they_are_listed_and_have_a_history() {
    let running = start();
    let any = format!("{OWN}/-any/10");
    for anchor in [COMPANY, OWN, &any] {
        assert_eq!(put(&running, anchor, "https://one.example/").status, 201);
    }
    let keys = |query: &str| -> Vec<String> {
        let target = format!("/v1/levels{query}");
        let listed = ask("GET", &target).key(&running.accounts.reader).to(&running);
        assert_eq!(listed.status, 200, "{}", listed.text());
        let items = listed.json()["levels"].as_array().expect("levels").clone();
        items.iter().map(|level| level["key"].as_str().expect("a key").to_owned()).collect()
    };
    assert_eq!(keys(""), [OWN, &any, COMPANY]);
    assert_eq!(keys("?companyPrefix=9506000"), [OWN, &any, COMPANY]);
    assert_eq!(keys("?keyType=01"), [OWN, &any]);
    assert_eq!(keys(&format!("?under={OWN}")), [OWN, &any]);
    assert_eq!(keys("?under=gcp/9506000"), [COMPANY]);

    let target = format!("/v1/levels/{COMPANY}");
    assert_eq!(ask("DELETE", &target).key(&running.accounts.writer).to(&running).status, 204);
    assert_eq!(location(&running, "/01/19506000134359"), None);
    let history = format!("/v1/history/{COMPANY}");
    let history = ask("GET", &history).key(&running.accounts.reader).to(&running);
    assert_eq!(history.json()["states"].as_array().map(Vec::len), Some(2), "{}", history.text());
    let restored = format!("/v1/restore/{COMPANY}?revision=1");
    let restored = ask("POST", &restored).key(&running.accounts.writer).to(&running);
    assert_eq!(restored.status, 201, "{}", restored.text());
    let target = location(&running, "/01/19506000134359");
    assert_eq!(target.as_deref(), Some("https://one.example/"));
}

#[test]
fn every_spelling_of_a_path_and_a_batch_name_the_same_record() {
    let running = start();
    let any = format!("{OWN}/-any/10");
    let range = format!("{OWN}/-range/10/3/100/199");
    let put_row = |anchor: &str| record_to(anchor, "https://lots.example/").to_string();
    let rows = [put_row(&range), put_row(COMPANY), put_row(&any), put_row(OWN)].join("\n");
    let batch = ask("POST", "/v1/batch").key(&running.accounts.writer);
    let done = batch.body("application/jsonl", rows).to(&running);
    assert_eq!(done.status, 200, "{}", done.text());
    let read = |path: &str| {
        ask("GET", &format!("/v1/levels/{path}")).key(&running.accounts.reader).to(&running)
    };
    for (path, key) in [
        ("01%2F09506000134352%2F-any%2F10", any.as_str()),
        ("%2F01%2F09506000134352%2F-range%2F10%2F3%2F100%2F199", &range),
        ("gcp%2F9506000", COMPANY),
        ("01/09506000134352/-range/10/3/%31%30%30/199", &range),
    ] {
        let found = read(path);
        assert_eq!((found.status, found.json()["key"].as_str()), (200, Some(key)), "{path}");
    }
    for wrong in [
        "gcp/950",
        "gcp/",
        "gcp/9506000/10/A",
        "01/09506000134352/-any",
        "01/09506000134352/-any/01",
        "01/09506000134352/-any/22/V/21",
        "01/09506000134352/-any/10/A",
        "01/09506000134352/-range/10/4/100/199",
        "01/09506000134352/-range/10/3/199/100",
        "01/09506000134352/-range/10/3/100/1999",
        "01/09506000134352/-range/10/3/10%2F/199",
        "01/09506000134352/-all/10",
    ] {
        let found = read(wrong);
        assert_eq!((found.status, found.code().as_str()), (400, "invalid-key"), "{wrong}");
    }
    let rows = [json!({ "delete": format!("/{any}") }), json!({ "delete": "/gcp/9506000" })];
    let rows = rows.map(|row| row.to_string()).join("\n");
    let batch = ask("POST", "/v1/batch").key(&running.accounts.writer);
    assert_eq!(batch.body("application/jsonl", rows).to(&running).status, 200);
    assert_eq!((read(&any).status, read(COMPANY).status, read(&range).status), (404, 404, 200));
}
