//! Promises of the compression of Digital Link 1.1: no text makes its readers panic, errors and
//! warnings point into the text, and what was read can be compressed and reads as the same.

use fingerpost_gs1::compression::{
    CompressOptions, CompressionExtent, Decompressed, compress, decompress, decompress_path,
};
use fingerpost_gs1::{DigitalLink, EntityKey, Error, Options, percent};

/// Reads the input as a URI, as a path, and as the bits of a compressed text, in full and in part.
pub fn compressed(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        read(text);
    }
    let bits = base64url(data);
    read(&format!("https://id.example.org/{bits}"));
    read(&format!("https://id.example.org/x/01/09520123456788/{bits}?a=b#c"));
}

/// Every three bytes as four characters; what is left over is not needed.
fn base64url(data: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let symbols = data.chunks(3).flat_map(|chunk| {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        [18, 12, 6, 0].map(|shift| char::from(ALPHABET[(bits >> shift & 63) as usize]))
    });
    symbols.collect()
}

fn read(text: &str) {
    for options in [Options::new(), Options::new().requisites(false), Options::new().lenient()] {
        match decompress(text, &options) {
            Ok(read) => check_uri(text, &read, &options),
            Err(error) => check_error(text, &error),
        }
        match decompress_path(text, &options) {
            Ok(read) => check_path(text, &read),
            Err(error) => check_error(text, &error),
        }
    }
}

fn check_error(text: &str, error: &Error) {
    let span = error.span();
    assert!(text.get(span.start..span.end).is_some(), "{error}: {span:?} in {text:?}");
    assert!(!error.to_string().is_empty() && !error.code().is_empty() && !error.hint().is_empty());
}

fn check_warnings(text: &str, read: &Decompressed) {
    for warning in read.warnings() {
        let span = warning.span();
        assert!(text.get(span.start..span.end).is_some(), "{warning}: {span:?} in {text:?}");
    }
}

/// The name of a path is a key as any other.
fn check_path(text: &str, read: &Decompressed) {
    check_warnings(text, read);
    let key = read.entity_key();
    assert_eq!(EntityKey::parse(key.as_str()).as_ref(), Ok(&key), "{text}");
}

/// What was read is what a reader of the uncompressed URI sees, and survives every way of
/// compressing it.
fn check_uri(text: &str, read: &Decompressed, options: &Options) {
    check_warnings(text, read);
    let link = read.link();
    match DigitalLink::parse_with(read.uri(), options) {
        Ok(again) => assert_eq!(again.elements(), link.elements(), "{text}"),
        Err(error) => panic!("{text} became {}, which reads as: {error}", read.uri()),
    }
    for switches in 0..16 {
        let partial = switches & 1 != 0;
        let how = CompressOptions::new()
            .partial(partial)
            .optimise(switches & 2 != 0)
            .other_pairs(switches & 4 != 0)
            .keep_uncompressible(switches & 8 != 0);
        match compress(link, &how) {
            Ok(compressed) => check_compressed(link, &compressed, options, partial),
            Err(error) => assert!(["NOT_COMPRESSIBLE", "URI_TOO_LONG"].contains(&error.code())),
        }
    }
}

fn check_compressed(link: &DigitalLink<'_>, compressed: &str, options: &Options, partial: bool) {
    let back = match decompress(compressed, options) {
        Ok(back) => back,
        Err(error) => panic!("{} became {compressed}, which reads as: {error}", link.uri()),
    };
    let again = back.link();
    assert!(
        back.form() == if partial { CompressionExtent::Partial } else { CompressionExtent::Full }
            || partial
    );
    assert_eq!(again.to_element_string(), link.to_element_string(), "{compressed}");
    assert_eq!(again.stem(), link.stem());
    assert_eq!(again.fragment(), link.fragment());
    assert_eq!(extensions(again), extensions(link), "{compressed}");
    // Compressed in full, several keys do not tell which one was in the path.
    if partial || !link.attributes().iter().any(|element| element.ai().is_primary_key()) {
        assert_eq!(again.canonical(), link.canonical(), "{compressed}");
    }
}

/// The other pairs, decoded, in any order.
fn extensions(link: &DigitalLink<'_>) -> Vec<Vec<u8>> {
    let decoded = |piece: &str| {
        let mut bytes = Vec::new();
        match percent::decode(piece.as_bytes(), &mut bytes) {
            Ok(()) => bytes,
            Err(_) => piece.as_bytes().to_vec(),
        }
    };
    let mut all: Vec<Vec<u8>> = link.extensions().map(decoded).collect();
    all.sort_unstable();
    all
}
