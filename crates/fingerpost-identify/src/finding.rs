//! Faults and warnings about a text, and their positions in it.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;
use core::ops::Range;

use fingerpost_gs1::{Span, Warning};

/// The code of a former name instead of an Application Identifier, which is that of a URI without a
/// key.
pub(crate) const FORMER_NAME: &str = "NO_PRIMARY_KEY";

/// The code of path segments after the last value.
pub(crate) const SURPLUS_SEGMENT: &str = "SURPLUS_SEGMENT";

/// A fault or a warning, and its position in a text. It is displayed as its message.
///
/// ```
/// use fingerpost_identify::{Converter, OutputForm};
///
/// fn address(scan: &str) -> Result<String, Box<dyn std::error::Error>> {
///     Ok(Converter::new().convert(scan, OutputForm::DigitalLink)?)
/// }
///
/// assert_eq!(address("(01)09506000134352")?, "https://id.gs1.org/01/09506000134352");
/// let refused = address("(01)09506000134353").unwrap_err();
/// assert_eq!(refused.to_string(), "check digit of (01) is 3, expected 2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rules that it is about.
    pub cause: Cause,
    /// The stable code: `VALUE_TOO_SHORT`, `TRUNCATED`.
    pub code: &'static str,
    /// The message: what was expected and what was found.
    pub message: String,
    /// Advice; empty if there is none.
    pub help: String,
    /// Its position, in bytes of the text.
    pub span: Range<usize>,
}

/// The rules that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The rules of Application Identifiers, element strings and Digital Link URIs.
    Gs1(Box<fingerpost_gs1::Error>),
    /// The rules of EPCs.
    Epc(Box<fingerpost_epc::Error>),
    /// The form of the text as a whole, not its content.
    Form,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for Finding {}

impl Finding {
    /// Creates a finding about the form of a text. `help` may be empty.
    pub fn of_form(
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
        span: Range<usize>,
    ) -> Self {
        Self { cause: Cause::Form, code, message: message.into(), help: help.into(), span }
    }

    /// Creates a finding for the GS1 error of an identifier that begins at byte `start` of the
    /// text.
    #[must_use]
    pub fn of_gs1(error: &fingerpost_gs1::Error, start: usize) -> Self {
        let span = error.span();
        Self {
            cause: Cause::Gs1(Box::new(*error)),
            code: error.code(),
            message: error.to_string(),
            help: error.hint().to_owned(),
            span: start + span.start..start + span.end,
        }
    }

    /// Creates a finding for the error of an EPC.
    #[must_use]
    pub fn of_epc(error: &fingerpost_epc::Error, span: Range<usize>) -> Self {
        let (message, help) = (error.to_string(), error.hint().to_owned());
        Self { cause: Cause::Epc(Box::new(*error)), code: error.code(), message, help, span }
    }

    pub(crate) fn of_warning(warning: &Warning) -> Self {
        let span = warning.span();
        Finding::of_form(warning.code(), warning.to_string(), "", span.start..span.end)
    }

    /// Returns whether it is about EPC bits or compressed text, whose codes differ from those of
    /// other URIs.
    pub(crate) fn is_of_bits(&self) -> bool {
        matches!(self.cause, Cause::Epc(_))
            || matches!(
                self.code,
                "TRUNCATED_COMPRESSED"
                    | "UNKNOWN_AI_PREFIX"
                    | "UNKNOWN_OPT_CODE"
                    | "NOT_A_DIGIT"
                    | "ENCODING_CODE"
                    | "COMPRESSED_VALUE"
                    | "NONZERO_PADDING"
            )
    }

    /// Returns whether it is about the parts of a URI that are out of place, which is the likely
    /// cause of all its faults.
    pub(crate) fn is_of_structure(&self) -> bool {
        self.cause == Cause::Form && [FORMER_NAME, SURPLUS_SEGMENT].contains(&self.code)
    }

    /// Returns the same finding with its span converted by `convert`.
    pub(crate) fn with_span(self, convert: impl Fn(Span) -> Span) -> Self {
        let Span { start, end } = convert(Span { start: self.span.start, end: self.span.end });
        self.about(start..end)
    }

    /// Returns the same finding about another part of the text.
    #[must_use]
    pub fn about(self, span: Range<usize>) -> Self {
        Self { span, ..self }
    }

    /// Returns the same finding limited to a text of `length` bytes, for faults found in a text
    /// that only begins like this one.
    pub(crate) fn within(self, length: usize) -> Self {
        let span = self.span.start.min(length)..self.span.end.min(length);
        self.about(span)
    }

    /// Returns the same finding for a text with this many more bytes before it.
    #[must_use]
    pub fn moved(self, by: usize) -> Self {
        let span = self.span.start + by..self.span.end + by;
        self.about(span)
    }
}
