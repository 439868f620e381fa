//! Links of short-link managers as JSON: answers of the APIs of YOURLS (`action=stats`) and Kutt
//! (`GET /api/v2/links`), or an array of rows of the table of YOURLS.
//!
//! ```text
//! yourls  = {"links": {"link_1": {"shorturl", "url", "title", …}, …}, …}
//! kutt    = {"total", "limit", "skip", "data": [{"address", "target", "description", …}, …]}
//! table   = [{"keyword", "url", "title", …}, …]
//! ```
//!
//! The sources are those of `short_links`, and `server/handlers/links.handler.js` of
//! <https://github.com/thedevs-network/kutt>. An API sends one object, which is read at once; its
//! size is limited.

use std::io::{self, Read};

use serde_json::Value;

use super::{Input, Item, Items, link_record, text};
use crate::limits::MAX_YOURLS_BYTES;

/// Whether a file begins like one of the forms.
pub(crate) fn is(head: &[u8]) -> bool {
    let text = text(head).trim_start();
    let has = |name: &str| text.contains(name);
    match text.as_bytes().first() {
        Some(b'{') => {
            has("\"links\"") && has("\"link_1\"") && has("\"shorturl\"")
                || has("\"data\"") && has("\"address\"") && has("\"target\"")
        }
        Some(b'[') => has("\"keyword\"") && has("\"url\"") && !has("\"anchor\""),
        _ => false,
    }
}

/// Reads the links.
pub(crate) fn read(input: Input<'_>) -> io::Result<Items<'_>> {
    let mut bytes = Vec::new();
    input.take(MAX_YOURLS_BYTES + 1).read_to_end(&mut bytes)?;
    let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    if bytes.len() as u64 > MAX_YOURLS_BYTES {
        return Err(wrong(format!(
            "the file is larger than the limit of {MAX_YOURLS_BYTES} bytes: export it as CSV"
        )));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let value: Value = serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
    let links: Vec<Value> = match value {
        Value::Array(rows) => rows,
        Value::Object(mut answer) => match answer.remove("links").or(answer.remove("data")) {
            Some(Value::Object(links)) => links.into_iter().map(|(_, link)| link).collect(),
            Some(Value::Array(links)) => links,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    Ok(Box::new((1..).zip(links).map(|(number, link)| Ok(record(number, &link)))))
}

fn record(number: u64, link: &Value) -> Item {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| link[*name].as_str());
        found.unwrap_or_default()
    };
    let code = text(&["keyword", "shorturl", "address"]);
    (number, link_record(code, text(&["url", "target"]), text(&["title", "description"])))
}
