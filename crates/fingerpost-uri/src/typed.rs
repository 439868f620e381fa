//! A URI as a person types or pastes it: with the delimiters of running text around it (RFC 3986,
//! Appendix C; URI-EXT-04, URI-EXT-05).

use alloc::borrow::Cow;
use alloc::string::String;

/// A text without the delimiters around it.
///
/// ```
/// use fingerpost_uri::{Delimiter, Typed};
///
/// let typed = Typed::new("<URL:http://example.com/long/ path>");
/// assert_eq!(typed.text(), "http://example.com/long/path");
/// let left_out = [Delimiter::Angle, Delimiter::UrlPrefix, Delimiter::WhiteSpace];
/// assert!(typed.left_out().eq(left_out));
/// assert_eq!(Typed::new("http://example.com/").left_out().count(), 0);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Typed<'t> {
    text: Cow<'t, str>,
    is_converted: bool,
    left_out: [bool; Delimiter::ALL.len()],
}

/// What [`Typed`] leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Delimiter {
    /// `<` and `>`.
    Angle,
    /// Double quotes.
    Quotes,
    /// `URL:` before a URI, in any case.
    UrlPrefix,
    /// White space around the text and within angle brackets, and line breaks within double quotes.
    WhiteSpace,
}

impl Delimiter {
    const ALL: [Self; 4] = [Self::Angle, Self::Quotes, Self::UrlPrefix, Self::WhiteSpace];

    /// Returns the name for people: `angle brackets`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Angle => "angle brackets",
            Self::Quotes => "double quotes",
            Self::UrlPrefix => "the prefix URL:",
            Self::WhiteSpace => "white space",
        }
    }
}

/// The white space of running text. Not the separators of barcode data, which are control
/// characters.
const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// What breaks a line within double quotes, where other white space may be meant (URI-EXT-06).
const BREAK: [char; 2] = ['\r', '\n'];

impl<'t> Typed<'t> {
    /// Leaves out what delimits a URI in running text. Nothing is validated.
    pub fn new(text: &'t str) -> Self {
        let mut left_out = [false; Delimiter::ALL.len()];
        let mut note = |delimiter: Delimiter| left_out[delimiter as usize] = true;
        let mut rest = text.trim_matches(SPACE);
        if rest.len() < text.len() {
            note(Delimiter::WhiteSpace);
        }
        let mut within = None;
        for (delimiter, open, close) in
            [(Delimiter::Quotes, '"', '"'), (Delimiter::Angle, '<', '>')]
        {
            if let Some(inner) = rest.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)) {
                note(delimiter);
                rest = inner.trim_matches(SPACE);
                within = Some(delimiter);
            }
        }
        if let Some(uri) = after_prefix(rest) {
            note(Delimiter::UrlPrefix);
            rest = uri;
        }
        let separators = match within {
            Some(Delimiter::Angle) => &SPACE[..],
            Some(Delimiter::Quotes) => &BREAK,
            _ => &[],
        };
        let text = if rest.contains(separators) {
            note(Delimiter::WhiteSpace);
            let pieces = rest.split(separators).map(|piece| piece.trim_matches(SPACE));
            Cow::Owned(pieces.collect::<String>())
        } else {
            Cow::Borrowed(rest)
        };
        Self { text, is_converted: false, left_out }
    }

    /// Replaces the text by its conversion, if there is one: international addresses become URIs
    /// (RFC 3987), with a function of the caller, because this crate has no tables of Unicode.
    #[must_use]
    pub fn converted(self, convert: impl FnOnce(&str) -> Option<String>) -> Self {
        match convert(&self.text) {
            Some(text) => Self { text: Cow::Owned(text), is_converted: true, ..self },
            None => self,
        }
    }

    /// Returns whether the text is a conversion of what was typed.
    pub const fn is_converted(&self) -> bool {
        self.is_converted
    }

    /// Returns the text without delimiters.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns what was left out, each once.
    pub fn left_out(&self) -> impl Iterator<Item = Delimiter> + use<> {
        let left_out = self.left_out;
        Delimiter::ALL.into_iter().filter(move |delimiter| left_out[*delimiter as usize])
    }
}

/// Returns what follows `URL:`, with or without a space, if it begins with a scheme: `url` is not
/// one.
fn after_prefix(text: &str) -> Option<&str> {
    let prefix = text.get(..4).filter(|prefix| prefix.eq_ignore_ascii_case("url:"))?;
    let rest = text[prefix.len()..].trim_start_matches(SPACE);
    crate::split(rest).scheme.is_some().then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{Delimiter, Typed};

    /// URI-EXT-04, URI-EXT-05.
    #[test]
    fn rfc_3986_appendix_c_delimiters_are_left_out() {
        use Delimiter::{Angle, Quotes, UrlPrefix, WhiteSpace};
        for (typed, text, left_out) in [
            ("http://a/", "http://a/", &[][..]),
            (" http://a/\n", "http://a/", &[WhiteSpace]),
            ("<http://a/>", "http://a/", &[Angle]),
            ("\"http://a/\"", "http://a/", &[Quotes]),
            ("\"<http://a/>\"", "http://a/", &[Angle, Quotes]),
            ("< http://a/\n  b >", "http://a/b", &[Angle, WhiteSpace]),
            ("URL:http://a/", "http://a/", &[UrlPrefix]),
            ("<url: http://a/>", "http://a/", &[Angle, UrlPrefix]),
            ("\"a b\"", "a b", &[Quotes]),
            ("\"http://a/\r\n  b c\"", "http://a/b c", &[Quotes, WhiteSpace]),
            ("http://a/\n  b", "http://a/\n  b", &[]),
            // Neither is a delimiter here.
            ("url:a", "url:a", &[]),
            ("<http://a/", "<http://a/", &[]),
            ("\"", "\"", &[]),
            ("\u{1d}01", "\u{1d}01", &[]),
        ] {
            let found = Typed::new(typed);
            assert_eq!(found.text(), text, "{typed:?}");
            assert!(found.left_out().eq(left_out.iter().copied()), "{typed:?}: {found:?}");
        }
    }
}
