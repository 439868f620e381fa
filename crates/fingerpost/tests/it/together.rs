//! Two nodes with admin sides over one database: what one of them has allowed, counted or
//! remembered holds at the other.

use crate::support;

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::nodes::{Database, Node, cluster};
use support::{Sandbox, gtin, record};

const PASSWORD: &str = "correct horse battery staple";

fn anchor(number: u32) -> String {
    format!("/01/{}", gtin(number))
}

fn level(number: u32) -> String {
    format!("/v1/levels{}", anchor(number))
}

fn body(number: u32, target: &str) -> Value {
    serde_json::from_str(&record(&anchor(number), target)).expect("JSON")
}

/// Runs a test with two nodes; nothing at all where PostgreSQL is absent.
fn with_nodes(test: impl FnOnce(&Database<'_>, &[Node<'_>; 2])) {
    let Some(cluster) = cluster() else { return };
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &cluster.url());
    let create = ["admin", "create", "--login", "ada"];
    database.run(&create, PASSWORD).expect_status(0);
    let key = database.key();
    test(&database, &["one", "two"].map(|name| Node::start(&database, name, &key)));
}

#[test]
fn a_session_and_its_end_hold_at_all_nodes() {
    with_nodes(|_, [one, two]| {
        let who = json!({ "login": "ada", "password": PASSWORD });
        let signed_in = one.ask("POST", "/v1/session", &[], Some(&who));
        assert_eq!(signed_in.status, 200, "{signed_in:?}");
        let cookie = signed_in.field("set-cookie").and_then(|it| it.split(';').next());
        let cookie = ("cookie", cookie.expect("a cookie"));
        let csrf = ("x-csrf-token", signed_in.body["csrf"].as_str().expect("a token"));
        assert_eq!(two.ask("GET", "/v1/keys", &[cookie], None).status, 200);
        // Also what changes something: the token against foreign pages comes from the other node.
        let origin = ("origin", two.admin.as_str());
        let put =
            two.ask("PUT", &level(1), &[cookie, csrf, origin], Some(&body(1, "https://a.example")));
        assert_eq!(put.status, 201, "{put:?}");
        let out = two.ask("DELETE", "/v1/session", &[cookie, csrf, origin], None);
        assert_eq!(out.status, 204, "{out:?}");
        for node in [one, two] {
            assert_eq!(node.ask("GET", "/v1/keys", &[cookie], None).status, 401);
        }
    });
}

#[test]
fn failed_attempts_to_sign_in_count_at_all_nodes() {
    with_nodes(|_, nodes| {
        let attempt = |node: &Node<'_>, login: &str, password: &str| {
            node.ask(
                "POST",
                "/v1/session",
                &[],
                Some(&json!({ "login": login, "password": password })),
            )
        };
        for login in ["ada", "nobody"] {
            let statuses: Vec<u16> =
                (0..10).map(|n| attempt(&nodes[n % 2], login, "a guess").status).collect();
            assert_eq!(statuses, [401; 10], "{login}");
            // Ten in all, five at each.
            for node in nodes {
                let refused = attempt(node, login, PASSWORD);
                assert_eq!(refused.status, 429, "{login}: {refused:?}");
                let wait: u32 =
                    refused.field("retry-after").expect("a time").parse().expect("seconds");
                assert!((1..=30).contains(&wait), "{wait}");
            }
        }
    });
}

#[test]
fn an_idempotency_key_and_a_quota_used_at_one_node_are_used_at_the_other() {
    with_nodes(|_, [one, two]| {
        let once = [("idempotency-key", "8e03978e-40d5-43e8-bc93-6894a57f9324")];
        let first = one.ask_by_key("PUT", &level(1), &once, Some(&body(1, "https://a.example")));
        assert_eq!(first.status, 201, "{first:?}");
        two.ask_by_key("PUT", &level(1), &[], Some(&body(1, "https://b.example")));
        let again = two.ask_by_key("PUT", &level(1), &once, Some(&body(1, "https://a.example")));
        assert_eq!((again.status, &again.body), (first.status, &first.body));
        assert_eq!(again.field("etag"), first.field("etag"));
        let now = one.ask_by_key("GET", &level(1), &[], None).body.to_string();
        assert!(now.contains("b.example"), "the request was not carried out again: {now}");
        let other = two.ask_by_key("PUT", &level(1), &once, Some(&body(1, "https://c.example")));
        assert_eq!(other.body["code"], "idempotency-reused");

        let organisation = json!({
            "name": "Small", "prefixes": ["9520000"], "quotas": { "levels": 4 }
        });
        let made = one.ask_by_key("POST", "/v1/organisations", &[], Some(&organisation));
        assert_eq!(made.status, 201, "{made:?}");
        let used = one.ask_by_key(
            "GET",
            &format!("/v1/organisations/{}/usage", made.body["id"].as_str().expect("an id")),
            &[],
            None,
        );
        let used = used.body["levels"]["used"].as_u64().expect("a number");
        // Both nodes try more than there is room for, at the same time.
        let made: usize = thread::scope(|scope| {
            let tries = [one, two].into_iter().zip([100, 200]).map(|(node, from)| {
                scope.spawn(move || {
                    let put = |n| {
                        let put = node.ask_by_key(
                            "PUT",
                            &level(n),
                            &[],
                            Some(&body(n, "https://a.example")),
                        );
                        assert!(
                            put.status == 201 || put.body["code"] == "quota-exceeded",
                            "{put:?}"
                        );
                        put.status == 201
                    };
                    (from..from + 6).filter(|n| put(*n)).count()
                })
            });
            let tries: Vec<_> = tries.collect();
            tries.into_iter().map(|tries| tries.join().expect("answers")).sum()
        });
        assert_eq!(used + made as u64, 4);
        let beyond = two.ask_by_key("PUT", &level(300), &[], Some(&body(300, "https://a.example")));
        assert_eq!(beyond.body["code"], "quota-exceeded");
    });
}

/// Two editors count up a number in one record, each at a node of its own: an update that is lost
/// would make the count too small.
#[test]
fn two_editors_at_two_nodes_lose_no_update() {
    const EACH: u32 = 25;
    let target = |number: u32| format!("https://example.com/{number}");
    with_nodes(|database, nodes| {
        let first = nodes[0].ask_by_key("PUT", &level(1), &[], Some(&body(1, &target(0))));
        assert_eq!(first.status, 201);
        let read = |node: &Node<'_>| {
            let told = node.ask_by_key("GET", &level(1), &[], None);
            let href = told.body["record"]["links"][0]["href"].as_str().expect("a target");
            let number: u32 = href.rsplit('/').next().expect("a part").parse().expect("a number");
            (told.field("etag").expect("a tag").to_owned(), number)
        };
        let refused: u32 = thread::scope(|scope| {
            let editors = nodes.each_ref().map(|node| {
                scope.spawn(move || {
                    let (mut done, mut refused) = (0, 0);
                    while done < EACH {
                        let (tag, number) = read(node);
                        let next = body(1, &target(number + 1));
                        let put =
                            node.ask_by_key("PUT", &level(1), &[("if-match", &tag)], Some(&next));
                        assert!([200, 412].contains(&put.status), "{put:?}");
                        done += u32::from(put.status == 200);
                        refused += u32::from(put.status == 412);
                    }
                    refused
                })
            });
            editors.into_iter().map(|editor| editor.join().expect("an editor")).sum()
        });
        assert!(refused > 0, "the editors never met");
        assert_eq!(read(&nodes[0]).1, 2 * EACH);
        // Each step is in the history.
        let path = format!("/v1/history{}", anchor(1));
        let history = nodes[1].ask_by_key("GET", &path, &[], None).body;
        let states = history["states"].as_array().expect("states");
        let targets: BTreeSet<String> = states
            .iter()
            .map(|state| {
                let path = format!("/v1/states/{}{}", state["revision"], anchor(1));
                let state = nodes[1].ask_by_key("GET", &path, &[], None).body;
                let href = &state["record"]["links"][0]["href"];
                href.as_str().unwrap_or_else(|| panic!("no target in {state}")).to_owned()
            })
            .collect();
        assert_eq!(targets, (0..=2 * EACH).map(target).collect());
        assert_eq!(states.len(), targets.len());
        database.run(&["audit", "verify"], "").expect_status(0);
    });
}

/// An import takes the turn of all nodes for half a second at a time, and a put waits for one such
/// turn. The bounds leave room for a machine with other work; a batch of 20,000 takes two thirds of
/// this import.
#[test]
fn a_put_does_not_wait_for_an_import_at_another_node() {
    const BOUND: Duration = Duration::from_secs(15);
    with_nodes(|database, [one, _]| {
        let records = (10_000..40_000).map(|n| record(&anchor(n), "https://example.com/i") + "\n");
        let records: String = records.collect();
        let (is_over, begun) = (AtomicBool::new(false), Instant::now());
        let waits: Vec<Duration> = thread::scope(|scope| {
            scope.spawn(|| {
                database.run(&["import", "-"], &records).expect_status(0);
                is_over.store(true, Ordering::SeqCst);
            });
            let mut waits = Vec::new();
            while !is_over.load(Ordering::SeqCst) {
                let (begin, n) = (Instant::now(), u32::try_from(waits.len()).expect("a number"));
                let put =
                    one.ask_by_key("PUT", &level(n), &[], Some(&body(n, "https://a.example")));
                assert_eq!(put.status, 201, "{put:?}");
                waits.push(begin.elapsed());
            }
            waits
        });
        let longest = waits.iter().max().expect("a put");
        let whole = begun.elapsed();

        assert!(*longest < BOUND, "{longest:?} of {} puts", waits.len());
        assert!(*longest * 3 < whole, "{longest:?} of {whole:?}");
    });
}

/// An import that is frozen in its turn, as a virtual machine is that moves: others wait for the
/// documented 30 s and go on. When it can go on itself, it has lost its turn, and repeats what it
/// had not committed.
#[test]
fn a_frozen_import_loses_its_turn_and_repeats_it() {
    const LIMIT: Duration = Duration::from_secs(30);
    let Some(cluster) = cluster() else { return };
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &cluster.url());
    let key = database.key();
    let node = Node::start(&database, "node", &key);
    let records = (10_000..40_000).map(|n| record(&anchor(n), "https://example.com/i") + "\n");
    let file = sandbox.write("records.jsonl", &records.collect::<String>());
    let mut import = database.command(&["import", &file.display().to_string()]);
    let mut import = import.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &import.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "{name}");
    };
    let in_turn = "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND query NOT LIKE '%READ ONLY%' \
                   AND state_change < now() - interval '200 ms'";
    // Frozen at a moment when it has the turn, and has written something.
    support::nodes::wait_until("records are imported", || {
        cluster.sql("SELECT number FROM fingerpost.state").parse::<u64>().is_ok_and(|it| it > 5)
    });
    loop {
        signal("-STOP");
        thread::sleep(Duration::from_millis(400));
        if cluster.sql(in_turn) != "0" {
            break;
        }
        signal("-CONT");
        thread::sleep(Duration::from_millis(37));
    }
    let begin = Instant::now();
    let put = || node.ask_by_key("PUT", &level(1), &[], Some(&body(1, "https://a.example"))).status;
    while put() != 201 {
        assert!(begin.elapsed() < LIMIT * 2, "the turn is not lost");
    }
    assert!(begin.elapsed() > LIMIT / 2, "it had no turn");
    assert!(begin.elapsed() < LIMIT * 2, "{:?}", begin.elapsed());
    signal("-CONT");
    assert!(import.wait().expect("it ends").success());
    let truth = database.export();
    assert_eq!(truth.lines().count(), 30_001);
    node.expect_same(&truth);
    database.run(&["audit", "verify"], "").expect_status(0);
}
