//! PE-9: whatever happens to standard output and error, a process answers and ends when it is
//! asked to.

use crate::support;

use std::io::{Read, Write, pipe};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use support::nodes::wait_until;
use support::{Sandbox, Server, fingerpost, record};

/// What a pipe of Linux takes before a writer has to wait.
const PIPE: usize = 65_536;

/// A command that logs every request.
fn logging_server(sandbox: &Sandbox) -> Command {
    let config = sandbox.write("fingerpost.toml", "[log]\naccess = 1\n");
    let mut command = fingerpost();
    command.arg("serve").arg("--data").arg(sandbox.data()).arg("--config").arg(config);
    command.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
    command
}

#[test]
fn a_server_whose_log_reader_has_ended_answers_and_ends() {
    for signal in ["TERM", "INT"] {
        let sandbox = Sandbox::new();
        sandbox.import(&record("/01/09520123456788", "https://example.com/a")).expect_status(0);
        let (reader, writer) = pipe().unwrap();
        let mut server = Server::logging(logging_server(&sandbox), writer.into());
        drop(reader);
        for _ in 0..3 {
            assert_eq!(server.get("/01/09520123456788").status, 307);
        }
        server.signal(signal);
        wait_until("it ends", || server.has_ended());
        server.wait();
    }
}

#[test]
fn a_server_whose_log_nobody_reads_answers_and_ends() {
    let sandbox = Sandbox::new();
    sandbox.import(&record("/01/09520123456788", "https://example.com/a")).expect_status(0);
    let (mut reader, writer) = pipe().unwrap();
    let mut server = Server::logging(logging_server(&sandbox), writer.try_clone().unwrap().into());
    // More than fits, so the pipe is full from here on.
    let mut filler = writer;
    let full = std::thread::spawn(move || filler.write_all(&[b'.'; 2 * PIPE]));
    std::thread::sleep(Duration::from_millis(500));
    for _ in 0..500 {
        assert_eq!(server.get("/01/09520123456788").status, 307);
    }
    server.signal("TERM");
    wait_until("it ends", || server.has_ended());
    server.wait();
    assert!(!full.is_finished(), "the pipe was not full");
    let mut all = Vec::new();
    reader.read_to_end(&mut all).unwrap();
}

#[test]
fn an_import_whose_outputs_are_closed_ends() {
    for signal in ["TERM", "INT"] {
        let sandbox = Sandbox::new();
        let (out_reader, out) = pipe().unwrap();
        let (err_reader, err) = pipe().unwrap();
        let mut command = fingerpost();
        command.args(["import", "--format", "json", "--data"]).arg(sandbox.data()).arg("-");
        command.stdin(Stdio::piped()).stdout(out).stderr(err);
        let mut import = command.spawn().unwrap();
        drop((out_reader, err_reader));
        let mut input = import.stdin.take().unwrap();
        // More than a pipe takes: the import reads, and handles the signal, when all is written.
        let line = record("/01/09520123456788", "https://example.com/a") + "\n";
        input.write_all(line.repeat(4 * PIPE / line.len()).as_bytes()).unwrap();
        send_signal(&import, signal);
        wait_until("it ends", || import.try_wait().unwrap().is_some());
    }
}

fn send_signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}
