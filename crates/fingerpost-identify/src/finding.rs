//! What was found out about a text, and where.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::ops::Range;

use fingerpost_gs1::{Span, Warning};

/// Something that is wrong with a text, or worth knowing, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which rule says so.
    pub cause: Cause,
    /// The stable code: `VALUE_TOO_SHORT`, `Truncated`.
    pub code: &'static str,
    /// What was expected and what was found.
    pub message: String,
    /// What to do about it; empty: nothing to advise.
    pub help: String,
    /// Bytes of the text.
    pub span: Range<usize>,
}

/// Which rules a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// Those of Application Identifiers, element strings and Digital Link URIs.
    Gs1(Box<fingerpost_gs1::Error>),
    /// Those of EPCs.
    Epc(Box<fingerpost_epc::Error>),
    /// How the text is written; nothing within it.
    Form,
}

impl Finding {
    /// A finding about how a text is written. `help` may be empty.
    pub fn of_form(
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
        span: Range<usize>,
    ) -> Self {
        Self { cause: Cause::Form, code, message: message.into(), help: help.into(), span }
    }

    /// Why an identifier is refused that begins at byte `start` of the text.
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

    /// Why an EPC is refused.
    #[must_use]
    pub fn of_epc(error: &fingerpost_epc::Error, span: Range<usize>) -> Self {
        let (message, help) = (error.to_string(), error.hint().to_owned());
        Self { cause: Cause::Epc(Box::new(*error)), code: error.code(), message, help, span }
    }

    pub(crate) fn of_warning(warning: &Warning) -> Self {
        let span = warning.span();
        Finding::of_form(warning.code(), warning.to_string(), "", span.start..span.end)
    }

    /// Returns whether it is about EPC bits or compressed text, whose codes differ from those of other URIs.
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

    /// The same about the part of the text that `place` makes of its own.
    pub(crate) fn placed(self, place: impl Fn(Span) -> Span) -> Self {
        let Span { start, end } = place(Span { start: self.span.start, end: self.span.end });
        self.about(start..end)
    }

    /// The same about another part of the text.
    #[must_use]
    pub fn about(self, span: Range<usize>) -> Self {
        Self { span, ..self }
    }

    /// The same about a text of so many bytes, for faults of one that is only alike at its beginning.
    pub(crate) fn within(self, length: usize) -> Self {
        let span = self.span.start.min(length)..self.span.end.min(length);
        self.about(span)
    }

    /// The same about a text with so many bytes more before it.
    #[must_use]
    pub fn moved(self, by: usize) -> Self {
        let span = self.span.start + by..self.span.end + by;
        self.about(span)
    }
}
