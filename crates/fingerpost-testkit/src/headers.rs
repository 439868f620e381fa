//! Expectations of headers, by their wording in the case file.

use crate::Ask;

/// Checks one header; `Err` describes the fault.
///
/// # Panics
///
/// If the wording is not in the table: no expectation may be skipped silently.
pub(crate) fn check(name: &str, words: &str, found: Option<&str>, ask: &Ask) -> Result<(), String> {
    let value = found.unwrap_or_default();
    let holds = match words {
        "present" => found.is_some(),
        "contains GET, HEAD and OPTIONS" => lists(value, &["GET", "HEAD", "OPTIONS"]),
        "contains Link" => lists(value, &["Link"]),
        "contains Accept" => lists(value, &["Accept"]),
        "contains Accept and Accept-Language" => lists(value, &["Accept", "Accept-Language"]),
        "* or the origin sent" => value == "*" || Some(value) == sent(ask, "Origin"),
        "* (sent with or without an Origin)" => value == "*",
        "covers the headers asked for" => {
            let asked = sent(ask, "Access-Control-Request-Headers").unwrap_or_default();
            lists(value, &asked.split(',').map(str::trim).collect::<Vec<_>>())
        }
        "one comma-separated part holds both rel=\"http://www.w3.org/ns/json-ld#context\" and \
         type=\"application/ld+json\", targeting https://ref.gs1.org/standards/resolver/linkset-context or a versioned \
         form or an own context" => value.split(',').any(is_context_link),
        _ => other(words, value, found.is_some()),
    };
    if holds { Ok(()) } else { Err(format!("{name}: expected {words}, found {found:?}")) }
}

/// Checks a value against wording that contains variable text.
fn other(words: &str, value: &str, is_present: bool) -> bool {
    if let Some(start) = words.strip_prefix("starts with ") {
        return value.starts_with(start);
    }
    if let Some(part) = words.strip_prefix("if present contains ") {
        return !is_present || value.contains(part);
    }
    if let Some((part, no)) =
        words.strip_prefix("contains ").and_then(|rest| rest.split_once("; contains no "))
    {
        return value.contains(part) && !value.contains(no);
    }
    panic!("no code for the expectation {words:?}")
}

/// Returns whether a comma-separated list contains all the words, ignoring case.
fn lists(list: &str, words: &[&str]) -> bool {
    let members: Vec<&str> = list.split(',').map(str::trim).collect();
    words.iter().all(|word| members.iter().any(|member| member.eq_ignore_ascii_case(word)))
}

fn sent<'a>(ask: &'a Ask, name: &str) -> Option<&'a str> {
    let header = ask.headers.iter().find(|(found, _)| found.eq_ignore_ascii_case(name));
    header.map(|(_, value)| value.as_str())
}

fn is_context_link(part: &str) -> bool {
    part.contains("<https://ref.gs1.org/standards/resolver/")
        && part.contains("linkset-context")
        && part.contains("rel=\"http://www.w3.org/ns/json-ld#context\"")
        && part.contains("type=\"application/ld+json\"")
}
