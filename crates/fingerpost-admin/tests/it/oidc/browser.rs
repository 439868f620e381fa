//! As much of a browser as a sign-in needs: cookies (RFC 6265), redirects, and the two forms of the
//! provider.

use std::io::Write;
use std::net::TcpStream;

use fingerpost_testkit::PATIENCE;

use crate::support::{Answer, read_answer};

/// Redirects of one sign-in.
const MAX_STEPS: usize = 20;

#[derive(Clone, Debug)]
struct Cookie {
    name: String,
    value: String,
    path: String,
}

/// A browser without a window. Like others it does not tell ports apart when it sends cookies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Browser {
    cookies: Vec<Cookie>,
}

impl Browser {
    /// The value of a cookie that is sent to `/`.
    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.iter().find(|cookie| cookie.name == name).map(|cookie| cookie.value.as_str())
    }

    pub(crate) fn get(&mut self, url: &str) -> Answer {
        self.send("GET", url, "")
    }

    pub(crate) fn send(&mut self, method: &str, url: &str, form: &str) -> Answer {
        let rest = url.strip_prefix("http://").expect("an absolute address");
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let sent = self.cookies.iter().filter(|cookie| path.starts_with(&cookie.path));
        let cookies: Vec<_> = sent.map(|one| format!("{}={}", one.name, one.value)).collect();
        let mut head = format!("{method} {path} HTTP/1.0\r\nHost: {host}\r\nAccept: text/html\r\n");
        if !cookies.is_empty() {
            head += &format!("Cookie: {}\r\n", cookies.join("; "));
        }
        if method == "POST" {
            let length = form.len();
            head += &format!(
                "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n"
            );
        }
        let mut stream = TcpStream::connect(host).expect("connected");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        stream.write_all(format!("{head}\r\n{form}").as_bytes()).expect("sent");
        let answer = read_answer(&mut stream).expect("an answer");
        for (_, line) in answer.fields.iter().filter(|(name, _)| name == "set-cookie") {
            self.keep(line);
        }
        answer
    }

    fn keep(&mut self, line: &str) {
        let mut parts = line.split(';').map(str::trim);
        let (name, value) = parts.next().and_then(|pair| pair.split_once('=')).expect("a pair");
        let mut cookie = Cookie { name: name.into(), value: value.into(), path: "/".to_owned() };
        let mut gone = value.is_empty();
        for part in parts {
            match part.split_once('=') {
                Some((name, path)) if name.eq_ignore_ascii_case("path") => {
                    cookie.path = path.into();
                }
                Some((name, "0")) if name.eq_ignore_ascii_case("max-age") => gone = true,
                _ => {}
            }
        }
        self.cookies.retain(|old| old.name != cookie.name || old.path != cookie.path);
        if !gone {
            self.cookies.push(cookie);
        }
    }

    /// Begins at `start` and does what the provider asks of this person, up to the address that
    /// leads back to us.
    pub(crate) fn until_callback(&mut self, start: &str, login: &str) -> String {
        let mut answer = self.get(start);
        let mut here = start.to_owned();
        for _ in 0..MAX_STEPS {
            if let Some(location) = answer.field("location") {
                let next = absolute(&here, location);
                if next.contains("/v1/oidc/callback?") {
                    return next;
                }
                answer = self.get(&next);
                here = next;
                continue;
            }
            let page = answer.text();
            assert_eq!(answer.status, 200, "{here}: {page}");
            let action = between(&page, "action=\"", "\"").expect("a form");
            let form = match between(&page, "name=\"prompt\" value=\"", "\"") {
                Some("login") if login == "declines" => {
                    let abort = between(&page, "<a href=\"", "\"").expect("a way out");
                    answer = self.get(&absolute(&here, abort));
                    continue;
                }
                Some("login") => format!("prompt=login&login={login}&password=x"),
                Some("consent") => "prompt=consent".to_owned(),
                _ => panic!("another form: {page}"),
            };
            here = absolute(&here, action);
            answer = self.send("POST", &here, &form);
        }
        panic!("too many redirects, at {here}")
    }
}

fn absolute(base: &str, target: &str) -> String {
    if target.starts_with("http://") {
        return target.to_owned();
    }
    assert!(target.starts_with('/'), "{target}");
    let end = base[7..].find('/').map_or(base.len(), |slash| slash + 7);
    format!("{}{target}", &base[..end])
}

pub(crate) fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}
