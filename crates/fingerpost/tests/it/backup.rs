//! `backup` and `restore`: one consistent state while others write, whole or not at all.

use crate::support;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use support::{Place, Run, Server, export, fingerpost, finish, gtin, record, run};

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

/// Records of 200 products, with what each record says in the way of a counter.
fn records(round: u32) -> String {
    let one =
        |n| record(&format!("/01/{}", gtin(n)), &format!("https://example.com/{round}")) + "\n";
    (0..200).map(one).collect()
}

#[test]
fn a_backup_made_while_others_write_is_one_of_the_states_there_were() {
    let place = Place::new();
    place.import(&records(0)).expect_status(0);
    let key = place.key(&["--verb", "read,write"]);
    let (server, url) = Server::start_with_admin(&place.data(), &[]);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut round = 1;
            while !stop.load(Ordering::Relaxed) {
                let mut command = place.client(&url, &key);
                command.args(["put", "-"]);
                finish(command, records(round).as_bytes()).expect_status(0);
                round += 1;
            }
        });
        for number in 0..6 {
            let file = place.path(&format!("{number}.fpb"));
            let made = backup(&place.data(), &file).expect_status(0);
            assert!(
                made.stderr.contains("written and read back: 200 levels at revision"),
                "{made:?}"
            );
            let restored = place.path(&format!("restored{number}"));
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
    let (place, key) = Place::with_key();
    place.import(&records(1)).expect_status(0);
    place.import(&records(2)).expect_status(0);
    let file = place.path("all.fpb");
    backup(&place.data(), &file).expect_status(0);
    let restored = place.path("restored");
    restore(&file, &restored).expect_status(0);
    assert_eq!(export(&restored), place.export());
    for data in [&place.data(), &restored] {
        let command = ["fsck".as_ref(), "--data".as_ref(), data.as_os_str()];
        run(command).expect_status(0);
    }
    let log = |data: &Path| {
        run(["audit".as_ref(), "export".as_ref(), "--data".as_ref(), data.as_os_str()])
    };
    assert_eq!(log(&restored).stdout, log(&place.data()).stdout);
    let (server, url) = Server::start_with_admin(&restored, &[]);
    let mut command = place.client(&url, &key);
    command.args(["history", &format!("/01/{}", gtin(7))]);
    assert_eq!(finish(command, b"").expect_status(0).stdout.lines().count(), 2);
    server.stop();

    // Through a pipe it is the same file.
    let mut command = fingerpost();
    command.arg("backup").arg("--data").arg(place.data()).arg("-");
    let piped = command.output().unwrap();
    assert!(piped.status.success());
    let mut command = fingerpost();
    command.args(["restore", "-", "--data"]).arg(place.path("piped"));
    finish(command, &piped.stdout).expect_status(0);
    assert_eq!(export(&place.path("piped")), place.export());
}

#[test]
fn a_damaged_backup_is_refused_and_nothing_is_left_behind() {
    let place = Place::new();
    place.import(&records(1)).expect_status(0);
    let file = place.path("whole.fpb");
    backup(&place.data(), &file).expect_status(0);
    let whole = std::fs::read(&file).unwrap();
    let data = place.path("restored");
    let mut tried = 0;
    let mut refuse = |bytes: &[u8]| {
        let damaged = place.path("damaged.fpb");
        std::fs::write(&damaged, bytes).unwrap();
        let refused = restore(&damaged, &data).expect_status(2);
        assert!(refused.stderr.contains("nothing was restored"), "{refused:?}");
        assert!(!data.join("data.mdb").exists());
        tried += 1;
    };
    for place in (0..whole.len()).step_by(whole.len() / 24) {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x20;
        refuse(&bytes);
    }
    refuse(&whole[..whole.len() - 1]);
    refuse(&whole[..whole.len() / 2]);
    refuse(b"");
    assert!(tried > 20);
    // The directory may be used then; but not twice.
    restore(&file, &data).expect_status(0);
    let refused = restore(&file, &data).expect_status(2);
    assert!(refused.stderr.contains("is not empty"), "{refused:?}");
    assert_eq!(export(&data), place.export());
}

#[test]
fn a_backup_that_cannot_be_written_leaves_the_last_one() {
    let place = Place::new();
    place.import(&records(1)).expect_status(0);
    let file = place.path("last.fpb");
    backup(&place.data(), &file).expect_status(0);
    let before = std::fs::read(&file).unwrap();
    backup(&place.path("missing"), &file).expect_status(2);
    assert_eq!(std::fs::read(&file).unwrap(), before);
    let failed = backup(&place.data(), &place.path("no/such/folder.fpb")).expect_status(2);
    assert!(failed.stderr.contains("cannot write"), "{failed:?}");
    let left = std::fs::read_dir(file.parent().unwrap()).unwrap();
    let aside = left.filter(|file| {
        file.as_ref().unwrap().file_name().to_string_lossy().starts_with(".fingerpost")
    });
    assert_eq!(aside.count(), 0);
}
