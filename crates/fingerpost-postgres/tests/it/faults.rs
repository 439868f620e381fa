//! Real faults: servers that are killed, sessions that are ended, connections that are lost around
//! a commit. Every acknowledged write is there, exactly once.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_engine::{
    ALL_KEYS, Direction, Engine, EngineError, Mutate, Prefetch, Rows, Table, Unavailable, Verdict,
};
use fingerpost_postgres::{DatabaseAddress, Postgres, PostgresOptions};
use fingerpost_testkit::{Cluster, Loss, Network, Proxy, skipped};

fn started() -> Option<Cluster> {
    match Cluster::start(&[]) {
        Ok(cluster) => Some(cluster),
        Err(why) => {
            skipped("faults of PostgreSQL", &why);
            None
        }
    }
}

fn open(url: &str) -> Postgres {
    open_with(url, PostgresOptions::default().patience(Duration::from_secs(60)))
}

fn open_with(url: &str, options: PostgresOptions) -> Postgres {
    Postgres::open(&DatabaseAddress::parse(url).unwrap(), options).unwrap()
}

fn number(rows: &dyn Rows) -> Result<u32, EngineError> {
    let found = rows.get(Table::Meta, b"number")?;
    Ok(found.map_or(0, |bytes| u32::from_be_bytes((*bytes).try_into().unwrap())))
}

/// Counts one up, and notes under the new number who did it.
fn count_up(engine: &Postgres, name: &str, runs: &AtomicU32) -> Result<(), EngineError> {
    engine.write(&Prefetch::NONE, &mut |rows: &mut dyn Mutate| {
        runs.fetch_add(1, Ordering::Relaxed);
        let next = number(rows)? + 1;
        rows.put(Table::Meta, b"number", &next.to_be_bytes())?;
        rows.append(Table::Changes, &next.to_be_bytes(), name.as_bytes())?;
        Ok(Verdict::Keep)
    })
}

/// Checks that the notes are numbered without a gap up to the number; returns it.
fn check_notes(engine: &Postgres) -> u32 {
    let snapshot = engine.snapshot().unwrap();
    let last = number(&*snapshot).unwrap();
    let notes =
        snapshot.range(Table::Changes, ALL_KEYS, Direction::Forward).unwrap().map(Result::unwrap);
    let numbers: Vec<u32> =
        notes.map(|(key, _)| u32::from_be_bytes((*key).try_into().unwrap())).collect();
    assert!(numbers.iter().copied().eq(1..=last), "1 to {last}: {numbers:?}");
    last
}

#[test]
fn a_commit_whose_answer_is_lost_counts_once() {
    let Some(cluster) = started() else { return };
    let proxy = Proxy::start(cluster.port());
    let engine = open(&cluster.url_by(proxy.port()));
    let runs = AtomicU32::new(0);
    let mut repeated = 0;
    for n in 0..30 {
        let loss = [Loss::Request, Loss::Answer, Loss::Delayed][n % 3];
        proxy.lose_next(loss);
        count_up(&engine, "lost", &runs).unwrap();
        repeated += u32::from(loss == Loss::Request);
        // A commit that succeeded is not repeated.
        assert_eq!(
            runs.load(Ordering::Relaxed),
            u32::try_from(n).unwrap() + 1 + repeated,
            "{loss:?}"
        );
    }
    assert_eq!(proxy.lost(), 30);
    assert_eq!(check_notes(&engine), 30);
}

#[test]
fn an_outcome_that_cannot_be_asked_for_is_unknown() {
    let Some(cluster) = started() else { return };
    let proxy = Proxy::start(cluster.port());
    let options = PostgresOptions::default().patience(Duration::from_millis(500));
    let engine = open_with(&cluster.url_by(proxy.port()), options);
    let runs = AtomicU32::new(0);
    let is_unknown = |result: &Result<(), EngineError>| {
        matches!(result, Err(EngineError::Unavailable(Unavailable::OutcomeUnknown)))
    };
    for (loss, committed) in [(Loss::Answer, 1), (Loss::Request, 1)] {
        proxy.lose_next_and_refuse(loss);
        let result = count_up(&engine, "unknown", &runs);
        assert!(is_unknown(&result), "{result:?}");
        // Without the database, further calls fail soon, and say that nothing was changed.
        let begin = Instant::now();
        for _ in 0..20 {
            let result = count_up(&engine, "away", &runs);
            assert!(matches!(result, Err(EngineError::Database { .. })), "{result:?}");
            assert!(matches!(engine.snapshot().err(), Some(EngineError::Database { .. })));
        }
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
        proxy.accept();
        thread::sleep(Duration::from_millis(1100)); // an outage is believed for a second
        assert_eq!(check_notes(&engine), committed);
    }
    count_up(&engine, "back", &runs).unwrap();
    assert_eq!(check_notes(&engine), 2);
}

/// Ends the loops of other threads when it is dropped, also by a panic.
struct Over<'o>(&'o AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Lets three threads of each of two nodes write while `disturb` runs; every write must be
/// acknowledged, and count once.
fn disturbed(cluster: &mut Cluster, disturb: impl FnOnce(&mut Cluster)) {
    let nodes = [open(&cluster.url()), open(&cluster.url())];
    let (is_over, acknowledged) = (AtomicBool::new(false), AtomicU32::new(0));
    let runs = AtomicU32::new(0);
    thread::scope(|scope| {
        for (node, name) in nodes.iter().zip(["one", "two"]) {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        count_up(node, name, &runs).unwrap();
                        acknowledged.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        }
        let _over = Over(&is_over);
        disturb(cluster);
    });
    let acknowledged = acknowledged.into_inner();
    assert!(acknowledged > 20, "{acknowledged}");
    assert_eq!(check_notes(&nodes[0]), acknowledged);
    assert_eq!(check_notes(&nodes[1]), acknowledged);
}

#[test]
fn nothing_acknowledged_is_lost_when_the_server_is_killed() {
    let Some(mut cluster) = started() else { return };
    disturbed(&mut cluster, |cluster| {
        for _ in 0..4 {
            thread::sleep(Duration::from_millis(400));
            cluster.kill();
            cluster.resume();
        }
        thread::sleep(Duration::from_millis(400));
    });
}

#[test]
fn nothing_acknowledged_is_lost_when_sessions_are_ended() {
    let Some(mut cluster) = started() else { return };
    disturbed(&mut cluster, |cluster| {
        for round in 0..40 {
            thread::sleep(Duration::from_millis(round % 7 * 10));
            let of = "FROM pg_stat_activity WHERE application_name = 'fingerpost'";
            let _ = cluster.sql(&format!("SELECT count(pg_terminate_backend(pid)) {of}"));
        }
        cluster.stop();
        cluster.resume();
        thread::sleep(Duration::from_millis(200));
    });
}

#[test]
fn a_backend_that_is_killed_costs_nothing_acknowledged() {
    let Some(mut cluster) = started() else { return };
    disturbed(&mut cluster, |cluster| {
        for _ in 0..3 {
            thread::sleep(Duration::from_millis(300));
            cluster.kill_one_session("fingerpost");
        }
        thread::sleep(Duration::from_millis(300));
    });
}

#[test]
fn a_frozen_server_is_given_up_in_time() {
    let Some(cluster) = started() else { return };
    let options = PostgresOptions::default().patience(Duration::from_secs(1));
    let engine = open_with(&format!("{}?connect_timeout=1", cluster.url()), options);
    let runs = AtomicU32::new(0);
    count_up(&engine, "before", &runs).unwrap();
    drop(engine.snapshot().unwrap());
    cluster.freeze(true);
    let begin = Instant::now();
    let write = count_up(&engine, "frozen", &runs);
    let snapshot = engine.snapshot().err();
    let elapsed = begin.elapsed();
    cluster.freeze(false);
    assert!(matches!(write, Err(EngineError::Database { .. })), "{write:?}");
    assert!(matches!(snapshot, Some(EngineError::Database { .. })), "{snapshot:?}");
    assert!(elapsed < Duration::from_secs(40), "{elapsed:?}");
    thread::sleep(Duration::from_millis(1100)); // an outage is believed for a second
    count_up(&engine, "after", &runs).unwrap();
    assert_eq!(check_notes(&engine), 2);
}

/// The first host accepts connections and does not answer: the next one is used, and remembered.
#[test]
fn a_host_that_does_not_answer_is_passed_over() {
    let Some(cluster) = started() else { return };
    let proxy = Proxy::start(cluster.port());
    proxy.set(Network::Silent);
    let hosts = format!("127.0.0.1:{},127.0.0.1:{}", proxy.port(), cluster.port());
    let url = format!("postgres://fingerpost@{hosts}/postgres?connect_timeout=10");
    let engine = open(&url);
    let (begin, runs) = (Instant::now(), AtomicU32::new(0));
    count_up(&engine, "one", &runs).unwrap();
    drop(engine.snapshot().unwrap());
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    // If no host can be used, the message names each with its fault.
    let url = url.replace(&cluster.port().to_string(), "1");
    let options = PostgresOptions::default().patience(Duration::from_millis(100));
    let error =
        Postgres::open(&DatabaseAddress::parse(&url).unwrap(), options).unwrap_err().to_string();
    let told = format!(
        "127.0.0.1:{}: no answer to the connection within 10 s; 127.0.0.1:1: ",
        proxy.port()
    );
    assert!(error.contains(&told) && error.contains("refused"), "{error}");
}

/// Whatever a call waits for when the server stops to answer, it ends within the documented limit.
#[test]
fn a_server_that_becomes_silent_is_given_up_in_time_at_any_moment() {
    let Some(cluster) = started() else { return };
    let proxy = Proxy::start(cluster.port());
    let options = PostgresOptions::default().patience(Duration::from_secs(1));
    let url = format!("{}?connect_timeout=1", cluster.url_by(proxy.port()));
    let engines = [(); 3].map(|()| open_with(&url, options));
    let runs = AtomicU32::new(0);
    engines.iter().for_each(|engine| count_up(engine, "before", &runs).unwrap());
    thread::scope(|scope| {
        // In a write, in a snapshot, and while it waits for a commit.
        let (proxy, other) = (&proxy, &engines[1]);
        let within = |begin: Instant| {
            assert!(begin.elapsed() < Duration::from_secs(16), "{:?}", begin.elapsed());
        };
        let write = &mut |rows: &mut dyn Mutate| {
            proxy.set(Network::Silent);
            let begin = Instant::now();
            let found = rows.get(Table::Meta, b"another");
            within(begin);
            found.map(|_| Verdict::Keep)
        };
        let waiting = scope.spawn(|| {
            let begin = Instant::now();
            assert!(engines[2].wait(Some(3), Duration::from_secs(60)).is_err());
            assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
        });
        let reader = scope.spawn(move || {
            let reading = other.snapshot().unwrap();
            thread::sleep(Duration::from_millis(500));
            let begin = Instant::now();
            assert!(reading.get(Table::Meta, b"number").is_err());
            within(begin);
        });
        thread::sleep(Duration::from_millis(300));
        let begin = Instant::now();
        let result = engines[0].write(&Prefetch::NONE, write);
        assert!(matches!(result, Err(EngineError::Database { .. })), "{result:?}");
        within(begin);
        waiting.join().unwrap();
        reader.join().unwrap();
    });
    proxy.accept();
    thread::sleep(Duration::from_millis(1100)); // an outage is believed for a second
    engines.iter().for_each(|engine| count_up(engine, "after", &runs).unwrap());
    assert_eq!(check_notes(&engines[0]), 6);
}

/// A node whose commit is slow does not let others pass: a reader that asks for what came after the
/// last number never skips one.
#[test]
fn a_reader_of_changes_never_skips_one_that_commits_late() {
    let Some(cluster) = started() else { return };
    let proxies = [(); 3].map(|()| Proxy::start(cluster.port()));
    let nodes: Vec<_> = proxies.iter().map(|proxy| open(&cluster.url_by(proxy.port()))).collect();
    let reader = open(&cluster.url());
    let (is_over, runs) = (AtomicBool::new(false), AtomicU32::new(0));
    let written = AtomicU32::new(0);
    thread::scope(|scope| {
        for (node, proxy) in nodes.iter().zip(&proxies) {
            scope.spawn(|| {
                for n in 0..40 {
                    if n % 8 == 0 {
                        proxy.lose_next(Loss::Delayed);
                    }
                    count_up(node, "late", &runs).unwrap();
                    written.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        scope.spawn(|| {
            let mut seen = 0_u32;
            while !is_over.load(Ordering::SeqCst) {
                let acknowledged = written.load(Ordering::SeqCst);
                let snapshot = reader.snapshot().unwrap();
                let after = (
                    std::ops::Bound::Excluded(&seen.to_be_bytes()[..]),
                    std::ops::Bound::Unbounded,
                );
                let found = snapshot.range(Table::Changes, after, Direction::Forward).unwrap();
                for row in found {
                    let (key, _) = row.unwrap();
                    let next = u32::from_be_bytes((*key).try_into().unwrap());
                    assert_eq!(next, seen + 1, "a change was skipped");
                    seen = next;
                }
                assert!(seen >= acknowledged, "{acknowledged} were acknowledged, {seen} are seen");
                assert_eq!(number(&*snapshot).unwrap(), seen);
                assert_eq!(snapshot.commit(), Some(u64::from(seen)));
                if seen == 120 {
                    return;
                }
            }
        });
        let (_over, begin) = (Over(&is_over), Instant::now());
        while written.load(Ordering::SeqCst) < 120 && begin.elapsed() < Duration::from_secs(120) {
            thread::sleep(Duration::from_millis(10));
        }
    });
    assert_eq!(check_notes(&reader), 120);
    assert!(proxies.iter().all(|proxy| proxy.lost() == 5));
}

#[test]
fn a_server_that_can_lose_commits_is_refused() {
    let cluster = match Cluster::start(&["fsync=off", "synchronous_commit=off"]) {
        Ok(cluster) => cluster,
        Err(why) => return skipped("the refusal of fsync = off", &why),
    };
    let address = DatabaseAddress::parse(&cluster.url()).unwrap();
    let error = Postgres::open(&address, PostgresOptions::default()).unwrap_err().to_string();
    assert!(error.contains("set `fsync = on`"), "{error}");
}
