//! Application Identifiers and their rows (GS1 Barcode Syntax Dictionary).
//!
//! The rows come from `data/application-identifiers.json`; `cargo xtask generate` writes them as
//! static data into [`table`]. A look-up is two array reads: the first two digits of an Application
//! Identifier determine its length, the rest is an index into a dense table.

use core::fmt;
use core::str::FromStr;

use crate::component::ValueComponent;
use crate::quantity::Number;
use shortcuts::Shortcuts;

pub(crate) mod shortcuts;
mod table;

pub use table::DICTIONARY_RELEASE;

/// An Application Identifier: two to four ASCII digits, not necessarily an allocated one.
///
/// Ordered as text, as the canonical form requires: `02` < `10` < `3103` < `37`.
///
/// ```
/// use fingerpost_gs1::Ai;
///
/// let lot: Ai = "10".parse()?;
/// assert_eq!(lot, Ai::LOT);
/// assert_eq!(lot.entry().map(|entry| entry.title()), Some("BATCH/LOT"));
/// assert!(Ai::new("1A").is_none());
/// # Ok::<(), fingerpost_gs1::NotAnAi>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ai([u8; 4]);

impl Ai {
    /// 00, Serial Shipping Container Code.
    pub const SSCC: Ai = Ai::known("00");
    /// 01, Global Trade Item Number.
    pub const GTIN: Ai = Ai::known("01");
    /// 02, GTIN of contained trade items.
    pub const CONTENT: Ai = Ai::known("02");
    /// 10, batch or lot number.
    pub const LOT: Ai = Ai::known("10");
    /// 21, serial number.
    pub const SERIAL: Ai = Ai::known("21");
    /// 22, consumer product variant.
    pub const CPV: Ai = Ai::known("22");
    /// 235, third-party controlled serialised extension of the GTIN.
    pub const TPX: Ai = Ai::known("235");
    /// 253, Global Document Type Identifier.
    pub const GDTI: Ai = Ai::known("253");
    /// 254, extension component of a Global Location Number.
    pub const GLN_EXTENSION: Ai = Ai::known("254");
    /// 255, Global Coupon Number.
    pub const GCN: Ai = Ai::known("255");
    /// 37, count of contained trade items.
    pub const COUNT: Ai = Ai::known("37");
    /// 401, Global Identification Number for Consignment.
    pub const GINC: Ai = Ai::known("401");
    /// 402, Global Shipment Identification Number.
    pub const GSIN: Ai = Ai::known("402");
    /// 414, Global Location Number of a physical location.
    pub const GLN: Ai = Ai::known("414");
    /// 415, Global Location Number of the invoicing party.
    pub const PAY_TO: Ai = Ai::known("415");
    /// 417, Global Location Number of a party.
    pub const PARTY: Ai = Ai::known("417");
    /// 7040, unique identification code with extensions.
    pub const UIC_EXT: Ai = Ai::known("7040");
    /// 8003, Global Returnable Asset Identifier.
    pub const GRAI: Ai = Ai::known("8003");
    /// 8004, Global Individual Asset Identifier.
    pub const GIAI: Ai = Ai::known("8004");
    /// 8006, individual trade item piece.
    pub const ITIP: Ai = Ai::known("8006");
    /// 8010, Component/Part Identifier.
    pub const CPID: Ai = Ai::known("8010");
    /// 8011, serial number of a Component/Part Identifier.
    pub const CPID_SERIAL: Ai = Ai::known("8011");
    /// 8013, Global Model Number.
    pub const GMN: Ai = Ai::known("8013");
    /// 8017, Global Service Relation Number of a provider.
    pub const GSRNP: Ai = Ai::known("8017");
    /// 8018, Global Service Relation Number of a recipient.
    pub const GSRN: Ai = Ai::known("8018");
    /// 8019, service relation instance number.
    pub const SRIN: Ai = Ai::known("8019");
    /// 8020, payment slip reference number.
    pub const REF_NO: Ai = Ai::known("8020");
    /// 8030, digital signature.
    pub const DIGSIG: Ai = Ai::known("8030");

    /// The sixteen primary identification keys of a Digital Link URI (GS1 Digital Link URI Syntax
    /// 1.4.1, section 4.3), ascending.
    pub const PRIMARY_KEYS: [Ai; 16] = table::PRIMARY_KEYS;

    /// The convenience alphas, names for Application Identifiers in GS1 Digital Link 1.0 to 1.2, in
    /// lower case. Deprecated in 1.2 and removed in 1.3 (GS1 Digital Link URI Syntax 1.4.1,
    /// section 4.1).
    pub const CONVENIENCE_ALPHAS: [(&'static str, Ai); 25] = table::CONVENIENCE_ALPHAS;

    /// Returns the Application Identifier that a convenience alpha represented.
    ///
    /// ```
    /// use fingerpost_gs1::Ai;
    ///
    /// assert_eq!(Ai::from_convenience_alpha("gtin"), Some(Ai::GTIN));
    /// assert_eq!(Ai::from_convenience_alpha("GTIN"), None);
    /// ```
    #[must_use]
    #[cold]
    pub fn from_convenience_alpha(text: &str) -> Option<Ai> {
        let mut alphas = table::CONVENIENCE_ALPHAS.iter();
        alphas.find(|(alpha, _)| *alpha == text).map(|(_, ai)| *ai)
    }

    /// Returns the Application Identifier written as `text`, if that is two to four ASCII digits.
    ///
    /// It need not be allocated: see [`Ai::entry`].
    #[must_use]
    pub const fn new(text: &str) -> Option<Ai> {
        Ai::from_digits(text.as_bytes())
    }

    /// Works like [`Ai::new`], on arbitrary bytes.
    #[must_use]
    pub const fn from_digits(digits: &[u8]) -> Option<Ai> {
        let (mut ai, mut at) = ([0; 4], 0);
        if digits.len() < 2 || digits.len() > 4 {
            return None;
        }
        while at < digits.len() {
            if !digits[at].is_ascii_digit() {
                return None;
            }
            ai[at] = digits[at];
            at += 1;
        }
        Some(Ai(ai))
    }

    /// Returns the digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Invariant of the type: ASCII digits, so the conversion cannot fail.
        core::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// Returns the digits as bytes.
    #[must_use]
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0[..self.digit_count()]
    }

    /// Returns every allocated Application Identifier with its row, in ascending order as text.
    pub fn all() -> impl Iterator<Item = (Ai, &'static AiEntry)> {
        table::ROWS.iter().flat_map(|entry| entry.ais().map(move |ai| (ai, entry)))
    }

    /// Returns the length of the Application Identifiers that start with these two digits; `None`
    /// if there are none, or if these are not digits.
    ///
    /// ```
    /// use fingerpost_gs1::Ai;
    ///
    /// assert_eq!(Ai::length_for_prefix(*b"31"), Some(4));
    /// assert_eq!(Ai::length_for_prefix(*b"89"), None);
    /// ```
    #[must_use]
    pub fn length_for_prefix(two_digits: [u8; 2]) -> Option<usize> {
        if !two_digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        match table::PREFIXES[digit_pair(two_digits[0], two_digits[1])].length {
            0 => None,
            length => Some(usize::from(length)),
        }
    }

    /// Returns how many digits: 2, 3 or 4.
    #[must_use]
    pub const fn digit_count(self) -> usize {
        2 + (self.0[2] != 0) as usize + (self.0[3] != 0) as usize
    }

    /// Returns the row of the dictionary; `None` if the Application Identifier is not allocated.
    #[must_use]
    #[inline]
    pub fn entry(self) -> Option<&'static AiEntry> {
        let [first, second, third, fourth] = self.0;
        let prefix = &table::PREFIXES[digit_pair(first, second)];
        let index = match (prefix.length, self.digit_count()) {
            (2, 2) => 0,
            (3, 3) => usize::from(third - b'0'),
            (4, 4) => digit_pair(third, fourth),
            _ => return None,
        };
        let row = table::ROW_OF_AI[usize::from(prefix.first) + index];
        table::ROWS.get(usize::from(row))
    }

    /// Returns the allocated Application Identifier written as `text` and its row:
    /// [`Ai::from_digits`] and [`Ai::entry`] in one step, for parsers.
    #[inline]
    pub(crate) fn allocated(text: &[u8]) -> Option<(Ai, &'static AiEntry)> {
        let (&[first, second], rest) = text.split_first_chunk::<2>()?;
        if !first.is_ascii_digit() || !second.is_ascii_digit() {
            return None;
        }
        let prefix = &table::PREFIXES[digit_pair(first, second)];
        let (ai, index) = match (prefix.length, rest) {
            (2, []) => ([first, second, 0, 0], 0),
            (3, &[third]) if third.is_ascii_digit() => {
                ([first, second, third, 0], usize::from(third - b'0'))
            }
            (4, &[third, fourth]) if third.is_ascii_digit() && fourth.is_ascii_digit() => {
                ([first, second, third, fourth], digit_pair(third, fourth))
            }
            _ => return None,
        };
        let row = table::ROW_OF_AI[usize::from(prefix.first) + index];
        Some((Ai(ai), table::ROWS.get(usize::from(row))?))
    }

    /// Returns whether it is one of the sixteen primary identification keys of a Digital Link URI.
    #[must_use]
    pub fn is_primary_key(self) -> bool {
        self.entry().is_some_and(|entry| entry.qualifier_sequences.is_some())
    }

    /// Returns the four bytes as one number, for comparison with [`AiPattern`].
    const fn bits(self) -> u32 {
        u32::from_be_bytes(self.0)
    }

    /// Creates a constant; `text` must be digits, which is checked at compile time.
    pub(crate) const fn known(text: &str) -> Ai {
        match Ai::new(text) {
            Some(ai) => ai,
            None => panic!("an Application Identifier is two to four digits"),
        }
    }
}

impl fmt::Display for Ai {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Ai {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({})", self.as_str())
    }
}

impl FromStr for Ai {
    type Err = NotAnAi;

    fn from_str(text: &str) -> Result<Ai, NotAnAi> {
        Ai::new(text).ok_or(NotAnAi(()))
    }
}

/// The error of a text that is not two to four digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnAi(());

impl fmt::Display for NotAnAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an Application Identifier: expected two to four digits")
    }
}

impl core::error::Error for NotAnAi {}

/// One row of the dictionary: the format of the values of one Application Identifier, or of a range
/// of them, and their associations.
#[derive(Debug, PartialEq, Eq)]
pub struct AiEntry {
    pub(crate) first: Ai,
    pub(crate) last: Ai,
    pub(crate) title: &'static str,
    pub(crate) components: &'static [ValueComponent],
    /// What the number in the value means, if the content rules do not say it.
    pub(crate) number: Option<Number>,
    /// The sum of the minimum lengths of the mandatory components.
    pub(crate) min_length: u8,
    /// The sum of the maximum lengths of all components.
    pub(crate) max_length: u8,
    pub(crate) predefined_length: bool,
    pub(crate) attribute: bool,
    pub(crate) qualifier_sequences: Option<&'static [&'static [Ai]]>,
    pub(crate) requires: &'static [&'static [&'static [AiPattern]]],
    pub(crate) excludes: &'static [AiPattern],
    pub(crate) shortcuts: Shortcuts,
}

impl AiEntry {
    /// Returns the Application Identifiers of this row, ascending; only their last digit differs.
    pub fn ais(&self) -> impl Iterator<Item = Ai> + use<> {
        let ([head @ .., _], length) = (self.first.0, self.first.digit_count());
        let (from, to) = (self.first.0[length - 1], self.last.0[length - 1]);
        (from..=to).map(move |digit| {
            let mut ai = [head[0], head[1], head[2], 0];
            ai[length - 1] = digit;
            Ai(ai)
        })
    }

    /// Returns the data title, as printed beside a barcode; empty for 8110 and 8112.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// Returns the parts of the value, in order. Only the last one varies in length.
    #[must_use]
    pub fn components(&self) -> &'static [ValueComponent] {
        self.components
    }

    /// Returns the minimum and maximum length of the value, in characters.
    #[must_use]
    pub fn value_length(&self) -> (usize, usize) {
        (usize::from(self.min_length), usize::from(self.max_length))
    }

    /// Returns flag `*`: whether the length is predefined, in which case no FNC1 follows the value
    /// in a barcode.
    #[must_use]
    pub fn is_predefined_length(&self) -> bool {
        self.predefined_length
    }

    /// Returns flag `?`: whether it is allowed in the query of a Digital Link URI.
    #[must_use]
    pub fn is_attribute(&self) -> bool {
        self.attribute
    }

    /// Returns, for a primary key, the alternative ordered lists of its qualifiers; empty if it has
    /// none. `None` if this is not a primary key.
    #[must_use]
    pub fn qualifier_sequences(&self) -> Option<&'static [&'static [Ai]]> {
        self.qualifier_sequences
    }

    /// Returns its requirements: each one is met if one of its groups is completely present.
    #[must_use]
    pub fn requires(&self) -> &'static [&'static [&'static [AiPattern]]] {
        self.requires
    }

    /// Returns the Application Identifiers that it excludes. An Application Identifier never
    /// excludes itself.
    #[must_use]
    pub fn excludes(&self) -> &'static [AiPattern] {
        self.excludes
    }
}

/// An Application Identifier in which a final `n` is any digit, as in `310n` or `31nn`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AiPattern {
    /// The four bytes; a wildcard digit is `0`, which has only the bits common to all digits.
    value: u32,
    /// All ones for a byte that is compared, `F0` for a wildcard digit.
    mask: u32,
}

impl AiPattern {
    /// Creates a pattern for the generated table: `text` is digits followed by any number of `n`.
    const fn known(text: &str) -> AiPattern {
        let (bytes, mut at) = (text.as_bytes(), 0);
        let (mut value, mut mask) = ([0; 4], [0xff; 4]);
        while at < bytes.len() {
            (value[at], mask[at]) =
                if bytes[at] == b'n' { (b'0', 0xf0) } else { (bytes[at], 0xff) };
            at += 1;
        }
        AiPattern { value: u32::from_be_bytes(value), mask: u32::from_be_bytes(mask) }
    }

    /// Returns whether `ai` matches the pattern.
    #[must_use]
    #[inline]
    pub const fn matches(self, ai: Ai) -> bool {
        ai.bits() & self.mask == self.value
    }
}

impl fmt::Display for AiPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (digit, mask) in self.value.to_be_bytes().into_iter().zip(self.mask.to_be_bytes()) {
            match (digit, mask) {
                (0, _) => break,
                (_, 0xf0) => f.write_str("n")?,
                (digit, _) => write!(f, "{}", char::from(digit))?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for AiPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({self})")
    }
}

/// All Application Identifiers that share their first two digits.
#[derive(Clone, Copy)]
struct Prefix {
    /// The number of their digits, 0 if there are none.
    length: u8,
    /// The start of their part of [`table::ROW_OF_AI`].
    first: u16,
}

/// Returns the value of two ASCII digits, 0 to 99.
#[inline]
const fn digit_pair(tens: u8, units: u8) -> usize {
    (tens - b'0') as usize * 10 + (units - b'0') as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_allocated_ai_finds_its_row() {
        // GS1-AI-08: 541 Application Identifiers in 224 rows.
        assert_eq!(Ai::all().count(), 541);
        assert_eq!(table::ROWS.len(), 224);
        for (ai, entry) in Ai::all() {
            assert_eq!(
                ai.entry().map(core::ptr::from_ref),
                Some(core::ptr::from_ref(entry)),
                "{ai}"
            );
            assert_eq!(Ai::new(ai.as_str()), Some(ai));
        }
        let keys = Ai::all().map(|(ai, _)| ai).filter(|ai| ai.is_primary_key());
        assert!(keys.eq(Ai::PRIMARY_KEYS));
        assert!(Ai::CONVENIENCE_ALPHAS.iter().all(|(_, ai)| ai.entry().is_some()));
        // GS1-AI-02: the first two digits tell the length.
        for (ai, _) in Ai::all() {
            let alike = Ai::all().filter(|(other, _)| other.as_str()[..2] == ai.as_str()[..2]);
            assert!(alike.into_iter().all(|(other, _)| other.as_str().len() == ai.as_str().len()));
        }
    }

    #[test]
    fn no_other_digits_find_a_row() {
        let all = (2..=4_usize).flat_map(|digits| {
            (0..10_u32.pow(digits as u32)).map(move |number| alloc::format!("{number:0digits$}"))
        });
        let found = all.filter(|text| Ai::known(text).entry().is_some()).count();
        assert_eq!(found, 541);
    }

    #[test]
    fn ais_sort_as_text() {
        let sorted = ["02", "10", "17", "235", "3103", "37"].map(Ai::known);
        assert!(sorted.is_sorted());
        assert!(Ai::all().map(|(ai, _)| ai).is_sorted());
    }

    #[test]
    fn patterns_match_whole_ais_only() {
        let weight = AiPattern::known("310n");
        assert!(weight.matches(Ai::known("3103")));
        assert!(!weight.matches(Ai::known("310")));
        assert!(!weight.matches(Ai::known("3113")));
        assert!(AiPattern::known("31nn").matches(Ai::known("3199")));
        assert!(!AiPattern::known("37").matches(Ai::known("370")));
        assert_eq!(alloc::format!("{weight} {:?}", AiPattern::known("37")), "310n (37)");
    }
}
