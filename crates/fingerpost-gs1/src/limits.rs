//! The limits of this crate. `docs/operations/limits.md` lists them.

/// Bytes of an input that a message shows: enough to recognise it, too few to flood a log.
pub(crate) const MAX_SHOWN_INPUT: usize = 32;

/// Pairs in a valid path: a GTIN with variant, lot and serial number.
pub(crate) const MAX_PAIRS: usize = 4;

/// Bytes of a URI to parse or write: the limit of GS1's own software.
pub(crate) const MAX_URI_BYTES: usize = 8191;

/// Bytes of a wrong scheme that an error points at.
pub(crate) const MAX_SHOWN_SCHEME: usize = 16;

/// Digits that a length field of a compressed URI can specify.
pub(crate) const MAX_DIGITS: usize = 127;

/// Trailing bits of a compressed URI. Writers leave at most five.
pub(crate) const MAX_PADDING: usize = 8;

/// Characters of a key or value of an extension pair.
pub(crate) const MAX_EXTENSION_TEXT: usize = 127;

/// Minimum number of characters of a fully compressed URI (RE2 of GS1 Digital Link URI Syntax
/// 1.4.1, section 6.1.2).
pub(crate) const MIN_COMPRESSED: usize = 10;

/// Components of the value of an Application Identifier.
pub(crate) const MAX_PARTS: usize = 5;

/// Minimum number of digits of a GS1 Company Prefix.
pub(crate) const MIN_PREFIX_DIGITS: usize = 4;

/// Elements in one string: the limit of the GS1 Barcode Syntax Engine.
pub(crate) const MAX_ELEMENTS: usize = 64;

/// Bytes of an element string to parse: the limit of the GS1 Barcode Syntax Engine. 64 elements of
/// 90 characters fit.
pub(crate) const MAX_INPUT: usize = 8191;

/// Bytes of an `EntityKey`: an ITIP with a variant, a lot and a serial number of 20 encoded
/// characters each.
pub(crate) const MAX_KEY_BYTES: usize = 215;
