//! The table of damaged, forged, missing and left-over files in docs/operations/backup.md: each
//! cell is run with the program, and must end as the page says. A cell has the exit status and what
//! the output or the log contains.

use crate::repository::{Kept, until};
use crate::support;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use sha2::{Digest, Sha256};
use support::{Run, export, finish};

/// Three backups: a full one, another full one, and the newest, which is of changes. The store has
/// changed since.
struct Life {
    kept: Kept,
    /// The state of the newest backup.
    newest: String,
}

impl Life {
    fn new() -> Self {
        let kept = Kept::new("full = \"24h\"\nincremental = \"1s\"");
        kept.back_up(&[]);
        kept.put(1..3, "https://example.com/1");
        kept.back_up(&["--full"]);
        kept.put(2..9, "https://example.com/2");
        kept.back_up(&[]);
        let newest = kept.sandbox.export();
        kept.put(0..1, "https://example.com/3");
        Self { kept, newest }
    }

    /// A copy that can be damaged.
    fn copy(&self) -> Kept {
        let copy = self.kept.empty_copy();
        for name in ["data", "repository"] {
            copy_all(&self.kept.sandbox.path(name), &copy.sandbox.path(name));
        }
        copy
    }
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

impl Kept {
    /// The file of a backup: 0 is the oldest, 2 the newest.
    fn file(&self, number: usize) -> PathBuf {
        self.files().remove(number)
    }

    fn manifest(&self, number: usize) -> PathBuf {
        PathBuf::from(format!("{}.json", self.file(number).display()))
    }

    /// Changes a manifest as somebody does who knows its format.
    fn forge(&self, member: &str, value: impl Into<Value>) {
        let path = self.manifest(2);
        let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        manifest.as_object_mut().unwrap().remove("checksum");
        manifest[member] = value.into();
        let hash = Sha256::digest(manifest.to_string());
        manifest["checksum"] =
            hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
        fs::write(path, manifest.to_string()).unwrap();
    }

    /// What somebody finds who restores here.
    fn target(&self) -> PathBuf {
        let data = self.sandbox.data();
        let is_killed = |name: &str| data.join(name).exists();
        if is_killed("restoring.1") { data } else { self.sandbox.path("restored") }
    }
}

fn cut(path: &Path, length: impl Fn(usize) -> usize) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..length(bytes.len())]).unwrap();
}

fn flip(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// One hexadecimal digit of a digest, so that the manifest stays JSON.
fn flip_digest(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let at = text.find("\"digest\": \"").unwrap() + 11;
    let other = if text.as_bytes()[at] == b'3' { "2" } else { "3" };
    fs::write(path, format!("{}{other}{}", &text[..at], &text[at + 1..])).unwrap();
}

fn remove(path: &Path) {
    fs::remove_file(path).unwrap();
}

/// Damages a copy.
type Damage = fn(&Kept);

/// The rows of the table, and how each comes about.
const ROWS: [(&str, Damage); 31] = [
    ("none", |_| ()),
    ("newest manifest: one digit changed", |kept| flip_digest(&kept.manifest(2))),
    ("newest manifest: cut off", |kept| cut(&kept.manifest(2), |length| length / 2)),
    ("newest manifest: empty", |kept| cut(&kept.manifest(2), |_| 0)),
    ("newest manifest: larger than 1 MiB", |kept| {
        let spaces = " ".repeat(1 << 20);
        let text = fs::read_to_string(kept.manifest(2)).unwrap();
        fs::write(kept.manifest(2), text + &spaces).unwrap();
    }),
    ("newest manifest: a directory", |kept| {
        remove(&kept.manifest(2));
        fs::create_dir(kept.manifest(2)).unwrap();
    }),
    ("newest manifest: a link to nothing", |kept| {
        remove(&kept.manifest(2));
        std::os::unix::fs::symlink("nothing", kept.manifest(2)).unwrap();
    }),
    ("newest manifest: that of another backup", |kept| {
        fs::copy(kept.manifest(1), kept.manifest(2)).unwrap();
    }),
    ("newest manifest: missing", |kept| remove(&kept.manifest(2))),
    ("newest manifest: `sha256` forged", |kept| kept.forge("sha256", "0".repeat(64))),
    ("newest manifest: `digest` forged", |kept| kept.forge("digest", "0".repeat(64))),
    ("newest manifest: `head` forged", |kept| {
        kept.forge("head", format!("2:{}", "0".repeat(64)));
    }),
    ("newest manifest: `levels` forged", |kept| kept.forge("levels", 7)),
    ("newest manifest: `head_at` forged", |kept| kept.forge("head_at", "2099-01-01T00:00:00Z")),
    ("newest manifest: `previous` forged", |kept| {
        let name = kept.file(0).file_name().unwrap().to_string_lossy().into_owned();
        kept.forge("previous", serde_json::json!({ "name": name, "digest": "0".repeat(64) }));
    }),
    ("newest file: missing", |kept| remove(&kept.file(2))),
    ("newest file: cut off", |kept| cut(&kept.file(2), |length| length - 1)),
    ("newest file: one bit changed", |kept| flip(&kept.file(2))),
    ("newest file: that of another backup", |kept| {
        fs::copy(kept.file(0), kept.file(2)).unwrap();
    }),
    ("newest file and manifest: missing", |kept| {
        remove(&kept.manifest(2));
        remove(&kept.file(2));
    }),
    ("full backup below it: manifest damaged", |kept| flip_digest(&kept.manifest(1))),
    ("full backup below it: manifest missing", |kept| remove(&kept.manifest(1))),
    ("full backup below it: file missing", |kept| remove(&kept.file(1))),
    ("full backup below it: one bit of its file changed", |kept| flip(&kept.file(1))),
    ("full backup below it: file and manifest missing", |kept| {
        remove(&kept.manifest(1));
        remove(&kept.file(1));
    }),
    ("an older backup: manifest damaged", |kept| flip_digest(&kept.manifest(0))),
    ("all manifests: damaged", |kept| {
        (0..3).for_each(|number| flip_digest(&kept.manifest(number)));
    }),
    ("left over: temporary files of killed backups", |kept| {
        fs::write(kept.repository().join(".fingerpost-backup-x"), "half").unwrap();
        fs::create_dir(kept.sandbox.data().join(".fingerpost-trial-x")).unwrap();
    }),
    ("foreign files in the repository", |kept| {
        fs::write(kept.repository().join("notes.txt"), "ours").unwrap();
        fs::write(kept.repository().join("20261123-full.fpb.json"), "ours").unwrap();
    }),
    ("left over: `restoring.*` of a killed restore", |kept| {
        fs::remove_dir_all(kept.sandbox.data()).unwrap();
        fs::create_dir_all(kept.sandbox.data().join("restoring.1")).unwrap();
        fs::write(kept.sandbox.data().join("restoring.1/data.mdb"), "half").unwrap();
    }),
    ("left over: `restoring.*` beside a restored store", |kept| {
        fs::create_dir_all(kept.sandbox.data().join("restoring.1")).unwrap();
    }),
];

/// What a cell says: the exit status, and the texts between grave accents.
struct Cell {
    status: i32,
    texts: Vec<String>,
}

impl Cell {
    fn parse(cell: &str) -> Self {
        let (status, rest) = cell.split_once(' ').unwrap_or((cell, ""));
        let texts = rest.split('`').skip(1).step_by(2).map(str::to_owned);
        Self { status: status.parse().unwrap_or_else(|_| panic!("{cell}")), texts: texts.collect() }
    }

    fn is_in(&self, output: &str) -> bool {
        self.texts.iter().all(|text| text.split('…').all(|part| output.contains(part)))
    }

    #[track_caller]
    fn expect(&self, row: &str, told: &Run) {
        assert_eq!(told.status, Some(self.status), "{row}: {told:?}");
        let output = format!("{}{}", told.stdout, told.stderr);
        assert!(self.is_in(&output), "{row}: expected {:?}, found {output}", self.texts);
    }
}

/// Runs a column of the table.
fn column(number: usize, check: impl Fn(&str, &Life, &Kept, &Cell)) {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations/backup.md");
    let page = fs::read_to_string(page).unwrap();
    let table = page.lines().skip_while(|line| !line.starts_with("| Damage or left-over |"));
    let rows: Vec<Vec<&str>> = table
        .take_while(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), ROWS.map(|(name, _)| name));
    let life = Life::new();
    for (row, (name, damage)) in rows.iter().zip(ROWS) {
        let kept = life.copy();
        damage(&kept);
        check(name, &life, &kept, &Cell::parse(row[number]));
    }
}

/// What killed processes left is gone, what belongs to others is not.
fn expect_tidy(row: &str, kept: &Kept) {
    for folder in [kept.repository(), kept.sandbox.data()] {
        let names = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
        let mut names = names.map(|name| name.to_string_lossy().into_owned());
        let is_left =
            |name: &String| name.starts_with(".fingerpost-") && name != ".fingerpost-lock";
        assert!(!names.any(|name| is_left(&name)), "{row}");
    }
    let ours = kept.repository().join("notes.txt");
    assert_eq!(ours.exists(), row.starts_with("foreign"), "{row}");
}

#[test]
fn backup_run_does_what_the_page_says() {
    column(1, |row, _, kept, cell| {
        let told = kept.run(&["backup", "run"]);
        cell.expect(row, &told);
        if cell.status == 0 {
            expect_tidy(row, kept);
        }
        // Whatever was damaged, a full backup is the newest state, and it can be restored.
        if told.stdout.contains("a full backup, because") {
            kept.restore("afterwards", &[]).expect_status(0);
            assert_eq!(export(&kept.sandbox.path("afterwards")), kept.sandbox.export(), "{row}");
        }
    });
}

#[test]
fn backup_verify_does_what_the_page_says() {
    column(2, |row, _, kept, cell| {
        let before = kept.files();
        cell.expect(row, &kept.run(&["backup", "verify"]));
        assert_eq!(kept.files(), before, "{row}: it deletes nothing");
    });
}

#[test]
fn restore_does_what_the_page_says() {
    column(3, |row, life, kept, cell| {
        let target = kept.target();
        let name = target.file_name().unwrap().to_str().unwrap();
        let told = kept.restore(name, &[]);
        cell.expect(row, &told);
        if cell.status != 0 {
            let was_there = row.ends_with("beside a restored store");
            assert_eq!(target.join("data.mdb").exists(), was_there, "{row}");
            return;
        }
        let is_newest = export(&target) == life.newest;
        let is_older =
            row == "newest manifest: missing" || row == "newest file and manifest: missing";
        assert_eq!(is_newest, !is_older, "{row}");
        let names = fs::read_dir(&target).unwrap().map(|file| file.unwrap().file_name());
        let mut names = names.map(|name| name.to_string_lossy().into_owned());
        assert!(!names.any(|name| name.starts_with("restoring.")), "{row}");
    });
}

/// What is damaged or missing is in the list, with status 1; a backup that is whole is restored by
/// its name all the same.
#[test]
fn an_older_backup_is_restored_by_its_name() {
    let life = Life::new();
    for (row, damage) in ROWS {
        let kept = life.copy();
        let name = kept.file(0).file_name().unwrap().to_string_lossy().into_owned();
        damage(&kept);
        let is_whole = !row.starts_with("all ") && !row.starts_with("an older");
        let told = kept.restore("older", &[&name]).expect_status(if is_whole { 0 } else { 2 });
        assert!(is_whole || told.stderr.contains("its checksum does not match"), "{row}: {told:?}");
    }
}

/// To go back by revision or time needs the newest backup too, because it says which line of
/// backups is meant; or a name.
#[test]
fn an_earlier_revision_is_not_looked_for_in_older_backups_unless_one_is_named() {
    let life = Life::new();
    for (row, damage) in ROWS.iter().filter(|(row, _)| row.ends_with("cut off")) {
        let kept = life.copy();
        let name = kept.file(0).file_name().unwrap().to_string_lossy().into_owned();
        damage(&kept);
        for point in [["--at", "1"], ["--at", "3"], ["--time", "2099-01-01T00:00:00Z"]] {
            let told = kept.restore("restored", &point).expect_status(2);
            assert!(told.stderr.contains("the newest backup"), "{row}: {told:?}");
        }
        kept.restore("restored", &["--at", "1", &name]).expect_status(0);
    }
}

#[test]
fn serve_does_what_the_page_says() {
    column(4, |row, _, kept, cell| {
        let log = kept.sandbox.path("log");
        let mut command = kept.command(&["serve", "--listen", "127.0.0.1:0", "--no-admin"]);
        if cell.status != 0 {
            return cell.expect(row, &finish(command, b""));
        }
        command.env("FINGERPOST_LOG_LEVEL", "info").stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(File::create(&log).unwrap()).spawn().unwrap();
        let mut found = String::new();
        until(row, || {
            found = fs::read_to_string(&log).unwrap();
            cell.is_in(&found)
                || child.try_wait().unwrap().is_some()
                || found.contains("backups: failed")
        });
        let stop = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
        assert!(stop.unwrap().success() && child.wait().unwrap().success(), "{row}: {found}");
        assert!(cell.is_in(&found), "{row}: expected {:?}, found {found}", cell.texts);
        assert!(!kept.sandbox.data().join("restoring.1").exists(), "{row}");
    });
}
