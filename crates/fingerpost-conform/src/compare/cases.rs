//! The requests for an identifier: everything that its linkset distinguishes.

use std::fmt::Write as _;

use crate::limits::MAX_CASES;
use crate::linkset::Linkset;
use crate::message::WebRequest;

/// Requests, each once.
#[derive(Default)]
struct Cases(Vec<WebRequest>);

/// Returns the requests for a path and the links of its linkset, and whether there are more than
/// the limit.
pub(super) fn cases(path: &str, linkset: Option<&Linkset>) -> (Vec<WebRequest>, bool) {
    let mut cases = Cases::default();
    cases.add(path, &[], None, None);
    for link in linkset.iter().flat_map(|linkset| &linkset.links) {
        let is_default = link.relation.starts_with("gs1:defaultLink");
        let types: &[Option<&str>] =
            if is_default { &[None] } else { &[None, Some(&*link.relation)] };
        for link_type in types {
            let query: Vec<_> = link_type.map(|it| ("linkType", it)).into_iter().collect();
            cases.add(path, &query, None, None);
            for language in &link.languages {
                cases.add(path, &query, Some(language), None);
                cases.add(path, &query, Some(language), link.media_type.as_deref());
            }
            cases.add(path, &query, None, link.media_type.as_deref());
            for context in &link.contexts {
                let query = [&query[..], &[("context", &**context)]].concat();
                cases.add(path, &query, None, None);
                cases.add(path, &query, link.languages.first().map(|it| &**it), None);
            }
        }
    }
    let is_cut = cases.0.len() > MAX_CASES;
    cases.0.truncate(MAX_CASES);
    (cases.0, is_cut)
}

impl Cases {
    fn add(
        &mut self,
        path: &str,
        query: &[(&str, &str)],
        language: Option<&str>,
        media_type: Option<&str>,
    ) {
        let mut url = path.to_owned();
        for (index, (name, value)) in query.iter().enumerate() {
            let mark = if index == 0 { '?' } else { '&' };
            // Writing to a string cannot fail.
            let _ = write!(url, "{mark}{name}={}", encoded(value));
        }
        let mut request = WebRequest::get(url);
        // A field of a hostile linkset is no header field.
        let is_field = |it: &&str| it.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if let Some(media_type) = media_type.filter(is_field) {
            request = request.header("accept", media_type);
        }
        if let Some(language) = language.filter(is_field) {
            request = request.header("accept-language", language);
        }
        if self.0.len() <= MAX_CASES && !self.0.contains(&request) {
            self.0.push(request);
        }
    }
}

/// Returns a value of a query.
fn encoded(value: &str) -> String {
    let mut text = String::new();
    for byte in value.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b':' | b'/' => {
                text.push(char::from(byte));
            }
            _ => drop(write!(text, "%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_link_type_language_media_type_and_context_is_requested() {
        let linkset = Linkset::read(
            br#"{"linkset":[{"anchor":"https://a/01/1",
            "https://gs1.org/voc/defaultLink":[{"href":"https://b"}],
            "https://ref.gs1.org/voc/pip":[{"href":"https://b","hreflang":["fr"],"type":"text/html","context":["x y"]}]}]}"#,
        )
        .unwrap();
        let (found, is_cut) = cases("/01/1", Some(&linkset));
        let shown: Vec<_> = found
            .iter()
            .map(|it| it.curl().replace("curl -i --path-as-is --globoff", ""))
            .collect();
        let (t, l) = ("-H 'accept: text/html' ", "-H 'accept-language: fr' ");
        let lines: Vec<String> = ["", "linkType=gs1:pip"]
            .iter()
            .flat_map(|query| {
                let first = if query.is_empty() { String::new() } else { format!("?{query}") };
                let and = if query.is_empty() { "?".to_owned() } else { format!("?{query}&") };
                [
                    format!(" '/01/1{first}'"),
                    format!(" {l}'/01/1{first}'"),
                    format!(" {t}{l}'/01/1{first}'"),
                    format!(" {t}'/01/1{first}'"),
                    format!(" '/01/1{and}context=x%20y'"),
                    format!(" {l}'/01/1{and}context=x%20y'"),
                ]
            })
            .collect();
        assert_eq!(shown, lines);
        assert!(!is_cut);
        assert_eq!(cases("/01/1", None).0.len(), 1);
    }
}
