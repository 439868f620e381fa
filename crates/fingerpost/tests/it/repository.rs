//! Backups in a repository: encrypted, restored as a test, kept by a rule, restored by name.

use crate::support;

use std::path::PathBuf;
use std::process::Command;

use fingerpost_testkit::{installed, skipped};
use serde_json::Value;
use support::{Run, Sandbox, Server, export, fingerpost, finish, gtin, record};

/// A store with a repository.
pub(crate) struct Kept {
    pub(crate) sandbox: Sandbox,
    options: String,
}

impl Kept {
    pub(crate) fn new(options: &str) -> Self {
        let kept = Self { sandbox: Sandbox::new(), options: options.to_owned() };
        kept.put(0..5, "https://example.com/0");
        kept
    }

    /// The same options, without a store and a repository.
    pub(crate) fn empty_copy(&self) -> Self {
        Self { sandbox: Sandbox::new(), options: self.options.clone() }
    }

    pub(crate) fn put(&self, products: std::ops::Range<u32>, target: &str) {
        let records: String =
            products.map(|n| record(&format!("/01/{}", gtin(n)), target) + "\n").collect();
        self.sandbox.import(&records).expect_status(0);
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.sandbox.path("repository")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let config = format!("[backup]\nto = \"repository\"\n{}\n", self.options);
        let config = self.sandbox.write("fingerpost.toml", &config);
        let mut command = fingerpost();
        command.args(arguments).arg("--config").arg(config).arg("--data").arg(self.sandbox.data());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        finish(self.command(arguments), b"")
    }

    /// Makes a backup; returns its manifest.
    pub(crate) fn back_up(&self, further: &[&str]) -> Value {
        let arguments = [&["backup", "run", "--format", "json"], further].concat();
        let mut told = self.run(&arguments).expect_status(0).events();
        told[0]["backup"].take()
    }

    pub(crate) fn restore(&self, to: &str, further: &[&str]) -> Run {
        let mut command = fingerpost();
        command.arg("restore").arg("--from").arg(self.repository());
        command.arg("--data").arg(self.sandbox.path(to)).args(further);
        finish(command, b"")
    }

    /// Files in the repository that are no manifests.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let all = std::fs::read_dir(self.repository()).unwrap().map(|file| file.unwrap().path());
        let is_backup = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.ends_with(".fpb") || name.ends_with(".age")
        };
        let mut files: Vec<_> = all.filter(is_backup).collect();
        files.sort();
        files
    }
}

/// Makes a pair of keys in `name`, with Debian's program; returns the public one.
fn keys(sandbox: &Sandbox, name: &str) -> Option<String> {
    let program = match installed("age-keygen", "age") {
        Ok(path) => path,
        Err(why) => {
            skipped("backups beside the program age", &why);
            return None;
        }
    };
    let made = Command::new(program).arg("-o").arg(sandbox.path(name)).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let text = std::fs::read_to_string(sandbox.path(name)).unwrap();
    text.lines().find_map(|line| Some(line.strip_prefix("# public key: ")?.to_owned()))
}

#[test]
fn a_backup_in_a_repository_is_restored_on_trial_listed_and_restored() {
    let kept = Kept::new("");
    let made = kept.back_up(&[]);
    assert_eq!((&made["kind"], &made["levels"]), (&"full".into(), &5.into()), "{made}");
    assert_eq!(made["verified"]["before_encryption"], false, "{made}");
    let first = export(&kept.sandbox.data());
    kept.put(5..7, "https://example.com/1");
    kept.back_up(&["--full"]);
    let listed = kept.run(&["backup", "list", "--format", "json"]).expect_status(0).events();
    assert_eq!(listed.len(), 2, "{listed:?}");
    kept.restore("last", &[]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("last")), export(&kept.sandbox.data()));
    kept.restore("first", &[made["name"].as_str().unwrap()]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("first")), first);
    let told = kept.run(&["backup", "verify"]).expect_status(0);
    assert!(told.stdout.starts_with("sound: "), "{told:?}");
    let told = kept.restore("other", &["other.fpb"]).expect_status(2);
    assert!(
        told.stderr.contains("`other.fpb` cannot be used: it is not in the repository"),
        "{told:?}"
    );
    // Nothing is left of the trials.
    let left = std::fs::read_dir(kept.sandbox.data()).unwrap();
    assert!(!left.into_iter().any(|file| {
        file.unwrap().file_name().to_string_lossy().starts_with(".fingerpost-trial-")
    }));
}

/// What one program encrypts, the other decrypts.
#[test]
fn encrypted_backups_are_those_of_the_program_age() {
    let kept = Kept::new("");
    let Some(public) = keys(&kept.sandbox, "identity") else { return };
    let kept = Kept { options: format!("recipients = [\"{public}\"]"), ..kept };
    let made = kept.back_up(&[]);
    assert_eq!(made["recipients"], serde_json::json!([public]), "{made}");
    assert_eq!(made["verified"]["before_encryption"], true, "{made}");
    let file = kept.files().remove(0);
    let identity = kept.sandbox.path("identity");
    let age = installed("age", "age").unwrap();
    // Decrypted by age, it is the file of a plain backup.
    let opened = Command::new(&age).args(["-d", "-i"]).arg(&identity).arg(&file).output().unwrap();
    assert!(opened.status.success(), "{opened:?}");
    std::fs::write(kept.sandbox.path("plain.fpb"), &opened.stdout).unwrap();
    let mut command = fingerpost();
    command.arg("restore").arg(kept.sandbox.path("plain.fpb"));
    finish(
        {
            command.arg("--data").arg(kept.sandbox.path("by-age"));
            command
        },
        b"",
    )
    .expect_status(0);
    assert_eq!(export(&kept.sandbox.path("by-age")), kept.sandbox.export());
    // Encrypted by age, a plain backup is restored with the private key.
    let sealed =
        Command::new(&age).args(["-r", &public]).arg(kept.sandbox.path("plain.fpb")).output();
    std::fs::write(kept.sandbox.path("sealed.age"), sealed.unwrap().stdout).unwrap();
    let mut command = fingerpost();
    command.arg("restore").arg(kept.sandbox.path("sealed.age")).arg("--identity").arg(&identity);
    command.arg("--data").arg(kept.sandbox.path("from-age"));
    finish(command, b"").expect_status(0);
    assert_eq!(export(&kept.sandbox.path("from-age")), kept.sandbox.export());
    // And one of the repository.
    let identity = identity.to_str().unwrap();
    kept.restore("restored", &["--identity", identity]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("restored")), kept.sandbox.export());
    let told = kept.run(&["backup", "verify", "--identity", identity]).expect_status(0);
    assert!(told.stdout.starts_with("sound: "), "{told:?}");
}

#[test]
fn a_wrong_key_and_a_damaged_file_restore_nothing() {
    let kept = Kept::new("");
    let Some(public) = keys(&kept.sandbox, "identity") else { return };
    let _ = keys(&kept.sandbox, "other");
    let kept = Kept { options: format!("recipients = [\"{public}\"]\nverify = false"), ..kept };
    kept.back_up(&[]);
    let file = kept.files().remove(0);
    let refused = |further: &[&str], words: &str| {
        let told = kept.restore("restored", further).expect_status(2);
        assert!(told.stderr.contains(words), "{told:?}");
        assert!(told.stderr.contains("nothing was restored"), "{told:?}");
        assert!(!kept.sandbox.path("restored").join("data.mdb").exists());
    };
    refused(&[], "is encrypted, and no private key is given");
    let path = |name: &str| kept.sandbox.path(name).to_str().unwrap().to_owned();
    refused(&["--identity", &path("other")], "is encrypted to other keys than those given");
    let whole = std::fs::read(&file).unwrap();
    let identity = path("identity");
    let direct = |bytes: &[u8]| {
        let damaged = kept.sandbox.path("damaged.fpb.age");
        std::fs::write(&damaged, bytes).unwrap();
        let mut command = fingerpost();
        command.arg("restore").arg(damaged).args(["--identity", &identity]);
        let told = finish(
            {
                command.arg("--data").arg(kept.sandbox.path("restored"));
                command
            },
            b"",
        );
        let told = told.expect_status(2);
        assert!(told.stderr.contains("nothing was restored"), "{told:?}");
        assert!(!kept.sandbox.path("restored").join("data.mdb").exists());
    };
    for length in [0, 10, 100, whole.len() / 2, whole.len() - 1] {
        direct(&whole[..length]);
    }
    for position in (0..whole.len()).step_by(whole.len() / 20) {
        let mut bytes = whole.clone();
        bytes[position] ^= 1;
        direct(&bytes);
    }
    direct(&[&whole[..], b"x"].concat());
    // The list says what is wrong with a file that was cut off.
    std::fs::write(&file, &whole[..whole.len() - 1]).unwrap();
    let told = kept.run(&["backup", "list"]).expect_status(1);
    assert!(told.stdout.contains("bytes, not"), "{told:?}");
}

#[test]
fn options_that_cannot_be_used_are_refused_in_words() {
    for (options, words) in [
        ("recipients = [\"age1x\"]", "expected a public key of age (age1…), found `age1x`"),
        ("recipients_file = \"missing\"", "cannot read the recipients of backups in"),
        ("identity_file = \"fingerpost.toml\"", "cannot read private keys from"),
        ("full = \"sometimes\"", "expected an interval such as \"24h\""),
    ] {
        let kept = Kept::new(options);
        let told = kept.run(&["backup", "run"]).expect_status(2);
        assert!(told.stderr.contains(words), "{options}: {told:?}");
        let told = kept.run(&["doctor"]).expect_status(2);
        assert!(told.stdout.contains(words), "{options}: {told:?}");
    }
    let kept = Kept::new("");
    let mut command = fingerpost();
    command.args(["backup", "run", "--to", "ftp://host/x", "--data"]).arg(kept.sandbox.data());
    let told = finish(command, b"").expect_status(2);
    assert!(told.stderr.contains("cannot use `ftp://host/x` for backups"), "{told:?}");
    let mut command = fingerpost();
    command.args(["backup", "run", "--data"]).arg(kept.sandbox.data());
    let told = finish(command, b"").expect_status(2);
    assert!(told.stderr.contains("no repository for backups is configured"), "{told:?}");
}

/// The rule keeps days; the newest and the last verified stay whatever it says.
#[test]
fn a_retention_rule_deletes_and_says_why() {
    let kept = Kept::new("keep = { days = 0 }\nverify = false");
    for _ in 0..3 {
        kept.back_up(&["--full"]);
    }
    assert_eq!(kept.files().len(), 1);
    let kept = Kept { options: "keep = { days = 7 }\nverify = false".to_owned(), ..kept };
    kept.back_up(&["--full"]);
    assert_eq!(kept.files().len(), 2);
    let kept = Kept { options: "keep = { months = 1 }".to_owned(), ..kept };
    let told = kept.run(&["backup", "prune", "--dry-run"]).expect_status(0);
    assert!(
        told.stdout.contains("would be deleted: ") && told.stdout.contains("newest state"),
        "{told:?}"
    );
    assert_eq!(kept.files().len(), 2);
    kept.run(&["backup", "prune"]).expect_status(0);
    assert_eq!(kept.files().len(), 1);
}

/// What a killed run left is no backup, and is deleted by the next one.
#[test]
fn what_is_not_finished_is_no_backup() {
    let kept = Kept::new("");
    kept.back_up(&[]);
    let file = kept.files().remove(0);
    let later = file.with_file_name("20991231T000000000Z-r000000000009-full.fpb");
    std::fs::copy(&file, &later).unwrap();
    let aside = kept.repository().join(".fingerpost-backup-abc");
    std::fs::write(&aside, b"half").unwrap();
    let trial = kept.sandbox.data().join(".fingerpost-trial-abc");
    std::fs::create_dir(&trial).unwrap();
    let told = kept.run(&["backup", "list"]).expect_status(0);
    assert!(told.stdout.contains("is not finished"), "{told:?}");
    kept.restore("restored", &[]).expect_status(0);
    kept.back_up(&["--full"]);
    assert!(!later.exists() && !aside.exists() && !trial.exists());
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !holds() {
        assert!(begun.elapsed().as_secs() < 60, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

impl Kept {
    /// A server that makes backups by itself.
    fn serve(&self) -> Server {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0", "--no-admin"]);
        command.env("FINGERPOST_LOG_LEVEL", "error");
        Server::from_command(command)
    }

    /// The finished backups.
    fn finished(&self) -> usize {
        let Ok(all) = std::fs::read_dir(self.repository()) else { return 0 };
        let names = all.map(|file| file.unwrap().file_name().to_string_lossy().into_owned());
        names.filter(|name| name.ends_with(".json")).count()
    }
}

#[test]
fn a_server_makes_backups_on_schedule_and_after_a_kill() {
    let kept = Kept::new("full = \"1s\"\nkeep = { days = 9 }");
    let server = kept.serve();
    until("two backups", || kept.finished() >= 2);
    server.kill();
    // What a kill leaves counts as nothing, and the next run deletes it.
    let before = kept.finished();
    let server = kept.serve();
    until("one more backup", || kept.finished() > before + 1);
    server.stop();
    kept.restore("restored", &[]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("restored")), kept.sandbox.export());
    let told = kept.run(&["doctor"]);
    assert!(told.stdout.contains("backup: the last backup was complete"), "{told:?}");
}

#[test]
fn a_schedule_makes_up_for_what_was_missed_and_fails_in_words() {
    let kept = Kept::new("full = \"daily 00:00\"");
    // There was none yet, so it does not wait for the night.
    let server = kept.serve();
    until("a backup", || kept.finished() == 1);
    server.stop();
    // The repository is in the way of a file; the next time of the schedule was missed.
    std::fs::remove_dir_all(kept.repository()).unwrap();
    std::fs::write(kept.repository(), b"in the way").unwrap();
    let server = kept.serve();
    let noted = kept.sandbox.data().join("failed-backup.json");
    until("a noted failure", || noted.exists());
    let told = kept.run(&["doctor"]).expect_status(2);
    assert!(told.stdout.contains("the last backup failed at"), "{told:?}");
    server.stop();
    std::fs::remove_file(kept.repository()).unwrap();
    kept.back_up(&[]);
    assert!(!noted.exists());
}

/// The audit log of a data directory, verified.
fn expect_sound(data: &std::path::Path) {
    for arguments in [["audit", "verify"], ["fsck", "--format=text"]] {
        let mut command = fingerpost();
        command.args(arguments).arg("--data").arg(data);
        finish(command, b"").expect_status(0);
    }
}

/// Three states with accounts, of which the last two are backups of changes.
fn chain(options: &str) -> (Kept, Vec<(u64, String)>) {
    let kept = Kept::new(options);
    let mut states = vec![(1, kept.sandbox.export())];
    for round in 2..=6_u32 {
        if round % 2 == 0 {
            kept.back_up(&[]);
            let mut command = fingerpost();
            let login = format!("ada{round}");
            command.args(["admin", "create", "--login", &login, "--data"]).arg(kept.sandbox.data());
            finish(command, b"correct horse battery staple").expect_status(0);
        }
        kept.put(round..round + 3, &format!("https://example.com/{round}"));
        states.push((u64::from(round), kept.sandbox.export()));
    }
    kept.back_up(&[]);
    (kept, states)
}

#[test]
fn backups_of_changes_restore_every_revision() {
    let (kept, states) = chain("");
    let listed = kept.run(&["backup", "list", "--format", "json"]).expect_status(0).events();
    let kinds: Vec<_> = listed.iter().map(|backup| backup["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["full", "changes", "changes", "changes"]);
    kept.restore("last", &[]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("last")), kept.sandbox.export());
    for (revision, state) in &states {
        let name = format!("at{revision}");
        let told = kept.restore(&name, &["--at", &revision.to_string()]).expect_status(0);
        assert!(told.stderr.contains(&format!("revision {revision}")), "{told:?}");
        assert_eq!(&export(&kept.sandbox.path(&name)), state, "{revision}");
        expect_sound(&kept.sandbox.path(&name));
    }
    let told = kept.restore("later", &["--at", "7"]).expect_status(2);
    assert!(told.stderr.contains("the newest one is of revision 6"), "{told:?}");
    // By time: when each was written is in the audit log.
    let mut command = fingerpost();
    command.args(["audit", "export", "--data"]).arg(kept.sandbox.data());
    let log = finish(command, b"").expect_status(0).events();
    let written = |revision: u64| {
        let mut records = log.iter().map(|line| &line["record"]);
        records.find(|record| record["revision"] == revision).unwrap()["at"].as_str().unwrap()
    };
    for (revision, state) in &states[2..5] {
        let name = format!("time{revision}");
        kept.restore(&name, &["--time", written(*revision)]).expect_status(0);
        assert_eq!(&export(&kept.sandbox.path(&name)), state, "{revision}");
    }
    let told = kept.run(&["backup", "verify"]).expect_status(0);
    assert!(told.stdout.contains("restored from 4 files"), "{told:?}");
}

#[test]
fn a_chain_with_a_missing_link_is_refused_and_the_next_backup_is_a_full_one() {
    let (kept, _) = chain("verify = false");
    let files = kept.files();
    for suffix in ["", ".json"] {
        std::fs::remove_file(format!("{}{suffix}", files[2].display())).unwrap();
    }
    let told = kept.restore("restored", &[]).expect_status(2);
    assert!(
        told.stderr.contains("which is not in the repository; nothing was restored"),
        "{told:?}"
    );
    let told = kept.run(&["backup", "list"]).expect_status(1);
    assert!(told.stdout.contains("which is not in the repository"), "{told:?}");
    // What is whole can be restored.
    let name = files[1].file_name().unwrap().to_str().unwrap();
    kept.restore("earlier", &[name]).expect_status(0);
    let told = kept.run(&["backup", "run"]).expect_status(0);
    assert!(told.stdout.contains("note: a full backup, because"), "{told:?}");
    kept.restore("restored", &[]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("restored")), kept.sandbox.export());
}

#[test]
fn a_restored_store_begins_a_new_line() {
    let (kept, states) = chain("verify = false");
    std::fs::rename(kept.sandbox.data(), kept.sandbox.path("old")).unwrap();
    kept.restore("data", &["--at", "3"]).expect_status(0);
    kept.put(3..4, "https://example.com/other");
    let told = kept.run(&["backup", "run"]).expect_status(0);
    assert!(told.stdout.contains("the store does not continue from the last backup"), "{told:?}");
    kept.restore("at3", &["--at", "3"]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("at3")), states[2].1);
    kept.restore("at4", &["--at", "4"]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("at4")), kept.sandbox.export());
    // The old line is there by name.
    let old = kept.files()[3].clone();
    let old = old.file_name().unwrap().to_str().unwrap();
    kept.restore("old4", &["--at", "4", old]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("old4")), states[3].1);
}
