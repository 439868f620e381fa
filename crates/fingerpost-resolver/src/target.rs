//! Targets of links: absolute http(s) URLs, perhaps with placeholders (RES-2.5.1-1 to -8).
//!
//! ```text
//! target      = ( "https://" / "http://" ) authority tail    ; the scheme in any case, stored in lower case
//! authority   = host [ ":" port ]                     ; no user information, no placeholder
//! tail        = [ "/" path ] [ "?" query ] [ "#" fragment ], with placeholders anywhere
//! placeholder = "{" AI "}"                            ; the key of the entity or one of its qualifiers
//! ```
//!
//! A target is stored and sent byte for byte; only two things are converted when it is registered:
//! the scheme to lower case (RFC 3986 section 3.1), and characters that cannot be in a header, a
//! non-ASCII host to Punycode, others to percent-encoded UTF-8. The WHATWG parser checks the
//! target, but only the converted host is taken from its output.

use std::borrow::Cow;

use fingerpost_gs1::{Ai, EntityKey, percent};
use url::Url;

use crate::ascii_host;
use crate::fault::shown;
use crate::international::push_encoded;
use crate::limits::{MAX_HREF_BYTES, MAX_MEANT_BYTES, MAX_PLACEHOLDERS};

mod origin;

pub(crate) use origin::Origin;

/// A target that can be stored.
#[derive(Debug)]
pub(crate) struct Checked<'h> {
    /// The target as it is stored and sent.
    pub(crate) href: Cow<'h, str>,
    /// Whether it has placeholders.
    pub(crate) is_template: bool,
}

/// The requirement that a target breaks, and how.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) id: &'static str,
    pub(crate) message: String,
}

impl Wrong {
    fn new(id: &'static str, message: String) -> Wrong {
        Wrong { id, message }
    }
}

/// Checks a target. Without a primary key (because the anchor covers all of them, or has a fault),
/// placeholders of any key are allowed; without an origin, targets on this resolver are not
/// detected.
pub(crate) fn check<'h>(
    href: &'h str,
    primary_key: Option<Ai>,
    own: Option<&Origin>,
) -> Result<Checked<'h>, Wrong> {
    if is_plain(href, own) {
        return Ok(Checked { href: Cow::Borrowed(href), is_template: false });
    }
    check_thoroughly(href, primary_key, own)
}

/// Returns whether every check accepts a target as it is, which saves a bulk load a third of its
/// time: the host is a name in letters in lower case, digits and hyphens, not this resolver's, and
/// the rest has no character that any check looks for.
fn is_plain(href: &str, own: Option<&Origin>) -> bool {
    let rest = href.strip_prefix("https://").or_else(|| href.strip_prefix("http://"));
    let Some(rest) = rest.filter(|_| href.len() <= MAX_HREF_BYTES) else { return false };
    let end = rest.bytes().position(|byte| matches!(byte, b'/' | b'?' | b'#'));
    let (host, tail) = rest.split_at(end.unwrap_or(rest.len()));
    let is_label = |label: &str| {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        label.bytes().all(fits) && !label.starts_with(['-']) && !label.is_empty()
    };
    // The last label of an address in numbers begins with a digit; a label in Punycode begins with
    // `xn--`.
    let last = host.rsplit('.').next().unwrap_or_default();
    host.split('.').all(|label| is_label(label) && !label.starts_with("xn--"))
        && last.starts_with(|first: char| first.is_ascii_lowercase())
        && tail.bytes().all(|byte| PLAIN[usize::from(byte)])
        && own.is_none_or(|own| own.is_elsewhere(host))
}

/// The characters of a target that no check looks for: all that are visible, without those of
/// [`check_characters`], placeholders and percent-encoding.
const PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = b'!';
    while byte <= b'~' {
        table[byte as usize] =
            !matches!(byte, b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'|' | b'{' | b'}' | b'%');
        byte += 1;
    }
    table
};

fn check_thoroughly<'h>(
    href: &'h str,
    primary_key: Option<Ai>,
    own: Option<&Origin>,
) -> Result<Checked<'h>, Wrong> {
    if href.is_empty() {
        return Err(Wrong::new("RES-2.5.1-1", "expected a target URL, found empty text".into()));
    }
    check_characters(href)?;
    let (scheme, rest) = split_scheme(href)?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    check_authority(authority)?;
    let is_template = check_placeholders(tail, primary_key)?;
    check_escapes(tail)?;

    let href = if href.is_ascii() && href.starts_with(scheme) {
        Cow::Borrowed(href)
    } else {
        Cow::Owned([scheme, &ascii_authority(authority)?, &ascii_tail(tail)].concat())
    };
    if href.len() > MAX_HREF_BYTES {
        let found = href.len();
        let message = format!("expected a target of at most {MAX_HREF_BYTES} bytes, found {found}");
        return Err(Wrong::new("RES-2.5.1-2", message));
    }
    let sample = if is_template { Cow::Owned(sample(&href)) } else { Cow::Borrowed(&*href) };
    let url = Url::parse(&sample).map_err(|error| not_a_url(&sample, &error.to_string()))?;
    if own.is_some_and(|own| own.holds_digital_link(&url, SAMPLE_VALUE)) {
        let message = format!(
            "expected a target outside the own resolver, found a Digital Link on it: {}",
            shown(&href)
        );
        return Err(Wrong::new("RES-2.5.1-8", message));
    }
    Ok(Checked { href, is_template })
}

/// Returns a target with its placeholders replaced by the percent-encoded values of `entity`;
/// absent values become empty in the query (RES-2.5.1-3). `None`: the link is not available for
/// this entity, because the path or fragment has a placeholder without a value, or a value would
/// make a whole path segment `.` or `..` (RES-2.5.1-7).
pub(crate) fn expand(template: &str, entity: &EntityKey) -> Option<String> {
    if !can_be_filled(template, entity) {
        return None;
    }
    let mut target = String::with_capacity(template.len() + 64);
    target.extend(filled(template, entity));
    Some(target)
}

/// Returns whether [`expand`] returns a target.
pub(crate) fn can_be_filled(template: &str, entity: &EntityKey) -> bool {
    if without_value(template, entity).is_some() {
        return false;
    }
    let mut segments = path(template).split('/').filter(|segment| segment.contains('{'));
    !segments.any(|segment| {
        // Most are longer than two dots, each written `%2E`, after their first piece.
        let mut length = 0;
        let is_short = filled(segment, entity).all(|piece| {
            length += piece.len();
            length <= 6
        });
        is_short && is_dot_segment(&filled(segment, entity).collect::<String>())
    })
}

/// Returns the first placeholder outside the query for which `entity` has no value.
pub(crate) fn without_value<'t>(template: &'t str, entity: &EntityKey) -> Option<&'t str> {
    let fragment = template.split_once('#').map_or("", |(_, fragment)| fragment);
    pieces(path(template)).chain(pieces(fragment)).find_map(|piece| match piece {
        Piece::Placeholder(ai) if value(ai, entity).is_none() => Some(ai),
        _ => None,
    })
}

/// Returns whether a template names a primary key of another type than that of `entity`.
pub(crate) fn names_other_key(template: &str, entity: &EntityKey) -> bool {
    pieces(template).any(|piece| match piece {
        Piece::Text(_) => false,
        Piece::Placeholder(ai) => {
            Ai::new(ai).is_some_and(|ai| ai.is_primary_key() && ai != entity.primary_key())
        }
    })
}

/// Returns the pieces of a template or a part of one, with placeholders filled. Values hold no
/// unencoded delimiters.
fn filled<'t>(template: &'t str, entity: &'t EntityKey) -> impl Iterator<Item = &'t str> {
    pieces(template).map(|piece| match piece {
        Piece::Text(text) => text,
        Piece::Placeholder(ai) => value(ai, entity).unwrap_or_default(),
    })
}

/// Returns the percent-encoded value of `entity` for the name of a placeholder.
fn value<'e>(ai: &str, entity: &'e EntityKey) -> Option<&'e str> {
    Ai::new(ai).and_then(|ai| entity.encoded_value(ai))
}

/// Checks that a target holds nothing that ends a header line or that clients read in different
/// ways (RES-2.5.1-6), and nothing that RFC 3986 does not allow.
fn check_characters(href: &str) -> Result<(), Wrong> {
    let harmful = |c: &char| c.is_control() || c.is_whitespace() || *c == '\\';
    if let Some(c) = href.chars().find(harmful) {
        let message =
            format!("expected an address without spaces, line breaks and backslashes, found {c:?}");
        return Err(Wrong::new("RES-2.5.1-6", message));
    }
    if let Some(c) = href.chars().find(|c| matches!(c, '"' | '<' | '>' | '^' | '`' | '|')) {
        let message = format!("expected the character percent-encoded, found {c:?}");
        return Err(Wrong::new("RES-2.5.1-2", message));
    }
    Ok(())
}

/// Returns the scheme in lower case, and the rest.
fn split_scheme(href: &str) -> Result<(&'static str, &str), Wrong> {
    for scheme in ["https://", "http://"] {
        if let Some((given, rest)) = href.split_at_checked(scheme.len())
            && given.eq_ignore_ascii_case(scheme)
        {
            return Ok((scheme, rest));
        }
    }
    let lower = href.to_ascii_lowercase();
    let script = ["javascript:", "data:", "vbscript:"].iter().any(|s| lower.starts_with(s));
    let in_scheme = href[..href.find("://").unwrap_or(0)].contains('{');
    let id = match (script, in_scheme) {
        (true, _) => "RES-2.5.1-6",
        (_, true) => "RES-2.5.1-7",
        _ => "RES-2.5.1-2",
    };
    let meant = with_scheme(href).map(|meant| format!("; did you mean {meant}?"));
    let message = format!(
        "expected \"https://\" or \"http://\" at the start, found {}{}",
        shown(href),
        meant.unwrap_or_default()
    );
    Err(Wrong::new(id, message))
}

/// Returns an address as browsers show it, such as `www.example.com/page`, with the scheme that it
/// lacks.
fn with_scheme(href: &str) -> Option<String> {
    let schemes = ["https:", "http:"];
    let given = schemes.into_iter().find_map(|scheme| {
        let (given, rest) = href.split_at_checked(scheme.len())?;
        given.eq_ignore_ascii_case(scheme).then_some(rest)
    });
    let rest = match given {
        Some(rest) => rest.trim_start_matches('/'),
        None => href.strip_prefix("//").unwrap_or(href),
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    let is_label =
        |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let is_name = name.contains('.') && name.split('.').all(is_label);
    let meant = ["https://", rest].concat();
    let is_target = || check_thoroughly(&meant, None, None).is_ok();
    (is_name && meant.len() <= MAX_MEANT_BYTES && is_target()).then_some(meant)
}

fn check_authority(authority: &str) -> Result<(), Wrong> {
    if authority.contains(['{', '}']) {
        let message =
            format!("expected placeholders only after the host, found {}", shown(authority));
        return Err(Wrong::new("RES-2.5.1-7", message));
    }
    // RFC 9110 section 4.2.4 forbids user information; the linkset schema requires the first
    // character of the host to be a letter or digit.
    let first_is_odd = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '[';
    if authority.contains(['@', '%']) || authority.chars().next().is_none_or(first_is_odd) {
        let network_path = ["//", authority].concat();
        let found = shown(&fingerpost_uri::hide_password(&network_path)[2..]);
        let message = format!("expected a host, perhaps with a port, found {found}");
        return Err(Wrong::new("RES-2.5.1-2", message));
    }
    Ok(())
}

/// Returns whether there are placeholders, and each is allowed (RES-2.5.1-3, -4).
fn check_placeholders(tail: &str, primary_key: Option<Ai>) -> Result<bool, Wrong> {
    if !tail.contains(['{', '}']) {
        return Ok(false);
    }
    for piece in pieces(tail) {
        let (text, allowed) = match piece {
            Piece::Text(text) => (text, !text.contains(['{', '}'])),
            Piece::Placeholder(ai) => (ai, is_ai_of(ai, primary_key)),
        };
        if !allowed {
            let message = format!(
                "expected placeholders such as {{01}} that name the key or one of its qualifiers, \
                 found {}",
                shown(text)
            );
            return Err(Wrong::new("RES-2.5.1-3", message));
        }
    }
    let found = placeholders(tail);
    if found > MAX_PLACEHOLDERS {
        let message = format!("expected at most {MAX_PLACEHOLDERS} placeholders, found {found}");
        return Err(Wrong::new("RES-2.5.1-3", message));
    }
    Ok(true)
}

/// Returns the number of placeholders of a template.
pub(crate) fn placeholders(template: &str) -> usize {
    pieces(template).filter(|piece| matches!(piece, Piece::Placeholder(_))).count()
}

/// Returns whether `text` is the primary key or one of its possible qualifiers; without a key,
/// those of any key.
fn is_ai_of(text: &str, primary_key: Option<Ai>) -> bool {
    let Some(ai) = Ai::new(text) else { return false };
    let Some(key) = primary_key else {
        return Ai::PRIMARY_KEYS.iter().any(|key| is_ai_of(text, Some(*key)));
    };
    let sequences = key.entry().and_then(|entry| entry.qualifier_sequences()).unwrap_or_default();
    ai == key || sequences.iter().any(|sequence| sequence.contains(&ai))
}

fn check_escapes(tail: &str) -> Result<(), Wrong> {
    for (at, _) in tail.match_indices('%') {
        if percent::triplet(&tail.as_bytes()[at..]).is_none() {
            let found = shown(&tail[at..]);
            let message = format!("expected two hexadecimal digits after \"%\", found {found}");
            return Err(Wrong::new("RES-2.5.1-2", message));
        }
    }
    Ok(())
}

fn ascii_authority(authority: &str) -> Result<Cow<'_, str>, Wrong> {
    if authority.is_ascii() {
        return Ok(Cow::Borrowed(authority));
    }
    let port = authority.rfind(':').unwrap_or(authority.len());
    let (host, port) = authority.split_at(port);
    let host = ascii_host(host)
        .ok_or_else(|| not_a_url(authority, "invalid international domain name"))?;
    Ok(Cow::Owned([&host, port].concat()))
}

/// Percent-encodes non-ASCII characters as UTF-8 (RFC 3987 section 3.1) and keeps everything else.
fn ascii_tail(tail: &str) -> String {
    let mut out = String::with_capacity(tail.len() * 2);
    push_encoded(tail, &mut out);
    out
}

fn not_a_url(found: &str, why: &str) -> Wrong {
    Wrong::new("RES-2.5.1-2", format!("expected an absolute URL, found {}: {why}", shown(found)))
}

/// Returns the target with [`SAMPLE_VALUE`] in every placeholder.
fn sample(template: &str) -> String {
    let filled = pieces(template).map(|piece| match piece {
        Piece::Text(text) => text,
        Piece::Placeholder(_) => SAMPLE_VALUE,
    });
    filled.collect()
}

/// A part of a target. Unpaired braces are text.
enum Piece<'t> {
    Text(&'t str),
    Placeholder(&'t str),
}

fn pieces(template: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let open = rest.find('{').unwrap_or(rest.len());
        if open > 0 {
            let (text, after) = rest.split_at(open);
            rest = after;
            return Some(Piece::Text(text));
        }
        if let Some(close) = rest.find('}') {
            let name = &rest[1..close];
            rest = &rest[close + 1..];
            Some(Piece::Placeholder(name))
        } else {
            Some(Piece::Text(std::mem::take(&mut rest)))
        }
    })
}

/// Returns the part from the first slash after the authority to the query or fragment.
fn path(target: &str) -> &str {
    let start = target.find("://").map_or(0, |at| at + 3);
    let rest = &target[start..];
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    rest[..end].find('/').map_or("", |slash| &rest[slash..end])
}

/// Returns whether a browser would remove the segment. Browsers read `%2E` as a dot.
fn is_dot_segment(segment: &str) -> bool {
    let mut rest = segment;
    let mut dots = 0;
    while !rest.is_empty() {
        let dot = [".", "%2E", "%2e"].iter().find_map(|dot| rest.strip_prefix(dot));
        let Some(after) = dot else { return false };
        (rest, dots) = (after, dots + 1);
    }
    matches!(dots, 1 | 2)
}

/// Used for any value in the check against this resolver's root. No GS1 value holds a tilde.
const SAMPLE_VALUE: &str = "~";

#[cfg(test)]
mod tests;
