//! The compression of Digital Link 1.1 case by case: what each field may hold, which texts are
//! taken for compressed ones, and where errors point. Texts are put together here bit by bit.

use fingerpost_gs1::compression::{
    CompressOptions, CompressionExtent, compress, decompress, decompress_path,
};
use fingerpost_gs1::{DigitalLink, Error, Options, WarningKind};

/// Numbers with so many bits each, as text; padded with zeros.
fn text(fields: &[(u128, u32)]) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let bits: String =
        fields.iter().map(|&(n, bits)| format!("{n:0w$b}", w = bits as usize)).collect();
    let padded = format!("{bits:0<w$}", w = bits.len().div_ceil(6) * 6);
    let symbol = |at: usize| usize::from_str_radix(&padded[at..at + 6], 2).unwrap();
    (0..padded.len()).step_by(6).map(|at| char::from(ALPHABET[symbol(at)])).collect()
}

const GTIN: (u128, u32) = (9_520_123_456_788, 47);

fn full(fields: &[(u128, u32)]) -> String {
    format!("https://a.example/{}", text(fields))
}

fn uri_of(uri: &str, options: &Options) -> String {
    decompress(uri, options).unwrap_or_else(|error| panic!("{uri}: {error}")).into_uri()
}

#[track_caller]
fn refused(uri: &str) -> Error {
    let error = decompress(uri, &Options::new()).expect_err(uri);
    let span = error.span();
    assert!(uri.get(span.start..span.end).is_some(), "{uri}: {span:?}");
    assert!(!error.hint().is_empty() && error.to_string().contains("expected"), "{error}");
    error
}

/// Code and the text that the error points at.
#[track_caller]
fn fault(uri: &str) -> (&'static str, &str) {
    let error = refused(uri);
    (error.code(), &uri[error.span().start..error.span().end])
}

// GS1-LC-21
#[test]
fn the_worked_example() {
    let worked = [(0x0C, 8), (9_780_345_418_913, 47), (0, 3), (5, 5), (12_345, 17)];
    assert_eq!(text(&worked), "DBHKVAdpQgowOQ");
    assert_eq!(
        uri_of(&full(&worked), &Options::new()),
        "https://a.example/01/09780345418913/21/12345"
    );
}

// GS1-LC-12
#[test]
fn every_field_is_checked() {
    let cases: [(&[(u128, u32)], &str); 14] = [
        (&[(0x01, 8), GTIN, (0x18, 8), (0, 40)], "UNKNOWN_AI_PREFIX"),
        (&[(0x03, 8), GTIN, (0, 9)], "UNKNOWN_AI_PREFIX"),
        (&[(0x01, 8), GTIN, (0x31, 8), (0xA, 4), (0, 40)], "NOT_A_DIGIT"),
        (&[(0x01, 8), GTIN, (0x71, 8), (5, 4), (0, 40)], "NOT_COMPRESSIBLE"),
        (&[(0x01, 8), GTIN, (0x24, 8), (9, 4), (0, 40)], "NOT_COMPRESSIBLE"),
        (&[(0x01, 8), GTIN, (0xB0, 8), (0, 40)], "UNKNOWN_OPT_CODE"),
        (&[(0x01, 8), GTIN, (0x4A, 8), (0, 40)], "UNKNOWN_OPT_CODE"),
        (&[(0x01, 8), GTIN, (0x10, 8), (5, 3), (1, 5), (0, 40)], "ENCODING_CODE"),
        (&[(0x01, 8), (100_000_000_000_000, 47), (0, 9)], "COMPRESSED_VALUE"),
        (&[(0x01, 8), GTIN, (0x10, 8), (0, 3), (1, 5), (10, 4), (0, 9)], "COMPRESSED_VALUE"),
        (&[(0x01, 8), GTIN, (0xF, 4), (0, 7), (0, 40)], "COMPRESSED_VALUE"),
        (&[(0x01, 8), GTIN, (0x10, 8), (4, 3), (20, 5)], "TRUNCATED_COMPRESSED"),
        (&[(0x01, 8), GTIN, (0x01, 8), GTIN], "DUPLICATE_AI"),
        (&[(0x17, 8), (201_225, 20), (0x17, 8), (201_225, 20)], "DUPLICATE_AI"),
    ];
    for (fields, code) in cases {
        assert_eq!(refused(&full(fields)).code(), code, "{fields:?}");
        let path = format!("/{}", text(fields));
        let error = decompress_path(&path, &Options::new()).unwrap_err();
        assert_eq!(error.code(), code, "{path}");
        assert!(path.get(error.span().start..error.span().end).is_some());
    }
}

// GS1-LC-15: everything is validated as usual, and the AI rows decide about lengths, not the
// formats.
#[test]
fn values_are_checked_like_those_of_any_uri() {
    let wrong_digit = full(&[(0x01, 8), (9_520_123_456_789, 47), (0x17, 8), (201_225, 20)]);
    let error = refused(&wrong_digit);
    assert_eq!(error.to_string(), "check digit of (01) is 9, expected 8");
    assert_eq!((error.value_span().unwrap().start, error.span().start), (13, 18));
    let wrong_month = full(&[(0x01, 8), GTIN, (0x17, 8), (201_325, 20)]);
    let error = refused(&wrong_month);
    assert_eq!(error.code(), "L_ILLEGAL_MONTH");
    // Bits 55 to 83 of the text: its characters from the tenth on.
    assert_eq!((error.span().start, error.span().end), (18 + 9, 18 + 14));
    let lot_of_31 = full(&[(0x0B, 8), GTIN, (0, 3), (31, 5), (5, 103)]);
    assert_eq!(fault(&lot_of_31).0, "VALUE_TOO_LONG");
    let empty_lot = full(&[(0x0B, 8), GTIN, (4, 3), (0, 5)]);
    assert_eq!(fault(&empty_lot).0, "VALUE_EMPTY");
    let nul = full(&[(0x0B, 8), GTIN, (4, 3), (1, 5), (0, 7)]);
    assert_eq!(fault(&nul).0, "NUL_IN_VALUE");
    let no_key = full(&[(0x17, 8), (201_225, 20), (0x10, 8), (0, 3), (9, 5), (1, 30)]);
    assert_eq!(fault(&no_key), ("NO_PRIMARY_KEY", &no_key[18..]));
    let clash = full(&[(0x01, 8), GTIN, (0x37, 8), (1, 4), (1, 4)]);
    assert_eq!(refused(&clash).code(), "AI_PAIR_FORBIDDEN");
    // An item's associations do not concern a look-up.
    let read = decompress_path(&clash[17..], &Options::new()).unwrap();
    assert_eq!(read.query(), Some("37=1"));
    // An IBAN of 27 characters is longer than the format says.
    let iban = "https://a.example/415/9520123456788/8020/A1?8007=FR7630006000011234567890189";
    let link = DigitalLink::parse(iban).unwrap();
    let compressed = compress(&link, &CompressOptions::new()).unwrap();
    assert_eq!(uri_of(&compressed, &Options::new()), iban);
}

// GS1-LC-14: the rest, at most eight bits, must be zero in strict mode.
#[test]
fn padding() {
    // 77 bits are followed by one bit, or by seven when a character is added.
    for rest in 1..=7 {
        let zeros = full(&[(0x0C, 8), GTIN, (0, 3), (4, 5), (1_234, 14), (0, rest)]);
        assert!(decompress(&zeros, &Options::new()).is_ok(), "{rest}");
    }
    let uri = full(&[(0x0C, 8), GTIN, (0, 3), (5, 5), (12_345, 17), (1, 4)]);
    assert_eq!(fault(&uri), ("NONZERO_PADDING", &uri[uri.len() - 1..]));
    let read = decompress(&uri, &Options::new().nonzero_padding(true)).unwrap();
    assert_eq!(read.uri(), "https://a.example/01/09520123456788/21/12345");
    assert_eq!(read.warnings()[0].kind(), WarningKind::NonzeroPadding);
    assert_eq!(read.warnings()[0].span().end, uri.len());
    assert!(decompress(&uri, &Options::new().lenient()).is_ok());
    // Nine bits begin another entry.
    let more = full(&[(0x0C, 8), GTIN, (0, 3), (5, 5), (12_345, 17), (0, 10)]);
    assert_eq!(fault(&more).0, "TRUNCATED_COMPRESSED");
}

// GS1-LC-11: the toolkit's order first, then the published one, with a warning.
#[test]
fn both_orders_are_read() {
    let gln = (9_520_123_456_788_u128, 44);
    let extension = [(3, 3), (2, 5), (23, 6), (53, 6)];
    let sorted = [&[(0x9D, 8)][..], &extension, &[gln]].concat();
    let published = [&[(0x9D, 8)][..], &[gln], &extension].concat();
    let uri = "https://a.example/414/9520123456788/254/X1";
    let read = decompress(&full(&sorted), &Options::new()).unwrap();
    assert_eq!((read.uri(), read.warnings().len()), (uri, 0));
    let read = decompress(&full(&published), &Options::new()).unwrap();
    assert_eq!(read.uri(), uri);
    assert_eq!(read.warnings()[0].kind(), WarningKind::PublishedOrder);
    assert_eq!(read.warnings()[0].code(), "PUBLISHED_ORDER");

    let (lot, serial, date) =
        ([(2, 3), (1, 5), (10, 4)], [(0, 3), (5, 5), (12_345, 17)], [(201_225, 20)]);
    let gtin = [(0x1A, 8), GTIN];
    let published = [&gtin[..], &lot, &serial, &date].concat();
    let read = decompress(&full(&published), &Options::new()).unwrap();
    assert_eq!(read.uri(), "https://a.example/01/09520123456788/10/A/21/12345?17=201225");
    assert_eq!(read.warnings()[0].kind(), WarningKind::PublishedOrder);
    // Wrong in both orders: what the first one says counts.
    let neither = [&gtin[..], &lot, &serial, &[(201_399, 20)]].concat();
    assert!(decompress(&full(&neither), &Options::new()).is_err());
}

// GS1-LC-16: several keys.
#[test]
fn the_role_of_several_keys_survives_in_part_only() {
    let uri = "https://a.example/8004/9520614141234567/7040/1ABC?01=09520123456788";
    let link = DigitalLink::parse(uri).unwrap();
    let partial = compress(&link, &CompressOptions::new().partial(true)).unwrap();
    let read = decompress(&partial, &Options::new()).unwrap();
    assert_eq!(
        (read.uri(), read.form(), read.warnings().len()),
        (uri, CompressionExtent::Partial, 0)
    );
    // In full the first key is taken, unless the rest fits only another one.
    let read =
        decompress(&compress(&link, &CompressOptions::new()).unwrap(), &Options::new()).unwrap();
    assert_eq!((read.uri(), read.form()), (uri, CompressionExtent::Full));
    assert_eq!(read.warnings()[0].kind(), WarningKind::SeveralKeys);
    let uri = "https://a.example/8004/9520614141234567?01=09520123456788";
    let compressed = compress(&DigitalLink::parse(uri).unwrap(), &CompressOptions::new()).unwrap();
    let read = decompress(&compressed, &Options::new()).unwrap();
    assert_eq!(read.uri(), "https://a.example/01/09520123456788?8004=9520614141234567");
    assert_eq!(read.warnings()[0].kind(), WarningKind::SeveralKeys);
    // Of the qualifiers those that leave nothing but attributes.
    let uri = "https://a.example/01/09520123456788/235/TEST?10=A";
    let compressed = compress(&DigitalLink::parse(uri).unwrap(), &CompressOptions::new()).unwrap();
    assert_eq!(uri_of(&compressed, &Options::new()), uri);
}

// GS1-LC-18
#[test]
fn forms_are_told_apart() {
    let form =
        |uri: &str| decompress(uri, &Options::new()).map(|read| read.form()).map_err(|e| e.code());
    let host = "https://a.example";
    assert_eq!(
        form(&format!("{host}/01/09520123456788/10/ABC")),
        Ok(CompressionExtent::Uncompressed)
    );
    assert_eq!(form(&format!("{host}/x/DBHKVAdpQgowOQ")), Ok(CompressionExtent::Full));
    assert_eq!(form(&format!("{host}/x/01/09780345418913/IQUYHI")), Ok(CompressionExtent::Partial));
    assert_eq!(
        form(&format!("{host}/99/09780345418913/DBHKVAdpQgowOQ")),
        Ok(CompressionExtent::Full)
    );
    assert_eq!(form(&format!("{host}/about")), Err("NO_PRIMARY_KEY"));
    assert_eq!(form(&format!("{host}/")), Err("NO_PRIMARY_KEY"));
    assert_eq!(form(host), Err("URI_NO_PATH"));
    assert_eq!(form("about-us-page"), Err("URI_SCHEME"));
    assert_eq!(form(&format!("{host}/some.page.html")), Err("NOT_COMPRESSED"));
    assert_eq!(form(&format!("{host}/01/09780345418913/IQUY.I")), Err("NO_PRIMARY_KEY"));
    assert_eq!(form(&format!("{host}/01/09780345418913/A")), Err("TRUNCATED_COMPRESSED"));
    // The primary key is checked as it stands, and a wrong value is not taken for one.
    assert_eq!(form(&format!("{host}/01/09780345418914/IQUYHI")), Err("NO_PRIMARY_KEY"));
    assert_eq!(form(&format!("{host}/gtin/09780345418913/IQUYHI")), Err("NO_PRIMARY_KEY"));
    let lenient = |uri: &str| uri_of(uri, &Options::new().lenient());
    let uncompressed = format!("{host}/gtin/9780345418913/21/12345");
    assert_eq!(lenient(&format!("{host}/gtin/9780345418913/IQUYHI/")), uncompressed);
    let slash = format!("{host}/DBHKVAdpQgowOQ/?x");
    assert_eq!(fault(&slash), ("TRAILING_SLASH", "/"));
    assert_eq!(lenient(&slash), format!("{host}/01/09780345418913/21/12345?x"));
}

// GS1-LC-19: a path below a known stem.
#[test]
fn paths_are_read_from_the_left() {
    let strict = Options::new();
    let read =
        |path: &str| decompress_path(path, &strict).map(|read| read.entity_key().to_string());
    let expected = Ok("01/09780345418913/21/12345".to_owned());
    assert_eq!(read("/DBHKVAdpQgowOQ"), expected);
    assert_eq!(read("DBHKVAdpQgowOQ"), expected);
    assert_eq!(read("/01/09780345418913/IQUYHI"), expected);
    assert_eq!(read("01/09780345418913/IQUYHI"), expected);
    let code = |path: &str| decompress_path(path, &strict).unwrap_err().code();
    for path in
        ["", "/", "//", "/x/DBHKVAdpQgowOQ", "/DBHKVAdpQgowOQ/", "/x/01/09780345418913/IQUYHI"]
    {
        assert_eq!(code(path), "NO_PRIMARY_KEY", "{path}");
    }
    assert_eq!(code("/01/09780345418914/IQUYHI"), "NO_PRIMARY_KEY");
    assert_eq!(code("/favicon.ico"), "NOT_COMPRESSED");
    assert_eq!(code(&"/".repeat(9_000)), "INPUT_TOO_LONG");
    let lenient = strict.clone().lenient();
    let read = decompress_path("/gtin/9780345418913/IQUYHI", &lenient).unwrap();
    assert_eq!(read.entity_key().as_str(), "01/09780345418913/21/12345");
    // Both lenient points are told, where they stand in the path.
    let spans: Vec<_> = read.warnings().iter().map(|w| (w.span().start, w.span().end)).collect();
    assert_eq!(spans, [(1, 5), (6, 19)]);
}

// GS1-LC-06
#[test]
fn other_pairs() {
    let options = CompressOptions::new();
    let uri = |query: &str| format!("https://a.example/01/09780345418913/21/12345?{query}");
    let compressed = |query: &str| {
        let uri = uri(query);
        compress(&DigitalLink::parse(&uri).unwrap(), &options).unwrap()
    };
    // Left as they are: no value, an unusual name, bytes that are not ASCII, `+`, and long texts.
    let long = format!("k={}", "x".repeat(128));
    for query in ["flag", "a.b=1", "a=%C3%A9", "a=x+y", "a=%2", "=x", &long] {
        let mild = Options::new().lenient();
        let uri = uri(query);
        let link = DigitalLink::parse_with(&uri, &mild).unwrap();
        let text = compress(&link, &options).unwrap();
        assert_eq!(text, format!("https://a.example/DBHKVAdpQgowOQ?{query}"));
        assert_eq!(uri_of(&text, &mild), uri);
    }
    for query in ["a=", "a=b", "linkType=gs1%3Apip", "a=%00%7F", "b=2&a=1&b=3", &long[..129]] {
        let text = compressed(query);
        assert!(!text.contains('?'), "{text}");
        assert_eq!(uri_of(&text, &Options::new()), uri(query));
    }
    assert_eq!(uri_of(&compressed("x&a=1#f?/"), &Options::new()), uri("a=1&x#f?/"));
    // What is not compressed is read where it stands.
    let more = format!("{}&17=201325#f", compressed("x"));
    assert_eq!(fault(&more), ("L_ILLEGAL_MONTH", "13"));
    let more = format!("{}?17=201225", compressed("a=1"));
    assert_eq!(uri_of(&more, &Options::new()), uri("a=1&17=201225"));
    // Encoded again, these would exceed the longest URI that is parsed: the last ones are kept.
    let slashes = vec![format!("a={}", "/".repeat(120)); 60].join("&");
    let text = compressed(&slashes);
    assert!(text.contains("?a=/"), "{text}");
    let back = uri_of(&text, &Options::new());
    assert_eq!(back.replace("%2F", "/"), uri(&slashes));
    // A URI that becomes too long is not built any further.
    let bomb: Vec<(u128, u32)> = (0..40)
        .flat_map(|_| [(0xF, 4), (1, 7), (0, 6), (4, 3), (127, 7)].into_iter().chain([(1, 7); 127]))
        .collect();
    let bomb = full(&[&[(0x01, 8), GTIN][..], &bomb].concat());
    assert!(bomb.len() < DigitalLink::MAX_LEN);
    assert_eq!(refused_long(&bomb), "URI_TOO_LONG");
}

fn refused_long(uri: &str) -> &'static str {
    decompress(uri, &Options::new()).unwrap_err().code()
}

// GS1-LC-17
#[test]
fn what_has_no_form_is_refused_or_kept() {
    let uri = "https://a.example/01/09520123456788/21/X?17=201225&8030=abc";
    let link = DigitalLink::parse(uri).unwrap();
    let error = compress(&link, &CompressOptions::new()).unwrap_err();
    assert_eq!(error.code(), "NOT_COMPRESSIBLE");
    assert_eq!(&uri[error.span().start..error.span().end], "abc");
    assert_eq!(error.to_string(), "expected an element that can be compressed, found (8030)");
    let kept = compress(&link, &CompressOptions::new().keep_uncompressible(true)).unwrap();
    assert!(kept.ends_with("?8030=abc"), "{kept}");
    assert_eq!(uri_of(&kept, &Options::new()), uri);
    let unknown = Options::new().unknown_ais(true).unknown_ais_as_attributes(true);
    let link =
        DigitalLink::parse_with("https://a.example/01/09520123456788?89=1", &unknown).unwrap();
    assert_eq!(compress(&link, &CompressOptions::new()).unwrap_err().code(), "NOT_COMPRESSIBLE");
}

// GS1-LC-22: nothing is written that would not be read again.
#[test]
fn what_could_not_be_told_from_an_ordinary_uri_is_refused() {
    let options = CompressOptions::new();
    let code = |uri: &str, options: &CompressOptions| {
        let link = DigitalLink::parse(uri).unwrap();
        compress(&link, options).map_err(|error| error.code())
    };
    let refused = Err("NOT_COMPRESSIBLE");
    // Fewer than ten characters.
    assert_eq!(code("https://a.example/8004/9520", &options), refused);
    // The stem and the text would be a key with its value, or a partial form.
    assert_eq!(code("https://a.example/01/01/09520123456788", &options), refused);
    let stem = "https://a.example/01/09520123456788/414/9520123456788";
    assert_eq!(code(stem, &options), refused);
    let partial = options.clone().partial(true);
    assert_eq!(code("https://a.example/8004/8003?01=09520123456788", &partial), refused);
    // Nothing to compress beside the key.
    let uri = "https://a.example/01/09520123456788?x";
    assert_eq!(code(uri, &partial).as_deref(), Ok(uri));
}
