//! A client of the admin API, for tests of whole installations.

use serde_json::Value;
use ureq::Agent;

use super::{Sandbox, Server};

/// The admin side of a server, with a key.
pub(crate) struct Api {
    agent: Agent,
    pub(crate) url: String,
    key: String,
}

impl Api {
    pub(crate) fn new(url: &str, key: &str) -> Self {
        let config = Agent::config_builder().proxy(None).http_status_as_error(false);
        Self { agent: config.build().new_agent(), url: url.to_owned(), key: key.to_owned() }
    }

    /// Starts a server with this configuration, and a key that may do everything.
    pub(crate) fn serve(sandbox: &Sandbox, config: &str) -> (Server, Self) {
        let config = sandbox.write("fingerpost.toml", config);
        let config = config.to_str().expect("a path of text");
        let key = Self::key(sandbox);
        let (server, url) = Server::start_with_admin(&sandbox.data(), &["--config", config]);
        (server, Self::new(&url, &key))
    }

    /// A key that may do everything; creates the store if there is none.
    pub(crate) fn key(sandbox: &Sandbox) -> String {
        sandbox.import("").expect_status(0);
        sandbox.key(&["--verb", "read,write,admin"])
    }

    /// Sends a request with the key; returns the status and the document of the answer.
    pub(crate) fn send(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        self.ask(method, path, body, Some(&self.key))
    }

    /// Downloads a file.
    pub(crate) fn file(&self, path: &str) -> Vec<u8> {
        let request = self.agent.get(format!("{}{path}", self.url));
        let request = request.header("authorization", format!("Bearer {}", self.key));
        let mut answer = request.call().expect("an answer");
        assert_eq!(answer.status(), 200, "{path}");
        answer.body_mut().read_to_vec().expect("a body")
    }

    /// Sends a request without any credential.
    pub(crate) fn as_stranger(&self, path: &str, body: Value) -> (u16, Value) {
        self.ask("POST", path, Some(body), None)
    }

    fn ask(
        &self,
        method: &str,
        path: &str,
        body: Option<Value>,
        key: Option<&str>,
    ) -> (u16, Value) {
        let mut request =
            http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        if let Some(key) = key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let request = request.body(body.map(|body| body.to_string()).unwrap_or_default());
        let mut answer = self.agent.run(request.expect("a request")).expect("an answer");
        let text = answer.body_mut().read_to_string().expect("text");
        (answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    /// Creates an organisation with a company prefix; returns its id.
    pub(crate) fn organisation(&self, prefix: &str) -> String {
        let body = serde_json::json!({"name": "Example Teas", "prefixes": [prefix]});
        let (status, made) = self.send("POST", "/v1/organisations", Some(body));
        assert_eq!(status, 201, "{made}");
        made["id"].as_str().expect("an id").to_owned()
    }
}
