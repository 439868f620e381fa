//! Writes an identifier in the form that was asked for.

use std::borrow::Cow;
use std::fmt::Write as _;

use fingerpost_epc::{
    AiValues, EncodeOptions, Epc, EpcUrn, Error, ErrorKind, GcpLength, Generation, PureIdentity,
};
use fingerpost_gs1::compression::{CompressOptions, Form as Compression, compress};
use fingerpost_gs1::{DigitalLink, ElementString};
use fingerpost_identify::{Finding, Identifier};

use super::Conversion;
use crate::args::convert::Target;
use crate::failure::Failure;
use crate::uri_report::Fault;

/// Can a Digital Link URI begin with it?
pub(super) fn check_stem(stem: &str) -> Result<(), Failure> {
    let any = "(414)9506000134352";
    let built = ElementString::parse_bracketed(any).and_then(|any| DigitalLink::build(stem, &any));
    built.map(|_| ()).map_err(|error| {
        Failure::advise(
            format!("cannot use `{stem}` as --stem: {error}"),
            "give it as https://id.example.org, perhaps with a path",
        )
    })
}

impl Conversion<'_> {
    /// Appends the identifier in a form; not JSON. Faults are about the input as a whole: their places mean nothing.
    pub(super) fn write(
        &self,
        to: Target,
        identifier: &Identifier<'_>,
        out: &mut String,
    ) -> Result<(), Fault> {
        match to {
            Target::DigitalLink => out.push_str(&self.digital_link(identifier)?),
            Target::ElementString => match identifier {
                Identifier::Elements(elements) => push(out, elements),
                other => push(out, &self.values(other)?),
            },
            Target::EpcUrn => push(out, &self.urn(identifier)?),
            Target::EpcTag => match self.epc(identifier, true)?.as_ref() {
                Epc::Classic(epc) => push(out, epc),
                Epc::Plus(_) => return Err(no_tag_uri()),
            },
            Target::EpcHex => out.push_str(&self.epc(identifier, false)?.to_hex()),
            Target::EpcBase64 => out.push_str(&self.epc(identifier, false)?.to_base64url()),
            Target::EpcLink => self.epc_link(identifier, out)?,
            Target::Compressed => out.push_str(&self.compressed(identifier)?),
            Target::Hri => {
                for (nth, (ai, value)) in self.values(identifier)?.iter().enumerate() {
                    let space = if nth == 0 { "" } else { " " };
                    // Writing to a string does not fail.
                    let _ = write!(out, "{space}({ai}) {value}");
                }
            }
            Target::Json => {}
        }
        Ok(())
    }

    pub(super) fn values(&self, identifier: &Identifier<'_>) -> Result<AiValues, Fault> {
        identifier.values().map_err(|error| self.refusal(error))
    }

    fn digital_link<'a>(&self, identifier: &'a Identifier<'_>) -> Result<Cow<'a, str>, Fault> {
        let stem = self.args.stem.as_deref();
        Ok(Cow::Owned(match identifier {
            Identifier::Epc { epc, stem: own } => match stem.or(*own) {
                Some(stem) => epc.digital_link(stem),
                None => epc.own_digital_link(),
            }
            .map_err(|error| self.refusal(error))?,
            Identifier::Urn(_) => self
                .values(identifier)?
                .digital_link(stem.unwrap_or(DigitalLink::REFERENCE_STEM))
                .map_err(|error| self.refusal(error))?,
            Identifier::Link(link) => match stem {
                Some(stem) => link.with_stem(stem).map_err(gs1)?,
                None => return Ok(Cow::Borrowed(link.uri())),
            },
            Identifier::Rebuilt(read) => match stem {
                Some(stem) => read.link().with_stem(stem).map_err(gs1)?,
                None => return Ok(Cow::Borrowed(read.uri())),
            },
            Identifier::Elements(elements) => {
                DigitalLink::build(stem.unwrap_or(DigitalLink::REFERENCE_STEM), elements)
                    .map_err(gs1)?
            }
        }))
    }

    fn compressed(&self, identifier: &Identifier<'_>) -> Result<String, Fault> {
        let options = CompressOptions::new();
        let uri = self.digital_link(identifier)?;
        DigitalLink::parse(&uri).and_then(|link| compress(&link, &options)).map_err(gs1)
    }

    fn epc_link(&self, identifier: &Identifier<'_>, out: &mut String) -> Result<(), Fault> {
        let epc = self.epc(identifier, false)?;
        // A segment that is no compressed Digital Link URI would lead nowhere.
        epc.elements().map_err(|error| self.refusal(error))?;
        let rebuilt;
        let own = match identifier {
            Identifier::Epc { stem, .. } => *stem,
            Identifier::Link(link) => Some(link.stem()),
            Identifier::Rebuilt(read) if read.form() != Compression::Uncompressed => {
                rebuilt = read.link();
                Some(rebuilt.stem())
            }
            _ => None,
        };
        let host = epc.hostname().map_err(|error| self.refusal(error))?;
        let stem = match (self.args.stem.as_deref().or(own), host) {
            (Some(stem), _) => Cow::Borrowed(stem.trim_end_matches('/')),
            (None, Some(host)) => Cow::Owned(format!("https://{host}")),
            (None, None) => Cow::Borrowed(DigitalLink::REFERENCE_STEM),
        };
        // Writing to a string does not fail.
        let _ = write!(out, "{stem}/{}", epc.to_bits().to_segment_base64url());
        Ok(())
    }

    pub(super) fn urn(&self, identifier: &Identifier<'_>) -> Result<EpcUrn, Fault> {
        match identifier {
            Identifier::Epc { epc, .. } => epc.identity(self.length).map(EpcUrn::Identity),
            Identifier::Urn(urn) => Ok(*urn),
            _ if self.args.lossy => {
                let values = self.values(identifier)?;
                PureIdentity::from_elements_lossy(&values, self.length)
                    .map(EpcUrn::Identity)
                    .or_else(|_| EpcUrn::from_elements(&values, self.length))
            }
            _ => EpcUrn::from_elements(&self.values(identifier)?, self.length),
        }
        .map_err(|error| self.refusal(error))
    }

    /// The EPC; one whose bits have a Tag URI, if `tag`.
    pub(super) fn epc<'a>(
        &self,
        identifier: &'a Identifier<'_>,
        tag: bool,
    ) -> Result<Cow<'a, Epc>, Fault> {
        let args = self.args;
        let options = EncodeOptions::new().gcp_length(self.length).lossy(args.lossy);
        let options = match (args.scheme, &args.hostname) {
            (Some(scheme), Some(name)) => options.scheme(scheme).hostname(name),
            (Some(scheme), None) => options.scheme(scheme),
            (None, Some(name)) if !tag => options.hostname(name),
            (None, _) if tag => options.generation(Generation::Classic),
            (None, _) => options,
        };
        let is_asked_for = args.scheme.is_some() || args.hostname.is_some() && !tag;
        let filter = args.filter.unwrap_or(0);
        let encoded = match identifier {
            Identifier::Epc { epc, .. } => {
                let is_classic = matches!(epc, Epc::Classic(_));
                if !is_asked_for && args.filter.is_none() && (is_classic || !tag) {
                    return Ok(Cow::Borrowed(epc));
                }
                let options = options.filter(args.filter.or(epc.filter()).unwrap_or(0));
                recode(epc, options, !is_asked_for && (is_classic || !tag))
            }
            Identifier::Urn(EpcUrn::Identity(identity)) => {
                Epc::encode_identity(identity, &options.filter(filter))
            }
            Identifier::Urn(_) => return Err(pattern()),
            _ => Epc::encode(&self.values(identifier)?, &options.filter(filter)),
        };
        encoded.map(Cow::Owned).map_err(|error| self.refusal(error))
    }

    /// With advice about the options of this command.
    pub(super) fn refusal(&self, error: Error) -> Fault {
        let help = match (error.kind(), self.length) {
            (ErrorKind::GcpLengthRequired, GcpLength::Table(_)) => {
                Some("the table does not list this prefix: give its digits with --gcp-length")
            }
            (ErrorKind::GcpLengthRequired, _) => Some(
                "give its digits with --gcp-length, or GS1's table of prefixes with --gcp-table; \
                 schemes with + do without",
            ),
            (ErrorKind::NoEpc, _) => Some(
                "an EPC is a key with its serial number: give that, choose a scheme that fits with \
                 --scheme, or leave other elements out with --lossy",
            ),
            _ => None,
        };
        let fault = Fault::of_epc(&error, 0..0);
        match help {
            Some(help) => Fault { help: help.to_owned(), ..fault },
            None => fault,
        }
    }
}

/// The EPC in another scheme, or with another filter value, if the scheme is `kept`.
fn recode(epc: &Epc, options: EncodeOptions<'_>, is_kept: bool) -> Result<Epc, Error> {
    let name = epc.hostname()?;
    let options = if is_kept { options.scheme(epc.scheme()) } else { options };
    let options = match &name {
        Some(name) if is_kept => options.hostname(name),
        _ => options,
    };
    match epc {
        Epc::Classic(classic) => Epc::encode_identity(classic.identity(), &options),
        Epc::Plus(plus) => Epc::encode(plus.values(), &options),
    }
}

/// A pattern names many objects, bits name one.
fn pattern() -> Fault {
    Fault {
        code: "NoEpc",
        message: "expected the name of one object, found a pattern of many".to_owned(),
        help: "give the serial number instead of the star".to_owned(),
        span: 0..0,
    }
}

fn no_tag_uri() -> Fault {
    Fault {
        code: "NoEpc",
        message: "expected a scheme with Tag URIs, found one with +".to_owned(),
        help: "choose another one with --scheme, or leave --scheme out".to_owned(),
        span: 0..0,
    }
}

fn gs1(error: fingerpost_gs1::Error) -> Fault {
    Finding::of_gs1(&error, 0).into()
}

fn push(out: &mut String, text: &impl std::fmt::Display) {
    // Writing to a string does not fail.
    let _ = write!(out, "{text}");
}
