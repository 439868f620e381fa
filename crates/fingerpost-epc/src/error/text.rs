//! Codes, messages and hints of errors.

use core::fmt;

use super::ErrorKind;

/// Writes the expected and the found content.
pub(super) fn write(f: &mut fmt::Formatter<'_>, kind: ErrorKind) -> fmt::Result {
    match kind {
        ErrorKind::Empty => f.write_str("expected data, found none"),
        ErrorKind::InvalidHex => f.write_str("expected hexadecimal digits, found another character"),
        ErrorKind::InvalidBase64 => f.write_str("expected base64url characters, found another one"),
        ErrorKind::NotAnEpcSegment => f.write_str("expected a segment that starts with eh or ex, found another one"),
        ErrorKind::Truncated { needed, found } => write!(f, "expected {needed} bits, found {found}"),
        ErrorKind::ReservedHeader { header } => write!(f, "expected the header of an EPC scheme, found {header:02X}"),
        ErrorKind::NonZeroPadding => f.write_str("expected only zero bits after the EPC, found others"),
        ErrorKind::ReservedBitsNotZero => f.write_str("expected 24 zero bits at the end, found others"),
        ErrorKind::BadPartition => f.write_str("expected a partition from 0 to 6, found 7"),
        ErrorKind::GcpOverflow { digits } => write!(f, "expected a company prefix of {digits} digits, found a larger number"),
        ErrorKind::ReferenceOverflow { digits } => write!(f, "expected a reference of at most {digits} digits, found a larger number"),
        ErrorKind::SerialOverflow { max } => write!(f, "expected a serial number of at most {max}, found a larger one"),
        ErrorKind::OutOfRange { max } => write!(f, "expected at most {max}, found more"),
        ErrorKind::Overflow { bits } => write!(f, "expected a number that fits into {bits} bits, found a larger one"),
        ErrorKind::BadNumericString => f.write_str("expected a digit 1 before the digits of the serial number, found something else"),
        ErrorKind::EmptyValue => f.write_str("expected a value, found nothing"),
        ErrorKind::MissingSerial => f.write_str("expected a serial component, found none"),
        ErrorKind::TooLong { max } => write!(f, "expected at most {max} characters, found more"),
        ErrorKind::BadCharacter => f.write_str("expected a character of the scheme's set, found another one"),
        ErrorKind::DataAfterTerminator => f.write_str("expected zero bits after the end of the text, found others"),
        ErrorKind::BadCage => f.write_str("expected a CAGE code or DoDAAC of 5 or 6 characters without I and O, found something else"),
        ErrorKind::BadDigitNibble { nibble } => write!(f, "expected a digit, found the four bits {nibble:04b}"),
        ErrorKind::DecimalOverflow { digits } => write!(f, "expected a number of {digits} digits, found a larger one"),
        ErrorKind::BadCode40 => f.write_str("expected URN Code 40, found another number"),
        ErrorKind::ReservedEncodingIndicator { indicator } => write!(f, "expected an encoding indicator from 0 to 5, found {indicator}"),
        ErrorKind::BadDate => f.write_str("expected a date as YYMMDD, found something else"),
        ErrorKind::BadTime => f.write_str("expected a time of day, found something else"),
        ErrorKind::BadSeq => f.write_str("expected two digits from 1 to 9, found something else"),
        ErrorKind::ReservedDateType { date_type } => write!(f, "expected a date type from 0 to 6, found {date_type}"),
        ErrorKind::EmptyHostname => f.write_str("expected a host name, found nothing"),
        ErrorKind::HostnameLength => f.write_str("expected a host name of 1 to 63 units, found another length"),
        ErrorKind::ReservedHostnameSequence => f.write_str("expected an assigned sequence, found a reserved one"),
        ErrorKind::BadHostname => f.write_str("expected letters, digits, hyphens and dots, found something else"),
        ErrorKind::ReservedAidcHeader => f.write_str("expected an Application Identifier, found reserved bits"),
        ErrorKind::UnknownAi => f.write_str("expected an Application Identifier that an EPC can carry, found another one"),
        ErrorKind::DuplicateAi => f.write_str("expected one value for each Application Identifier, found two"),
        ErrorKind::BadCheckDigit { found, expected } => {
            write!(f, "check digit is {}, expected {}", char::from(found), char::from(expected))
        }
        ErrorKind::NoDigitalLink => f.write_str("EPCs of this scheme have no GS1 key"),
        ErrorKind::BadUrnSyntax => f.write_str("expected an EPC URN, found something else"),
        ErrorKind::UnknownScheme => f.write_str("expected the name of an EPC scheme, found another one"),
        ErrorKind::BadGcpLength => f.write_str("expected a company prefix of 6 to 12 digits, found another length"),
        ErrorKind::BadRefLength { expected } => write!(f, "expected {expected} digits in company prefix and reference, found another number"),
        ErrorKind::BadDigits => f.write_str("expected digits, found something else"),
        ErrorKind::LeadingZero => f.write_str("expected a number without leading zero, found one"),
        ErrorKind::MustEscape => f.write_str("expected the character percent-encoded, found it as itself"),
        ErrorKind::BadEscape => f.write_str("expected % and two hexadecimal digits, found something else"),
        ErrorKind::BadFilter { max } => write!(f, "expected a filter value from 0 to {max}, found something else"),
        ErrorKind::BadPattern => f.write_str("expected stars only from some component to the end, found another order"),
        ErrorKind::GcpLengthRequired => f.write_str("the length of the company prefix is required"),
        ErrorKind::RestrictedPrefix => f.write_str("a GTIN of a restricted range cannot be an EPC"),
        ErrorKind::NoEpc => f.write_str("the elements do not make an EPC of this scheme"),
        ErrorKind::Value(error) => write!(f, "{error}"),
    }
}

/// Returns the stable code of a kind, and its hint.
pub(super) fn code_and_hint(kind: ErrorKind) -> (&'static str, &'static str) {
    match kind {
        ErrorKind::Empty => ("EMPTY", "give the bits as hexadecimal or base64url text"),
        ErrorKind::InvalidHex => {
            ("INVALID_HEX", "use 0 to 9 and a to f; in a web address lower case only")
        }
        ErrorKind::InvalidBase64 => {
            ("INVALID_BASE64", "use A to Z, a to z, 0 to 9, - and _, without =")
        }
        ErrorKind::NotAnEpcSegment => {
            ("NOT_AN_EPC_SEGMENT", "put eh before hexadecimal or ex before base64url text")
        }
        ErrorKind::Truncated { .. } => ("TRUNCATED", "read the whole EPC memory bank of the tag"),
        ErrorKind::ReservedHeader { .. } => (
            "RESERVED_HEADER",
            "the tag is not programmed with an EPC, or the data do not start at its header",
        ),
        ErrorKind::NonZeroPadding => ("NON_ZERO_PADDING", "cut the data at the end of the EPC"),
        ErrorKind::ReservedBitsNotZero => {
            ("RESERVED_BITS_NOT_ZERO", "the tag was programmed wrongly")
        }
        ErrorKind::BadPartition => ("BAD_PARTITION", "the tag was programmed wrongly"),
        ErrorKind::GcpOverflow { .. } => ("GCP_OVERFLOW", "the tag was programmed wrongly"),
        ErrorKind::ReferenceOverflow { .. } => {
            ("REFERENCE_OVERFLOW", "the tag was programmed wrongly")
        }
        ErrorKind::SerialOverflow { .. } => ("SERIAL_OVERFLOW", "use a smaller serial number"),
        ErrorKind::OutOfRange { .. } => {
            ("OUT_OF_RANGE", "use a smaller number, or a scheme with more room")
        }
        ErrorKind::Overflow { .. } => ("OVERFLOW", "use a scheme with a longer serial number"),
        ErrorKind::BadNumericString => ("BAD_NUMERIC_STRING", "the tag was programmed wrongly"),
        ErrorKind::EmptyValue => ("EMPTY_VALUE", "give at least one character"),
        ErrorKind::MissingSerial => {
            ("MISSING_SERIAL", "an EPC names one object: give its serial number")
        }
        ErrorKind::TooLong { .. } => {
            ("TOO_LONG", "shorten the value, or use a scheme with more room")
        }
        ErrorKind::BadCharacter => ("BAD_CHARACTER", "remove the character"),
        ErrorKind::DataAfterTerminator => {
            ("DATA_AFTER_TERMINATOR", "the tag was programmed wrongly")
        }
        ErrorKind::BadCage => ("BAD_CAGE", "correct the code"),
        ErrorKind::BadDigitNibble { .. } => ("BAD_DIGIT_NIBBLE", "the tag was programmed wrongly"),
        ErrorKind::DecimalOverflow { .. } => ("DECIMAL_OVERFLOW", "the tag was programmed wrongly"),
        ErrorKind::BadCode40 => ("BAD_CODE40", "the tag was programmed wrongly"),
        ErrorKind::ReservedEncodingIndicator { .. } => (
            "RESERVED_ENCODING_INDICATOR",
            "the tag was programmed wrongly, or by a later standard",
        ),
        ErrorKind::BadDate => ("BAD_DATE", "correct the date; DD may be 00"),
        ErrorKind::BadTime => ("BAD_TIME", "correct hours, minutes and seconds"),
        ErrorKind::BadSeq => ("BAD_SEQ", "correct the sequence, as in 1/2"),
        ErrorKind::ReservedDateType { .. } => {
            ("RESERVED_DATE_TYPE", "the tag was programmed wrongly, or by a later standard")
        }
        ErrorKind::EmptyHostname => {
            ("EMPTY_HOSTNAME", "give the host name of the brand's web address")
        }
        ErrorKind::HostnameLength => ("HOSTNAME_LENGTH", "use a shorter host name"),
        ErrorKind::ReservedHostnameSequence => {
            ("RESERVED_HOSTNAME_SEQUENCE", "the tag was programmed wrongly, or by a later standard")
        }
        ErrorKind::BadHostname => ("BAD_HOSTNAME", "give a host name such as id.example.com"),
        ErrorKind::ReservedAidcHeader => {
            ("RESERVED_AIDC_HEADER", "the tag was programmed wrongly, or by a later standard")
        }
        ErrorKind::UnknownAi => ("UNKNOWN_AI", "leave the Application Identifier out"),
        ErrorKind::DuplicateAi => ("DUPLICATE_AI", "keep one of the values"),
        ErrorKind::BadCheckDigit { .. } => ("BAD_CHECK_DIGIT", "correct the mistyped digit"),
        ErrorKind::NoDigitalLink => {
            ("NO_DIGITAL_LINK", "GID, USDOD, ADI, BIC and IMO numbers have no Digital Link")
        }
        ErrorKind::BadUrnSyntax => {
            ("BAD_URN_SYNTAX", "write it like urn:epc:id:sgtin:9506000.134352.6789")
        }
        ErrorKind::UnknownScheme => {
            ("UNKNOWN_SCHEME", "use a scheme of the EPC Tag Data Standard, in lower case")
        }
        ErrorKind::BadGcpLength => {
            ("BAD_GCP_LENGTH", "pad a shorter prefix with the next digits of the key")
        }
        ErrorKind::BadRefLength { .. } => ("BAD_REF_LENGTH", "check where the dot stands"),
        ErrorKind::BadDigits => ("BAD_DIGITS", "use the digits 0 to 9 only"),
        ErrorKind::LeadingZero => {
            ("LEADING_ZERO", "use a scheme with a longer serial number: it keeps zeros")
        }
        ErrorKind::MustEscape => ("MUST_ESCAPE", "write it as % and two hexadecimal digits"),
        ErrorKind::BadEscape => ("BAD_ESCAPE", "correct the percent-encoding"),
        ErrorKind::BadFilter { .. } => ("BAD_FILTER", "correct the filter value"),
        ErrorKind::BadPattern => {
            ("BAD_PATTERN", "replace the components after the first star by stars")
        }
        ErrorKind::GcpLengthRequired => (
            "GCP_LENGTH_REQUIRED",
            "give the number of digits (6 to 12) or a table of company prefixes",
        ),
        ErrorKind::RestrictedPrefix => {
            ("RESTRICTED_PREFIX", "restricted numbers, coupons and ISSN have no EPC")
        }
        ErrorKind::NoEpc => (
            "NO_EPC",
            "give a key with its serial number, without other elements, or choose a scheme with +",
        ),
        ErrorKind::Value(error) => (error.code(), error.hint()),
    }
}
