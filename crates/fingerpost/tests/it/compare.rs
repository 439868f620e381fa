//! `compare`: two resolvers, one of which has other records.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use fingerpost_testkit::{Ask, skipped};
use serde_json::Value;

use crate::support::nodes::wait_until;
use crate::support::{Run, Sandbox, Server, fingerpost, record, run, run_with_input};

const TEA: &str = "/01/09520123456788";
const LOT: &str = "/01/09520123456788/10/LOT7";
const PLACE: &str = "/414/9520123456788";

/// A resolver with these records.
fn resolver(records: &[String]) -> (Sandbox, Server) {
    let sandbox = Sandbox::new();
    sandbox.import(&records.join("\n")).expect_status(0);
    let server = Server::start(&sandbox.data(), None);
    (sandbox, server)
}

fn compare(old: &Server, new: &Server, further: &[&str], input: &str) -> Run {
    let (old, new) = (format!("http://{}", old.address()), format!("http://{}", new.address()));
    let format = if further.contains(&"--format") { &[][..] } else { &["--format", "json"] };
    let arguments = [&["compare", "--rate", "0", "--old", &old, "--new", &new], format].concat();
    run_with_input(arguments.iter().chain(further), input.as_bytes())
}

fn report(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).expect("JSON")
}

fn kinds(report: &Value) -> Vec<String> {
    let differences = report["differences"].as_array().expect("differences");
    differences.iter().map(|it| it["kind"].as_str().unwrap().to_owned()).collect()
}

/// Issue 33, point 3: a list, an export and a linkset name the same identifiers.
#[test]
fn differences_decide_the_exit_status_whatever_names_the_identifiers() {
    let page = "https://example.com/p";
    let records = [record(TEA, page), record(LOT, page), record(PLACE, page)];
    let (sandbox, old) = resolver(&records);
    let (_same_sandbox, same) = resolver(&records);
    let (_other_sandbox, other) =
        resolver(&[record(TEA, "https://example.com/q"), record(PLACE, page)]);
    let ask = Ask::get(&format!("{LOT}?linkType=linkset"));
    let linkset = old.send(&ask.header("accept", "application/linkset+json"));
    let list = "9520123456788\n\n(01)09520123456788(10)LOT7\n(414)9520123456788\n";
    for (input, count) in
        [(list, 3), (&*sandbox.export(), 3), (std::str::from_utf8(&linkset.body).unwrap(), 2)]
    {
        let found = compare(&old, &same, &["--from", "-"], input).expect_status(0);
        assert_eq!((&report(&found)["done"], kinds(&report(&found)).len()), (&count.into(), 0));
        let found = compare(&old, &other, &["--from", "-"], input).expect_status(1);
        let kinds = kinds(&report(&found));
        assert!(kinds.contains(&"target".to_owned()), "{found:?}");
        assert!(kinds.contains(&"link-missing".to_owned()), "{found:?}");
        let ignored: Vec<_> = kinds.iter().flat_map(|kind| ["--ignore", kind]).collect();
        let further = [&["--from", "-"], &ignored[..]].concat();
        compare(&old, &other, &further, input).expect_status(0);
    }
    let odd = compare(&old, &same, &["--from", "-"], "9520123456789\n/gcp/952\n");
    let skipped = report(&odd.expect_status(0))["skipped"].clone();
    assert_eq!(skipped.as_object().unwrap().values().next().unwrap(), 2, "{skipped}");
}

#[test]
fn the_report_is_also_text_and_a_page() {
    let (_old_sandbox, old) = resolver(&[record(TEA, "https://example.com/p")]);
    let (_new_sandbox, new) = resolver(&[record(TEA, "https://example.com/q")]);
    let text = compare(&old, &new, &["--from", "-", "--format", "text"], TEA).expect_status(1);
    let command =
        format!("old       curl -i --path-as-is --globoff 'http://{}{TEA}'", old.address());
    assert!(text.stdout.contains(&command), "{}", text.stdout);
    assert!(text.stdout.contains("meaning   The record differs"), "{}", text.stdout);
    let page = compare(&old, &new, &["--from", "-", "--format", "html"], TEA).expect_status(1);
    assert!(page.stdout.starts_with("<!DOCTYPE html>") && page.stdout.contains("/q"));
}

/// Issue 33, point 3: an access log is replayed, and a comparison continues.
#[test]
fn an_access_log_is_replayed_and_continued() {
    let (sandbox, old) = resolver(&[record(TEA, "https://example.com/p")]);
    let (_new_sandbox, new) = resolver(&[record(TEA, "https://example.com/q")]);
    let line = |target: &str| {
        format!(
            r#"192.0.2.1 - - [27/Nov/2026:00:00:00 +0000] "GET {target} HTTP/1.1" 307 0 "-" "x""#
        )
    };
    let logged = [line(TEA), line("/favicon.ico"), line(&format!("{TEA}?a=b")), line(TEA)];
    let log = sandbox.write("access.log", &logged.join("\n"));
    let state = sandbox.path("state.json");
    let (log, state) = (log.to_str().unwrap(), state.to_str().unwrap());
    let arguments = ["--shadow", log, "--resume", state];
    let first = report(&compare(&old, &new, &arguments, "").expect_status(1));
    assert_eq!((&first["done"], &first["compared"]), (&4.into(), &2.into()));
    assert_eq!(
        (kinds(&first), &first["differences"][0]["count"]),
        (vec!["target".into()], &2.into())
    );
    // Nothing is left, so nothing is sent.
    let again = report(&compare(&old, &new, &arguments, "").expect_status(1));
    assert_eq!(again, first);
    let other = compare(&new, &old, &arguments, "").expect_status(2);
    assert!(other.stderr.contains("name another file"), "{}", other.stderr);
}

#[test]
fn a_comparison_that_cannot_be_completed_has_its_exit_status() {
    let (sandbox, server) = resolver(&[record(TEA, "https://example.com/p")]);
    let url = format!("http://{}", server.address());
    let broken = sandbox.write("broken.json", "{}");
    let broken = broken.to_str().unwrap();
    for wrong in [
        &["--old", &url, "--new", "id.example.org", "--from", "-"][..],
        &["--old", &url, "--new", &url, "--from", "/nonexistent"],
        &["--old", &url, "--new", &url, "--from", "-", "--resume", broken],
        &["--old", &url, "--new", &url, "--from", "-", "--resume", "/nonexistent/file"],
    ] {
        let failed = run(["compare"].iter().chain(wrong)).expect_status(2);
        assert!(failed.stderr.contains("help: "), "{}", failed.stderr);
    }
    // A resolver that is not there: ten requests, then the verdict.
    let dead =
        ["compare", "--old", &url, "--new", "http://127.0.0.1:9", "--rate", "0", "--from", "-"];
    let lots: String = (0..20).map(|lot| format!("{TEA}/10/{lot}\n")).collect();
    let failed = run_with_input(dead, lots.replace("/01", "https://a.example/01").as_bytes());
    let failed = failed.expect_status(2);
    assert!(failed.stderr.contains("requests in succession failed"), "{}", failed.stderr);
    assert!(failed.stdout.contains("incomplete"), "{}", failed.stdout);
}

/// Issue 33, point 3: what Ctrl-C or `kill` ends is continued, and no request is repeated. A
/// terminal shows the progress.
#[test]
fn an_interrupted_comparison_is_continued_by_the_same_command() {
    let lots: Vec<_> = (0..60).map(|lot| format!("{TEA}/10/{lot:02}")).collect();
    let page = "https://example.com/p";
    let records = |page: &str| -> Vec<_> {
        std::iter::once(&TEA.to_owned()).chain(&lots).map(|it| record(it, page)).collect()
    };
    let (sandbox, old) = resolver(&records(page));
    let (_new_sandbox, new) = resolver(&records("https://example.com/q"));
    let lots: String = lots.iter().map(|lot| format!("https://a.example{lot}\n")).collect();
    let list = sandbox.write("list.txt", &lots);
    let (old, new) = (format!("http://{}", old.address()), format!("http://{}", new.address()));
    let compare = |state: &Path, rate: &str| {
        let mut command = fingerpost();
        command.args(["compare", "--format", "json", "--old", &old, "--new", &new]);
        command.args(["--concurrency", "1", "--rate", rate, "--from"]).arg(&list);
        command.arg("--resume").arg(state).stdin(Stdio::null()).stdout(Stdio::piped());
        command
    };
    let report = |output: &[u8]| serde_json::from_slice::<Value>(output).unwrap();
    let whole = compare(&sandbox.path("whole.json"), "0").output().unwrap();
    assert_eq!(whole.status.code(), Some(1));
    for signal in ["-INT", "-KILL"] {
        let state = sandbox.path(&format!("state{signal}.json"));
        let child = compare(&state, "40").stderr(Stdio::piped()).spawn().unwrap();
        wait_until("the state is written early", || state.exists());
        assert!(
            Command::new("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let ended = child.wait_with_output().unwrap();
        let part = report(&fs::read(&state).unwrap());
        let done = part["done"].as_u64().unwrap();
        assert!((1..60).contains(&done) && part["is_complete"] == false, "{part}");
        if signal == "-INT" {
            assert_eq!(ended.status.code(), Some(130));
            let told = String::from_utf8(ended.stderr).unwrap();
            assert!(told.contains("interrupted: the same command continues here"), "{told}");
            assert_eq!(report(&ended.stdout), part);
        }
        let rest = compare(&state, "0").output().unwrap();
        assert_eq!(rest.status.code(), Some(1));
        assert_eq!(report(&rest.stdout), report(&whole.stdout), "{signal}");
    }
    // `script` gives the command a terminal.
    let state = sandbox.path("terminal.json");
    let words = compare(&state, "0");
    let words: Vec<_> = [words.get_program()].into_iter().chain(words.get_args()).collect();
    let words: Vec<_> = words.iter().map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    let shown = Command::new("script")
        .args(["--quiet", "--return", "--command", &words.join(" "), "/dev/null"])
        .stdin(Stdio::null())
        .output();
    let Ok(shown) = shown else {
        skipped("compare", "`script` is not installed (Debian: bsdutils)");
        return;
    };
    let shown = String::from_utf8_lossy(&shown.stdout);
    assert!(shown.contains("comparing ") && shown.contains(" differences, "), "{shown}");
}
