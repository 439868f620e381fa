//! An installation with a console, and somebody who signs in.

use std::sync::atomic::{AtomicU32, Ordering};

use fingerpost_testkit::Answer;

use super::session::{Browser, Person};
use crate::support::{Run, Sandbox, Server, run_with_input};

pub(super) const LOGIN: &str = "ada@example.com";
pub(super) const PASSWORD: &str = "four quiet words here";

/// What somebody would type from a package.
pub(super) const GTIN: &str = "9506000134352";
pub(super) const KEY: &str = "01/09506000134352";

/// A server with an administrator, and the address of its console.
pub(super) struct Installation {
    pub(super) sandbox: Sandbox,
    server: Server,
    console: String,
}

impl Installation {
    pub(super) fn new(records: &str) -> Self {
        Self::configured("", records)
    }

    /// The same with a configuration.
    pub(super) fn configured(config: &str, records: &str) -> Self {
        let sandbox = Sandbox::new();
        let config = sandbox.write("fingerpost.toml", config);
        if !records.is_empty() {
            sandbox.import(records).expect_status(0);
        }
        let data = sandbox.data();
        let data = data.to_str().expect("a path of text");
        create_admin(data).expect_status(0);
        let mut command = crate::support::fingerpost();
        command.args([
            "serve",
            "--data",
            data,
            "--listen",
            "127.0.0.1:0",
            "--admin-listen",
            "127.0.0.1:0",
            "--config",
        ]);
        command.arg(config);
        let mut server = Server::from_command(command);
        let lines = server.lines_until("admin listening on ");
        let console =
            lines.last().and_then(|line| line.split_whitespace().last()).expect("an address");
        Self { sandbox, console: console.to_owned(), server }
    }

    /// What the public side answers.
    pub(super) fn get(&self, target: &str) -> Answer {
        self.server.get(target)
    }

    /// What the public side answers to this.
    pub(super) fn send(&self, ask: &fingerpost_testkit::Ask) -> Answer {
        self.server.send(ask)
    }

    /// Holds the server where it is, or lets it go on.
    pub(super) fn freeze(&self, is_frozen: bool) {
        self.server.signal(if is_frozen { "STOP" } else { "CONT" });
    }

    /// Returns the address of something on the public side.
    pub(super) fn public(&self, target: &str) -> String {
        format!("http://{}{target}", self.server.address())
    }

    /// Opens the console in a browser that is not signed in yet.
    pub(super) fn open(&self, name: &'static str, person: Person) -> Option<Browser> {
        let browser = Browser::open(name, person)?;
        browser.go(&self.console);
        Some(browser)
    }

    /// Opens the console and signs in.
    pub(super) fn enter(&self, name: &'static str, person: Person) -> Option<Browser> {
        let browser = self.open(name, person)?;
        sign_in(&browser);
        browser.find("#nav-records, #menu-button");
        Some(browser)
    }

    /// Returns the address of a resource of the admin API.
    pub(super) fn api(&self, path: &str) -> String {
        format!("{}{path}", self.console.trim_end_matches('/'))
    }

    /// Loads the console with a view.
    pub(super) fn go(&self, browser: &Browser, view: &str) {
        static LOADED: AtomicU32 = AtomicU32::new(0);
        // Another fragment alone would not load it.
        let query = LOADED.fetch_add(1, Ordering::Relaxed);
        let console = self.console.trim_end_matches('/');
        browser.go(&format!("{console}/console/?{query}#/{view}"));
        wait_until_drawn(browser);
    }
}

/// Changes to another view of the console, as its links do: this takes a fifth of what loading it
/// does.
pub(super) fn switch(browser: &Browser, view: &str) {
    wait_until_drawn(browser);
    let view = serde_json::Value::from(format!("#/{view}"));
    browser.script(&format!("document.querySelector('main h1').dataset.left = ''; if (location.hash === {view}) dispatchEvent(new HashChangeEvent('hashchange')); else location.hash = {view};"));
    wait_until_drawn(browser);
}

fn wait_until_drawn(browser: &Browser) {
    browser.wait_until(
        "the view is drawn",
        "return document.querySelector('main:not([aria-busy]) h1').dataset.left === undefined",
    );
}

fn create_admin(data: &str) -> Run {
    run_with_input(
        ["admin", "create", "--data", data, "--login", LOGIN, "--name", "Ada"],
        format!("{PASSWORD}\n").as_bytes(),
    )
}

pub(super) fn sign_in(browser: &Browser) {
    sign_in_as(browser, LOGIN);
}

pub(super) fn sign_in_as(browser: &Browser, login: &str) {
    browser.find("#login").fill(login);
    browser.find("#password").fill(PASSWORD);
    browser.find("#sign-in").click();
}

pub(super) fn record(key: &str, page: &str, name: &str) -> String {
    format!(
        r#"{{"anchor":"/{key}","itemDescription":"{name}","links":[{{"linkType":"gs1:defaultLink","href":"{page}","title":"{name}"}},{{"linkType":"gs1:pip","href":"{page}","title":"{name}"}}]}}"#
    )
}
