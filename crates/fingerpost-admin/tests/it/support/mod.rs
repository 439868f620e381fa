//! A running listener with accounts, and a client that sends exactly what it is told.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;

use fingerpost_admin::{AdminServer, Config, Site};
use fingerpost_http::Shutdown;
use fingerpost_options::{Document, Section};
use fingerpost_public as public;
use fingerpost_registry::{
    Caller, Id, Membership, NewKey, NewOrganisation, NewUser, Registry, RegistryOptions, Role,
    Secret, Verb,
};
use fingerpost_store::{Store, StoreOptions};
use fingerpost_testkit::{PATIENCE, UNHURRIED};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

pub(crate) const PASSWORD: &str = "correct horse battery staple";

/// A product of the first organisation, and one of the second.
pub(crate) const OWN: &str = "01/09506000134352";
pub(crate) const FOREIGN: &str = "01/09520123456788";

/// A listener that runs until it is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) registry: Registry,
    pub(crate) accounts: Accounts,
    shutdown: Shutdown,
    thread: Option<JoinHandle<()>>,
    _folder: tempfile::TempDir,
}

/// Who may do what.
pub(crate) struct Accounts {
    pub(crate) own: Id,
    /// Administers the installation.
    pub(crate) root: Secret,
    /// Reads, writes and administers the first organisation.
    pub(crate) admin: Secret,
    pub(crate) writer: Secret,
    pub(crate) reader: Secret,
    pub(crate) expired: Secret,
    pub(crate) revoked: Secret,
    /// All verbs, in the second organisation.
    pub(crate) stranger: Secret,
}

impl Accounts {
    /// `past` is the same registry an hour ago.
    fn new(registry: &Registry, past: &Registry) -> Self {
        let local = Caller::local("test");
        let organisation = |name: &str, prefix: &str| {
            let new = NewOrganisation {
                name: name.into(),
                prefixes: vec![prefix.into()],
                ..NewOrganisation::default()
            };
            registry.create_organisation(&local, new).expect("an organisation").id
        };
        let (own, foreign) = (organisation("First", "9506000"), organisation("Second", "9520123"));
        let key_of = |registry: &Registry, label: &str, organisation, verbs: &[Verb], expires| {
            let new = NewKey {
                label: label.into(),
                organisation,
                verbs: verbs.to_vec(),
                prefix: None,
                expires,
                for_organisation: false,
            };
            registry.create_key(&local, new).expect("a key")
        };
        let key = |label: &str, organisation: Option<Id>, verbs: &[Verb]| {
            key_of(registry, label, organisation, verbs, None)
        };
        let all = [Verb::Read, Verb::Write, Verb::Admin];
        let over = now().checked_sub(SignedDuration::from_mins(30)).expect("an instant");
        let revoked = key("revoked", Some(own), &all);
        registry.revoke_key(&local, &revoked.0.id).expect("revoked");
        let user = NewUser {
            login: "ada".into(),
            name: "Ada".into(),
            password: Some(Secret::new(PASSWORD)),
            memberships: vec![Membership { organisation: Some(own), role: Role::Admin }],
        };
        registry.create_user(&local, user).expect("a person");
        Self {
            own,
            root: key("root", None, &all).1,
            admin: key("admin", Some(own), &all).1,
            writer: key("writer", Some(own), &[Verb::Read, Verb::Write]).1,
            reader: key("reader", Some(own), &[Verb::Read]).1,
            expired: key_of(past, "expired", Some(own), &all, Some(over)).1,
            revoked: revoked.1,
            stranger: key("stranger", Some(foreign), &all).1,
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test that lets a key expire needs the current time"
)]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

/// As old as needed for keys to have expired.
fn an_hour_ago() -> Timestamp {
    now().checked_sub(SignedDuration::from_hours(1)).expect("an instant")
}

/// The configuration of the admin side beside that of the public side, as the command reads them.
pub(crate) fn config(text: &str) -> Config {
    let all = public::Config::sections().into_iter().chain(Config::sections());
    let sections: Vec<Section> = all.map(|(_, section)| section).collect();
    let mut document = Document::parse("configuration", text, &sections).expect("a document");
    let (key, value) = UNHURRIED;
    document.overlay_flag("tests", key, value, &[]).expect("an option");
    let public = public::Config::read(&document).expect("a public side");
    let site = Site {
        settings: public.settings().clone(),
        vocabulary: public.vocabulary().clone(),
        root_is_default: public.root_is_default(),
        trusted_proxies: public.trusted_proxies().to_vec(),
        limits: public.limits().clone(),
    };
    Config::read(&document, site).expect("an admin side")
}

pub(crate) fn start() -> Running {
    start_with("")
}

/// `more`: lines of the configuration, with `{own}` for the id of the first organisation.
pub(crate) fn start_with(more: &str) -> Running {
    let folder = tempfile::tempdir().expect("a folder");
    let options = StoreOptions::default();
    let store = Arc::new(Store::open(folder.path(), options).expect("a store"));
    let plain = RegistryOptions::new();
    let past = Registry::new(Arc::clone(&store), plain.clone().clock(an_hour_ago));
    let accounts = Accounts::new(&Registry::new(Arc::clone(&store), plain), &past);
    let more = more.replace("{own}", accounts.own.as_str());
    let admin = if more.contains("[admin]") { "" } else { "[admin]\nlisten = \"127.0.0.1:0\"\n" };
    let config = config(&format!("{more}\n{admin}"));
    let registry = Registry::new(store, fingerpost_admin::registry_options(&config));
    let server = AdminServer::bind(&config, registry.clone()).expect("a listener");
    let address = server.local_addrs()[0];
    let shutdown = Shutdown::new();
    let order = shutdown.clone();
    let thread = std::thread::spawn(move || server.run(&order).expect("served"));
    Running { address, registry, accounts, shutdown, thread: Some(thread), _folder: folder }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shutdown.trigger();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            if !std::thread::panicking() {
                ended.expect("the listener ended well");
            }
        }
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    /// What must not differ between two requests: all but the id of the request and the date.
    pub(crate) fn essence(&self) -> (u16, Vec<(String, String)>, String) {
        let mut fields = self.fields.clone();
        fields.retain(|(name, _)| name != "x-request-id" && name != "date");
        let body = match serde_json::from_slice::<Value>(&self.body) {
            Ok(mut body) => {
                if let Some(members) = body.as_object_mut() {
                    members.remove("requestId");
                }
                body.to_string()
            }
            Err(_) => self.text(),
        };
        (self.status, fields, body)
    }
}

/// A request, field by field.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    method: String,
    target: String,
    fields: Vec<(String, String)>,
    body: Vec<u8>,
}

pub(crate) fn ask(method: &str, target: &str) -> Ask {
    Ask { method: method.into(), target: target.into(), fields: Vec::new(), body: Vec::new() }
}

impl Ask {
    pub(crate) fn field(mut self, name: &str, value: &str) -> Self {
        self.fields.push((name.into(), value.into()));
        self
    }

    pub(crate) fn key(self, key: &Secret) -> Self {
        let value = format!("Bearer {}", key.expose());
        self.field("Authorization", &value)
    }

    pub(crate) fn body(mut self, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.field("Content-Type", media_type)
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    pub(crate) fn to(&self, running: &Running) -> Answer {
        let mut stream = connect(running);
        stream.write_all(&self.bytes(running)).expect("sent");
        read_answer(&mut stream).expect("an answer")
    }

    pub(crate) fn bytes(&self, running: &Running) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        let has = |name: &str| self.fields.iter().any(|(found, _)| found == name);
        if !has("Host") {
            head += &format!("Host: {}\r\n", running.address);
        }
        if !has("Content-Length") && !has("Transfer-Encoding") {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        for (name, value) in &self.fields {
            head += &format!("{name}: {value}\r\n");
        }
        head += "Connection: close\r\n\r\n";
        [head.into_bytes(), self.body.clone()].concat()
    }
}

pub(crate) fn connect(running: &Running) -> TcpStream {
    let stream = TcpStream::connect(running.address).expect("connected");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    stream
}

/// Reads until the other side closes, which `Connection: close` asks for. `None`: it closed without
/// an answer.
pub(crate) fn read_answer(stream: &mut TcpStream) -> Option<Answer> {
    let mut bytes = Vec::new();
    // A reset after the answer, because we still wrote, is no fault.
    let _ = stream.read_to_end(&mut bytes);
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).expect("text");
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().expect("a status");
    let fields = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
    let fields: Vec<_> = fields.collect();
    let chunked =
        fields.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = &bytes[end + 4..];
    let body = if chunked { unchunked(body) } else { body.to_vec() };
    Some(Answer { status, fields, body })
}

/// The content of a chunked body (RFC 9112 section 7.1), which must be complete.
fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n").expect("the size of a chunk");
        let size = std::str::from_utf8(&rest[..end]).expect("text");
        let size = usize::from_str_radix(size, 16).expect("a size");
        rest = &rest[end + 2..];
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&rest[..size]);
        rest = &rest[size + 2..];
    }
}

/// A signed-in browser.
#[derive(Clone, Debug)]
pub(crate) struct Browser {
    pub(crate) cookie: String,
    pub(crate) csrf: String,
}

impl Running {
    pub(crate) fn sign_in(&self) -> Browser {
        let body = json!({ "login": "ada", "password": PASSWORD });
        let answer = ask("POST", "/v1/session").json(&body).to(self);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let cookie = answer.field("set-cookie").expect("a cookie");
        let cookie = cookie.split(';').next().expect("a pair").to_owned();
        let csrf = answer.json()["csrf"].as_str().expect("a token").to_owned();
        Browser { cookie, csrf }
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A request of our own page.
    pub(crate) fn by_page(&self, browser: &Browser, ask: Ask) -> Ask {
        ask.field("Cookie", &browser.cookie)
            .field("Origin", &self.origin())
            .field("X-CSRF-Token", &browser.csrf)
    }

    /// Registers a level with all rights.
    pub(crate) fn registered(&self, key: &str) -> Answer {
        let target = format!("/v1/levels/{key}");
        let answer = ask("PUT", &target).key(&self.accounts.root).json(&record(key)).to(self);
        assert!([200, 201].contains(&answer.status), "{}", answer.text());
        answer
    }
}

/// A record that may be registered.
pub(crate) fn record(key: &str) -> Value {
    record_to(key, "https://brand.example/p")
}

pub(crate) fn record_to(key: &str, href: &str) -> Value {
    json!({
        "anchor": format!("/{key}"),
        "itemDescription": "Thing",
        "links": [
            { "linkType": "gs1:defaultLink", "href": href, "title": "Page" },
            { "linkType": "gs1:pip", "href": href, "title": "Page" }
        ]
    })
}
