//! Writes an identifier in another form (EPC Tag Data Standard 2.3; GS1 Digital Link URI Syntax
//! 1.4.1).

use alloc::borrow::Cow;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Write as _;

use fingerpost_epc::{
    AiValues, EncodeOptions, Epc, EpcUrn, Error, GcpLength, Generation, Hostname, PureIdentity,
    Scheme,
};
use fingerpost_gs1::compression::{CompressOptions, CompressionExtent, compress};
use fingerpost_gs1::{DigitalLink, ElementString, ErrorKind, Options};

use crate::finding::Finding;
use crate::read::{Identifier, read, read_with};

macro_rules! output_forms {
    ($($(#[doc = $doc:literal])+ $form:ident = $code:literal,)*) => {
        /// A form that a [`Converter`] writes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum OutputForm {
            $($(#[doc = $doc])+ $form,)*
        }

        impl OutputForm {
            /// All forms.
            pub const ALL: &[Self] = &[$(Self::$form),*];

            /// Returns the machine-readable name.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$form => $code,)*
                }
            }

            /// Returns a description, in one sentence.
            #[must_use]
            pub fn description(self) -> &'static str {
                match self {
                    $(Self::$form => concat!($($doc),+).trim_ascii(),)*
                }
            }
        }
    };
}

output_forms! {
    /// GS1 Digital Link URI; an uncompressed one is unchanged unless a stem is given
    DigitalLink = "digital-link",
    /// Canonical GS1 Digital Link URI on id.gs1.org: sorted attributes, nothing else
    Canonical = "canonical",
    /// Element string with brackets
    ElementString = "element-string",
    /// Pure identity: urn:epc:id:…, urn:epc:class:…, urn:epc:idpat:…
    EpcUrn = "epc-urn",
    /// EPC Tag URI: urn:epc:tag:…
    EpcTag = "epc-tag",
    /// EPC bits as hexadecimal digits
    EpcHex = "epc-hex",
    /// EPC bits as base64url
    EpcBase64 = "epc-base64",
    /// Digital Link URI whose last segment is EPC bits: …/ex…
    EpcLink = "epc-link",
    /// Digital Link URI compressed as in Digital Link 1.1, which GS1 has withdrawn
    Compressed = "compressed",
    /// Human-readable interpretation, as printed below a barcode
    Hri = "hri",
}

/// A converter of identifiers to other forms. Its options supply what the identifier does not say.
///
/// ```
/// use fingerpost_identify::{Converter, OutputForm};
///
/// let text = "(01)09506000134352(21)6789";
/// let converter = Converter::new().gcp_length(fingerpost_epc::GcpLength::Digits(11));
/// let urn = converter.convert(text, OutputForm::EpcUrn)?;
/// assert_eq!(urn, "urn:epc:id:sgtin:95060001343.05.6789");
/// # Ok::<(), fingerpost_identify::Finding>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Converter<'a> {
    stem: Option<&'a str>,
    gcp_length: GcpLength<'a>,
    scheme: Option<Scheme>,
    filter: Option<u8>,
    hostname: Option<&'a Hostname>,
    is_lossy: bool,
    options: Option<&'a Options>,
}

impl<'a> Converter<'a> {
    /// Creates a converter without options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the beginning of Digital Link URIs: `https://id.example.org`, perhaps with a path. Without it, they begin
    /// like the input, or with `https://id.gs1.org`.
    ///
    /// # Errors
    ///
    /// The reason no Digital Link URI can begin with `stem`.
    pub fn stem(self, stem: &'a str) -> Result<Self, fingerpost_gs1::Error> {
        DigitalLink::check_stem(stem)?;
        Ok(Self { stem: Some(stem), ..self })
    }

    /// Sets the length of the company prefix, which URNs and most tags need and which is never
    /// guessed.
    #[must_use]
    pub fn gcp_length(self, gcp_length: GcpLength<'a>) -> Self {
        Self { gcp_length, ..self }
    }

    /// Sets the EPC scheme. The default is the scheme of the input, or the shortest classic one.
    #[must_use]
    pub fn scheme(self, scheme: Scheme) -> Self {
        Self { scheme: Some(scheme), ..self }
    }

    /// Sets the filter value of EPCs. The default is the value of the input, or 0.
    #[must_use]
    pub fn filter(self, filter: u8) -> Self {
        Self { filter: Some(filter), ..self }
    }

    /// Sets the host name of the brand, for schemes with `++`.
    #[must_use]
    pub fn hostname(self, hostname: &'a Hostname) -> Self {
        Self { hostname: Some(hostname), ..self }
    }

    /// Sets whether elements that an EPC cannot hold are left out instead of refused.
    #[must_use]
    pub fn lossy(self, is_lossy: bool) -> Self {
        Self { is_lossy, ..self }
    }

    /// Sets options for what the rules of Application Identifiers and Digital Link URIs leave open.
    /// The default is strict.
    #[must_use]
    pub fn options(self, options: &'a Options) -> Self {
        Self { options: Some(options), ..self }
    }

    /// Reads `text`, which has no white space around it, and writes it in another form.
    ///
    /// # Errors
    ///
    /// The first fault in the text, or the reason it cannot be written in that form.
    pub fn convert(&self, text: &str, to: OutputForm) -> Result<String, Finding> {
        let (_, identifier) = match self.options {
            Some(options) => read_with(text, options)?,
            None => read(text)?,
        };
        self.write(to, &identifier).map_err(|finding| finding.about(0..text.len()))
    }

    /// Returns the identifier in another form.
    ///
    /// # Errors
    ///
    /// The reason it cannot be written in that form. The finding is about the identifier as a
    /// whole: its span is empty.
    pub fn write(&self, to: OutputForm, identifier: &Identifier<'_>) -> Result<String, Finding> {
        if !matches!(to, OutputForm::DigitalLink) {
            self.check_content(identifier)?;
        }
        Ok(match to {
            // Reading the link again has checked what it holds; a fault of that is named first.
            OutputForm::DigitalLink => self
                .digital_link(identifier)
                .or_else(|refused| self.check_content(identifier).and(Err(refused)))?
                .into_owned(),
            OutputForm::Canonical => {
                let uri = self.digital_link(identifier)?;
                self.parse(&uri).map_err(gs1)?.canonical()
            }
            OutputForm::ElementString => match identifier {
                Identifier::Elements(elements) => elements.to_string(),
                other => values(other)?.to_string(),
            },
            OutputForm::EpcUrn => self.urn(identifier)?.to_string(),
            OutputForm::EpcTag => match self.tag(identifier)?.as_ref() {
                Epc::Classic(epc) => epc.to_string(),
                _ => return Err(no_tag_uri()),
            },
            OutputForm::EpcHex => self.epc(identifier)?.to_hex(),
            OutputForm::EpcBase64 => self.epc(identifier)?.to_base64url(),
            OutputForm::EpcLink => self.epc_link(identifier)?,
            OutputForm::Compressed => self.compressed(identifier)?,
            OutputForm::Hri => {
                let mut hri = String::new();
                for (nth, (ai, value)) in values(identifier)?.iter().enumerate() {
                    let space = if nth == 0 { "" } else { " " };
                    // Writing to a string does not fail.
                    let _ = write!(hri, "{space}({ai}) {value}");
                }
                hri
            }
        })
    }

    /// Returns the identifier as an EPC URN.
    ///
    /// # Errors
    ///
    /// As for [`Converter::write`].
    pub fn urn(&self, identifier: &Identifier<'_>) -> Result<EpcUrn, Finding> {
        match identifier {
            Identifier::Epc { epc, .. } => epc.identity(self.gcp_length).map(EpcUrn::Identity),
            Identifier::Urn(urn) => Ok(*urn),
            _ => {
                let values = values(identifier)?;
                let exact = || EpcUrn::from_elements(&values, self.gcp_length);
                if self.is_lossy {
                    PureIdentity::from_elements_lossy(&values, self.gcp_length)
                        .map(EpcUrn::Identity)
                        .or_else(|_| exact())
                } else {
                    exact()
                }
            }
        }
        .map_err(refusal)
    }

    /// Returns the identifier as an EPC, whose bits a tag can hold.
    ///
    /// # Errors
    ///
    /// As for [`Converter::write`].
    pub fn epc<'i>(&self, identifier: &'i Identifier<'_>) -> Result<Cow<'i, Epc>, Finding> {
        self.encoded(identifier, false)
    }

    /// Returns the EPC in a scheme whose bits have a Tag URI.
    fn tag<'i>(&self, identifier: &'i Identifier<'_>) -> Result<Cow<'i, Epc>, Finding> {
        self.encoded(identifier, true)
    }

    fn digital_link<'i>(&self, identifier: &'i Identifier<'_>) -> Result<Cow<'i, str>, Finding> {
        let stem = self.stem;
        Ok(Cow::Owned(match identifier {
            Identifier::Epc { epc, stem: own } => {
                let host = epc.hostname().map_err(refusal)?.map(|name| format!("https://{name}"));
                let stem = stem.or(*own).or(host.as_deref());
                self.tag_link(stem, &epc.elements().map_err(refusal)?)?
            }
            Identifier::Urn(_) => self.tag_link(stem, &values(identifier)?)?,
            Identifier::Link(link) => match stem {
                Some(stem) => link.with_stem(stem).map_err(gs1)?,
                None => return unchanged(link),
            },
            Identifier::Rebuilt(read) => match stem {
                Some(stem) => read.link().with_stem(stem).map_err(gs1)?,
                None => return unchanged(read.link()),
            },
            Identifier::Elements(elements) => {
                DigitalLink::build(stem.unwrap_or(DigitalLink::REFERENCE_STEM), elements)
                    .map_err(not_in_links)?
            }
        }))
    }

    fn compressed(&self, identifier: &Identifier<'_>) -> Result<String, Finding> {
        let options = CompressOptions::new();
        let uri = self.digital_link(identifier)?;
        self.parse(&uri).and_then(|link| compress(&link, &options)).map_err(gs1)
    }

    /// Returns the Digital Link URI of the data of a tag.
    fn tag_link(&self, stem: Option<&str>, values: &AiValues) -> Result<String, Finding> {
        let stem = stem.unwrap_or(DigitalLink::REFERENCE_STEM);
        let stem = DigitalLink::check_stem(stem).map_err(gs1)?;
        let uri = [stem, &values.path_and_query().map_err(refusal)?].concat();
        let link = DigitalLink::parse_with(&uri, &self.of_one_carrier());
        link.map_err(not_in_links)?.check_dot_segments().map_err(gs1)?;
        Ok(uri)
    }

    /// Returns the options for what a tag holds: a companion can be on another carrier.
    fn of_one_carrier(&self) -> Options {
        self.options.cloned().unwrap_or_default().requisites(false)
    }

    /// Checks what an EPC holds, whatever form is written: bits and URNs can hold values that no
    /// other reader accepts, such as the third of two pieces.
    fn check_content(&self, identifier: &Identifier<'_>) -> Result<(), Finding> {
        let (Identifier::Epc { .. } | Identifier::Urn(_)) = identifier else { return Ok(()) };
        // GID, USDOD and others have no elements.
        let Ok(values) = identifier.values() else { return Ok(()) };
        let checked = ElementString::from_pairs_with(values.iter(), &self.of_one_carrier());
        checked.map(drop).map_err(|error| refusal(Error::from(error)))
    }

    fn parse<'u>(&self, uri: &'u str) -> Result<DigitalLink<'u>, fingerpost_gs1::Error> {
        match self.options {
            Some(options) => DigitalLink::parse_with(uri, options),
            None => DigitalLink::parse(uri),
        }
    }

    fn epc_link(&self, identifier: &Identifier<'_>) -> Result<String, Finding> {
        let epc = self.epc(identifier)?;
        // A segment that is not a compressed Digital Link URI would lead nowhere.
        epc.elements().map_err(refusal)?;
        let own = match identifier {
            Identifier::Epc { stem, .. } => *stem,
            Identifier::Link(link) => Some(link.stem()),
            Identifier::Rebuilt(read) if read.form() != CompressionExtent::Uncompressed => {
                Some(read.link().stem())
            }
            _ => None,
        };
        let host = epc.hostname().map_err(refusal)?;
        let stem = match (self.stem.or(own), host) {
            (Some(stem), _) => Cow::Borrowed(stem.trim_end_matches('/')),
            (None, Some(host)) => Cow::Owned(format!("https://{host}")),
            (None, None) => Cow::Borrowed(DigitalLink::REFERENCE_STEM),
        };
        Ok(format!("{stem}/{}", epc.to_bits().to_segment_base64url()))
    }

    /// Returns the EPC; if `tag`, in a scheme whose bits have a Tag URI.
    fn encoded<'i>(
        &self,
        identifier: &'i Identifier<'_>,
        tag: bool,
    ) -> Result<Cow<'i, Epc>, Finding> {
        let options = EncodeOptions::new().gcp_length(self.gcp_length).lossy(self.is_lossy);
        let options = match (self.scheme, self.hostname) {
            (Some(scheme), Some(name)) => options.scheme(scheme).hostname(name),
            (Some(scheme), None) => options.scheme(scheme),
            (None, Some(name)) if !tag => options.hostname(name),
            (None, _) if tag => options.generation(Generation::Classic),
            (None, _) => options,
        };
        let is_asked_for = self.scheme.is_some() || self.hostname.is_some() && !tag;
        let filter = self.filter.unwrap_or(0);
        let encoded = match identifier {
            Identifier::Epc { epc, .. } => {
                let is_classic = matches!(epc, Epc::Classic(_));
                if !is_asked_for && self.filter.is_none() && (is_classic || !tag) {
                    return Ok(Cow::Borrowed(epc));
                }
                let options = options.filter(self.filter.or(epc.filter()).unwrap_or(0));
                recode(epc, options, !is_asked_for && (is_classic || !tag))
            }
            Identifier::Urn(EpcUrn::Identity(identity)) => {
                Epc::encode_identity(identity, &options.filter(filter))
            }
            Identifier::Urn(_) => return Err(pattern()),
            _ => Epc::encode(&values(identifier)?, &options.filter(filter)),
        };
        encoded.map(Cow::Owned).map_err(refusal)
    }
}

/// Returns the EPC in another scheme, or, if the scheme is kept, with another filter value.
fn recode(epc: &Epc, options: EncodeOptions<'_>, is_kept: bool) -> Result<Epc, Error> {
    let name = epc.hostname()?;
    let options = if is_kept { options.scheme(epc.scheme()) } else { options };
    let options = match &name {
        Some(name) if is_kept => options.hostname(name),
        _ => options,
    };
    match epc {
        Epc::Classic(classic) => Epc::encode_identity(classic.identity(), &options),
        epc => Epc::encode(&epc.elements()?, &options),
    }
}

fn values(identifier: &Identifier<'_>) -> Result<AiValues, Finding> {
    identifier.values().map_err(|error| match identifier {
        Identifier::Urn(EpcUrn::Pattern(pattern)) if error.code() == "NO_DIGITAL_LINK" => {
            Finding::of_form(
                "NO_DIGITAL_LINK",
                format!("expected a pattern that names one key, found one that leaves it open: {pattern}"),
                "give the reference instead of the star",
                0..0,
            )
        }
        _ => refusal(error),
    })
}

fn unchanged<'l>(link: &'l DigitalLink<'_>) -> Result<Cow<'l, str>, Finding> {
    link.check_dot_segments().map_err(gs1)?;
    Ok(Cow::Borrowed(link.uri()))
}

/// Returns the finding that an element cannot be in a Digital Link URI: there is no query yet that
/// it could be taken from.
pub(crate) fn not_in_links(error: fingerpost_gs1::Error) -> Finding {
    let finding = gs1(error);
    match error.ai().filter(|_| error.kind() == ErrorKind::NotAnAttribute) {
        Some(ai) => Finding {
            message: format!(
                "expected elements that a Digital Link URI can hold, found ({})",
                ai.as_str()
            ),
            help: "leave out this element, or write an element string".to_owned(),
            ..finding
        },
        None => finding,
    }
}

/// Returns the finding that a pattern names many objects while bits name one.
fn pattern() -> Finding {
    Finding::of_form(
        "NO_EPC",
        "expected the name of one object, found a pattern of many",
        "give the serial number instead of the star",
        0..0,
    )
}

fn no_tag_uri() -> Finding {
    Finding::of_form(
        "NO_EPC",
        "expected a scheme with Tag URIs, found one with +",
        "choose a classic scheme, or none",
        0..0,
    )
}

fn refusal(error: Error) -> Finding {
    Finding::of_epc(&error, 0..0)
}

fn gs1(error: fingerpost_gs1::Error) -> Finding {
    Finding::of_gs1(&error, 0)
}
