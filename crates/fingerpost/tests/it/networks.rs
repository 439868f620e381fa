//! The network between nodes and their database is cut, silent or slow: scans are answered
//! throughout, writes get 503 in time and change nothing, and the copies catch up afterwards.

use crate::support;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_testkit::{Network, Proxy};
use serde_json::Value;
use support::nodes::{Database, Node, cluster, wait_until};
use support::{Sandbox, gtin, record};

/// How long a write may take, as `docs/operations/nodes.md` says, and a little more for a machine
/// that is busy.
const LIMIT: Duration = Duration::from_secs(45 + 10);

fn anchor(number: u32) -> String {
    format!("/01/{}", gtin(number))
}

fn put(node: &Node<'_>, number: u32, target: &str) -> support::nodes::Told {
    let body: Value = serde_json::from_str(&record(&anchor(number), target)).expect("JSON");
    node.ask_by_key("PUT", &format!("/v1/levels{}", anchor(number)), &[], Some(&body))
}

#[test]
fn scans_go_on_and_writes_are_refused_in_time_whatever_the_network_does() {
    let Some(cluster) = cluster() else { return };
    let sandbox = Sandbox::new();
    let proxy = Proxy::start(cluster.port());
    let near = Database::new(&sandbox, &cluster.url());
    let far = Database::new(&sandbox, &cluster.url_by(proxy.port()));
    near.import((0..300).map(anchor), "https://example.com/0");
    let key = near.key();
    let [node, other] =
        [(&far, "far"), (&near, "near")].map(|(to, name)| Node::start(to, name, &key));
    for node in [&node, &other] {
        wait_until("the first copy", || node.is_up_to_date());
    }
    let (is_over, scans) = (AtomicBool::new(false), AtomicU32::new(0));
    thread::scope(|scope| {
        let scanning = scope.spawn(|| {
            let mut longest = Duration::ZERO;
            while !is_over.load(Ordering::Relaxed) {
                let begin = Instant::now();
                assert!(node.scan(&anchor(200)).is_some());
                longest = longest.max(begin.elapsed());
                scans.fetch_add(1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(10));
            }
            longest
        });
        let over = support::nodes::Over::new(&is_over);
        for (at, network) in [Network::Cut, Network::Silent].into_iter().enumerate() {
            let number = u32::try_from(at).expect("a small number");
            proxy.set(network);
            let begin = Instant::now();
            let refused = put(&node, 10 + number, "https://example.com/refused");
            let took = begin.elapsed();
            assert!(took < LIMIT, "{network:?}: {took:?}");
            assert_eq!(refused.status, 503, "{network:?}: {refused:?}");
            assert_eq!(refused.body["code"], "store-unavailable");
            let wait: u32 = refused.field("retry-after").expect("a time").parse().expect("seconds");
            assert!((1..=60).contains(&wait));
            wait_until("/ready says it", || !node.is_up_to_date());
            // The other node goes on, and this one catches up.
            assert_eq!(put(&other, 20 + number, "https://example.com/near").status, 200);
            proxy.accept();
            wait_until("it catches up", || {
                node.scan(&anchor(20 + number)).as_deref() == Some("https://example.com/near")
            });
            wait_until("writes work again", || {
                put(&node, 30 + number, "https://example.com/far").status == 200
            });
            // What was refused is not there, or what the answer said about it was that it may be.
            if refused.body.to_string().contains("nothing was changed") {
                let kept = node.scan(&anchor(10 + number));
                assert_eq!(kept.as_deref(), Some("https://example.com/0"), "{network:?}");
            }
        }
        proxy.set(Network::Slow);
        for number in 40..43 {
            let slow = put(&node, number, "https://example.com/slow");
            assert_eq!(slow.status, 200, "{slow:?}");
            // A copy that is further than `write_wait` behind has it later.
            wait_until("the copy has it", || {
                node.scan(&anchor(number)).as_deref() == Some("https://example.com/slow")
            });
        }
        assert_eq!(put(&other, 50, "https://example.com/near").status, 200);
        wait_until("it catches up", || {
            node.scan(&anchor(50)).as_deref() == Some("https://example.com/near")
        });
        drop(over);
        let longest = scanning.join().expect("scans");
        assert!(longest < Duration::from_secs(10), "a scan waited for {longest:?}");
    });
    assert!(scans.into_inner() > 500);
    proxy.accept();
    let truth = near.export();
    [&node, &other].into_iter().for_each(|node| node.expect_same(&truth));
    near.run(&["audit", "verify"], "").expect_status(0);
}
