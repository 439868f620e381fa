//! Runs the built `fingerpost`, and speaks HTTP/1.1 to it over a socket with the raw target of a
//! test.

pub(crate) mod api;
pub(crate) mod nodes;

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use fingerpost_testkit::{Answer, Ask, PATIENCE, UNHURRIED};
pub(crate) use fingerpost_testkit::{kills, report_kills};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

/// The program under test.
pub(crate) const FINGERPOST: &str = env!("CARGO_BIN_EXE_fingerpost");

/// A command without the settings of the user who runs the tests.
pub(crate) fn fingerpost() -> Command {
    let mut command = Command::new(FINGERPOST);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("FINGERPOST_") {
            command.env_remove(name);
        }
    }
    let (key, value) = UNHURRIED;
    command.env(format!("FINGERPOST_{}", key.to_uppercase().replace('.', "_")), value);
    command
}

/// What a command printed and how it ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("output is text"),
            stderr: String::from_utf8(output.stderr).expect("messages are text"),
        }
    }
}

impl Run {
    /// The events of a `--format json` report, or any JSON Lines.
    pub(crate) fn events(&self) -> Vec<serde_json::Value> {
        let lines = self.stdout.lines();
        lines.map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
    }

    /// The events of one kind.
    pub(crate) fn events_of(&self, kind: &str) -> Vec<serde_json::Value> {
        self.events().into_iter().filter(|event| event["event"] == kind).collect()
    }

    #[track_caller]
    pub(crate) fn expect_status(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self:?}");
        self
    }
}

/// Runs a command to its end.
pub(crate) fn run<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Run {
    run_with_input(arguments, b"")
}

/// Runs a command with this on its standard input.
pub(crate) fn run_with_input<A: AsRef<OsStr>>(
    arguments: impl IntoIterator<Item = A>,
    input: &[u8],
) -> Run {
    let mut command = fingerpost();
    command.args(arguments);
    finish(command, input)
}

/// Compares text for people with `tests/golden/NAME.txt`. Such texts only show that wording
/// changed: values, codes and statuses are asserted elsewhere. To accept a change, run with
/// `UPDATE_GOLDEN=1` and review the difference.
#[track_caller]
pub(crate) fn expect_golden(name: &str, found: &str) {
    let printable = |char: char| char == '\n' || !char.is_control();
    assert!(found.chars().all(printable), "control characters are escaped: {found:?}");
    let path = format!("{}/tests/golden/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    let reviewed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(reviewed == found, "{path} differs:\n{found}");
}

/// A data directory, and files beside it, that go away with the test.
pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().expect("a temporary directory") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The data directory.
    pub(crate) fn data(&self) -> PathBuf {
        self.path("data")
    }

    pub(crate) fn write(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, contents).expect("a file can be written");
        path
    }

    /// Writes `leaf.pem` and `leaf.key`, a certificate of 127.0.0.1; returns the file with the
    /// certificate of its authority, which nobody else knows.
    pub(crate) fn certify(&self) -> PathBuf {
        let mut authority = CertificateParams::new(Vec::new()).expect("no names");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let keys = || KeyPair::generate().expect("a key");
        let authority = CertifiedIssuer::self_signed(authority, keys()).expect("an authority");
        let leaf = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("an address");
        let keys = keys();
        self.write("leaf.pem", &leaf.signed_by(&keys, &authority).expect("a certificate").pem());
        self.write("leaf.key", &keys.serialize_pem());
        self.write("authority.pem", &authority.pem())
    }

    /// Imports JSON from standard input into the data directory.
    pub(crate) fn import(&self, json: &str) -> Run {
        let data = self.data();
        let arguments = ["import", "--format", "json", "--data"].map(OsStr::new);
        let rest = [data.as_os_str(), OsStr::new("-")];
        run_with_input(arguments.into_iter().chain(rest), json.as_bytes())
    }

    /// Everything in the data directory, as JSON Lines.
    pub(crate) fn export(&self) -> String {
        export(&self.data())
    }
}

impl Sandbox {
    /// A client of an admin listener, with its own folder for credentials and this key.
    pub(crate) fn client(&self, server: &str, key: &str) -> Command {
        let mut command = self.anybody();
        command.env("FINGERPOST_SERVER", server).env("FINGERPOST_KEY", key);
        command
    }

    /// A client that nobody has signed in.
    pub(crate) fn anybody(&self) -> Command {
        let mut command = fingerpost();
        command.env("XDG_CONFIG_HOME", self.path("config")).env_remove("HOME");
        command
    }

    /// Creates a key.
    pub(crate) fn key(&self, further: &[&str]) -> String {
        let mut command = fingerpost();
        command.args(["admin", "key", "--label", "test", "--data"]).arg(self.data()).args(further);
        finish(command, b"").expect_status(0).stdout.trim_end().to_owned()
    }

    /// A data directory with a key that may do everything.
    pub(crate) fn with_key() -> (Self, String) {
        let sandbox = Self::new();
        sandbox.import(&record("/01/09520123456788", "https://example.com/0")).expect_status(0);
        let key = sandbox.key(&["--verb", "read,write,admin"]);
        (sandbox, key)
    }
}

/// Runs a command that was made ready to its end, with this on its standard input.
pub(crate) fn finish(mut command: Command, input: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    std::thread::scope(|scope| {
        // A program that ends early closes the pipe: that is no fault of the test.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().expect("the program ends").into()
    })
}

/// Everything in a data directory, as JSON Lines.
pub(crate) fn export(data: &Path) -> String {
    run([OsStr::new("export"), OsStr::new("--data"), data.as_os_str()]).expect_status(0).stdout
}

/// A record with a default link and one descriptive link to the same target.
pub(crate) fn record(anchor: &str, target: &str) -> String {
    format!(
        r#"{{"anchor":"{anchor}","itemDescription":"An item","links":[{{"linkType":"gs1:pip","href":"{target}","title":"Page","default":true}}]}}"#
    )
}

/// A valid GTIN-14 below a company prefix for examples.
pub(crate) fn gtin(number: u32) -> String {
    let digits = format!("0952{number:09}");
    let weighted = |(position, digit): (usize, u8)| {
        u32::from(digit - b'0') * if position % 2 == 0 { 3 } else { 1 }
    };
    let sum: u32 = digits.bytes().rev().enumerate().map(weighted).sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

/// A running server, ended with the test.
pub(crate) struct Server {
    child: Child,
    address: String,
    stdout: BufReader<ChildStdout>,
}

impl Server {
    /// Starts `fingerpost serve` with a data directory on a free port, without the admin side.
    pub(crate) fn start(data: &Path, config: Option<&Path>) -> Self {
        let mut command = fingerpost();
        command.arg("serve").arg("--data").arg(data).args([
            "--listen",
            "127.0.0.1:0",
            "--no-admin",
        ]);
        if let Some(config) = config {
            command.arg("--config").arg(config);
        }
        Self::from_command(command)
    }

    /// Starts `fingerpost serve` with both sides on free ports; also returns the address of the
    /// admin side.
    pub(crate) fn start_with_admin(data: &Path, further: &[&str]) -> (Self, String) {
        let mut command = fingerpost();
        command.arg("serve").arg("--data").arg(data).args(["--listen", "127.0.0.1:0"]);
        command.args(["--admin-listen", "127.0.0.1:0"]).args(further);
        let mut server = Self::from_command(command);
        let lines = server.lines_until("admin listening on ");
        let url = lines.last().and_then(|line| line.strip_prefix("admin listening on "));
        (server, url.expect("the line was waited for").to_owned())
    }

    /// Ends it as a power cut does.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Starts a server and waits for the line that names its address.
    pub(crate) fn from_command(command: Command) -> Self {
        Self::logging(command, Stdio::null())
    }

    /// The same, with its messages and log going there.
    pub(crate) fn logging(mut command: Command, log: Stdio) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the program can be started");
        let mut stdout = BufReader::new(child.stdout.take().expect("standard output is a pipe"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("the server speaks");
        let address = line.trim_end().split_once("://").map(|(_, address)| address.to_owned());
        let address = address.unwrap_or_else(|| panic!("expected an address, found {line:?}"));
        // Without a public side, the admin side comes first.
        assert!(line.trim_start_matches("admin ").starts_with("listening on http"), "{line}");
        Self { child, address, stdout }
    }

    /// `host:port`
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// What it prints, up to the line that begins like this.
    pub(crate) fn lines_until(&mut self, last: &str) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        while !lines.last().is_some_and(|line| line.starts_with(last)) {
            let mut line = String::new();
            assert!(self.stdout.read_line(&mut line).expect("output is text") > 0, "{lines:?}");
            lines.push(line.trim_end().to_owned());
        }
        lines
    }

    /// Sends a request on a connection of its own.
    pub(crate) fn send(&self, ask: &Ask) -> Answer {
        send(&self.address, ask)
    }

    /// A GET without headers.
    pub(crate) fn get(&self, target: &str) -> Answer {
        self.send(&Ask::get(target))
    }

    /// Tells it to stop, and waits until it has.
    pub(crate) fn stop(mut self) {
        self.signal("TERM");
        self.wait();
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status().expect("kill");
        assert!(sent.success());
    }

    /// Whether the process is over.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_some()
    }

    /// Waits until it has stopped.
    pub(crate) fn wait(&mut self) {
        assert!(self.child.wait().expect("the server ends").success(), "a clean stop");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}

/// Sends a request as it is written, one connection each, and reads the whole answer.
pub(crate) fn send(address: &str, ask: &Ask) -> Answer {
    let mut stream = TcpStream::connect(address).expect("the server accepts");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    let mut head = format!("{} {} HTTP/1.1\r\nHost: {address}\r\n", ask.method, ask.target);
    for (name, value) in &ask.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("Connection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("the server listens");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("the server answers");
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a whole head");
    let head = std::str::from_utf8(&bytes[..end]).expect("a head is text");
    let mut lines = head.split("\r\n");
    let status_line = lines.next().expect("a status line");
    let status = status_line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let headers: Vec<_> = lines
        .map(|line| line.split_once(": ").unwrap_or_else(|| panic!("no header: {line}")))
        // About the connection, not about the answer.
        .filter(|(name, _)| !name.eq_ignore_ascii_case("connection"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    assert!(
        !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("transfer-encoding")),
        "answers have a known length"
    );
    Answer {
        status: status.unwrap_or_else(|| panic!("no status: {status_line}")),
        headers,
        body: bytes[end + 4..].to_vec(),
    }
}
