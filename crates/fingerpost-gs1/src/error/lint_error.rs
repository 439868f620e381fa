//! The 117 content rules for values (linters of the GS1 Barcode Syntax Dictionary).

/// Generates the enum from rows of name, code, beginning and end of the error message.
macro_rules! lint_errors {
    ($(#[$doc:meta])* pub enum LintError; $($name:ident = $code:literal, $shape:expr, $expected:literal;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum LintError {
            $(#[doc = concat!("`", $code, "`: expected ", $expected, ".")] $name,)*
        }

        impl LintError {
            /// Every rule, in the order of the dictionary.
            pub const ALL: &'static [LintError] = &[$(LintError::$name),*];

            /// Returns the stable code, such as `L_INCORRECT_CHECK_DIGIT`.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(LintError::$name => $code,)* }
            }

            /// Returns the requirement of the rule, for error messages.
            pub(super) const fn expected(self) -> &'static str {
                match self { $(LintError::$name => $expected,)* }
            }

            /// Returns the beginning of the error message.
            pub(super) const fn shape(self) -> Shape {
                match self { $(LintError::$name => $shape,)* }
            }
        }
    };
}

/// The way an error message refers to the position.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// A part of the value by its name: `month of (11) is "13"`.
    Is(&'static str),
    /// One character by its position: `character 3 of (01) is "A"`.
    Character,
    /// The value stops before a part: `value of (8110) ends too early`.
    EndsBefore,
}

use Shape::{Character, EndsBefore, Is};

lint_errors! {
    /// A content rule violated by a value. [`LintError::code`] is its name in the dictionary.
    pub enum LintError;
    NonDigitCharacter = "L_NON_DIGIT_CHARACTER", Character, "a digit";
    InvalidCset82Character = "L_INVALID_CSET82_CHARACTER", Character, "one of the 82 characters of CSET 82";
    InvalidCset39Character = "L_INVALID_CSET39_CHARACTER", Character, "one of the 39 characters of CSET 39";
    InvalidCset32Character = "L_INVALID_CSET32_CHARACTER", Character, "one of the 32 characters of CSET 32";
    IncorrectCheckDigit = "L_INCORRECT_CHECK_DIGIT", Is("check digit"), "the one computed from the digits before it";
    TooShortForCheckDigit = "L_TOO_SHORT_FOR_CHECK_DIGIT", Is("value"), "a number with a check digit";
    IncorrectCheckPair = "L_INCORRECT_CHECK_PAIR", Is("check pair"), "the one computed from the characters before it";
    TooShortForCheckPair = "L_TOO_SHORT_FOR_CHECK_PAIR", Is("value"), "at least the two check characters";
    TooLongForCheckPairImplementation = "L_TOO_LONG_FOR_CHECK_PAIR_IMPLEMENTATION", Is("value"), "at most 99 characters";
    GcpDatasourceOffline = "L_GCP_DATASOURCE_OFFLINE", Is("company prefix"), "an answer from the list of company prefixes";
    InvalidGcpPrefix = "L_INVALID_GCP_PREFIX", Is("company prefix"), "a GS1 company prefix, which starts with four digits";
    ImporterIdxMustBeOneCharacter = "L_IMPORTER_IDX_MUST_BE_ONE_CHARACTER", Is("importer index"), "exactly one character";
    InvalidImportIdxCharacter = "L_INVALID_IMPORT_IDX_CHARACTER", Is("importer index"), "a letter, a digit, - or _";
    IllegalZeroValue = "L_ILLEGAL_ZERO_VALUE", Is("number"), "a number other than zero";
    NotZero = "L_NOT_ZERO", Is("filler"), "zero";
    IllegalZeroPrefix = "L_ILLEGAL_ZERO_PREFIX", Is("number"), "no leading zero";
    NotZeroOrOne = "L_NOT_ZERO_OR_ONE", Is("flag"), "0 or 1";
    InvalidWindingDirection = "L_INVALID_WINDING_DIRECTION", Is("winding direction"), "0, 1 or 9";
    NotIso3166 = "L_NOT_ISO3166", Is("country"), "an ISO 3166 numeric code";
    NotIso3166Or999 = "L_NOT_ISO3166_OR_999", Is("country"), "an ISO 3166 numeric code or 999";
    NotIso3166Alpha2 = "L_NOT_ISO3166_ALPHA2", Is("country"), "an ISO 3166 code of two capitals";
    NotIso4217 = "L_NOT_ISO4217", Is("currency"), "an ISO 4217 numeric code";
    IbanTooShort = "L_IBAN_TOO_SHORT", Is("IBAN"), "at least 11 characters";
    InvalidIbanCharacter = "L_INVALID_IBAN_CHARACTER", Character, "a digit or capital";
    IllegalIbanCountryCode = "L_ILLEGAL_IBAN_COUNTRY_CODE", Is("country of the IBAN"), "an ISO 3166 code of two capitals";
    IncorrectIbanChecksum = "L_INCORRECT_IBAN_CHECKSUM", Is("checksum of the IBAN"), "the one computed from the account number";
    DateTooShort = "L_DATE_TOO_SHORT", Is("date"), "all digits of a date";
    DateTooLong = "L_DATE_TOO_LONG", Is("date"), "only the digits of a date";
    HourWithMinuteTooShort = "L_HOUR_WITH_MINUTE_TOO_SHORT", Is("time"), "four digits";
    HourWithMinuteTooLong = "L_HOUR_WITH_MINUTE_TOO_LONG", Is("time"), "four digits";
    IllegalMonth = "L_ILLEGAL_MONTH", Is("month"), "01 to 12";
    IllegalDay = "L_ILLEGAL_DAY", Is("day"), "a day of that month";
    IllegalHour = "L_ILLEGAL_HOUR", Is("hour"), "00 to 23";
    IllegalMinute = "L_ILLEGAL_MINUTE", Is("minute"), "00 to 59";
    IllegalSecond = "L_ILLEGAL_SECOND", Is("second"), "00 to 59";
    InvalidLengthForPieceOfTotal = "L_INVALID_LENGTH_FOR_PIECE_OF_TOTAL", Is("piece of total"), "two numbers of the same length";
    ZeroPieceNumber = "L_ZERO_PIECE_NUMBER", Is("piece number"), "1 or more";
    ZeroTotalPieces = "L_ZERO_TOTAL_PIECES", Is("total of pieces"), "1 or more";
    PieceNumberExceedsTotal = "L_PIECE_NUMBER_EXCEEDS_TOTAL", Is("piece of total"), "a piece number up to the total";
    InvalidPercentSequence = "L_INVALID_PERCENT_SEQUENCE", Is("percent sequence"), "two hexadecimal digits after the percent sign";
    CouponMissingFormatCode = "L_COUPON_MISSING_FORMAT_CODE", EndsBefore, "a format code";
    CouponInvalidFormatCode = "L_COUPON_INVALID_FORMAT_CODE", Is("format code"), "0 or 1";
    CouponMissingFunderVli = "L_COUPON_MISSING_FUNDER_VLI", EndsBefore, "the length digit of the funder";
    CouponInvalidFunderLength = "L_COUPON_INVALID_FUNDER_LENGTH", Is("length digit of the funder"), "0 to 6";
    CouponTruncatedFunder = "L_COUPON_TRUNCATED_FUNDER", EndsBefore, "a complete funder";
    CouponTruncatedOfferCode = "L_COUPON_TRUNCATED_OFFER_CODE", EndsBefore, "a complete offer code";
    CouponMissingSerialNumberVli = "L_COUPON_MISSING_SERIAL_NUMBER_VLI", EndsBefore, "the length digit of the serial number";
    CouponTruncatedSerialNumber = "L_COUPON_TRUNCATED_SERIAL_NUMBER", EndsBefore, "a complete serial number";
    CouponMissingGcpVli = "L_COUPON_MISSING_GCP_VLI", EndsBefore, "the length digit of the company prefix";
    CouponInvalidGcpLength = "L_COUPON_INVALID_GCP_LENGTH", Is("length digit of the company prefix"), "0 to 6";
    CouponTruncatedGcp = "L_COUPON_TRUNCATED_GCP", EndsBefore, "a complete company prefix";
    CouponMissingSaveValueVli = "L_COUPON_MISSING_SAVE_VALUE_VLI", EndsBefore, "the length digit of the save value";
    CouponInvalidSaveValueLength = "L_COUPON_INVALID_SAVE_VALUE_LENGTH", Is("length digit of the save value"), "1 to 5";
    CouponTruncatedSaveValue = "L_COUPON_TRUNCATED_SAVE_VALUE", EndsBefore, "a complete save value";
    CouponMissingFirstPurchaseRequirementVli = "L_COUPON_MISSING_1ST_PURCHASE_REQUIREMENT_VLI", EndsBefore, "the length digit of the first purchase requirement";
    CouponInvalidFirstPurchaseRequirementLength = "L_COUPON_INVALID_1ST_PURCHASE_REQUIREMENT_LENGTH", Is("length digit of the first purchase requirement"), "1 to 5";
    CouponTruncatedFirstPurchaseRequirement = "L_COUPON_TRUNCATED_1ST_PURCHASE_REQUIREMENT", EndsBefore, "a complete first purchase requirement";
    CouponMissingFirstPurchaseRequirementCode = "L_COUPON_MISSING_1ST_PURCHASE_REQUIREMENT_CODE", EndsBefore, "a first purchase requirement code";
    CouponInvalidFirstPurchaseRequirementCode = "L_COUPON_INVALID_1ST_PURCHASE_REQUIREMENT_CODE", Is("first purchase requirement code"), "0 to 4 or 9";
    CouponTruncatedFirstPurchaseFamilyCode = "L_COUPON_TRUNCATED_1ST_PURCHASE_FAMILY_CODE", EndsBefore, "a complete first purchase family code";
    CouponMissingAdditionalPurchaseRulesCode = "L_COUPON_MISSING_ADDITIONAL_PURCHASE_RULES_CODE", EndsBefore, "an additional purchase rules code";
    CouponInvalidAdditionalPurchaseRulesCode = "L_COUPON_INVALID_ADDITIONAL_PURCHASE_RULES_CODE", Is("additional purchase rules code"), "0 to 3";
    CouponMissingSecondPurchaseRequirementVli = "L_COUPON_MISSING_2ND_PURCHASE_REQUIREMENT_VLI", EndsBefore, "the length digit of the second purchase requirement";
    CouponInvalidSecondPurchaseRequirementLength = "L_COUPON_INVALID_2ND_PURCHASE_REQUIREMENT_LENGTH", Is("length digit of the second purchase requirement"), "1 to 5";
    CouponTruncatedSecondPurchaseRequirement = "L_COUPON_TRUNCATED_2ND_PURCHASE_REQUIREMENT", EndsBefore, "a complete second purchase requirement";
    CouponMissingSecondPurchaseRequirementCode = "L_COUPON_MISSING_2ND_PURCHASE_REQUIREMENT_CODE", EndsBefore, "a second purchase requirement code";
    CouponInvalidSecondPurchaseRequirementCode = "L_COUPON_INVALID_2ND_PURCHASE_REQUIREMENT_CODE", Is("second purchase requirement code"), "0 to 4 or 9";
    CouponTruncatedSecondPurchaseFamilyCode = "L_COUPON_TRUNCATED_2ND_PURCHASE_FAMILY_CODE", EndsBefore, "a complete second purchase family code";
    CouponMissingSecondPurchaseGcpVli = "L_COUPON_MISSING_2ND_PURCHASE_GCP_VLI", EndsBefore, "the length digit of the second purchase company prefix";
    CouponInvalidSecondPurchaseGcpLength = "L_COUPON_INVALID_2ND_PURCHASE_GCP_LENGTH", Is("length digit of the second purchase company prefix"), "0 to 6 or 9";
    CouponTruncatedSecondPurchaseGcp = "L_COUPON_TRUNCATED_2ND_PURCHASE_GCP", EndsBefore, "a complete second purchase company prefix";
    CouponMissingThirdPurchaseRequirementVli = "L_COUPON_MISSING_3RD_PURCHASE_REQUIREMENT_VLI", EndsBefore, "the length digit of the third purchase requirement";
    CouponInvalidThirdPurchaseRequirementLength = "L_COUPON_INVALID_3RD_PURCHASE_REQUIREMENT_LENGTH", Is("length digit of the third purchase requirement"), "1 to 5";
    CouponTruncatedThirdPurchaseRequirement = "L_COUPON_TRUNCATED_3RD_PURCHASE_REQUIREMENT", EndsBefore, "a complete third purchase requirement";
    CouponMissingThirdPurchaseRequirementCode = "L_COUPON_MISSING_3RD_PURCHASE_REQUIREMENT_CODE", EndsBefore, "a third purchase requirement code";
    CouponInvalidThirdPurchaseRequirementCode = "L_COUPON_INVALID_3RD_PURCHASE_REQUIREMENT_CODE", Is("third purchase requirement code"), "0 to 4 or 9";
    CouponTruncatedThirdPurchaseFamilyCode = "L_COUPON_TRUNCATED_3RD_PURCHASE_FAMILY_CODE", EndsBefore, "a complete third purchase family code";
    CouponMissingThirdPurchaseGcpVli = "L_COUPON_MISSING_3RD_PURCHASE_GCP_VLI", EndsBefore, "the length digit of the third purchase company prefix";
    CouponInvalidThirdPurchaseGcpLength = "L_COUPON_INVALID_3RD_PURCHASE_GCP_LENGTH", Is("length digit of the third purchase company prefix"), "0 to 6 or 9";
    CouponTruncatedThirdPurchaseGcp = "L_COUPON_TRUNCATED_3RD_PURCHASE_GCP", EndsBefore, "a complete third purchase company prefix";
    CouponTooShortForExpirationDate = "L_COUPON_TOO_SHORT_FOR_EXPIRATION_DATE", EndsBefore, "an expiration date of six digits";
    CouponInvalidExpirationDate = "L_COUPON_INVALID_EXPIRATION_DATE", Is("expiration date of the coupon"), "a date as YYMMDD";
    CouponTooShortForStartDate = "L_COUPON_TOO_SHORT_FOR_START_DATE", EndsBefore, "a start date of six digits";
    CouponInvalidStartDate = "L_COUPON_INVALID_START_DATE", Is("start date of the coupon"), "a date as YYMMDD";
    CouponExpirationBeforeStart = "L_COUPON_EXPIRATION_BEFORE_START", Is("period of the coupon"), "a start not after the expiration";
    CouponMissingRetailerGcpOrGlnVli = "L_COUPON_MISSING_RETAILER_GCP_OR_GLN_VLI", EndsBefore, "the length digit of the retailer";
    CouponInvalidRetailerGcpOrGlnLength = "L_COUPON_INVALID_RETAILER_GCP_OR_GLN_LENGTH", Is("length digit of the retailer"), "1 to 7";
    CouponTruncatedRetailerGcpOrGln = "L_COUPON_TRUNCATED_RETAILER_GCP_OR_GLN", EndsBefore, "a complete retailer";
    CouponMissingSaveValueCode = "L_COUPON_MISSING_SAVE_VALUE_CODE", EndsBefore, "a save value code";
    CouponInvalidSaveValueCode = "L_COUPON_INVALID_SAVE_VALUE_CODE", Is("save value code"), "0, 1, 2, 5 or 6";
    CouponMissingSaveValueAppliesToItem = "L_COUPON_MISSING_SAVE_VALUE_APPLIES_TO_ITEM", EndsBefore, "an applies-to-item digit";
    CouponInvalidSaveValueAppliesToItem = "L_COUPON_INVALID_SAVE_VALUE_APPLIES_TO_ITEM", Is("applies-to-item digit"), "0 to 2";
    CouponMissingStoreCouponFlag = "L_COUPON_MISSING_STORE_COUPON_FLAG", EndsBefore, "a store coupon flag";
    CouponMissingDontMultiplyFlag = "L_COUPON_MISSING_DONT_MULTIPLY_FLAG", EndsBefore, "a don't-multiply flag";
    CouponInvalidDontMultiplyFlag = "L_COUPON_INVALID_DONT_MULTIPLY_FLAG", Is("don't-multiply flag"), "0 or 1";
    CouponExcessData = "L_COUPON_EXCESS_DATA", Is("rest"), "the end of the coupon data";
    InvalidLatitude = "L_INVALID_LATITUDE", Is("latitude"), "at most 1800000000";
    InvalidLongitude = "L_INVALID_LONGITUDE", Is("longitude"), "at most 3600000000";
    InvalidMediaType = "L_INVALID_MEDIA_TYPE", Is("media type"), "01 to 10 or 80 to 99";
    LatitudeInvalidLength = "L_LATITUDE_INVALID_LENGTH", Is("latitude"), "ten digits";
    LongitudeInvalidLength = "L_LONGITUDE_INVALID_LENGTH", Is("longitude"), "ten digits";
    InvalidCset64Character = "L_INVALID_CSET64_CHARACTER", Character, "a letter, a digit, - or _";
    InvalidCset64Padding = "L_INVALID_CSET64_PADDING", Is("padding"), "at most two = in a length divisible by three";
    NotHyphen = "L_NOT_HYPHEN", Is("sign"), "a hyphen";
    InvalidBiologicalSexCode = "L_INVALID_BIOLOGICAL_SEX_CODE", Is("sex"), "0, 1, 2 or 9";
    PositionInSequenceMalformed = "L_POSITION_IN_SEQUENCE_MALFORMED", Is("position in sequence"), "digits, a slash, digits";
    PositionExceedsEnd = "L_POSITION_EXCEEDS_END", Is("position in sequence"), "a position up to the end";
    RequiresNonDigitCharacter = "L_REQUIRES_NON_DIGIT_CHARACTER", Is("value"), "at least one character other than a digit";
    HourTooShort = "L_HOUR_TOO_SHORT", Is("hour"), "two digits";
    HourTooLong = "L_HOUR_TOO_LONG", Is("hour"), "two digits";
    MinuteTooShort = "L_MINUTE_TOO_SHORT", Is("minute"), "two digits";
    MinuteTooLong = "L_MINUTE_TOO_LONG", Is("minute"), "two digits";
    SecondTooShort = "L_SECOND_TOO_SHORT", Is("second"), "two digits";
    SecondTooLong = "L_SECOND_TOO_LONG", Is("second"), "two digits";
    InvalidPackageType = "L_INVALID_PACKAGE_TYPE", Is("package type"), "a package type code";
    TooShortForGcp = "L_TOO_SHORT_FOR_GCP", Is("company prefix"), "at least four digits";
    IbanTooLong = "L_IBAN_TOO_LONG", Is("IBAN"), "at most 34 characters";
}

impl LintError {
    /// Returns advice in one line.
    #[must_use]
    pub fn hint(self) -> &'static str {
        use LintError as L;
        if self.code().starts_with("L_COUPON_") {
            return "compare with the coupon structure of the GS1 General Specifications";
        }
        match self {
            L::IncorrectCheckDigit | L::IncorrectCheckPair | L::IncorrectIbanChecksum => {
                "compare every character with the source; one is mistyped or two are swapped"
            }
            L::NonDigitCharacter
            | L::InvalidCset82Character
            | L::InvalidCset39Character
            | L::InvalidCset32Character
            | L::InvalidCset64Character
            | L::InvalidIbanCharacter
            | L::InvalidImportIdxCharacter => "remove or replace the character",
            L::InvalidGcpPrefix | L::TooShortForGcp => {
                "the key must start with the GS1 company prefix of its issuer"
            }
            L::GcpDatasourceOffline => "try again when the list of company prefixes is available",
            L::IllegalMonth | L::IllegalDay | L::DateTooShort | L::DateTooLong => {
                "write year, month and day with two digits each; only some dates allow day 00"
            }
            L::IllegalHour
            | L::IllegalMinute
            | L::IllegalSecond
            | L::HourTooShort
            | L::HourTooLong
            | L::MinuteTooShort
            | L::MinuteTooLong
            | L::SecondTooShort
            | L::SecondTooLong
            | L::HourWithMinuteTooShort
            | L::HourWithMinuteTooLong => {
                "write hours, minutes and seconds with two digits each, on the 24-hour clock"
            }
            L::NotIso3166
            | L::NotIso3166Or999
            | L::NotIso3166Alpha2
            | L::NotIso4217
            | L::InvalidPackageType
            | L::InvalidMediaType
            | L::IllegalIbanCountryCode => {
                "look the code up; code lists can be replaced when they are newer than this library"
            }
            L::InvalidPercentSequence => "write a percent sign of the text as %25",
            L::InvalidCset64Padding => "check the padding of the base64url text",
            _ => "correct the value",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_117_rules_have_distinct_codes() {
        // GS1-LINT-20: every linter error.
        assert_eq!(LintError::ALL.len(), 117);
        for (nth, lint) in LintError::ALL.iter().enumerate() {
            assert!(lint.code().starts_with("L_"));
            assert!(!lint.hint().is_empty() && !lint.expected().is_empty());
            assert!(LintError::ALL[..nth].iter().all(|other| other.code() != lint.code()));
        }
    }
}
