//! A local server with the interface of S3, for tests.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_testkit::{PATIENCE, free_port};

/// A server of moto with an empty bucket.
pub(crate) struct Moto {
    child: Child,
    pub(crate) port: u16,
}

impl Moto {
    /// Starts it; `None` and a line on the terminal if it is not installed.
    pub(crate) fn start() -> Option<Self> {
        let program = std::env::var_os("MOTO_SERVER").map(PathBuf::from);
        let Some(program) = program else {
            let _ = writeln!(
                std::io::stderr(),
                "NOT TESTED: backups in S3-compatible storage: set MOTO_SERVER to the program that `bash .ci/moto` installs"
            );
            assert!(std::env::var_os("CI").is_none(), "MOTO_SERVER is not set");
            return None;
        };
        let port = free_port();
        let mut command = Command::new(program);
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let moto = Self { child, port };
        let begun = Instant::now();
        while moto.send("PUT", "/bucket").is_none() {
            assert!(begun.elapsed() < PATIENCE, "moto does not answer");
            thread::sleep(Duration::from_millis(50));
        }
        Some(moto)
    }

    /// Sends a request without a body; returns the answer if it is good.
    pub(crate) fn send(&self, method: &str, target: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let rest = "Content-Length: 0\r\nConnection: close\r\n\r\n";
        let host = format!("Host: 127.0.0.1:{}\r\n", self.port);
        stream.write_all(format!("{method} {target} HTTP/1.1\r\n{host}{rest}").as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        answer.contains(" 200 ").then_some(answer)
    }

    pub(crate) fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        self.stop();
    }
}
