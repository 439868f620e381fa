//! An import into a database that is killed: by the command on the database, and through a node.
//! What was acknowledged is there, and the same import again finishes without anything twice.

use crate::support;

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use support::nodes::{Database, Node, cluster, wait_until};
use support::{Sandbox, gtin, record};

const RECORDS: u32 = 4_000;

fn records() -> String {
    let line = |n| record(&format!("/01/{}", gtin(n)), &format!("https://example.com/{n}")) + "\n";
    (0..RECORDS).map(line).collect()
}

#[test]
fn an_import_by_the_command_is_finished_by_the_same_command() {
    let Some(mut cluster) = cluster() else { return };
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &cluster.url());
    let file = sandbox.write("records.jsonl", &records());
    let file = file.to_str().expect("text");
    let words = ["import", "--format", "json", "--batch", "20", file];
    let mut import = database.command(&words);
    let mut child = import.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut events = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let event = |line: Option<std::io::Result<String>>| -> Option<Value> {
        line.map(|line| serde_json::from_str(&line.expect("text")).expect("JSON"))
    };
    let is_commit = |event: &Value| event["event"] == "committed";
    for _ in 0..3 {
        assert!(event(events.next()).is_some_and(|event| is_commit(&event)));
    }
    // The database is away for longer than a call repeats what failed.
    cluster.kill();
    let rest: Vec<Value> = std::iter::from_fn(|| event(events.next())).collect();
    let ended = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(2), "{told}");
    // It names the database; or a commit was under way, whose end it does not know.
    let port = cluster.port().to_string();
    let is_clear = told.contains(&port) || told.contains("the change may have been made");
    assert!(told.starts_with("error: ") && is_clear, "{told}");
    let last = rest.iter().rfind(|event| is_commit(event));
    let acknowledged = last.map_or(60, |event| event["accepted"].as_u64().expect("a number"));
    cluster.resume();
    let stored = database.export().lines().count() as u64;
    assert!(stored >= acknowledged, "{acknowledged} were acknowledged, {stored} are stored");
    // A commit whose answer was lost, and no more.
    assert!(stored <= acknowledged + 20, "{acknowledged} were acknowledged, {stored} are stored");
    let again = database.run(&words, "").expect_status(0);
    let summary = &again.events_of("summary")[0];
    assert_eq!(summary["unchanged"], stored);
    assert_eq!(summary["created"], u64::from(RECORDS) - stored);
    assert_eq!(database.export().lines().count(), RECORDS as usize);
    let history = "SELECT count(*) FROM fingerpost.records";
    assert_eq!(cluster.sql(history), RECORDS.to_string());
    database.run(&["audit", "verify"], "").expect_status(0);
}

/// A short outage is overcome by the import itself.
#[test]
fn an_import_through_a_node_goes_on_after_a_restart_of_the_database() {
    let Some(mut cluster) = cluster() else { return };
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &cluster.url());
    let key = database.key();
    let node = Node::start(&database, "node", &key);
    wait_until("the first copy", || node.is_up_to_date());
    let count = "SELECT count(*) FROM fingerpost.records";
    let url = format!("{}/v1/imports", node.admin);
    let send = || {
        let agent = ureq::Agent::config_builder().proxy(None).http_status_as_error(false);
        let agent = agent.timeout_global(Some(Duration::from_secs(120))).build().new_agent();
        let request = agent.post(&url).header("authorization", format!("Bearer {key}"));
        let mut answer =
            request.content_type("application/x-ndjson").send(records()).expect("an answer");
        (answer.status().as_u16(), answer.body_mut().read_to_string().expect("text"))
    };
    let (status, told) = std::thread::scope(|scope| {
        let sent = scope.spawn(send);
        std::thread::sleep(Duration::from_millis(700));
        cluster.kill();
        cluster.resume();
        sent.join().expect("an answer")
    });
    assert!([200, 503].contains(&status), "{status} {told}");
    let (status, told) = send();
    assert_eq!(status, 200, "{told}");
    assert_eq!(cluster.sql(count), RECORDS.to_string());
    node.expect_same(&database.export());
    database.run(&["audit", "verify"], "").expect_status(0);
}
