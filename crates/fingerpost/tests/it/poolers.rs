//! Nodes behind PgBouncer, and on servers that Patroni watches.

use crate::support;

use fingerpost_testkit::{Patroni, Pooler, skipped};
use support::nodes::{Database, Node, cluster, expect_all, wait_until, written_while};
use support::{Sandbox, gtin};

fn anchor(number: u32) -> String {
    format!("/01/{}", gtin(number))
}

#[test]
fn nodes_work_behind_a_pooler_of_sessions() {
    let Some(mut cluster) = cluster() else { return };
    let pooler = match Pooler::start(&cluster, "session") {
        Ok(pooler) => pooler,
        Err(why) => return skipped("PgBouncer that pools sessions", &why),
    };
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &cluster.url_by(pooler.port()));
    database.import((0..50).map(anchor), "https://example.com/0");
    let key = database.key();
    let nodes = ["one", "two"].map(|name| Node::start(&database, name, &key));
    nodes.iter().for_each(|node| wait_until("the first copy", || node.is_up_to_date()));
    let acknowledged = written_while(&nodes, |further| {
        further();
        cluster.kill();
        assert_eq!(nodes[0].scan(&anchor(0)).as_deref(), Some("https://example.com/0"));
        cluster.resume();
        wait_until("writes work again", || {
            nodes.iter().all(|node| node.put(&anchor(1), "https://example.com/1").status == Some(0))
        });
        further();
    });
    assert!(acknowledged.len() > 5, "{} writes", acknowledged.len());
    let truth = database.export();
    expect_all(&acknowledged, &truth);
    nodes.iter().for_each(|node| node.expect_same(&truth));
}

/// Statements of one session go to several sessions of the server. PgBouncer before 1.21 forgets
/// what was prepared: then the message says what to do, and nothing is torn.
#[test]
fn a_pooler_of_transactions_is_refused_with_the_reason_or_works() {
    let Some(cluster) = cluster() else { return };
    let pooler = match Pooler::start(&cluster, "transaction") {
        Ok(pooler) => pooler,
        Err(why) => return skipped("PgBouncer that pools transactions", &why),
    };
    let sandbox = Sandbox::new();
    let direct = Database::new(&sandbox, &cluster.url());
    direct.import([anchor(0)], "https://example.com/0");
    let pooled = Database::new(&sandbox, &cluster.url_by(pooler.port()));
    let mut refused = 0;
    for number in 1..8 {
        let line = support::record(&anchor(number), "https://example.com/1");
        let run = pooled.run(&["import", "-"], &line);
        if run.status == Some(0) {
            continue;
        }
        assert!(run.stderr.contains("use session pooling"), "{run:?}");
        refused += 1;
    }
    let stored = direct.export().lines().count();
    assert_eq!(stored, 8 - refused, "each import says whether it is stored");
    direct.run(&["audit", "verify"], "").expect_status(0);
}

#[test]
fn patroni_replaces_a_primary_and_nothing_acknowledged_is_lost() {
    let mut servers = match Patroni::start() {
        Ok(servers) => servers,
        Err(why) => return skipped("a fail-over by Patroni", &why),
    };
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &servers.url());
    database.import([anchor(0)], "https://example.com/0");
    let key = database.key();
    let nodes = ["one", "two"].map(|name| Node::start(&database, name, &key));
    nodes.iter().for_each(|node| wait_until("the first copy", || node.is_up_to_date()));
    let acknowledged = written_while(&nodes, |further| {
        further();
        servers.kill_primary();
        wait_until("both nodes write to the new primary", || {
            assert_eq!(nodes[0].scan(&anchor(0)).as_deref(), Some("https://example.com/0"));
            nodes.iter().all(|node| node.put(&anchor(1), "https://example.com/1").status == Some(0))
        });
        further();
    });
    assert!(acknowledged.len() > 5, "{} writes", acknowledged.len());
    let truth = database.export();
    expect_all(&acknowledged, &truth);
    nodes.iter().for_each(|node| node.expect_same(&truth));
    database.run(&["audit", "verify"], "").expect_status(0);
}
