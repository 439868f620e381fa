//! A damaged or truncated data directory: every command says so and ends with status 2, the server
//! does not start.

use crate::support;

use std::fs;
use std::os::unix::fs::FileExt;
use std::process::Command;

use support::{Sandbox, Server, export, fingerpost, finish, gtin, record};

/// Commands that read a data directory, with what they need after `--data DIR`.
fn commands(sandbox: &Sandbox) -> Vec<Vec<String>> {
    let backup = sandbox.path("backup.fpb").to_string_lossy().into_owned();
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    vec![
        words(&["fsck"]),
        words(&["backup", &backup]),
        words(&["export"]),
        words(&["compact"]),
        words(&["audit", "verify"]),
        words(&["audit", "export"]),
        words(&["import", "-"]),
        words(&["serve", "--listen", "127.0.0.1:0", "--no-admin"]),
    ]
}

fn sandbox_with_records() -> Sandbox {
    let sandbox = Sandbox::new();
    let records: String = (0..600)
        .map(|n| record(&format!("/01/{}", gtin(n)), &format!("https://example.com/{n}")) + "\n")
        .collect();
    sandbox.import(&records).expect_status(0);
    sandbox
}

#[test]
fn a_truncated_store_is_refused_by_every_command_with_a_sentence() {
    let sandbox = sandbox_with_records();
    let file = sandbox.data().join("data.mdb");
    let bytes = fs::read(&file).unwrap();
    for part in [10, 4096, bytes.len() / 4, bytes.len() / 2] {
        for command in commands(&sandbox) {
            fs::write(&file, &bytes[..part]).unwrap();
            let mut process = fingerpost();
            process.args(&command).arg("--data").arg(sandbox.data());
            let ended = finish(process, b"");
            assert_eq!(ended.status, Some(2), "{command:?} of {part} bytes: {ended:?}");
            assert!(ended.stderr.contains("it was cut off"), "{command:?}: {ended:?}");
            assert!(ended.stderr.contains("restore it from a backup"), "{command:?}: {ended:?}");
            assert_eq!(fs::read(&file).unwrap(), bytes[..part], "{command:?} changed the file");
        }
    }
}

/// The number of a leaf is changed, which would lead LMDB to other rows; only reading all pages
/// finds it.
#[test]
fn a_changed_page_is_found_at_start_and_by_what_reads_everything() {
    let sandbox = sandbox_with_records();
    let file = sandbox.data().join("data.mdb");
    let mut bytes = fs::read(&file).unwrap();
    let key = format!("01/{}", gtin(300));
    let found =
        bytes.windows(key.len()).enumerate().filter(|(_, window)| *window == key.as_bytes());
    for page in
        found.map(|(position, _)| position / 4096).collect::<std::collections::BTreeSet<_>>()
    {
        bytes[page * 4096 + 14] ^= 0x40;
    }
    fs::write(&file, &bytes).unwrap();
    for command in commands(&sandbox) {
        if ["export", "import"].contains(&command[0].as_str()) || command.contains(&"export".into())
        {
            continue; // these check the first pages of each table only
        }
        let mut process = fingerpost();
        process.args(&command).arg("--data").arg(sandbox.data());
        let ended = finish(process, b"");
        assert_eq!(ended.status, Some(2), "{command:?}: {ended:?}");
        assert!(ended.stderr.contains("is damaged (page "), "{command:?}: {ended:?}");
    }
}

#[test]
fn a_directory_is_compacted_only_while_nobody_uses_it() {
    let sandbox = sandbox_with_records();
    let compact = || {
        let mut process = fingerpost();
        process.args(["compact", "--data"]).arg(sandbox.data());
        finish(process, b"")
    };
    let before = sandbox.export();
    let server = Server::start(&sandbox.data(), None);
    let refused = compact().expect_status(2);
    assert!(refused.stderr.contains("another process uses"), "{refused:?}");
    assert_eq!(server.get("/ready").status, 200);
    server.stop();
    let done = compact().expect_status(0);
    assert!(done.stdout.starts_with("compacted: "), "{done:?}");
    assert_eq!(export(&sandbox.data()), before);
}

/// A disk changes a byte of an entry while the server runs: requests for it fail and say so, all
/// others are answered.
#[test]
fn a_damaged_entry_fails_alone() {
    let sandbox = sandbox_with_records();
    let server = Server::start(&sandbox.data(), None);
    let level = format!("01/{}", gtin(7));
    let path = sandbox.data().join("data.mdb");
    let bytes = fs::read(&path).unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    let found = bytes.windows(level.len()).enumerate();
    for (position, _) in found.filter(|(_, window)| *window == level.as_bytes()) {
        // The version of the entry comes after flags and revision.
        file.write_all_at(&[0xFF], (position + level.len() + 9) as u64).unwrap();
    }
    assert_eq!(server.get(&format!("/{level}")).status, 500);
    assert_eq!(server.get(&format!("/01/{}", gtin(8))).status, 307);
    assert_eq!(server.get("/ready").status, 200);
    server.stop();
    let mut process = fingerpost();
    process.args(["fsck", "--data"]).arg(sandbox.data());
    let checked = finish(process, b"").expect_status(1);
    assert!(checked.stdout.contains(&level), "{checked:?}");
}

/// A character of a web address is changed: the server does not start, or answers everything but
/// that record, until it is imported again.
#[test]
fn a_changed_character_is_never_served() {
    let sandbox = sandbox_with_records();
    let path = sandbox.data().join("data.mdb");
    let mut bytes = fs::read(&path).unwrap();
    let (level, address) = (format!("01/{}", gtin(7)), b"https://example.com/7\"");
    let text = &address[..address.len() - 1];
    let windows = bytes.windows(text.len() + 1).enumerate();
    let found: Vec<usize> = windows
        .filter(|(_, window)| window.starts_with(text) && !window[text.len()].is_ascii_digit())
        .map(|(position, _)| position)
        .collect();
    assert!(!found.is_empty());
    for position in found {
        bytes[position + text.len() - 1] = b'8';
    }
    fs::write(&path, &bytes).unwrap();

    let mut start = fingerpost();
    start.args(["serve", "--listen", "127.0.0.1:0", "--no-admin", "--data"]).arg(sandbox.data());
    let refused = finish(start, b"").expect_status(2);
    let sentence =
        format!("the entry stored at `{level}` is damaged (its checksum does not match)");
    assert!(refused.stderr.contains(&sentence), "{refused:?}");
    assert!(refused.stderr.contains("check_at_start = false"), "{refused:?}");

    let config = sandbox.path("unchecked.toml");
    fs::write(&config, "check_at_start = false\n").unwrap();
    let server = Server::start(&sandbox.data(), Some(&config));
    for n in 0..20 {
        let answer = server.get(&format!("/01/{}", gtin(n)));
        match n {
            7 => assert_eq!(answer.status, 500),
            n => assert_eq!(answer.header("location"), Some(format!("https://example.com/{n}"))),
        }
    }
    let again = record(&format!("/{level}"), "https://example.com/7") + "\n";
    sandbox.import(&again).expect_status(0);
    let answer = server.get(&format!("/{level}"));
    assert_eq!(answer.header("location").as_deref(), Some("https://example.com/7"));
    server.stop();
    Server::start(&sandbox.data(), None).stop();
}

/// On a full disk, the store can be read but not written: the public side is ready, the admin side
/// is not.
#[test]
fn a_full_disk_is_seen_in_the_readiness_of_the_admin_side() {
    let sandbox = sandbox_with_records();
    let ready = |limit: &str| {
        let mut command = Command::new("bash");
        command.args(["-c", &format!("{limit} exec \"$@\""), "bash"]);
        command.arg(fingerpost().get_program()).arg("serve").arg("--data").arg(sandbox.data());
        command.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
        let mut server = Server::from_command(command);
        let lines = server.lines_until("admin listening on ");
        let url = lines.last().and_then(|line| line.split_once(" on ")).unwrap().1.to_owned();
        let answer = ureq::get(format!("{url}/ready")).config().http_status_as_error(false).build();
        let status = answer.call().unwrap().status().as_u16();
        let public = server.get("/ready").status;
        server.stop();
        (public, status)
    };
    assert_eq!(ready(""), (200, 204));
    // The largest permitted file ends 64 KiB after the data: the same error as that of a full disk.
    let kib = fs::metadata(sandbox.data().join("data.mdb")).unwrap().len() / 1024 + 64;
    assert_eq!(ready(&format!("ulimit -f {kib};")), (200, 503));
}
