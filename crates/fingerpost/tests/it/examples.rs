//! Every case of `testdata/resolver-examples.json` against the built program: records go in by
//! `import`, requests over a socket to `serve`, registrations through `import` again.
//!
//! Records marked `stored_breaks` are refused by `import`, and the expected status is the same.

use crate::support;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::Command;

use fingerpost_testkit::{Answer, Ask, Case, Expected, Operation, all_cases, judge};
use support::{Run, Sandbox, Server, fingerpost, gtin, record, run_with_input};

/// All resolve cases.
const RESOLVE_CASES: usize = 349;

/// All registrations.
const REGISTER_CASES: usize = 48;

#[test]
fn all_resolve_cases_pass_over_a_socket() {
    let mut groups: BTreeMap<(String, String), Vec<Case>> = BTreeMap::new();
    for case in all_cases() {
        if case.ask().is_some() {
            let stored = serde_json::to_string(&case.stored).unwrap();
            let fault = if case.store_fails() { "# the store fails" } else { "" };
            groups.entry((case.config_toml() + fault, stored)).or_default().push(case);
        }
    }
    let mut failed = Vec::new();
    let mut passed = 0;
    for ((config, stored), cases) in &groups {
        for (case, faults) in group(config, stored, cases) {
            if faults.is_empty() {
                passed += 1;
            } else {
                failed.push(format!("{} {}\n    {}", case.id, case.title, faults.join("\n    ")));
            }
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
    assert_eq!(passed, RESOLVE_CASES, "a case less than there was");
}

/// Runs the cases that share configuration and records on one server.
fn group<'c>(config: &str, stored: &str, cases: &'c [Case]) -> Vec<(&'c Case, Vec<String>)> {
    let sandbox = Sandbox::new();
    let fails = cases.iter().any(Case::store_fails);
    let small_map = if fails { "map_size = \"1MiB\"\n" } else { "" };
    let config = sandbox.write("fingerpost.toml", &format!("{small_map}{config}"));
    let breaks = cases.iter().any(|case| case.stored_breaks.is_some());
    let imported = import(&sandbox, &config, stored);
    assert_eq!(imported.status, Some(i32::from(breaks)), "{}: {imported:?}", cases[0].id);
    if breaks {
        let rule = cases[0].stored_breaks.as_deref().unwrap();
        assert_eq!(imported.events_of("refused")[0]["faults"][0]["id"], rule);
        assert_eq!(sandbox.export(), "", "nothing is stored");
    }
    let server = match fails {
        true => start_to_fail(&sandbox, &config),
        false => Server::start(&sandbox.data(), Some(&config)),
    };
    let judged = cases.iter().map(|case| {
        let ask = case.ask().unwrap();
        let answer = server.send(&ask);
        if breaks {
            let expected = case.outcome().unwrap().status;
            let status = format!("status: expected {expected}, found {}", answer.status);
            return (case, (answer.status != expected).then_some(status).into_iter().collect());
        }
        let mut faults = judge(case, &answer, &mut |ask| server.send(ask));
        if ask.method == "GET" && !fails {
            faults.extend(explain(&sandbox, &config, &ask, &answer));
        }
        (case, faults)
    });
    judged.collect()
}

/// `explain` has to come to the same answer as the server.
fn explain(sandbox: &Sandbox, config: &Path, ask: &Ask, answer: &Answer) -> Option<String> {
    let mut command = fingerpost();
    command.args(["explain", "--format", "json", "--data"]).arg(sandbox.data());
    command.arg("--config").arg(config);
    for (name, value) in &ask.headers {
        command.arg("-H").arg(format!("{name}: {value}"));
    }
    let run = Run::from(command.arg("--").arg(&ask.target).output().unwrap());
    let explained = run.events().pop().unwrap_or_else(|| panic!("{}: {run:?}", ask.target));
    let location = explained["outcome"]["location"].as_str().map(str::to_owned);
    let link = explained["link"].as_str().map(str::to_owned);
    let same = explained["status"] == answer.status
        && location == answer.header("location")
        && link == answer.header("link");
    (!same).then(|| format!("explain: {explained}, served {} {:?}", answer.status, answer.headers))
}

/// Starts a server whose store becomes unavailable as it happens in life (RES-2.4.1-5): another
/// process makes the store larger than the address space that the operating system grants to the
/// server.
fn start_to_fail(sandbox: &Sandbox, config: &Path) -> Server {
    const GRANTED: u64 = 8 << 30;
    let mut command = Command::new("bash");
    let line = format!("ulimit -v {}; exec \"$@\"", GRANTED >> 10);
    command.args(["-c", &line, "bash"]).arg(fingerpost().get_program());
    command.arg("serve").arg("--data").arg(sandbox.data()).arg("--config").arg(config);
    command.args(["--listen", "127.0.0.1:0", "--no-admin"]);
    let server = Server::from_command(command);
    let long = "x".repeat(1000);
    let records: Vec<String> = (0..2000)
        .map(|n| record(&format!("/01/{}", gtin(n)), &format!("https://example.com/{n}/{long}")))
        .collect();
    sandbox.import(&records.join("\n")).expect_status(0);
    let data = File::options().write(true).open(sandbox.data().join("data.mdb")).unwrap();
    data.set_len(GRANTED).unwrap(); // it takes no space
    server
}

#[test]
fn all_registrations_are_judged_by_import() {
    let mut failed = Vec::new();
    let mut count = 0;
    for case in all_cases() {
        let Operation::Register { record } = &case.request else { continue };
        let Expected::Registration { accepted, reason } = &case.expected else {
            panic!("{}: a registration is accepted or not", case.id)
        };
        count += 1;
        let sandbox = Sandbox::new();
        let config = sandbox.write("fingerpost.toml", &case.config_toml());
        import(&sandbox, &config, &serde_json::to_string(&case.stored).unwrap()).expect_status(0);
        let before = sandbox.export();
        let judged = import(&sandbox, &config, &record.to_string());
        if judged.status != Some(i32::from(!accepted)) {
            failed.push(format!("{}: {judged:?}, expected {reason:?}", case.id));
        } else if !accepted {
            assert_eq!(sandbox.export(), before, "{}: a refused record changes nothing", case.id);
            let faults = judged.events_of("refused")[0]["faults"].clone();
            let ids = faults.as_array().unwrap().iter().filter_map(|fault| fault["id"].as_str());
            assert!(ids.clone().all(|id| id.starts_with("RES-")), "{}: {faults}", case.id);
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
    assert_eq!(count, REGISTER_CASES, "a case less than there was");
}

fn import(sandbox: &Sandbox, config: &Path, json: &str) -> Run {
    let data = sandbox.data();
    let arguments = ["import".as_ref(), "--format".as_ref(), "json".as_ref(), "--data".as_ref()];
    let rest = [data.as_os_str(), "--config".as_ref(), config.as_os_str(), "-".as_ref()];
    run_with_input(arguments.into_iter().chain(rest), json.as_bytes())
}
