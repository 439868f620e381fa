//! The other forms of an identifier: one, or all as one JSON object, from which those that do not
//! exist for it are omitted.

use std::collections::BTreeMap;

use fingerpost_epc::AiValues;
use fingerpost_gs1::{Ai, Date, Meaning, Symbology};
use fingerpost_identify::{
    Converter, Finding, Identifier, InputForm, Meant, OutputForm, read_with,
};
use serde::Serialize;
use serde_json::Value;

use crate::check::{item_json, why_json};
use crate::finding::{finding_json, shown};
use crate::reader::{Reader, Understood};

/// A form to write, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenForm {
    /// One form.
    One(OutputForm),
    /// All forms, as one JSON object.
    Json,
}

impl WrittenForm {
    /// Returns the codes of all of them.
    pub fn codes() -> impl Iterator<Item = &'static str> {
        OutputForm::ALL.iter().map(|form| form.code()).chain(["json"])
    }

    /// Returns the form with this code.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Self> {
        let form = OutputForm::ALL.iter().find(|form| form.code() == code);
        form.map(|form| Self::One(*form)).or((code == "json").then_some(Self::Json))
    }
}

impl Reader {
    /// Returns the other form of `input`, which has no white space around it, and what its reader
    /// corrected or ignored, or would read otherwise.
    ///
    /// # Errors
    ///
    /// Why it cannot be read, or cannot be written in that form.
    pub fn convert(
        &self,
        input: &str,
        to: WrittenForm,
        converter: &Converter<'_>,
    ) -> Result<(String, Vec<Finding>), Finding> {
        // Only barcode data can hide a better reading.
        let understood = match read_with(input, self.options()) {
            Ok((_, Identifier::Elements(_))) | Err(_) => self.understand(input),
            Ok(_) => Understood::as_written(input),
        };
        let (form, identifier) = read_with(understood.text(), self.options())
            .map_err(|fault| understood.advise(fault))?;
        let warnings = [understood.warnings(), identifier.warnings()].concat();
        let line = match to {
            WrittenForm::One(to) => {
                let written = converter.write(to, &identifier);
                let written = written.map_err(|fault| fault.about(0..input.len()))?;
                shown(&written, self.show_passwords).into_owned()
            }
            WrittenForm::Json => {
                let (text, meant) = (&*shown(input, self.show_passwords), understood.proposal());
                let input = Input { text, form, warnings: &warnings, meant, today: self.today };
                document(converter, &input, &identifier, self.show_passwords)
            }
        };
        Ok((line, warnings))
    }

    /// Works like [`Reader::convert`], without looking for what only the warnings would say.
    ///
    /// # Errors
    ///
    /// As for [`Reader::convert`].
    pub fn convert_text(
        &self,
        input: &str,
        to: WrittenForm,
        converter: &Converter<'_>,
    ) -> Result<String, Finding> {
        match (to, read_with(input, self.options())) {
            // Unless an assumption is accepted, a better reading is only proposed.
            (WrittenForm::One(to), Ok((_, identifier))) if !self.assumes() => {
                let written = converter.write(to, &identifier);
                let written = written.map_err(|fault| fault.about(0..input.len()))?;
                Ok(shown(&written, self.show_passwords).into_owned())
            }
            _ => self.convert(input, to, converter).map(|(text, _)| text),
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    input: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbology: Option<&'static str>,
    /// Of the EPC, whether it was the input or the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    scheme: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter_meaning: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hostname: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gcp_length: Option<u8>,
    /// Pairs of Application Identifier and value.
    #[serde(skip_serializing_if = "Option::is_none")]
    elements: Option<Vec<(String, String)>>,
    /// What values mean, by Application Identifier.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    meanings: BTreeMap<Ai, Meaning<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    element_string: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digital_link: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compressed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epc_urn: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epc_tag: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epc_bits: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epc_hex: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epc_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epc_link: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Value>,
    /// The reading that the input perhaps hides.
    #[serde(skip_serializing_if = "Option::is_none")]
    perhaps_meant: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Value>,
}

/// A valid input, and what is noted about it.
struct Input<'a> {
    text: &'a str,
    form: InputForm,
    warnings: &'a [Finding],
    meant: Option<&'a Meant>,
    /// The day that dates without a century are relative to.
    today: Date,
}

/// Returns the object of an identifier that was read from an input, on one line.
fn document(
    converter: &Converter<'_>,
    input: &Input<'_>,
    identifier: &Identifier<'_>,
    show_passwords: bool,
) -> String {
    let epc = converter.epc(identifier).ok();
    let values = identifier.values().ok();
    let meaning = |(ai, value)| Some((ai, Ai::meaning(ai, value, input.today)?));
    let write =
        |to| Some(shown(&converter.write(to, identifier).ok()?, show_passwords).into_owned());
    let urn = converter.urn(identifier).ok();
    let scheme = epc.as_deref().map(fingerpost_epc::Epc::scheme);
    let filter = epc.as_deref().and_then(fingerpost_epc::Epc::filter);
    let document = Document {
        input: input.text,
        kind: input.form.code(),
        symbology: match input.form {
            InputForm::Scan(symbology) => symbology.map(Symbology::carrier),
            _ => None,
        },
        scheme: scheme.map(fingerpost_epc::Scheme::name),
        filter,
        filter_meaning: scheme.and_then(|scheme| scheme.filter_meaning(filter?)),
        hostname: epc.as_deref().and_then(|epc| Some(epc.hostname().ok()??.to_string())),
        gcp_length: match urn {
            Some(fingerpost_epc::EpcUrn::Identity(identity)) => identity.company_prefix_length(),
            _ => None,
        },
        meanings: values.iter().flat_map(AiValues::iter).filter_map(meaning).collect(),
        elements: values.as_ref().map(|values| {
            values.iter().map(|(ai, value)| (ai.to_string(), value.to_owned())).collect()
        }),
        element_string: write(OutputForm::ElementString),
        hri: write(OutputForm::Hri),
        digital_link: write(OutputForm::DigitalLink),
        canonical: write(OutputForm::Canonical),
        compressed: write(OutputForm::Compressed),
        epc_urn: urn.map(|urn| urn.to_string()),
        epc_tag: write(OutputForm::EpcTag),
        epc_bits: epc.as_deref().map(|epc| epc.to_bits().len()),
        epc_hex: write(OutputForm::EpcHex),
        epc_base64: write(OutputForm::EpcBase64),
        epc_link: write(OutputForm::EpcLink),
        warnings: input.warnings.iter().map(finding_json).collect(),
        perhaps_meant: input
            .meant
            .and_then(|meant| Some(item_json(meant.item.as_ref()?, input.today))),
        why: input.meant.map(why_json),
    };
    // Strings and numbers always have a JSON form.
    serde_json::to_string(&document).unwrap_or_default()
}
