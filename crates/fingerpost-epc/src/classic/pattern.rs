//! EPC tag patterns: `urn:epc:pat:…` (EPC Tag Data Standard 2.3, section 13).
//!
//! ```text
//! pattern = "urn:epc:pat:" name ":" [ wanted "." ] wanted *( "." wanted )
//! wanted  = "*" / component / "[" component "-" component "]"     ; a range in numbers only
//! ```
//!
//! Filter and components are those of the Tag URI. Company prefixes cannot have ranges, and a star
//! for one requires a star for the reference after it.

use core::fmt;
use core::str::FromStr;

use alloc::string::String;

use super::ClassicEpc;
use super::tag::{Named, TAG, read_name};
use crate::digits;
use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::scheme::{Part, Scheme};

const PATTERN: &str = "urn:epc:pat:";

/// A set of tags, as specified to readers: those of one scheme with these components.
///
/// ```
/// use fingerpost_epc::TagPattern;
///
/// let cases: TagPattern = "urn:epc:pat:sgtin-96:2.9521141.*.[100-199]".parse()?;
/// assert!(cases.matches(&"urn:epc:tag:sgtin-96:2.9521141.012345.150".parse()?));
/// assert!(!cases.matches(&"urn:epc:tag:sgtin-96:1.9521141.012345.150".parse()?));
/// # Ok::<(), fingerpost_epc::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TagPattern {
    /// The ends of all ranges; literals are the same in both, and samples replace stars.
    low: ClassicEpc,
    high: ClassicEpc,
    /// Bit 0 for the filter, then one for each component.
    stars: u8,
}

/// The condition on the filter or on one component.
enum Wanted<'u> {
    Any,
    Between(&'u str, &'u str),
}

impl TagPattern {
    /// Reads `urn:epc:pat:…`.
    ///
    /// # Errors
    ///
    /// `BAD_URN_SYNTAX`, `UNKNOWN_SCHEME`, `BAD_PATTERN` for a star or a range where it is not
    /// allowed, or the error of one of its ends as a Tag URI.
    pub fn parse(urn: &str) -> Result<TagPattern, Error> {
        let whole = ErrorSpan::text(0, urn.len());
        if !urn.starts_with(PATTERN) {
            return Err(Error::new(ErrorKind::BadUrnSyntax, whole));
        }
        let Named { scheme, urn_scheme, rest, after_name } = read_name(urn, PATTERN.len())?;
        let filter = scheme.filter_max().map(|_| Part::Pair);
        let slots = || filter.iter().chain(urn_scheme.parts());
        let (mut low, mut high) = (Ends::new(scheme), Ends::new(scheme));
        let (mut stars, mut at, mut pieces) = (0, after_name, rest.splitn(slots().count(), '.'));
        let (mut prefix, mut prefix_is_star) = (0, false);
        for (index, part) in slots().enumerate() {
            let piece = pieces.next().ok_or(Error::new(ErrorKind::BadUrnSyntax, whole))?;
            let is_filter = index == 0 && filter.is_some();
            let span = ErrorSpan::text(at, at + piece.len());
            let bad = Error::new(ErrorKind::BadPattern, span);
            let ranges = is_filter || has_ranges(*part, scheme);
            match wanted(piece).filter(|wanted| ranges || !wanted.is_range()).ok_or(bad)? {
                Wanted::Any => {
                    stars |= 1 << (index + usize::from(filter.is_none()));
                    let sample = if is_filter { "0" } else { sample(*part, prefix) };
                    low.push(sample);
                    high.push(sample);
                }
                // The number of digits of a reference depends on the prefix before it.
                Wanted::Between(..) if prefix_is_star && after_prefix(*part) => {
                    return Err(bad);
                }
                Wanted::Between(from, to) => {
                    low.push(from);
                    high.push(to);
                }
            }
            if *part == Part::Prefix {
                prefix_is_star = piece == "*";
                prefix = if prefix_is_star { SAMPLE_PREFIX.len() } else { piece.len() };
            }
            at += piece.len() + 1;
        }
        let end = |urn: &str| {
            ClassicEpc::from_tag_uri(urn).map_err(|error| Error::new(error.kind(), whole))
        };
        let pattern = TagPattern { low: end(&low.0)?, high: end(&high.0)?, stars };
        let ordered = pattern.slots().all(|(low, high)| low == high || is_between(low, low, high));
        if ordered && pattern.low.filter() <= pattern.high.filter() {
            Ok(pattern)
        } else {
            Err(Error::new(ErrorKind::BadPattern, whole))
        }
    }

    /// Returns the binary scheme of the tags.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.low.scheme()
    }

    /// Returns whether the EPC is in the set.
    #[must_use]
    pub fn matches(&self, epc: &ClassicEpc) -> bool {
        let filter = |epc: &ClassicEpc| epc.filter().unwrap_or_default();
        let filter_fits =
            self.is_star(0) || (filter(&self.low)..=filter(&self.high)).contains(&filter(epc));
        self.scheme() == epc.scheme()
            && filter_fits
            && self.slots().zip(epc.identity().components()).enumerate().all(
                |(index, ((low, high), found))| {
                    self.is_star(index + 1)
                        || if low == high { low == found } else { is_between(found, low, high) }
                },
            )
    }

    fn is_star(&self, slot: usize) -> bool {
        self.stars >> slot & 1 == 1
    }

    /// Returns the ends of every component.
    fn slots(&self) -> impl Iterator<Item = (&str, &str)> {
        self.low.identity().components().zip(self.high.identity().components())
    }
}

impl Wanted<'_> {
    fn is_range(&self) -> bool {
        matches!(self, Wanted::Between(from, to) if from.as_ptr() != to.as_ptr())
    }
}

fn wanted(piece: &str) -> Option<Wanted<'_>> {
    match piece.strip_prefix('[') {
        None if piece == "*" => Some(Wanted::Any),
        None => Some(Wanted::Between(piece, piece)),
        Some(range) => {
            let (from, to) = range.strip_suffix(']')?.split_once('-')?;
            Some(Wanted::Between(from, to))
        }
    }
}

/// Returns whether the component is numeric in this scheme. The long schemes contain texts.
fn has_ranges(part: Part, scheme: Scheme) -> bool {
    match part {
        Part::Reference(_) | Part::Pair | Part::Number(_) | Part::Integer(_) | Part::Digits(_) => {
            true
        }
        Part::Text(_) | Part::AssetReference | Part::ComponentReference => {
            matches!(scheme.bits(), Some(96 | 110))
        }
        _ => false,
    }
}

/// Returns whether a component is in a range. Numbers with leading zeros are compared only with
/// those of the same length.
fn is_between(found: &str, low: &str, high: &str) -> bool {
    let number = |text: &str| digits::read(text.as_bytes());
    let (Some(found_number), Some(low_number), Some(high_number)) =
        (number(found), number(low), number(high))
    else {
        return false;
    };
    let padded = |text: &str| text.len() > 1 && text.starts_with('0');
    let same_width = low.len() == high.len() && low.len() == found.len();
    (low_number..=high_number).contains(&found_number)
        && (same_width || ![found, low, high].into_iter().any(padded))
}

/// A sample for any company prefix.
const SAMPLE_PREFIX: &str = "000000";

fn after_prefix(part: Part) -> bool {
    matches!(part, Part::Reference(_) | Part::AssetReference | Part::ComponentReference)
}

/// Returns a valid value in place of a star.
fn sample(part: Part, prefix: usize) -> &'static str {
    match part {
        Part::Prefix => SAMPLE_PREFIX,
        Part::Reference(total) => {
            const ZEROS: &str = "00000000000000000";
            &ZEROS[..total.saturating_sub(prefix).min(ZEROS.len())]
        }
        Part::Pair => "01",
        Part::Cage => "00000",
        Part::OriginalNumber => "",
        _ => "1",
    }
}

impl FromStr for TagPattern {
    type Err = Error;

    fn from_str(urn: &str) -> Result<TagPattern, Error> {
        TagPattern::parse(urn)
    }
}

impl fmt::Display for TagPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PATTERN)?;
        f.write_str(self.scheme().tag_name().unwrap_or_default())?;
        f.write_str(":")?;
        if let (Some(low), Some(high)) = (self.low.filter(), self.high.filter()) {
            match (self.is_star(0), low == high) {
                (true, _) => f.write_str("*.")?,
                (_, true) => write!(f, "{low}.")?,
                _ => write!(f, "[{low}-{high}].")?,
            }
        }
        let (low, high) = (self.low.identity().checked(), self.high.identity().checked());
        for index in 0..low.count() {
            f.write_str(if index == 0 { "" } else { "." })?;
            match (self.is_star(index + 1), low.bytes(index) == high.bytes(index)) {
                (true, _) => f.write_str("*")?,
                (_, true) => low.write_component(index, f)?,
                _ => {
                    f.write_str("[")?;
                    low.write_component(index, f)?;
                    f.write_str("-")?;
                    high.write_component(index, f)?;
                    f.write_str("]")?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Debug for TagPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TagPattern({self})")
    }
}

/// The Tag URI of one end.
struct Ends(String);

impl Ends {
    fn new(scheme: Scheme) -> Ends {
        Ends([TAG, scheme.tag_name().unwrap_or_default(), ":"].concat())
    }

    fn push(&mut self, component: &str) {
        if !self.0.ends_with(':') {
            self.0.push('.');
        }
        self.0.push_str(component);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn code(urn: &str) -> &'static str {
        TagPattern::parse(urn).map_or_else(|error| error.code(), |_| "")
    }

    #[test]
    fn patterns_come_back_as_they_were_read() {
        for urn in [
            "urn:epc:pat:sgtin-96:3.9521141.012345.6789",
            "urn:epc:pat:sgtin-96:*.*.*.*",
            "urn:epc:pat:sgtin-96:[1-3].9521141.[012000-012999].[5-7]",
            "urn:epc:pat:sgtin-96:3.9521141.*.400",
            "urn:epc:pat:sgtin-198:3.9521141.012345.a%2Fb",
            "urn:epc:pat:sscc-96:2.952114112345.[00000-99999]",
            "urn:epc:pat:sgln-96:0.952114112345..*",
            "urn:epc:pat:giai-96:0.9521141.[1-99]",
            "urn:epc:pat:itip-110:0.9521141.012345.[01-02].02.*",
            "urn:epc:pat:cpi-var:0.9521141.*.[1-5]",
            "urn:epc:pat:sgcn-96:0.9521141.67890.[001-010]",
            "urn:epc:pat:gid-96:[1-2].*.7",
            "urn:epc:pat:usdod-96:[0-15].*.[1-9]",
            "urn:epc:pat:adi-var:*.35962..*",
        ] {
            let pattern = TagPattern::parse(urn).map_err(|error| (urn, error)).unwrap();
            assert_eq!(pattern.to_string(), urn);
        }
    }

    // EPC-URN-08, EPC-URN-09
    #[test]
    fn stars_and_ranges_stand_only_where_they_may() {
        for (urn, expected) in [
            ("urn:epc:pat:sgtin-96:3.*.012345.1", "BAD_PATTERN"),
            ("urn:epc:pat:sgtin-96:3.[9521141-9521142].012345.1", "BAD_PATTERN"),
            ("urn:epc:pat:sgtin-96:3.9521141.012345.[7-5]", "BAD_PATTERN"),
            ("urn:epc:pat:sgtin-96:[5-3].9521141.012345.1", "BAD_PATTERN"),
            ("urn:epc:pat:sgtin-198:3.9521141.012345.[5-7]", "BAD_PATTERN"),
            ("urn:epc:pat:sgtin-96:3.9521141.012345.[5-", "BAD_PATTERN"),
            ("urn:epc:pat:sgtin-96:3.9521141.012345.abc", "BAD_DIGITS"),
            ("urn:epc:pat:sgtin-96:3.9521141.012345", "BAD_URN_SYNTAX"),
            ("urn:epc:pat:sgtin-96:9.9521141.012345.1", "BAD_FILTER"),
            ("urn:epc:pat:sgtin-97:9.9521141.012345.1", "UNKNOWN_SCHEME"),
            ("urn:epc:tag:sgtin-96:3.9521141.012345.1", "BAD_URN_SYNTAX"),
        ] {
            assert_eq!(code(urn), expected, "{urn}");
        }
    }

    #[test]
    fn tags_match_component_by_component() {
        let tag = |urn: &str| ClassicEpc::from_tag_uri(urn).unwrap();
        let item = tag("urn:epc:tag:sgtin-96:3.9521141.012345.6789");
        let coupon = tag("urn:epc:tag:sgcn-96:0.9521141.67890.005");
        for (pattern, epc, matches) in [
            ("urn:epc:pat:sgtin-96:3.9521141.012345.6789", item, true),
            ("urn:epc:pat:sgtin-96:*.*.*.*", item, true),
            ("urn:epc:pat:sgtin-198:*.*.*.*", item, false),
            ("urn:epc:pat:sgtin-96:[1-2].*.*.*", item, false),
            ("urn:epc:pat:sgtin-96:*.9521141.[012000-012344].*", item, false),
            ("urn:epc:pat:sgtin-96:*.9521141.[012000-012345].[6789-6790]", item, true),
            ("urn:epc:pat:sgtin-96:*.952114.[0112345-0912345].*", item, false),
            ("urn:epc:pat:sgcn-96:*.*.*.[001-010]", coupon, true),
            ("urn:epc:pat:sgcn-96:*.*.*.[1-9]", coupon, false),
            ("urn:epc:pat:sgcn-96:*.*.*.005", coupon, true),
        ] {
            assert_eq!(TagPattern::parse(pattern).unwrap().matches(&epc), matches, "{pattern}");
        }
    }
}
