//! Extraction of URIs from running text (RFC 3986, Appendix C).
//!
//! Three forms are searched for: `<…>`, in which all white space is removed and a leading `URL:` is skipped; `"…"`, in
//! which broken lines are joined; and bare URIs of known schemes. A fourth, the suffix reference `www.…`, is ambiguous
//! and found only on request (section 4.5).
//!
//! Every byte is examined a bounded number of times.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::class::{self, IS_ALPHA, IS_QUERY, IS_SCHEME};
use crate::parse::is_triplet;
use crate::span::Span;
use crate::uri_ref::Uri;

/// The form in which a URI was found in a text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum FoundForm {
    /// In angle brackets.
    Angle,
    /// In double quotes.
    Quote,
    /// Without delimiters.
    Bare,
    /// Without a scheme; `http://` was added as a guess.
    Suffix,
}

impl FoundForm {
    /// Returns the name of the form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Angle => "angle",
            Self::Quote => "quote",
            Self::Bare => "bare",
            Self::Suffix => "suffix",
        }
    }
}

/// A URI found in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found<'t> {
    uri: Cow<'t, str>,
    alternative: Option<String>,
    span: Span,
    form: FoundForm,
}

impl Found<'_> {
    /// Returns the URI; borrowed from the text if it needed no clean-up.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns the alternative reading for a line broken after a hyphen: the URI without the hyphen, which a typesetter
    /// may have added.
    pub fn alternative(&self) -> Option<&str> {
        self.alternative.as_deref()
    }

    /// Returns the position of the URI in the text, without the delimiters.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// Returns the form in which the URI was found.
    pub const fn form(&self) -> FoundForm {
        self.form
    }
}

/// Options of [`extract`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExtractOptions<'s> {
    schemes: &'s [&'s str],
    suffix: bool,
}

/// The schemes whose bare URIs are found by default.
const SCHEMES: &[&str] =
    &["http", "https", "ftp", "ftps", "mailto", "urn", "news", "gopher", "telnet", "file", "tel"];

/// The schemes whose URIs require a host.
const WITH_HOST: &[&str] = &["http", "https", "ftp", "ftps", "gopher", "telnet"];

impl ExtractOptions<'static> {
    /// Creates options that find delimited URIs of any scheme and bare ones of the common schemes.
    pub const fn new() -> Self {
        ExtractOptions { schemes: SCHEMES, suffix: false }
    }
}

impl Default for ExtractOptions<'static> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'s> ExtractOptions<'s> {
    /// Finds bare URIs of these schemes (in lower case) only.
    #[must_use]
    pub const fn bare_schemes(self, schemes: &'s [&'s str]) -> Self {
        Self { schemes, ..self }
    }

    /// Sets whether `www.…` is also found, with `http://` added before it as a guess.
    #[must_use]
    pub const fn suffix(self, suffix: bool) -> Self {
        Self { suffix, ..self }
    }
}

/// Returns the URIs in `text`, in reading order.
///
/// ```
/// use fingerpost_uri::{ExtractOptions, extract};
///
/// let text = "See <http://example.com/long/\n  path> and (http://example.org/a).";
/// let found: Vec<_> = extract(text, ExtractOptions::new()).collect();
/// assert_eq!(found[0].uri(), "http://example.com/long/path");
/// assert_eq!(found[1].uri(), "http://example.org/a");
/// ```
pub fn extract<'t>(text: &'t str, options: ExtractOptions<'t>) -> impl Iterator<Item = Found<'t>> {
    let mut at = 0;
    core::iter::from_fn(move || {
        while let Some(&byte) = text.as_bytes().get(at) {
            let (found, next) = match byte {
                b'<' => delimited(text, at, FoundForm::Angle, &['>', '<']),
                b'"' => delimited(text, at, FoundForm::Quote, &['"']),
                _ if class::is(byte, IS_SCHEME) => word(text, at, options),
                _ => (None, at + 1),
            };
            at = next;
            if found.is_some() {
                return found;
            }
        }
        None
    })
}

/// Examines the text between the delimiter at `open` and the next of `closers`. Returns the offset at which to
/// continue.
fn delimited<'t>(
    text: &'t str,
    open: usize,
    form: FoundForm,
    closers: &[char],
) -> (Option<Found<'t>>, usize) {
    let start = open + 1;
    let Some(length) = text[start..].find(closers) else { return (None, start) };
    let end = start + length;
    if form == FoundForm::Angle && !text[end..].starts_with('>') {
        return (None, start);
    }
    let content = &text[start..end];
    let content = if form == FoundForm::Angle { without_prefix(content) } else { content };
    let span_start = end - content.trim_start().len();
    let span = Span::from_length(span_start, content.trim().len());
    let (uri, alternative) = join(content.trim(), form);
    let is_uri =
        |uri: &str| Uri::parse(uri).is_ok_and(|uri| !uri.scheme().eq_ignore_ascii_case("url"));
    if is_uri(&uri) {
        let alternative = alternative.filter(|other| is_uri(other));
        return (Some(Found { uri, alternative, span, form }), end + 1);
    }
    // A word that begins like a URI but is not one is skipped entirely, so that no part of it is taken for a URI.
    let next = if scheme_len(content).is_some() { end + 1 } else { start };
    (None, next)
}

/// Returns `content` without a leading `URL:` of any case.
fn without_prefix(content: &str) -> &str {
    match content.get(..4) {
        Some(prefix) if prefix.eq_ignore_ascii_case("url:") => &content[4..],
        _ => content,
    }
}

/// Removes the white space that delimited text may contain, and returns the alternative reading of a hyphen before a
/// line break.
fn join(content: &str, form: FoundForm) -> (Cow<'_, str>, Option<String>) {
    let drops_all = form == FoundForm::Angle;
    if !content.contains(if drops_all { [' ', '\t', '\r', '\n'].as_slice() } else { &['\r', '\n'] })
    {
        return (Cow::Borrowed(content), None);
    }
    let mut joined = String::with_capacity(content.len());
    let mut without_hyphen = String::new();
    let mut has_hyphen = false;
    for line in content.split(['\r', '\n']).map(|line| line.trim_matches([' ', '\t'])) {
        if joined.ends_with('-') && !line.is_empty() {
            has_hyphen = true;
            without_hyphen.pop();
        }
        let blanks = if drops_all { [' ', '\t'].as_slice() } else { &[] };
        for piece in line.split(blanks) {
            joined.push_str(piece);
            without_hyphen.push_str(piece);
        }
    }
    (Cow::Owned(joined), has_hyphen.then_some(without_hyphen))
}

/// Examines a word that starts at `at`: a bare URI, a suffix reference, or neither.
fn word<'t>(text: &'t str, at: usize, options: ExtractOptions<'_>) -> (Option<Found<'t>>, usize) {
    let rest = &text[at..];
    let word_end =
        at + rest.bytes().position(|byte| !class::is(byte, IS_SCHEME)).unwrap_or(rest.len());
    if let Some(colon) = scheme_len(rest) {
        let scheme = &rest[..colon];
        let is_known = options.schemes.iter().any(|known| known.eq_ignore_ascii_case(scheme));
        // Tested before the rest is parsed; otherwise a text of many schemes would be parsed repeatedly.
        let may_have_host = !needs_host(scheme) || rest[colon..].starts_with("://");
        if is_known
            && may_have_host
            && let Some(uri) = longest_uri(rest)
        {
            let span = Span::from_length(at, uri.len());
            let uri = Cow::Borrowed(uri);
            let found = Found { uri, alternative: None, span, form: FoundForm::Bare };
            return (Some(found), span.end);
        }
    } else if options.suffix
        && rest.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."))
    {
        let mut guess = String::from("http://");
        guess.push_str(&rest[..run_len(rest)]);
        if let Some(uri) = longest_uri(&guess) {
            let span = Span::from_length(at, uri.len() - "http://".len());
            let uri = Cow::Owned(String::from(uri));
            let found = Found { uri, alternative: None, span, form: FoundForm::Suffix };
            return (Some(found), span.end);
        }
    }
    (None, word_end)
}

/// Returns the length of the scheme that `text` begins with, if a colon follows it.
fn scheme_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let colon = bytes.iter().position(|&byte| !class::is(byte, IS_SCHEME))?;
    (class::is(bytes[0], IS_ALPHA) && bytes[colon] == b':').then_some(colon)
}

/// Returns how many URI characters `text` begins with.
fn run_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_part = |at: usize| match bytes[at] {
        b'%' => is_triplet(&bytes[at..]),
        b'#' | b'[' | b']' => true,
        byte => class::is(byte, IS_QUERY),
    };
    (0..bytes.len()).find(|&at| !is_part(at)).unwrap_or(bytes.len())
}

/// Returns the longest valid URI that `text` begins with, without punctuation that ends a sentence.
fn longest_uri(text: &str) -> Option<&str> {
    let mut candidate = text;
    // The parser stops at the first invalid character, so the text after it costs nothing. Each cut is at a delimiter
    // of another kind, so there are few rounds.
    for _ in 0..4 {
        match Uri::parse(candidate) {
            Ok(_) => break,
            Err(error) => candidate = &candidate[..error.span().start],
        }
    }
    let candidate = trim_sentence(candidate);
    let uri = Uri::parse(candidate).ok()?;
    let has_host = uri.authority().is_some_and(|authority| !authority.host_text().is_empty());
    let has_content = candidate.len() > uri.scheme().len() + 1;
    (has_content && (has_host || !needs_host(uri.scheme()))).then_some(candidate)
}

fn needs_host(scheme: &str) -> bool {
    WITH_HOST.iter().any(|known| known.eq_ignore_ascii_case(scheme))
}

/// Returns `text` without the punctuation at its end that belongs to the surrounding sentence.
fn trim_sentence(text: &str) -> &str {
    let mut surplus = text.matches(')').count().saturating_sub(text.matches('(').count());
    text.trim_end_matches(|c| match c {
        ')' if surplus > 0 => {
            surplus -= 1;
            true
        }
        c => matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '\''),
    })
}
