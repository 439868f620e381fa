//! Backups in a repository when something fails: a kill, a full disk, a wrong clock, another run;
//! and a long random life.

use crate::repository::Kept;
use crate::support;

use std::process::{Command, Stdio};
use std::time::Duration;

use fingerpost_testkit::{Disk, installed, not_permitted, skipped};
use support::nodes::{Database, cluster};
use support::{Sandbox, export, finish, kills, report_kills};

#[test]
fn a_kill_at_any_moment_leaves_whole_backups_alone() {
    let kept = Kept::new("");
    kept.back_up(&[]);
    let rounds = kills(8);
    let mut killed = 0_u32;
    for round in 0..rounds {
        kept.put(round..round + 2, &format!("https://example.com/{round}"));
        let further: &[&str] = if round % 2 == 0 { &["--full"] } else { &[] };
        let mut command = kept.command(&[&["backup", "run"], further].concat());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.unwrap();
        std::thread::sleep(Duration::from_millis(20 + 37 * u64::from(round) % 300));
        let _ = child.kill();
        killed += u32::from(!child.wait().unwrap().success());
        kept.run(&["backup", "list"]).expect_status(0);
    }
    report_kills("backups in a repository", killed, u64::from(rounds));
    kept.back_up(&[]);
    kept.restore("restored", &[]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("restored")), kept.sandbox.export());
    for folder in [kept.repository(), kept.sandbox.data()] {
        for file in std::fs::read_dir(folder).unwrap() {
            let name = file.unwrap().file_name().to_string_lossy().into_owned();
            let is_left = name.starts_with(".fingerpost-") && name != ".fingerpost-lock";
            assert!(!is_left, "{name}");
        }
    }
}

#[test]
fn a_full_disk_keeps_the_earlier_backups() {
    let disk = match Disk::mount(4) {
        Ok(disk) => disk,
        Err(why) => return not_permitted("a full disk of backups", &why),
    };
    let kept = Kept::new("");
    let to = disk.path().join("repository");
    let to = to.to_str().unwrap();
    kept.run(&["backup", "run", "--to", to]).expect_status(0);
    disk.fill(4);
    kept.put(0..200, "https://example.com/1");
    let told = kept.run(&["backup", "run", "--full", "--to", to]).expect_status(2);
    assert!(told.stderr.contains("cannot write a backup to"), "{told:?}");
    assert!(told.stderr.contains("free space there"), "{told:?}");
    let listed = kept.run(&["backup", "list", "--format", "json", "--to", to]).expect_status(0);
    assert_eq!(listed.stdout.lines().count(), 1, "{listed:?}");
    disk.free();
    kept.run(&["backup", "run", "--to", to]).expect_status(0);
    kept.run(&["backup", "verify", "--to", to]).expect_status(0);
}

#[test]
fn a_wrong_clock_breaks_no_chain_and_deletes_nothing() {
    let faketime = match installed("faketime", "faketime") {
        Ok(path) => path,
        Err(why) => return skipped("backups with a wrong clock", &why),
    };
    let kept = Kept::new("keep = { days = 3 }\nverify = false");
    kept.back_up(&[]);
    for (number, when) in ["2099-01-01 00:00:00", "2001-01-01 00:00:00"].iter().enumerate() {
        let number = u32::try_from(number).unwrap();
        kept.put(number..number + 1, "https://example.com/1");
        let command = kept.command(&["backup", "run"]);
        let mut skewed = Command::new(&faketime);
        skewed.arg(when).arg(command.get_program()).args(command.get_args());
        finish(skewed, b"").expect_status(0);
    }
    kept.back_up(&[]);
    let listed = kept.run(&["backup", "list", "--format", "json"]).expect_status(0).events();
    let kinds: Vec<_> = listed.iter().map(|backup| backup["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["full", "changes", "changes", "changes"]);
    kept.restore("restored", &[]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("restored")), kept.sandbox.export());
}

#[test]
fn one_backup_runs_at_a_time() {
    let kept = Kept::new("");
    kept.back_up(&[]);
    for lock in
        [kept.sandbox.data().join("backup.lock"), kept.repository().join(".fingerpost-lock")]
    {
        let lock = std::fs::File::options().write(true).open(lock).unwrap();
        lock.lock().unwrap();
        let told = kept.run(&["backup", "run"]).expect_status(2);
        assert!(told.stderr.contains("another backup is running"), "{told:?}");
    }
    kept.back_up(&[]);
}

/// Writes, backups, deletions by the rule and restores in any order.
#[test]
fn a_random_life_can_be_restored_at_any_revision() {
    let kept = Kept::new("keep = { days = 1 }\nverify = false");
    kept.back_up(&[]);
    let mut states = vec![String::new(), kept.sandbox.export()];
    let mut seed = 7_u64;
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    for round in 0..24 {
        match draw(6) {
            0..=2 => {
                let first = u32::try_from(draw(8)).unwrap();
                kept.put(first..first + 2, &format!("https://example.com/{round}"));
                states.push(kept.sandbox.export());
            }
            3 => drop(kept.back_up(&["--full"])),
            4 => drop(kept.back_up(&[])),
            _ => {
                kept.run(&["backup", "prune"]).expect_status(0);
            }
        }
    }
    kept.back_up(&[]);
    for round in 0..4 {
        let revision = 1 + usize::try_from(draw(states.len() as u64 - 1)).unwrap();
        let name = format!("restored{round}");
        kept.restore(&name, &["--at", &revision.to_string()]).expect_status(0);
        assert!(export(&kept.sandbox.path(&name)) == states[revision], "{revision}");
    }
    kept.restore("last", &[]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("last")), kept.sandbox.export());
}

/// The store in a database has the same backups, which are restored into a directory.
#[test]
fn a_store_in_a_database_is_backed_up_too() {
    let Some(cluster) = cluster() else { return };
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &cluster.url());
    let anchor = |number: u32| format!("/01/{}", support::gtin(number));
    database.import((0..5).map(anchor), "https://example.com/0");
    let first = database.export();
    let repository = sandbox.path("repository");
    let to = repository.to_str().unwrap();
    database.run(&["backup", "run", "--to", to], "").expect_status(0);
    database.import((3..9).map(anchor), "https://example.com/1");
    let told = database.run(&["backup", "run", "--to", to], "").expect_status(0);
    assert!(told.stdout.contains("-changes.fpb"), "{told:?}");
    for (name, further, expected) in
        [("last", &[][..], &database.export()), ("first", &["--at", "1"][..], &first)]
    {
        let mut command = support::fingerpost();
        command.args(["restore", "--from", to, "--data"]).arg(sandbox.path(name)).args(further);
        finish(command, b"").expect_status(0);
        assert_eq!(&export(&sandbox.path(name)), expected, "{name}");
    }
}
