//! Every valid vector of `testdata` makes symbols that rxing, a port of ZXing, reads back byte for
//! byte.

use fingerpost_identify::inspect_with;
use fingerpost_label::{ErrorCorrection, Label, LabelOptions, Raster, SymbolKind};
use rxing::{BarcodeFormat, RXingResultMetadataType, RXingResultMetadataValue};

use crate::support::{label, options, valid_inputs};

/// Returns what rxing reads in a picture, with the symbology identifier before it.
fn scan(raster: &Raster, kind: SymbolKind) -> Result<String, String> {
    let pixels = (0..raster.height()).flat_map(|y| (0..raster.width()).map(move |x| (x, y)));
    let luma = pixels.map(|(x, y)| if raster.is_black(x, y) { 0 } else { 255 }).collect();
    let format = match kind {
        SymbolKind::Qr => BarcodeFormat::QR_CODE,
        _ => BarcodeFormat::DATA_MATRIX,
    };
    let (width, height) = (raster.width(), raster.height());
    let found = rxing::helpers::detect_in_luma(luma, width, height, Some(format))
        .map_err(|error| error.to_string())?;
    let metadata = found.getRXingResultMetadata();
    let identifier = match metadata.get(&RXingResultMetadataType::SYMBOLOGY_IDENTIFIER) {
        Some(RXingResultMetadataValue::SymbologyIdentifier(identifier)) => identifier,
        other => return Err(format!("no symbology identifier: {other:?}")),
    };
    Ok(format!("{identifier}{}", found.getText()))
}

fn expect_same(label: &Label, kind: SymbolKind, dpi: u32) {
    let raster = label.to_raster(dpi).unwrap();
    let expected = label.symbol().scan_data();
    assert_eq!(scan(&raster, kind).as_deref(), Ok(&*expected), "{kind:?}");
}

#[test]
fn every_valid_vector_is_read_back() {
    let plain = LabelOptions { has_text: false, ..LabelOptions::default() };
    let mut read = 0;
    for input in valid_inputs() {
        for kind in SymbolKind::ALL {
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
