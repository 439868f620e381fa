//! The content of a symbol: a GS1 Digital Link URI (GS1 Digital Link URI Syntax 1.4.1) or an
//! element string, and the text that people read below it.

use fingerpost_gs1::{DigitalLink, ElementString, Options, Order};
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
pub struct Address<'a> {
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
    left_out: Vec<String>,
}

impl Content {
    /// Reads an identifier in any form, and returns what a symbol of this kind holds.
    ///
    /// ```
    /// use fingerpost_gs1::Options;
    /// use fingerpost_label::{Address, Content, SymbolKind};
    ///
    /// let address = Address { root: Some("https://id.brand.example"), ..Address::default() };
    /// let content = Content::read("9520123456788", SymbolKind::Qr, &address, &Options::new())?;
    /// assert_eq!(content.data(), "https://id.brand.example/01/09520123456788");
    /// assert_eq!(content.elements(), ["(01) 09520123456788"]);
    /// # Ok::<(), fingerpost_identify::Finding>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault of the text, with its place; or the reason it has no URI or element string.
    pub fn read(
        text: &str,
        kind: SymbolKind,
        address: &Address<'_>,
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
        address: &Address<'_>,
        options: &Options,
    ) -> Result<Content, Finding> {
        if let Identifier::Epc { .. } | Identifier::Urn(_) = identifier {
            // Data of a tag are read whatever the rules say; what is printed has to be valid.
            let values =
                identifier.values().and_then(|values| values.to_element_string().map(drop));
            values.map_err(|error| Finding::of_epc(&error, 0..0))?;
        }
        let data = if kind.holds_uri() {
            uri(identifier, address, options)?
        } else {
            element_string(identifier)?
        };
        let values = identifier.values().map_err(|error| Finding::of_epc(&error, 0..0))?;
        let elements = values.iter().map(|(ai, value)| format!("({ai}) {value}")).collect();
        let left_out = match identifier {
            _ if kind.holds_uri() => Vec::new(),
            Identifier::Link(link) => extensions(link),
            Identifier::Rebuilt(read) => extensions(read.link()),
            _ => Vec::new(),
        };
        Ok(Content { kind, data, elements, left_out })
    }

    /// Returns the kind of symbol.
    #[must_use]
    pub fn kind(&self) -> SymbolKind {
        self.kind
    }

    /// Returns the URI; or the element string without its leading FNC1, with GS (0x1D) as
    /// separator.
    #[must_use]
    pub fn data(&self) -> &str {
        &self.data
    }

    /// Returns the human-readable interpretation, one text for each element: `(01) 09520123456788`.
    #[must_use]
    pub fn elements(&self) -> &[String] {
        &self.elements
    }

    /// Returns the query parameters that an element string has no place for.
    #[must_use]
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }
}

fn uri(
    identifier: &Identifier<'_>,
    address: &Address<'_>,
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

/// Returns the element string with elements of predefined length first, which need no separator.
fn element_string(identifier: &Identifier<'_>) -> Result<String, Finding> {
    let raw = |elements: &ElementString<'_>| elements.to_raw_gs(Order::PredefinedFirst);
    let raw = match identifier {
        Identifier::Elements(elements) => raw(elements),
        Identifier::Link(link) => raw(&link.to_element_string()),
        Identifier::Rebuilt(read) => raw(&read.link().to_element_string()),
        other => {
            let values = other.values().and_then(|values| Ok(raw(&values.to_element_string()?)));
            values.map_err(|error| Finding::of_epc(&error, 0..0))?
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

    fn read(text: &str, kind: SymbolKind, address: &Address<'_>) -> Result<Content, String> {
        Content::read(text, kind, address, &Options::new())
            .map_err(|finding| finding.code.to_owned())
    }

    #[test]
    fn every_kind_has_its_content() {
        let item = "(10)A/1(01)09520123456788(17)271231";
        let own = Address { root: Some("https://id.brand.example/x"), ..Address::default() };
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
        let kept = read(link, SymbolKind::Qr, &Address::default()).unwrap();
        assert_eq!(kept.data(), link);
        let other = Address { root: Some("https://id.brand.example"), ..Address::default() };
        let moved = read(link, SymbolKind::Qr, &other).unwrap();
        assert_eq!(moved.data(), "https://id.brand.example/01/09520123456788");
        let elements = read(link, SymbolKind::Gs1DataMatrix, &other).unwrap();
        assert_eq!(elements.left_out(), ["linkType"]);
    }

    #[test]
    fn forms_of_the_address_are_the_same_identifier() {
        let link = "https://id.brand.example/x/01/09520123456788/10/aB";
        let form = |form| {
            let address = Address { root: None, form };
            read(link, SymbolKind::Qr, &address).unwrap().data().to_owned()
        };
        assert_eq!(
            form(AddressForm::UpperCase),
            "HTTPS://ID.BRAND.EXAMPLE/x/01/09520123456788/10/aB"
        );
        let compressed = form(AddressForm::Compressed);
        assert!(compressed.len() < link.len(), "{compressed}");
        for form in [form(AddressForm::UpperCase), compressed] {
            let again = read(&form, SymbolKind::Gs1DataMatrix, &Address::default()).unwrap();
            assert_eq!(again.data(), "010952012345678810aB");
        }
        for text in ["mailto:a", "https://A", "//a/b"] {
            assert!(in_upper_case(text).eq_ignore_ascii_case(text));
        }
    }

    #[test]
    fn what_has_no_content_is_refused() {
        let bad_root = Address { root: Some("ftp://a"), ..Address::default() };
        for (text, kind, address, code) in [
            ("(10)ABC", SymbolKind::Qr, Address::default(), "AI_REQUIREMENT_MISSING"),
            ("hello", SymbolKind::Qr, Address::default(), "NOT_RECOGNISED"),
            ("9520123456789", SymbolKind::Gs1DataMatrix, Address::default(), "EAN_CHECK_DIGIT"),
            ("urn:epc:id:gid:1.2.3", SymbolKind::Qr, Address::default(), "NO_DIGITAL_LINK"),
            ("9520123456788", SymbolKind::Qr, bad_root, "URI_SCHEME"),
        ] {
            assert_eq!(read(text, kind, &address), Err(code.to_owned()), "{text}");
        }
    }
}
