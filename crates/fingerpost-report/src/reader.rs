//! Reads a text by the rules that are accepted, for a given day.

mod understood;

use fingerpost_gs1::gtin::WeightCodes;
use fingerpost_gs1::{Date, Options};
use fingerpost_identify::{Inspection, Meant, inspect_with};
use fingerpost_uri::Typed;
use serde_json::Value;

use crate::check;
use crate::finding::notes;
use crate::international::ascii_form;
use crate::reading::AcceptedReading;

pub use self::understood::Understood;

/// A reader of texts.
#[derive(Clone, Debug)]
pub struct Reader {
    accepted: Vec<AcceptedReading>,
    options: Options,
    option_name: &'static str,
    pub(crate) show_passwords: bool,
    weight_codes: Option<&'static WeightCodes>,
    pub(crate) today: Date,
}

impl Reader {
    /// Creates a strict reader. `today` decides the century of years with two digits.
    #[must_use]
    pub fn new(today: Date) -> Self {
        Self {
            accepted: Vec::new(),
            options: Options::new(),
            option_name: "accept",
            show_passwords: false,
            weight_codes: None,
            today,
        }
    }

    /// Accepts what a strict reader refuses.
    #[must_use]
    pub fn accept(mut self, readings: &[AcceptedReading]) -> Self {
        self.options = readings.iter().fold(Options::new(), |options, one| one.add(options));
        self.accepted = readings.to_vec();
        self
    }

    /// Sets the name of the option that accepts readings, for advice: `--accept`.
    #[must_use]
    pub fn named(self, option_name: &'static str) -> Self {
        Self { option_name, ..self }
    }

    /// Sets whether passwords in URIs are shown. The default is to write them as `***`.
    #[must_use]
    pub fn show_passwords(self, show_passwords: bool) -> Self {
        Self { show_passwords, ..self }
    }

    /// Sets the codes of a country by which numbers of variable weight and price are read.
    #[must_use]
    pub fn weight_codes(self, weight_codes: Option<&'static WeightCodes>) -> Self {
        Self { weight_codes, ..self }
    }

    /// Returns the options of the readers of identifiers.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Returns the text to read for `input`, or a better one.
    #[must_use]
    pub fn understand<'a>(&self, input: &'a str) -> Understood<'a> {
        Understood::new(input, self)
    }

    /// Returns the text to check for `input`: a better one only if it is accepted, because a check
    /// proposes it in any case.
    #[must_use]
    pub fn understand_to_check<'a>(&self, input: &'a str) -> Understood<'a> {
        if self.assumes() { self.understand(input) } else { Understood::as_written(input) }
    }

    /// Inspects an input.
    #[must_use]
    pub fn inspect<'a>(
        &self,
        input: &'a Typed<'_>,
        understood: &'a Understood<'_>,
    ) -> Inspection<'a> {
        let mut inspection = inspect_with(understood.text(), &self.options);
        if understood.proposal().is_none() {
            inspection.input = input.text();
            inspection.warnings.splice(0..0, understood.warnings());
        }
        inspection
    }

    /// Returns the result of inspecting an input as a JSON object; spans count bytes of its member
    /// `input`.
    #[must_use]
    pub fn describe(&self, input: &Typed<'_>, inspection: &Inspection<'_>) -> Value {
        let mut value = check::json(inspection, self.show_passwords, self.today);
        check::add_weight(inspection, self.weight_codes, &mut value);
        value["notes"] = notes(input).into();
        value
    }

    /// Checks a text, and returns the result as a JSON object, as `fingerpost check --format json`
    /// prints it.
    #[must_use]
    pub fn check(&self, text: &str) -> Value {
        let input = Typed::new(text).converted(ascii_form);
        let understood = self.understand_to_check(input.text());
        self.describe(&input, &self.inspect(&input, &understood))
    }

    /// Returns whether any input is read otherwise than it is written.
    pub(crate) fn assumes(&self) -> bool {
        self.accepted.iter().any(|reading| reading.assumes().is_some())
    }

    /// Returns whether each assumption of a better reading is accepted.
    pub(crate) fn accepts_all_of(&self, meant: &Meant) -> bool {
        let is_accepted = |kind| self.accepted.iter().any(|one| one.assumes() == Some(kind));
        !meant.text.is_empty() && meant.why.iter().all(|assumption| is_accepted(assumption.kind))
    }

    /// Returns the options that accept a better reading, each once.
    pub(crate) fn how_to_accept(&self, meant: &Meant) -> String {
        let is_assumed = |reading: &&AcceptedReading| {
            meant.why.iter().any(|assumption| reading.assumes() == Some(assumption.kind))
        };
        let assumed = AcceptedReading::ALL.iter().filter(is_assumed);
        let options = assumed.map(|reading| format!("{} {}", self.option_name, reading.code()));
        options.collect::<Vec<_>>().join(" ")
    }
}
