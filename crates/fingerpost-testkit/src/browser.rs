//! A real browser: Debian's chromium, driven by W3C WebDriver through its own chromedriver, with
//! the dozen commands that tests need. Its build without windows is preferred, which has the same
//! engine and less to start.
//!
//! WebDriver crates include their own HTTP stack and enable features of `serde_json` for all tests,
//! which would then run with other code than what is shipped.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use ureq::Agent;

use crate::PATIENCE;

/// The name of the member that holds a reference to an element (WebDriver, section 12).
pub const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Idle browsers of tests that passed, the latest last. Starting a browser takes as much processor
/// time as a test, so the next test with the same arguments and options uses one of these.
static IDLE: Mutex<Vec<Running>> = Mutex::new(Vec::new());

/// The maximum number of idle browsers; each has about 300 MB of memory.
const MAX_IDLE: usize = 4;

/// Runs the driver until its input ends, which happens at the latest with the process of the tests;
/// then ends it with its browser and deletes the profile, which the driver makes in its folder for
/// temporary files. What ends the tests by a signal to their
/// process group must not end this first.
const KEEPER: &str = r#"
TMPDIR=$1 setsid chromedriver --port=0 </dev/null &
trap '' HUP INT TERM
exec >/dev/null
read -r _
kill -s KILL -- -$!
wait $!
rm -rf "$1"
"#;

/// A browser with its own driver and profile, without cookies, storage or cache of other tests.
#[derive(Debug)]
pub struct Browser {
    /// `None` after it was dropped.
    running: Option<Running>,
    /// Whether commands of Chrome's own protocol may have changed more than
    /// [`Running::is_clean_again`] resets.
    is_altered: AtomicBool,
}

#[derive(Debug)]
struct Running {
    agent: Agent,
    session: String,
    keeper: Child,
    /// The arguments and options.
    kind: String,
}

impl Browser {
    /// Starts a browser for `test`, with further arguments and `goog:chromeOptions`. Returns
    /// `None`, and reports that on the terminal, if there is no browser.
    ///
    /// # Panics
    ///
    /// If `CI` is set and there is no browser, or it does not start.
    pub fn start(test: &str, arguments: &[String], options: &Value) -> Option<Self> {
        if installed("chromedriver").and(browser()).is_none() {
            let why = "no browser is installed (Debian: chromium-driver chromium-headless-shell)";
            crate::skipped(test, why);
            return None;
        }
        let kind = format!("{arguments:?} {options}");
        let take = || {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            let at = idle.iter().rposition(|running| running.kind == kind)?;
            Some(idle.remove(at))
        };
        let running = take().unwrap_or_else(|| Running::start(kind.clone(), arguments, options));
        Some(Self { running: Some(running), is_altered: AtomicBool::new(false) })
    }

    /// Sends a command with a body and returns the value of the answer.
    pub fn post(&self, command: &str, body: &Value) -> Result<Value, String> {
        if command.starts_with("/goog/") {
            self.is_altered.store(true, Ordering::Relaxed);
        }
        self.running()?.post(command, body)
    }

    /// Sends a GET command.
    pub fn get(&self, command: &str) -> Result<Value, String> {
        self.running()?.get(command)
    }

    /// Sends a DELETE command.
    pub fn delete(&self, command: &str) -> Result<Value, String> {
        let running = self.running()?;
        value(running.agent.delete(format!("{}{command}", running.session)).call())
    }

    fn running(&self) -> Result<&Running, String> {
        self.running.as_ref().ok_or_else(|| "the browser has ended".to_owned())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let Some(running) = self.running.take() else { return };
        let is_altered = *self.is_altered.get_mut() || std::thread::panicking();
        if is_altered || running.is_clean_again() != Ok(true) {
            return;
        }
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(running);
        let oldest = (idle.len() > MAX_IDLE).then(|| idle.remove(0));
        drop(idle);
        drop(oldest);
    }
}

impl Running {
    fn start(kind: String, arguments: &[String], options: &Value) -> Self {
        let (keeper, port) = (0..STARTS).find_map(|_| driver()).expect("a driver starts");
        let config = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .proxy(None)
            .build();
        let session = format!("http://127.0.0.1:{port}/session");
        let mut running = Self { agent: config.into(), session, keeper, kind };
        let capabilities = capabilities(arguments, options);
        let answer = running.post("", &json!({ "capabilities": { "alwaysMatch": capabilities } }));
        let answer = answer.unwrap_or_else(|why| panic!("chromedriver starts no browser: {why}"));
        let id = answer["sessionId"].as_str().expect("a session has an id");
        running.session = format!("{}/{id}", running.session);
        running
    }

    fn post(&self, command: &str, body: &Value) -> Result<Value, String> {
        let request = self.agent.post(format!("{}{command}", self.session));
        let request = request.header("Content-Type", "application/json; charset=utf-8");
        value(request.send(body.to_string()))
    }

    fn get(&self, command: &str) -> Result<Value, String> {
        value(self.agent.get(format!("{}{command}", self.session)).call())
    }

    /// Deletes what a test left behind, and moves to a new window, because storage of a session
    /// belongs to a window. Returns whether that window is the only one.
    fn is_clean_again(&self) -> Result<bool, String> {
        for (command, parameters) in [
            ("Network.clearBrowserCookies", json!({})),
            ("Network.clearBrowserCache", json!({})),
            ("Storage.clearDataForOrigin", json!({ "origin": "*", "storageTypes": "all" })),
        ] {
            let body = json!({ "cmd": command, "params": parameters });
            self.post("/goog/cdp/execute", &body)?;
        }
        let window = self.post("/window/new", &json!({ "type": "tab" }))?;
        value(self.agent.delete(format!("{}/window", self.session)).call())?;
        self.post("/window", &json!({ "handle": window["handle"] }))?;
        self.post("/se/log", &json!({ "type": "browser" }))?;
        Ok(self.get("/window/handles")? == json!([window["handle"]]))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// How often a driver is started that ends at once.
const STARTS: usize = 10;

/// Starts a driver with a folder for temporary files; returns its port, too. It looks for a free
/// one and ends if another program takes that before the driver does.
fn driver() -> Option<(Child, u16)> {
    let memory = Path::new("/dev/shm");
    let folder = if is_roomy(memory) { memory } else { &std::env::temp_dir() };
    let temporary = tempfile::tempdir_in(folder).expect("a temporary directory").keep();
    let mut keeper = Command::new("sh")
        .args(["-c", KEEPER, "sh"])
        .arg(temporary)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a shell can be run");
    let stdout = keeper.stdout.take().expect("its output is a pipe");
    let port = BufReader::new(stdout).lines().map_while(Result::ok).find_map(|line| {
        let (_, port) = line.rsplit_once("started successfully on port ")?;
        port.trim_end_matches('.').parse::<u16>().ok()
    });
    if port.is_none() {
        drop(keeper.stdin.take());
        let _ = keeper.wait();
    }
    Some((keeper, port?))
}

/// Returns the value of an answer (WebDriver, section 6.3).
fn value(answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value, String> {
    let mut answer = answer.map_err(|error| error.to_string())?;
    let text = answer.body_mut().with_config().limit(64 << 20).read_to_string();
    let text = text.map_err(|error| error.to_string())?;
    let mut whole: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let value = whole["value"].take();
    if answer.status().is_success() {
        Ok(value)
    } else {
        Err(format!("{}: {}", value["error"], value["message"].as_str().unwrap_or_default()))
    }
}

fn capabilities(arguments: &[String], options: &Value) -> Value {
    let mut all = vec![
        "--headless=new".to_owned(),
        // Containers have no user namespaces for the sandbox; all pages are our own.
        "--no-sandbox".to_owned(),
        "--disable-gpu".to_owned(),
        // Pictures are drawn in the process of the browser, which then exchanges fewer messages.
        "--in-process-gpu".to_owned(),
        "--no-proxy-server".to_owned(),
        // Each page of a site would keep a process, and one more would wait for the next site.
        "--disable-features=BackForwardCache,SpareRendererForSitePerProcess".to_owned(),
    ];
    if !is_roomy(Path::new("/dev/shm")) {
        all.push("--disable-dev-shm-usage".to_owned());
    }
    all.extend_from_slice(arguments);
    let mut chrome = json!({ "binary": browser(), "args": all });
    for (name, value) in options.as_object().into_iter().flatten() {
        chrome[name] = value.clone();
    }
    json!({
        "browserName": "chrome",
        "goog:chromeOptions": chrome,
        "goog:loggingPrefs": { "browser": "ALL" },
    })
}

/// Returns whether browsers have enough space in a folder, as Debian's launcher of Chromium decides
/// it; in containers `/dev/shm` is often small.
fn is_roomy(folder: &Path) -> bool {
    let found = Command::new("findmnt").args(["-bnro", "avail", "-T"]).arg(folder).output();
    let bytes =
        found.ok().and_then(|it| String::from_utf8_lossy(&it.stdout).lines().next()?.parse().ok());
    bytes.is_some_and(|bytes: u64| bytes > 4 << 30)
}

fn browser() -> Option<PathBuf> {
    ["chromium-headless-shell", "chromium"].into_iter().find_map(installed)
}

fn installed(program: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).map(|folder| folder.join(program)).find(|path| path.is_file())
}
