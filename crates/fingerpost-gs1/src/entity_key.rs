//! A primary key with its qualifiers in one canonical text, and the levels at which links can be
//! registered for it.
//!
//! The text is the path of the canonical GS1 Digital Link URI (GS1 Digital Link URI Syntax 1.4.1,
//! sections 4.5 to 4.9 and 4.12) without its leading slash:
//!
//! ```text
//! entity-key = ai "/" value *( "/" ai "/" value )   ; key first, then qualifiers in their order
//! value      = 1*( unreserved / "%" UPHEX UPHEX )   ; one spelling per value
//! ```

use alloc::borrow::{Borrow, Cow};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use crate::digital_link::sequence;
use crate::limits::{MAX_KEY_BYTES, MAX_PAIRS};
use crate::value::{check_content, check_length};
use crate::{Ai, Error, ErrorKind, Span, percent};

mod company_prefix;
mod levels;

pub use levels::NotRegistrable;

/// A primary key with its qualifiers: `01/09506000134352/10/ABC`.
///
/// Values are percent-encoded: everything except letters, digits and `- . _ ~` as upper-case `%XX`.
/// A GTIN has 14 digits. Equality, order and hash are those of the text, so `EntityKey` can be
/// looked up by `&str`.
///
/// ```
/// use fingerpost_gs1::{Ai, EntityKey};
///
/// let key = EntityKey::parse("/01/09506000134352/10/A%2fB")?;
/// assert_eq!(key.as_str(), "01/09506000134352/10/A%2FB");
/// assert_eq!(key.value(Ai::LOT).as_deref(), Some("A/B"));
/// # Ok::<(), fingerpost_gs1::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityKey(String);

impl EntityKey {
    /// The maximum length of an `EntityKey`, in bytes: an ITIP with a variant, a lot and a serial
    /// number of 20 encoded characters each.
    pub const MAX_LEN: usize = MAX_KEY_BYTES;

    /// Builds a key from decoded values. Checks every value and the order of the qualifiers.
    /// Associations (`req`, `ex`) are not checked: they apply to a marked item, not to a name.
    ///
    /// ```
    /// use fingerpost_gs1::{Ai, EntityKey};
    ///
    /// let key = EntityKey::new((Ai::GTIN, "09506000134352"), &[(Ai::LOT, "A/B")])?;
    /// assert_eq!(key.as_str(), "01/09506000134352/10/A%2FB");
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `UNKNOWN_AI`, `NO_PRIMARY_KEY`, `QUALIFIER_SEQUENCE`, or the error of a value. Spans point
    /// into that value.
    pub fn new(key: (Ai, &str), qualifiers: &[(Ai, &str)]) -> Result<Self, Error> {
        let pairs = || core::iter::once(&key).chain(qualifiers);
        let whole = |text: &str| Span { start: 0, end: text.len() };
        if let Some(&(ai, value)) = pairs().find(|(ai, _)| ai.entry().is_none()) {
            return Err(Error::new(ErrorKind::UnknownAi, whole(value)).with_ai(ai));
        }
        if !key.0.is_primary_key() {
            return Err(Error::new(ErrorKind::NoPrimaryKey, whole(key.1)).with_ai(key.0));
        }
        if let Some(at) = sequence::first_misplaced(
            sequence::sequences(key.0),
            &qualifiers.iter().map(|&(ai, _)| ai),
        ) {
            let (ai, value) = qualifiers[at];
            return Err(Error::new(ErrorKind::QualifierSequence, whole(value)).with_ai(ai));
        }
        for &(ai, value) in pairs() {
            ai.check_value(value.as_bytes())?;
        }
        Ok(Self::from_checked(pairs().copied()))
    }

    /// Parses a path from the left: `/01/…` or `01/…`, with any valid percent-encoding.
    ///
    /// Strict: no stem, no unknown AI, no repeated AI, no trailing slash, 14-digit GTINs.
    ///
    /// ```
    /// use fingerpost_gs1::EntityKey;
    ///
    /// assert!(EntityKey::parse("01/09506000134352").is_ok());
    /// assert!(EntityKey::parse("/01/09506000134352/").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// The first error from the left; its span points into `path`.
    pub fn parse(path: &str) -> Result<Self, Error> {
        let mut text = String::with_capacity(path.len());
        let mut ais = [Ai::GTIN; MAX_PAIRS];
        let mut count = 0;
        let mut at = usize::from(path.starts_with('/'));
        loop {
            let ai_span = segment(path, at);
            let ai = known_ai(path, ai_span, count == 0)?;
            if let Some(slot) = ais.get_mut(count) {
                *slot = ai;
            }
            let qualifiers = ais.get(1..=count).unwrap_or_default();
            if count >= MAX_PAIRS || !sequence::is_valid(ais[0], qualifiers) {
                return Err(Error::new(ErrorKind::QualifierSequence, ai_span).with_ai(ai));
            }
            count += 1;
            let value_span = segment(path, (ai_span.end + 1).min(path.len()));
            push_pair(&mut text, ai, path, value_span)?;
            at = value_span.end + 1;
            if at > path.len() {
                return Ok(Self(text));
            }
            if at == path.len() {
                let slash = Span { start: value_span.end, end: at };
                return Err(Error::new(ErrorKind::TrailingSlash, slash));
            }
        }
    }

    /// Creates a key from a text written by [`EntityKey::as_str`], such as a key in a store.
    /// Everything is checked as in [`EntityKey::parse`], and other spellings are refused:
    /// `None` means that no key has this text.
    ///
    /// ```
    /// use fingerpost_gs1::EntityKey;
    ///
    /// assert!(EntityKey::from_canonical("01/09506000134352/10/ABC").is_some());
    /// assert!(EntityKey::from_canonical("01/09506000134352/10/A%2fB").is_none());
    /// assert!(EntityKey::from_canonical("01/ABC").is_none());
    /// ```
    #[must_use]
    pub fn from_canonical(text: &str) -> Option<Self> {
        let mut ais = [Ai::GTIN; MAX_PAIRS];
        let (mut count, mut at, mut sequences) = (0, 0, None);
        while at <= text.len() {
            let ai = segment(text, at);
            let (ai, value) = (text.as_bytes().get(ai.start..ai.end)?, segment(text, ai.end + 1));
            let (ai, entry) = Ai::allocated(ai)?;
            sequences = if count == 0 { entry.qualifier_sequences } else { sequences };
            at = value.end + 1;
            let value = text.as_bytes().get(value.start..value.end)?;
            // Nearly every value is written as it is.
            let mut decoded = Vec::new();
            let value = if value.iter().copied().all(percent::is_unreserved) {
                value
            } else if percent::is_canonical(value) {
                percent::decode(value, &mut decoded).ok()?;
                &decoded
            } else {
                return None;
            };
            check_length(ai, entry, value).ok()?;
            check_content(ai, entry, value, None).ok()?;
            *ais.get_mut(count)? = ai;
            count += 1;
        }
        let qualifiers = ais[..count].get(1..)?.iter().copied();
        let is_valid = sequence::first_misplaced(sequences?, &qualifiers).is_none();
        is_valid.then(|| Self(String::from(text)))
    }

    /// Builds the text from pairs whose values and order are already checked. Allocates once.
    pub(crate) fn from_checked<'v>(pairs: impl Iterator<Item = (Ai, &'v str)> + Clone) -> Self {
        let len: usize = pairs
            .clone()
            .map(|(ai, value)| ai.as_str().len() + percent::encoded_len(value.as_bytes()) + 2)
            .sum();
        let mut text = String::with_capacity(len);
        for (ai, value) in pairs {
            append(&mut text, ai, value.as_bytes());
        }
        Self(text)
    }

    /// Returns the canonical text, without a leading slash.
    ///
    /// ```
    /// # use fingerpost_gs1::EntityKey;
    /// assert_eq!(EntityKey::parse("/414/9520123456788")?.as_str(), "414/9520123456788");
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the AI of the primary key.
    ///
    /// ```
    /// # use fingerpost_gs1::{Ai, EntityKey};
    /// assert_eq!(EntityKey::parse("/414/9520123456788")?.primary_key(), Ai::GLN);
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    #[must_use]
    pub fn primary_key(&self) -> Ai {
        let end = slash(&self.0, 0);
        Ai::new(&self.0[..end]).unwrap_or(Ai::GTIN)
    }

    /// Returns AIs and encoded values, the key first.
    ///
    /// ```
    /// # use fingerpost_gs1::{Ai, EntityKey};
    /// let key = EntityKey::parse("/8004/9520A%2FB/7040/1AB2")?;
    /// assert!(key.pairs().eq([(Ai::GIAI, "9520A%2FB"), (Ai::UIC_EXT, "1AB2")]));
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    pub fn pairs(&self) -> impl Iterator<Item = (Ai, &str)> + Clone {
        let text = self.as_str();
        let mut at = 0;
        core::iter::from_fn(move || {
            let middle = slash(text, at);
            let ai = Ai::new(text.get(at..middle)?)?;
            let end = slash(text, middle + 1);
            at = end + 1;
            Some((ai, text.get(middle + 1..end)?))
        })
    }

    /// Returns the percent-encoded value of `ai`, for use in link templates.
    ///
    /// ```
    /// # use fingerpost_gs1::{Ai, EntityKey};
    /// let key = EntityKey::parse("/01/09506000134352/10/A+B")?;
    /// assert_eq!(key.encoded_value(Ai::LOT), Some("A%2BB"));
    /// assert_eq!(key.encoded_value(Ai::SERIAL), None);
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    #[must_use]
    pub fn encoded_value(&self, ai: Ai) -> Option<&str> {
        self.pairs().find_map(|(own, value)| (own == ai).then_some(value))
    }

    /// Returns the value of `ai`, decoded.
    ///
    /// ```
    /// # use fingerpost_gs1::{Ai, EntityKey};
    /// let key = EntityKey::parse("/01/09506000134352/10/A+B")?;
    /// assert_eq!(key.value(Ai::LOT).as_deref(), Some("A+B"));
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    #[must_use]
    pub fn value(&self, ai: Ai) -> Option<Cow<'_, str>> {
        percent::decode_ascii(self.encoded_value(ai)?)
    }

    /// Returns whether this is the key alone, without qualifiers.
    ///
    /// ```
    /// # use fingerpost_gs1::EntityKey;
    /// assert!(EntityKey::parse("/01/09506000134352")?.is_key_level());
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    #[must_use]
    pub fn is_key_level(&self) -> bool {
        self.key_level().len() == self.0.len()
    }

    /// Returns the text of the key alone, a prefix of [`EntityKey::as_str`].
    ///
    /// ```
    /// # use fingerpost_gs1::EntityKey;
    /// let key = EntityKey::parse("/01/09506000134352/10/A")?;
    /// assert_eq!(key.key_level(), "01/09506000134352");
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    #[must_use]
    pub fn key_level(&self) -> &str {
        &self.0[..slash(&self.0, slash(&self.0, 0) + 1)]
    }

    /// Returns the bracketed element string: `(01)09520123456788(10)A`. A `(` in a value is written
    /// `\(`.
    ///
    /// ```
    /// # use fingerpost_gs1::EntityKey;
    /// let key = EntityKey::parse("/01/09520123456788/10/A%28")?;
    /// assert_eq!(key.to_element_string_text(), r"(01)09520123456788(10)A\(");
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    #[must_use]
    pub fn to_element_string_text(&self) -> String {
        let mut out = String::with_capacity(self.0.len() + 8);
        for (ai, value) in self.pairs() {
            out.push('(');
            out.push_str(ai.as_str());
            out.push(')');
            for c in percent::decode_ascii(value).unwrap_or_default().chars() {
                if c == '(' {
                    out.push('\\');
                }
                out.push(c);
            }
        }
        out
    }
}

impl fmt::Display for EntityKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EntityKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EntityKey({})", self.0)
    }
}

impl FromStr for EntityKey {
    type Err = Error;

    fn from_str(path: &str) -> Result<Self, Error> {
        Self::parse(path)
    }
}

impl AsRef<str> for EntityKey {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for EntityKey {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Returns where the first slash at or after `start` is, or where the text ends. Parts of a key are
/// short, and a search for a character begins slowly: this is done several times for each request.
fn slash(text: &str, start: usize) -> usize {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    rest.iter().position(|&byte| byte == b'/').map_or(text.len(), |at| start + at)
}

/// Returns the path segment that starts at `start`.
fn segment(path: &str, start: usize) -> Span {
    Span { start, end: slash(path, start) }
}

/// Returns the allocated AI at `span`; the first one must be a primary key.
fn known_ai(path: &str, span: Span, first: bool) -> Result<Ai, Error> {
    let text = &path[span.start..span.end];
    let (kind, ai) = match Ai::new(text) {
        Some(ai) if ai.is_primary_key() || (!first && ai.entry().is_some()) => return Ok(ai),
        other if first => (ErrorKind::NoPrimaryKey, other),
        other => (ErrorKind::UnknownAi, other),
    };
    let error = Error::new(kind, span).with_found(text.as_bytes());
    Err(ai.map_or(error, |ai| error.with_ai(ai)))
}

/// Decodes, checks and appends one pair. Errors point into `path`.
fn push_pair(text: &mut String, ai: Ai, path: &str, span: Span) -> Result<(), Error> {
    let encoded = &path.as_bytes()[span.start..span.end];
    if encoded.is_empty() {
        return Err(Error::new(ErrorKind::ValueEmpty, span).with_ai(ai));
    }
    let mut decoded = Vec::new();
    let value = if encoded.contains(&b'%') {
        percent::decode(encoded, &mut decoded).map_err(|offset| {
            let start = span.start + offset;
            let triplet = Span { start, end: (start + 3).min(span.end) };
            let found = &path.as_bytes()[triplet.start..triplet.end];
            Error::new(ErrorKind::PercentEncoding, triplet).with_ai(ai).with_found(found)
        })?;
        &decoded
    } else {
        encoded
    };
    ai.check_value(value).map_err(|error| {
        let inner = error.value_span().unwrap_or(Span { start: 0, end: value.len() });
        error.with_span(percent::encoded_span(encoded, inner, span.start))
    })?;
    append(text, ai, value);
    Ok(())
}

fn append(text: &mut String, ai: Ai, value: &[u8]) {
    if !text.is_empty() {
        text.push('/');
    }
    text.push_str(ai.as_str());
    text.push('/');
    percent::encode_value(value, text);
}
