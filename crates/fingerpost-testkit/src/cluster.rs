//! PostgreSQL servers for tests: each has its files in a temporary directory and ends with the
//! process of the tests, however that ends.

mod patroni;
mod pooler;
mod replica;

pub use patroni::Patroni;
pub use pooler::Pooler;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::PATIENCE;
use crate::port::free_port;
use crate::servers::{as_server_user, signal};

/// Where Debian keeps the programs of each release.
const RELEASES: &str = "/usr/lib/postgresql";

/// Runs the server until its input ends, then stops it; deletes its files unless it is told to keep
/// them. So nothing is left behind even if the process of the tests is killed.
const KEEPER: &str = r#"
server=$1 files=$2; shift 2
"$server" -D "$files/data" "$@" >>"$files/log" 2>&1 &
echo $!
trap '' HUP INT TERM
read -r last
# A server that has only begun ignores the signal.
while read -r _ _ state _ 2>/dev/null <"/proc/$!/stat" && [ "$state" != Z ]; do
  kill -QUIT $! 2>/dev/null
  sleep 0.1
done
wait $!
[ "$last" = keep ] || rm -rf "$files"
"#;

/// A server with its files.
#[derive(Debug)]
pub struct Cluster {
    programs: PathBuf,
    files: PathBuf,
    port: u16,
    settings: Vec<String>,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    keeper: Child,
    input: ChildStdin,
    postmaster: u32,
}

impl Cluster {
    /// Creates and starts a server, with settings as in `postgresql.conf`; returns why not if
    /// PostgreSQL is not installed.
    ///
    /// # Panics
    ///
    /// If an installed server cannot be started.
    pub fn start(settings: &[&str]) -> Result<Self, String> {
        Self::start_in(&std::env::temp_dir(), &[], settings)
    }

    /// The same with its files in a directory, and with further arguments of `initdb`.
    ///
    /// # Panics
    ///
    /// If an installed server cannot be started.
    pub fn start_in(dir: &Path, init: &[&str], settings: &[&str]) -> Result<Self, String> {
        let programs = programs()?;
        let files = temporary_directory_in(dir);
        let mut cluster = Self {
            programs,
            files,
            port: free_port(),
            settings: settings.iter().map(|setting| (*setting).to_owned()).collect(),
            running: None,
        };
        let arguments = init;
        let mut init = as_server_user(cluster.programs.join("initdb"));
        init.args(arguments).args([
            "-U",
            "fingerpost",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        ]);
        init.arg("-D").arg(cluster.files.join("data"));
        let output = init.output().expect("initdb runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "initdb failed: {text}");
        cluster.resume();
        Ok(cluster)
    }

    /// Returns whether PostgreSQL is installed.
    pub fn is_installed() -> Result<(), String> {
        programs().map(|_| ())
    }

    /// Returns the URL of the database.
    pub fn url(&self) -> String {
        self.url_by(self.port)
    }

    /// Returns the URL of the database behind another port.
    pub fn url_by(&self, port: u16) -> String {
        format!("postgres://fingerpost@127.0.0.1:{port}/postgres")
    }

    /// Returns the URL of a schema that no other test of this process uses.
    pub fn fresh_schema(&self) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        format!("{}?schema=test_{}", self.url(), NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the port of the server on this machine.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Runs SQL with `psql`, and returns its output without headers.
    ///
    /// # Panics
    ///
    /// If the statements fail.
    pub fn sql(&self, statements: &str) -> String {
        self.try_sql(statements).unwrap_or_else(|error| panic!("{statements}: {error}"))
    }

    /// Writes a file that only the server can read, and returns its path.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    pub fn write_file(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.files.join(name);
        let mut shell = as_server_user("sh");
        shell.args(["-c", "umask 077; cat > \"$1\"", "sh"]).arg(&path).stdin(Stdio::piped());
        let mut shell = shell.spawn().expect("a shell runs");
        let mut input = shell.stdin.take().expect("its input is piped");
        input.write_all(contents.as_bytes()).expect("a file that can be written");
        drop(input);
        assert!(shell.wait().is_ok_and(|status| status.success()), "cannot write {name}");
        path
    }

    /// Creates a directory that belongs to the server, in another one.
    ///
    /// # Panics
    ///
    /// If it cannot be created.
    pub fn make_directory(&self, parent: &Path) -> PathBuf {
        temporary_directory_in(parent)
    }

    /// Runs SQL with `psql`; returns its output without headers, or its message.
    fn try_sql(&self, statements: &str) -> Result<String, String> {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statements, "-d"]);
        let output = psql.arg(self.url()).output().expect("psql runs");
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    /// Kills all processes of the server as a loss of power would, except that the operating system
    /// keeps what was written.
    pub fn kill(&mut self) {
        let Some(running) = self.running.take() else { return };
        signal("KILL", running.postmaster);
        running.end(true);
    }

    /// Kills one process that serves a program of this name, as the kernel does when memory is
    /// short; the server then ends all others and recovers. Waits for such a process.
    ///
    /// # Panics
    ///
    /// If there is none for a minute.
    pub fn kill_one_session(&self, application: &str) {
        let of = format!("application_name = '{application}' ORDER BY random() LIMIT 1");
        let begin = Instant::now();
        loop {
            let found = self.try_sql(&format!("SELECT pid FROM pg_stat_activity WHERE {of}"));
            if let Some(pid) = found.ok().and_then(|pid| pid.parse().ok()) {
                return signal("KILL", pid);
            }
            assert!(begin.elapsed() < PATIENCE, "no session of {application}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Stops the server without waiting for its sessions, as `systemctl restart` does.
    pub fn stop(&mut self) {
        let Some(running) = self.running.take() else { return };
        signal("INT", running.postmaster);
        running.end(true);
    }

    /// Starts the server again after [`Cluster::kill`] or [`Cluster::stop`]. A server refuses to
    /// start as long as processes of the last one run, which notice soon that it is gone.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn resume(&mut self) {
        let begin = Instant::now();
        loop {
            let running = self.run();
            if self.accepts(&running, begin) {
                self.running = Some(running);
                return;
            }
            running.end(true);
            let log = fs::read_to_string(self.files.join("log")).unwrap_or_default();
            assert!(begin.elapsed() < PATIENCE, "the server does not start: {log}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Starts the server again if it has ended by itself.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn revive(&mut self) {
        thread::sleep(Duration::from_secs(1)); // a server that starts again may end once more
        if self.try_sql("SELECT 1").is_err() {
            self.kill();
            self.resume();
        }
    }

    /// Freezes the processes of the server, or lets them go on.
    pub fn freeze(&self, is_frozen: bool) {
        let Some(running) = &self.running else { return };
        let name = if is_frozen { "STOP" } else { "CONT" };
        for pid in children(running.postmaster).into_iter().chain([running.postmaster]) {
            signal(name, pid);
        }
    }

    fn run(&self) -> Running {
        let mut keeper = as_server_user(PathBuf::from("sh"));
        keeper.args(["-c", KEEPER, "sh"]).arg(self.programs.join("postgres")).arg(&self.files);
        let port = format!("port={}", self.port);
        let own = ["listen_addresses=127.0.0.1", "unix_socket_directories=", &port];
        let usual = ["max_connections=300", "shared_buffers=64MB", "autovacuum_naptime=10s"];
        for setting in own.iter().chain(&usual).copied().chain(self.settings.iter().map(|s| &**s)) {
            keeper.args(["-c", setting]);
        }
        // Ctrl-C and `timeout` end the group of the tests; the keeper must outlive it to clean up.
        keeper.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut keeper = keeper.spawn().expect("a shell runs");
        let input = keeper.stdin.take().expect("its input is piped");
        let mut line = String::new();
        let output = keeper.stdout.take().expect("its output is piped");
        BufReader::new(output).read_line(&mut line).expect("the shell tells the process");
        let postmaster = line.trim().parse().expect("the number of a process");
        Running { keeper, input, postmaster }
    }

    /// Waits until the server answers; returns `false` if it has ended.
    fn accepts(&self, running: &Running, begin: Instant) -> bool {
        while begin.elapsed() < PATIENCE {
            let ready = Command::new(self.programs.join("pg_isready"))
                .args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()])
                .status()
                .is_ok_and(|status| status.success());
            if ready {
                return true;
            }
            if has_ended(running.postmaster) {
                return false;
            }
            thread::sleep(Duration::from_millis(20));
        }
        false
    }
}

/// Returns whether a process has ended, even if its parent has not asked for its status (`Z`). Its
/// command line would not tell: it is empty for a moment while a program begins.
fn has_ended(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    status.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
}

impl Running {
    /// Ends the server and its keeper.
    fn end(mut self, keep: bool) {
        if keep {
            let _ = self.input.write_all(b"keep\n");
        }
        drop(self.input);
        let _ = self.keeper.wait();
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        match self.running.take() {
            Some(running) => running.end(false),
            None => {
                let _ = as_server_user(PathBuf::from("rm")).arg("-rf").arg(&self.files).status();
            }
        }
    }
}

/// Returns the server that all tests of this process share, each in a schema of its own; or why
/// there is none.
pub fn shared_cluster() -> Result<&'static Cluster, &'static str> {
    static SHARED: OnceLock<Result<Cluster, String>> = OnceLock::new();
    SHARED.get_or_init(|| Cluster::start(&[])).as_ref().map_err(String::as_str)
}

/// Returns the directory of the newest installed release.
fn programs() -> Result<PathBuf, String> {
    let releases = fs::read_dir(RELEASES).into_iter().flatten().flatten();
    let found = releases.filter_map(|release| {
        let number: u32 = release.file_name().to_str()?.parse().ok()?;
        let programs = release.path().join("bin");
        let is_whole =
            ["initdb", "postgres", "psql"].iter().all(|name| programs.join(name).exists());
        is_whole.then_some((number, programs))
    });
    let newest = found.max_by_key(|(number, _)| *number).map(|(_, programs)| programs);
    newest.ok_or_else(|| {
        format!("PostgreSQL is not installed (nothing in {RELEASES}): apt-get install postgresql")
    })
}

/// Creates a directory that belongs to the user of the server.
fn temporary_directory() -> PathBuf {
    temporary_directory_in(&std::env::temp_dir())
}

fn temporary_directory_in(dir: &Path) -> PathBuf {
    let mut make = as_server_user("mktemp");
    let output = make
        .arg("-d")
        .arg("-p")
        .arg(dir)
        .arg("fingerpost-pg.XXXXXX")
        .output()
        .expect("mktemp runs");
    let path = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    assert!(output.status.success() && !path.is_empty(), "no temporary directory");
    PathBuf::from(path)
}

/// Returns the child processes of a process.
fn children(parent: u32) -> Vec<u32> {
    let path = format!("/proc/{parent}/task/{parent}/children");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}
