//! The provider as a process of its own, brought by npm and run by node.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

/// What the provider knows as the secret of the client.
pub(crate) const SECRET: &str = "the secret of the client, long enough to sign with";

/// The provider takes its cryptography from what this release of node has first.
const OLDEST_NODE: u32 = 20;

/// A port that is free, for a provider that is started later.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// A running provider; ends when it is dropped.
pub(crate) struct Provider {
    child: Child,
    /// Kept open: it would not survive that nobody hears it.
    output: BufReader<ChildStdout>,
}

impl Provider {
    /// Starts it. `flags` are those of `provider.mjs`.
    pub(crate) fn start(folder: &Path, issuer: &str, callback: &str, flags: &[&str]) -> Self {
        let mut child = Command::new("node")
            .arg("provider.mjs")
            .args([issuer, callback])
            .args(flags)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node was there before");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let mut provider = Self { child, output };
        let mut lines = provider.output.by_ref().lines().map_while(Result::ok);
        assert!(lines.any(|line| line == "ready"), "the provider starts");
        provider
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The folder with the provider, brought by npm once; `None`, reported on the terminal, where node or npm are missing.
pub(crate) fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let bring = || match bring() {
        Ok(folder) => Some(folder),
        Err(why) => {
            let why = format!("the provider cannot be installed ({why})");
            fingerpost_testkit::skipped("sign-in by a provider", &why);
            None
        }
    };
    FOLDER.get_or_init(bring).as_deref()
}

fn bring() -> Result<PathBuf, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/oidc");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("oidc-tests");
    let say = |error: std::io::Error| error.to_string();
    let version = run("node", &["--print", "process.versions.node"], &source)?;
    let major = version.split('.').next().and_then(|major| major.parse().ok());
    if major.is_none_or(|major: u32| major < OLDEST_NODE) {
        return Err(format!("it needs node {OLDEST_NODE} or newer, found {version}"));
    }
    fs::create_dir_all(&folder).map_err(say)?;
    let lock = fs::read(source.join("package-lock.json")).map_err(say)?;
    // Written last: what it describes is there.
    let brought = folder.join("brought.json");
    if fs::read(&brought).ok().as_ref() != Some(&lock) {
        for file in ["package.json", "package-lock.json"] {
            fs::copy(source.join(file), folder.join(file)).map_err(say)?;
        }
        run("npm", &["ci", "--ignore-scripts", "--silent"], &folder)?;
        fs::write(&brought, lock).map_err(say)?;
    }
    fs::copy(source.join("provider.mjs"), folder.join("provider.mjs")).map_err(say)?;
    Ok(folder)
}

fn run(program: &str, arguments: &[&str], folder: &Path) -> Result<String, String> {
    let ran = Command::new(program).args(arguments).current_dir(folder).output();
    let output = ran.map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}
