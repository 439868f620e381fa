//! Redirects in the configuration of nginx or Apache, line by line.
//!
//! ```text
//! nginx    PATH URL;                                   in a map, or its file alone
//!          rewrite PATTERN URL [last|break|redirect|permanent];
//!          location = PATH { return 30x URL; }
//! Apache   Redirect [status] PATH URL
//!          RedirectMatch [status] PATTERN URL
//!          RewriteRule PATTERN URL [flags]
//! PATTERN  = ["~" / "~*"] ["^"] ["/?"] literal ["/?"] ["$"]     ; `\.` and the like are literal
//! URL      = "http://…" / "https://…", without `$` and `%{`
//! ```
//!
//! Everything else is refused with its line: a condition, a variable or a group is not guessed.

use std::io::{self, BufRead, BufReader, Read};

use super::{Input, Item, Items, cut, link_record, text};
use crate::limits::MAX_LINE_BYTES;

/// First words of lines by which a list is recognised.
const WORDS: [&str; 9] = [
    "map",
    "rewrite",
    "location",
    "server",
    "redirect",
    "redirectmatch",
    "redirectpermanent",
    "rewriterule",
    "rewriteengine",
];

/// Whether the first line with content is of a list of redirects.
pub(crate) fn is(head: &[u8]) -> bool {
    let lines = text(head).lines().map(str::trim);
    let Some(first) = lines.filter(|line| !is_frame(line)).find(|line| !line.starts_with('<'))
    else {
        return false;
    };
    let words = words(first);
    let is_entry = first.ends_with(';') && words.len() == 2 && path(&words[0]).is_ok();
    let begins = words.first().is_some_and(|word| WORDS.contains(&&*word.to_ascii_lowercase()));
    is_entry
        || (begins && (words.len() > 2 || first.to_ascii_lowercase().starts_with("rewriteengine")))
}

/// Reads the lines.
pub(crate) fn read(input: Input<'_>) -> io::Result<Items<'_>> {
    let mut input = BufReader::new(input);
    let (mut number, mut is_conditional) = (0, false);
    Ok(Box::new(std::iter::from_fn(move || {
        loop {
            let mut line = Vec::new();
            match (&mut input).take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
            number += 1;
            let line = String::from_utf8_lossy(&line);
            if let Some(record) =
                item(line.trim_start_matches('\u{feff}').trim(), &mut is_conditional)
            {
                return Some(Ok(Item::from((number, record))));
            }
        }
    })))
}

/// Returns what a line becomes; `None` if it is only a frame around others.
fn item(line: &str, is_conditional: &mut bool) -> Option<Result<serde_json::Value, String>> {
    if is_frame(line) {
        return None;
    }
    let words = words(line);
    let directive = words.first().map(|word| word.to_ascii_lowercase()).unwrap_or_default();
    if directive == "map" && line.ends_with('{') || directive == "rewriteengine" {
        return None;
    }
    if directive == "rewritecond" {
        *is_conditional = true;
        return None;
    }
    if std::mem::take(is_conditional) {
        return Some(Err(format!("a rule with a condition: `{}`", cut(line))));
    }
    let mut parts: Vec<&str> = words.iter().map(String::as_str).collect();
    if matches!(&*directive, "redirect" | "redirectmatch")
        && parts.len() == 4
        && is_redirect(parts[1])
    {
        parts.remove(1);
    }
    let found = match (directive.as_str(), parts.as_slice()) {
        ("location", [_, "=", key, "{", "return", status, target, "}"]) if is_redirect(status) => {
            Some((path(key), *target))
        }
        ("redirect" | "redirectpermanent" | "redirecttemp", [_, key, target]) => {
            Some((path(key), *target))
        }
        ("rewriterule", [_, _, _, flags]) if !are_simple(flags) => None,
        ("rewrite" | "redirectmatch" | "rewriterule", [_, pattern, target])
        | ("rewrite", [_, pattern, target, "last" | "break" | "redirect" | "permanent"])
        | ("rewriterule", [_, pattern, target, _]) => Some((literal(pattern), *target)),
        (_, [key, target]) if line.ends_with(';') => Some((literal(key), *target)),
        _ => None,
    };
    let Some((key, target)) = found else {
        return Some(Err(format!("expected a redirect of a simple kind, found `{}`", cut(line))));
    };
    Some(key.and_then(|key| link_record(&key, checked(target)?, "")))
}

/// Whether a line is empty, a comment, or a bracket around others.
fn is_frame(line: &str) -> bool {
    line.is_empty()
        || line.starts_with('#')
        || matches!(line, "{" | "}" | "};")
        || line.starts_with("</")
        || line.to_ascii_lowercase().starts_with("<ifmodule")
}

fn is_redirect(status: &str) -> bool {
    matches!(status, "301" | "302" | "303" | "307" | "308" | "permanent" | "temp" | "seeother")
}

/// Whether flags of a `RewriteRule` change nothing but status, order and case.
fn are_simple(flags: &str) -> bool {
    let flags = flags.strip_prefix('[').and_then(|flags| flags.strip_suffix(']'));
    flags.is_some_and(|flags| {
        flags.split(',').all(|flag| {
            let flag = flag.trim();
            let status = flag.strip_prefix("R=").or_else(|| flag.strip_prefix("redirect="));
            FLAGS.contains(&flag) || status.is_some_and(is_redirect)
        })
    })
}

/// Flags that say nothing about which requests are redirected.
const FLAGS: [&str; 11] =
    ["R", "redirect", "L", "last", "END", "NC", "nocase", "NE", "noescape", "QSA", "qsappend"];

/// Returns a path.
fn path(key: &str) -> Result<String, String> {
    match key.starts_with('/') && !key.contains(['$', '*', '(', '[', '^']) {
        true => Ok(key.to_owned()),
        false => Err(format!("expected a path, found `{}`", cut(key))),
    }
}

/// Returns the path that a pattern matches, if it is only one.
fn literal(pattern: &str) -> Result<String, String> {
    let wrong = || format!("expected a pattern for one path, found `{}`", cut(pattern));
    let text =
        pattern.strip_prefix("~*").or_else(|| pattern.strip_prefix('~')).unwrap_or(pattern).trim();
    let text = text.strip_prefix('^').unwrap_or(text);
    let text = text.strip_suffix('$').unwrap_or(text);
    let text = text.strip_suffix("/?").unwrap_or(text);
    let text = text.strip_prefix("/?").unwrap_or(text);
    let (mut found, mut chars) = (String::from("/"), text.trim_start_matches('/').chars());
    while let Some(char) = chars.next() {
        match char {
            '\\' => found.push(chars.next().filter(char::is_ascii_punctuation).ok_or_else(wrong)?),
            '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' | '$' => {
                return Err(wrong());
            }
            other => found.push(other),
        }
    }
    Ok(found)
}

/// Returns a target that is the same for each request.
fn checked(target: &str) -> Result<&str, String> {
    let is_web = target.starts_with("https://") || target.starts_with("http://");
    match is_web && !target.contains('$') && !target.contains("%{") && !target.contains('\\') {
        true => Ok(target.trim_end_matches('?')),
        false => Err(format!("expected a web address without variables, found `{}`", cut(target))),
    }
}

/// Returns the words of a line without the semicolon at its end; quoted ones without quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut is_open) = (Vec::new(), String::new(), None, false);
    for char in line.chars() {
        match (quote, char) {
            (Some(open), char) if char == open => quote = None,
            (None, '"' | '\'') if word.is_empty() => (quote, is_open) = (Some(char), true),
            (None, ' ' | '\t') => {
                if is_open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                is_open = false;
            }
            (None, ';') => {}
            (_, char) => word.push(char),
        }
    }
    if is_open || !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// The line of an item, and its anchor and target or why there are none.
    type Found = (u64, Result<(String, String), String>);

    fn read_all(text: &str) -> Vec<Found> {
        assert!(is(text.as_bytes()), "{text}");
        let items = read(Box::new(Cursor::new(text.as_bytes().to_vec()))).unwrap();
        let shown = |record: serde_json::Value| {
            let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
            (text(&record["anchor"]), text(&record["links"][0]["href"]))
        };
        items.map(|item| item.map(|(line, item)| (line, item.map(shown))).unwrap()).collect()
    }

    const KEY: &str = "/01/09520123456788";

    #[test]
    fn simple_redirects_become_records() {
        for (text, line) in [
            ("# x\nmap $uri $to {\n  /01/09520123456788 https://a/b;\n}\n", 3),
            ("/01/09520123456788 'https://a/b';", 1),
            ("map $uri $to {\n\"~^/01/09520123456788/?$\" https://a/b;", 2),
            ("rewrite ^/01/09520123456788$ https://a/b permanent;", 1),
            ("location = /01/09520123456788 { return 301 https://a/b; }", 1),
            ("Redirect /01/09520123456788 https://a/b", 1),
            ("Redirect 302 /01/09520123456788 \"https://a/b\"", 1),
            ("RedirectMatch permanent ^/01/09520123456788$ https://a/b", 1),
            (
                "<IfModule mod_rewrite.c>\nRewriteEngine On\nRewriteRule ^/?01/09520123456788/?$ https://a/b [R=301,L]\n</IfModule>",
                3,
            ),
            ("RewriteRule ^01/09520123456788$ https://a/b? [R,L]", 1),
            ("rewrite ^/tea-9520123456788$ https://a/b;", 1),
        ] {
            let expected = (line, Ok((KEY.to_owned(), "https://a/b".to_owned())));
            assert_eq!(read_all(text), [expected], "{text}");
        }
    }

    /// Issue 33, point 5: what is not simple is reported by line, never guessed.
    #[test]
    fn everything_else_is_refused_with_its_line() {
        let first = "Redirect /01/09520123456788 https://a/b\n";
        for line in [
            "RewriteRule ^/01/(.*)$ https://a/$1 [R]",
            "RewriteRule ^/01/09520123456788$ /page [R]",
            "RewriteRule ^/01/09520123456788$ https://a/%{QUERY_STRING} [R]",
            "RewriteRule ^/01/09520123456788$ https://a/b [F]",
            "Redirect gone /01/09520123456788",
            "Redirect 410 /01/09520123456788 https://a/b",
            "Redirect /about https://a/b",
            "rewrite ^/01/0952012345678.$ https://a/b;",
            "/01/09520123456788 https://a$request_uri;",
            "default https://a/b;",
            "location /01/ { return 301 https://a/b; }",
            "Options -Indexes",
            "RewriteCond %{HTTP_HOST} ^a$\nRewriteRule ^/01/09520123456788$ https://a/b [R]",
        ] {
            let found = read_all(&format!("{first}{line}\n"));
            assert_eq!(found.len(), 2, "{found:?}");
            let last = 1 + line.lines().count() as u64;
            assert!(found[1].0 == last && found[1].1.is_err(), "{line}: {found:?}");
        }
    }

    #[test]
    fn other_files_are_no_lists_of_redirects() {
        for text in [
            "",
            "# x",
            "9520123456788",
            "GTIN,URL\n1,2",
            "{\"anchor\":1}",
            "map;a;b",
            "location,url",
            "/01/09520123456788",
            "redirect\n",
        ] {
            assert!(!is(text.as_bytes()), "{text}");
        }
    }
}
