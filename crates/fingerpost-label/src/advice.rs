//! Advice on a label: what may prevent a scan, from how far away it can be scanned, and which
//! shorter address makes it smaller.

use fingerpost_gs1::{Date, DigitalLink, Options};

use crate::content::{AddressForm, Content, LabelAddress};
use crate::kind::{SymbolKind, XDimensions};
use crate::label::Label;
use crate::length::Length;

mod dates;

/// Advice on a label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// What may prevent that the label works.
    pub warnings: Vec<LabelWarning>,
    /// Other forms of the address that make a smaller symbol.
    pub shorter: Vec<Shorter>,
}

/// Something that may prevent that a label works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelWarning {
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
    /// of the resolver, if it is configured; dates before `today` have passed.
    #[must_use]
    pub fn of(
        label: &Label,
        content: &Content,
        text: &str,
        address: &LabelAddress<'_>,
        options: &Options,
        own_root: Option<&str>,
        today: Date,
    ) -> Advice {
        let mut warnings: Vec<LabelWarning> = root(content, own_root).into_iter().collect();
        warnings.extend(x_dimension(content.kind(), label.x_dimension()));
        warnings.extend(bar_height(label));
        warnings.extend(width(label));
        warnings.extend(left_out(content));
        warnings.extend(dates::advice(text, options, today));
        if content.kind().holds_uri() && address.form == AddressForm::Compressed {
            warnings.push(LabelWarning {
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
        let symbol = label.symbol();
        let needed = distance.micrometres().div_ceil(DISTANCE * symbol.modules().max(1));
        Length::from_micrometres(needed).max(symbol.kind().x_dimensions().least)
    }

    /// Returns a warning if a module has another width as pixels than was asked for.
    #[must_use]
    pub fn of_pixels(label: &Label, dpi: u32) -> Option<LabelWarning> {
        let (wanted, drawn) = (label.x_dimension(), label.module_width(dpi));
        let pixels = label.module_pixels(dpi);
        let plural = if pixels == 1 { "" } else { "s" };
        (wanted != drawn).then(|| LabelWarning {
            code: "X_DIMENSION_ADJUSTED",
            message: format!(
                "a module is {drawn} wide instead of {wanted}: {pixels} whole pixel{plural} at {dpi} dpi"
            ),
            help: "use SVG or PDF for the exact width, or another resolution".to_owned(),
        })
    }
}

fn root(content: &Content, own_root: Option<&str>) -> Option<LabelWarning> {
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
    Some(LabelWarning { code, message, help })
}

fn x_dimension(kind: SymbolKind, x_dimension: Length) -> Option<LabelWarning> {
    let XDimensions { least, greatest, .. } = kind.x_dimensions();
    let (code, relation, limit) = if x_dimension < least {
        ("X_DIMENSION_SMALL", "less than", least)
    } else if x_dimension > greatest {
        ("X_DIMENSION_LARGE", "more than", greatest)
    } else {
        return None;
    };
    let (scanners, section, whose) = if is_for_distribution(kind) {
        ("scanners in general distribution", "5.12.3.2", "for cartons and pallets")
    } else {
        ("checkouts", "5.12.3.1", "for what is sold at a checkout")
    };
    Some(LabelWarning {
        code,
        message: format!(
            "a module is {x_dimension} wide, {relation} the {limit} that {scanners} are made for (GS1 General Specifications, section \
             {section})"
        ),
        help: format!("use {least} to {greatest} {whose}"),
    })
}

/// Returns whether a symbol is scanned on cartons and pallets rather than at checkouts.
fn is_for_distribution(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Itf14 | SymbolKind::Gs1_128)
}

fn bar_height(label: &Label) -> Option<LabelWarning> {
    let chosen = label.options().bar_height?;
    let low = label.parts().iter().find_map(|part| {
        let kind = part.symbol.kind();
        Some((kind, kind.bar_height(part.x_dimension).filter(|usual| chosen < *usual)?))
    });
    low.map(|(kind, usual)| LabelWarning {
        code: "BARS_LOW",
        message: format!(
            "the bars are {chosen} high, less than the {usual} of this {}: a scanner may need several attempts",
            kind.name()
        ),
        help: format!("use {usual}, or leave out the height"),
    })
}

fn width(label: &Label) -> Option<LabelWarning> {
    let wide = label.parts().iter().find_map(|part| {
        let width = part.size(part.x_dimension).width;
        (part.symbol.kind() == SymbolKind::Gs1_128 && width > GS1_128_GREATEST).then_some(width)
    });
    wide.map(|width| LabelWarning {
        code: "SYMBOL_WIDE",
        message: format!(
            "the GS1-128 is {width} wide, more than the {GS1_128_GREATEST} that scanners are made for (GS1 General Specifications, \
             section 5.4.4.3)"
        ),
        help: "leave out elements, or divide them between two symbols".to_owned(),
    })
}

fn left_out(content: &Content) -> Option<LabelWarning> {
    let names = content.left_out().join(", ");
    let (holder, help) = if content.kind().holds_element_string() {
        ("an element string", "use a symbol with the address, if the label needs them")
    } else {
        ("a symbol with a GTIN", "use another symbol, or put this one beside it")
    };
    (!names.is_empty()).then(|| LabelWarning {
        code: "LEFT_OUT",
        message: format!("{holder} has no place for {names}"),
        help: help.to_owned(),
    })
}

fn shorter(
    label: &Label,
    text: &str,
    address: &LabelAddress<'_>,
    options: &Options,
) -> Vec<Shorter> {
    let kind = label.symbol().kind();
    if !kind.holds_uri() {
        return Vec::new();
    }
    let forms = AddressForm::ALL.into_iter().filter(|form| *form != address.form);
    let found = forms.filter_map(|form| {
        let other = Content::read(text, kind, &LabelAddress { form, ..*address }, options).ok()?;
        let smaller = Label::new(&other, label.options()).ok()?;
        let modules = smaller.symbol().modules();
        let width = smaller.symbol_width();
        let is_smaller = modules < label.symbol().matrix().width();
        is_smaller.then(|| Shorter { form, data: other.data().to_owned(), modules, width })
    });
    found.collect()
}

/// The root that is used if none is configured.
const EXAMPLE_ROOT: &str = "https://id.example.org";

/// The greatest width of a GS1-128 with its quiet zones.
const GS1_128_GREATEST: Length = Length::from_micrometres(165_100);

/// A phone reads a QR Code from about this many times its width.
const DISTANCE: u32 = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::LabelOptions;

    fn advice(
        text: &str,
        kind: SymbolKind,
        address: LabelAddress<'_>,
        own: Option<&str>,
    ) -> Advice {
        let options = Options::new();
        let content = Content::read(text, kind, &address, &options).unwrap();
        let label = Label::new(&content, LabelOptions::default()).unwrap();
        Advice::of(
            &label,
            &content,
            text,
            &address,
            &options,
            own,
            Date::new(2026, 11, 27).unwrap(),
        )
    }

    fn codes(text: &str, kind: SymbolKind, own: Option<&str>) -> Vec<&'static str> {
        let advice = advice(text, kind, LabelAddress::default(), own);
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
        let found = advice(link, SymbolKind::Qr, LabelAddress::default(), None);
        let upper = found.shorter.iter().find(|one| one.form == AddressForm::UpperCase).unwrap();
        assert_eq!((upper.modules, &*upper.data), (25, "HTTPS://BRAND.EXAMPLE/01/09520123456788"));
        assert_eq!(upper.width.to_string(), "16.335 mm");
        let already = LabelAddress { root: None, form: AddressForm::UpperCase };
        assert!(advice(link, SymbolKind::Qr, already, None).shorter.is_empty());
    }

    #[test]
    fn distance_and_size_belong_together() {
        let options = Options::new();
        let link = "https://id.brand.example/01/09520123456788";
        let content =
            Content::read(link, SymbolKind::Qr, &LabelAddress::default(), &options).unwrap();
        let label = Label::new(&content, LabelOptions::default()).unwrap();
        assert_eq!(Advice::scanning_distance(&label).map(Length::micrometres), Some(143_550));
        let metre = "1m".parse().unwrap();
        let far = label.clone().with_x_dimension(Advice::x_dimension_for(&label, metre));
        assert!(far.dark_width().micrometres() >= 100_000);
        assert!(far.dark_width().micrometres() < 100_100);
        let near = Advice::x_dimension_for(&label, "5cm".parse().unwrap());
        assert_eq!(near.micrometres(), 396);
    }

    #[test]
    fn widths_outside_of_the_range_are_reported() {
        let code = |text: &str| {
            x_dimension(SymbolKind::Qr, text.parse().unwrap()).map(|warning| warning.code)
        };
        assert_eq!(code("0.395"), Some("X_DIMENSION_SMALL"));
        assert_eq!(code("0.396"), None);
        assert_eq!(code("0.99"), None);
        assert_eq!(code("0.991"), Some("X_DIMENSION_LARGE"));
    }
}
