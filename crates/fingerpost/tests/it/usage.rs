//! What holds for every command: help, exit statuses, closed pipes, generated texts, no colours in
//! files.

use crate::support;

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use support::{Sandbox, fingerpost, finish, gtin, record, run};

/// Returns the names of all commands.
fn commands() -> impl Iterator<Item = String> {
    let names: Vec<_> = ::fingerpost::command()
        .get_subcommands()
        .map(|command| command.get_name().into())
        .collect();
    names.into_iter()
}

#[test]
fn every_command_has_help_and_a_manual_page() {
    let help = run(["--help"]).expect_status(0).stdout;
    let sandbox = Sandbox::new();
    let out = sandbox.path("man");
    run(["man".as_ref(), "--out".as_ref(), out.as_os_str()]).expect_status(0);
    for command in commands() {
        assert!(help.contains(&command), "{command}: {help}");
        let own = run([command.as_str(), "--help"]).expect_status(0).stdout;
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
fn names_from_other_programs_lead_to_the_right_command() {
    // PE-14
    for (name, command) in [
        ("undo", "fingerpost revert"),
        ("rm", "fingerpost delete"),
        ("show", "fingerpost get"),
        ("status", "fingerpost doctor"),
        ("version", "fingerpost --version"),
        ("validate", "fingerpost check"),
        ("imprt", "'import'"),
    ] {
        let stderr = run([name]).expect_status(2).stderr;
        assert!(stderr.contains(command), "{name}: {stderr}");
    }
    // Suggestions never lead to a command that does something else to the data.
    let stderr = run(["upgrade"]).expect_status(2).stderr;
    assert!(stderr.contains("install a newer") && !stderr.contains("migrate"), "{stderr}");
    let stderr = run(["gigrate"]).expect_status(2).stderr;
    assert!(!stderr.contains("migrate"), "{stderr}");
    // Below a command, a name means something else.
    let stderr = run(["backup", "status"]).expect_status(2).stderr;
    assert!(!stderr.contains("doctor"), "{stderr}");
}

#[test]
fn json_is_short_for_the_format_wherever_there_is_one() {
    fn examine(command: &clap::Command, path: &str) {
        let path = format!("{path} {}", command.get_name());
        let argument = |name| command.get_arguments().find(|argument| argument.get_id() == name);
        let values = argument("format").map_or(Vec::new(), clap::Arg::get_possible_values);
        let has_json = values.iter().any(|value| value.get_name() == "json");
        assert_eq!(argument("json").is_some(), has_json, "{path}");
        command.get_subcommands().for_each(|command| examine(command, &path));
    }
    // PE-14
    examine(&::fingerpost::command(), "");
    for words in [&["check", "9520123456788"][..], &["uri", "parse", "http://a/"]] {
        let short = run([words, &["--json"]].concat()).expect_status(0).stdout;
        let long = run([words, &["--format", "json"]].concat()).expect_status(0).stdout;
        assert!(short.starts_with('{'), "{short}");
        assert_eq!(short, long);
    }
    run(["check", "--json", "--format", "text", "9520123456788"]).expect_status(2);
}

#[test]
fn colours_can_be_chosen() {
    // PE-14
    for (words, is_coloured) in [
        (&["check", "--color", "always"][..], true),
        (&["--color", "always", "check"], true),
        (&["check", "--color", "never"], false),
        (&["check"], false),
    ] {
        let stdout = run([words, &["9520123456788"]].concat()).expect_status(0).stdout;
        assert_eq!(stdout.contains('\u{1b}'), is_coloured, "{words:?}: {stdout}");
    }
}

#[test]
fn nothing_on_standard_input_is_said() {
    // PE-14
    for words in [&["check", "-"][..], &["uri", "parse", "-"]] {
        let mut command = fingerpost();
        command.args(words);
        let stderr = finish(command, b"\n").expect_status(0).stderr;
        assert!(stderr.contains("standard input had nothing"), "{words:?}: {stderr}");
    }
}

#[test]
fn a_beginning_is_written_and_the_configuration_in_the_folder_is_used() {
    // PE-14, PE-28
    let sandbox = Sandbox::new();
    let folder = sandbox.path("resolver");
    let start = |words: &[&str]| {
        let mut command = fingerpost();
        command.current_dir(&folder).args(words);
        finish(command, b"")
    };
    let words = ["init", "--resolver-root", "https://id.example.net/"];
    run(words.map(OsStr::new).into_iter().chain([folder.as_os_str()])).expect_status(0);
    let said = start(&words).expect_status(2).stderr;
    assert!(said.contains("exists already; nothing was written"), "{said}");
    start(&["import", "products.json"]).expect_status(0);
    let exported = start(&["export", "--format", "linkset"]).expect_status(0).stdout;
    assert!(exported.contains("https://id.example.net/01/09520123456788"), "{exported}");
    assert!(folder.join("data").is_dir());
    let examined = start(&["doctor", "--json"]).stdout;
    assert!(examined.contains("can be read, and says nothing doubtful"), "{examined}");
    // Every setting can be read without the documentation.
    let settings = run(["configuration"]).expect_status(0).stdout;
    assert!(settings.contains("#resolver_root = ") && settings.contains("[ce_api]"), "{settings}");

    for (root, expected) in [("id.example.net", "cannot be the address"), ("", "cannot be")] {
        let other = sandbox.path("other");
        let words = ["init", "--resolver-root", root].map(OsStr::new);
        let said = run(words.into_iter().chain([other.as_os_str()])).expect_status(2).stderr;
        assert!(said.contains(expected) && !other.exists(), "{said}");
    }
    let said = run(["init"]).expect_status(2).stderr;
    assert!(said.contains("--resolver-root"), "{said}");
}

#[test]
fn wrong_usage_is_status_2() {
    for words in [&["serve"][..], &["import"], &["import", "--data", "d"], &["nonsense"], &[]] {
        run(words).expect_status(2);
    }
}

#[test]
fn the_data_directory_is_that_of_the_flag_or_else_configured() {
    let sandbox = Sandbox::new();
    sandbox.import(&record("/01/09520123456788", "https://example.com/tea")).expect_status(0);
    let file = sandbox.write("fingerpost.toml", "data = \"data\"");
    let export = |arguments: &[&OsStr], variable: Option<&OsStr>| {
        let mut command = fingerpost();
        command.arg("export").args(arguments);
        command.envs(variable.map(|value| ("FINGERPOST_DATA", value)));
        finish(command, b"")
    };
    let (data, nowhere) = (sandbox.data(), sandbox.path("nowhere"));
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
    let sandbox = Sandbox::new();
    let records: String = (0..3000)
        .map(|n| record(&format!("/01/{}", gtin(n)), "https://e.example/") + "\n")
        .collect();
    sandbox.import(&records).expect_status(0);
    let data = sandbox.data();
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
    let sandbox = Sandbox::new();
    let lines: String = (0..500)
        .map(|n| {
            format!("{}\nnonsense\n", record(&format!("/01/{}", gtin(n)), "https://e.example/"))
        })
        .collect();
    let (data, file) = (sandbox.data(), sandbox.write("lines.jsonl", &lines));
    let mut child = fingerpost()
        .args(["import".as_ref(), "--data".as_ref(), data.as_os_str(), file.as_os_str()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(sandbox.export().lines().count(), 500);
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
    let sandbox = Sandbox::new();
    sandbox.import(&record("/01/09520123456788", "https://example.com/p")).expect_status(0);
    let data = sandbox.data();
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
