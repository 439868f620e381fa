//! Numbers in the form of a GTIN that are something else.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use fingerpost_gs1::Ai;
use fingerpost_gs1::gtin::{self, GtinKind};

use super::{Inspection, Item};
use crate::finding::Finding;
use crate::form::{InputForm, is_grouping};

impl Item {
    /// Returns what its GTIN is, if not the number of any product: an ISBN, a number for use within
    /// a company, a GTIN-8.
    ///
    /// ```
    /// use fingerpost_gs1::gtin::GtinKind;
    /// use fingerpost_identify::inspect;
    ///
    /// let item = inspect("978-0-14-103614-4").item.ok_or("elements")?;
    /// assert_eq!(item.gtin_kind(), Some(GtinKind::Isbn));
    /// # Ok::<(), &'static str>(())
    /// ```
    #[must_use]
    pub fn gtin_kind(&self) -> Option<GtinKind> {
        GtinKind::of(self.gtin()?)
    }

    /// Returns its GTIN, if it has one.
    #[must_use]
    pub fn gtin(&self) -> Option<&str> {
        self.rows.iter().find(|row| row.ai == Ai::GTIN).map(|row| &*row.value)
    }
}

/// Returns warnings about the GTIN of an input.
pub(super) fn warnings(found: &Inspection<'_>) -> Vec<Finding> {
    let whole = 0..found.input.len();
    let kind = found.item.as_ref().filter(|_| found.is_valid()).and_then(Item::gtin_kind);
    let restricted = kind.filter(|kind| kind.is_restricted()).map(|kind| {
        let message = format!("a {kind}: it identifies no product in the world");
        let help = "publish no Digital Link for it; others use the same digits for other things";
        Finding::of_form("RESTRICTED_NUMBER", message, help, whole.clone())
    });
    let upc_e = (found.form == InputForm::Gtin).then(|| upc_e(found.input)).flatten();
    let upc_e = upc_e.map(|gtin| {
        let message = format!("read from UPC-E, the digits stand for the GTIN-12 {gtin}");
        let help = "if the symbol is UPC-E, use that number; a GTIN-8 is in EAN-8 symbols";
        Finding::of_form("UPC_E", message, help, whole)
    });
    restricted.into_iter().chain(upc_e).collect()
}

/// Returns the GTIN-12 of a UPC-E.
fn upc_e(input: &str) -> Option<String> {
    let digits: Vec<u8> = input.bytes().filter(|byte| !is_grouping(*byte)).collect();
    let gtin = gtin::expand_upc_e(&digits)?;
    Some(gtin.iter().copied().map(char::from).collect())
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use crate::inspect;

    /// GS1-OTH-03, GS1-OTH-04
    #[test]
    fn numbers_that_are_no_products_are_named() {
        for (input, kind, codes) in [
            ("09520123456788", None, &[][..]),
            ("2012345006782", Some("restricted-region"), &["RESTRICTED_NUMBER"]),
            ("0212345678909", Some("restricted-region"), &["RESTRICTED_NUMBER"]),
            ("0412345678903", Some("restricted-company"), &["RESTRICTED_NUMBER"]),
            ("9801234567892", Some("refund"), &["RESTRICTED_NUMBER"]),
            ("9812345678902", Some("coupon"), &["RESTRICTED_NUMBER"]),
            ("9780141036144", Some("isbn"), &[]),
            ("9790060115615", Some("ismn"), &[]),
            ("9770317847001", Some("issn"), &[]),
            ("95201238", Some("gtin-8"), &[]),
            ("01234565", Some("restricted-company"), &["RESTRICTED_NUMBER", "UPC_E"]),
            ("04252614", None, &["UPC_E"]),
        ] {
            let found = inspect(input);
            let kind_found = found.item.as_ref().filter(|_| found.is_valid());
            let kind_found = kind_found.and_then(|item| item.gtin_kind()).map(|kind| kind.code());
            assert_eq!(kind_found, kind, "{input}: {found:?}");
            let found: Vec<_> = found.warnings.iter().map(|warning| warning.code).collect();
            assert_eq!(found, codes, "{input}");
        }
    }
}
