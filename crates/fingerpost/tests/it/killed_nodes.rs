//! Nodes that are killed while they write and copy, and an old primary that comes back: what was
//! acknowledged is there, no turn is held by a node that is gone, and no copy mixes two histories.

use crate::support;

use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_testkit::{Cluster, Network, Proxy, kills};
use support::nodes::{Database, Node, cluster, expect_all, wait_until};
use support::{Sandbox, export, gtin, run};

fn anchor(number: u32) -> String {
    format!("/01/{}", gtin(number))
}

/// The names of the files of a node; the mark of a server without the number of its process.
fn files(data: &Path) -> Vec<String> {
    let all = std::fs::read_dir(data).expect("a directory");
    let names = all.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names
        .map(|name| if name.starts_with("serving.") { "serving".to_owned() } else { name })
        .collect();
    names.sort();
    names
}

#[test]
fn a_node_that_is_killed_while_it_writes_loses_nothing_and_holds_up_no_other() {
    let Some(cluster) = cluster() else { return };
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &cluster.url());
    database.import((0..200).map(anchor), "https://example.com/0");
    let key = database.key();
    let other = Node::start(&database, "other", &key);
    wait_until("the first copy", || other.is_up_to_date());
    let acknowledged = Mutex::new(Vec::new());
    let mut usual = Vec::new();
    for round in 0..kills(8) {
        let node = Node::start(&database, "killed", &key);
        wait_until("the copy", || node.is_up_to_date());
        if round == 0 {
            usual = files(&node.data);
        }
        // Records that were new in this round, through the node that is killed and through the
        // other one.
        let put = |node: &Node<'_>, number: u32| {
            let target = format!("https://example.com/{round}");
            if node.put(&anchor(number), &target).status == Some(0) {
                acknowledged.lock().expect("no panic").push((anchor(number), target));
            }
        };
        let first = 1_000 + round * 1_000;
        let data = node.data.clone();
        let before = acknowledged.lock().expect("no panic").len();
        thread::scope(|scope| {
            let killed = &node;
            let writers = (0..3_u32).map(|writer| {
                scope.spawn(move || (0..12).for_each(|n| put(killed, first + writer * 100 + n)))
            });
            let writers: Vec<_> = writers.collect();
            // Every other node is killed after it wrote, the others at any moment.
            if round % 2 == 1 {
                let before = before + 3;
                wait_until("writes", || acknowledged.lock().expect("no panic").len() >= before);
            }
            thread::sleep(Duration::from_millis(u64::from(round % 8) * 45));
            killed.server.signal("KILL");
            // The turn of the dead node is free at once: its session ended with it.
            let begun = Instant::now();
            put(&other, first + 900);
            assert!(begun.elapsed() < Duration::from_secs(10), "a put waits for a dead node");
            writers.into_iter().for_each(|writer| writer.join().expect("a writer"));
        });
        drop(node);
        assert_eq!(other.scan(&anchor(7)).as_deref(), Some("https://example.com/0"));
        // What the kill left is a copy as any other.
        run(["fsck".as_ref(), "--data".as_ref(), data.as_os_str()]).expect_status(0);
    }
    let acknowledged = acknowledged.into_inner().expect("no panic");
    assert!(acknowledged.len() > 10, "{} writes", acknowledged.len());
    let truth = database.export();
    expect_all(&acknowledged, &truth);
    let node = Node::start(&database, "killed", &key);
    node.expect_same(&truth);
    other.expect_same(&truth);
    assert_eq!(files(&node.data), usual, "nothing is left over");
    database.run(&["audit", "verify"], "").expect_status(0);
}

#[test]
fn a_node_that_is_killed_in_its_first_copy_never_says_that_a_key_is_unknown() {
    let Some(cluster) = cluster() else { return };
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &cluster.url());
    database.import((0..6_000).map(anchor), "https://example.com/0");
    let key = database.key();
    // So slowly that the copy takes seconds.
    let proxy = Proxy::start(cluster.port());
    let far = Database::new(&sandbox, &cluster.url_by(proxy.port()));
    proxy.set(Network::Slow);
    let mut early = 0;
    for round in 0..kills(6) {
        let node = Node::start(&far, "node", &key);
        let begun = Instant::now();
        let length = Duration::from_millis(u64::from(round % 6) * 300);
        loop {
            // The first and the last of them; a scan is answered, or refused until the copy is
            // complete.
            for number in [0, 5_999] {
                let status = node.server.get(&anchor(number)).status;
                assert!([307, 503].contains(&status), "round {round}: {status}");
                early += u32::from(status == 503);
            }
            if begun.elapsed() >= length {
                break;
            }
        }
        node.server.signal("KILL");
    }
    assert!(early > 0, "no copy was interrupted");
    proxy.set(Network::Whole);
    let node = Node::start(&database, "node", &key);
    node.expect_same(&database.export());
}

/// The address of two servers, of which one is the primary.
fn either(one: &Cluster, other: &Cluster) -> String {
    let hosts = format!("127.0.0.1:{},127.0.0.1:{}", one.port(), other.port());
    format!("postgres://fingerpost@{hosts}/postgres?target_session_attrs=read-write")
}

/// Against the advice, the old primary is started again beside the promoted replica: both accept
/// writes. A node holds what its database holds, whole, and follows the other one when that is the
/// only one left.
#[test]
fn an_old_primary_that_returns_mixes_no_histories() {
    let Some(mut old) = cluster() else { return };
    let new = old.replica("second");
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &either(&old, &new));
    database.import((0..50).map(anchor), "https://example.com/0");
    let key = database.key();
    let [stays, restarts] = ["stays", "restarts"].map(|name| Node::start(&database, name, &key));
    for node in [&stays, &restarts] {
        wait_until("the first copy", || node.is_up_to_date());
    }
    let number = "SELECT number FROM fingerpost.state";
    wait_until("the replica has it", || new.sql(number) == old.sql(number));
    new.detach();
    // The old primary alone has these.
    for number in 0..5 {
        stays.put(&anchor(number), "https://example.com/old").expect_status(0);
    }
    old.kill();
    new.promote();
    for number in 10..15 {
        wait_until("writes work again", || {
            stays.put(&anchor(number), "https://example.com/new").status == Some(0)
        });
    }
    restarts.server.kill();
    old.resume();
    let [of_old, of_new] = [&old, &new].map(|one| Database::new(&sandbox, &one.url()).export());
    assert!(of_old.contains("/old") && !of_old.contains("/new"));
    assert!(of_new.contains("/new") && !of_new.contains("/old"));
    // A node that starts takes the first one that accepts writes; one that runs stays where it is.
    let restarted = Node::start(&database, "restarts", &key);
    wait_until("it has what one of them has", || {
        restarted.is_up_to_date() && [&of_old, &of_new].contains(&&export(&restarted.data))
    });
    wait_until("it has what one of them has", || {
        stays.is_up_to_date() && [&of_old, &of_new].contains(&&export(&stays.data))
    });
    // The old one is gone for good.
    old.kill();
    for node in [&restarted, &stays] {
        wait_until("it follows the one that is left", || {
            node.is_up_to_date() && export(&node.data) == of_new
        });
        assert_eq!(node.scan(&anchor(3)).as_deref(), Some("https://example.com/0"));
        assert_eq!(node.scan(&anchor(12)).as_deref(), Some("https://example.com/new"));
    }
    let fresh = Database::new(&sandbox, &new.url());
    fresh.run(&["audit", "verify"], "").expect_status(0);
}
