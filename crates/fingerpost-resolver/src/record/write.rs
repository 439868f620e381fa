//! Writes the record of an entry; reading it gives the same entry.

use crate::entry::Entry;
use crate::link::Link;

/// The record of an entry, as one line of JSON. The order of its members never varies.
///
/// ```
/// use fingerpost_resolver::{Rules, Vocabulary, read_record, write_record};
///
/// let vocabulary = Vocabulary::builtin();
/// let rules = Rules::new(&vocabulary);
/// let record = concat!(
///     r#"{"anchor":"/01/09520123456788","itemDescription":"Tea","links":["#,
///     r#"{"linkType":"gs1:pip","href":"https://example.com/p","title":"Tea","hreflang":["en"]}]}"#,
/// );
/// let entry = read_record(record.as_bytes(), &rules)?.entry;
/// assert_eq!(write_record(&entry), record);
/// # Ok::<(), fingerpost_resolver::Refused>(())
/// ```
#[must_use]
pub fn write_record(entry: &Entry) -> String {
    let mut out = String::with_capacity(entry.size() * 2);
    out.push_str("{\"anchor\":\"/");
    // The canonical text of a key needs no escapes.
    out.push_str(entry.key().as_str());
    out.push('"');
    if let Some(description) = entry.item_description() {
        out.push_str(",\"itemDescription\":");
        push_text(&mut out, description);
    }
    out.push_str(",\"links\":[");
    for link in entry.links() {
        if link.index() > 0 {
            out.push(',');
        }
        push_link(&mut out, link);
    }
    out.push_str("]}");
    out
}

fn push_link(out: &mut String, link: Link<'_>) {
    out.push_str("{\"linkType\":");
    match link.term() {
        Some(term) => {
            out.push_str("\"gs1:");
            out.push_str(term.name());
            out.push('"');
        }
        None => push_text(out, link.link_type()),
    }
    push_member(out, "href", link.href());
    push_member(out, "title", link.title());
    if let Some(media_type) = link.media_type() {
        push_member(out, "type", media_type);
    }
    push_list(out, "hreflang", link.languages());
    push_list(out, "context", link.contexts());
    for (name, instant) in [("validFrom", link.valid_from()), ("validUntil", link.valid_until())] {
        if let Some(instant) = instant {
            push_member(out, name, &instant.to_string());
        }
    }
    out.push('}');
}

fn push_member(out: &mut String, name: &str, value: &str) {
    out.push_str(",\"");
    out.push_str(name);
    out.push_str("\":");
    push_text(out, value);
}

fn push_list<'l>(out: &mut String, name: &str, values: impl Iterator<Item = &'l str>) {
    let mut opening = Some(name);
    for value in values {
        if let Some(name) = opening.take() {
            out.push_str(",\"");
            out.push_str(name);
            out.push_str("\":[");
        } else {
            out.push(',');
        }
        push_text(out, value);
    }
    if opening.is_none() {
        out.push(']');
    }
}

/// A JSON string (RFC 8259 section 7). Texts in entries hold no control characters, but this is
/// right for any text.
fn push_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}
