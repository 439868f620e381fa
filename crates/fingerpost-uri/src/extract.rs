//! Extraction of URIs from running text (RFC 3986, Appendix C).
//!
//! Three forms are searched for: `<…>`, in which all white space is removed and a leading `URL:` is
//! skipped; `"…"`, in which broken lines are joined; and bare URIs of known schemes. A fourth, the
//! suffix reference `www.…`, is ambiguous and found only on request (section 4.5).
//!
//! Every byte is examined a bounded number of times.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::class::{self, IS_ALPHA, IS_QUERY, IS_SCHEME};
use crate::parse::is_triplet;
use crate::percent;
use crate::span::Span;
use crate::uri_ref::Uri;

/// The form in which a URI was found in a text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ExtractedForm {
    /// In angle brackets.
    Angle,
    /// In double quotes.
    Quote,
    /// Without delimiters.
    Bare,
    /// Without a scheme; `http://` was added as a guess.
    Suffix,
}

impl ExtractedForm {
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
pub struct ExtractedUri<'t> {
    uri: Cow<'t, str>,
    alternative: Option<String>,
    span: Span,
    form: ExtractedForm,
}

impl ExtractedUri<'_> {
    /// Returns the URI; borrowed from the text if it needed no clean-up.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns the alternative reading for a line broken after a hyphen: the URI without the
    /// hyphen, which a typesetter may have added.
    pub fn alternative(&self) -> Option<&str> {
        self.alternative.as_deref()
    }

    /// Returns the position of the URI in the text, without the delimiters.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// Returns the form in which the URI was found.
    pub const fn form(&self) -> ExtractedForm {
        self.form
    }
}

/// Options of [`extract`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExtractOptions<'s> {
    schemes: &'s [&'s str],
    suffix: bool,
    international: bool,
}

/// The schemes whose bare URIs are found by default.
const SCHEMES: &[&str] =
    &["http", "https", "ftp", "ftps", "mailto", "urn", "news", "gopher", "telnet", "file", "tel"];

/// The schemes whose URIs require a host.
const WITH_HOST: &[&str] = &["http", "https", "ftp", "ftps", "gopher", "telnet"];

impl ExtractOptions<'static> {
    /// Creates options that find delimited URIs of any scheme and bare ones of the common schemes.
    pub const fn new() -> Self {
        ExtractOptions { schemes: SCHEMES, suffix: false, international: false }
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

    /// Sets whether letters and digits outside ASCII belong to a URI (RFC 3987), which is then
    /// returned as written. Of a bare one, the part before the first of them is an alternative,
    /// because the words of some languages follow without a space.
    #[must_use]
    pub const fn international(self, international: bool) -> Self {
        Self { international, ..self }
    }

    /// Returns whether a text is a URI, or an international one.
    fn is_uri(self, text: &str) -> bool {
        let is_uri =
            |uri: &str| Uri::parse(uri).is_ok_and(|uri| !uri.scheme().eq_ignore_ascii_case("url"));
        if self.international && !text.is_ascii() {
            return text.chars().all(is_part_of_iri) && is_uri(&encoded(text));
        }
        is_uri(text)
    }
}

/// Returns the URIs in `text`, in reading order.
///
/// A bare URI ends before the first character that cannot continue it, also before a percent sign
/// without two hexadecimal digits. Marks at its end are left out if they close what stands before
/// it: brackets, and the emphasis of Markdown, as in `**http://example.com/**`.
///
/// ```
/// use fingerpost_uri::{ExtractOptions, extract};
///
/// let text = "See <http://example.com/long/\n  path> and (http://example.org/a).";
/// let found: Vec<_> = extract(text, ExtractOptions::new()).collect();
/// assert_eq!(found[0].uri(), "http://example.com/long/path");
/// assert_eq!(found[1].uri(), "http://example.org/a");
/// ```
pub fn extract<'t>(
    text: &'t str,
    options: ExtractOptions<'t>,
) -> impl Iterator<Item = ExtractedUri<'t>> {
    let mut at = 0;
    core::iter::from_fn(move || {
        while let Some(&byte) = text.as_bytes().get(at) {
            let (found, next) = match byte {
                b'<' => delimited(text, at, ExtractedForm::Angle, options),
                b'"' => delimited(text, at, ExtractedForm::Quote, options),
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

/// Examines the text between the delimiter at `open` and the next one that closes it. Returns the
/// offset at which to continue.
fn delimited<'t>(
    text: &'t str,
    open: usize,
    form: ExtractedForm,
    options: ExtractOptions<'_>,
) -> (Option<ExtractedUri<'t>>, usize) {
    let start = open + 1;
    let closers: &[char] = if form == ExtractedForm::Angle { &['>', '<'] } else { &['"'] };
    let Some(length) = text[start..].find(closers) else { return (None, start) };
    let end = start + length;
    if form == ExtractedForm::Angle && !text[end..].starts_with('>') {
        return (None, start);
    }
    let inner = &text[start..end];
    let content = if form == ExtractedForm::Angle { without_prefix(inner) } else { inner };
    // White space is removed from a URI, not from words before or between URIs: `a < b and http://h/ > c`.
    let begins_with_scheme = scheme_len(content.trim_start()).is_some();
    if form == ExtractedForm::Angle && (!begins_with_scheme || is_comparison(inner)) {
        return (None, start);
    }
    // Chats write a link and its text as `<http://h/|text>`.
    let content_start = end - content.len();
    let link = content.split_once('|').map(|(link, _)| link);
    for content in
        [Some(content), link.filter(|_| form == ExtractedForm::Angle)].into_iter().flatten()
    {
        let span_start = content_start + (content.len() - content.trim_start().len());
        let span = Span::from_length(span_start, content.trim().len());
        let (uri, alternative) = join(content.trim(), form);
        if options.is_uri(&uri) {
            let alternative = alternative.filter(|other| options.is_uri(other));
            return (Some(ExtractedUri { uri, alternative, span, form }), end + 1);
        }
    }
    // A word that begins like a URI but is not one is skipped entirely, so that no part of it is
    // taken for a URI.
    let next = if scheme_len(content).is_some() { end + 1 } else { start };
    (None, next)
}

/// Returns whether angle brackets are signs of comparison: with a space after the first, and words
/// between them.
fn is_comparison(content: &str) -> bool {
    let has_words = |line: &str| line.trim().contains([' ', '\t']);
    content.starts_with([' ', '\t']) && content.split(['\r', '\n']).any(has_words)
}

/// Returns `content` without a leading `URL:` of any case.
fn without_prefix(content: &str) -> &str {
    match content.get(..4) {
        Some(prefix) if prefix.eq_ignore_ascii_case("url:") => &content[4..],
        _ => content,
    }
}

/// Removes the white space that delimited text may contain, and returns the alternative reading of
/// a hyphen before a line break.
fn join(content: &str, form: ExtractedForm) -> (Cow<'_, str>, Option<String>) {
    let drops_all = form == ExtractedForm::Angle;
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
fn word<'t>(
    text: &'t str,
    at: usize,
    options: ExtractOptions<'_>,
) -> (Option<ExtractedUri<'t>>, usize) {
    let rest = &text[at..];
    let word_end =
        at + rest.bytes().position(|byte| !class::is(byte, IS_SCHEME)).unwrap_or(rest.len());
    if text[word_end..].starts_with(':') {
        let Some(scheme) = known_scheme(&text[at..word_end], options) else {
            return (None, word_end);
        };
        let (at, rest) = (word_end - scheme.len(), &text[word_end - scheme.len()..]);
        // Tested before the rest is parsed; otherwise a text of many schemes would be parsed
        // repeatedly.
        let may_have_host = !needs_host(scheme) || text[word_end..].starts_with("://");
        let uri = may_have_host.then(|| longest_uri(rest, options)).flatten();
        if let Some(uri) = uri {
            let uri = without_emphasis(&text[..at], uri);
            let span = Span::from_length(at, uri.len());
            let plain =
                uri.find(|c: char| !c.is_ascii()).and_then(|end| longest_uri(&uri[..end], options));
            let alternative = plain.map(String::from);
            let uri = Cow::Borrowed(uri);
            let found = ExtractedUri { uri, alternative, span, form: ExtractedForm::Bare };
            return (Some(found), span.end);
        }
    } else if options.suffix
        && rest.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."))
    {
        let mut guess = String::from("http://");
        guess.push_str(&rest[..run_len(rest, options)]);
        if let Some(uri) = longest_uri(&guess, options) {
            let span = Span::from_length(at, uri.len() - "http://".len());
            let uri = Cow::Owned(String::from(uri));
            let found = ExtractedUri { uri, alternative: None, span, form: ExtractedForm::Suffix };
            return (Some(found), span.end);
        }
    }
    (None, word_end)
}

/// Returns the known scheme at the end of a word: the whole word, or what follows list marks and
/// the end of a sentence, as in `-https`, `1.https` and `end.https`.
fn known_scheme<'w>(word: &'w str, options: ExtractOptions<'_>) -> Option<&'w str> {
    let is_known =
        |scheme: &&str| options.schemes.iter().any(|known| known.eq_ignore_ascii_case(scheme));
    let last = word
        .rsplit(['-', '.'])
        .next()
        .map(|last| last.trim_start_matches(|c: char| !c.is_ascii_alphabetic()));
    [Some(word), last].into_iter().flatten().find(is_known)
}

/// Returns the length of the scheme that `text` begins with, if a colon follows it.
fn scheme_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let colon = bytes.iter().position(|&byte| !class::is(byte, IS_SCHEME))?;
    (class::is(bytes[0], IS_ALPHA) && bytes[colon] == b':').then_some(colon)
}

/// Returns how many URI characters `text` begins with.
fn run_len(text: &str, options: ExtractOptions<'_>) -> usize {
    let bytes = text.as_bytes();
    let is_part = |(at, c): (usize, char)| match bytes[at] {
        b'%' => is_triplet(&bytes[at..]),
        b'#' | b'[' | b']' => true,
        byte if c.is_ascii() => class::is(byte, IS_QUERY),
        _ => options.international && c.is_alphanumeric(),
    };
    let end = text.char_indices().find(|&part| !is_part(part));
    end.map_or(text.len(), |(at, _)| at)
}

/// Returns whether a character can be in an international URI between delimiters (RFC 3987,
/// `ucschar`, roughly).
fn is_part_of_iri(c: char) -> bool {
    c.is_ascii() || !(c.is_control() || c.is_whitespace() || c == char::REPLACEMENT_CHARACTER)
}

/// Returns a text with everything outside ASCII percent-encoded.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            out.push_str(&percent::encode(c.encode_utf8(&mut [0; 4])));
        }
    }
    out
}

/// Returns the longest valid URI that `text` begins with, without punctuation that ends a sentence.
fn longest_uri<'t>(text: &'t str, options: ExtractOptions<'_>) -> Option<&'t str> {
    let mut candidate = text;
    if options.international {
        candidate = &candidate[..run_len(candidate, options)];
        if !candidate.is_ascii() {
            let candidate = trim_sentence(candidate);
            return fits(&encoded(candidate)).then_some(candidate);
        }
    }
    // The parser stops at the first invalid character, so the text after it costs nothing. Each cut
    // is at a delimiter of another kind, so there are few rounds.
    for _ in 0..4 {
        match Uri::parse(candidate) {
            Ok(_) => break,
            Err(error) => candidate = &candidate[..error.span().start],
        }
    }
    let candidate = trim_sentence(candidate);
    fits(candidate).then_some(candidate)
}

/// Returns whether a candidate is a URI with content, and with a host if its scheme requires one.
fn fits(candidate: &str) -> bool {
    let Ok(uri) = Uri::parse(candidate) else { return false };
    let has_host = uri.authority().is_some_and(|authority| !authority.host_text().is_empty());
    let has_content = candidate.len() > uri.scheme().len() + 1;
    has_content && (has_host || !needs_host(uri.scheme()))
}

fn needs_host(scheme: &str) -> bool {
    WITH_HOST.iter().any(|known| known.eq_ignore_ascii_case(scheme))
}

/// Returns a URI without the marks of emphasis at its end, as many as stand before it.
fn without_emphasis<'t>(before: &str, uri: &'t str) -> &'t str {
    let Some(mark) = before.chars().next_back().filter(|c| matches!(c, '*' | '_' | '~')) else {
        return uri;
    };
    let opened = before.chars().rev().take_while(|c| *c == mark).take(3).count();
    let closed = uri.chars().rev().take_while(|c| *c == mark).count().min(opened);
    let inner = trim_sentence(&uri[..uri.len() - closed]);
    if fits(inner) { inner } else { uri }
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
