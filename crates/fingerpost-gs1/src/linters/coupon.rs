//! North American coupon data (linters couponcode for AI 8110, couponposoffer for AI 8112; GS1
//! General Specifications 3.9.14 and 3.9.15).
//!
//! Both are parsed from left to right. A variable field follows one digit that gives its length.
//!
//! ```text
//! 8110 = GCP(0-6, +6) offer(6) save(1-5) requirement(1-5) requirement-code family(3)
//!        ["1" rules requirement(1-5) code family(3) GCP(0-6, +6, or 9 for none)]
//!        ["2" requirement(1-5) code family(3) GCP(0-6, +6, or 9 for none)]
//!        ["3" expiration(6)] ["4" start(6)] ["5" serial(0-9, +6)] ["6" retailer(1-7, +6)]
//!        ["9" save-code applies-to store dont-multiply]
//! 8112 = format funder(0-6, +6) offer(6) serial(0-9, +6)
//! ```

use super::{Lint, LintFault, charset, dates, text};
use crate::error::LintError as L;
use crate::lookups::Lookups;

pub(super) fn couponcode(data: &[u8], lookups: Option<&dyn Lookups>) -> Lint {
    charset::digits(data)?;
    let mut coupon = Coupon { data, at: 0, lookups };
    let gcp = [L::CouponMissingGcpVli, L::CouponInvalidGcpLength, L::CouponTruncatedGcp];
    coupon.company_prefix(b"0123456", gcp)?;
    coupon.fixed(6, L::CouponTruncatedOfferCode)?;
    coupon.variable(
        b"12345",
        0,
        [
            L::CouponMissingSaveValueVli,
            L::CouponInvalidSaveValueLength,
            L::CouponTruncatedSaveValue,
        ],
    )?;
    coupon.purchase(&FIRST)?;
    if coupon.flag(b'1') {
        let rules = [
            L::CouponMissingAdditionalPurchaseRulesCode,
            L::CouponInvalidAdditionalPurchaseRulesCode,
        ];
        coupon.code(b"0123", rules)?;
        coupon.purchase(&SECOND)?;
    }
    if coupon.flag(b'2') {
        coupon.purchase(&THIRD)?;
    }
    coupon.period()?;
    if coupon.flag(b'5') {
        coupon.serial_number()?;
    }
    if coupon.flag(b'6') {
        let retailer = [
            L::CouponMissingRetailerGcpOrGlnVli,
            L::CouponInvalidRetailerGcpOrGlnLength,
            L::CouponTruncatedRetailerGcpOrGln,
        ];
        coupon.company_prefix(b"1234567", retailer)?;
    }
    if coupon.flag(b'9') {
        coupon.code(b"01256", [L::CouponMissingSaveValueCode, L::CouponInvalidSaveValueCode])?;
        let applies =
            [L::CouponMissingSaveValueAppliesToItem, L::CouponInvalidSaveValueAppliesToItem];
        coupon.code(b"012", applies)?;
        // Any digit is a store coupon flag, so the second code cannot occur.
        coupon.code(b"0123456789", [L::CouponMissingStoreCouponFlag; 2])?;
        coupon.code(b"01", [L::CouponMissingDontMultiplyFlag, L::CouponInvalidDontMultiplyFlag])?;
    }
    coupon.end()
}

pub(super) fn couponposoffer(data: &[u8], lookups: Option<&dyn Lookups>) -> Lint {
    charset::digits(data)?;
    let mut coupon = Coupon { data, at: 0, lookups };
    coupon.code(b"01", [L::CouponMissingFormatCode, L::CouponInvalidFormatCode])?;
    let funder =
        [L::CouponMissingFunderVli, L::CouponInvalidFunderLength, L::CouponTruncatedFunder];
    coupon.variable(b"0123456", 6, funder)?;
    coupon.fixed(6, L::CouponTruncatedOfferCode)?;
    coupon.serial_number()?;
    coupon.end()
}

/// The codes of one purchase: requirement (length missing, length wrong, truncated), its code
/// (missing, wrong), family code, company prefix if there is one.
struct Purchase {
    requirement: [L; 3],
    code: [L; 2],
    family: L,
    company_prefix: Option<[L; 3]>,
}

const FIRST: Purchase = Purchase {
    requirement: [
        L::CouponMissingFirstPurchaseRequirementVli,
        L::CouponInvalidFirstPurchaseRequirementLength,
        L::CouponTruncatedFirstPurchaseRequirement,
    ],
    code: [
        L::CouponMissingFirstPurchaseRequirementCode,
        L::CouponInvalidFirstPurchaseRequirementCode,
    ],
    family: L::CouponTruncatedFirstPurchaseFamilyCode,
    company_prefix: None,
};

const SECOND: Purchase = Purchase {
    requirement: [
        L::CouponMissingSecondPurchaseRequirementVli,
        L::CouponInvalidSecondPurchaseRequirementLength,
        L::CouponTruncatedSecondPurchaseRequirement,
    ],
    code: [
        L::CouponMissingSecondPurchaseRequirementCode,
        L::CouponInvalidSecondPurchaseRequirementCode,
    ],
    family: L::CouponTruncatedSecondPurchaseFamilyCode,
    company_prefix: Some([
        L::CouponMissingSecondPurchaseGcpVli,
        L::CouponInvalidSecondPurchaseGcpLength,
        L::CouponTruncatedSecondPurchaseGcp,
    ]),
};

const THIRD: Purchase = Purchase {
    requirement: [
        L::CouponMissingThirdPurchaseRequirementVli,
        L::CouponInvalidThirdPurchaseRequirementLength,
        L::CouponTruncatedThirdPurchaseRequirement,
    ],
    code: [
        L::CouponMissingThirdPurchaseRequirementCode,
        L::CouponInvalidThirdPurchaseRequirementCode,
    ],
    family: L::CouponTruncatedThirdPurchaseFamilyCode,
    company_prefix: Some([
        L::CouponMissingThirdPurchaseGcpVli,
        L::CouponInvalidThirdPurchaseGcpLength,
        L::CouponTruncatedThirdPurchaseGcp,
    ]),
};

/// Reads from left to right. Invariant: `at <= data.len()`, and `data` is digits.
struct Coupon<'a> {
    data: &'a [u8],
    at: usize,
    lookups: Option<&'a dyn Lookups>,
}

impl<'a> Coupon<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.data[self.at..]
    }

    /// Skips the digit that introduces an optional block, if it is next.
    fn flag(&mut self, flag: u8) -> bool {
        let is_next = self.rest().first() == Some(&flag);
        self.at += usize::from(is_next);
        is_next
    }

    /// Parses one digit from `allowed`.
    fn code(&mut self, allowed: &[u8], [missing, invalid]: [L; 2]) -> Result<u8, LintFault> {
        let Some(&digit) = self.rest().first() else {
            return Err(LintFault::whole(missing, self.data));
        };
        if !allowed.contains(&digit) {
            return Err(LintFault::new(invalid, self.at, 1));
        }
        self.at += 1;
        Ok(digit)
    }

    /// Parses a field of `length` digits.
    fn fixed(&mut self, length: usize, truncated: L) -> Result<&'a [u8], LintFault> {
        let rest = self.rest();
        match rest.get(..length) {
            Some(field) => {
                self.at += length;
                Ok(field)
            }
            None if rest.is_empty() => Err(LintFault::whole(truncated, self.data)),
            None => Err(LintFault::new(truncated, self.at, rest.len())),
        }
    }

    /// Parses a length digit from `lengths`, then that many digits plus `more`.
    fn variable(
        &mut self,
        lengths: &[u8],
        more: usize,
        [missing, invalid, truncated]: [L; 3],
    ) -> Result<&'a [u8], LintFault> {
        let digit = self.code(lengths, [missing, invalid])?;
        self.fixed(usize::from(digit - b'0') + more, truncated)
    }

    fn company_prefix(&mut self, lengths: &[u8], wrong: [L; 3]) -> Lint {
        let field = self.variable(lengths, 6, wrong)?;
        let start = self.at - field.len();
        text::gcppos1(field, self.lookups).map_err(|fault| fault.shifted(start))
    }

    fn purchase(&mut self, purchase: &Purchase) -> Lint {
        self.variable(b"12345", 0, purchase.requirement)?;
        self.code(b"012349", purchase.code)?;
        self.fixed(3, purchase.family)?;
        match purchase.company_prefix {
            // Length 9 means that there is none.
            Some(_) if self.flag(b'9') => Ok(()),
            Some(wrong) => self.company_prefix(b"0123456", wrong),
            None => Ok(()),
        }
    }

    /// Parses expiration and start, both optional; the start must not be after the expiration.
    fn period(&mut self) -> Lint {
        let block = self.at;
        let mut expiration = None;
        if self.flag(b'3') {
            let wrong = [L::CouponTooShortForExpirationDate, L::CouponInvalidExpirationDate];
            expiration = Some(self.date(wrong)?);
        }
        if self.flag(b'4') {
            let start = self.date([L::CouponTooShortForStartDate, L::CouponInvalidStartDate])?;
            if expiration.is_some_and(|expiration| expiration < start) {
                let length = self.at - block;
                return Err(LintFault::new(L::CouponExpirationBeforeStart, block, length));
            }
        }
        Ok(())
    }

    fn date(&mut self, [short, invalid]: [L; 2]) -> Result<&'a [u8], LintFault> {
        let date = self.fixed(6, short)?;
        let fault = LintFault::new(invalid, self.at - date.len(), date.len());
        dates::yymmdd(date).map_err(|_| fault)?;
        Ok(date)
    }

    fn serial_number(&mut self) -> Lint {
        // Any digit is a length, so the second code cannot occur.
        let missing = L::CouponMissingSerialNumberVli;
        let wrong = [missing, missing, L::CouponTruncatedSerialNumber];
        self.variable(b"0123456789", 6, wrong).map(|_| ())
    }

    fn end(&self) -> Lint {
        match self.rest() {
            [] => Ok(()),
            rest => Err(LintFault::new(L::CouponExcessData, self.at, rest.len())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(data: &[u8]) -> Option<(L, usize, usize)> {
        couponcode(data, None).err().map(|fault| (fault.error, fault.start, fault.length))
    }

    #[test]
    fn the_period_must_not_be_empty() {
        // GS1-LINT-18: the first 21 digits are a complete coupon.
        let with = |rest: &[u8]| fault(&[b"012345612345611110123", rest].concat());
        assert_eq!(with(b"32512314251230"), None);
        assert_eq!(with(b"32512304251231"), Some((L::CouponExpirationBeforeStart, 21, 14)));
        assert_eq!(with(b"3251331"), Some((L::CouponInvalidExpirationDate, 22, 6)));
        assert_eq!(with(b"32513"), Some((L::CouponTooShortForExpirationDate, 22, 4)));
        assert_eq!(with(b"4"), Some((L::CouponTooShortForStartDate, 0, 22)));
        assert_eq!(with(b"42512304"), Some((L::CouponExcessData, 28, 1)));
        assert_eq!(with(b"90002"), Some((L::CouponInvalidDontMultiplyFlag, 25, 1)));
    }
}
