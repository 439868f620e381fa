//! A real browser, driven by W3C WebDriver: it alone knows which cookies it sends after it came from another site.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;

/// Time for one step.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with its driver; both end when this is dropped.
pub(crate) struct Window {
    agent: Agent,
    session: String,
    driver: Child,
    _output: BufReader<ChildStdout>,
    _profile: tempfile::TempDir,
}

impl Window {
    /// `None`, told aloud: there is no browser here.
    pub(crate) fn open() -> Option<Self> {
        for program in ["chromium", "chromedriver"] {
            if Command::new(program).arg("--version").output().is_err() {
                assert!(std::env::var_os("CI").is_none(), "{program} is missing");
                eprintln!(
                    "SKIPPED: cookies are not tested in a browser, for there is no {program}"
                );
                return None;
            }
        }
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver was there before");
        let mut output = BufReader::new(driver.stdout.take().expect("its output"));
        let mut lines = output.by_ref().lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            let (_, port) = line.rsplit_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let session = format!("http://127.0.0.1:{}/session", port.expect("it names its port"));
        let config = Agent::config_builder().timeout_global(Some(PATIENCE)).proxy(None);
        let profile = tempfile::tempdir().expect("a folder");
        let agent = config.http_status_as_error(false).build().into();
        let mut window = Self { agent, session, driver, _output: output, _profile: profile };
        let folder = window._profile.path().display();
        let arguments = json!([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-proxy-server",
            format!("--user-data-dir={folder}")
        ]);
        let wanted =
            json!({ "browserName": "chrome", "goog:chromeOptions": { "args": arguments } });
        let made = window.command("", &json!({ "capabilities": { "alwaysMatch": wanted } }));
        let id = made["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {made}"));
        window.session = format!("{}/{id}", window.session);
        Some(window)
    }

    pub(crate) fn go(&self, url: &str) {
        let said = self.command("/url", &json!({ "url": url }));
        assert!(said.is_null(), "{said}");
    }

    /// What the body of a function gives in the page that is shown.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.command("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    fn command(&self, command: &str, body: &Value) -> Value {
        let request = self.agent.post(format!("{}{command}", self.session));
        let request = request.header("Content-Type", "application/json");
        let mut answer = request.send(body.to_string()).expect("chromedriver answers");
        let text = answer.body_mut().read_to_string().expect("text");
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        answer["value"].clone()
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // Ends the browser; it may have ended.
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
