//! Compression of pages for clients that accept it (RFC 9110 sections 8.4.1.3 and 12.5.3): a page
//! with a hundred links is then as small as one with five. Redirects and JSON are short and are
//! sent uncompressed.

use std::io::Write;

use bytes::Bytes;
use fingerpost_resolver::takes_gzip;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{self, HeaderMap, HeaderValue};

use crate::headers;

/// The coding as named in `Content-Encoding`.
pub const CODING: HeaderValue = HeaderValue::from_static("gzip");

/// Shorter texts fit into one packet uncompressed.
const WORTHWHILE: usize = 1_200;

/// Returns the body of a page, compressed if the client accepts that, and sets the header fields
/// accordingly.
pub fn packed(page: String, fields: &mut HeaderMap, asked: &HeaderMap) -> Bytes {
    match is_wanted(asked).then(|| compress(page.as_bytes())).flatten() {
        Some(packed) => {
            fields.insert(header::CONTENT_ENCODING, CODING);
            packed
        }
        None => page.into(),
    }
}

/// Returns whether the client accepts compressed bodies.
pub fn is_wanted(asked: &HeaderMap) -> bool {
    takes_gzip(&headers::joined(asked, header::ACCEPT_ENCODING))
}

/// Compresses a text that is sent once: optimised for speed, not size. Returns `None` if the text
/// is too short.
pub fn compress(text: &[u8]) -> Option<Bytes> {
    compress_at(text, Compression::fast())
}

/// Compresses a text that is sent many times: optimised for size, not speed. Returns `None` if the
/// text is too short.
pub fn compress_once(text: &[u8]) -> Option<Bytes> {
    compress_at(text, Compression::best())
}

fn compress_at(text: &[u8], level: Compression) -> Option<Bytes> {
    if text.len() < WORTHWHILE {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 4), level);
    // Writing to memory does not fail; if it did, the uncompressed text would be sent.
    encoder.write_all(text).and_then(|()| encoder.finish()).map(Bytes::from).ok()
}
