//! Programs that end with the process of the tests, however that ends; and small disks.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use crate::servers::{as_server_user, is_root, signal};

/// Runs a program until its input ends.
const KEEPER: &str = r#"
log=$1; shift
"$@" >>"$log" 2>&1 &
echo $!
trap '' HUP INT TERM
read -r last
kill -KILL $! 2>/dev/null
wait $!
"#;

/// A running program, as the user of database servers.
#[derive(Debug)]
pub(crate) struct Kept {
    keeper: Child,
    input: Option<ChildStdin>,
    pid: u32,
}

impl Kept {
    /// Starts a program with a file for its messages, which belongs to the user of servers.
    ///
    /// # Panics
    ///
    /// If no shell can be started.
    pub(crate) fn start(log: &Path, program: &str, arguments: &[&str]) -> Self {
        let mut keeper = as_server_user("sh");
        keeper.args(["-c", KEEPER, "sh"]).arg(log).arg(program).args(arguments);
        // Ctrl-C and `timeout` end the group of the tests; the keeper must outlive it.
        keeper.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut keeper = keeper.spawn().expect("a shell runs");
        let input = keeper.stdin.take();
        let mut line = String::new();
        let output = keeper.stdout.take().expect("its output is piped");
        BufReader::new(output).read_line(&mut line).expect("the shell tells the process");
        let pid = line.trim().parse().expect("the number of a process");
        Self { keeper, input, pid }
    }

    /// Kills the program.
    pub(crate) fn kill(&self) {
        signal("KILL", self.pid);
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.keeper.wait();
    }
}

/// Finds a program by its name.
pub fn installed(program: &str, package: &str) -> Result<PathBuf, String> {
    let directories = ["/usr/bin", "/usr/sbin", "/usr/local/bin"];
    let found = directories
        .iter()
        .map(|directory| Path::new(directory).join(program))
        .find(|path| path.exists());
    found.ok_or_else(|| format!("`{program}` is not installed: apt-get install {package}"))
}

/// A small disk in memory.
#[derive(Debug)]
pub struct Disk {
    dir: tempfile::TempDir,
}

impl Disk {
    /// Mounts a disk of so many MiB, which everybody can write to.
    ///
    /// # Panics
    ///
    /// If there is no temporary directory.
    pub fn mount(size: u32) -> Result<Self, String> {
        if !is_root() {
            return Err("only root can mount a small disk".to_owned());
        }
        let dir = tempfile::tempdir().expect("a temporary directory");
        let options = format!("size={size}m,mode=1777");
        let mut mount = Command::new("mount");
        let output = mount.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(dir.path()).output();
        // Servers reach it as another user.
        let _ = Command::new("chmod").arg("1777").arg(dir.path()).status();
        match output {
            Ok(output) if output.status.success() => Ok(Self { dir }),
            Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim_end().to_owned()),
            Err(error) => Err(format!("mount: {error}")),
        }
    }

    /// Returns the directory of the disk.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Uses up all but so many KiB.
    ///
    /// # Panics
    ///
    /// If the file that does it cannot be written.
    pub fn fill(&self, but: u64) {
        let directory = self.path();
        let mut free = Command::new("df");
        let output = free.args(["--output=avail", "-k"]).arg(directory).output().expect("df runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let free: u64 =
            text.lines().last().and_then(|line| line.trim().parse().ok()).expect("a number");
        let mut file = Command::new("fallocate");
        let length = format!("{}KiB", free.saturating_sub(but).max(1));
        let made = file.args(["-l", &length]).arg(directory.join("filler")).status();
        assert!(made.is_ok_and(|status| status.success()), "{length} of {directory:?}");
    }

    /// Frees what was used up.
    pub fn free(&self) {
        let _ = std::fs::remove_file(self.path().join("filler"));
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.dir.path()).status();
    }
}
