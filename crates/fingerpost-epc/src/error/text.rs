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
        ErrorKind::BadEscape => f.write_str("expected % and two hexadecimal digits of a permitted character, found something else"),
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
        ErrorKind::Empty => ("Empty", "give the bits as hexadecimal or base64url text"),
        ErrorKind::InvalidHex => {
            ("InvalidHex", "use 0 to 9 and a to f; in a web address lower case only")
        }
        ErrorKind::InvalidBase64 => {
            ("InvalidBase64", "use A to Z, a to z, 0 to 9, - and _, without =")
        }
        ErrorKind::NotAnEpcSegment => {
            ("NotAnEpcSegment", "put eh before hexadecimal or ex before base64url text")
        }
        ErrorKind::Truncated { .. } => ("Truncated", "read the whole EPC memory bank of the tag"),
        ErrorKind::ReservedHeader { .. } => (
            "ReservedHeader",
            "the tag is not programmed with an EPC, or the data do not start at its header",
        ),
        ErrorKind::NonZeroPadding => ("NonZeroPadding", "cut the data at the end of the EPC"),
        ErrorKind::ReservedBitsNotZero => ("ReservedBitsNotZero", "the tag was programmed wrongly"),
        ErrorKind::BadPartition => ("BadPartition", "the tag was programmed wrongly"),
        ErrorKind::GcpOverflow { .. } => ("GcpOverflow", "the tag was programmed wrongly"),
        ErrorKind::ReferenceOverflow { .. } => {
            ("ReferenceOverflow", "the tag was programmed wrongly")
        }
        ErrorKind::SerialOverflow { .. } => ("SerialOverflow", "use a smaller serial number"),
        ErrorKind::OutOfRange { .. } => {
            ("OutOfRange", "use a smaller number, or a scheme with more room")
        }
        ErrorKind::Overflow { .. } => ("Overflow", "use a scheme with a longer serial number"),
        ErrorKind::BadNumericString => ("BadNumericString", "the tag was programmed wrongly"),
        ErrorKind::EmptyValue => ("EmptyValue", "give at least one character"),
        ErrorKind::MissingSerial => {
            ("MissingSerial", "an EPC names one object: give its serial number")
        }
        ErrorKind::TooLong { .. } => {
            ("TooLong", "shorten the value, or use a scheme with more room")
        }
        ErrorKind::BadCharacter => ("BadCharacter", "remove the character"),
        ErrorKind::DataAfterTerminator => ("DataAfterTerminator", "the tag was programmed wrongly"),
        ErrorKind::BadCage => ("BadCage", "correct the code"),
        ErrorKind::BadDigitNibble { .. } => ("BadDigitNibble", "the tag was programmed wrongly"),
        ErrorKind::DecimalOverflow { .. } => ("DecimalOverflow", "the tag was programmed wrongly"),
        ErrorKind::BadCode40 => ("BadCode40", "the tag was programmed wrongly"),
        ErrorKind::ReservedEncodingIndicator { .. } => {
            ("ReservedEncodingIndicator", "the tag was programmed wrongly, or by a later standard")
        }
        ErrorKind::BadDate => ("BadDate", "correct the date; DD may be 00"),
        ErrorKind::BadTime => ("BadTime", "correct hours, minutes and seconds"),
        ErrorKind::BadSeq => ("BadSeq", "correct the sequence, as in 1/2"),
        ErrorKind::ReservedDateType { .. } => {
            ("ReservedDateType", "the tag was programmed wrongly, or by a later standard")
        }
        ErrorKind::EmptyHostname => {
            ("EmptyHostname", "give the host name of the brand's web address")
        }
        ErrorKind::HostnameLength => ("HostnameLength", "use a shorter host name"),
        ErrorKind::ReservedHostnameSequence => {
            ("ReservedHostnameSequence", "the tag was programmed wrongly, or by a later standard")
        }
        ErrorKind::BadHostname => ("BadHostname", "give a host name such as id.example.com"),
        ErrorKind::ReservedAidcHeader => {
            ("ReservedAidcHeader", "the tag was programmed wrongly, or by a later standard")
        }
        ErrorKind::UnknownAi => ("UnknownAi", "leave the Application Identifier out"),
        ErrorKind::DuplicateAi => ("DuplicateAi", "keep one of the values"),
        ErrorKind::BadCheckDigit { .. } => ("BadCheckDigit", "correct the mistyped digit"),
        ErrorKind::NoDigitalLink => {
            ("NoDigitalLink", "GID, USDOD, ADI, BIC and IMO numbers have no Digital Link")
        }
        ErrorKind::BadUrnSyntax => {
            ("BadUrnSyntax", "write it like urn:epc:id:sgtin:9506000.134352.6789")
        }
        ErrorKind::UnknownScheme => {
            ("UnknownScheme", "use a scheme of the EPC Tag Data Standard, in lower case")
        }
        ErrorKind::BadGcpLength => {
            ("BadGcpLength", "pad a shorter prefix with the next digits of the key")
        }
        ErrorKind::BadRefLength { .. } => ("BadRefLength", "check where the dot stands"),
        ErrorKind::BadDigits => ("BadDigits", "use the digits 0 to 9 only"),
        ErrorKind::LeadingZero => {
            ("LeadingZero", "use a scheme with a longer serial number: it keeps zeros")
        }
        ErrorKind::MustEscape => ("MustEscape", "write it as % and two hexadecimal digits"),
        ErrorKind::BadEscape => ("BadEscape", "correct the percent-encoding"),
        ErrorKind::BadFilter { .. } => ("BadFilter", "correct the filter value"),
        ErrorKind::BadPattern => {
            ("BadPattern", "replace the components after the first star by stars")
        }
        ErrorKind::GcpLengthRequired => (
            "GcpLengthRequired",
            "give the number of digits (6 to 12) or a table of company prefixes",
        ),
        ErrorKind::RestrictedPrefix => {
            ("RestrictedPrefix", "restricted numbers, coupons and ISSN have no EPC")
        }
        ErrorKind::NoEpc => (
            "NoEpc",
            "give a key with its serial number, without other elements, or choose a scheme with +",
        ),
        ErrorKind::Value(error) => (error.code(), error.hint()),
    }
}
