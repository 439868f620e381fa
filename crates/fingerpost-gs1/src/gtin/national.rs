//! National numbers of medicines within GTINs: a national number after digits that are reserved for
//! it (NTIN, GS1 General Specifications 26, section 2.1). They identify products, like any other
//! GTIN.

use table::RANGES;

mod table;

/// A national numbering scheme of medicines.
///
/// ```
/// use fingerpost_gs1::gtin::MedicineScheme;
///
/// let (scheme, number) = MedicineScheme::read("04150037528643").ok_or("a German medicine")?;
/// assert_eq!((scheme.name(), scheme.countries(), number), ("PZN", "DE", "03752864"));
/// assert_eq!(MedicineScheme::read("09520123456788"), None);
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct MedicineScheme {
    /// The first digits of the GTIN-13.
    pub(super) prefix: &'static str,
    pub(super) name: &'static str,
    pub(super) countries: &'static str,
}

impl MedicineScheme {
    /// Returns the scheme of a GTIN of fourteen digits, and the national number in it; `None` if it
    /// is not known to have one.
    #[must_use]
    pub fn read(gtin: &str) -> Option<(&'static Self, &str)> {
        let digits = gtin.strip_prefix('0')?;
        if digits.len() != 13 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let scheme = RANGES.iter().find(|scheme| digits.starts_with(scheme.prefix))?;
        Some((scheme, &digits[scheme.prefix.len()..12]))
    }

    /// Returns what the numbers are called.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the ISO 3166 codes of the countries that use them, separated by spaces.
    #[must_use]
    pub fn countries(&self) -> &'static str {
        self.countries
    }
}

#[cfg(test)]
mod tests {
    use super::MedicineScheme;

    // GS1-OTH-06
    #[test]
    fn national_numbers_of_medicines_are_found() {
        for (gtin, expected) in [
            ("04150037528643", Some(("PZN", "03752864"))),
            ("09088881234560", Some(("PZN", "123456"))),
            ("03400930000120", Some(("CIP", "93000012"))),
            ("08470006502330", Some(("C\u{f3}digo Nacional", "650233"))),
            ("07046261398572", Some(("Vnr", "139857"))),
            ("14150037528643", None),
            ("09520123456788", None),
            ("0415003752864", None),
            ("0415003752864X", None),
        ] {
            let found = MedicineScheme::read(gtin).map(|(scheme, number)| (scheme.name(), number));
            assert_eq!(found, expected, "{gtin}");
        }
    }
}
