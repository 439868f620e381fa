//! Bits that change in the data file of a running server, and the next start.

use crate::support;

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};

use support::{Sandbox, Server, fingerpost, finish, gtin, kills, record};

/// Registered products. Every tenth has a lot of its own.
const PRODUCTS: u32 = 1000;
/// How often a server gets a damaged file; `bench/kill` does more.
const ROUNDS: u32 = 24;
/// Bits that change in each round: in the first pages of the file, and anywhere.
const FLIPS: [u64; 2] = [8, 40];
/// Bytes of the pages at the beginning.
const FIRST_PAGES: u64 = 4 * 4096;
/// Requests in each round.
const REQUESTS: u64 = 400;

/// Repeatable random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// Changes a bit among the first bytes of a file.
    fn flip(&mut self, file: &File, bytes: u64) {
        let (sandbox, mut byte) = (self.below(bytes), [0]);
        file.read_exact_at(&mut byte, sandbox).unwrap();
        byte[0] ^= 1 << self.below(8);
        file.write_all_at(&byte, sandbox).unwrap();
    }
}

fn sandbox_with_products() -> Sandbox {
    let sandbox = Sandbox::new();
    let product = |n| record(&format!("/01/{}", gtin(n)), &format!("https://example.com/{n}"));
    let lot = |n| record(&format!("/01/{}/10/L", gtin(n)), &format!("https://example.com/lot/{n}"));
    let records = (0..PRODUCTS).map(product).chain((0..PRODUCTS).step_by(10).map(lot));
    sandbox.import(&records.map(|record| record + "\n").collect::<String>()).expect_status(0);
    sandbox
}

fn open(data: &Path) -> File {
    File::options().read(true).write(true).open(data.join("data.mdb")).unwrap()
}

/// Asks for a product, or a lot if it has one; returns whether the answer is the right redirect.
/// Anything else must be an error, except that `may_hide` a lot whose key is damaged, which is then
/// answered like one that is not registered.
fn is_answered(server: &Server, product: u32, with_lot: bool, may_hide: bool) -> bool {
    let lot = if with_lot { "/10/L" } else { "" };
    let answer = server.get(&format!("/01/{}{lot}", gtin(product)));
    match answer.status {
        307 => {
            let location = answer.header("location").unwrap();
            let part = if with_lot { "lot/" } else { "" };
            let is_right = location == format!("https://example.com/{part}{product}");
            let is_hidden =
                with_lot && may_hide && location == format!("https://example.com/{product}");
            assert!(is_right || is_hidden, "{location} for {product}{lot}");
            is_right
        }
        status => {
            assert!([500, 503].contains(&status), "{status} for {product}{lot}");
            false
        }
    }
}

fn serve(data: &Path, config: Option<&Path>) -> Command {
    let mut command = fingerpost();
    command.args(["serve", "--listen", "127.0.0.1:0", "--no-admin", "--data"]).arg(data);
    command.args(config.iter().flat_map(|config| [Path::new("--config"), config]));
    command
}

/// Hundreds of bits change under servers, which answer every request rightly or with an error. No
/// process ends.
#[test]
fn changed_bits_under_a_running_server_are_errors_and_never_other_answers() {
    let sandbox = sandbox_with_products();
    let sound = fs::read(sandbox.data().join("data.mdb")).unwrap();
    let unchecked = sandbox.write("unchecked.toml", "check_at_start = false\n");
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (mut right, mut errors, mut refused) = (0, 0, 0);
    for round in 0..kills(ROUNDS) {
        fs::write(sandbox.data().join("data.mdb"), &sound).unwrap();
        let server = Server::start(&sandbox.data(), Some(&unchecked));
        // Some records were found before, others were not.
        (0..PRODUCTS / 10).for_each(|n| assert!(is_answered(&server, n, n % 10 == 0, false)));
        let file = open(&sandbox.data());
        let [first, anywhere] = FLIPS;
        let begin = FIRST_PAGES.min(sound.len() as u64);
        (0..if round % 4 == 0 { first } else { 0 }).for_each(|_| random.flip(&file, begin));
        (0..anywhere).for_each(|_| random.flip(&file, sound.len() as u64));
        for _ in 0..REQUESTS {
            let product = u32::try_from(random.below(PRODUCTS.into())).unwrap();
            let with_lot = product % 10 == 0 && random.below(2) == 0;
            match is_answered(&server, product, with_lot, true) {
                true => right += 1,
                false => errors += 1,
            }
        }
        server.stop();
        // What damage remains is found by a check, with a sentence.
        let mut check = fingerpost();
        check.args(["fsck", "--data"]).arg(sandbox.data());
        let checked = finish(check, b"");
        match checked.status {
            Some(0) => {}
            Some(1) if checked.stdout.contains("damage") => refused += 1,
            Some(2) if checked.stderr.starts_with("error: ") => refused += 1,
            _ => panic!("{checked:?}"),
        }
    }
    println!("{right} right answers, {errors} errors, {refused} of {} refused", kills(ROUNDS));
    assert!(right > errors && errors > 0 && refused > 0, "{right} {errors} {refused}");
}

/// A server that was killed while its file was damaged is followed by a start that checks every
/// page, and says what it found. After a clean stop, the configuration decides.
#[test]
fn a_start_after_a_crash_checks_every_page() {
    let sandbox = sandbox_with_products();
    let data = sandbox.data();
    let sound = fs::read(data.join("data.mdb")).unwrap();
    let unchecked = sandbox.write("unchecked.toml", "check_at_start = false\n");
    let marks = || {
        let names = fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with("serving.")).count()
    };
    let server = Server::start(&data, Some(&unchecked));
    // The end of the nodes of a leaf.
    let key = gtin(500);
    let at = sound.windows(key.len()).position(|found| found == key.as_bytes()).unwrap();
    let file = open(&data);
    file.write_all_at(&[sound[at / 4096 * 4096 + 14] ^ 0x40], (at / 4096 * 4096 + 14) as u64)
        .unwrap();
    server.stop();
    assert_eq!(marks(), 0);
    let server = Server::start(&data, Some(&unchecked));
    assert_eq!(marks(), 1);
    server.kill();

    for _ in 0..2 {
        let refused = finish(serve(&data, Some(&unchecked)), b"").expect_status(2);
        assert!(refused.stderr.contains("was killed or crashed: checking"), "{refused:?}");
        assert!(refused.stderr.contains("is damaged (page "), "{refused:?}");
        assert!(refused.stderr.contains("restore it from a backup"), "{refused:?}");
    }
    file.write_all_at(&sound, 0).unwrap();
    let log = sandbox.path("log");
    let server =
        Server::logging(serve(&data, Some(&unchecked)), Stdio::from(File::create(&log).unwrap()));
    assert!(fs::read_to_string(&log).unwrap().contains("was killed or crashed: checking"));
    assert!(is_answered(&server, 500, false, false));
    server.stop();
    assert_eq!(marks(), 0);
}

/// A start does not wait for the check of a large file. Until it has ended, and if it finds damage,
/// a lot with a damaged key is an error, too.
#[test]
fn a_large_file_is_checked_while_the_server_answers() {
    let sandbox = sandbox_with_products();
    let config = sandbox.write("large.toml", "check_first = 0\n");
    let sound = fs::read(sandbox.data().join("data.mdb")).unwrap();
    let start = || {
        let log = sandbox.path("log");
        let output = Stdio::from(File::create(&log).unwrap());
        let server = Server::logging(serve(&sandbox.data(), Some(&config)), output);
        let mut text = String::new();
        let has_ended =
            |text: &str| ["is sound", "check: failed"].iter().any(|end| text.contains(end));
        support::nodes::wait_until("the check has ended", || {
            text = fs::read_to_string(&log).unwrap();
            has_ended(&text)
        });
        (server, text)
    };
    let (server, log) = start();
    assert!(log.contains("the data file is sound"), "{log}");
    assert!((0..PRODUCTS).all(|product| is_answered(&server, product, product % 10 == 0, false)));
    server.stop();

    // The key of a lot, which another request would hide.
    let key = format!("{}/10/L", gtin(500));
    let file = open(&sandbox.data());
    for (at, _) in
        sound.windows(key.len()).enumerate().filter(|(_, found)| *found == key.as_bytes())
    {
        file.write_all_at(b"M", (at + key.len() - 1) as u64).unwrap();
    }
    let (server, log) = start();
    assert!(log.contains("is damaged (its checksum does not match)"), "{log}");
    assert!(!is_answered(&server, 500, true, false));
    // Those that are far from it.
    assert!(is_answered(&server, 100, true, false) && is_answered(&server, 105, false, false));
    server.stop();
    let checked = finish(serve(&sandbox.data(), None), b"").expect_status(2);
    assert!(checked.stderr.contains("is damaged"), "{checked:?}");
}
