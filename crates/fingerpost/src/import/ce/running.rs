//! Reads all documents of a running Resolver CE by its data-entry API: `GET /api/index` names the
//! keys, `GET /api/{ai}/{value}` has the documents of one. Some requests are sent at a time.

use std::fmt;
use std::fs;
use std::io::BufReader;
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use std::thread;

use backon::{BlockingRetryable, ExponentialBuilder};
use fingerpost_ce::CeDocuments;
use fingerpost_exchange::{RecordPosition, Sorted, Sorter};
use fingerpost_server::client::web_agent;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use ureq::{Agent, Body};

use super::{FromCe, unsorted};
use crate::failure::Failure;
use crate::limits::{
    CE_SORT_BYTES, FIRST_CE_PAUSE, MAX_CE_ANSWER, MAX_CE_INDEX, MAX_CE_REQUESTS, MAX_CE_RETRIES,
};
use crate::output::printable;

/// The data-entry API.
struct Api {
    agent: Agent,
    base: String,
    token: Option<String>,
}

/// An answer that is not the one asked for.
enum Refusal {
    /// Another status than 200.
    Status(u16),
    /// None, or one that ends early.
    Broken(String),
}

/// Reads all documents, with temporary files in `scratch`.
pub(super) fn read(
    args: &FromCe,
    from: &str,
    scratch: &Path,
    documents: &mut CeDocuments,
) -> Result<(), Failure> {
    let api = Api::new(args, from)?;
    let keys = Mutex::new((1..).zip(api.index(scratch)?));
    let (send, answers) = sync_channel(MAX_CE_REQUESTS);
    thread::scope(|scope| {
        for _ in 0..MAX_CE_REQUESTS {
            let (api, keys, send) = (&api, &keys, send.clone());
            scope.spawn(move || {
                loop {
                    let next = keys.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((number, key)) = next else { return };
                    let asked = key.map(|key| (api.key(&key.key), key.key));
                    if send.send((number, asked)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        for (number, asked) in answers {
            match asked.map_err(|error| unsorted(&error))? {
                (Ok(body), _) => documents.read_answer(0, number, &body).map_err(Failure::new)?,
                (Err(Refusal::Status(status)), key) if !matches!(status, 401 | 403) => {
                    let why = format!("the data-entry API answered {status}");
                    documents.refuse_key(0, number, &key, why);
                }
                (Err(refusal), _) => return Err(refusal.into()),
            }
        }
        Ok(())
    })
}

impl Api {
    fn new(args: &FromCe, from: &str) -> Result<Api, Failure> {
        let token = args.ce_token.as_deref().map(|path| {
            let read = fs::read_to_string(path).map(|token| token.trim().to_owned());
            read.map_err(|error| {
                let name = printable(&path.to_string_lossy());
                Failure::advise(
                    format!("cannot read `{name}`: {error}"),
                    "name a file with the token of the data-entry API; nothing was imported",
                )
            })
        });
        let base = from.trim_end_matches('/');
        let base = base.strip_suffix("/api").unwrap_or(base);
        Ok(Api { agent: web_agent(base), base: format!("{base}/api"), token: token.transpose()? })
    }

    /// Returns the anchors of all keys.
    fn index(&self, scratch: &Path) -> Result<Sorted, Failure> {
        let read = |body: &mut Body| {
            let mut keys = Sorter::new(scratch, CE_SORT_BYTES);
            let body = BufReader::new(body.with_config().limit(MAX_CE_INDEX).reader());
            let mut json = serde_json::Deserializer::from_reader(body);
            let read = Index(&mut keys).deserialize(&mut json).and_then(|()| json.end());
            read.map(|()| keys).map_err(|error| error.to_string())
        };
        let keys = match self.get("/index", read) {
            // There are no documents.
            Err(Refusal::Status(404)) => Sorter::new(scratch, CE_SORT_BYTES),
            keys => keys?,
        };
        keys.sorted().map_err(|error| unsorted(&error))
    }

    /// Returns the documents of a key.
    fn key(&self, anchor: &str) -> Result<Vec<u8>, Refusal> {
        self.get(&encoded(anchor), |body| {
            let body = body.with_config().limit(MAX_CE_ANSWER).read_to_vec();
            body.map_err(|error| error.to_string())
        })
    }

    fn get<T>(
        &self,
        path: &str,
        read: impl Fn(&mut Body) -> Result<T, String>,
    ) -> Result<T, Refusal> {
        let is_temporary = |refusal: &Refusal| {
            matches!(refusal, Refusal::Status(429 | 500..=599) | Refusal::Broken(_))
        };
        let pauses = ExponentialBuilder::new().with_min_delay(FIRST_CE_PAUSE);
        let ask = || self.ask(path, &read);
        ask.retry(pauses.with_max_times(MAX_CE_RETRIES)).when(is_temporary).call()
    }

    fn ask<T>(
        &self,
        path: &str,
        read: impl Fn(&mut Body) -> Result<T, String>,
    ) -> Result<T, Refusal> {
        let mut request = self.agent.get(format!("{}{path}", self.base));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let mut answer = request.call().map_err(|error| Refusal::Broken(error.to_string()))?;
        match answer.status().as_u16() {
            200 => read(answer.body_mut()).map_err(Refusal::Broken),
            status => Err(Refusal::Status(status)),
        }
    }
}

/// Reads the answer to `/index`, and adds its anchors one by one.
struct Index<'k>(&'k mut Sorter);

impl<'de> DeserializeSeed<'de> for Index<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Index<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object whose member `data` is a list of anchors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut has_data = false;
        while let Some(name) = map.next_key::<String>()? {
            if name == "data" {
                map.next_value_seed(Index(&mut *self.0))?;
                has_data = true;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if has_data { Ok(()) } else { Err(A::Error::missing_field("data")) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut anchors: A) -> Result<(), A::Error> {
        while let Some(anchor) = anchors.next_element::<String>()? {
            let added = self.0.add(&anchor, b"", RecordPosition::default());
            added.map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

/// Encodes what a path cannot have; slashes separate its segments.
fn encoded(anchor: &str) -> String {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/%".contains(&byte);
    let mut path = String::with_capacity(anchor.len());
    for byte in anchor.bytes() {
        match is_plain(byte) {
            true => path.push(byte.into()),
            false => path.push_str(&format!("%{byte:02X}")),
        }
    }
    path
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        let why = match refusal {
            Refusal::Status(401 | 403) => {
                return Failure::advise(
                    "Resolver CE refused the token",
                    "give --ce-token a file with the token of its data-entry API; nothing was imported",
                );
            }
            Refusal::Status(status) => format!("it answered {status}"),
            Refusal::Broken(why) => why,
        };
        Failure::advise(
            format!("cannot read from Resolver CE: {}", printable(&why)),
            "check the address, --ce-token and the network; nothing was imported",
        )
    }
}
