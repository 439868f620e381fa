//! Anchors: what a record is attached to.
//!
//! ```text
//! anchor         = key / any / range / company-prefix / suspension / country / brand / logo
//! key            = entity-key                                     ; 01/09506000134352/10/A
//! any            = primary "/-any" *pair "/" ai                   ; 01/09506000134352/-any/10
//! range          = primary "/-range" *pair "/" ai "/" length "/" first "/" last
//!                                                                 ; 01/09506000134352/-range/10/4/A100/A199
//! company-prefix = "gcp/" 4*12DIGIT                               ; gcp/9506000
//! suspension     = "-suspended/" ( company-prefix / primary )     ; -suspended/gcp/9506000
//! country        = "-country/" ( company-prefix / primary )       ; -country/gcp/9506000
//! brand          = "-brand/" ( company-prefix / primary )         ; -brand/gcp/9506000
//! logo           = "-logo/" 1*( ALPHA / DIGIT / "-" )             ; -logo/7f3a, by organisation
//! primary        = ai "/" value
//! pair           = "/" ai "/" value
//! first, last    = 1*( ALPHA / DIGIT / "-" / "." / "_" )          ; both of this length
//! ```
//!
//! An anchor is its canonical text, which is also its key in a store. Application Identifiers are
//! digits, so no other anchor can be mistaken for a key, and none needs percent-encoding beyond
//! that of its values. The sets of a key, `-any` and `-range`, sort directly after the key itself:
//! the key and the row after it show whether the key has any.
//!
//! A set stands for each of its values, and a company prefix for each of its keys. So the order of
//! levels (RES-2.5.10-4) decides first, then the more specific anchor: a value before the range
//! that contains it, a range before any value, a key before its company prefix. Of company
//! prefixes, only the longest one applies.
//!
//! A suspension says how keys answer whose organisation is suspended ([`Suspension`]); a country
//! switch, whether the country of the client counts as context for the keys of an organisation
//! ([`Entry::country_switch`](crate::Entry::country_switch)); a brand and a logo, how pages present
//! an organisation ([`OrganisationBrand`]). The registry writes them, and nobody registers a record
//! at them: [`Anchor::parse`] does not read them. They sort before everything else, suspensions
//! last, so a store without any is recognised by one row.
//!
//! A range contains the values that have as many characters as its ends and sort between them, both
//! included, as ASCII: A100 to A199 contains A150, but not A15, A1500 or a150.

use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use fingerpost_gs1::{Ai, EntityKey, ErrorKind};

use crate::CompanyPrefix;
use crate::fault::shown;

mod error;
mod of_registry;
mod sets;

pub use error::AnchorError;
pub use sets::Sets;

/// What a record is attached to: a key, perhaps with qualifiers; any value of a qualifier; a range
/// of its values; or all keys with a GS1 Company Prefix.
///
/// ```
/// use fingerpost_gs1::EntityKey;
/// use fingerpost_resolver::Anchor;
///
/// let lots = Anchor::parse("/01/09506000134352/-range/10/4/A100/A199")?;
/// assert!(lots.covers(&EntityKey::parse("/01/09506000134352/10/A150/21/7")?));
/// assert!(!lots.covers(&EntityKey::parse("/01/09506000134352/10/A15")?));
/// let company = Anchor::parse("/gcp/9506000")?;
/// assert!(company.covers(&EntityKey::parse("/417/9506000134352")?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Anchor(Repr);

#[derive(Clone)]
enum Repr {
    Key(EntityKey),
    /// A canonical text of another form.
    Wide(Box<str>),
}

/// The form of an anchor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnchorForm<'a> {
    /// A key, perhaps with qualifiers.
    Key(&'a EntityKey),
    /// Any value of the last qualifier.
    Any,
    /// The values of the last qualifier from the first to the last one.
    Range {
        /// The first value.
        first: &'a str,
        /// The last value.
        last: &'a str,
    },
    /// All keys with these digits.
    CompanyPrefix(&'a str),
    /// How a key, or all keys with a company prefix, answer while their organisation is suspended.
    Suspension,
    /// Whether the country of the client counts as context for a key, or for all keys with a
    /// company prefix.
    CountrySwitch,
    /// How pages about a key, or about all keys with a company prefix, present their organisation.
    Brand,
    /// The logo of an organisation.
    Logo,
}

impl Anchor {
    /// The first segment of a company prefix.
    pub const COMPANY_PREFIX: &'static str = "gcp";

    /// Parses a path, with or without a leading slash, in any percent-encoded spelling.
    pub fn parse(path: &str) -> Result<Self, AnchorError> {
        let text = path.strip_prefix('/').unwrap_or(path);
        if let Some(digits) = text.strip_prefix(COMPANY) {
            let prefix = CompanyPrefix::parse(digits)
                .map_err(|error| AnchorError::of_company_prefix(&error, digits))?;
            return Ok(Self::company_prefix(&prefix));
        }
        match split_set(text) {
            Some((key, form, rest)) => Self::parse_set(key, form, rest),
            None => match EntityKey::parse(path) {
                Ok(key) => Ok(Self::from(key)),
                Err(error) => Err(AnchorError::of_path(&error, text, requirement(path))),
            },
        }
    }

    /// Creates the anchor of all keys with a company prefix.
    pub fn company_prefix(prefix: &CompanyPrefix) -> Self {
        Self(Repr::Wide([COMPANY, prefix.as_str()].concat().into()))
    }

    fn parse_set(key: &str, form: &str, rest: &str) -> Result<Self, AnchorError> {
        if form == ANY {
            // Pairs, and one qualifier.
            if rest.is_empty() || rest.split('/').count().is_multiple_of(2) {
                return Err(AnchorError::of_any(rest));
            }
            let (pairs, ai) = rest.rsplit_once('/').unwrap_or(("", rest));
            let canonical = qualified(key, pairs, ai)?;
            if ai == Ai::SERIAL.as_str() {
                // RES-2.5.10-2
                value_of(&format!("{canonical}/{ai}/0"))?;
            }
            return Ok(Self::set(&canonical, ANY, ai));
        }
        let parts: Vec<&str> = rest.rsplitn(5, '/').collect();
        let ([last, first, length, ai], pairs) = match parts[..] {
            [last, first, length, ai] => ([last, first, length, ai], ""),
            [last, first, length, ai, pairs] => ([last, first, length, ai], pairs),
            _ => return Err(AnchorError::of_range(rest)),
        };
        let canonical = qualified(key, pairs, ai)?;
        let first = value_of(&format!("{canonical}/{ai}/{first}"))?;
        let last = value_of(&format!("{canonical}/{ai}/{last}"))?;
        let (wrong, next) = if !is_end(&first) || !is_end(&last) {
            (
                "to be letters, digits, hyphens, full stops and underscores, with at least one letter or digit",
                "register other values one by one".to_owned(),
            )
        } else if first.len() != last.len() {
            ("to have the same length", "register a range for each length".to_owned())
        } else if length != first.len().to_string() {
            (
                "to have their number of characters before them",
                format!("write {} instead of {}", first.len(), shown(length)),
            )
        } else if first >= last {
            (
                "to be different, with the one first that sorts first",
                "swap them, or register the value itself".to_owned(),
            )
        } else {
            let tail = format!("{ai}/{length}/{first}/{last}");
            return Ok(Self::set(&canonical, RANGE, &tail));
        };
        let message = format!(
            "expected the ends of a range {wrong}, found {} and {}: {next}",
            shown(&first),
            shown(&last)
        );
        Err(AnchorError::new("RANGE", message))
    }

    /// Creates a set below the level `qualified`.
    fn set(qualified: &str, form: &str, tail: &str) -> Self {
        let (key, pairs) = split_key(qualified);
        Self(Repr::Wide([key, "/", form, pairs, "/", tail].concat().into()))
    }

    /// Creates an anchor from a text written by [`Anchor::as_str`], such as a key in a store.
    pub fn from_canonical(text: &str) -> Option<Self> {
        if let Some(anchor) = of_registry::from_canonical(text) {
            return anchor;
        }
        if text.starts_with(COMPANY) || split_set(text).is_some() {
            let anchor = Self::parse(text).ok()?;
            return (anchor.as_str() == text).then_some(anchor);
        }
        EntityKey::from_canonical(text).map(Self::from)
    }

    /// Returns the canonical text, without a leading slash.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Key(key) => key.as_str(),
            Repr::Wide(text) => text,
        }
    }

    /// Returns the form of the anchor.
    pub fn form(&self) -> AnchorForm<'_> {
        let text: &str = match &self.0 {
            Repr::Key(key) => return AnchorForm::Key(key),
            Repr::Wide(text) => text,
        };
        if let Some((form, _)) = of_registry::form(text) {
            return form;
        }
        if let Some(digits) = text.strip_prefix(COMPANY) {
            return AnchorForm::CompanyPrefix(digits);
        }
        match split_set(text) {
            Some((_, RANGE, rest)) => {
                let (before, last) = rest.rsplit_once('/').unwrap_or_default();
                let (_, first) = before.rsplit_once('/').unwrap_or_default();
                AnchorForm::Range { first, last }
            }
            _ => AnchorForm::Any,
        }
    }

    /// Returns the key, if the anchor is one.
    pub fn entity(&self) -> Option<&EntityKey> {
        match &self.0 {
            Repr::Key(key) => Some(key),
            Repr::Wide(_) => None,
        }
    }

    /// Returns the AI of the primary key; `None` for a company prefix, which covers all of them.
    pub fn primary_key(&self) -> Option<Ai> {
        Ai::new(self.key_level().split('/').next()?)
    }

    /// Returns the text of the primary key alone, or the company prefix: the level that must have a
    /// default link (RES-2.5.9-1).
    pub fn key_level(&self) -> &str {
        let text = self.as_str();
        split_key(of_registry::form(text).map_or(text, |(_, of)| of)).0
    }

    /// Returns whether this is a primary key without qualifiers, or a company prefix.
    pub fn is_key_level(&self) -> bool {
        self.key_level().len() == self.as_str().len()
    }

    /// Returns the text from the start of the GS1 Company Prefix on: of the primary key, or the
    /// company prefix itself.
    pub fn company_prefix_part(&self) -> Option<Cow<'_, str>> {
        match &self.0 {
            Repr::Key(key) => key.company_prefix_part().map(Cow::Borrowed),
            Repr::Wide(_) => match self.key_level().strip_prefix(COMPANY) {
                Some(digits) => Some(Cow::Borrowed(digits)),
                None => EntityKey::from_canonical(self.key_level())
                    .and_then(|key| key.company_prefix_part().map(str::to_owned))
                    .map(Cow::Owned),
            },
        }
    }

    /// Returns whether a record at this anchor applies to requests for an entity; of company
    /// prefixes, the longest one does.
    pub fn covers(&self, entity: &EntityKey) -> bool {
        self.specificity(entity).is_some()
    }

    /// Returns how specific this anchor is among all that cover an entity; the most specific one
    /// has the least. `None` if it does not cover the entity.
    pub fn specificity(&self, entity: &EntityKey) -> Option<Specificity> {
        let levels = || entity.levels().enumerate();
        let among = |is_it: &dyn Fn(&str) -> bool, kind| {
            levels().find(|(_, level)| is_it(level)).map(|(at, _)| Specificity(at, kind))
        };
        match self.form() {
            AnchorForm::Suspension
            | AnchorForm::CountrySwitch
            | AnchorForm::Brand
            | AnchorForm::Logo => None,
            AnchorForm::Key(key) => among(&|level| level == key.as_str(), 0),
            AnchorForm::Range { .. } => {
                among(&|level| Sets::of(level).is_some_and(|sets| sets.are_in(self.as_str())), 1)
            }
            AnchorForm::Any => {
                among(&|level| Sets::of(level).is_some_and(|sets| sets.any() == self.as_str()), 2)
            }
            AnchorForm::CompanyPrefix(digits) => {
                let part = entity.company_prefix_part()?;
                let after = CompanyPrefix::LENGTHS.end() - digits.len();
                part.starts_with(digits).then(|| Specificity(levels().count(), after))
            }
        }
    }

    /// Returns the level of an entity to which a record at this anchor applies: the anchor itself
    /// if it is a key; for a set, the level with the value of the entity; for a company prefix,
    /// the primary key.
    pub fn level_of<'a>(&'a self, entity: &EntityKey) -> Cow<'a, EntityKey> {
        let own = |text: &str| EntityKey::from_canonical(text).unwrap_or_else(|| entity.clone());
        match &self.0 {
            Repr::Key(key) => Cow::Borrowed(key),
            Repr::Wide(_) => {
                let at = self.specificity(entity).map_or(usize::MAX, |Specificity(at, _)| at);
                let level = entity.levels().nth(at);
                Cow::Owned(own(level.as_deref().unwrap_or(entity.key_level())))
            }
        }
    }
}

/// The rank of an anchor among those that cover an entity, most specific first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Specificity(usize, usize);

impl Specificity {
    /// Returns the index of the level that the anchor is or contains, among [`EntityKey::levels`];
    /// their number for a company prefix.
    pub fn level(self) -> usize {
        self.0
    }
}

const ANY: &str = "-any";
const RANGE: &str = "-range";
const COMPANY: &str = "gcp/";

/// Splits the beginning of a set: the key, the form, and what follows.
fn split_set(text: &str) -> Option<(&str, &str, &str)> {
    let (key, rest) = split_key(text);
    let (form, rest) = rest.strip_prefix('/')?.split_once('/')?;
    matches!(form, ANY | RANGE).then_some((key, form, rest))
}

/// Splits a text after its second segment.
fn split_key(text: &str) -> (&str, &str) {
    let end = text.match_indices('/').nth(1).map_or(text.len(), |(slash, _)| slash);
    text.split_at(end)
}

/// Returns the canonical text of a key with qualifiers, if `ai` can follow them.
fn qualified(key: &str, pairs: &str, ai: &str) -> Result<String, AnchorError> {
    let path = if pairs.is_empty() { key.to_owned() } else { [key, "/", pairs].concat() };
    let canonical = EntityKey::parse(&path).map_err(|error| AnchorError::of_key(&error))?;
    // An empty value is the only fault if the order of the qualifiers is right.
    match EntityKey::parse(&format!("{canonical}/{ai}/")) {
        Err(error) if error.kind() == ErrorKind::QualifierSequence => {
            Err(AnchorError::of_qualifier(&error))
        }
        Err(error) if error.kind() != ErrorKind::ValueEmpty => Err(AnchorError::of_key(&error)),
        _ => Ok(canonical.as_str().to_owned()),
    }
}

/// Returns the last value of a path, if records can be registered there.
fn value_of(path: &str) -> Result<String, AnchorError> {
    let key = EntityKey::parse(path).map_err(|error| AnchorError::of_key(&error))?;
    if let Err(rule) = key.is_registrable() {
        let (requirement, message) = (rule.requirement(), rule.to_string());
        return Err(AnchorError { code: "NOT_REGISTRABLE", requirement, message });
    }
    Ok(key.as_str().rsplit('/').next().unwrap_or_default().to_owned())
}

/// Returns whether a value can be an end of a range: its text is the same with and without
/// percent-encoding, so the order of texts is that of values.
fn is_end(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
        && value.bytes().any(|b| b.is_ascii_alphanumeric())
}

/// Returns the requirement that a path breaks if it is not a key. The company level of (235) is
/// forbidden by its own rule.
fn requirement(path: &str) -> &'static str {
    let mut ais = path.split('/').skip(1).step_by(2);
    let is_trade_item = ais.next() == Some("01");
    let has_company = ais.clone().count() > 1;
    if is_trade_item && has_company && ais.any(|ai| ai == "235") {
        "RES-2.5.10-1"
    } else {
        "RES-2.4-1"
    }
}

impl From<EntityKey> for Anchor {
    fn from(key: EntityKey) -> Self {
        Self(Repr::Key(key))
    }
}

impl From<&EntityKey> for Anchor {
    fn from(key: &EntityKey) -> Self {
        Self(Repr::Key(key.clone()))
    }
}

impl From<&Anchor> for Anchor {
    fn from(anchor: &Anchor) -> Self {
        anchor.clone()
    }
}

impl FromStr for Anchor {
    type Err = AnchorError;

    fn from_str(path: &str) -> Result<Self, AnchorError> {
        Self::parse(path)
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Anchor({self})")
    }
}

impl PartialEq for Anchor {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Anchor {}

impl PartialEq<EntityKey> for Anchor {
    fn eq(&self, other: &EntityKey) -> bool {
        self.as_str() == other.as_str()
    }
}

impl PartialOrd for Anchor {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Anchor {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Anchor {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl Borrow<str> for Anchor {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Anchor {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}
