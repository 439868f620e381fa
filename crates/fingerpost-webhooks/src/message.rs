//! What is sent: CloudEvents 1.0 (JSON event format; HTTP protocol binding, sections 3.2 and 3.3),
//! signed after Standard Webhooks 1.0.0.
//!
//! ```text
//! webhook-id:        msg_…                     ; the same in each attempt to deliver the same events
//! webhook-timestamp: seconds since 1970
//! webhook-signature: v1,BASE64 [ v1,BASE64 ]   ; HMAC-SHA256 over id "." timestamp "." body, for each secret
//! ```

use bytes::Bytes;
use data_encoding::{BASE64, BASE64URL_NOPAD};
use fingerpost_registry::{Secret, WebhookBatch, WebhookEvent, WebhookItem, WebhookMode};
use hmac::{Hmac, KeyInit, Mac};
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderName, Request};
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// The agent of the requests.
const AGENT: &str = concat!("fingerpost-webhooks/", env!("CARGO_PKG_VERSION"));

/// Returns the id of a message with these events.
pub(crate) fn id_of(items: &[WebhookItem]) -> String {
    let mut hasher = Sha256::new();
    for item in items {
        hasher.update(item.event.id.as_bytes());
        hasher.update(b"\n");
    }
    format!("msg_{}", BASE64URL_NOPAD.encode(&hasher.finalize()[..18]))
}

/// Returns the request that delivers events, which are one in structured mode. `source` identifies
/// this installation.
pub(crate) fn request(
    batch: &WebhookBatch,
    items: &[WebhookItem],
    source: &str,
    now: Timestamp,
) -> Result<Request<Bytes>, http::Error> {
    let mut events: Vec<Value> =
        items.iter().map(|item| cloud_event(&item.event, source)).collect();
    let (media_type, document) = match batch.webhook.mode {
        WebhookMode::Structured => {
            ("application/cloudevents+json", events.pop().unwrap_or_default())
        }
        WebhookMode::Batched => ("application/cloudevents-batch+json", Value::Array(events)),
    };
    let (id, body) = (id_of(items), document.to_string());
    let seconds = now.as_second();
    let signed = format!("{id}.{seconds}.{body}");
    let signatures: Vec<String> =
        batch.secrets.iter().filter_map(|secret| sign(secret, &signed)).collect();
    Request::post(&batch.webhook.url)
        .header(CONTENT_TYPE, media_type)
        .header(USER_AGENT, AGENT)
        .header(ID, id)
        .header(TIMESTAMP, seconds)
        .header(SIGNATURE, signatures.join(" "))
        .body(Bytes::from(body))
}

fn cloud_event(event: &WebhookEvent, source: &str) -> Value {
    let WebhookEvent { id, kind, subject, at, data } = event;
    let mut document = json!({
        "specversion": "1.0",
        "id": id,
        "source": source,
        "type": format!("fingerpost.{}", kind.as_str()),
        "time": at.to_string(),
        "datacontenttype": "application/json",
        "data": data,
    });
    if let Some(subject) = subject {
        document["subject"] = Value::from(subject.as_str());
    }
    document
}

/// Returns the signature of a text; none if the secret is damaged.
fn sign(secret: &Secret, text: &str) -> Option<String> {
    let key = secret.expose().strip_prefix("whsec_")?;
    let key = BASE64.decode(key.as_bytes()).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    mac.update(text.as_bytes());
    Some(format!("v1,{}", BASE64.encode(&mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification (Standard Webhooks 1.0.0, "Example").
    #[test]
    fn signatures_are_those_of_standard_webhooks() {
        let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let text = "msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}";
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(sign(&secret, text).as_deref(), Some(expected));
        assert_eq!(sign(&Secret::new("whsec_!"), text), None);
    }
}
