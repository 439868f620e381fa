//! Reads our pages as a browser would, but forgives nothing: each tag closed, each attribute
//! quoted, no stray `<`.

use bytes::Bytes;
use fingerpost_public::{Config, Router};
use fingerpost_resolver::Rules;
use fingerpost_testkit::store_with;
use http::{HeaderMap, Request};
use http_body_util::Full;
use serde_json::{Value, json};

/// Elements that have no end tag.
const VOID: [&str; 5] = ["meta", "link", "img", "input", "br"];

/// An answer and its page.
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) html: String,
    pub(crate) elements: Vec<Element>,
    /// Text outside of scripts, character references undone.
    pub(crate) text: String,
    /// What is in the script element.
    pub(crate) script: String,
}

/// A start tag and the text below it.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) text: String,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

impl Page {
    pub(crate) fn all(&self, name: &str) -> Vec<&Element> {
        self.elements.iter().filter(|element| element.name == name).collect()
    }

    pub(crate) fn one(&self, name: &str) -> &Element {
        let all = self.all(name);
        assert_eq!(all.len(), 1, "{name} in {}", self.html);
        all[0]
    }

    /// Names of elements and attributes in order: what text must not be able to change.
    pub(crate) fn shape(&self) -> Vec<String> {
        let shape = |element: &Element| {
            let names: Vec<&str> = element.attributes.iter().map(|(name, _)| &**name).collect();
            format!("{} {}", element.name, names.join(" "))
        };
        self.elements.iter().map(shape).collect()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("ASCII"))
    }
}

/// A product with links of many kinds, a lot of it, and its title in every text.
pub(crate) fn records(title: &str) -> Vec<Value> {
    vec![
        json!({"anchor": "/01/09520123456788", "itemDescription": title, "links": [
            {"linkType": "gs1:defaultLink", "href": "https://example.com/tea", "title": title},
            {"linkType": "gs1:defaultLinkMulti", "href": "https://example.com/fr", "title": title, "hreflang": ["fr"]},
            {"linkType": "gs1:pip", "href": "https://example.com/tea", "title": title, "hreflang": ["en", "de-CH"]},
            {"linkType": "gs1:pip", "href": "https://example.com/fr", "title": title, "hreflang": ["fr"]},
            {"linkType": "gs1:pip", "href": "https://example.com/l.pdf", "title": title, "type": "application/pdf"},
            {"linkType": "gs1:hasRetailers", "href": "https://example.com/ch", "title": title, "context": ["CH"]},
            {"linkType": "gs1:recipeInfo", "href": "https://example.com/1", "title": title, "type": "text/html"},
            {"linkType": "gs1:recipeInfo", "href": "https://example.com/2", "title": title, "type": "text/html"},
            {"linkType": "license", "href": "https://example.com/licence?a='b'&c=d", "title": title},
        ]}),
        json!({"anchor": "/01/09520123456788/10/LOT7", "itemDescription": title, "links": [
            {"linkType": "gs1:recallStatus", "href": "https://example.com/recall", "title": title},
        ]}),
    ]
}

pub(crate) fn router_with(toml: &str, records: &[Value]) -> Router {
    let config = Config::from_toml(toml).expect("a configuration");
    let store = store_with(records, &Rules::new(config.vocabulary()));
    Router::new(config, store)
}

pub(crate) fn router(toml: &str) -> Router {
    router_with(toml, &records("Herb tea"))
}

/// What a browser of somebody who reads `language` gets.
pub(crate) fn page(router: &Router, target: &str, language: &str) -> Page {
    let request = Request::get(target)
        .header("accept", "text/html,application/xhtml+xml,*/*;q=0.8")
        .header("accept-language", language);
    let response = router.handle(&request.body(()).expect("a request"));
    let (parts, body) = response.into_parts();
    let html = super::body::text(http::Response::new(body));
    assert_eq!(
        parts.headers["content-type"], "text/html; charset=utf-8",
        "{target}: {} {html}",
        parts.status
    );
    let mut page = Page {
        status: parts.status.as_u16(),
        headers: parts.headers,
        html: html.clone(),
        elements: Vec::new(),
        text: String::new(),
        script: String::new(),
    };
    read(&html, &mut page);
    page
}

pub(crate) fn raw(router: &Router, target: &str) -> http::Response<Full<Bytes>> {
    router.handle(&Request::get(target).body(()).expect("a request"))
}

fn read(html: &str, page: &mut Page) {
    let mut rest = html.strip_prefix("<!DOCTYPE html>").expect("a doctype");
    let mut open: Vec<usize> = Vec::new();
    while let Some((text, tail)) = rest.split_once('<') {
        add_text(page, &open, text);
        if let Some(end) = tail.strip_prefix('/') {
            let (name, after) = end.split_once('>').expect("the end of an end tag");
            let last = open.pop().unwrap_or_else(|| panic!("</{name}> closes nothing"));
            assert_eq!(page.elements[last].name, name, "closed in order");
            rest = after;
            continue;
        }
        let (element, after) = start_tag(tail);
        rest = after;
        let (name, at) = (element.name.clone(), page.elements.len());
        page.elements.push(element);
        if name == "script" {
            let (script, after) = rest.split_once("</script").expect("the end of the script");
            page.script = script.to_owned();
            rest = after.strip_prefix('>').expect("the end of the end tag");
        } else if !VOID.contains(&name.as_str()) {
            open.push(at);
        }
    }
    assert!(open.is_empty(), "not closed: {open:?}");
    assert_eq!(rest.trim(), "");
}

fn add_text(page: &mut Page, open: &[usize], text: &str) {
    assert!(!text.contains('>'), "a stray > in {text:?}");
    let text = plain(text);
    page.text.push_str(&text);
    for &at in open {
        page.elements[at].text.push_str(&text);
    }
}

/// Name and attributes, each `name` or `name="value"`.
fn start_tag(tail: &str) -> (Element, &str) {
    let is_name = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
    let end = tail.find(|char| !is_name(char)).expect("a tag");
    assert!(end > 0, "a stray < before {:?}", tail.get(..20));
    let mut attributes = Vec::new();
    let mut rest = &tail[end..];
    loop {
        if let Some(after) = rest.strip_prefix('>') {
            let name = tail[..end].to_owned();
            return (Element { name, attributes, text: String::new() }, after);
        }
        rest = rest.strip_prefix(' ').unwrap_or_else(|| panic!("a space in {:?}", rest.get(..30)));
        let end = rest.find(|char| !is_name(char)).expect("an attribute");
        assert!(end > 0, "a name in {:?}", rest.get(..30));
        let name = rest[..end].to_owned();
        rest = &rest[end..];
        let value = match rest.strip_prefix("=\"") {
            None => String::new(),
            Some(value) => {
                let (value, after) = value.split_once('"').expect("the end of a value");
                assert!(!value.contains(['<', '>']), "{name}: {value}");
                rest = after;
                plain(value)
            }
        };
        attributes.push((name, value));
    }
}

/// Undoes the character references that templates write; any other `&` is a fault.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let (name, tail) = after.split_once(';').expect("the end of a reference");
        let number = name.strip_prefix('#').and_then(|digits| digits.parse().ok());
        out.push(match (name, number.and_then(char::from_u32)) {
            ("amp", _) => '&',
            ("lt", _) => '<',
            ("gt", _) => '>',
            ("quot", _) => '"',
            (_, Some(char)) => char,
            _ => panic!("an unknown reference &{name};"),
        });
        rest = tail;
    }
    out + rest
}
