//! Typed views of a path as each scheme of the first web syntax interprets it (Internet-Draft
//! before RFC 1630, "Specific schemes").

use alloc::string::String;
use alloc::vec::Vec;

use super::{WwwUri, decode_latin1};

/// A URI as interpreted by its scheme.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SchemeView<'a> {
    /// `http`: the path is only for the server; the search is sent with it, the fragment is not.
    Http {
        /// Host and port.
        host: &'a str,
        /// The path from the slash after the host.
        path: &'a str,
    },
    /// `ftp`: directories to change to one after another, then a file; not a Unix path.
    Ftp {
        /// `anonymous` by default.
        user: &'a str,
        /// `None` means the mail address of the client's user.
        password: Option<&'a str>,
        /// Host and port.
        host: &'a str,
        /// Each decoded separately.
        directories: Vec<String>,
        /// Decoded; possibly empty.
        file: String,
    },
    /// `gopher`: a type of one character and a selector.
    Gopher {
        /// Host and port.
        host: &'a str,
        /// `1`, a menu, by default.
        item_type: char,
        /// Decoded.
        selector: String,
    },
    /// `mailto`: an address to send mail to; it cannot be retrieved.
    Mailto {
        /// Decoded.
        address: String,
    },
    /// `mid`: a received mail message, by its Message-ID without angle brackets.
    MessageId {
        /// Decoded.
        id: String,
    },
    /// `cid`: a body part, only within one MIME message.
    ContentId {
        /// Decoded.
        id: String,
    },
    /// `news` with a group name.
    NewsGroup {
        /// The name of the group.
        group: &'a str,
    },
    /// `news` with a message identifier: it contains an `@`.
    NewsArticle {
        /// Decoded.
        id: String,
    },
    /// `nntp`: an article by its number on one server, useful only locally.
    Nntp {
        /// Host and port.
        host: &'a str,
        /// The name of the group.
        group: &'a str,
        /// The number of the article on this server.
        number: &'a str,
    },
    /// `prospero`: a name that the host interprets, and a version after `%00`.
    Prospero {
        /// Host and port.
        host: &'a str,
        /// As written.
        name: &'a str,
        /// As written.
        version: Option<&'a str>,
    },
    /// `telnet`, `rlogin` and `tn3270`: an interactive session; nothing can be retrieved.
    Session {
        /// The user to log in as.
        user: Option<&'a str>,
        /// Host and port.
        host: &'a str,
    },
    /// `wais`: a database, and optionally a document whose type is part of the path.
    Wais {
        /// Host and port.
        host: &'a str,
        /// The first element of the path.
        database: &'a str,
        /// The type and the path of a document.
        document: Option<(&'a str, &'a str)>,
    },
    /// `urn`: reserved for names; not a locator.
    Name,
    /// `x-…`: an experimental scheme by mutual agreement.
    Experimental,
    /// `x500`, `whois++` and network management were left for further study: no mapping is defined.
    NotDefined,
    /// A scheme that the draft does not mention, or a path that is not valid for its scheme.
    Other,
}

pub(super) fn view(uri: WwwUri<'_>) -> SchemeView<'_> {
    let path = uri.path();
    let decoded = || decode_latin1(path);
    let scheme = uri.scheme().to_ascii_lowercase();
    let (host, after_host) = host(path);
    match &*scheme {
        "http" => SchemeView::Http { host, path: after_host },
        "ftp" => ftp(host, after_host),
        "gopher" => gopher(host, after_host),
        "mailto" => SchemeView::Mailto { address: decoded() },
        "mid" => SchemeView::MessageId { id: decoded() },
        "cid" => SchemeView::ContentId { id: decoded() },
        "news" if path.contains('@') => SchemeView::NewsArticle { id: decoded() },
        "news" => SchemeView::NewsGroup { group: path },
        "nntp" => match after_host.strip_prefix('/').and_then(|rest| rest.split_once('/')) {
            Some((group, number)) => SchemeView::Nntp { host, group, number },
            None => SchemeView::Other,
        },
        "prospero" => {
            let name = after_host.strip_prefix('/').unwrap_or(after_host);
            let (name, version) = name
                .split_once("%00")
                .map_or((name, None), |(name, version)| (name, Some(version)));
            SchemeView::Prospero { host, name, version }
        }
        "telnet" | "rlogin" | "tn3270" => {
            let (user, host) =
                host.rsplit_once('@').map_or((None, host), |(user, host)| (Some(user), host));
            SchemeView::Session { user, host }
        }
        "wais" => {
            let path = after_host.strip_prefix('/').unwrap_or(after_host);
            let (database, rest) = path
                .split_once('/')
                .map_or((path, None), |(database, rest)| (database, Some(rest)));
            SchemeView::Wais {
                host,
                database,
                document: rest.and_then(|rest| rest.split_once('/')),
            }
        }
        "urn" => SchemeView::Name,
        "x500" | "x.500" | "whois++" | "whois" => SchemeView::NotDefined,
        _ if uri.is_experimental() => SchemeView::Experimental,
        _ => SchemeView::Other,
    }
}

/// Returns host and port after `//`, and the rest of the path.
fn host(path: &str) -> (&str, &str) {
    path.strip_prefix("//")
        .map_or(("", path), |rest| rest.split_at(rest.find('/').unwrap_or(rest.len())))
}

fn ftp<'a>(login: &'a str, path: &str) -> SchemeView<'a> {
    let (user, host) =
        login.rsplit_once('@').map_or((None, login), |(user, host)| (Some(user), host));
    let (user, password) = match user.map(|user| user.split_once(':')) {
        None => ("anonymous", None),
        Some(Some((user, password))) => (user, Some(password)),
        Some(None) => (user.unwrap_or_default(), None),
    };
    let mut directories: Vec<_> =
        path.strip_prefix('/').unwrap_or(path).split('/').map(decode_latin1).collect();
    let file = directories.pop().unwrap_or_default();
    SchemeView::Ftp { user, password, host, directories, file }
}

fn gopher<'a>(host: &'a str, path: &str) -> SchemeView<'a> {
    let mut rest = path.strip_prefix('/').unwrap_or(path).chars();
    let item_type = rest.next().unwrap_or('1');
    SchemeView::Gopher { host, item_type, selector: decode_latin1(rest.as_str()) }
}
