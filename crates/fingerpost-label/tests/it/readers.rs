//! Symbols in files, as printers of 203, 300 and 600 dpi and screens draw them, are read by zbar
//! (QR Code) and dmtx (Data Matrix).
//!
//! `rsvg-convert` and `pdftoppm` draw SVG and PDF. `.ci/run` installs all four from Debian; without
//! them the tests are skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

use fingerpost_label::{Label, LabelOptions, Sheet, SheetLayout, Size, SymbolKind};
use fingerpost_testkit::skipped;
use tempfile::TempDir;

use crate::support::{content, label};

const RESOLUTIONS: [u32; 3] = [203, 300, 600];

/// What FNC1 is shown as.
const FNC1: &str = "~";

fn are_installed(test: &str) -> bool {
    for (program, package) in [
        ("zbarimg", "zbar-tools"),
        ("dmtxread", "dmtx-utils"),
        ("rsvg-convert", "librsvg2-bin"),
        ("pdftoppm", "poppler-utils"),
    ] {
        if Command::new(program).arg("--version").output().is_err() {
            skipped(test, &format!("{program} is not installed (Debian: {package})"));
            return false;
        }
    }
    true
}

#[track_caller]
fn output(command: &mut Command) -> Vec<u8> {
    let output = command.output().expect("an installed program");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    output.stdout
}

/// Labels of different sizes.
fn items() -> Vec<String> {
    let mut items = vec![
        "https://id.brand.example/01/09520123456788".to_owned(),
        "HTTPS://ID.BRAND.EXAMPLE/01/09520123456788".to_owned(),
        "(00)195201234567891232".to_owned(),
        "(414)9520123456788(254)A/1".to_owned(),
        "(01)09520123456788(10)ABC(17)271231(21)x\"y%z".to_owned(),
        "(01)09520123456788(21)A(3103)000195(3922)1299(8008)27013112".to_owned(),
        "3066c4409047e14000001a85".to_owned(),
    ];
    for length in [5, 10, 20, 45, 90] {
        let text: String = "A1b2-C3/d4_E5".chars().cycle().take(length).collect();
        items.push(format!("(01)09520123456788(10)L7(21)S{length}(99){text}"));
    }
    items
}

/// Writes the label in every format and at these resolutions; returns the pictures.
fn pictures(folder: &Path, name: &str, label: &Label, resolutions: &[u32]) -> Vec<PathBuf> {
    let file = |end: String| folder.join(format!("{name}{end}"));
    let (svg, pdf) = (file(".svg".into()), file(".pdf".into()));
    std::fs::write(&svg, label.to_svg()).unwrap();
    std::fs::write(&pdf, label.to_pdf()).unwrap();
    let mut pictures = Vec::new();
    for dpi in resolutions {
        let png = file(format!("-png-{dpi}.png"));
        std::fs::write(&png, label.to_raster(*dpi).unwrap().to_png()).unwrap();
        let drawn = file(format!("-svg-{dpi}.png"));
        // A SVG of n mm is n / 25.4 * dpi pixels wide.
        let dots = dpi.to_string();
        let mut convert = Command::new("rsvg-convert");
        convert.args(["--dpi-x", &dots, "--dpi-y", &dots, "-o"]).arg(&drawn).arg(&svg);
        output(&mut convert);
        let printed = file(format!("-pdf-{dpi}"));
        let mut convert = Command::new("pdftoppm");
        convert.args(["-png", "-singlefile", "-r", &dots]).arg(&pdf).arg(&printed);
        output(&mut convert);
        pictures.extend([png, drawn, file(format!("-pdf-{dpi}.png"))]);
    }
    pictures
}

/// Returns a command that reads symbols of one kind only.
fn zbar(symbology: &str) -> Command {
    let mut command = Command::new("zbarimg");
    command.args(["--quiet", "--raw", "--nodbus", "-Sdisable", &format!("-S{symbology}.enable")]);
    command
}

/// Returns what is read in each picture.
fn read(kind: SymbolKind, picture: &Path) -> String {
    let mut command = match kind {
        SymbolKind::Qr => zbar("qrcode"),
        // A UPC-A is an EAN-13 whose first digit is 0.
        SymbolKind::Ean13 | SymbolKind::UpcA => zbar("ean13"),
        SymbolKind::Ean8 => zbar("ean8"),
        SymbolKind::Itf14 => zbar("i25"),
        SymbolKind::Gs1_128 => zbar("code128"),
        SymbolKind::DataMatrix => Command::new("dmtxread"),
        SymbolKind::Gs1DataMatrix => {
            let mut command = Command::new("dmtxread");
            // Shows FNC1 as this character, and fails to show it where there is none.
            command.args(["--gs1", &u32::from(b'~').to_string()]);
            command
        }
    };
    if matches!(kind, SymbolKind::DataMatrix | SymbolKind::Gs1DataMatrix) {
        command.args(["--stop-after", "1", "--milliseconds", "20000"]);
    }
    let found = String::from_utf8(output(command.arg(picture))).expect("ASCII");
    found.strip_suffix('\n').map(str::to_owned).unwrap_or(found)
}

fn expected(label: &Label) -> String {
    match label.symbol().kind() {
        SymbolKind::Gs1DataMatrix => [FNC1, label.symbol().data()].concat(),
        _ => label.symbol().data().to_owned(),
    }
}

#[test]
fn files_are_read_at_the_resolutions_of_printers() {
    if !are_installed("files of labels") {
        return;
    }
    let folder = TempDir::new().unwrap();
    let mut count = 0;
    for (nth, item) in items().iter().enumerate() {
        for kind in SymbolKind::MATRIX {
            let options = LabelOptions { has_text: nth % 2 == 0, ..LabelOptions::default() };
            let label = label(item, kind, options).unwrap();
            // Drawing and reading takes seconds: each kind has every resolution four times.
            let resolution = [RESOLUTIONS[nth % RESOLUTIONS.len()]];
            let name = format!("{nth}-{}", kind.code());
            for picture in pictures(folder.path(), &name, &label, &resolution) {
                assert_eq!(read(kind, &picture), expected(&label), "{}", picture.display());
                count += 1;
            }
        }
    }
    println!("{count} pictures read");
    assert!(count >= 100);
}

/// IN-11: alone, and both of a label with two.
#[test]
fn files_of_linear_symbols_are_read() {
    if !are_installed("files of linear symbols") {
        return;
    }
    let folder = TempDir::new().unwrap();
    for (item, kind, expected) in [
        ("9520123456788", SymbolKind::Ean13, "9520123456788"),
        ("95201238", SymbolKind::Ean8, "95201238"),
        ("012345678905", SymbolKind::UpcA, "0012345678905"),
        ("(01)19520123456785", SymbolKind::Itf14, "19520123456785"),
        ("(01)09520123456788(10)Ab/1(21)7", SymbolKind::Gs1_128, "010952012345678810Ab/1\u{1d}217"),
        ("(00)195201234567891232", SymbolKind::Gs1_128, "00195201234567891232"),
    ] {
        // Pages without a whole number of pixels for a module blur what is too small for them.
        let x_dimension = Some("0.66mm".parse().unwrap());
        let options = LabelOptions { x_dimension, ..LabelOptions::default() };
        let alone = label(item, kind, options).unwrap();
        let name = format!("{}-{}", kind.code(), item.len());
        for picture in pictures(folder.path(), &name, &alone, &RESOLUTIONS) {
            assert_eq!(read(kind, &picture), expected, "{}", picture.display());
        }
        let Ok(qr) = label(item, SymbolKind::Qr, options) else { continue };
        let both = qr.beside(&content(item, kind).unwrap()).unwrap();
        let name = format!("both-{name}");
        for picture in pictures(folder.path(), &name, &both, &RESOLUTIONS) {
            assert_eq!(read(SymbolKind::Qr, &picture), both.symbol().data(), "{picture:?}");
            assert_eq!(read(kind, &picture), expected, "{}", picture.display());
        }
    }
}

#[test]
fn all_symbols_of_a_sheet_are_read() {
    if !are_installed("sheets") {
        return;
    }
    let folder = TempDir::new().unwrap();
    let gap = ("2.5mm".parse().unwrap(), fingerpost_label::Length::default());
    let layout = SheetLayout::new(Size::A4, Size::LABEL, gap).unwrap();
    let options = LabelOptions { text_width: Some(layout.text_width()), ..LabelOptions::default() };
    let mut sheet = Sheet::begin(layout, Vec::new()).unwrap();
    let mut expected = Vec::new();
    for serial in 0..30 {
        let label =
            label(&format!("(01)09520123456788(21)S{serial}"), SymbolKind::Qr, options).unwrap();
        sheet.check(&label).unwrap();
        sheet.add(&label).unwrap();
        expected.push(label.symbol().data().to_owned());
    }
    let pdf = folder.path().join("sheet.pdf");
    std::fs::write(&pdf, sheet.finish().unwrap()).unwrap();
    output(
        Command::new("pdftoppm")
            .args(["-png", "-r", "300"])
            .arg(&pdf)
            .arg(folder.path().join("page")),
    );
    let mut found = Vec::new();
    for page in ["page-1.png", "page-2.png"] {
        found.extend(read(SymbolKind::Qr, &folder.path().join(page)).lines().map(str::to_owned));
    }
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_pdf_page_is_as_large_as_the_label() {
    if !are_installed("sizes of pages") {
        return;
    }
    let folder = TempDir::new().unwrap();
    let label = label("9520123456788", SymbolKind::Qr, LabelOptions::default()).unwrap();
    let pdf = folder.path().join("label.pdf");
    std::fs::write(&pdf, label.to_pdf()).unwrap();
    let facts = String::from_utf8(output(Command::new("pdfinfo").arg(&pdf))).unwrap();
    let size = facts.lines().find_map(|line| line.strip_prefix("Page size:")).unwrap();
    let numbers: Vec<f64> = size.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!((numbers[0] - label.width().points()).abs() < 0.01, "{size}");
    assert!((numbers[1] - label.height().points()).abs() < 0.01, "{size}");
}
