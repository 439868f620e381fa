//! Lines of access logs: common and combined log format, and JSON of fingerpost and Caddy.
//!
//! ```text
//! common    = host SP ident SP user SP "[" time "]" SP DQUOTE method SP target SP protocol DQUOTE SP status SP bytes
//! combined  = common SP DQUOTE referer DQUOTE SP DQUOTE user-agent DQUOTE
//! json      = {"fields": {"method", "path"}} / {"request": {"method", "uri", "headers"}}
//! ```

use serde_json::Value;

use super::Job;
use crate::message::WebRequest;

/// Header fields that answers of a resolver depend on.
const HEADERS: [(&str, &str); 2] = [("Accept", "accept"), ("Accept-Language", "accept-language")];

/// Returns the request that a line of an access log is about.
pub fn logged(line: &str) -> Job {
    let skip = |why: &str| Job::Skip(why.to_owned());
    let line = line.trim();
    let found = if line.starts_with('{') { json(line) } else { common(line) };
    let Some((method, target, headers)) = found else {
        return skip("lines that are not of an access log with paths");
    };
    let method = match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        _ => return skip("requests with methods other than GET and HEAD"),
    };
    if !target.starts_with('/') || !target.bytes().all(|byte| byte.is_ascii_graphic()) {
        return skip("requests whose target is not a path");
    }
    let path = target.split('?').next().unwrap_or_default();
    if path == "/" || path.starts_with("/.") || matches!(path, "/favicon.ico" | "/robots.txt") {
        return skip("requests that are not for identifiers");
    }
    Job::Request(WebRequest { method, url: target, headers })
}

type Found = (String, String, Vec<(&'static str, String)>);

fn common(line: &str) -> Option<Found> {
    let (_, rest) = line.split_once("] \"")?;
    let (request, _) = rest.split_once('"')?;
    let mut words = request.split(' ');
    let (method, target, protocol) = (words.next()?, words.next()?, words.next()?);
    let is_request = protocol.starts_with("HTTP/") && words.next().is_none();
    is_request.then(|| (method.to_owned(), target.to_owned(), Vec::new()))
}

fn json(line: &str) -> Option<Found> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    if let Some(path) = text("/fields/path") {
        return Some((text("/fields/method")?, path, Vec::new()));
    }
    let headers = HEADERS.iter().filter_map(|(name, field)| {
        let value = text(&format!("/request/headers/{name}/0"))?;
        // What is sent again is text of a client.
        value.bytes().all(|byte| matches!(byte, b' '..=b'~')).then_some((*field, value))
    });
    Some((text("/request/method")?, text("/request/uri")?, headers.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_access_logs_become_requests() {
        let request = |method, url: &str, headers: &[(&'static str, &str)]| {
            let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned()));
            Job::Request(WebRequest { method, url: url.to_owned(), headers: headers.collect() })
        };
        let path = "/01/09520123456788?17=301231";
        for (line, expected) in [
            (
                r#"192.0.2.1 - - [27/Nov/2026:00:00:00 +0000] "GET /01/09520123456788?17=301231 HTTP/1.1" 307 0"#,
                request("GET", path, &[]),
            ),
            (
                r#"::1 - a [27/Nov/2026:00:00:00 +0000] "HEAD /01/09520123456788?17=301231 HTTP/2.0" 307 0 "-" "x \"y\"""#,
                request("HEAD", path, &[]),
            ),
            (
                r#"{"fields":{"message":"answered","method":"GET","path":"/01/1","status":307}}"#,
                request("GET", "/01/1", &[]),
            ),
            (
                r#"{"request":{"method":"GET","uri":"/01/1","headers":{"Accept-Language":["fr, en;q=0.5"],"Accept":["a\u0000"]}}}"#,
                request("GET", "/01/1", &[("accept-language", "fr, en;q=0.5")]),
            ),
        ] {
            assert_eq!(logged(line), expected, "{line}");
        }
        for line in [
            "",
            "{",
            "x",
            r#"- [] "GET /01/1" 400"#,
            r#"- [] "POST /01/1 HTTP/1.1" 405"#,
            r#"- [] "GET http://a/01/1 HTTP/1.1" 405"#,
            r#"- [] "GET /favicon.ico HTTP/1.1" 404"#,
            r#"- [] "GET /01/1\x22 x HTTP/1.1" 404"#,
            r#"{"fields":{"route":"/01/{}","method":"GET"}}"#,
            r#"{"fields":{"method":"GET","path":"/01/\u001b"}}"#,
        ] {
            assert!(matches!(logged(line), Job::Skip(_)), "{line}");
        }
    }
}
