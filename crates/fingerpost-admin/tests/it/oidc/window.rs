//! A real browser: it alone knows which cookies it sends after it came from another site.

use fingerpost_testkit::Browser;
use serde_json::{Value, json};

/// A browser with one page.
pub(crate) struct Window(Browser);

impl Window {
    /// `None`, reported on the terminal, where there is no browser.
    pub(crate) fn open() -> Option<Self> {
        Browser::start("cookies in a browser", &[], &json!({})).map(Self)
    }

    pub(crate) fn go(&self, url: &str) {
        self.0.post("/url", &json!({ "url": url })).expect("the page loads");
    }

    /// What the body of a function gives in the page that is shown.
    pub(crate) fn run(&self, script: &str) -> Value {
        let script = json!({ "script": script, "args": [] });
        self.0.post("/execute/sync", &script).unwrap_or_else(|why| json!(why))
    }
}
