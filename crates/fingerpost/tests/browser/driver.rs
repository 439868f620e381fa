//! Speaks W3C WebDriver with a chromedriver of its own: the dozen commands that these tests need.
//!
//! The crates for it bring an HTTP stack of their own and switch on features of `serde_json` for all tests, so that these would
//! run with other code than what is shipped.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;

/// How long one command may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The name of the member that holds a reference to an element (WebDriver, section 12).
pub(crate) const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A session: one browser, ended when this is dropped.
pub(crate) struct Driver {
    agent: Agent,
    session: String,
    process: Child,
}

impl Driver {
    /// Starts chromedriver, and a browser with these capabilities.
    pub(crate) fn start(capabilities: &Value) -> Self {
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let stdout = process.stdout.take().expect("its output is a pipe");
        let port = BufReader::new(stdout).lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.rsplit_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let port = port.expect("chromedriver names its port");
        let config = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .proxy(None)
            .build();
        let session = format!("http://127.0.0.1:{port}/session");
        let mut driver = Self { agent: config.into(), session, process };
        let answer = driver.post("", &json!({ "capabilities": { "alwaysMatch": capabilities } }));
        let answer = answer.unwrap_or_else(|why| panic!("chromedriver starts no browser: {why}"));
        let id = answer["sessionId"].as_str().expect("a session has an id");
        driver.session = format!("{}/{id}", driver.session);
        driver
    }

    /// Sends a command with a body; the value of the answer, or what went wrong.
    pub(crate) fn post(&self, command: &str, body: &Value) -> Result<Value, String> {
        let request = self.agent.post(format!("{}{command}", self.session));
        let request = request.header("Content-Type", "application/json; charset=utf-8");
        value(request.send(body.to_string()))
    }

    /// Asks for something.
    pub(crate) fn get(&self, command: &str) -> Result<Value, String> {
        value(self.agent.get(format!("{}{command}", self.session)).call())
    }

    /// Removes something.
    pub(crate) fn delete(&self, command: &str) -> Result<Value, String> {
        value(self.agent.delete(format!("{}{command}", self.session)).call())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.delete(""); // ends the browser; it may have ended
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The value of an answer (WebDriver, section 6.3).
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
