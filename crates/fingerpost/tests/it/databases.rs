//! Nodes on one PostgreSQL database, as real processes over real sockets: what is written at one is answered by all, also while the
//! database is away, and nothing acknowledged is lost when the database is killed.

use crate::support;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_testkit::{Cluster, skipped};
use serde_json::Value;
use support::{Place, Run, Server, export, fingerpost, finish, gtin, record};

/// The longest wait for something that must happen.
const PATIENCE: Duration = Duration::from_secs(90);

#[track_caller]
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "{what}: it does not happen");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A node of one database, and the address of its admin side.
struct Node<'p> {
    place: &'p Place,
    config: PathBuf,
    data: PathBuf,
    server: Server,
    admin: String,
    key: String,
}

impl<'p> Node<'p> {
    fn start(place: &'p Place, cluster: &Cluster, name: &str, key: &str) -> Self {
        let config = config(place, cluster);
        let data = place.path(name);
        let mut command = fingerpost();
        command.arg("serve").arg("--data").arg(&data).arg("--config").arg(&config);
        command.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
        let mut server = Server::from_command(command);
        let lines = server.lines_until("admin listening on ");
        let admin = lines.last().expect("a line").replace("admin listening on ", "");
        Self { place, config, data, server, admin, key: key.to_owned() }
    }

    fn put(&self, anchor: &str, target: &str) -> Run {
        let mut command = self.place.client(&self.admin, &self.key);
        command.args(["put", "-"]);
        finish(command, record(anchor, target).as_bytes())
    }

    fn scan(&self, anchor: &str) -> Option<String> {
        let answer = self.server.get(anchor);
        assert!([307, 404].contains(&answer.status), "{anchor}: {}", answer.status);
        answer.header("location")
    }

    fn is_up_to_date(&self) -> bool {
        let answer = self.server.get("/ready");
        let body: Value = serde_json::from_slice(&answer.body).expect("JSON");
        answer.status == 200
            && body["copy"]["lagRevisions"] == 0
            && body["copy"]["connected"] == true
    }

    fn verify(&self) -> Run {
        let mut command = fingerpost();
        command.args(["follow", "--verify", "--config"]).arg(&self.config);
        command.arg("--data").arg(&self.data);
        finish(command, b"")
    }
}

/// Writes the configuration of the nodes: one line.
fn config(place: &Place, cluster: &Cluster) -> PathBuf {
    place.write("node.toml", &format!("[store]\nurl = {:?}\n", cluster.url()))
}

/// Runs a command on the database, as an operator does on any node.
fn on_database(place: &Place, cluster: &Cluster, words: &[&str], input: &str) -> Run {
    let mut command = fingerpost();
    command.args(words).arg("--config").arg(config(place, cluster));
    finish(command, input.as_bytes())
}

fn cluster() -> Option<Cluster> {
    match Cluster::start(&[]) {
        Ok(cluster) => Some(cluster),
        Err(why) => {
            skipped("nodes on PostgreSQL", &why);
            None
        }
    }
}

/// Makes a key that may do everything.
fn key(place: &Place, cluster: &Cluster) -> String {
    let words =
        ["admin", "key", "--label", "test", "--verb", "read,write,admin", "--format", "json"];
    let made = on_database(place, cluster, &words, "").expect_status(0).events().remove(0);
    made["token"].as_str().expect("a token").to_owned()
}

#[test]
fn what_one_node_writes_all_nodes_answer_also_without_the_database() {
    let Some(mut cluster) = cluster() else { return };
    let place = Place::new();
    let anchor = |n| format!("/01/{}", gtin(n));
    let records: String =
        (0..500).map(|n| record(&anchor(n), "https://example.com/0") + "\n").collect();
    on_database(&place, &cluster, &["import", "-"], &records).expect_status(0);
    let key = key(&place, &cluster);
    let [one, two] = ["one", "two"].map(|name| Node::start(&place, &cluster, name, &key));
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
    let truth = on_database(&place, &cluster, &["export"], "").expect_status(0).stdout;
    assert_eq!(export(&one.data), truth);
}

#[test]
fn nothing_acknowledged_is_lost_when_the_database_is_killed() {
    let Some(mut cluster) = cluster() else { return };
    let place = Place::new();
    let anchor = |n| format!("/01/{}", gtin(n));
    on_database(&place, &cluster, &["import", "-"], &record(&anchor(0), "https://example.com/0"))
        .expect_status(0);
    let key = key(&place, &cluster);
    let nodes = ["one", "two"].map(|name| Node::start(&place, &cluster, name, &key));
    nodes.iter().for_each(|node| wait_until("the first copy", || node.is_up_to_date()));
    let is_over = AtomicBool::new(false);
    let acknowledged: Vec<(String, String)> = thread::scope(|scope| {
        let writers: Vec<_> = nodes
            .iter()
            .zip(0_u32..)
            .map(|(node, at)| {
                let (is_over, anchor) = (&is_over, &anchor);
                scope.spawn(move || {
                    let mut done = Vec::new();
                    for n in 0.. {
                        if is_over.load(Ordering::Relaxed) {
                            break;
                        }
                        let (anchor, target) =
                            (anchor(1000 + 2 * n + at), format!("https://example.com/{n}"));
                        if node.put(&anchor, &target).status == Some(0) {
                            done.push((anchor, target));
                        }
                    }
                    done
                })
            })
            .collect();
        for _ in 0..3 {
            thread::sleep(Duration::from_millis(700));
            cluster.kill();
            // Scans do not notice.
            for node in &nodes {
                assert_eq!(node.scan(&anchor(0)).as_deref(), Some("https://example.com/0"));
            }
            cluster.resume();
        }
        thread::sleep(Duration::from_millis(700));
        is_over.store(true, Ordering::Relaxed);
        writers.into_iter().flat_map(|writer| writer.join().expect("a writer")).collect()
    });
    assert!(acknowledged.len() > 10, "{} writes", acknowledged.len());
    let truth = on_database(&place, &cluster, &["export"], "").expect_status(0).stdout;
    for node in &nodes {
        for (anchor, target) in &acknowledged {
            let stored = format!(r#""anchor":"{anchor}","#);
            assert!(
                truth.lines().any(|line| line.contains(&stored) && line.contains(target)),
                "{anchor}"
            );
            // The node knows only after a while that its connection had ended.
            wait_until("the copy has it", || node.scan(anchor).as_deref() == Some(&**target));
        }
        node.verify().expect_status(0);
        assert_eq!(export(&node.data), truth);
    }
    on_database(&place, &cluster, &["audit", "verify"], "").expect_status(0);
}
