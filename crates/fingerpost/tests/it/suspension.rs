//! Suspended organisations as scans see them, on the server itself and on nodes; and where misuse
//! is reported.

use crate::support;

use fingerpost_testkit::Ask;
use serde_json::json;
use support::api::Api;
use support::nodes::{self, wait_until};
use support::{Sandbox, Server, record};

const ANCHOR: &str = "/01/09520123456788";
const OTHER: &str = "/01/09506000134352";

fn import(sandbox: &Sandbox) {
    for anchor in [ANCHOR, OTHER] {
        sandbox.import(&record(anchor, "https://example.com/0")).expect_status(0);
    }
}

fn suspend(api: &Api, id: &str, body: serde_json::Value) {
    let (status, answer) =
        api.send("PUT", &format!("/v1/organisations/{id}/suspension"), Some(body));
    assert_eq!(status, 200, "{answer}");
}

/// RES-2.4.1-2, RES-2.4.1-3, RES-2.4.1-5: in every form of answer, and for redirects too.
#[test]
fn scans_of_a_suspended_organisation_stop_or_get_the_notice() {
    let sandbox = Sandbox::new();
    import(&sandbox);
    let config = "[brand]\nabuse = \"mailto:abuse@example.org\"\n";
    let (server, api) = Api::serve(&sandbox, config);
    let id = api.organisation("9520123");
    let requests = |anchor: &str| {
        let linkset = format!("{anchor}?linkType=linkset");
        [
            server.get(anchor).status,
            server.get(&format!("{anchor}/10/A")).status,
            server.send(&Ask::get(anchor).header("Accept", "application/linkset+json")).status,
            server.get(&linkset).status,
            server.get(&format!("{anchor}?linkType=gs1:pip")).status,
        ]
    };
    let usual = [307, 307, 200, 200, 307];
    assert_eq!(requests(ANCHOR), usual);
    suspend(&api, &id, json!({"mode": "answer"}));
    assert_eq!(requests(ANCHOR), usual);
    suspend(&api, &id, json!({"mode": "stop"}));
    assert_eq!((requests(ANCHOR), requests(OTHER)), ([404; 5], usual));
    let sentence = "Closed <until> May & June.";
    suspend(&api, &id, json!({"mode": "notice", "notice": sentence}));
    assert_eq!((requests(ANCHOR), requests(OTHER)), ([410; 5], usual));
    let document: serde_json::Value = serde_json::from_slice(&server.get(ANCHOR).body).unwrap();
    assert_eq!((&document["code"], &document["detail"]), (&json!("suspended"), &json!(sentence)));
    let ask = Ask::get(ANCHOR).header("Accept", "text/html").header("Accept-Language", "de");
    let page = server.send(&ask);
    let text = String::from_utf8(page.body.clone()).unwrap();
    assert!(text.contains("Closed &#60;until&#62; May &#38; June."), "{text}");
    assert!(text.contains("gesperrt") && !text.contains("example.com/0"), "{text}");
    assert!(text.contains("href=\"mailto:abuse@example.org\">Missbrauch melden<"), "{text}");
    assert_eq!(
        page.header("cache-control"),
        server.get("/01/09506000134369").header("cache-control")
    );
    // The operator sees why, and the organisation's records stay for export.
    let exported = sandbox.export();
    assert!(exported.contains("09520123456788") && !exported.contains("suspended"), "{exported}");
    let (status, _) = api.send("DELETE", &format!("/v1/organisations/{id}/suspension"), None);
    assert_eq!((status, requests(ANCHOR)), (200, usual));
    server.stop();
}

/// A node that follows over HTTP, one of them with a part of the records only.
#[test]
fn nodes_that_follow_suspend_too() {
    let sandbox = Sandbox::new();
    import(&sandbox);
    let (source, api) = Api::serve(&sandbox, "");
    let id = api.organisation("9520123");
    let key = sandbox.write("follow.key", &sandbox.key(&["--verb", "read"]));
    let node = |name: &str, further: &str| {
        let text = format!("[store]\nurl = {:?}\nkey_file = {key:?}\n{further}\n", api.url);
        Server::start(&sandbox.path(name), Some(&sandbox.write(&format!("{name}.toml"), &text)))
    };
    let nodes = [node("whole", ""), node("part", "company_prefixes = [\"9520123\"]")];
    let wait_for = |status: u16| {
        for node in &nodes {
            wait_until("the node follows", || node.get(ANCHOR).status == status);
        }
    };
    wait_for(307);
    suspend(&api, &id, json!({"mode": "notice", "notice": "Closed."}));
    wait_for(410);
    suspend(&api, &id, json!({"mode": "stop"}));
    wait_for(404);
    assert_eq!(nodes[0].get(OTHER).status, 307);
    api.send("DELETE", &format!("/v1/organisations/{id}/suspension"), None);
    wait_for(307);
    drop(source);
}

/// Two nodes on one database: one suspends, the other answers so.
#[test]
fn nodes_on_one_database_suspend_together() {
    let Some(cluster) = nodes::cluster() else { return };
    let sandbox = Sandbox::new();
    let database = nodes::Database::new(&sandbox, &cluster.url());
    let key = database.key();
    database.run(&["import", "-"], &record(ANCHOR, "https://example.com/0")).expect_status(0);
    let start = |name: &str| {
        let config = database.config(name, "");
        let config = config.to_str().expect("a path of text");
        Server::start_with_admin(&sandbox.path(name), &["--config", config])
    };
    let ((first, url), (second, _)) = (start("one"), start("two"));
    let api = Api::new(&url, &key);
    let id = api.organisation("9520123");
    suspend(&api, &id, json!({"mode": "notice", "notice": "Closed."}));
    assert_eq!(first.get(ANCHOR).status, 410, "a write waits for the copy of its own node");
    wait_until("the other node follows", || second.get(ANCHOR).status == 410);
    api.send("DELETE", &format!("/v1/organisations/{id}/suspension"), None);
    wait_until("the other node follows", || second.get(ANCHOR).status == 307);
}
