//! What holds for every command: help, exit statuses, closed pipes, generated texts, no colours in
//! files.

use crate::support;

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use support::{Place, fingerpost, finish, gtin, record, run};

const COMMANDS: [&str; 21] = [
    "serve",
    "import",
    "export",
    "login",
    "logout",
    "get",
    "put",
    "delete",
    "list",
    "history",
    "revert",
    "admin",
    "audit",
    "backup",
    "restore",
    "fsck",
    "check",
    "convert",
    "explain",
    "completions",
    "man",
];

#[test]
fn every_command_has_help_and_a_manual_page() {
    let help = run(["--help"]).expect_status(0).stdout;
    let place = Place::new();
    let out = place.path("man");
    run(["man".as_ref(), "--out".as_ref(), out.as_os_str()]).expect_status(0);
    for command in COMMANDS {
        assert!(help.contains(command), "{command}: {help}");
        let own = run([command, "--help"]).expect_status(0).stdout;
        assert!(own.contains("Usage: fingerpost"), "{own}");
        let page = std::fs::read_to_string(out.join(format!("fingerpost-{command}.1"))).unwrap();
        assert!(page.contains(".TH"), "{command}");
    }
    assert!(run(["man"]).expect_status(0).stdout.contains(".TH fingerpost 1"));
}

#[test]
fn completions_exist_for_the_usual_shells() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(["completions", shell]).expect_status(0).stdout;
        assert!(script.contains("self-signed"), "{shell}");
    }
}

#[test]
fn wrong_usage_is_status_2() {
    for words in [&["serve"][..], &["import"], &["import", "--data", "d"], &["nonsense"], &[]] {
        run(words).expect_status(2);
    }
}

#[test]
fn the_data_directory_is_that_of_the_flag_or_else_configured() {
    let place = Place::new();
    place.import(&record("/01/09520123456788", "https://example.com/tea")).expect_status(0);
    let file = place.write("fingerpost.toml", "data = \"data\"");
    let export = |arguments: &[&OsStr], variable: Option<&OsStr>| {
        let mut command = fingerpost();
        command.arg("export").args(arguments);
        command.envs(variable.map(|value| ("FINGERPOST_DATA", value)));
        finish(command, b"")
    };
    let (data, nowhere) = (place.data(), place.path("nowhere"));
    let config = ["--config".as_ref(), file.as_os_str()];
    let flag = [config[0], config[1], "--data".as_ref(), data.as_os_str()];
    for (arguments, variable) in
        [(&[][..], Some(data.as_os_str())), (&config, None), (&flag, Some(nowhere.as_os_str()))]
    {
        let exported = export(arguments, variable).expect_status(0).stdout;
        assert!(exported.contains("https://example.com/tea"), "{arguments:?}: {exported}");
    }
    let run = export(&config, Some(nowhere.as_os_str())).expect_status(2);
    assert!(run.stderr.contains("nowhere"), "the variable wins over the file: {}", run.stderr);
    let run = export(&[], None).expect_status(2);
    assert!(run.stderr.contains("FINGERPOST_DATA"), "{}", run.stderr);
}

/// `fingerpost export … | head -1` ends without a word.
#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::new();
    let records: String = (0..3000)
        .map(|n| record(&format!("/01/{}", gtin(n)), "https://e.example/") + "\n")
        .collect();
    place.import(&records).expect_status(0);
    let data = place.data();
    let mut child = fingerpost()
        .args(["export".as_ref(), "--data".as_ref(), data.as_os_str()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    drop(stdout);
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr.len()), (Some(0), 0), "{ended:?}");
}

/// A report that nobody reads does not stop an import.
#[test]
fn an_import_survives_a_closed_pipe() {
    let place = Place::new();
    let lines: String = (0..500)
        .map(|n| {
            format!("{}\nnonsense\n", record(&format!("/01/{}", gtin(n)), "https://e.example/"))
        })
        .collect();
    let (data, file) = (place.data(), place.write("lines.jsonl", &lines));
    let mut child = fingerpost()
        .args(["import".as_ref(), "--data".as_ref(), data.as_os_str(), file.as_os_str()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(place.export().lines().count(), 500);
}

#[test]
fn colours_go_to_terminals_only() {
    for words in [&["check", "952"][..], &["import", "--data", "/nonexistent/x", "/nonexistent/y"]]
    {
        let said = run(words);
        assert!(!said.stdout.contains('\u{1b}') && !said.stderr.contains('\u{1b}'), "{said:?}");
    }
}

#[test]
fn an_explanation_tells_the_steps_and_ends_with_the_answer() {
    let place = Place::new();
    place.import(&record("/01/09520123456788", "https://example.com/p")).expect_status(0);
    let data = place.data();
    let uri = "https://id.example.org/01/09520123456788/10/L?linkType=gs1:pip";
    let arguments = ["explain", uri, "--now", "2026-05-01T00:00:00Z", "--data"].map(AsRef::as_ref);
    let told = run(arguments.into_iter().chain([data.as_os_str()])).expect_status(0).stdout;
    assert!(
        told.contains("https://id.example.org/01/09520123456788/10/L: nothing registered"),
        "{told}"
    );
    assert!(told.contains("Levels, at 2026-05-01T00:00:00Z"), "{told}");
    let end = "Answer: redirect to https://example.com/p?linkType=gs1:pip\nStatus: 307\n";
    assert!(told.ends_with(end), "{told}");

    let told = run(["explain", "/01/09520123456789"]).expect_status(1).stdout;
    assert!(told.contains("                   ^\n"), "{told}");
    assert!(told.contains("Answer: 400, check digit of (01) is 9, expected 8\n  help: "), "{told}");
    let told = run(["explain", "/eh3016"]).expect_status(1).stdout;
    assert!(
        told.contains("     ^^^^\nAnswer: 400, expected 96 bits, found 16\n  help: "),
        "{told}"
    );
    let told = run(["explain", "/eh3016", "--format", "json"]).expect_status(1).stdout;
    assert!(told.contains(r#""class":"invalid-compressed-link""#), "{told}");
    assert!(
        told.contains(r#""reason":"TRUNCATED""#) && told.contains(r#""hint":"read "#),
        "{told}"
    );
    let told = run(["explain", "/01/09520123456788"]).expect_status(0).stdout;
    assert!(
        told.contains("no data directory was given") && told.ends_with("Status: 404\n"),
        "{told}"
    );
    run(["explain", "nonsense"]).expect_status(2);
    run(["explain", "/01/09520123456788", "-H", "nonsense"]).expect_status(2);
}

/// Addresses are checked before anything is opened; `localhost` is one.
#[test]
fn an_address_to_listen_on_has_an_ip_address_or_localhost() {
    for wrong in ["example.org:80", "localhost:http", "127.0.0.1"] {
        let found = run(["serve", "--demo", "--listen", wrong]).expect_status(2);
        assert!(found.stderr.contains("expected an IP address with a port"), "{found:?}");
    }
    let mut command = fingerpost();
    command.args(["serve", "--demo", "--no-admin", "--listen", "localhost:0"]);
    let server = support::Server::from_command(command);
    assert!(server.address().starts_with("127.0.0.1:"), "{}", server.address());
    server.stop();
}
