//! The client commands against a real server: sign in, put, get, list, delete; what is refused, and
//! how it is told.

use crate::support;

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use fingerpost_testkit::Ask;
use serde_json::Value;
use support::{Run, Sandbox, Server, finish, gtin, record};

const ANCHOR: &str = "/01/09520123456788";

/// Runs a client command with further arguments.
fn ask(mut command: Command, arguments: &[&str], input: &str) -> Run {
    command.args(arguments);
    finish(command, input.as_bytes())
}

#[test]
fn from_sign_in_to_sign_out() {
    let (sandbox, key) = Sandbox::with_key();
    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let me = |arguments: &[&str], input: &str| ask(sandbox.anybody(), arguments, input);

    let failed = me(&["get", ANCHOR], "").expect_status(2);
    assert!(failed.stderr.contains("fingerpost login URL"), "{failed:?}");
    me(&["login", &url], &format!("{key}\n")).expect_status(0);
    let file = sandbox.path("config").join("fingerpost").join("credentials.toml");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let folder = std::fs::metadata(file.parent().unwrap()).unwrap();
    assert_eq!(folder.permissions().mode() & 0o777, 0o700);

    // What is put is served by the public side at once.
    let lot = record(&format!("{ANCHOR}/10/LOT7"), "https://example.com/lot7");
    let put = me(&["put", "-"], &lot).expect_status(0);
    assert!(put.stdout.starts_with("/01/09520123456788/10/LOT7: created, revision "), "{put:?}");
    let location = server.get(&format!("{ANCHOR}/10/LOT7")).header("location");
    assert_eq!(location.as_deref(), Some("https://example.com/lot7"));

    // Every spelling of the key shows the record as it was put, and it may be put again.
    for spelling in ["01/09520123456788/10/LOT7", "(01)09520123456788(10)LOT7"] {
        let got = me(&["get", spelling], "").expect_status(0);
        assert!(got.stderr.contains("/01/09520123456788/10/LOT7: revision "), "{got:?}");
        let again = me(&["put", "-"], &got.stdout).expect_status(0);
        assert!(again.stdout.contains("unchanged, revision"), "{again:?}");
    }
    let uri = format!("https://id.gs1.org{ANCHOR}/10/LOT7?17=271231");
    let got = me(&["get", &uri, "--format", "json"], "").expect_status(0).events().remove(0);
    assert_eq!(got["record"], serde_json::from_str::<Value>(&lot).unwrap());

    let listed = me(&["list", "--under", "9520123456788"], "").expect_status(0).stdout;
    assert_eq!(listed.lines().count(), 2, "{listed}");
    let listed = me(&["list", "--format", "json", "--target-host", "example.com"], "");
    assert_eq!(listed.expect_status(0).events()[1]["key"], "01/09520123456788/10/LOT7");
    let none = me(&["list", "--key-type", "414"], "").expect_status(0);
    assert!(none.stdout.is_empty() && none.stderr.contains("nothing"), "{none:?}");

    me(&["delete", &uri], "").expect_status(0);
    let gone = me(&["get", &uri], "").expect_status(1);
    assert!(gone.stderr.contains("fingerpost list"), "{gone:?}");
    let location = server.get(&format!("{ANCHOR}/10/LOT7")).header("location");
    assert_eq!(location.as_deref(), Some("https://example.com/0"));

    me(&["logout"], "").expect_status(0);
    me(&["get", ANCHOR], "").expect_status(2);
    assert!(!std::fs::read_to_string(&file).unwrap().contains("fpk_"));
    server.stop();
}

#[test]
fn a_level_goes_back_to_what_it_was() {
    let (sandbox, key) = Sandbox::with_key();
    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let me = |arguments: &[&str], input: &str| ask(sandbox.client(&url, &key), arguments, input);
    let first: Value = me(&["get", ANCHOR, "--format", "json"], "").events().remove(0);
    let revision = first["revision"].to_string();
    me(&["put", "-"], &record(ANCHOR, "https://example.com/1")).expect_status(0);

    let told = me(&["history", ANCHOR], "").expect_status(0).stdout;
    assert_eq!(told.lines().count(), 2, "{told}");
    assert!(told.contains("test (key:") && told.contains("local:import"), "{told}");
    let told = me(&["history", ANCHOR, "--from", &revision], "").expect_status(0).stdout;
    assert!(told.contains("- \"https://example.com/0\""), "{told}");
    assert!(told.contains("+ \"https://example.com/1\""), "{told}");
    let then = me(&["get", ANCHOR, "--revision", &revision], "").expect_status(0).stdout;
    assert!(then.contains("https://example.com/0"), "{then}");

    let dry = me(&["revert", ANCHOR, "--revision", &revision, "--dry-run"], "").expect_status(0);
    assert!(dry.stdout.contains("would be replaced; dry run"), "{dry:?}");
    me(&["revert", ANCHOR, "--revision", &revision], "").expect_status(0);
    let location = server.get(ANCHOR).header("location");
    assert_eq!(location.as_deref(), Some("https://example.com/0"));
    server.stop();
}

/// Two editors who read the same revision: the second one is told, and loses nothing.
#[test]
fn what_somebody_else_wrote_meanwhile_is_not_overwritten() {
    let (sandbox, key) = Sandbox::with_key();
    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let me = |arguments: &[&str], input: &str| ask(sandbox.client(&url, &key), arguments, input);
    let got: Value = me(&["get", ANCHOR, "--format", "json"], "").events().remove(0);
    let revision = got["revision"].to_string();
    let put = ["put", "-", "--if-match", &revision];
    me(&put, &record(ANCHOR, "https://example.com/ada")).expect_status(0);
    let late = me(&put, &record(ANCHOR, "https://example.com/bob")).expect_status(1);
    assert!(late.stderr.contains("fingerpost get"), "{late:?}");
    assert_eq!(server.get(ANCHOR).header("location").as_deref(), Some("https://example.com/ada"));
    let late = me(&["delete", ANCHOR, "--if-match", &revision], "").expect_status(1);
    assert!(late.stderr.contains("error: "), "{late:?}");
    let exists = me(&["put", "-", "--create"], &record(ANCHOR, "https://example.com/c"));
    exists.expect_status(1);
    // As JSON the problem is a line of standard output.
    let put = ["put", "-", "--if-match", &revision, "--format", "json"];
    let late = me(&put, &record(ANCHOR, "https://example.com/bob")).expect_status(1);
    assert_eq!(late.events()[0]["status"], 412);
    server.stop();
}

#[test]
fn every_fault_is_reported_with_its_pointer_and_a_remedy() {
    let (sandbox, key) = Sandbox::with_key();
    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let me = |arguments: &[&str], input: &str| ask(sandbox.client(&url, &key), arguments, input);
    let wrong = r#"{"anchor":"/01/09520123456788","links":[
        {"linkType":"gs1:nonsense","href":"nowhere","title":" "}]}"#;
    let refused = me(&["put", "-"], wrong).expect_status(1);
    for pointer in
        ["/links/0/linkType: ", "/links/0/href: ", "/links/0/title: ", "[RES-", "  help: "]
    {
        assert!(refused.stderr.contains(pointer), "{pointer}: {refused:?}");
    }
    assert!(refused.stdout.is_empty() && refused.stderr.contains("faults: "), "{refused:?}");
    // RES-2.5.9-1: a qualified level without a default above it, and how to fix it.
    let lot = record(&format!("/01/{}/10/L", gtin(5)), "https://example.com/l");
    let refused = me(&["put", "-"], &lot).expect_status(1);
    assert!(refused.stderr.contains("RES-2.5.9-1"), "{refused:?}");

    // A wrong check digit is found before anything is asked.
    let typed = me(&["get", "01/09520123456789"], "").expect_status(2);
    assert!(typed.stderr.contains("check digit of (01) is 9, expected 8"), "{typed:?}");
    // A record without an anchor goes to the server, which tells what is wrong with it.
    let refused = me(&["put", "-"], r#"{"links":[]}"#).expect_status(1);
    assert!(refused.stderr.contains("-:1: refused\n  expected the member"), "{refused:?}");
    me(&["put", "-"], "nonsense").expect_status(1);
    me(&["put", "/nonexistent/file"], "").expect_status(2);
    server.stop();
}

#[test]
fn of_many_records_all_go_or_each() {
    let (sandbox, key) = Sandbox::with_key();
    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let me = |arguments: &[&str], input: &str| ask(sandbox.client(&url, &key), arguments, input);
    let of = |n| record(&format!("/01/{}", gtin(n)), "https://example.com/p");
    let mixed = format!("{}\n{{\"anchor\":7}}\n{}\n", of(1), of(2));

    let refused = me(&["put", "-"], &mixed).expect_status(1);
    assert_eq!(sandbox.export().lines().count(), 1, "{refused:?}");
    assert!(refused.stderr.contains("-:2: refused\n  /anchor: "), "{refused:?}");

    let dry = me(&["put", "--each", "--dry-run", "-"], &mixed).expect_status(1);
    assert!(dry.stdout.contains("dry run"), "{dry:?}");
    assert_eq!(sandbox.export().lines().count(), 1);

    let each = me(&["put", "--each", "-"], &mixed).expect_status(1);
    assert!(each.stdout.contains("-:2: refused"), "{each:?}");
    assert!(each.stdout.contains("2 created, 1 refused"), "{each:?}");
    assert_eq!(sandbox.export().lines().count(), 3);

    // An array over several lines; rows that delete, and rows with a condition.
    let array = sandbox.write("array.json", &format!("[\n{},\n\n{}\n]", of(3), of(4)));
    let put = me(&["put", array.to_str().unwrap()], "").expect_status(0);
    assert!(put.stdout.contains("2 created"), "{put:?}");
    let rows =
        format!("{{\"delete\":\"/01/{}\"}}\n{{\"put\":{},\"ifMatch\":1000}}\n", gtin(3), of(4));
    let file = sandbox.write("rows.jsonl", &rows);
    let put = me(&["put", "--each", file.to_str().unwrap()], "").expect_status(1);
    assert!(put.stdout.contains("rows.jsonl:2: refused"), "{put:?}");
    assert!(put.stdout.contains("1 deleted, 1 refused"), "{put:?}");
    me(&["put", "--if-match", "1", file.to_str().unwrap()], "").expect_status(2);
    server.stop();
}

#[test]
fn who_may_not_is_told_so_and_learns_nothing() {
    let (sandbox, key) = Sandbox::with_key();
    let reader = sandbox.key(&["--verb", "read"]);
    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let wrong = format!("{}{}", &key[..key.len() - 1], if key.ends_with('A') { 'B' } else { 'A' });
    for bad in [&wrong, "nonsense", "fpk_1_2"] {
        let failed = ask(sandbox.client(&url, bad), &["get", ANCHOR], "").expect_status(2);
        assert!(failed.stderr.contains("fingerpost login http://"), "{failed:?}");
        assert!(!failed.stderr.contains(bad), "{failed:?}");
    }
    let failed = ask(sandbox.anybody(), &["login", &url], &wrong).expect_status(2);
    assert!(!failed.stderr.contains(&wrong) && !sandbox.path("config").exists(), "{failed:?}");

    let record = record(ANCHOR, "https://example.com/1");
    ask(sandbox.client(&url, &reader), &["get", ANCHOR], "").expect_status(0);
    let failed = ask(sandbox.client(&url, &reader), &["put", "-"], &record).expect_status(2);
    assert!(failed.stderr.contains("help: "), "{failed:?}");
    server.stop();

    // Nobody listens there any more; the public side is no admin side; other machines need TLS.
    let failed = ask(sandbox.client(&url, &key), &["get", ANCHOR], "").expect_status(2);
    assert!(failed.stderr.contains("cannot speak to http://127.0.0.1"), "{failed:?}");
    let public = Server::start(&sandbox.data(), None);
    let address = format!("http://{}", public.address());
    let failed = ask(sandbox.client(&address, &key), &["list"], "").expect_status(2);
    assert!(failed.stderr.contains("admin listener"), "{failed:?}");
    let failed = ask(sandbox.client("http://192.0.2.1:8081", &key), &["list"], "").expect_status(2);
    assert!(failed.stderr.contains("--insecure"), "{failed:?}");
    for wrong in ["127.0.0.1:8081", "https://a/b"] {
        ask(sandbox.client(wrong, &key), &["list"], "").expect_status(2);
    }
}

/// A recalled lot sends its scans to the notice, in the reader's language, and does so no longer
/// when the recall has ended.
#[test]
fn section_2_11_a_recall_and_its_end() {
    let (sandbox, key) = Sandbox::with_key();
    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let me = |arguments: &[&str], input: &str| ask(sandbox.client(&url, &key), arguments, input);
    me(&["put", "-"], &record(ANCHOR, "https://example.com/tea")).expect_status(0);
    let lots = ["(01)09520123456788(10)LOT7", "/01/09520123456788/-range/10/4/A100/A199"];
    let notices = [
        "--notice",
        "https://example.com/recall",
        "--title",
        "Recall of lot 7",
        "--notice",
        "fr=https://example.com/rappel",
        "--title",
        "fr=Rappel du lot 7",
    ];
    let command = |further: &[&'static str]| [&["recall"][..], &lots, &notices, further].concat();
    let dry = me(&command(&["--dry-run"]), "").expect_status(0);
    assert!(dry.stdout.contains("would be created; dry run"), "{dry:?}");
    let location = |path: &str| server.get(&format!("{ANCHOR}{path}")).header("location").unwrap();
    assert_eq!(location("/10/LOT7"), "https://example.com/tea");

    let done = me(&command(&[]), "").expect_status(0);
    assert_eq!(done.stdout.lines().filter(|line| line.contains(": created, revision")).count(), 2);
    for lot in ["/10/LOT7", "/10/LOT7/21/S1", "/10/A150"] {
        assert_eq!(location(lot), "https://example.com/recall", "{lot}");
    }
    for other in ["", "/10/LOT8", "/10/A200"] {
        assert_eq!(location(other), "https://example.com/tea", "{other}");
    }
    let french = Ask::get(&format!("{ANCHOR}/10/LOT7")).header("Accept-Language", "fr");
    let french = server.send(&french);
    assert_eq!(french.header("location").as_deref(), Some("https://example.com/rappel"));

    let end = me(&["recall", "--end", lots[0], lots[1]], "").expect_status(0);
    assert_eq!(end.stdout.lines().filter(|line| line.contains(": deleted, revision")).count(), 2);
    assert_eq!(location("/10/LOT7"), "https://example.com/tea");

    // PE-30: without an address, a scan gets the page of the resolver, which says since when.
    me(&["recall", "(01)09520123456788(10)LOT9"], "").expect_status(0);
    let scan = Ask::get(&format!("{ANCHOR}/10/LOT9")).header("Accept", "text/html");
    let page = server.send(&scan.header("Accept-Language", "de"));
    assert_eq!((page.status, page.header("location")), (200, None));
    assert_eq!(page.header("cache-control").as_deref(), Some("no-cache"));
    let text = page.text();
    assert!(text.contains("LOT9") && text.contains("zurückgerufen seit"), "{text}");
    me(&["recall", "--end", "(01)09520123456788(10)LOT9"], "").expect_status(0);
    assert_eq!(location("/10/LOT9"), "https://example.com/tea");

    // A key where nothing can be recalled changes nothing of the others, and is named.
    let wrong = ["recall", "--end", "01/09520123456788", "01/09520123456788/10/NONE"];
    let wrong = me(&wrong, "").expect_status(1);
    assert!(wrong.stderr.contains("/01/09520123456788/10/NONE: "), "{wrong:?}");
    let lost = ["recall", "01/09506000134352/10/X", "--notice", "https://example.com/recall"];
    let lost = me(&lost, "").expect_status(1);
    assert!(lost.stderr.contains("/01/09506000134352/10/X: "), "{lost:?}");
    server.stop();
}

/// A new key answers for an old one, not in a circle, and no longer when that has ended.
#[test]
fn a_new_key_answers_for_an_old_one() {
    const NEW: &str = "/01/09520123456795";
    let (sandbox, key) = Sandbox::with_key();
    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let me = |arguments: &[&str], input: &str| ask(sandbox.client(&url, &key), arguments, input);
    let missing = me(&["succeed", "9520123456788", "9520123456795"], "").expect_status(1);
    assert!(missing.stderr.contains("not found"), "{missing:?}");
    for anchor in [ANCHOR, NEW] {
        me(&["put", "-"], &record(anchor, "https://example.com/tea")).expect_status(0);
    }
    let location = || server.get(&format!("{ANCHOR}/10/LOT7")).header("location").unwrap();
    me(&["succeed", ANCHOR, "9520123456795", "--dry-run"], "").expect_status(0);
    assert_eq!(location(), "https://example.com/tea");
    let done = me(&["succeed", ANCHOR, "9520123456795", "--title", "New pack"], "");
    assert!(done.expect_status(0).stdout.contains("replaced, revision"));
    assert!(location().ends_with(&format!("{NEW}/10/LOT7")), "{}", location());
    let circle = me(&["succeed", NEW, ANCHOR], "").expect_status(1);
    assert!(circle.stderr.contains("in a circle"), "{circle:?}");
    me(&["succeed", "--end", ANCHOR], "").expect_status(0);
    assert_eq!(location(), "https://example.com/tea");
    assert!(!sandbox.export().contains("successor-version"));
    server.stop();
}
