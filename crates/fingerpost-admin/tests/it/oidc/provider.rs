//! The provider as a process of its own, brought by npm and run by node.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use crate::npm;

/// What the provider knows as the secret of the client.
pub(crate) const SECRET: &str = "the secret of the client, long enough to sign with";

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

/// The folder with the provider, installed once; `None` where node or npm are missing.
pub(crate) fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOLDER.get_or_init(|| npm::install("oidc", "sign-in by a provider")).as_deref()
}
