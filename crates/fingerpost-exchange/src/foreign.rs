//! Exports of other programs: each item becomes a record, or is refused with the reason.
//!
//! A format is recognised by its content, like all others. Its reader yields items one by one, so
//! memory does not grow with the file; the reader of records then checks each record.

mod link_lists;
mod pyx;
mod redirect_list;
mod short_links;

use std::io::{self, Cursor, Read};

use fingerpost_gs1::EntityKey;
use serde_json::{Value, json};

use crate::RecordPosition;
use crate::limits::MAX_HEAD_BYTES;
use crate::split::{Content, Unreadable};

/// An item of a file: its line, and the record that it becomes, or why it does not.
pub(crate) type Item = (u64, Result<Value, String>);

/// Items in the order of the file.
pub(crate) type Items<'s> = Box<dyn Iterator<Item = io::Result<Item>> + Send + 's>;

/// Input that was read in part.
pub(crate) type Input<'s> = Box<dyn Read + Send + 's>;

/// A format of another program: its name, whether a file begins like it, and its reader.
type Format = (&'static str, fn(&[u8]) -> bool, for<'s> fn(Input<'s>) -> io::Result<Items<'s>>);

const FORMATS: [Format; 4] = [
    ("links of a short-link manager (CSV)", short_links::is, short_links::read),
    ("links of a short-link manager (JSON)", link_lists::is, link_lists::read),
    ("link documents of pyx", pyx::is, pyx::read),
    ("redirects of a web server", redirect_list::is, redirect_list::read),
];

/// A file of another program.
pub(crate) struct Foreign<'s> {
    pub(crate) name: &'static str,
    pub(crate) items: Items<'s>,
}

/// A record made from another format, or why there is none, with the position of what it was made
/// from.
pub(crate) type ForeignRecord = (RecordPosition, Content<Vec<u8>>);

impl<'s> Foreign<'s> {
    /// Returns the items of a source with this index.
    pub(crate) fn records(
        self,
        source: u32,
    ) -> impl Iterator<Item = io::Result<ForeignRecord>> + use<'s> {
        (1..).zip(self.items).map(move |(record, item)| {
            let (line, item) = item?;
            let content = match item {
                Ok(record) => Content::Record(record.to_string().into_bytes()),
                Err(why) => Content::Refused(Unreadable::Foreign(why)),
            };
            Ok((RecordPosition { source, line, record }, content))
        })
    }
}

/// Returns the reader of a file of another program, or the file unread.
pub(crate) fn recognise<'s>(mut input: Input<'s>) -> io::Result<Result<Foreign<'s>, Input<'s>>> {
    let mut head = Vec::new();
    input.by_ref().take(MAX_HEAD_BYTES).read_to_end(&mut head)?;
    let format = FORMATS.iter().find(|(_, is, _)| is(&head));
    let input: Input<'s> = Box::new(Cursor::new(head).chain(input));
    Ok(match format {
        Some((name, _, read)) => Ok(Foreign { name, items: read(input)? }),
        None => Err(input),
    })
}

/// Returns the beginning of a file as text, without its byte order mark.
pub(crate) fn text(head: &[u8]) -> &str {
    let text = head.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Returns the record of a link from a short code or path to a target.
pub(crate) fn link_record(code: &str, target: &str, title: &str) -> Result<Value, String> {
    let key = key_in(code)?;
    if target.is_empty() {
        return Err("expected a target, found none".to_owned());
    }
    let title = if title.trim().is_empty() { target } else { title.trim() };
    let link = |link_type: &str| json!({"linkType": link_type, "href": target, "title": title});
    // RES-2.5.8-3: the target of a default link also has a descriptive link type.
    Ok(json!({"anchor": format!("/{key}"), "links": [link("gs1:defaultLink"), link("gs1:pip")]}))
}

/// Returns the key that a short code is or contains: the path of a Digital Link, or one GTIN. Eight
/// digits are a GTIN only if there is nothing else, because dates look the same.
pub(crate) fn key_in(code: &str) -> Result<EntityKey, String> {
    let code = code.trim().trim_matches('/');
    let path = code.split(['?', '#']).next().unwrap_or_default();
    let starts = path.match_indices('/').map(|(at, _)| at + 1);
    for start in [0].into_iter().chain(starts) {
        if let Ok(key) = EntityKey::parse(&path[start..]) {
            return Ok(key);
        }
    }
    let last = path.rsplit('/').next().unwrap_or_default();
    let runs = last.split(|char: char| !char.is_ascii_digit());
    let gtins = runs.filter(|run| matches!(run.len(), 12..=14) || run.len() == 8 && *run == last);
    let mut keys = gtins.filter_map(|run| EntityKey::parse(&format!("01/{run:0>14}")).ok());
    match (keys.next(), keys.next()) {
        (Some(key), None) if !last.contains('(') => Ok(key),
        (Some(_), Some(_)) => {
            Err(format!("expected one GS1 key, found several in `{}`", cut(code)))
        }
        _ => Err(format!("expected a short code with a GS1 key, found `{}`", cut(code))),
    }
}

/// Returns the beginning of a text on one line, for a message.
pub(crate) fn cut(text: &str) -> String {
    fingerpost_resolver::excerpt(text, 80).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_codes_are_or_contain_a_key() {
        for (code, key) in [
            ("9520123456788", "01/09520123456788"),
            ("tea-09520123456788", "01/09520123456788"),
            ("https://sho.rt/x/01/09520123456788/10/LOT7?a", "01/09520123456788/10/LOT7"),
            ("/414/9520123456788", "414/9520123456788"),
            ("12345670", "01/00000012345670"),
        ] {
            assert_eq!(key_in(code).map(|key| key.to_string()), Ok(key.to_owned()), "{code}");
        }
        for wrong in [
            "",
            "abc",
            "9520123456789",
            "tea-12345670",
            "(01)09520123456788(10)A",
            "9520123456788-9506000134352",
        ] {
            assert!(key_in(wrong).is_err(), "{wrong}");
        }
    }
}
