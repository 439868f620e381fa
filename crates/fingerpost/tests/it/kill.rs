//! What `import` has acknowledged is there after `kill -9`, and nothing is torn.

use crate::support;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use support::{
    Run, Sandbox, Server, export, fingerpost, gtin, kills, record, report_kills, run,
    run_with_input,
};

/// How often the import is killed.
const RUNS: u32 = 36;

/// Records offered in each run; the last level is followed by its key level, so that none is
/// refused.
const RECORDS: u32 = 3001;

#[test]
fn acknowledged_records_survive_a_kill_at_any_moment() {
    let sandbox = Sandbox::new();
    // Every third level stands before its key level.
    let lines: String = (0..RECORDS)
        .map(|n| {
            let key = gtin(if n % 3 == 2 { n + 1 } else { n });
            let lot = if n % 3 == 2 { "/10/L" } else { "" };
            record(&format!("/01/{key}{lot}"), &format!("https://example.com/{n}")) + "\n"
        })
        .collect();
    let file = sandbox.write("records.jsonl", &lines);
    let offered: Vec<&str> = lines.lines().collect();
    let (mut cut_short, mut finished, mut checked) = (0, 0, 0);
    for run in 0..kills(RUNS) {
        let data = sandbox.path(&format!("data{run}"));
        let log = sandbox.path("report");
        let mut child = fingerpost()
            .args(["import", "--format", "json", "--batch", "20", "--data"])
            .args([&data, &file])
            .stdout(Stdio::from(File::create(&log).unwrap()))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Moments all over the run, from before the store exists to after its end.
        let moment = run % RUNS;
        thread::sleep(Duration::from_millis(u64::from(moment * moment)));
        child.kill().unwrap();
        child.wait().unwrap();
        let report = fs::read_to_string(&log).unwrap();
        let events: Vec<Value> =
            report.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
        if events.iter().any(|event| event["event"] == "summary") {
            finished += 1;
        } else {
            cut_short += 1;
        }
        let committed = events.iter().rfind(|event| event["event"] == "committed");
        checked +=
            check(&data, &offered, committed.map(|event| event["through"].as_str().unwrap()));
        let _ = fs::remove_dir_all(&data); // room for the next
    }
    assert!(cut_short >= RUNS / 6, "{cut_short} were cut short, {finished} finished");
    report_kills("import", kills(RUNS), checked);
}

/// Every record with an anchor up to `through` is stored, and what is stored is whole. Returns how
/// many were acknowledged.
fn check(data: &Path, offered: &[&str], through: Option<&str>) -> u64 {
    if !data.join("data.mdb").exists() {
        assert_eq!(through, None);
        return 0;
    }
    let exported = export(data);
    let kept: std::collections::HashSet<&str> = exported.lines().collect();
    let offered_set: std::collections::HashSet<&str> = offered.iter().copied().collect();
    assert!(kept.is_subset(&offered_set), "a record was torn");
    let anchor = |record: &str| -> String {
        serde_json::from_str::<Value>(record).unwrap()["anchor"].as_str().unwrap().to_owned()
    };
    let acknowledged: Vec<_> = offered
        .iter()
        .filter(|record| through.is_some_and(|through| *anchor(record) <= *through))
        .collect();
    let missing = acknowledged.iter().filter(|record| !kept.contains(**record)).count();
    assert_eq!(missing, 0, "acknowledged records are gone");
    acknowledged.len() as u64
}

/// Runs a command on a data directory and kills it after some milliseconds.
fn killed_after(milliseconds: u32, arguments: &[&OsStr]) {
    let mut command = fingerpost();
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    thread::sleep(Duration::from_millis(milliseconds.into()));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_kill_during_start_leaves_a_store_that_starts() {
    let sandbox = Sandbox::new();
    for run in 0..kills(RUNS / 2) {
        let data = sandbox.path(&format!("data{run}"));
        let serve = ["serve", "--listen", "127.0.0.1:0", "--no-admin", "--data"].map(OsStr::new);
        let moment = run % (RUNS / 2);
        killed_after(moment * moment / 2, &[&serve[..], &[data.as_os_str()]].concat());
        let import = ["import", "--data"].map(OsStr::new);
        let line = record(&format!("/01/{}", gtin(run)), "https://example.com/p");
        let words = import.into_iter().chain([data.as_os_str(), OsStr::new("-")]);
        run_with_input(words, line.as_bytes()).expect_status(0);
        assert!(export(&data).contains(&gtin(run)));
        let _ = fs::remove_dir_all(&data);
    }
    report_kills("start", kills(RUNS / 2), u64::from(kills(RUNS / 2)));
}

#[test]
fn a_kill_during_a_backup_leaves_no_half_of_one() {
    let sandbox = Sandbox::new();
    let lines: String = (0..RECORDS)
        .map(|n| record(&format!("/01/{}", gtin(n)), &format!("https://example.com/{n}")) + "\n")
        .collect();
    sandbox.import(&lines).expect_status(0);
    let (data, before) = (sandbox.data(), sandbox.export());
    let mut complete = 0;
    for run_number in 0..kills(RUNS / 2) {
        let file = sandbox.path(&format!("backup{run_number}"));
        let backup = ["backup", "--data"].map(OsStr::new);
        let words = [&backup[..], &[data.as_os_str(), file.as_os_str()]].concat();
        killed_after(run_number % (RUNS / 2) * 12, &words);
        if file.exists() {
            complete += 1;
            let restored = sandbox.path(&format!("restored{run_number}"));
            let restore = ["restore", "--data"].map(OsStr::new);
            let words = [&restore[..], &[restored.as_os_str(), file.as_os_str()]].concat();
            run(words).expect_status(0);
            assert_eq!(export(&restored), before);
            let _ = fs::remove_dir_all(&restored);
            let _ = fs::remove_file(&file);
        }
        run([OsStr::new("fsck"), OsStr::new("--data"), data.as_os_str()]).expect_status(0);
    }
    assert!(complete < kills(RUNS / 2), "no backup was cut short");
    assert_eq!(sandbox.export(), before);
    report_kills("backup", kills(RUNS / 2), u64::from(complete) * u64::from(RECORDS));
}

/// The first file in a folder whose name begins so.
fn beginning(folder: &Path, prefix: &str) -> Option<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    let is_found = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix))
    };
    files.filter(is_found).min()
}

/// Waits for a file while a process runs; `None` if it ended first.
fn appears(folder: &Path, prefix: &str, child: &mut Child) -> Option<PathBuf> {
    loop {
        match beginning(folder, prefix) {
            Some(path) => return Some(path),
            None if child.try_wait().unwrap().is_some() => return None,
            None => thread::yield_now(),
        }
    }
}

#[test]
fn a_killed_restore_is_repeated_and_nobody_serves_what_it_left() {
    let sandbox = Sandbox::new();
    let lines: String = (0..50)
        .map(|n| record(&format!("/01/{}", gtin(n)), "https://example.com") + "\n")
        .collect();
    sandbox.import(&lines).expect_status(0);
    let (file, target) = (sandbox.path("all.fpb"), sandbox.path("restored"));
    let words = |all: &[&str], path: &Path| -> Run {
        run(all.iter().map(OsStr::new).chain([OsStr::new("--data"), path.as_os_str()]))
    };
    words(&["backup", file.to_str().unwrap()], &sandbox.data()).expect_status(0);
    let bytes = fs::read(&file).unwrap();

    // It waits for the other half.
    let mut command = fingerpost();
    command.args(["restore", "-", "--data"]).arg(&target).stdin(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&bytes[..bytes.len() / 2]).unwrap();
    appears(&target, "restoring.", &mut child).expect("a restore in progress");
    let restore = ["restore", file.to_str().unwrap()];
    let told = words(&restore, &target).expect_status(2);
    assert!(told.stderr.contains("another process uses"), "{told:?}");
    let serve = ["serve", "--listen", "127.0.0.1:0", "--no-admin"];
    let is_refused = |all: &[&str]| {
        let told = words(all, &target).expect_status(2);
        let sentence = "a restore into it is running or was interrupted: repeat the restore";
        assert!(told.stderr.contains(sentence), "{told:?}");
    };
    is_refused(&serve);
    child.kill().unwrap();
    child.wait().unwrap();
    let left = beginning(&target, "restoring.").expect("what it left");
    assert!(!target.join("data.mdb").exists());
    is_refused(&serve);
    is_refused(&["import", file.to_str().unwrap()]);
    is_refused(&["export"]);

    words(&restore, &target).expect_status(0);
    assert!(!left.exists());
    assert_eq!(export(&target), sandbox.export());
    Server::start(&target, None).stop();
}

#[test]
fn what_a_killed_backup_left_is_deleted_by_the_next_one_and_a_living_one_is_not() {
    const PREFIX: &str = ".fingerpost-backup-";
    let sandbox = Sandbox::new();
    let lines: String = (0..RECORDS)
        .map(|n| record(&format!("/01/{}", gtin(n)), &format!("https://example.com/{n}")) + "\n")
        .collect();
    sandbox.import(&lines).expect_status(0);
    let folder = sandbox.path("backups");
    fs::create_dir(&folder).unwrap();
    let backup = |name: &str| {
        let mut command = fingerpost();
        command.args(["backup", "--data"]).arg(sandbox.data()).arg(folder.join(name));
        command.stderr(Stdio::null());
        command
    };
    let signal = |child: &Child, signal: &str| {
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    };
    // One is stopped in the middle.
    let mut alive = backup("alive.fpb").spawn().unwrap();
    let of_alive = appears(&folder, PREFIX, &mut alive).expect("a backup in progress");
    // It has locked its file before it writes.
    while fs::metadata(&of_alive).expect("it is being written").len() == 0 {
        thread::yield_now();
    }
    signal(&alive, "-STOP");
    // One is killed in the middle.
    let of_killed = kill_in_the_middle(backup("killed.fpb"), &folder, &of_alive);
    assert!(of_killed.exists() && of_alive.exists());

    assert!(backup("next.fpb").status().unwrap().success());
    assert!(!of_killed.exists() && of_alive.exists());
    signal(&alive, "-CONT");
    assert!(alive.wait().unwrap().success());
    assert_eq!(beginning(&folder, PREFIX), None);
    assert!(["alive.fpb", "next.fpb"].iter().all(|name| folder.join(name).exists()));
    assert!(!folder.join("killed.fpb").exists());
}

/// Kills a backup while it writes; returns its temporary file, which is not `other`.
fn kill_in_the_middle(mut backup: Command, folder: &Path, other: &Path) -> PathBuf {
    let mut child = backup.spawn().unwrap();
    loop {
        let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        if let Some(path) = files.filter(|path| path != other).max() {
            child.kill().unwrap();
            child.wait().unwrap();
            return path;
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
        thread::yield_now();
    }
}
