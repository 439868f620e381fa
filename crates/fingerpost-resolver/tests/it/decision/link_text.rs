//! Linksets as text (RFC 9264 section 4.1), read back by the algorithms of RFC 8288, appendix B,
//! and of RFC 8187.

use fingerpost_resolver::Plan;
use serde_json::json;

use crate::decision::{entry, get, linkset, settings};

/// A link: its target, and its attributes in their order, decoded.
type Link = (String, Vec<(String, String)>);

/// RFC 8288 appendix B.2. Line breaks count as white space (RFC 9264 section 4.1).
fn parse(text: &str) -> Vec<Link> {
    let (mut links, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        rest = rest.trim_start();
        rest = rest.strip_prefix('<').expect("a link begins with <");
        let (target, after) = rest.split_once('>').expect("a target ends with >");
        let (attributes, after) = parameters(after);
        links.push((target.to_owned(), attributes));
        rest = after.trim_start();
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None => assert!(rest.is_empty(), "{rest:?} after a link"),
        }
    }
    links
}

/// RFC 8288 appendix B.3.
fn parameters(mut rest: &str) -> (Vec<(String, String)>, &str) {
    let mut parameters = Vec::new();
    while let Some(after) = rest.trim_start().strip_prefix(';') {
        let after = after.trim_start();
        let end = after.find(['=', ';', ',']).expect("a name ends");
        let name = after[..end].trim_end().to_ascii_lowercase();
        let value = after[end..].strip_prefix('=').expect("every attribute here has a value");
        let (value, after) = match value.strip_prefix('"') {
            Some(quoted) => unquote(quoted),
            None => {
                let (value, after) = value.split_at(value.find([';', ',']).unwrap_or(value.len()));
                (value.to_owned(), after)
            }
        };
        match name.strip_suffix('*') {
            Some(plain) => parameters.push((plain.to_owned(), extended(&value))),
            None => parameters.push((name, value)),
        }
        rest = after;
    }
    (parameters, rest)
}

/// RFC 8288 appendix B.4.
fn unquote(text: &str) -> (String, &str) {
    let (mut out, mut chars) = (String::new(), text.char_indices());
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().map(|(_, c)| c)),
            '"' => return (out, &text[at + 1..]),
            c => out.push(c),
        }
    }
    panic!("a quoted string ends: {text}");
}

/// RFC 8187 section 3.2.1.
fn extended(value: &str) -> String {
    let encoded = value.strip_prefix("UTF-8''").expect("the charset, no language");
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"!#$&+-.^_`|~%".contains(&b);
    assert!(encoded.bytes().all(allowed), "{encoded}");
    let (mut bytes, mut rest) = (Vec::new(), encoded.as_bytes());
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first == b'%' {
            let digits = std::str::from_utf8(&rest[..2]).expect("ASCII");
            bytes.push(u8::from_str_radix(digits, 16).expect("two digits"));
            rest = &rest[2..];
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}

fn text_of(record: &str, path: &str) -> String {
    let (settings, levels) = (settings(), [entry(record)]);
    let target = format!("{path}?linkType=linkset");
    let plan = Plan::of(&settings, &get(&target));
    linkset(&plan, &levels).to_link_text()
}

// RES-2.10-17: every link of every type, with its anchor and all attributes.
#[test]
fn rfc_9264_4_1_every_attribute_is_written() {
    let record = r#"{"anchor": "/01/09520123456788", "itemDescription": "Tea", "links": [
        {"linkType": "gs1:defaultLink", "href": "https://a.example/", "title": "A"},
        {"linkType": "gs1:pip", "href": "https://a.example/", "title": "Tee, grün; \"fein\"",
         "type": "text/html; charset=\"utf-8\"", "hreflang": ["de-AT", "es-419"], "context": ["AT", "Öst"]},
        {"linkType": "license", "href": "https://a.example/{10}?{01}", "title": "B\\"}]}"#;
    let text = text_of(record, "/01/09520123456788/10/L%3E1");
    let anchor = "https://id.example.org/01/09520123456788";
    let link = |target: &str, attributes: &[(&str, &str)]| -> Link {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        (target.to_owned(), attributes.iter().map(owned).collect())
    };
    let expected = [
        link(
            "https://a.example/",
            &[("rel", "https://ref.gs1.org/voc/defaultLink"), ("anchor", anchor), ("title", "A")],
        ),
        link(
            "https://a.example/",
            &[
                ("rel", "https://ref.gs1.org/voc/pip"),
                ("anchor", anchor),
                ("hreflang", "de-AT"),
                ("hreflang", "es-419"),
                ("type", "text/html; charset=\"utf-8\""),
                ("title", "Tee, grün; \"fein\""),
                ("context", "AT"),
                ("context", "Öst"),
            ],
        ),
        link(
            "https://a.example/L%3E1?09520123456788",
            &[("rel", "license"), ("anchor", anchor), ("title", "B\\")],
        ),
    ];
    assert_eq!(parse(&text), expected, "{text}");
    assert_eq!(text.lines().count(), 3, "{text}");
}

// RES-2.10-17: whatever a registrant writes into a text, there is one link, with this text.
#[test]
fn rfc_8288_3_nothing_stored_ends_a_link() {
    for hostile in [
        "\", <https://evil.example/>; rel=\"license",
        "\\\", <https://evil.example/>; rel=x",
        ">, <https://evil.example/>",
        "a\\",
        "\\\"",
        "é\", <x>",
        "''%22;*=",
        "UTF-8''x",
        "\u{202e}x\u{2028}y",
    ] {
        let record = json!({"anchor": "/01/09520123456788", "links": [
            {"linkType": "gs1:pip", "href": "https://a.example/", "title": hostile, "context": [hostile]},
        ]});
        let text = text_of(&record.to_string(), "/01/09520123456788");
        assert!(text.is_ascii() && !text.contains(['\r', '\n']), "{text}");
        let links = parse(&text);
        let [(target, attributes)] = &links[..] else { panic!("one link: {text}") };
        assert_eq!(target, "https://a.example/");
        for name in ["title", "context"] {
            let found = attributes.iter().find(|(found, _)| found == name);
            assert_eq!(found.map(|(_, value)| &**value), Some(hostile), "{text}");
        }
    }
}
