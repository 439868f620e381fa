//! Every valid vector of `testdata` makes symbols that rxing, a port of ZXing, reads back byte for
//! byte.

use fingerpost_identify::inspect_with;
use fingerpost_label::{ErrorCorrection, Label, LabelOptions, Raster, SymbolKind};
use rxing::helpers::detect_in_luma_with_hints;
use rxing::{BarcodeFormat, DecodeHints, RXingResultMetadataType, RXingResultMetadataValue};

use crate::support::{content, label, options, valid_inputs};

/// Returns what rxing reads in a picture, with the symbology identifier before it.
fn scan(raster: &Raster, kind: SymbolKind) -> Result<String, String> {
    // Loops: iterators take most of the time of these tests without optimisation.
    let mut luma = vec![255; raster.width() as usize * raster.height() as usize];
    let mut at = 0;
    for y in 0..raster.height() {
        for x in 0..raster.width() {
            if raster.is_black(x, y) {
                luma[at] = 0;
            }
            at += 1;
        }
    }
    let format = match kind {
        SymbolKind::Qr => BarcodeFormat::QR_CODE,
        SymbolKind::DataMatrix | SymbolKind::Gs1DataMatrix => BarcodeFormat::DATA_MATRIX,
        SymbolKind::Ean13 => BarcodeFormat::EAN_13,
        SymbolKind::Ean8 => BarcodeFormat::EAN_8,
        SymbolKind::UpcA => BarcodeFormat::UPC_A,
        SymbolKind::Itf14 => BarcodeFormat::ITF,
        SymbolKind::Gs1_128 => BarcodeFormat::CODE_128,
    };
    let (width, height) = (raster.width(), raster.height());
    let mut hints = DecodeHints {
        AssumeGs1: (kind == SymbolKind::Gs1_128).then_some(true),
        ..DecodeHints::default()
    };
    let found = detect_in_luma_with_hints(luma, width, height, Some(format), &mut hints)
        .map_err(|error| error.to_string())?;
    let metadata = found.getRXingResultMetadata();
    let identifier = match metadata.get(&RXingResultMetadataType::SYMBOLOGY_IDENTIFIER) {
        Some(RXingResultMetadataValue::SymbologyIdentifier(identifier)) => identifier,
        other => return Err(format!("no symbology identifier: {other:?}")),
    };
    // Of a Code 128 with FNC1 first, the text has the identifier already.
    // Its check character, if that is FNC1, is read as a separator: a fault of rxing.
    let text = found.getText().trim_end_matches('\u{1d}');
    Ok(if text.starts_with(']') { text.to_owned() } else { format!("{identifier}{text}") })
}

fn expect_same(label: &Label, kind: SymbolKind, dpi: u32) {
    let raster = label.to_raster(dpi).unwrap();
    let symbols = [Some(label.symbol()), label.symbol_beside()];
    let symbol = symbols.into_iter().flatten().find(|symbol| symbol.kind() == kind).unwrap();
    let expected = match kind {
        // rxing reads the digits of a UPC-A without their zero, and checks no digit of an ITF-14.
        SymbolKind::UpcA => format!("]E0{}", symbol.data()),
        SymbolKind::Itf14 => format!("]I0{}", symbol.data()),
        _ => symbol.scan_data(),
    };
    assert_eq!(scan(&raster, kind).as_deref(), Ok(&*expected), "{kind:?}");
}

/// Returns GTINs of a kind of symbol with every digit in every position.
fn gtins(kind: SymbolKind) -> Vec<String> {
    let (zeros, length) = match kind {
        SymbolKind::Ean13 => (1, 13),
        SymbolKind::UpcA => (2, 12),
        SymbolKind::Ean8 => (6, 8),
        _ => (0, 14),
    };
    let digits = (0..10_u32).map(|first| {
        let body = (0..length - 1).map(|at| char::from_digit((first + at * 7) % 10, 10).unwrap());
        // The first digit that tells the lengths apart is not zero.
        let body: String = body.collect();
        let body = if first == 0 { format!("9{}", &body[1..]) } else { body };
        let body = format!("{}{body}", "0".repeat(zeros));
        let check = fingerpost_gs1::check_digit::of(body.as_bytes());
        format!("(01){body}{}", char::from(check))
    });
    digits.collect()
}

/// IN-11
#[test]
fn every_linear_symbol_is_read_back() {
    for kind in SymbolKind::LINEAR {
        let items = gtins(kind).into_iter();
        for (nth, item) in items.enumerate() {
            let low = (nth % 3 == 0).then(|| "5mm".parse().unwrap());
            let options =
                LabelOptions { has_text: nth % 2 == 0, bar_height: low, ..LabelOptions::default() };
            let label = label(&item, kind, options).unwrap();
            for dpi in [203, 300, 600] {
                expect_same(&label, kind, dpi);
            }
        }
    }
    let mut read = 0;
    // The data are what counts here: low bars have fewer pixels.
    let low = LabelOptions { bar_height: Some("5mm".parse().unwrap()), ..LabelOptions::default() };
    for input in valid_inputs() {
        if let Ok(label) = label(&input, SymbolKind::Gs1_128, low) {
            expect_same(&label, SymbolKind::Gs1_128, 203);
            read += 1;
        }
    }
    println!("{read} GS1-128 read");
    assert!(read >= 300, "{read}");
}

/// IN-11: each symbol is read although the other one is beside or above it.
#[test]
fn both_symbols_of_a_label_are_read_back() {
    for (item, linear) in [
        ("(01)09520123456788(10)ABC(17)271231", SymbolKind::Ean13),
        ("(01)00000095201238(10)ABC", SymbolKind::Ean8),
        ("(01)00012345678905(10)ABC", SymbolKind::UpcA),
        ("(01)19520123456785(10)ABC", SymbolKind::Itf14),
        ("(01)09520123456788(10)ABC(17)271231", SymbolKind::Gs1_128),
    ] {
        for kind in SymbolKind::MATRIX {
            for width in [None, Some("30mm".parse().unwrap())] {
                let options = LabelOptions { text_width: width, ..LabelOptions::default() };
                let beside = content(item, linear).unwrap();
                let both = label(item, kind, options).unwrap().beside(&beside).unwrap();
                let height = both.symbol_height();
                assert!(width.is_none() || both.height() > height, "{item} is below");
                expect_same(&both, kind, 300);
                expect_same(&both, linear, 300);
            }
        }
    }
}

#[test]
fn every_valid_vector_is_read_back() {
    let plain = LabelOptions { has_text: false, ..LabelOptions::default() };
    let mut read = 0;
    for input in valid_inputs() {
        for kind in SymbolKind::MATRIX {
            match label(&input, kind, plain) {
                Ok(label) => {
                    expect_same(&label, kind, 203);
                    read += 1;
                }
                Err(code) => assert!(has_no_content(&input, kind), "{kind:?} {input}: {code}"),
            }
        }
    }
    println!("{read} symbols read");
    assert!(read >= 2000, "{read}");
}

/// Returns whether an input is not a valid item, such as the data of a tag that break a rule, or
/// has no address.
fn has_no_content(input: &str, kind: SymbolKind) -> bool {
    let options = options();
    let found = inspect_with(input, &options);
    let Some(item) = found.item.as_ref().filter(|_| found.is_valid()) else { return true };
    kind.holds_uri() && item.canonical_uri.is_none()
}

#[test]
fn every_level_of_error_correction_and_every_size_is_read_back() {
    let long = "A1b2C3d4E5f6G7h8I9j0";
    for level in ErrorCorrection::ALL {
        let options = LabelOptions { error_correction: level, ..LabelOptions::default() };
        for parts in [0, 1, 3, 7] {
            let query: Vec<String> =
                (0..parts).map(|nth| format!("{}={}", 91 + nth, long.repeat(4))).collect();
            let link =
                format!("https://id.brand.example/01/09520123456788/10/{long}?{}", query.join("&"));
            let label = label(&link, SymbolKind::Qr, options).unwrap();
            assert_eq!(label.symbol().error_correction(), Some(level));
            expect_same(&label, SymbolKind::Qr, 300);
        }
    }
}

#[test]
fn fnc1_is_at_the_beginning_and_separators_are_gs() {
    let item = "(01)09520123456788(10)A1(21)B2(3103)000195";
    let label = label(item, SymbolKind::Gs1DataMatrix, LabelOptions::default()).unwrap();
    let read = scan(&label.to_raster(300).unwrap(), SymbolKind::Gs1DataMatrix);
    assert_eq!(read.as_deref(), Ok("]d20109520123456788310300019510A1\u{1d}21B2"));
}
