//! The requests that purge caches by surrogate keys.
//!
//! - Fastly: <https://www.fastly.com/documentation/reference/api/purging/>, several keys in one
//!   request.
//! - Cloudflare: <https://developers.cloudflare.com/api/resources/cache/methods/purge/>, by tags.
//! - Varnish with `vmod_xkey`: `PURGE` with `xkey-purge`, which its configuration hands to
//!   `xkey.purge` ([guide](../../../../../docs/guides/cdn.md)).

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use fingerpost_http::{AddressGuard, Network, Outgoing};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Request, Uri};
use serde_json::{Value, json};

use crate::config::{PurgeOptions, PurgeService};
use crate::failure::Failure;
use crate::limits::{MAX_KEY_FILE, MAX_PURGE_ANSWER, MAX_PURGE_BYTES, MAX_PURGE_KEYS};

/// A cache in front, and how it is purged.
pub(super) struct Cache {
    service: PurgeService,
    /// Where requests are sent: one address, or one for each Varnish.
    addresses: Vec<Uri>,
    /// The header with the credential, marked as sensitive.
    credential: Option<(HeaderName, HeaderValue)>,
    outgoing: Outgoing,
    limit: Duration,
}

/// A request that purges some keys.
pub(super) struct Purge {
    request: Request<Bytes>,
    /// The number of keys, counted at the last cache that is asked.
    pub(super) keys: u64,
}

impl Cache {
    /// Reads the credential and the addresses; `None` if no cache is configured.
    pub(super) fn new(options: &PurgeOptions) -> Result<Option<Self>, Failure> {
        let Some(service) = options.service else { return Ok(None) };
        let id = options.id.as_deref().unwrap_or_default();
        let base = |default: &str| match &options.urls[..] {
            [] => vec![default.to_owned()],
            urls => urls.iter().map(|url| url.trim_end_matches('/').to_owned()).collect(),
        };
        let addresses = match service {
            PurgeService::Fastly => with_path(base(FASTLY), &format!("/service/{id}/purge")),
            PurgeService::Cloudflare => {
                with_path(base(CLOUDFLARE), &format!("/client/v4/zones/{id}/purge_cache"))
            }
            PurgeService::Varnish => with_path(base(""), "/"),
        };
        let parse = |address: String| {
            address.parse::<Uri>().map_err(|error| Failure::new(format!("purge.urls: {error}")))
        };
        let addresses = addresses.into_iter().map(parse).collect::<Result<_, _>>()?;
        let credential = options.token_file.as_deref().map(|path| credential(service, path));
        // The operator chose the addresses, which may be on a private network.
        let all = ["0.0.0.0/0", "::/0"].into_iter().filter_map(|network| network.parse().ok());
        let guard = AddressGuard::new(all.collect::<Vec<Network>>());
        let limit = options.timeout.get();
        let outgoing = Outgoing::new(guard, limit, options.ca_file.as_deref());
        let outgoing = outgoing.map_err(Failure::new)?;
        let credential = credential.transpose()?;
        Ok(Some(Self { service, addresses, credential, outgoing, limit }))
    }

    /// Returns the requests that purge these keys, of which the last one is to be sent first.
    pub(super) fn requests(&self, keys: &[String]) -> Vec<Purge> {
        let mut requests = Vec::new();
        for keys in parts(keys) {
            for (at, address) in self.addresses.iter().enumerate() {
                let counted = if at == 0 { keys.len() as u64 } else { 0 };
                let request = self.request(address, keys);
                requests.extend(request.map(|request| Purge { request, keys: counted }));
            }
        }
        requests
    }

    fn request(&self, address: &Uri, keys: &[String]) -> Option<Request<Bytes>> {
        let request = Request::builder().uri(address);
        let (mut request, body) = match self.service {
            PurgeService::Fastly => {
                (request.method("POST"), json!({ "surrogate_keys": keys }).to_string())
            }
            PurgeService::Cloudflare => {
                (request.method("POST"), json!({ "tags": keys }).to_string())
            }
            PurgeService::Varnish => {
                (request.method("PURGE").header("xkey-purge", keys.join(" ")), String::new())
            }
        };
        if !body.is_empty() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        if let Some((name, value)) = &self.credential {
            request = request.header(name, value);
        }
        request.body(body.into()).ok()
    }

    /// Sends a request; fails unless the cache confirms. Errors have nothing of the credential, nor
    /// of the answer, which could repeat it.
    pub(super) async fn send(&self, purge: &Purge) -> Result<(), String> {
        let host = purge.request.uri().authority().map_or("", |authority| authority.host());
        let sent = self.outgoing.send(purge.request.clone()).await;
        let mut answer = sent.map_err(|error| format!("{host}: {error}"))?;
        let status = answer.head.status.as_u16();
        if !answer.head.status.is_success() {
            return Err(format!("{host}: expected a status of success (2xx), found {status}"));
        }
        if self.service == PurgeService::Cloudflare {
            let body = answer.body(MAX_PURGE_ANSWER, self.limit).await;
            let body: Value = serde_json::from_slice(&body).unwrap_or_default();
            if body["success"] != true {
                return Err(format!("{host}: expected \"success\": true, found another answer"));
            }
        }
        Ok(())
    }
}

const FASTLY: &str = "https://api.fastly.com";
const CLOUDFLARE: &str = "https://api.cloudflare.com";

fn with_path(addresses: Vec<String>, path: &str) -> Vec<String> {
    addresses.into_iter().map(|address| address + path).collect()
}

/// Divides keys into those of one request: few enough for each service, and for a header.
fn parts(keys: &[String]) -> Vec<&[String]> {
    let (mut parts, mut rest) = (Vec::new(), keys);
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |key: &&String| {
            bytes += key.len() + 1;
            bytes <= MAX_PURGE_BYTES
        };
        let count = rest.iter().take(MAX_PURGE_KEYS).take_while(fits).count().max(1);
        let (part, further) = rest.split_at(count);
        parts.push(part);
        rest = further;
    }
    parts
}

/// Reads the header with the credential from a file.
fn credential(service: PurgeService, path: &Path) -> Result<(HeaderName, HeaderValue), Failure> {
    let wrong =
        |what: String| Failure::new(format!("purge.token_file `{}`: {what}", path.display()));
    let file = File::open(path).map_err(|error| wrong(error.to_string()))?;
    let mut text = String::new();
    let read = file.take(MAX_KEY_FILE as u64 + 1).read_to_string(&mut text);
    read.map_err(|error| wrong(error.to_string()))?;
    let token = text.trim();
    if token.is_empty() || text.len() > MAX_KEY_FILE {
        return Err(wrong(format!("expected a token of 1 to {MAX_KEY_FILE} bytes")));
    }
    let (name, value) = match service {
        PurgeService::Fastly => (HeaderName::from_static("fastly-key"), token.to_owned()),
        PurgeService::Cloudflare => (AUTHORIZATION, format!("Bearer {token}")),
        PurgeService::Varnish => (HeaderName::from_static("purge-token"), token.to_owned()),
    };
    let mut value = HeaderValue::try_from(value)
        .map_err(|_| wrong("expected a token in visible ASCII on one line".to_owned()))?;
    value.set_sensitive(true);
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_divided_by_number_and_size() {
        let keys = |count: usize, length: usize| vec!["k".repeat(length); count];
        let sizes = |keys: &[String]| parts(keys).iter().map(|part| part.len()).collect::<Vec<_>>();
        assert_eq!(sizes(&keys(0, 1)), [0; 0]);
        assert_eq!(sizes(&keys(MAX_PURGE_KEYS + 1, 9)), [MAX_PURGE_KEYS, 1]);
        assert_eq!(sizes(&keys(3, MAX_PURGE_BYTES / 2 - 1)), [2, 1]);
        assert_eq!(sizes(&keys(2, MAX_PURGE_BYTES * 2)), [1, 1]);
    }
}
