//! The linkset that an answer publishes: in a JSON body, or as JSON-LD inside a page.

use serde_json::Value;

use crate::Answer;

/// A linkset found in an answer.
#[derive(Clone, Debug)]
pub struct Published {
    /// The whole document.
    pub document: Value,
    /// Anchors of the context objects, in order.
    pub anchors: Vec<String>,
    /// Every link object with its link type, in order.
    pub links: Vec<(String, Value)>,
}

impl Published {
    /// Returns every target, with repeats, sorted.
    pub fn sorted_targets(&self) -> Vec<String> {
        let mut targets: Vec<String> = self.links.iter().map(|(_, link)| href(link)).collect();
        targets.sort();
        targets
    }
}

pub(crate) fn href(link: &Value) -> String {
    link["href"].as_str().unwrap_or_default().to_owned()
}

/// Returns the linkset of an answer, in any form.
pub fn published(answer: &Answer) -> Option<Published> {
    let is_page = answer.header("content-type").is_some_and(|found| found.starts_with("text/html"));
    let document = if is_page { embedded(&answer.text())? } else { answer.json()? };
    let contexts = document["linkset"].as_array()?.clone();
    let mut anchors = Vec::new();
    let mut links = Vec::new();
    for context in &contexts {
        anchors.push(context["anchor"].as_str()?.to_owned());
        for (name, value) in context.as_object()? {
            for link in value.as_array().into_iter().flatten() {
                links.push((name.clone(), link.clone()));
            }
        }
    }
    Some(Published { document, anchors, links })
}

const SCRIPT: &str = "<script type=\"application/ld+json\">";

/// Returns the JSON-LD of a page; `None` unless the page has exactly one script element and that is
/// JSON-LD.
fn embedded(page: &str) -> Option<Value> {
    let (before, rest) = page.split_once(SCRIPT)?;
    let (json, after) = rest.split_once("</script>")?;
    if before.contains("<script") || after.contains("<script") {
        return None;
    }
    serde_json::from_str(json).ok()
}

/// Returns the targets of the hyperlinks of a page, in order, with character references decoded.
pub fn page_targets(page: &str) -> Vec<String> {
    let anchors = page.split("<a href=\"").skip(1);
    anchors.filter_map(|rest| rest.split('"').next()).map(unescaped).collect()
}

/// Decodes the character references that templates write: numeric ones and the five names.
pub(crate) fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let (name, tail) = after.split_once(';').unwrap_or(("", after));
        let number =
            name.strip_prefix("#x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let number = number.or_else(|| name.strip_prefix('#')?.parse().ok());
        match (name, number.and_then(char::from_u32)) {
            ("amp", _) => plain.push('&'),
            ("lt", _) => plain.push('<'),
            ("gt", _) => plain.push('>'),
            ("quot", _) => plain.push('"'),
            ("apos", _) => plain.push('\''),
            (_, Some(character)) => plain.push(character),
            _ => panic!("unknown character reference &{name};"),
        }
        rest = tail;
    }
    plain.push_str(rest);
    plain
}
