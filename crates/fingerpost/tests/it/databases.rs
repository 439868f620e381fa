//! Nodes on one PostgreSQL database, as real processes over real sockets: what is written at one is
//! answered by all, also while the database is away, and nothing acknowledged is lost when the
//! database is killed.

use crate::support;

use support::nodes::{Database, Node, cluster, expect_all, wait_until, written_while};
use support::{Sandbox, export, gtin};

#[test]
fn what_one_node_writes_all_nodes_answer_also_without_the_database() {
    let Some(mut cluster) = cluster() else { return };
    let sandbox = Sandbox::new();
    let anchor = |n| format!("/01/{}", gtin(n));
    let database = Database::new(&sandbox, &cluster.url());
    database.import((0..500).map(anchor), "https://example.com/0");
    let key = database.key();
    let [one, two] = ["one", "two"].map(|name| Node::start(&database, name, &key));
    for node in [&one, &two] {
        wait_until("the first copy", || node.is_up_to_date());
        assert_eq!(node.scan(&anchor(499)).as_deref(), Some("https://example.com/0"));
    }
    // The node that took a write has it before it answers; the other one soon after.
    for n in 0..20 {
        let target = format!("https://example.com/{}", n + 1);
        let (here, there) = if n % 2 == 0 { (&one, &two) } else { (&two, &one) };
        here.put(&anchor(7), &target).expect_status(0);
        assert_eq!(here.scan(&anchor(7)).as_deref(), Some(&*target));
        wait_until("the other node has it", || there.scan(&anchor(7)).as_deref() == Some(&*target));
    }

    cluster.stop();
    let refused = one.put(&anchor(7), "https://example.com/lost");
    assert_eq!(refused.status, Some(2), "{refused:?}");
    assert!(
        refused.stderr.contains("the storage is unavailable; nothing was changed"),
        "{refused:?}"
    );
    for node in [&one, &two] {
        assert_eq!(node.scan(&anchor(7)).as_deref(), Some("https://example.com/20"));
        assert_eq!(node.scan(&anchor(499)).as_deref(), Some("https://example.com/0"));
    }
    cluster.resume();
    wait_until("writes work again", || {
        one.put(&anchor(8), "https://example.com/again").status == Some(0)
    });
    wait_until("the other node has it", || {
        two.scan(&anchor(8)).as_deref() == Some("https://example.com/again")
    });
    for node in [&one, &two] {
        wait_until("it is up to date", || node.is_up_to_date());
        node.verify().expect_status(0);
    }
    assert_eq!(export(&one.data), export(&two.data));
    let truth = database.export();
    assert_eq!(export(&one.data), truth);
}

#[test]
fn nothing_acknowledged_is_lost_when_the_database_is_killed() {
    let Some(mut cluster) = cluster() else { return };
    let sandbox = Sandbox::new();
    let anchor = |n| format!("/01/{}", gtin(n));
    let database = Database::new(&sandbox, &cluster.url());
    database.import([anchor(0)], "https://example.com/0");
    let key = database.key();
    let nodes = ["one", "two"].map(|name| Node::start(&database, name, &key));
    nodes.iter().for_each(|node| wait_until("the first copy", || node.is_up_to_date()));
    let acknowledged = written_while(&nodes, |further| {
        for _ in 0..3 {
            further();
            cluster.kill();
            // Scans do not notice.
            for node in &nodes {
                assert_eq!(node.scan(&anchor(0)).as_deref(), Some("https://example.com/0"));
            }
            cluster.resume();
        }
        further();
    });
    assert!(acknowledged.len() > 10, "{} writes", acknowledged.len());
    let truth = database.export();
    expect_all(&acknowledged, &truth);
    nodes.iter().for_each(|node| node.expect_same(&truth));
    database.run(&["audit", "verify"], "").expect_status(0);
}
