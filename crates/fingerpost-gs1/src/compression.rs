//! The compression of GS1 Digital Link 1.1: a URI whose elements are a string of URL-safe base64.
//!
//! ```text
//! https://example.com/01/09780345418913/21/12345        uncompressed
//! https://example.com/DBHKVAdpQgowOQ                    in full
//! https://example.com/01/09780345418913/IQUYHI          in part: the primary key stays readable
//! ```
//!
//! GS1 has withdrawn it, but codes made with it are in use. The document itself was not available:
//! this follows GS1's widely copied toolkit in JavaScript, bit for bit, and leaves its faults.
//!
//! # Differences from the toolkit
//!
//! - Numbers are exact. The toolkit computes in 64-bit floats and corrupts longer ones.
//! - Leading zeros of digits of any length come back.
//! - Values of two fields (253, 421, 703n, 8003) are written and read whole.
//! - Digits that are optional and absent (255 without serial, 8008 without minutes) are a
//!   length of zero.
//! - 235 and 7040 can be written; the check digit of a GRAI is searched for where it stands; the stem
//!   keeps its path.
//! - An element that has no form here is refused ([`CompressOptions::keep_uncompressible`] leaves it in
//!   the query). The toolkit writes its Application Identifier without the value.
//! - The toolkit sorts two rows of its table when it loads. URIs made with it follow the sorted
//!   order, and so does this; a URI that makes sense only in the published order is read with a
//!   warning.
//! - A URI is not compressed when readers could not tell the result from an ordinary URI, such as
//!   one of fewer than ten characters.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::{DigitalLink, Error, ErrorKind, Options, Span, WarningKind};

mod bits;
mod decompressed;
mod format;
mod locate;
mod number;
mod read;
mod rebuild;
mod source;
mod value;
mod write;

pub use decompressed::{CompressionExtent, Decompressed};
use source::Source;

/// How a URI is compressed.
///
/// ```
/// use fingerpost_gs1::DigitalLink;
/// use fingerpost_gs1::compression::{CompressOptions, compress};
///
/// let link = DigitalLink::parse("https://example.com/01/09780345418913/21/12345?foo=bar")?;
/// let partial = CompressOptions::new().partial(true).other_pairs(false);
/// assert_eq!(compress(&link, &partial)?, "https://example.com/01/09780345418913/IQUYHI?foo=bar");
/// # Ok::<(), fingerpost_gs1::Error>(())
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "four independent switches")]
pub struct CompressOptions {
    optimise: bool,
    other_pairs: bool,
    partial: bool,
    keep_uncompressible: bool,
}

impl CompressOptions {
    /// Creates options for full compression, with optimisation codes and non-GS1 query pairs.
    #[must_use]
    pub const fn new() -> CompressOptions {
        CompressOptions {
            optimise: true,
            other_pairs: true,
            partial: false,
            keep_uncompressible: false,
        }
    }

    /// Sets whether common combinations of Application Identifiers get one code (default: on).
    #[must_use]
    pub const fn optimise(self, on: bool) -> CompressOptions {
        CompressOptions { optimise: on, ..self }
    }

    /// Compress the pairs of the query that are not GS1's too, where they can be (default: on).
    /// What cannot stays in the query.
    #[must_use]
    pub const fn other_pairs(self, on: bool) -> CompressOptions {
        CompressOptions { other_pairs: on, ..self }
    }

    /// Sets whether the primary key stays uncompressed in the path (default: off). This form keeps its role when
    /// other keys are attributes.
    #[must_use]
    pub const fn partial(self, on: bool) -> CompressOptions {
        CompressOptions { partial: on, ..self }
    }

    /// Sets whether attributes that cannot be compressed stay in the query instead of being refused
    /// (default: off).
    #[must_use]
    pub const fn keep_uncompressible(self, on: bool) -> CompressOptions {
        CompressOptions { keep_uncompressible: on, ..self }
    }
}

impl Default for CompressOptions {
    fn default() -> CompressOptions {
        CompressOptions::new()
    }
}

/// Compresses a URI, which keeps its stem and its fragment.
///
/// The order of attributes is lost. When an attribute is a primary key too, a URI compressed in
/// full does not tell any more which key was in the path; [`CompressOptions::partial`] does.
///
/// ```
/// use fingerpost_gs1::DigitalLink;
/// use fingerpost_gs1::compression::{CompressOptions, compress};
///
/// let link = DigitalLink::parse("https://example.com/01/09780345418913/21/12345")?;
/// let compressed = compress(&link, &CompressOptions::new())?;
/// assert_eq!(compressed, "https://example.com/DBHKVAdpQgowOQ");
/// # Ok::<(), fingerpost_gs1::Error>(())
/// ```
///
/// # Errors
///
/// `NOT_COMPRESSIBLE` for an element without a form in Digital Link 1.1, and for the key when
/// readers could not tell the result from an ordinary URI; `URI_TOO_LONG`. Spans point into the
/// URI that was read.
pub fn compress(link: &DigitalLink<'_>, options: &CompressOptions) -> Result<String, Error> {
    write::compress(link, options)
}

/// Reads a URI in any form and gives it uncompressed, checked as every Digital Link URI is.
///
/// ```
/// use fingerpost_gs1::Options;
/// use fingerpost_gs1::compression::{CompressionExtent, decompress};
///
/// let read = decompress("https://example.com/DBHKVAdpQgowOQ?lang=fr", &Options::new())?;
/// assert_eq!(read.uri(), "https://example.com/01/09780345418913/21/12345?lang=fr");
/// assert_eq!(read.form(), CompressionExtent::Full);
/// # Ok::<(), fingerpost_gs1::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`DigitalLink::parse`] for a URI that is not compressed, `NO_PRIMARY_KEY` among them
/// when it cannot be; those of the compressed text (`NOT_COMPRESSED`, `TRUNCATED_COMPRESSED`,
/// `UNKNOWN_AI_PREFIX`, `UNKNOWN_OPT_CODE`, `NOT_A_DIGIT`, `ENCODING_CODE`, `COMPRESSED_VALUE`,
/// `NONZERO_PADDING`, `NOT_COMPRESSIBLE`, `DUPLICATE_AI`); those of its elements. Spans point into
/// `uri`, at the characters that hold the element at fault.
pub fn decompress(uri: &str, options: &Options) -> Result<Decompressed, Error> {
    let not_found = match DigitalLink::parse_with(uri, options) {
        Ok(_) => return Decompressed::uncompressed(uri, options),
        Err(error) if error.kind() == ErrorKind::NoPrimaryKey => error,
        Err(error) => return Err(error),
    };
    let path_end = uri.find(['?', '#']).unwrap_or(uri.len());
    let slash = usize::from(uri[..path_end].ends_with('/'));
    let place = locate::find(uri, path_end - slash, options).ok_or(not_found)?;
    let head = &uri[..place.string.start - 1];
    let source = Source {
        input: uri,
        string: place.string,
        key: place.key,
        head: Cow::Borrowed(head),
        added: 0,
        tail: path_end,
        associations: true,
    };
    let slash = Span { start: path_end - slash, end: path_end };
    if slash.is_empty() {
        return source.decompress(options);
    }
    if !options.allows_trailing_slash() {
        return Err(Error::new(ErrorKind::TrailingSlash, slash));
    }
    Ok(source.decompress(options)?.warned(WarningKind::TrailingSlash, slash))
}

/// Reads the path that follows the stem of a resolver: one segment, or key, value and one
/// more. The leading slash may be missing; query and fragment are not part of a path.
///
/// What goes together on one item is not checked: a path is a name to look up. The URI that results
/// stands below [`DigitalLink::REFERENCE_STEM`].
///
/// Most other paths are refused cheaply, with `NO_PRIMARY_KEY` or `NOT_COMPRESSED`.
///
/// ```
/// use fingerpost_gs1::Options;
/// use fingerpost_gs1::compression::decompress_path;
///
/// let read = decompress_path("/01/09520123456788/EESrwRcsDKIQUYHI", &Options::new())?;
/// assert_eq!(read.entity_key().as_str(), "01/09520123456788/10/ABC1/21/12345");
/// assert_eq!(read.query(), Some("17=180426"));
///
/// let error = decompress_path("/robots.txt", &Options::new()).unwrap_err();
/// assert_eq!(error.code(), "NOT_COMPRESSED");
/// # Ok::<(), fingerpost_gs1::Error>(())
/// ```
///
/// # Errors
///
/// As [`decompress`]; spans point into `path`. `INPUT_TOO_LONG` for a path of more than
/// [`DigitalLink::MAX_LEN`] bytes.
pub fn decompress_path(path: &str, options: &Options) -> Result<Decompressed, Error> {
    let whole = Span { start: 0, end: path.len() };
    if path.len() > DigitalLink::MAX_LEN {
        let limit = u32::try_from(DigitalLink::MAX_LEN).unwrap_or(u32::MAX);
        return Err(Error::new(ErrorKind::InputTooLong { limit }, whole));
    }
    let place = locate::find_in_path(path, options)
        .ok_or_else(|| Error::new(ErrorKind::NoPrimaryKey, whole).with_found(path.as_bytes()))?;
    let before = path[..place.string.start].trim_end_matches('/');
    let slash = if before.is_empty() || before.starts_with('/') { "" } else { "/" };
    let head = [DigitalLink::REFERENCE_STEM, slash, before].concat();
    let source = Source {
        input: path,
        string: place.string,
        key: place.key,
        added: head.len() - before.len(),
        head: Cow::Owned(head),
        tail: path.len(),
        associations: false,
    };
    source.decompress(options)
}
