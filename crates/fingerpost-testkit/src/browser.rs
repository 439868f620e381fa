//! A real browser: Debian's chromium, driven by W3C WebDriver through its own chromedriver, with
//! the dozen commands that tests need.
//!
//! WebDriver crates include their own HTTP stack and enable features of `serde_json` for all tests,
//! which would then run with other code than what is shipped.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::Agent;

/// Time limit of one command.
const PATIENCE: Duration = Duration::from_secs(60);

/// The name of the member that holds a reference to an element (WebDriver, section 12).
pub const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with its own driver and profile; all end when this is dropped.
#[derive(Debug)]
pub struct Browser {
    agent: Agent,
    session: String,
    process: Child,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser for `test`, with further arguments and `goog:chromeOptions`. Returns
    /// `None`, and reports that on the terminal, if there is no browser.
    ///
    /// # Panics
    ///
    /// If `CI` is set and there is no browser, or it does not start.
    pub fn start(test: &str, arguments: &[String], options: &Value) -> Option<Self> {
        let missing =
            ["chromedriver", "chromium"].into_iter().find(|name| installed(name).is_none());
        if let Some(program) = missing {
            let why = format!("{program} is not installed (Debian: chromium chromium-driver)");
            crate::skipped(test, &why);
            return None;
        }
        let profile = tempfile::tempdir().expect("a temporary directory");
        Some(Self::with_profile(&capabilities(profile.path(), arguments, options), profile))
    }

    fn with_profile(capabilities: &Value, profile: TempDir) -> Self {
        let (process, port) = (0..STARTS).find_map(|_| driver()).expect("chromedriver starts");
        let config = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .proxy(None)
            .build();
        let session = format!("http://127.0.0.1:{port}/session");
        let mut browser = Self { agent: config.into(), session, process, _profile: profile };
        let answer = browser.post("", &json!({ "capabilities": { "alwaysMatch": capabilities } }));
        let answer = answer.unwrap_or_else(|why| panic!("chromedriver starts no browser: {why}"));
        let id = answer["sessionId"].as_str().expect("a session has an id");
        browser.session = format!("{}/{id}", browser.session);
        browser
    }

    /// Sends a command with a body and returns the value of the answer.
    pub fn post(&self, command: &str, body: &Value) -> Result<Value, String> {
        let request = self.agent.post(format!("{}{command}", self.session));
        let request = request.header("Content-Type", "application/json; charset=utf-8");
        value(request.send(body.to_string()))
    }

    /// Sends a GET command.
    pub fn get(&self, command: &str) -> Result<Value, String> {
        value(self.agent.get(format!("{}{command}", self.session)).call())
    }

    /// Sends a DELETE command.
    pub fn delete(&self, command: &str) -> Result<Value, String> {
        value(self.agent.delete(format!("{}{command}", self.session)).call())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.delete(""); // ends the browser, which may have ended already
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// How often a driver is started that ends at once.
const STARTS: usize = 10;

/// Starts a driver; returns its port, too. It looks for a free one and ends if another program
/// takes that before the driver does.
fn driver() -> Option<(Child, u16)> {
    let mut process = Command::new("chromedriver")
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver can be run");
    let stdout = process.stdout.take().expect("its output is a pipe");
    let port = BufReader::new(stdout).lines().map_while(Result::ok).find_map(|line| {
        let (_, port) = line.rsplit_once("started successfully on port ")?;
        port.trim_end_matches('.').parse::<u16>().ok()
    });
    if port.is_none() {
        let _ = process.kill();
        let _ = process.wait();
    }
    Some((process, port?))
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

fn capabilities(profile: &Path, arguments: &[String], options: &Value) -> Value {
    let mut all = vec![
        "--headless=new".to_owned(),
        // Containers have no user namespaces for the sandbox; all pages are our own.
        "--no-sandbox".to_owned(),
        "--disable-gpu".to_owned(),
        "--disable-dev-shm-usage".to_owned(),
        "--no-proxy-server".to_owned(),
        format!("--user-data-dir={}", profile.display()),
    ];
    all.extend_from_slice(arguments);
    let mut chrome = json!({ "binary": installed("chromium"), "args": all });
    for (name, value) in options.as_object().into_iter().flatten() {
        chrome[name] = value.clone();
    }
    json!({
        "browserName": "chrome",
        "goog:chromeOptions": chrome,
        "goog:loggingPrefs": { "browser": "ALL" },
    })
}

fn installed(program: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).map(|folder| folder.join(program)).find(|path| path.is_file())
}
