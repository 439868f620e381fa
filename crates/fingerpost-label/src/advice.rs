//! Advice on a label: what may prevent a scan, from how far away it can be scanned, and which
//! shorter address makes it smaller.

use fingerpost_gs1::{DigitalLink, Options};

use crate::content::{Address, AddressForm, Content};
use crate::label::{Label, X_DIMENSION_GREATEST, X_DIMENSION_LEAST};
use crate::length::Length;
use crate::symbol::SymbolKind;

/// Advice on a label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// What may prevent that the label works.
    pub warnings: Vec<Warning>,
    /// Other forms of the address that make a smaller symbol.
    pub shorter: Vec<Shorter>,
}

/// Something that may prevent that a label works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The stable code: `DEFAULT_ROOT`.
    pub code: &'static str,
    /// What may happen.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// Another form of the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shorter {
    /// The form.
    pub form: AddressForm,
    /// The address.
    pub data: String,
    /// Modules of a row, without the quiet zone.
    pub modules: u32,
    /// The width of the symbol with its quiet zone.
    pub width: Length,
}

impl Advice {
    /// Returns advice on the label of a text that was read with `options`. `own_root` is the root
    /// of the resolver, if it is configured.
    #[must_use]
    pub fn of(
        label: &Label,
        content: &Content,
        text: &str,
        address: &Address<'_>,
        options: &Options,
        own_root: Option<&str>,
    ) -> Advice {
        let mut warnings: Vec<Warning> = root(content, own_root).into_iter().collect();
        warnings.extend(x_dimension(label.x_dimension()));
        warnings.extend(left_out(content));
        if content.kind().holds_uri() && address.form == AddressForm::Compressed {
            warnings.push(Warning {
                code: "COMPRESSED",
                message: "checkouts find no GTIN in a compressed address, and GS1 has withdrawn this compression".to_owned(),
                help: "use it only where all readers decompress it".to_owned(),
            });
        }
        Advice { warnings, shorter: shorter(label, text, address, options) }
    }

    /// Returns the distance from which a phone reads a QR Code: about ten times its width. This is
    /// a rule of thumb of those who make codes and readers for phones; no standard sets it. For
    /// Data Matrix, which scanners of other kinds read, there is none.
    #[must_use]
    pub fn scanning_distance(label: &Label) -> Option<Length> {
        let is_qr = label.symbol().kind() == SymbolKind::Qr;
        is_qr.then(|| label.dark_width().times(DISTANCE))
    }

    /// Returns the width of a module that makes a label readable from this distance, at least that
    /// of retail.
    #[must_use]
    pub fn x_dimension_for(label: &Label, distance: Length) -> Length {
        let modules = label.symbol().matrix().width().max(1);
        let needed = distance.micrometres().div_ceil(DISTANCE * modules);
        Length::from_micrometres(needed).max(X_DIMENSION_LEAST)
    }

    /// Returns a warning if a module has another width as pixels than was asked for.
    #[must_use]
    pub fn of_pixels(label: &Label, dpi: u32) -> Option<Warning> {
        let (wanted, drawn) = (label.x_dimension(), label.module_width(dpi));
        let pixels = label.module_pixels(dpi);
        let plural = if pixels == 1 { "" } else { "s" };
        (wanted != drawn).then(|| Warning {
            code: "X_DIMENSION_ADJUSTED",
            message: format!(
                "a module is {drawn} wide instead of {wanted}: {pixels} whole pixel{plural} at {dpi} dpi"
            ),
            help: "use SVG or PDF for the exact width, or another resolution".to_owned(),
        })
    }
}

fn root(content: &Content, own_root: Option<&str>) -> Option<Warning> {
    if !content.kind().holds_uri() {
        return None;
    }
    let own = own_root.map(|root| root.trim_end_matches('/'));
    let begins = |root: &str| {
        let beginning = content.data().get(..root.len());
        let rest = content.data().get(root.len()..).unwrap_or_default();
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(root))
            && rest.starts_with('/')
    };
    if own.is_some_and(begins) {
        return None;
    }
    let help = own.map_or_else(
        || "use the address of your own resolver, which must stay the same as long as the label is in use".to_owned(),
        |own| format!("use the address of your resolver: {own}"),
    );
    let (code, message) = if begins(EXAMPLE_ROOT) {
        (
            "DEFAULT_ROOT",
            format!(
                "the address begins with {EXAMPLE_ROOT}, the default for examples: nobody can open it"
            ),
        )
    } else if begins(DigitalLink::REFERENCE_STEM) {
        let root = DigitalLink::REFERENCE_STEM;
        ("DEFAULT_ROOT", format!("the address begins with {root}: scans go to the resolver of GS1"))
    } else {
        let own = own?;
        (
            "OTHER_ROOT",
            format!("the address does not begin with {own}: scans do not go to your resolver"),
        )
    };
    Some(Warning { code, message, help })
}

fn x_dimension(x_dimension: Length) -> Option<Warning> {
    let (code, relation, limit) = if x_dimension < X_DIMENSION_LEAST {
        ("X_DIMENSION_SMALL", "less than", X_DIMENSION_LEAST)
    } else if x_dimension > X_DIMENSION_GREATEST {
        ("X_DIMENSION_LARGE", "more than", X_DIMENSION_GREATEST)
    } else {
        return None;
    };
    Some(Warning {
        code,
        message: format!(
            "a module is {x_dimension} wide, {relation} the {limit} that checkouts are made for (GS1 General Specifications, section \
             5.12.3.1)"
        ),
        help: format!(
            "use {X_DIMENSION_LEAST} to {X_DIMENSION_GREATEST} for what is sold at a checkout"
        ),
    })
}

fn left_out(content: &Content) -> Option<Warning> {
    let names = content.left_out().join(", ");
    (!names.is_empty()).then(|| Warning {
        code: "LEFT_OUT",
        message: format!("an element string has no place for {names}"),
        help: "use a symbol with the address, if the label needs them".to_owned(),
    })
}

fn shorter(label: &Label, text: &str, address: &Address<'_>, options: &Options) -> Vec<Shorter> {
    let kind = label.symbol().kind();
    if !kind.holds_uri() {
        return Vec::new();
    }
    let forms = AddressForm::ALL.into_iter().filter(|form| *form != address.form);
    let found = forms.filter_map(|form| {
        let other = Content::read(text, kind, &Address { form, ..*address }, options).ok()?;
        let smaller = Label::new(&other, label.options()).ok()?;
        let modules = smaller.symbol().matrix().width();
        let width = smaller.symbol_width();
        let is_smaller = modules < label.symbol().matrix().width();
        is_smaller.then(|| Shorter { form, data: other.data().to_owned(), modules, width })
    });
    found.collect()
}

/// The root that is used if none is configured.
const EXAMPLE_ROOT: &str = "https://id.example.org";

/// A phone reads a QR Code from about this many times its width.
const DISTANCE: u32 = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::LabelOptions;

    fn advice(text: &str, kind: SymbolKind, address: Address<'_>, own: Option<&str>) -> Advice {
        let options = Options::new();
        let content = Content::read(text, kind, &address, &options).unwrap();
        let label = Label::new(&content, LabelOptions::default()).unwrap();
        Advice::of(&label, &content, text, &address, &options, own)
    }

    fn codes(text: &str, kind: SymbolKind, own: Option<&str>) -> Vec<&'static str> {
        let advice = advice(text, kind, Address::default(), own);
        advice.warnings.iter().map(|warning| warning.code).collect()
    }

    #[test]
    fn roots_that_lead_elsewhere_are_reported() {
        let own = Some("https://id.brand.example/");
        let path = "/01/09520123456788";
        for (root, own, expected) in [
            ("https://id.example.org", None, &["DEFAULT_ROOT"][..]),
            ("https://id.example.org", own, &["DEFAULT_ROOT"]),
            ("HTTPS://ID.EXAMPLE.ORG", own, &["DEFAULT_ROOT"]),
            ("https://id.gs1.org", None, &["DEFAULT_ROOT"]),
            ("https://id.brand.example", own, &[]),
            ("HTTPS://ID.BRAND.EXAMPLE", own, &[]),
            ("https://id.brand.example.org", own, &["OTHER_ROOT"]),
            ("https://shop.example", own, &["OTHER_ROOT"]),
            ("https://shop.example", None, &[]),
            ("https://id.example.org", Some("https://id.example.org"), &[]),
        ] {
            assert_eq!(codes(&format!("{root}{path}"), SymbolKind::Qr, own), expected, "{root}");
        }
        assert_eq!(codes("9520123456788", SymbolKind::Gs1DataMatrix, own), [""; 0]);
    }

    #[test]
    fn parameters_without_a_place_are_reported() {
        let link = "https://shop.example/01/09520123456788?linkType=all&17=271231";
        assert_eq!(codes(link, SymbolKind::Gs1DataMatrix, None), ["LEFT_OUT"]);
    }

    #[test]
    fn upper_case_makes_a_smaller_qr_code() {
        let link = "https://brand.example/01/09520123456788";
        let found = advice(link, SymbolKind::Qr, Address::default(), None);
        let upper = found.shorter.iter().find(|one| one.form == AddressForm::UpperCase).unwrap();
        assert_eq!((upper.modules, &*upper.data), (25, "HTTPS://BRAND.EXAMPLE/01/09520123456788"));
        assert_eq!(upper.width.to_string(), "16.335 mm");
        let already = Address { root: None, form: AddressForm::UpperCase };
        assert!(advice(link, SymbolKind::Qr, already, None).shorter.is_empty());
    }

    #[test]
    fn distance_and_size_belong_together() {
        let options = Options::new();
        let link = "https://id.brand.example/01/09520123456788";
        let content = Content::read(link, SymbolKind::Qr, &Address::default(), &options).unwrap();
        let label = Label::new(&content, LabelOptions::default()).unwrap();
        assert_eq!(Advice::scanning_distance(&label).map(Length::micrometres), Some(143_550));
        let metre = "1m".parse().unwrap();
        let far = label.clone().with_x_dimension(Advice::x_dimension_for(&label, metre));
        assert!(far.dark_width().micrometres() >= 100_000);
        assert!(far.dark_width().micrometres() < 100_100);
        let near = Advice::x_dimension_for(&label, "5cm".parse().unwrap());
        assert_eq!(near, X_DIMENSION_LEAST);
    }

    #[test]
    fn widths_outside_of_the_range_are_reported() {
        let code = |text: &str| x_dimension(text.parse().unwrap()).map(|warning| warning.code);
        assert_eq!(code("0.395"), Some("X_DIMENSION_SMALL"));
        assert_eq!(code("0.396"), None);
        assert_eq!(code("0.99"), None);
        assert_eq!(code("0.991"), Some("X_DIMENSION_LARGE"));
    }
}
