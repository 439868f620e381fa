//! The files themselves: sizes in millimetres, structure, limits.

use fingerpost_label::{
    ErrorCorrection, Label, LabelOptions, Length, NoRaster, Sheet, SheetLayout, Size, SymbolKind,
};

use crate::support::label;

const LINK: &str = "https://id.brand.example/01/09520123456788/10/A&B";

fn of(kind: SymbolKind) -> Label {
    label(LINK, kind, LabelOptions::default()).unwrap()
}

/// Returns the text between two others.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let rest = text.split_once(before).map_or("", |(_, rest)| rest);
    rest.split_once(after).map_or("", |(found, _)| found)
}

#[test]
fn an_svg_has_its_size_in_millimetres() {
    let label = of(SymbolKind::Qr);
    let svg = label.to_svg();
    assert_eq!(label.symbol().version(), Some(4));
    // 33 modules and 4 on each side, of 0.495 mm.
    assert_eq!(label.symbol_width().to_string(), "20.295 mm");
    assert_eq!(between(&svg, "width=\"", "mm\""), "20.828", "as wide as the text");
    assert_eq!(between(&svg, "viewBox=\"0 0 ", " "), "20.828");
    assert!(svg.contains("scale(0.495)") && svg.contains("translate(2.2465 1.98)"), "{svg}");
    assert!(
        svg.contains(
            "<title>QR Code: https://id.brand.example/01/09520123456788/10/A&amp;B</title>"
        )
    );
    assert!(svg.contains(">(10) A&amp;B</text>"), "{svg}");
}

#[test]
fn a_pdf_page_has_the_size_of_the_label_in_points() {
    let label = of(SymbolKind::DataMatrix);
    let pdf = label.to_pdf();
    let text = String::from_utf8_lossy(&pdf);
    let (width, height) = (label.width().points(), label.height().points());
    let page = between(&text, "/MediaBox [0 0 ", "]");
    let page: Vec<f64> = page.split(' ').map(|number| number.parse().unwrap()).collect();
    assert!((page[0] - width).abs() < 1e-5 && (page[1] - height).abs() < 1e-5, "{page:?}");
    assert!(text.contains("/BaseFont /Helvetica"));
    // The table of references leads to every object.
    let start: usize = between(&text, "startxref\n", "\n").parse().unwrap();
    assert!(pdf[start..].starts_with(b"xref\n0 7\n"));
    let table = std::str::from_utf8(&pdf[start..]).unwrap();
    for (number, line) in table.lines().skip(3).take(6).enumerate() {
        let position: usize = line[..10].parse().unwrap();
        assert!(pdf[position..].starts_with(format!("{} 0 obj", number + 1).as_bytes()), "{line}");
        assert_eq!(line.len(), 19);
    }
}

#[test]
fn a_png_has_whole_pixels_and_its_resolution() {
    let label = of(SymbolKind::Qr);
    for (dpi, module, width, per_metre) in
        [(203, 4, "0.5 mm", 7992_u32), (300, 6, "0.508 mm", 11811), (600, 12, "0.508 mm", 23622)]
    {
        let raster = label.to_raster(dpi).unwrap();
        assert_eq!(
            (raster.module_pixels(), label.module_width(dpi).to_string()),
            (module, width.to_owned())
        );
        let png = raster.to_png();
        assert_eq!(png[16..20], raster.width().to_be_bytes());
        assert_eq!(png[20..24], raster.height().to_be_bytes());
        assert_eq!((png[24], png[25]), (1, 0), "one bit of grey");
        let at = png.windows(4).position(|name| name == b"pHYs").unwrap();
        assert_eq!(png[at + 4..at + 8], per_metre.to_be_bytes());
        assert_eq!(png[at + 12], 1, "per metre");
    }
    // 0.396 mm is 3.16 pixels at 203 dpi: three would be too small for checkouts.
    let small = label.with_x_dimension("0.396mm".parse().unwrap());
    assert_eq!(small.module_pixels(203), 4);
    assert_eq!(small.with_x_dimension("0.3mm".parse().unwrap()).module_pixels(203), 2);
}

#[test]
fn a_gtin_has_one_line_in_a_picture() {
    let with = of(SymbolKind::DataMatrix);
    let options = LabelOptions { has_text: false, ..LabelOptions::default() };
    let without = label(LINK, SymbolKind::DataMatrix, options).unwrap();
    for dpi in [203, 300, 600] {
        let heights = [&with, &without].map(|label| label.to_raster(dpi).unwrap().height());
        let digits = f64::from(heights[0] - heights[1]) / 20.0 * 7.0 * 25.4 / f64::from(dpi);
        assert!((1.1..1.8).contains(&digits), "two lines of {digits} mm at {dpi} dpi");
    }
}

#[test]
fn text_can_be_left_out_and_is_broken_where_it_is_too_long() {
    let options = LabelOptions { has_text: false, ..LabelOptions::default() };
    let without = label(LINK, SymbolKind::Qr, options).unwrap();
    assert_eq!(without.lines(), [""; 0]);
    assert_eq!(
        (without.width(), without.height()),
        (without.symbol_width(), without.symbol_height())
    );
    let item = format!("(01)09520123456788(10)A(17)271231(91){}", "0123456789".repeat(9));
    let long = label(&item, SymbolKind::Gs1DataMatrix, LabelOptions::default()).unwrap();
    assert_eq!(long.lines()[..2], ["(01) 09520123456788", "(10) A (17) 271231"]);
    assert!(long.lines().len() > 4 && long.width().millimetres() <= 25.001, "{long:?}");
    assert!(long.lines()[2].starts_with("(91) 0123"));
}

#[test]
fn what_is_too_long_says_by_how_much_and_what_to_do() {
    let link = |length: usize| {
        format!("https://id.brand.example/01/09520123456788?x={}", "a".repeat(length))
    };
    for (kind, most) in [(SymbolKind::Qr, 2336), (SymbolKind::DataMatrix, 2200)] {
        let found = label(&link(6000), kind, LabelOptions::default()).unwrap_err();
        assert!(found.contains("characters too long") && found.contains("it has 6045"), "{found}");
        let fitting: usize = between(&found, "first ", " fit").parse().unwrap();
        assert!(fitting > 1500 && fitting <= most + 45, "{found}");
        assert!(label(&link(fitting - 45), kind, LabelOptions::default()).is_ok(), "{found}");
    }
    let content = fingerpost_label::Content::read(
        &link(2500),
        SymbolKind::Qr,
        &fingerpost_label::LabelAddress::default(),
        &crate::support::options(),
    );
    let error = Label::new(&content.unwrap(), LabelOptions::default()).unwrap_err();
    assert_eq!(error.lower_level, Some(ErrorCorrection::Low));
    assert!(error.advice().starts_with("use error correction level L"), "{}", error.advice());
}

#[test]
fn pictures_have_limits() {
    let label = of(SymbolKind::Qr);
    assert_eq!(label.to_raster(71).unwrap_err(), NoRaster::Resolution { found: 71 });
    let poster = label.clone().with_x_dimension(Length::MAX);
    assert!(matches!(poster.to_raster(4800), Err(NoRaster::TooLarge { .. })));
    assert!(poster.to_svg().contains("mm\""));
}

#[test]
fn a_sheet_has_full_pages_and_counts() {
    let none = (Length::default(), Length::default());
    let layout = SheetLayout::new(Size::A4, "50x30mm".parse().unwrap(), none).unwrap();
    assert_eq!((layout.columns(), layout.rows()), (4, 9));
    let mut sheet = Sheet::begin(layout, Vec::new()).unwrap();
    let label = of(SymbolKind::Qr);
    assert!(sheet.check(&label).is_ok());
    let large = label.clone().with_x_dimension("0.99mm".parse().unwrap());
    assert!(
        sheet
            .check(&large)
            .unwrap_err()
            .to_string()
            .contains("larger than the label of 50 × 30 mm")
    );
    for _ in 0..37 {
        sheet.add(&label).unwrap();
    }
    assert_eq!(sheet.counts(), (37, 2));
    let pdf = sheet.finish().unwrap();
    let text = String::from_utf8_lossy(&pdf);
    assert!(text.contains("/Type /Pages /Count 2 /Kids [6 0 R\n8 0 R\n]"));
    let empty = Sheet::begin(layout, Vec::new()).unwrap().finish().unwrap();
    assert!(String::from_utf8_lossy(&empty).contains("/Count 1 "), "a document has a page");
}
