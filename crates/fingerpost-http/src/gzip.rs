//! Pages are sent compressed to those who take that (RFC 9110 sections 8.4.1.3 and 12.5.3): a page of a hundred links is then as
//! small as one of five. What programs read, redirects and JSON, is short and stays as it is.

use std::io::Write;

use bytes::Bytes;
use fingerpost_resolver::takes_gzip;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{self, HeaderMap, HeaderValue};

use crate::headers;

/// The coding, as `Content-Encoding` names it.
pub const CODING: HeaderValue = HeaderValue::from_static("gzip");

/// Shorter texts fit into one packet anyway.
const WORTHWHILE: usize = 1_200;

/// The body of a page, compressed if the client takes that; its header fields then say so.
pub fn packed(page: String, fields: &mut HeaderMap, asked: &HeaderMap) -> Bytes {
    match is_wanted(asked).then(|| compress(page.as_bytes())).flatten() {
        Some(packed) => {
            fields.insert(header::CONTENT_ENCODING, CODING);
            packed
        }
        None => page.into(),
    }
}

/// Whether the client takes compressed bodies.
#[must_use]
pub fn is_wanted(asked: &HeaderMap) -> bool {
    takes_gzip(&headers::joined(asked, header::ACCEPT_ENCODING))
}

/// Compresses a text that is made for one request: quick rather than small. `None` if it is too short for that.
#[must_use]
pub fn compress(text: &[u8]) -> Option<Bytes> {
    compress_at(text, Compression::fast())
}

/// Compresses a text that is sent many times: small rather than quick. `None` if it is too short for that.
#[must_use]
pub fn compress_once(text: &[u8]) -> Option<Bytes> {
    compress_at(text, Compression::best())
}

fn compress_at(text: &[u8], level: Compression) -> Option<Bytes> {
    if text.len() < WORTHWHILE {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 4), level);
    // Writing to memory does not fail; if it did, the text would do.
    encoder.write_all(text).and_then(|()| encoder.finish()).map(Bytes::from).ok()
}
