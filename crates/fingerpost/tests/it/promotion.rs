//! A primary that is killed, and its replica that is promoted, below nodes that know both
//! addresses: with synchronous replication nothing acknowledged is lost; without it, the copies
//! follow the database back.

use crate::support;

use support::nodes::{Database, Node, cluster, expect_all, wait_until, written_while};
use support::{Sandbox, gtin};

fn anchor(number: u32) -> String {
    format!("/01/{}", gtin(number))
}

/// The address of two servers, of which one is the primary.
fn either(one: u16, other: u16) -> String {
    let hosts = format!("127.0.0.1:{one},127.0.0.1:{other}");
    format!("postgres://fingerpost@{hosts}/postgres?target_session_attrs=read-write")
}

#[test]
fn nothing_acknowledged_is_lost_when_a_synchronous_replica_is_promoted() {
    let Some(mut primary) = cluster() else { return };
    let replica = primary.replica("second");
    primary.commit_with("second");
    let sandbox = Sandbox::new();
    // One node names the replica first: a server that takes no writes is passed over.
    let urls = [(primary.port(), replica.port()), (replica.port(), primary.port())];
    let databases = urls.map(|(one, other)| Database::new(&sandbox, &either(one, other)));
    databases[0].import([anchor(0)], "https://example.com/0");
    let key = databases[0].key();
    let nodes = [0, 1].map(|at| Node::start(&databases[at], ["one", "two"][at], &key));
    nodes.iter().for_each(|node| wait_until("the first copy", || node.is_up_to_date()));
    let acknowledged = written_while(&nodes, |further| {
        further();
        primary.kill();
        for node in &nodes {
            assert_eq!(node.scan(&anchor(0)).as_deref(), Some("https://example.com/0"));
        }
        replica.promote();
        wait_until("both nodes write to the promoted server", || {
            nodes.iter().all(|node| node.put(&anchor(1), "https://example.com/1").status == Some(0))
        });
        further();
    });
    assert!(acknowledged.len() > 10, "{} writes", acknowledged.len());
    let truth = databases[1].export();
    expect_all(&acknowledged, &truth);
    nodes.iter().for_each(|node| node.expect_same(&truth));
    databases[0].run(&["audit", "verify"], "").expect_status(0);
}

#[test]
fn copies_follow_a_promoted_replica_that_lacks_acknowledged_commits() {
    let Some(mut primary) = cluster() else { return };
    let replica = primary.replica("second");
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &either(primary.port(), replica.port()));
    database.import((0..50).map(anchor), "https://example.com/0");
    let key = database.key();
    let nodes = ["one", "two"].map(|name| Node::start(&database, name, &key));
    nodes.iter().for_each(|node| wait_until("the first copy", || node.is_up_to_date()));
    // The replica has all this when it is cut off.
    nodes[0].put(&anchor(1), "https://example.com/kept").expect_status(0);
    // Nodes also commit on their own, so the primary is read again each time.
    let number = "SELECT number FROM fingerpost.state";
    wait_until("the replica has it", || replica.sql(number) == primary.sql(number));
    replica.detach();
    for number in 1..5 {
        nodes[1].put(&anchor(number), "https://example.com/lost").expect_status(0);
        nodes[0].put(&anchor(100 + number), "https://example.com/lost").expect_status(0);
    }
    for node in &nodes {
        wait_until("the copy has it", || node.scan(&anchor(104)).is_some());
    }
    primary.kill();
    replica.promote();
    // As many revisions as were lost, by numbers that the copies already know.
    for number in 1..9 {
        wait_until("writes work again", || {
            nodes[0].put(&anchor(20 + number), "https://example.com/new").status == Some(0)
        });
    }
    let truth = database.export();
    assert!(!truth.contains("lost") && truth.contains("new"));
    for node in &nodes {
        node.expect_same(&truth);
        assert_eq!(node.scan(&anchor(1)).as_deref(), Some("https://example.com/kept"));
        assert_eq!(node.scan(&anchor(3)).as_deref(), Some("https://example.com/0"));
        assert_eq!(node.scan(&anchor(103)), None);
    }
    database.run(&["audit", "verify"], "").expect_status(0);
}
