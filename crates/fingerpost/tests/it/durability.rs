//! What the admin side has acknowledged is there after `kill -9`; who writes at the same time loses
//! nothing.

use crate::support;

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_testkit::PATIENCE;
use support::{
    Sandbox, Server, export, fingerpost, finish, gtin, kills, record, report_kills, run,
};
use ureq::Agent;

/// Clients that put at the same time.
const CLIENTS: u32 = 8;

/// How often the server is killed.
const KILLS: u32 = 6;

fn agent() -> Agent {
    let config = Agent::config_builder().proxy(None).http_status_as_error(false);
    config.timeout_global(Some(PATIENCE)).build().new_agent()
}

/// Puts a record; whether it was acknowledged.
fn put(agent: &Agent, url: &str, key: &str, record: &str) -> bool {
    let anchor = record.split('"').nth(3).expect("the anchor comes first");
    let answer = agent
        .put(format!("{url}/v1/levels{anchor}"))
        .header("authorization", format!("Bearer {key}"))
        .content_type("application/json")
        .send(record);
    answer.is_ok_and(|answer| answer.status().is_success())
}

#[test]
fn every_acknowledged_put_survives_a_kill() {
    let sandbox = Sandbox::new();
    sandbox.import(&record("/01/09520123456788", "https://example.com/0")).expect_status(0);
    let key = sandbox.key(&["--verb", "write"]);
    let acknowledged = Mutex::new(Vec::new());
    for round in 0..kills(KILLS) {
        // Counted, not timed: a busy machine takes longer and tests as much.
        let enough = acknowledged.lock().unwrap().len() + 10 + 15 * (round % KILLS) as usize;
        let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
        thread::scope(|scope| {
            for client in 0..CLIENTS {
                let (url, key, acknowledged) = (&url, &key, &acknowledged);
                scope.spawn(move || {
                    let agent = agent();
                    for number in 0.. {
                        let product = gtin(round * 1_000_000 + client * 100_000 + number);
                        let record = record(&format!("/01/{product}"), "https://example.com/p");
                        if !put(&agent, url, key, &record) {
                            break;
                        }
                        acknowledged.lock().unwrap().push(record);
                    }
                });
            }
            let patience = Instant::now();
            while acknowledged.lock().unwrap().len() < enough && patience.elapsed() < PATIENCE {
                thread::sleep(Duration::from_millis(1));
            }
            server.kill();
        });
        let exported = export(&sandbox.data());
        let kept: std::collections::HashSet<&str> = exported.lines().collect();
        let acknowledged = acknowledged.lock().unwrap();
        assert!(acknowledged.len() >= enough, "only {} were acknowledged", acknowledged.len());
        let missing = acknowledged.iter().filter(|record| !kept.contains(record.as_str())).count();
        assert_eq!(missing, 0, "of {} acknowledged", acknowledged.len());
        let data = sandbox.data();
        run(["audit".as_ref(), "verify".as_ref(), "--data".as_ref(), data.as_os_str()])
            .expect_status(0);
    }
    let data = sandbox.data();
    run(["fsck".as_ref(), "--data".as_ref(), data.as_os_str()]).expect_status(0);
    let checked = acknowledged.lock().unwrap().len() as u64;
    report_kills("serve", kills(KILLS), checked);
}

/// The server, the command line through it, and an import on the same directory.
#[test]
fn server_client_and_import_write_at_the_same_time() {
    let sandbox = Sandbox::new();
    sandbox.import(&record("/01/09520123456788", "https://example.com/0")).expect_status(0);
    let key = sandbox.key(&["--verb", "write"]);
    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let of = |range: std::ops::Range<u32>| -> String {
        range.map(|n| record(&format!("/01/{}", gtin(n)), "https://example.com/p") + "\n").collect()
    };
    thread::scope(|scope| {
        for client in 0..3 {
            let (url, key) = (&url, &key);
            scope.spawn(move || {
                let agent = agent();
                for line in of(client * 200..client * 200 + 200).lines() {
                    assert!(put(&agent, url, key, line));
                }
            });
        }
        scope.spawn(|| {
            for batch in 0..4 {
                let mut command = sandbox.client(&url, &key);
                command.args(["put", "-"]);
                let from = 10_000 + batch * 500;
                finish(command, of(from..from + 500).as_bytes()).expect_status(0);
            }
        });
        scope.spawn(|| {
            let file = sandbox.write("import.jsonl", &of(20_000..24_000));
            let mut command = fingerpost();
            command.args(["import", "--batch", "100", "--data"]).arg(sandbox.data()).arg(file);
            finish(command, b"").expect_status(0);
        });
    });
    server.stop();
    let exported = export(&sandbox.data());
    assert_eq!(exported.lines().count(), 1 + 600 + 2_000 + 4_000);
    let kept: std::collections::HashSet<&str> = exported.lines().collect();
    for range in [0..600, 10_000..12_000, 20_000..24_000] {
        assert!(of(range).lines().all(|line| kept.contains(line)));
    }
    let data = sandbox.data();
    run(["fsck".as_ref(), "--data".as_ref(), data.as_os_str()]).expect_status(0);
}
