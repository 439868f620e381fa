//! Any text gives a label or an error, and random identifiers are read back.

use datamatrix::DataMatrix;
use fingerpost_gs1::{Date, Options};
use fingerpost_label::{
    AddressForm, Advice, Content, Label, LabelAddress, LabelOptions, Length, SymbolKind,
};
use proptest::prelude::*;

/// Characters of values (GS1 AI encodable character set 82).
const VALUE: &str = r#"[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]{1,20}"#;

fn item() -> impl Strategy<Value = String> {
    let part = |ai: &'static str| {
        let value = VALUE.prop_filter("no path has it", |value| !matches!(&**value, "." | ".."));
        proptest::option::of(value).prop_map(move |value| {
            value.map(|value| format!("({ai}){}", value.replace('(', r"\("))).unwrap_or_default()
        })
    };
    ("[0-9]{13}", part("22"), part("10"), part("21"), part("91"), part("99")).prop_map(
        |(digits, variant, lot, serial, own, other)| {
            let check = fingerpost_gs1::check_digit::of(digits.as_bytes());
            format!("(01){digits}{}{variant}{lot}{serial}{own}{other}", char::from(check))
        },
    )
}

fn label(text: &str, kind: SymbolKind, form: AddressForm) -> Option<Label> {
    let address = LabelAddress { root: None, form };
    let content = Content::read(text, kind, &address, &Options::new().requisites(false)).ok()?;
    let label = Label::new(&content, LabelOptions::default()).ok()?;
    let _ = Advice::of(
        &label,
        &content,
        text,
        &address,
        &Options::new(),
        None,
        Date::new(2026, 11, 27).unwrap(),
    );
    Some(label)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_gives_a_label_or_an_error(text in ".{0,200}") {
        for kind in SymbolKind::ALL {
            for form in AddressForm::ALL {
                if let Some(label) = label(&text, kind, form) {
                    prop_assert!(!label.to_svg().is_empty() && !label.to_pdf().is_empty());
                }
            }
        }
    }

    #[test]
    fn random_data_matrices_hold_their_data(text in item()) {
        for kind in [SymbolKind::DataMatrix, SymbolKind::Gs1DataMatrix] {
            let label = label(&text, kind, AddressForm::Plain).expect("a valid item");
            let matrix = label.symbol().matrix();
            let cells = (0..matrix.height()).flat_map(|y| (0..matrix.width()).map(move |x| (x, y)));
            let cells: Vec<bool> = cells.map(|(x, y)| matrix.is_dark(x, y)).collect();
            let read = DataMatrix::decode(&cells, matrix.width() as usize);
            prop_assert_eq!(read.as_deref(), Ok(label.symbol().data().as_bytes()));
        }
    }

    #[test]
    fn pictures_have_whole_pixels_and_no_module_is_too_small(
        text in item(), micrometres in 100_u32..2000, dpi in 72_u32..1300,
    ) {
        let label = label(&text, SymbolKind::Qr, AddressForm::Plain).expect("a valid item");
        let label = label.with_x_dimension(Length::from_micrometres(micrometres));
        let raster = label.to_raster(dpi).expect("a small picture");
        let module = raster.module_pixels();
        let side = label.symbol().matrix().width() + 8;
        let symbol = module * side;
        prop_assert!(raster.width() >= symbol);
        let left = (raster.width() - symbol) / 2;
        for y in 0..side {
            for x in 0..side {
                let dark = x >= 4 && y >= 4 && label.symbol().matrix().is_dark(x - 4, y - 4);
                let (first, last) = (0, module - 1);
                for (dx, dy) in [(first, first), (last, first), (first, last), (last, last)] {
                    prop_assert_eq!(raster.is_black(left + x * module + dx, y * module + dy), dark);
                }
            }
        }
        if micrometres >= 396 {
            prop_assert!(label.module_width(dpi).micrometres() >= 396);
        }
    }
}
