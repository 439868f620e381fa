//! `backup` and `restore`: one consistent state while others write, whole or not at all.

use crate::support;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use support::{Run, Sandbox, Server, export, fingerpost, finish, gtin, record, run};

fn backup(data: &Path, file: &Path) -> Run {
    let mut command = fingerpost();
    command.arg("backup").arg("--data").arg(data).arg(file);
    finish(command, b"")
}

fn restore(file: &Path, data: &Path) -> Run {
    let mut command = fingerpost();
    command.arg("restore").arg(file).arg("--data").arg(data);
    finish(command, b"")
}

/// Restores as it was, with all sessions and keys.
fn restore_all(file: &Path, data: &Path) -> Run {
    let mut command = fingerpost();
    command.arg("restore").arg("--keep-credentials").arg(file).arg("--data").arg(data);
    finish(command, b"")
}

/// Records of 200 products, with what each record says in the way of a counter.
fn records(round: u32) -> String {
    let one =
        |n| record(&format!("/01/{}", gtin(n)), &format!("https://example.com/{round}")) + "\n";
    (0..200).map(one).collect()
}

#[test]
fn a_backup_made_while_others_write_is_one_of_the_states_there_were() {
    let sandbox = Sandbox::new();
    sandbox.import(&records(0)).expect_status(0);
    let key = sandbox.key(&["--verb", "read,write"]);
    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut round = 1;
            while !stop.load(Ordering::Relaxed) {
                let mut command = sandbox.client(&url, &key);
                command.args(["put", "-"]);
                finish(command, records(round).as_bytes()).expect_status(0);
                round += 1;
            }
        });
        for number in 0..6 {
            let file = sandbox.path(&format!("{number}.fpb"));
            let made = backup(&sandbox.data(), &file).expect_status(0);
            assert!(
                made.stderr.contains("written and read back: 200 levels at revision"),
                "{made:?}"
            );
            let restored = sandbox.path(&format!("restored{number}"));
            restore(&file, &restored).expect_status(0);
            let exported = export(&restored);
            // Each batch is wholly in or not at all.
            let round = exported.split("https://example.com/").nth(1).unwrap();
            let round: u32 = round.split('"').next().unwrap().parse().unwrap();
            let expected = records(round);
            let mut expected: Vec<&str> = expected.lines().collect();
            expected.sort_unstable();
            assert_eq!(exported.lines().collect::<Vec<_>>(), expected);
        }
        stop.store(true, Ordering::Relaxed);
    });
    server.stop();
}

/// Records, history, accounts and audit log come back; the restored directory serves.
#[test]
fn everything_comes_back() {
    let (sandbox, key) = Sandbox::with_key();
    sandbox.import(&records(1)).expect_status(0);
    sandbox.import(&records(2)).expect_status(0);
    let file = sandbox.path("all.fpb");
    backup(&sandbox.data(), &file).expect_status(0);
    let restored = sandbox.path("restored");
    restore_all(&file, &restored).expect_status(0);
    assert_eq!(export(&restored), sandbox.export());
    for data in [&sandbox.data(), &restored] {
        let command = ["fsck".as_ref(), "--data".as_ref(), data.as_os_str()];
        run(command).expect_status(0);
    }
    let log = |data: &Path| {
        run(["audit".as_ref(), "export".as_ref(), "--data".as_ref(), data.as_os_str()])
    };
    let (before, after) = (log(&sandbox.data()).stdout, log(&restored).stdout);
    let more = after.strip_prefix(before.as_str()).expect("the log goes on");
    assert!(more.lines().count() == 1 && more.contains("store.restored"), "{more}");
    let (server, url) = Server::start_with_admin(&restored, &[]);
    let mut command = sandbox.client(&url, &key);
    command.args(["history", &format!("/01/{}", gtin(7))]);
    assert_eq!(finish(command, b"").expect_status(0).stdout.lines().count(), 2);
    server.stop();

    // Through a pipe it is the same file.
    let mut command = fingerpost();
    command.arg("backup").arg("--data").arg(sandbox.data()).arg("-");
    let piped = command.output().unwrap();
    assert!(piped.status.success());
    let mut command = fingerpost();
    command.args(["restore", "-", "--data"]).arg(sandbox.path("piped"));
    finish(command, &piped.stdout).expect_status(0);
    assert_eq!(export(&sandbox.path("piped")), sandbox.export());
}

/// A key that was revoked after the backup was made stays without effect, as do those that were
/// not, and sessions.
#[test]
fn a_restore_ends_sessions_and_keys_and_says_so() {
    let (sandbox, key) = Sandbox::with_key();
    sandbox.import(&records(1)).expect_status(0);
    let password = b"correct horse battery staple";
    let mut command = fingerpost();
    command.args(["admin", "create", "--login", "ada", "--data"]).arg(sandbox.data());
    finish(command, password).expect_status(0);
    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let cookie = sign_in(&url, "ada", std::str::from_utf8(password).unwrap());
    assert_eq!(status_with(&url, &cookie), 200);
    let file = sandbox.path("all.fpb");
    backup(&sandbox.data(), &file).expect_status(0);
    server.stop();
    for (kept, restored) in [(false, sandbox.path("ended")), (true, sandbox.path("kept"))] {
        let told = match kept {
            false => restore(&file, &restored).expect_status(0),
            true => restore_all(&file, &restored).expect_status(0),
        };
        let expected = match kept {
            false => "ended 1 session and revoked 1 API key of the backup",
            true => "1 session and 1 API key of the backup stay valid",
        };
        assert!(told.stderr.contains(expected), "{told:?}");
        assert!(
            told.stderr.contains("1 user can sign in") && told.stderr.contains("0 are disabled")
        );
        let (server, url) = Server::start_with_admin(&restored, &[]);
        let mut command = sandbox.client(&url, &key);
        command.args(["list"]);
        assert_eq!(finish(command, b"").status == Some(0), kept);
        assert_eq!(status_with(&url, &cookie), if kept { 200 } else { 401 });
        sign_in(&url, "ada", std::str::from_utf8(password).unwrap());
        server.stop();
        let command =
            ["audit".as_ref(), "verify".as_ref(), "--data".as_ref(), restored.as_os_str()];
        run(command).expect_status(0);
    }
}

/// The cookie of a new session.
fn sign_in(url: &str, login: &str, password: &str) -> String {
    let body = serde_json::json!({ "login": login, "password": password }).to_string();
    let sent =
        agent().post(format!("{url}/v1/session")).content_type("application/json").send(body);
    let answer = sent.expect("an answer");
    let cookie = answer.headers()["set-cookie"].to_str().expect("text");
    cookie.split(';').next().expect("a pair").to_owned()
}

/// The status of a list, asked for with a cookie.
fn status_with(url: &str, cookie: &str) -> u16 {
    let asked = agent().get(format!("{url}/v1/keys")).header("cookie", cookie).call();
    asked.expect("an answer").status().as_u16()
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().new_agent()
}

#[test]
fn a_damaged_backup_is_refused_and_nothing_is_left_behind() {
    let sandbox = Sandbox::new();
    sandbox.import(&records(1)).expect_status(0);
    let file = sandbox.path("whole.fpb");
    backup(&sandbox.data(), &file).expect_status(0);
    let whole = std::fs::read(&file).unwrap();
    let (data, before) = (sandbox.path("restored"), sandbox.export());
    let restore_bytes = |bytes: &[u8]| {
        let damaged = sandbox.path("damaged.fpb");
        std::fs::write(&damaged, bytes).unwrap();
        restore(&damaged, &data)
    };
    let expect_refusal = |refused: Run| {
        let refused = refused.expect_status(2);
        assert!(refused.stderr.contains("nothing was restored"), "{refused:?}");
        assert!(!data.join("data.mdb").exists());
    };
    for length in [0, 1, 19, 20, 29, 30, 31, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        expect_refusal(restore_bytes(&whole[..length]));
    }
    expect_refusal(restore_bytes(&[&whole[..], b"x"].concat()));
    // Both headers, and positions throughout the file.
    let positions = (0..30).chain((30..whole.len()).step_by(whole.len() / 24));
    let (mut refused, mut without_meaning) = (0, 0);
    for position in positions {
        let mut bytes = whole.clone();
        bytes[position] ^= 0x20;
        let restored = restore_bytes(&bytes);
        if restored.status == Some(0) {
            // A bit that fills up a byte, or belongs to a code that does not occur.
            assert!(position >= 30, "a change of the headers at {position}");
            assert_eq!(export(&data), before, "a change at {position}");
            std::fs::remove_dir_all(&data).unwrap();
            without_meaning += 1;
        } else {
            expect_refusal(restored);
            refused += 1;
        }
    }
    assert!(refused >= 50 && without_meaning <= 2, "{refused} refused, {without_meaning} not");
    // The directory may be used then; but not twice.
    restore(&file, &data).expect_status(0);
    let refused = restore(&file, &data).expect_status(2);
    assert!(refused.stderr.contains("is not empty"), "{refused:?}");
    assert_eq!(export(&data), sandbox.export());
}

#[test]
fn a_backup_that_cannot_be_written_leaves_the_last_one() {
    let sandbox = Sandbox::new();
    sandbox.import(&records(1)).expect_status(0);
    let file = sandbox.path("last.fpb");
    backup(&sandbox.data(), &file).expect_status(0);
    let before = std::fs::read(&file).unwrap();
    backup(&sandbox.path("missing"), &file).expect_status(2);
    assert_eq!(std::fs::read(&file).unwrap(), before);
    let failed = backup(&sandbox.data(), &sandbox.path("no/such/folder.fpb")).expect_status(2);
    assert!(failed.stderr.contains("cannot write"), "{failed:?}");
    let left = std::fs::read_dir(file.parent().unwrap()).unwrap();
    let aside = left.filter(|file| {
        file.as_ref().unwrap().file_name().to_string_lossy().starts_with(".fingerpost")
    });
    assert_eq!(aside.count(), 0);
}
