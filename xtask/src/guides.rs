//! `cargo xtask guides`: runs the commands shown in README and in the book, exactly as written.
//!
//! Each page gets a new folder, one shell, and the `fingerpost` of this checkout. Output shown on a
//! page is compared with the actual output. [`page`] defines the forms of blocks. Requires bash,
//! curl and zbar-tools; pages that need PostgreSQL start a server of their own. A block of commands
//! that cannot run says why, and each run prints it.

mod page;

use std::fmt::Write as _;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use page::{Block, Role, Step, blocks, fits};

use crate::test::succeeds;
use crate::workspace::{cargo, files, metadata, read, root, shown, text, verdict};

/// Environment variables and their values.
type Variables = Vec<(&'static str, String)>;

/// Time limit for one page.
const PATIENCE: Duration = Duration::from_secs(180);

/// Interval between checks whether it has ended.
const LOOK: Duration = Duration::from_millis(50);

/// Addresses that pages name; a free port replaces one that is in use on this machine.
const PUBLIC: &str = "127.0.0.1:8080";
const ADMIN: &str = "127.0.0.1:8081";
const DATABASE: &str = "127.0.0.1:5432";
const METRICS: &str = "127.0.0.1:9464";

/// Replacement for curl: a response of 400 or more fails the command, and requests have a time
/// limit.
const CURL: &str = "#!/bin/sh\nPATH=${PATH#*:}\nexec curl --fail-with-body --max-time 30 \"$@\"\n";

/// Runs all pages, or only the named ones.
pub(crate) fn run(named: &[&str]) -> Result<(), String> {
    let pages = if named.is_empty() {
        pages()?
    } else {
        named.iter().map(|name| root().join(name)).collect()
    };
    let binary = build()?;
    let mut findings = Vec::new();
    for page in &pages {
        let name = shown(page);
        match run_page(&name, &read(page)?, &binary) {
            Ok(summary) => println!("{name}: {summary}"),
            Err(finding) => findings.push(format!("{name}:{finding}")),
        }
    }
    verdict("guides", &findings)
}

/// Returns every page for users: README, the book, and the pages of the crates.
fn pages() -> Result<Vec<PathBuf>, String> {
    let mut pages = vec![root().join("README.md")];
    pages.extend(files(&root().join("docs"), &["md"])?);
    let crates = fs::read_dir(root().join("crates")).map_err(|error| format!("crates: {error}"))?;
    pages.extend(crates.flatten().map(|entry| entry.path().join("README.md")));
    pages.retain(|page| page.is_file());
    pages.sort();
    Ok(pages)
}

/// Builds the command and returns its folder; `FINGERPOST_BINARY` names a binary to use instead.
fn build() -> Result<PathBuf, String> {
    if let Some(binary) = std::env::var_os("FINGERPOST_BINARY") {
        let folder = Path::new(&binary).canonicalize().ok();
        let folder = folder.as_deref().and_then(Path::parent).map(Path::to_owned);
        return folder.ok_or_else(|| format!("FINGERPOST_BINARY: no file {}", binary.display()));
    }
    let mut build = cargo();
    build.args(["build", "--locked", "--quiet", "--package", "fingerpost"]);
    if !succeeds(&mut build)? {
        return Err("guides: the command does not build".to_owned());
    }
    Ok(Path::new(text(&metadata(false)?, "target_directory")).join("debug"))
}

/// Runs one page in a new folder; the error begins with the line of the block that failed.
fn run_page(name: &str, text: &str, binary: &Path) -> Result<String, String> {
    let (text, ports) = with_free_ports(text)?;
    let blocks = blocks(&text)?;
    for block in &blocks {
        if let Role::Skip { reason } = &block.role {
            println!("{name}:{} SKIPPED: {reason}", block.line);
        }
    }
    let runs = |block: &&Block| {
        matches!(block.role, Role::Run { .. } | Role::Background | Role::Compare { .. })
    };
    let count = blocks.iter().filter(runs).count();
    if count == 0 {
        return Ok("no commands".to_owned());
    }
    if let Some(missing) = blocks.iter().filter_map(|block| block.needs.as_deref()).find(is_missing)
    {
        println!("{name}: SKIPPED: its {count} blocks need {missing}, which this machine lacks");
        return Ok("not run".to_owned());
    }
    let lab = Lab::new(name)?;
    lab.prepare(&blocks)?;
    let mut child = lab.start(binary, &ports)?;
    let ended = wait(&mut child);
    stop_group(&child);
    let _ = child.wait();
    let finding = lab.judge(&blocks, ended);
    if finding.is_none() {
        let _ = fs::remove_dir_all(&lab.0);
    }
    finding.map_or_else(|| Ok(format!("{count} blocks ran")), Err)
}

/// Returns whether no file matches a pattern.
fn is_missing(pattern: &&str) -> bool {
    let found = Command::new("bash")
        .args(["-c", "compgen -G \"$1\"", "bash", pattern])
        .stdout(Stdio::null())
        .status();
    !found.is_ok_and(|status| status.success())
}

/// Returns the page with free ports in place of those in use, and the variables that configure
/// fingerpost accordingly.
fn with_free_ports(text: &str) -> Result<(String, Variables), String> {
    let mut text = text.to_owned();
    let mut variables = Vec::new();
    let configured = [
        (PUBLIC, Some("FINGERPOST_LISTEN")),
        (ADMIN, Some("FINGERPOST_ADMIN_LISTEN")),
        (DATABASE, None),
        (METRICS, None),
    ];
    for (address, variable) in configured {
        if TcpListener::bind(address).is_ok() {
            continue;
        }
        let free = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
        let free = free.map_err(|error| format!("0: no free port: {error}"))?.to_string();
        text = text.replace(address, &free);
        variables.extend(variable.map(|variable| (variable, free)));
    }
    Ok((text, variables))
}

/// The folder of one run: commands run in `work`, the other files belong to the runner.
struct Lab(PathBuf);

impl Lab {
    fn new(name: &str) -> Result<Self, String> {
        let unique =
            format!("fingerpost-guides-{}-{}", std::process::id(), name.replace(['/', '.'], "-"));
        let lab = Self(std::env::temp_dir().join(unique));
        for folder in ["work", "bin", "home", "state"] {
            fs::create_dir_all(lab.0.join(folder)).map_err(|error| format!("0: {error}"))?;
        }
        lab.write("bin/curl", CURL)?;
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(lab.0.join("bin/curl"), executable)
            .map_err(|error| format!("0: {error}"))?;
        Ok(lab)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        fs::write(self.0.join(name), text).map_err(|error| format!("0: {name}: {error}"))
    }

    /// Returns the content of a file of the run; `None` if the script did not get that far.
    fn printed(&self, name: &str) -> Option<String> {
        let bytes = fs::read(self.0.join("state").join(name)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Writes the script of the page, and the files that it reads.
    fn prepare(&self, blocks: &[Block]) -> Result<(), String> {
        let mut script = "set -eo pipefail\n".to_owned();
        for Block { line, text, role, .. } in blocks {
            let out = format!("../state/{line}.out");
            // Writing to a string cannot fail.
            let _ = writeln!(script, "echo {line} >../state/reached");
            match role {
                Role::Save { file } => {
                    self.write(&format!("state/{line}.saved"), text)?;
                    let _ = writeln!(script, "cp ../state/{line}.saved '{file}'");
                }
                Role::Run { input } => {
                    self.write(&format!("state/{line}.in"), &format!("{input}\n"))?;
                    let _ = writeln!(script, "{{\n{text}}} <../state/{line}.in >{out} 2>&1");
                }
                Role::Background => {
                    let _ = writeln!(
                        script,
                        "{{\n{text}}} </dev/null >{out} 2>&1 &\n{}",
                        until_listening(&out)
                    );
                }
                Role::Compare { steps, status } => {
                    for (index, step) in steps.iter().enumerate() {
                        let command = &step.command;
                        let _ = writeln!(
                            script,
                            "set +e\n{{\n{command}\n}} </dev/null >../state/{line}.{index}.out 2>&1\n\
                             status=$?; set -e; echo \"status $status\" >{out}; [ $status = {status} ]"
                        );
                    }
                }
                Role::Skip { .. } | Role::Show => {}
            }
        }
        script.push_str("echo end >../state/reached\n");
        self.write("state/script", &script)
    }

    /// Starts the script in its own process group, so that servers it leaves running can be ended.
    fn start(&self, binary: &Path, ports: &[(&'static str, String)]) -> Result<Child, String> {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("bash");
        for (name, _) in std::env::vars_os() {
            let upper = name.to_string_lossy().to_uppercase();
            if upper.starts_with("FINGERPOST_")
                || upper.ends_with("_PROXY")
                || upper.starts_with("XDG_")
            {
                command.env_remove(name);
            }
        }
        command
            .arg("../state/script")
            .current_dir(self.0.join("work"))
            .env("PATH", format!("{}:{}:{path}", self.0.join("bin").display(), binary.display()))
            .env("HOME", self.0.join("home"))
            .envs(ports.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|error| format!("0: cannot start bash: {error}"))
    }

    /// Returns the failure, beginning with the line of the block.
    fn judge(&self, blocks: &[Block], ended: bool) -> Option<String> {
        for Block { line, role, .. } in blocks {
            let Role::Compare { steps, .. } = role else { continue };
            for (index, step) in steps.iter().enumerate() {
                let Some(printed) = self.printed(&format!("{line}.{index}.out")) else { break };
                let lines: Vec<&str> = printed.lines().collect();
                if !fits(&step.output, &lines) {
                    let Step { command, output } = step;
                    let (shown, printed) = (indented(&output.join("\n")), indented(&printed));
                    return Some(format!(
                        "{line}: `{command}`\n  shown:{shown}\n  printed:{printed}"
                    ));
                }
            }
        }
        let reached = self.printed("reached").unwrap_or_default();
        let reached = reached.trim();
        if reached == "end" {
            return None;
        }
        let printed = indented(&self.printed(&format!("{reached}.out")).unwrap_or_default());
        let what = if ended { "failed" } else { "did not end in time" };
        let folder = self.0.display();
        Some(format!("{reached}: the block {what} (its folder is {folder}); it printed{printed}"))
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("\n    {line}")).collect()
}

/// Waits until a server whose output goes to a file reports that it listens.
fn until_listening(out: &str) -> String {
    format!(
        "for _ in $(seq 200); do grep -q '^listening on' {out} && break; sleep 0.1; done\n\
         grep -q '^listening on' {out}"
    )
}

/// Returns whether the script ended by itself.
fn wait(child: &mut Child) -> bool {
    for _ in 0..PATIENCE.as_millis() / LOOK.as_millis() {
        if !matches!(child.try_wait(), Ok(None)) {
            return true;
        }
        thread::sleep(LOOK);
    }
    false
}

/// Ends the processes that the script left running.
fn stop_group(child: &Child) {
    let group = format!("kill -TERM -- -{}", child.id());
    let _ = Command::new("bash").args(["-c", &group]).stderr(Stdio::null()).status();
}
