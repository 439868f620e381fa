//! Receivers that verify what they get, and a registry with webhooks.

use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use fingerpost_http::{AddressGuard, Outgoing};
use fingerpost_registry::{
    Caller, Conditions, EventKind, Id, NewOrganisation, NewWebhook, Registry, RegistryOptions,
    Webhook, WebhookMode,
};
use fingerpost_store::Store;
use fingerpost_webhooks::{Courier, WebhookOptions};
use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest, Sha256};

pub(crate) const ROOT: &str = "https://id.example.org";
pub(crate) const KEY: &str = "01/09506000134352";

/// A request that a receiver got.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Received {
    pub(crate) fn field(&self, name: &str) -> &str {
        let found = self.head.lines().find_map(|line| {
            let (field, value) = line.split_once(": ")?;
            field.eq_ignore_ascii_case(name).then_some(value)
        });
        found.unwrap_or_default()
    }

    /// The events, of either mode.
    pub(crate) fn events(&self) -> Vec<Value> {
        match serde_json::from_str(&self.body).expect("JSON") {
            Value::Array(events) => events,
            event => vec![event],
        }
    }

    /// The number of signatures, and how many of them a secret made.
    pub(crate) fn signatures(&self, secret: &str) -> (usize, usize) {
        let [id, at] = ["webhook-id", "webhook-timestamp"].map(|name| self.field(name));
        let expected = format!("v1,{}", signature(secret, &format!("{id}.{at}.{}", self.body)));
        let given: Vec<&str> = self.field("webhook-signature").split(' ').collect();
        (given.len(), given.iter().filter(|one| **one == expected).count())
    }
}

/// HMAC-SHA256 as RFC 2104 defines it, in base64: not by the crate that signs.
fn signature(secret: &str, text: &str) -> String {
    let base64 = data_encoding::BASE64;
    let mut key = base64.decode(secret.strip_prefix("whsec_").unwrap().as_bytes()).unwrap();
    key.resize(64, 0);
    let pad = |with: u8| key.iter().map(|byte| byte ^ with).collect::<Vec<u8>>();
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(text).finalize();
    base64.encode(&Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize())
}

/// A receiver that answers each request on a thread of its own, after it has read it.
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    log: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    pub(crate) fn new(answer: impl Fn(&Received, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let (noted, answer) = (Arc::clone(&log), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let (noted, answer) = (Arc::clone(&noted), Arc::clone(&answer));
                thread::spawn(move || {
                    let Some(received) = read(&mut stream) else { return };
                    noted.lock().unwrap().push(received.clone());
                    answer(&received, &mut stream);
                    let _ = stream.shutdown(Shutdown::Write);
                });
            }
        });
        Self { address, log }
    }

    /// A receiver that acknowledges everything.
    pub(crate) fn friendly() -> Self {
        Self::new(|_, stream| say(stream, "204 No Content"))
    }

    pub(crate) fn url(&self) -> String {
        format!("http://receiver.example:{}/hook", self.address.port())
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.log.lock().unwrap().clone()
    }

    /// The types of all events, without the common beginning.
    pub(crate) fn kinds(&self) -> Vec<String> {
        self.members("type").iter().map(|kind| kind.replace("fingerpost.", "")).collect()
    }

    /// A member of all events.
    pub(crate) fn members(&self, name: &str) -> Vec<String> {
        let text = |event: &Value| event[name].as_str().unwrap_or_default().to_owned();
        let received = self.received();
        received.iter().flat_map(|one| one.events().iter().map(text).collect::<Vec<_>>()).collect()
    }
}

fn read(stream: &mut TcpStream) -> Option<Received> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).ok()?;
    let mut received = Received { head, body: String::new() };
    let mut body = vec![0; received.field("content-length").parse().ok()?];
    stream.read_exact(&mut body).ok()?;
    received.body = String::from_utf8(body).ok()?;
    Some(received)
}

pub(crate) fn say(stream: &mut TcpStream, answer: &str) {
    let answer = format!("HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let _ = stream.write_all(answer.as_bytes());
}

pub(crate) fn registry() -> Registry {
    Registry::new(Arc::new(Store::in_memory()), RegistryOptions::new().webhooks(true))
}

pub(crate) fn with_clock(clock: fn() -> Timestamp) -> Registry {
    let options = RegistryOptions::new().webhooks(true).clock(clock);
    Registry::new(Arc::new(Store::in_memory()), options)
}

pub(crate) fn caller() -> Caller {
    Caller::local("test")
}

pub(crate) fn new_webhook(url: &str) -> NewWebhook {
    NewWebhook {
        label: "shop".to_owned(),
        organisation: None,
        url: url.to_owned(),
        kinds: Vec::new(),
        prefixes: Vec::new(),
        mode: WebhookMode::Structured,
    }
}

/// Creates a webhook; returns it with its secret.
pub(crate) fn webhook(registry: &Registry, new: NewWebhook) -> (Webhook, String) {
    let (webhook, secret) = registry.create_webhook(&caller(), new).unwrap();
    (webhook, secret.expose().to_owned())
}

pub(crate) fn organisation(registry: &Registry, prefix: &str) -> Id {
    let prefixes = vec![prefix.to_owned()];
    let new = NewOrganisation { name: prefix.to_owned(), prefixes, ..Default::default() };
    registry.create_organisation(&caller(), new).unwrap().id
}

pub(crate) fn put(registry: &Registry, anchor: &str, title: &str) {
    let record = format!(
        r#"{{"anchor": "/{anchor}", "links": [
            {{"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "{title}"}},
            {{"linkType": "gs1:pip", "href": "https://example.com/p", "title": "{title}"}}]}}"#
    );
    registry.put(&caller(), None, record.as_bytes(), Conditions::none()).unwrap();
}

/// A guard that permits 127.0.0.1, where all names lead.
pub(crate) fn guard() -> AddressGuard {
    let guard = AddressGuard::new(vec!["127.0.0.1".parse().unwrap()]);
    guard.with_names(|_| vec![IpAddr::from([127, 0, 0, 1])])
}

pub(crate) fn courier() -> Courier {
    Courier::with_guard(&WebhookOptions::default(), ROOT, guard()).unwrap()
}

/// A courier that does not wait long for an answer.
pub(crate) fn impatient() -> Courier {
    let options = WebhookOptions { timeout: "1s".parse().unwrap(), ..WebhookOptions::default() };
    Courier::with_guard(&options, ROOT, guard()).unwrap()
}

/// Delivers what is due once.
pub(crate) fn deliver(courier: &Courier, registry: &Registry) {
    Outgoing::runtime().unwrap().block_on(courier.deliver_due(registry)).unwrap();
}

pub(crate) fn only(kinds: &[EventKind], url: &str) -> NewWebhook {
    NewWebhook { kinds: kinds.to_vec(), ..new_webhook(url) }
}
