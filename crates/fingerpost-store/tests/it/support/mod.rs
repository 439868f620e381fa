//! What the tests of stores share: keys, entries, and processes to kill.

use std::io::{BufRead, BufReader};
use std::ops::{Bound, ControlFlow};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Entry, Rules, Vocabulary, read_record};
use fingerpost_store::{ChangeKind, Revision, Store, StoreError, StoreOptions, View};
pub(crate) use fingerpost_testkit::open_store as open_with;
pub(crate) use fingerpost_testkit::{kills, report_kills};

/// Canonical text of the key level of the `n`th GTIN of company prefix 9506000.
pub(crate) fn gtin(n: u32) -> String {
    let digits = format!("09506000{n:05}");
    let sum: u32 = digits
        .bytes()
        .enumerate()
        .map(|(i, digit)| u32::from(digit - b'0') * if i % 2 == 0 { 3 } else { 1 })
        .sum();
    format!("01/{digits}{}", (10 - sum % 10) % 10)
}

pub(crate) fn key(text: &str) -> EntityKey {
    EntityKey::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// All changes of a store, by revision and then by level.
pub(crate) fn changes(view: &View<'_>) -> Result<Vec<(Revision, String, ChangeKind)>, StoreError> {
    let mut changes = Vec::new();
    view.visit_changes(Bound::Unbounded, |revision, level, kind| -> Result<_, StoreError> {
        changes.push((revision, level.to_owned(), kind));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(changes)
}

/// An entry with a default link; its description tells it from others.
pub(crate) fn entry(level: &str, description: &str) -> Entry {
    build(level, description, true)
}

/// An entry whose only link is no default.
pub(crate) fn entry_without_default(level: &str, description: &str) -> Entry {
    build(level, description, false)
}

fn build(level: &str, description: &str, default: bool) -> Entry {
    let link = |link_type| serde_json::json!({"linkType": link_type, "href": "https://example.com/p", "title": "Product"});
    let mut links = vec![link("gs1:pip")];
    if default {
        links.push(link("gs1:defaultLink"));
    }
    let record = serde_json::json!({
        "anchor": format!("/{level}"),
        "itemDescription": description,
        "links": links,
    });
    let vocabulary = Vocabulary::builtin();
    match read_record(record.to_string().as_bytes(), &Rules::new(&vocabulary)) {
        Ok(accepted) => accepted.entry,
        Err(refused) => panic!("{level}: {refused}"),
    }
}

pub(crate) fn description(entry: &Entry) -> &str {
    entry.item_description().unwrap_or_default()
}

pub(crate) fn open(dir: &Path) -> Store {
    open_with(dir, StoreOptions::default())
}

/// Returns the folder in which a process started by [`this_test`] works.
pub(crate) fn work_of_this_process() -> PathBuf {
    std::env::var_os(WORK).map(PathBuf::from).expect("started by another test")
}

/// Reports on the terminal that a test cannot run here. The test harness captures `eprintln!`, so
/// this writes past it.
pub(crate) fn skipped(why: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// A command that runs the test `name` of this very program in a process of its own, with `dir` as
/// its [`work_of_this_process`].
pub(crate) fn this_test(name: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--include-ignored", "--nocapture"]).env(WORK, dir);
    command
}

/// The same behind a shell line, which receives the program and its arguments as `"$@"`.
pub(crate) fn this_test_in_shell(line: &str, name: &str, dir: &Path) -> Command {
    let plain = this_test(name, dir);
    let mut command = Command::new("bash");
    command.args(["-c", line, "bash"]).arg(plain.get_program()).args(plain.get_args());
    command.env(WORK, dir);
    command
}

/// Tells the starting process something. A line of its own, because the test harness leaves lines
/// open.
pub(crate) fn report(text: impl std::fmt::Display) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    write!(out, "\n{SAID}{text}\n").and_then(|()| out.flush()).unwrap();
}

/// A running process and what it says.
pub(crate) struct Talking {
    pub(crate) child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Talking {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The next thing said; `None` when the process has ended.
    pub(crate) fn next(&mut self) -> Option<String> {
        // A process killed while it writes may leave an incomplete line, which `say` never means:
        // the line end is part of the same write.
        self.lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix(SAID).map(str::to_owned))
    }

    /// Kills the process as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

const WORK: &str = "FINGERPOST_STORE_TEST_DIR";
const SAID: &str = "said: ";
