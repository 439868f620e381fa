//! All functions of the toolkit with their options, as the bindings offer them.

#[cfg(feature = "label")]
mod label;

use fingerpost_epc::{GcpLength, Hostname, PrefixTable, Scheme};
use fingerpost_gs1::gtin::WeightCodes;
use fingerpost_gs1::{Date, DigitalLink};
use fingerpost_identify::{Converter, Finding};
use fingerpost_resolver::day_of;
use fingerpost_uri::urn::Mode;
use fingerpost_uri::{Typed, UriRef};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::finding::{finding_json, notes, shown, uri_finding};
use crate::forms::WrittenForm;
use crate::international::ascii_form;
use crate::reader::Reader;
use crate::reading::AcceptedReading;
use crate::uri::uri_json;
use crate::urn::UrnReport;

#[cfg(feature = "label")]
pub use self::label::{Picture, draw_label, is_address};

/// The options of all functions, as JSON. Their names are those of the options of the command.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    accept: Vec<String>,
    to: Option<String>,
    gcp_length: Option<u8>,
    /// Lengths of company prefixes, by prefix.
    gcp_table: Option<Map<String, Value>>,
    filter: Option<u8>,
    scheme: Option<String>,
    stem: Option<String>,
    hostname: Option<String>,
    lossy: bool,
    show_passwords: bool,
    weight_codes: Option<String>,
    mode: Option<String>,
    /// The day that dates without a century are relative to: `2026-11-27`.
    today: Option<String>,
    #[cfg(feature = "label")]
    #[serde(flatten)]
    label: label::LabelSettings,
}

impl Options {
    /// Checks the options that stay as they are given.
    fn check(&self) -> Result<(), ToolkitError> {
        if let Some(stem) = &self.stem {
            DigitalLink::check_stem(stem).map_err(|error| {
                let help = "give it as https://id.example.org, perhaps with a path";
                refusal("OPTION", format!("stem: {error}"), help)
            })?;
        }
        if let Some(digits) = self.gcp_length.filter(|digits| !(4..=12).contains(digits)) {
            return Err(expected("gcp_length", "4 to 12", &digits.to_string()));
        }
        if let Some(filter) = self.filter.filter(|filter| *filter > 63) {
            return Err(expected("filter", "0 to 63", &filter.to_string()));
        }
        Ok(())
    }
}

/// Why a function has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolkitError {
    /// The reason.
    pub finding: Finding,
    /// The text that the span of the reason counts bytes of: the input without what delimits it.
    pub input: String,
}

impl ToolkitError {
    /// Returns the refusal as a JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let mut value = finding_json(&self.finding);
        value["input"] = (*self.input).into();
        value
    }
}

/// The functions of the toolkit, with their options.
///
/// ```
/// use fingerpost_report::Toolkit;
///
/// let toolkit = Toolkit::new(r#"{"to": "epc-urn", "gcp_length": 7}"#, 1_795_824_000)?;
/// let converted = toolkit.convert("(01)09520123456788(21)6789")?;
/// assert_eq!(converted.text, "urn:epc:id:sgtin:9520123.045678.6789");
/// # Ok::<(), fingerpost_report::ToolkitError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Toolkit {
    reader: Reader,
    options: Options,
    to: WrittenForm,
    scheme: Option<Scheme>,
    hostname: Option<Hostname>,
    table: Option<PrefixTable>,
    mode: Mode,
}

/// An identifier in another form.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The identifier, or a JSON object with all forms of it.
    pub text: String,
    /// What the reader corrected or ignored, or would read otherwise.
    pub warnings: Vec<Finding>,
}

impl Toolkit {
    /// Creates the functions with options, a JSON object; an empty text is an empty object. `now`,
    /// in seconds since 1970, is the day that dates without a century are relative to.
    ///
    /// # Errors
    ///
    /// The option that is not valid.
    pub fn new(options: &str, now: i64) -> Result<Self, ToolkitError> {
        let text = if options.is_empty() { "{}" } else { options };
        let mut options: Options = serde_json::from_str(text).map_err(|error| {
            let message = format!("expected a JSON object of options: {error}");
            refusal("OPTION", message, "the page of the binding lists the options")
        })?;
        let today = match options.today.as_deref() {
            Some(day) => date(day).ok_or_else(|| expected("today", "a date, 2026-11-27", day))?,
            None => day_of(Timestamp::from_second(now).unwrap_or_default()),
        };
        let reading = |code: &String| {
            AcceptedReading::of_code(code).ok_or_else(|| {
                expected_one_of("accept", AcceptedReading::ALL.iter().map(|r| r.code()), code)
            })
        };
        let accepted: Vec<AcceptedReading> =
            options.accept.iter().map(reading).collect::<Result<_, _>>()?;
        let weight_codes = given(&options.weight_codes, |country| {
            WeightCodes::of_country(country)
                .ok_or_else(|| expected_one_of("weight_codes", WeightCodes::countries(), country))
        })?;
        let to = given(&options.to, |code| {
            let known = WrittenForm::codes();
            WrittenForm::of_code(code).ok_or_else(|| expected_one_of("to", known, code))
        })?;
        let scheme = given(&options.scheme, |name| {
            let known = Scheme::all().map(Scheme::name);
            name.parse().map_err(|_| expected_one_of("scheme", known, name))
        })?;
        let hostname = given(&options.hostname, |name| {
            name.parse().map_err(|error: fingerpost_epc::Error| {
                refusal("OPTION", format!("hostname: {error}"), "")
            })
        })?;
        options.check()?;
        let table = options.gcp_table.take().map(prefix_table).transpose()?;
        let mode = given(&options.mode, |mode| {
            let modes = [("auto", Mode::Auto), ("draft", Mode::Draft), ("rfc8141", Mode::Rfc8141)];
            let found = modes.iter().find(|(code, _)| *code == mode).map(|(_, mode)| *mode);
            found.ok_or_else(|| expected_one_of("mode", modes.iter().map(|(code, _)| *code), mode))
        })?;
        let reader = Reader::new(today).accept(&accepted).weight_codes(weight_codes);
        let reader = reader.show_passwords(options.show_passwords);
        let (to, mode) = (to.unwrap_or(WrittenForm::Json), mode.unwrap_or(Mode::Auto));
        Ok(Self { reader, options, to, scheme, hostname, table, mode })
    }

    /// Checks a text: the JSON object of `fingerpost check --format json`.
    #[must_use]
    pub fn check(&self, text: &str) -> Value {
        self.reader.check(text)
    }

    /// Converts an identifier to the form of the option `to`, or to all of them: the line of
    /// `fingerpost convert`.
    ///
    /// # Errors
    ///
    /// Why it cannot be read, or cannot be written in that form.
    pub fn convert(&self, text: &str) -> Result<Converted, ToolkitError> {
        let input = Typed::new(text).converted(ascii_form);
        let converted = self.reader.convert(input.text(), self.to, &self.converter());
        let converted = converted.map(|(text, warnings)| Converted { text, warnings });
        converted.map_err(|finding| self.refuse(finding, input.text()))
    }

    /// Works like [`Toolkit::convert`], without warnings, and therefore faster.
    ///
    /// # Errors
    ///
    /// As for [`Toolkit::convert`].
    pub fn convert_text(&self, text: &str) -> Result<String, ToolkitError> {
        let input = Typed::new(text).converted(ascii_form);
        let converted = self.reader.convert_text(input.text(), self.to, &self.converter());
        converted.map_err(|finding| self.refuse(finding, input.text()))
    }

    /// Returns the components of a URI reference: the JSON object of `fingerpost uri parse`.
    #[must_use]
    pub fn uri(&self, text: &str) -> Value {
        let input = Typed::new(text);
        let parsed = UriRef::parse(input.text()).map_err(|error| uri_finding(input.text(), &error));
        uri_json(&input, &parsed, self.reader.show_passwords)
    }

    /// Returns the parts of a name: the JSON object of `fingerpost urn parse`.
    #[must_use]
    pub fn urn(&self, text: &str) -> Value {
        let input = Typed::new(text);
        let mut value = UrnReport::of(input.text(), self.mode).json();
        value["notes"] = notes(&input).into();
        value
    }

    /// Whether [`Toolkit::convert`] returns a JSON object.
    pub(crate) fn is_to_json(&self) -> bool {
        self.to == WrittenForm::Json
    }

    /// Returns the converter of the options, which were all checked.
    fn converter(&self) -> Converter<'_> {
        let Options { gcp_length, filter, stem, lossy, .. } = &self.options;
        let mut converter = Converter::new()
            .lossy(*lossy)
            .options(self.reader.options())
            .gcp_length(match (gcp_length, &self.table) {
                (Some(digits), _) => GcpLength::Digits(*digits),
                (None, Some(table)) => GcpLength::Table(table),
                (None, None) => GcpLength::Unknown,
            });
        if let Some(stem) = stem {
            converter = converter.stem(stem).unwrap_or(converter);
        }
        if let Some(scheme) = self.scheme {
            converter = converter.scheme(scheme);
        }
        if let Some(filter) = filter {
            converter = converter.filter(*filter);
        }
        if let Some(hostname) = &self.hostname {
            converter = converter.hostname(hostname);
        }
        converter
    }

    fn refuse(&self, finding: Finding, input: &str) -> ToolkitError {
        ToolkitError { finding, input: shown(input, self.reader.show_passwords).into_owned() }
    }
}

/// Returns the value of an option, if it is given.
fn given<T>(
    option: &Option<String>,
    read: impl Fn(&str) -> Result<T, ToolkitError>,
) -> Result<Option<T>, ToolkitError> {
    option.as_deref().map(read).transpose()
}

/// Reads a day, `2026-11-27`.
fn date(text: &str) -> Option<Date> {
    let day: jiff::civil::Date = text.parse().ok()?;
    let part = |number: i8| number.unsigned_abs();
    Date::new(u16::try_from(day.year()).ok()?, part(day.month()), part(day.day()))
}

fn prefix_table(rows: Map<String, Value>) -> Result<PrefixTable, ToolkitError> {
    let row = |(prefix, length): (String, Value)| {
        let digits = length.as_u64().and_then(|length| u8::try_from(length).ok());
        let wrong = || expected("gcp_table", "the number of digits by prefix", &length.to_string());
        digits.map(|digits| (prefix, digits)).ok_or_else(wrong)
    };
    rows.into_iter().map(row).collect()
}

fn expected(option: &str, what: &str, found: &str) -> ToolkitError {
    refusal("OPTION", format!("{option}: expected {what}, found {}", json!(found)), "")
}

pub(crate) fn expected_one_of(
    option: &str,
    known: impl Iterator<Item = &'static str>,
    found: &str,
) -> ToolkitError {
    let known: Vec<&str> = known.collect();
    expected(option, &format!("one of {}", known.join(", ")), found)
}

/// Returns a refusal that is not about the input.
fn refusal(code: &'static str, message: String, help: &str) -> ToolkitError {
    ToolkitError { finding: Finding::of_form(code, message, help, 0..0), input: String::new() }
}
