//! The content of a symbol: a GS1 Digital Link URI (GS1 Digital Link URI Syntax 1.4.1) or an
//! element string, and the text that people read below it.

use fingerpost_gs1::{Ai, DigitalLink, ElementString, Options, Order};
use fingerpost_identify::{Converter, Finding, Identifier, OutputForm, read_with};

use crate::symbol::SymbolKind;

/// How the address in a symbol is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressForm {
    /// Unchanged.
    #[default]
    Plain,
    /// With scheme and host in upper case, which are the same in any case (RFC 3986, section
    /// 6.2.2.1) and need less space in a QR Code.
    UpperCase,
    /// Compressed as in Digital Link 1.1, which GS1 has withdrawn: readers without a decompressor
    /// see no GTIN.
    Compressed,
}

impl AddressForm {
    /// All forms.
    pub const ALL: [AddressForm; 3] =
        [AddressForm::Plain, AddressForm::UpperCase, AddressForm::Compressed];

    /// Returns the machine-readable name.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            AddressForm::Plain => "plain",
            AddressForm::UpperCase => "upper-case",
            AddressForm::Compressed => "compressed",
        }
    }

    /// Returns the form with this machine-readable name.
    #[must_use]
    pub fn of_code(code: &str) -> Option<AddressForm> {
        AddressForm::ALL.into_iter().find(|form| form.code() == code)
    }
}

/// The address that symbols with a URI carry.
#[derive(Clone, Copy, Debug, Default)]
pub struct LabelAddress<'a> {
    /// The beginning, such as `https://id.example.org`. Without it, that of the input, or `https://id.gs1.org`.
    pub root: Option<&'a str>,
    /// How it is written.
    pub form: AddressForm,
}

/// What a symbol is to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    kind: SymbolKind,
    data: String,
    elements: Vec<String>,
    shown: Vec<String>,
    left_out: Vec<String>,
}

impl Content {
    /// Reads an identifier in any form, and returns what a symbol of this kind holds.
    ///
    /// ```
    /// use fingerpost_gs1::Options;
    /// use fingerpost_label::{LabelAddress, Content, SymbolKind};
    ///
    /// let address = LabelAddress { root: Some("https://id.brand.example"), ..LabelAddress::default() };
    /// let content = Content::read("9520123456788", SymbolKind::Qr, &address, &Options::new())?;
    /// assert_eq!(content.data(), "https://id.brand.example/01/09520123456788");
    /// assert_eq!(content.elements(), ["(01) 09520123456788"]);
    /// # Ok::<(), fingerpost_identify::Finding>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault of the text, with its position; or the reason it has no URI or element
    /// string.
    pub fn read(
        text: &str,
        kind: SymbolKind,
        address: &LabelAddress<'_>,
        options: &Options,
    ) -> Result<Content, Finding> {
        let (_, identifier) = read_with(text, options)?;
        Content::of(&identifier, kind, address, options)
            .map_err(|finding| finding.about(0..text.len()))
    }

    /// Returns what a symbol of this kind holds for an identifier.
    ///
    /// # Errors
    ///
    /// The identifier has no URI or element string, or the root is malformed. The span is empty.
    pub fn of(
        identifier: &Identifier<'_>,
        kind: SymbolKind,
        address: &LabelAddress<'_>,
        options: &Options,
    ) -> Result<Content, Finding> {
        let values = identifier.values().map_err(|error| Finding::of_epc(&error, 0..0))?;
        if let Identifier::Epc { .. } | Identifier::Urn(_) = identifier {
            // Data of a tag are read whatever the rules say; what is printed has to be valid.
            checked(values.iter(), options)?;
        }
        let shown = |(ai, value): (Ai, &str)| format!("({ai}) {value}");
        let elements: Vec<String> = values.iter().map(shown).collect();
        if !kind.holds_uri() && !kind.holds_element_string() {
            let gtin = values.get(Ai::GTIN).unwrap_or_default();
            let digits = digits(gtin, kind, &elements)?;
            let others = values.iter().filter(|(ai, _)| *ai != Ai::GTIN);
            let left_out = others.map(|(ai, _)| format!("({ai})")).chain(extensions_of(identifier));
            return Ok(Content {
                kind,
                data: digits.to_owned(),
                elements: vec![digits.to_owned()],
                shown: vec![shown((Ai::GTIN, gtin))],
                left_out: left_out.collect(),
            });
        }
        let (data, left_out) = if kind.holds_uri() {
            (uri(identifier, address, options)?, Vec::new())
        } else {
            (element_string(identifier, options)?, extensions_of(identifier))
        };
        Ok(Content { kind, data, shown: elements.clone(), elements, left_out })
    }

    /// Returns the kind of symbol.
    #[must_use]
    pub fn kind(&self) -> SymbolKind {
        self.kind
    }

    /// Returns the URI; the digits of the GTIN; or the element string without its leading FNC1,
    /// with GS (0x1D) as separator.
    #[must_use]
    pub fn data(&self) -> &str {
        &self.data
    }

    /// Returns the human-readable interpretation, one text for each element: `(01) 09520123456788`;
    /// of a symbol that holds nothing but a GTIN, its digits.
    #[must_use]
    pub fn elements(&self) -> &[String] {
        &self.elements
    }

    /// Returns what the symbol has no place for: query parameters, and elements beside a GTIN.
    #[must_use]
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Returns the elements that the human-readable interpretation shows, in the form of an element
    /// string.
    pub(crate) fn shown(&self) -> &[String] {
        &self.shown
    }
}

/// Returns the digits of a GTIN that a symbol holds.
fn digits<'g>(gtin: &'g str, kind: SymbolKind, elements: &[String]) -> Result<&'g str, Finding> {
    let refused = |found: &str, help: &str| {
        let wanted = match kind {
            SymbolKind::Ean13 => "a GTIN-13",
            SymbolKind::Ean8 => "a GTIN-8",
            SymbolKind::UpcA => "a GTIN-12",
            _ => "a GTIN",
        };
        let message = format!("expected {wanted} for {}, found {found}", kind.name());
        Finding::of_form("OTHER_SYMBOL", message, help, 0..0)
    };
    if gtin.len() != 14 || !gtin.is_ascii() {
        let found = elements.first().map_or("none", |element| element);
        return Err(refused(found, "use GS1-128 or a symbol of two dimensions"));
    }
    // Leading zeros fill a shorter GTIN up to fourteen digits.
    let (length, symbol) = match gtin.len() - gtin.trim_start_matches('0').len() {
        0 => (14, SymbolKind::Itf14),
        1 => (13, SymbolKind::Ean13),
        2..=5 => (12, SymbolKind::UpcA),
        _ => (8, SymbolKind::Ean8),
    };
    if kind == SymbolKind::Itf14 {
        return Ok(gtin);
    }
    if kind == symbol {
        return Ok(&gtin[14 - length..]);
    }
    let found = format!("the GTIN-{length} {}", &gtin[14 - length..]);
    Err(refused(&found, &format!("use {}", symbol.name())))
}

/// Returns the names of the parameters of a Digital Link that are not elements.
fn extensions_of(identifier: &Identifier<'_>) -> Vec<String> {
    match identifier {
        Identifier::Link(link) => extensions(link),
        Identifier::Rebuilt(read) => extensions(read.link()),
        _ => Vec::new(),
    }
}

fn uri(
    identifier: &Identifier<'_>,
    address: &LabelAddress<'_>,
    options: &Options,
) -> Result<String, Finding> {
    let mut converter = Converter::new().options(options);
    if let Some(root) = address.root {
        converter = converter.stem(root).map_err(|error| Finding::of_gs1(&error, 0))?;
    }
    match address.form {
        AddressForm::Plain => converter.write(OutputForm::DigitalLink, identifier),
        AddressForm::UpperCase => {
            converter.write(OutputForm::DigitalLink, identifier).map(|uri| in_upper_case(&uri))
        }
        AddressForm::Compressed => converter.write(OutputForm::Compressed, identifier),
    }
}

/// Returns a URI with scheme and authority in upper case. A triplet such as `%2f` is also the same
/// in any case.
pub(crate) fn in_upper_case(uri: &str) -> String {
    let Some(scheme) = uri.find("://") else { return uri.to_owned() };
    let authority = scheme + "://".len();
    let end = uri[authority..].find(['/', '?', '#']).map_or(uri.len(), |at| authority + at);
    [&uri[..end].to_ascii_uppercase(), &uri[end..]].concat()
}

/// Returns the element string of values that are valid by these options.
fn checked<'v>(
    values: impl Iterator<Item = (Ai, &'v str)>,
    options: &Options,
) -> Result<ElementString<'v>, Finding> {
    ElementString::from_pairs_with(values, options)
        .map_err(|error| Finding::of_gs1(&error, 0).about(0..0))
}

/// Returns the element string with elements of predefined length first, which need no separator.
fn element_string(identifier: &Identifier<'_>, options: &Options) -> Result<String, Finding> {
    let raw = |elements: &ElementString<'_>| elements.to_raw_gs(Order::PredefinedFirst);
    let raw = match identifier {
        Identifier::Elements(elements) => raw(elements),
        Identifier::Link(link) => raw(&link.to_element_string()),
        Identifier::Rebuilt(read) => raw(&read.link().to_element_string()),
        other => {
            let values = other.values().map_err(|error| Finding::of_epc(&error, 0..0))?;
            raw(&checked(values.iter(), options)?)
        }
    };
    // The leading FNC1 is a codeword of its own.
    Ok(raw.strip_prefix('\u{1d}').unwrap_or(&raw).to_owned())
}

fn extensions(link: &DigitalLink<'_>) -> Vec<String> {
    let pieces = link.extensions().map(|piece| piece.split('=').next().unwrap_or(piece).to_owned());
    pieces.filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, kind: SymbolKind, address: &LabelAddress<'_>) -> Result<Content, String> {
        Content::read(text, kind, address, &Options::new())
            .map_err(|finding| finding.code.to_owned())
    }

    #[test]
    fn every_kind_has_its_content() {
        let item = "(10)A/1(01)09520123456788(17)271231";
        let own =
            LabelAddress { root: Some("https://id.brand.example/x"), ..LabelAddress::default() };
        let uri = "https://id.brand.example/x/01/09520123456788/10/A%2F1?17=271231";
        for (kind, data) in [
            (SymbolKind::Qr, uri),
            (SymbolKind::DataMatrix, uri),
            (SymbolKind::Gs1DataMatrix, "01095201234567881727123110A/1"),
        ] {
            let content = read(item, kind, &own).unwrap();
            assert_eq!(content.data(), data);
            assert_eq!(content.elements(), ["(10) A/1", "(01) 09520123456788", "(17) 271231"]);
        }
        let two = read("(21)B(01)09520123456788(10)A", SymbolKind::Gs1DataMatrix, &own).unwrap();
        assert_eq!(two.data(), "010952012345678821B\u{1d}10A");
    }

    #[test]
    fn an_address_keeps_its_root_unless_another_is_given() {
        let link = "https://shop.example/a/01/09520123456788?linkType=all";
        let kept = read(link, SymbolKind::Qr, &LabelAddress::default()).unwrap();
        assert_eq!(kept.data(), link);
        let other =
            LabelAddress { root: Some("https://id.brand.example"), ..LabelAddress::default() };
        let moved = read(link, SymbolKind::Qr, &other).unwrap();
        assert_eq!(moved.data(), "https://id.brand.example/01/09520123456788");
        let elements = read(link, SymbolKind::Gs1DataMatrix, &other).unwrap();
        assert_eq!(elements.left_out(), ["linkType"]);
    }

    #[test]
    fn forms_of_the_address_are_the_same_identifier() {
        let link = "https://id.brand.example/x/01/09520123456788/10/aB";
        let form = |form| {
            let address = LabelAddress { root: None, form };
            read(link, SymbolKind::Qr, &address).unwrap().data().to_owned()
        };
        assert_eq!(
            form(AddressForm::UpperCase),
            "HTTPS://ID.BRAND.EXAMPLE/x/01/09520123456788/10/aB"
        );
        let compressed = form(AddressForm::Compressed);
        assert!(compressed.len() < link.len(), "{compressed}");
        for form in [form(AddressForm::UpperCase), compressed] {
            let again = read(&form, SymbolKind::Gs1DataMatrix, &LabelAddress::default()).unwrap();
            assert_eq!(again.data(), "010952012345678810aB");
        }
        for text in ["mailto:a", "https://A", "//a/b"] {
            assert!(in_upper_case(text).eq_ignore_ascii_case(text));
        }
    }

    #[test]
    fn what_has_no_content_is_refused() {
        let bad_root = LabelAddress { root: Some("ftp://a"), ..LabelAddress::default() };
        for (text, kind, address, code) in [
            ("(10)ABC", SymbolKind::Qr, LabelAddress::default(), "AI_REQUIREMENT_MISSING"),
            ("hello", SymbolKind::Qr, LabelAddress::default(), "NOT_RECOGNISED"),
            (
                "9520123456789",
                SymbolKind::Gs1DataMatrix,
                LabelAddress::default(),
                "EAN_CHECK_DIGIT",
            ),
            ("urn:epc:id:gid:1.2.3", SymbolKind::Qr, LabelAddress::default(), "NO_DIGITAL_LINK"),
            ("9520123456788", SymbolKind::Qr, bad_root, "URI_SCHEME"),
        ] {
            assert_eq!(read(text, kind, &address), Err(code.to_owned()), "{text}");
        }
    }
}
