//! The compression of GS1 Digital Link 1.1: a URI whose elements are encoded in URL-safe base64.
//!
//! ```text
//! https://example.com/01/09780345418913/21/12345        uncompressed
//! https://example.com/DBHKVAdpQgowOQ                    in full
//! https://example.com/01/09780345418913/IQUYHI          in part: the primary key stays readable
//! ```
//!
//! GS1 has withdrawn it, but codes made with it are in use. The specification was not available:
//! this module follows GS1's widely copied JavaScript toolkit bit for bit, but without its bugs.
//!
//! # Differences from the toolkit
//!
//! - Numbers are exact. The toolkit calculates in 64-bit floats and corrupts longer ones.
//! - Leading zeros of digits of any length are preserved.
//! - Values of two fields (253, 421, 703n, 8003) are written and read completely.
//! - Optional digits that are absent (255 without serial, 8008 without minutes) are written with
//!   length zero.
//! - 235 and 7040 can be written; the check digit of a GRAI is verified at its correct position;
//!   the stem keeps its path.
//! - An element that this format cannot encode is rejected
//!   ([`CompressOptions::keep_uncompressible`] leaves it in the query). The toolkit writes its
//!   Application Identifier without the value.
//! - The toolkit sorts two rows of its table when it loads. URIs made with it follow the sorted
//!   order, and so does this module; a URI that is valid only in the published order is read with a
//!   warning.
//! - A URI is not compressed if readers could not distinguish the result from an ordinary URI, such
//!   as one of fewer than ten characters.

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

/// Options of [`compress`].
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

    /// Sets whether pairs of the query that are not GS1's are compressed too, if possible (default:
    /// on). Pairs that cannot be compressed stay in the query.
    #[must_use]
    pub const fn other_pairs(self, on: bool) -> CompressOptions {
        CompressOptions { other_pairs: on, ..self }
    }

    /// Sets whether the primary key stays uncompressed in the path (default: off). In this form it
    /// remains the key when other keys are attributes.
    #[must_use]
    pub const fn partial(self, on: bool) -> CompressOptions {
        CompressOptions { partial: on, ..self }
    }

    /// Sets whether attributes that cannot be compressed stay in the query instead of being
    /// rejected (default: off).
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

/// Compresses a URI, and keeps its stem and its fragment.
///
/// The order of attributes is lost. If an attribute is also a primary key, a fully compressed URI
/// does not show which key was in the path; [`CompressOptions::partial`] does.
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
/// `NOT_COMPRESSIBLE` for an element that Digital Link 1.1 cannot encode, and for the key if
/// readers could not distinguish the result from an ordinary URI; `URI_TOO_LONG`. Spans point into
/// the parsed URI.
pub fn compress(link: &DigitalLink<'_>, options: &CompressOptions) -> Result<String, Error> {
    write::compress(link, options)
}

/// Parses a URI in any form and returns it uncompressed, checked like every Digital Link URI.
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
/// Those of [`DigitalLink::parse`] for a URI that is not compressed, including `NO_PRIMARY_KEY` if
/// it cannot be; those of the compressed text (`NOT_COMPRESSED`, `TRUNCATED_COMPRESSED`,
/// `UNKNOWN_AI_PREFIX`, `UNKNOWN_OPT_CODE`, `NOT_A_DIGIT`, `ENCODING_CODE`, `COMPRESSED_VALUE`,
/// `NONZERO_PADDING`, `NOT_COMPRESSIBLE`, `DUPLICATE_AI`); those of its elements. Spans point into
/// `uri`, at the characters of the affected element.
pub fn decompress(uri: &str, options: &Options) -> Result<Decompressed, Error> {
    let not_found = match DigitalLink::parse_with(uri, options) {
        Ok(_) => return Decompressed::uncompressed(uri, options),
        Err(error) if error.kind() == ErrorKind::NoPrimaryKey => error,
        Err(error) => return Err(error),
    };
    let path_end = uri.find(['?', '#']).unwrap_or(uri.len());
    let slash = usize::from(uri[..path_end].ends_with('/'));
    let located = locate::find(uri, path_end - slash, options).ok_or(not_found)?;
    let head = &uri[..located.string.start - 1];
    let source = Source {
        input: uri,
        string: located.string,
        key: located.key,
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

/// Parses the path after the stem of a resolver: one segment, or key, value and one more. The
/// leading slash is optional; query and fragment are not part of a path.
///
/// Associations are not checked: a path is a name to look up. The resulting URI is below
/// [`DigitalLink::REFERENCE_STEM`].
///
/// Most other paths are rejected at low cost, with `NO_PRIMARY_KEY` or `NOT_COMPRESSED`.
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
    let located = locate::find_in_path(path, options)
        .ok_or_else(|| Error::new(ErrorKind::NoPrimaryKey, whole).with_found(path.as_bytes()))?;
    let before = path[..located.string.start].trim_end_matches('/');
    let slash = if before.is_empty() || before.starts_with('/') { "" } else { "/" };
    let head = [DigitalLink::REFERENCE_STEM, slash, before].concat();
    let source = Source {
        input: path,
        string: located.string,
        key: located.key,
        added: head.len() - before.len(),
        head: Cow::Owned(head),
        tail: path.len(),
        associations: false,
    };
    source.decompress(options)
}
