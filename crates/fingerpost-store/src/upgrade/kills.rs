//! Upgrades that end at any step: the next start continues it, and no data is lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_engine::{Snapshot, Unavailable, Work};
use fingerpost_lmdb::{Lmdb, LmdbOptions};
use fingerpost_testkit::{kills, report_kills};

use super::*;
use crate::tampering::{open, rows, set_back, write};
use crate::{AuditHead, Store};

/// Kills per run, for each format.
const KILLS: u32 = 12;

/// The folder of a process that another test has started.
const WORK: &str = "FINGERPOST_STORE_TEST_DIR";

/// Tables whose rows an upgrade keeps.
const KEPT: [Table; 5] =
    [Table::Entries, Table::History, Table::Changes, Table::Personal, Table::Documents];

type Rows2 = Vec<(Vec<u8>, Vec<u8>)>;

/// What a store held before it was set back.
struct Before {
    rows: [Rows2; 5],
    head: AuditHead,
}

/// Creates a store of an older format that takes many steps, in `dir`.
fn old_store(dir: &Path, format: u32) -> Before {
    let store = open(dir);
    let level = |n: u32| format!("01/{}", gtin(n));
    for round in 0..6 {
        let levels: Vec<String> = (0..120).map(|n| level(round * 40 + n)).collect();
        let text = round.to_string();
        let changes: Vec<_> = levels.iter().map(|level| (&**level, Some(&*text))).collect();
        write(&store, &changes);
    }
    write(&store, &[(&level(7), None)]);
    let put = |tx: &mut Transaction<'_>| {
        (0..100).try_for_each(|n| tx.put_document("notes", &n.to_string(), b"{}"))
    };
    store.transact(put).unwrap();
    let before = Before {
        rows: KEPT.map(|table| rows(&store, table)),
        head: store.verify(None).unwrap().head(),
    };
    drop(store);
    set_back(dir, format);
    before
}

fn gtin(n: u32) -> String {
    let digits = format!("09506000{n:05}");
    let weight = |(i, digit): (usize, u8)| u32::from(digit - b'0') * if i % 2 == 0 { 3 } else { 1 };
    let sum: u32 = digits.bytes().enumerate().map(weight).sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

/// Checks that a store was upgraded once, and holds everything that its format had.
fn check(store: &Store, format: u32, before: &Before) {
    let report = store.fsck().unwrap();
    assert!(report.is_sound(), "{:?}", report.faults().collect::<Vec<_>>());
    store.check_rows().unwrap();
    if format == 1 {
        assert_eq!(rows(store, Table::Entries), before.rows[0]);
        assert_eq!(report.audit().records(), 1);
        assert_eq!(rows(store, Table::Changes).len(), before.rows[0].len());
    } else {
        assert!(KEPT.map(|table| rows(store, table)) == before.rows);
        assert_eq!(report.audit().records(), before.head.seq() + 1);
        assert!(store.verify(Some(before.head)).unwrap().is_sound());
    }
    assert_eq!(store.raw_engine().snapshot().unwrap().get(Table::Meta, UPGRADE_KEY).unwrap(), None);
}

/// An engine whose writes fail after some commits, as if the process was killed there.
struct Stopping<'e> {
    engine: &'e Lmdb,
    commits: std::sync::atomic::AtomicU32,
}

impl Engine for Stopping<'_> {
    fn location(&self) -> &str {
        self.engine.location()
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        self.engine.snapshot()
    }

    fn write(&self, prefetch: &Prefetch, work: &mut Work<'_>) -> Result<(), EngineError> {
        use std::sync::atomic::Ordering::Relaxed;
        let left = self.commits.load(Relaxed);
        self.commits.store(left.saturating_sub(1), Relaxed);
        match left {
            0 => Err(Unavailable::Stopped.into()),
            _ => self.engine.write(prefetch, work),
        }
    }
}

#[test]
fn an_upgrade_goes_on_after_each_of_its_steps() {
    for format in [1, 2] {
        let dir = tempfile::tempdir().unwrap();
        let before = old_store(dir.path(), format);
        let old = fs::read(dir.path().join("data.mdb")).unwrap();
        let mut steps = 0;
        loop {
            fs::write(dir.path().join("data.mdb"), &old).unwrap();
            let lmdb = Lmdb::create(dir.path(), LmdbOptions::default()).unwrap();
            let is_finished = bring_up(&Stopping { engine: &lmdb, commits: steps.into() }).is_ok();
            drop(lmdb);
            check(&open(dir.path()), format, &before);
            if is_finished {
                break;
            }
            steps += 1;
        }
        assert!(steps > 15, "{steps}");
    }
}

#[test]
#[ignore = "started by other tests, in a process of its own"]
fn upgrading_process() {
    drop(open(&PathBuf::from(std::env::var_os(WORK).expect("started by another test"))));
}

fn upgrading(dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let name = "upgrade::kills::upgrading_process";
    command.args(["--exact", name, "--include-ignored"]).env(WORK, dir);
    command.stdout(Stdio::null());
    command
}

/// Processes that are killed while they upgrade; each continues where the one before was killed.
#[test]
fn a_killed_upgrade_is_finished_by_the_next_start() {
    let kills = kills(KILLS);
    for format in [1, 2] {
        let dir = tempfile::tempdir().unwrap();
        let before = old_store(dir.path(), format);
        let old = fs::read(dir.path().join("data.mdb")).unwrap();
        let begin = Instant::now();
        assert!(upgrading(dir.path()).status().unwrap().success());
        let whole = begin.elapsed();
        let (mut killed, mut upgraded) = (0, 0_u32);
        fs::write(dir.path().join("data.mdb"), &old).unwrap();
        while killed < kills {
            let mut process = upgrading(dir.path()).spawn().unwrap();
            thread::sleep(whole.mul_f64(f64::from(killed % 10) / 10.0).min(Duration::from_secs(5)));
            process.kill().unwrap();
            let was_killed = !process.wait().unwrap().success();
            killed += 1;
            if !was_killed || killed % 3 == 0 {
                check(&open(dir.path()), format, &before);
                upgraded += 1;
                fs::write(dir.path().join("data.mdb"), &old).unwrap();
            }
        }
        check(&open(dir.path()), format, &before);
        let rows: usize = before.rows.iter().map(Vec::len).sum();
        let checked = rows as u64 * u64::from(upgraded + 1);
        report_kills(&format!("upgrades from format {format}"), killed, checked);
    }
}
