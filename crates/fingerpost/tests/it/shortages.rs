//! Nodes that lack what they usually have: time to follow, the right time, room on a disk. Nothing
//! acknowledged is lost, and copies end identical.

use crate::support;

use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use fingerpost_postgres::{DatabaseAddress, Postgres, PostgresOptions};
use fingerpost_registry::{Caller, Registry, RegistryOptions};
use fingerpost_store::{Store, stored_record};
use fingerpost_testkit::{Cluster, Disk, installed, not_permitted, skipped};
use jiff::Timestamp;
use serde_json::{Value, json};
use support::nodes::{Database, Node, Told, cluster, expect_all, wait_until, written_while};
use support::{Sandbox, fingerpost, gtin, record};

fn anchor(number: u32) -> String {
    format!("/01/{}", gtin(number))
}

fn put(node: &Node<'_>, number: u32, target: &str) -> Told {
    let body: Value = serde_json::from_str(&record(&anchor(number), target)).expect("JSON");
    node.ask_by_key("PUT", &format!("/v1/levels{}", anchor(number)), &[], Some(&body))
}

#[test]
fn a_node_that_was_off_while_history_was_pruned_is_repaired() {
    let Some(cluster) = cluster() else { return };
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &cluster.url());
    database.import((0..100).map(anchor), "https://example.com/0");
    let key = database.key();
    let node = Node::start(&database, "node", &key);
    wait_until("the first copy", || node.is_up_to_date());
    node.server.kill();
    for target in ["https://example.com/1", "https://example.com/2"] {
        database.import((50..150).map(anchor), target);
    }
    let options = PostgresOptions::default().describe(stored_record);
    let engine =
        Postgres::open(&DatabaseAddress::parse(&cluster.url()).expect("an address"), options);
    let store = Store::over(engine.expect("the database")).expect("a store");
    let registry = Registry::new(Arc::new(store), RegistryOptions::new());
    let pruned = registry.prune_history(&Caller::local("test"), Timestamp::MAX).expect("pruned");
    assert!(pruned >= 100, "{pruned}");
    let node = Node::start(&database, "node", &key);
    node.expect_same(&database.export());
    assert_eq!(node.scan(&anchor(120)).as_deref(), Some("https://example.com/2"));
}

/// Ten minutes ahead and ten behind: what one node has allowed holds at the other.
#[test]
fn clocks_that_differ_by_minutes_do_no_harm() {
    let faketime = match installed("faketime", "faketime") {
        Ok(path) => path,
        Err(why) => return skipped("nodes whose clocks differ", &why),
    };
    let Some(cluster) = cluster() else { return };
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &cluster.url());
    let password = "correct horse battery staple";
    database.run(&["admin", "create", "--login", "ada"], password).expect_status(0);
    let key = database.key();
    // The program runs its command as a child, which a signal that ends the program leaves running.
    // So the nodes get the environment of such a child only.
    let preload = Command::new(&faketime).args(["-f", "+0", "printenv", "LD_PRELOAD"]).output();
    let preload = String::from_utf8(preload.expect("faketime").stdout).expect("a path");
    assert!(preload.contains("libfaketime"), "{preload}");
    let skewed = |name: &str, shift: &str| {
        Node::start_by(&database, name, &key, "", |mut command| {
            command.env("LD_PRELOAD", preload.trim()).env("FAKETIME", shift);
            // Only the time of day is wrong.
            command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("DONT_FAKE_MONOTONIC", "1");
            command
        })
    };
    let nodes = [skewed("ahead", "+10m"), skewed("behind", "-10m")];
    for round in 0..10 {
        let (one, other) = (&nodes[round % 2], &nodes[(round + 1) % 2]);
        let number = u32::try_from(round).expect("a small number");
        assert_eq!(put(one, number, "https://example.com/0").status, 201);
        assert_eq!(put(other, number, "https://example.com/1").status, 200);
    }
    for (one, other) in [(&nodes[0], &nodes[1]), (&nodes[1], &nodes[0])] {
        let who = json!({ "login": "ada", "password": password });
        let session = one.ask("POST", "/v1/session", &[], Some(&who));
        assert_eq!(session.status, 200, "{session:?}");
        let cookie = session.field("set-cookie").and_then(|it| it.split(';').next());
        let cookie = ("cookie", cookie.expect("a cookie"));
        assert_eq!(other.ask("GET", "/v1/keys", &[cookie], None).status, 200);
    }
    // Dates of revisions never go back: the clock that is ahead dates those of all nodes.
    let written = |node: &Node<'_>, number| -> Timestamp {
        assert_eq!(put(node, number, "https://example.com/2").status, 200);
        let level = node.ask_by_key("GET", &format!("/v1/levels{}", anchor(number)), &[], None);
        level.body["at"].as_str().expect("a time").parse().expect("a time")
    };
    let (ahead, behind) = (written(&nodes[0], 0), written(&nodes[1], 1));
    assert!(behind >= ahead, "{behind} is before {ahead}");
    let now: i64 =
        cluster.sql("SELECT extract(epoch FROM now())::bigint").parse().expect("seconds");
    assert!(
        (540..660).contains(&(ahead.as_second() - now)),
        "{ahead} is not ten minutes after {now}"
    );
    let truth = database.export();
    nodes.iter().for_each(|node| node.expect_same(&truth));
    database.run(&["audit", "verify"], "").expect_status(0);
}

#[test]
fn a_node_whose_disk_is_full_answers_and_catches_up_when_there_is_room() {
    let disk = match Disk::mount(24) {
        Ok(disk) => disk,
        Err(why) => return not_permitted("a full disk of a node", &why),
    };
    let Some(cluster) = cluster() else { return };
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &cluster.url());
    database.import((0..50).map(anchor), "https://example.com/0");
    let key = database.key();
    let small = disk.path().join("data");
    let node = Node::start_by(&database, "small", &key, "", |command| {
        let mut small_disk = fingerpost();
        let old = sandbox.path("small");
        small_disk.args(
            command.get_args().map(|word| if word == old { small.as_os_str() } else { word }),
        );
        small_disk
    });
    let other = Node::start(&database, "other", &key);
    wait_until("the first copies", || node.is_up_to_date() && other.is_up_to_date());
    disk.fill(0);
    database.import((1000..9000).map(anchor), "https://example.com/1");
    wait_until("the other has it", || other.scan(&anchor(8999)).is_some());
    thread::sleep(Duration::from_millis(500));
    assert!(!node.is_up_to_date(), "there is room for all");
    assert_eq!(node.scan(&anchor(3)).as_deref(), Some("https://example.com/0"));
    // The write is made, because the database has room.
    assert_eq!(put(&node, 3, "https://example.com/2").status, 200);
    assert_eq!(node.scan(&anchor(4)).as_deref(), Some("https://example.com/0"));
    disk.free();
    let truth = database.export();
    wait_until("it catches up", || {
        node.is_up_to_date() && node.scan(&anchor(3)).as_deref() == Some("https://example.com/2")
    });
    assert_eq!(support::export(&small), truth);
    other.expect_same(&truth);
}

/// Only the tables are on a small disk, so that the server can go on.
#[test]
fn a_write_that_finds_the_disk_of_the_database_full_says_which_disk() {
    let disk = match Disk::mount(8) {
        Ok(disk) => disk,
        Err(why) => return not_permitted("full tables of the database", &why),
    };
    let Some(cluster) = cluster() else { return };
    let tables = cluster.make_directory(disk.path());
    let _ = cluster.sql(&format!("CREATE TABLESPACE small LOCATION '{}'", tables.display()));
    let _ = cluster.sql("ALTER ROLE fingerpost SET default_tablespace = small");
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &cluster.url());
    let key = database.key();
    let node = Node::start(&database, "node", &key);
    disk.fill(0);
    let long = format!("https://example.com/{}", "a".repeat(1500));
    let refused = (0..100).map(|n| put(&node, n, &long)).find(|told| told.status != 201);
    let refused = refused.expect("room for a hundred records");
    assert_eq!(refused.status, 507, "{refused:?}");
    let expected = "the disk of the database server is full; nothing was changed";
    assert_eq!(
        (&refused.body["code"], &refused.body["detail"]),
        (&"storage-full".into(), &expected.into())
    );
    disk.free();
    wait_until("writes work again", || put(&node, 500, &long).status == 201);
}

#[test]
fn a_database_whose_disk_is_full_loses_nothing_acknowledged() {
    let disk = match Disk::mount(160) {
        Ok(disk) => disk,
        Err(why) => return not_permitted("a full disk of the database", &why),
    };
    let settings = ["min_wal_size=4MB", "max_wal_size=8MB", "shared_buffers=16MB"];
    let mut cluster = match Cluster::start_in(disk.path(), &["--wal-segsize=1"], &settings) {
        Ok(cluster) => cluster,
        Err(why) => return skipped("a full disk of the database", &why),
    };
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &cluster.url());
    database.import((0..50).map(anchor), "https://example.com/0");
    let key = database.key();
    let nodes = ["one", "two"].map(|name| Node::start(&database, name, &key));
    nodes.iter().for_each(|node| wait_until("the first copy", || node.is_up_to_date()));
    let mut refused = None;
    let acknowledged = written_while(&nodes, |further| {
        further();
        disk.fill(300);
        wait_until("a write is refused", || {
            let told = put(&nodes[0], 7, &format!("https://example.com/{}", "a".repeat(1500)));
            assert_eq!(nodes[0].scan(&anchor(3)).as_deref(), Some("https://example.com/0"));
            let is_refused = ![200, 201].contains(&told.status);
            refused = is_refused.then_some(told);
            is_refused
        });
        disk.free();
        // A server that could not even write its log has ended.
        cluster.revive();
        for node in &nodes {
            wait_until("writes work again", || put(node, 8, "https://example.com/8").status == 200);
        }
        further();
    });
    let refused = refused.expect("a refusal");
    assert!([503, 507].contains(&refused.status), "{refused:?}");
    assert!(acknowledged.len() > 5, "{} writes", acknowledged.len());
    let truth = database.export();
    expect_all(&acknowledged, &truth);
    nodes.iter().for_each(|node| node.expect_same(&truth));
    database.run(&["audit", "verify"], "").expect_status(0);
}
