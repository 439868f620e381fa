//! The page of an error: explanation, location and advice.

use askama::Template;
use fingerpost_gs1::EntityKey;
use http::StatusCode;

use super::{Frame, Pages, Part, ShownFault, parts, render};
use crate::texts::Texts;

/// The content of an error page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProblemPage<'a> {
    pub(crate) status: StatusCode,
    /// Name of the kind of problem in the texts.
    pub(crate) kind: &'static str,
    pub(crate) fault: Option<&'a ShownFault>,
    pub(crate) entity: Option<&'a EntityKey>,
    pub(crate) address: Option<&'a Address>,
    /// Details in English, for technicians.
    pub(crate) detail: Option<&'a str>,
    /// A sentence of the operator, in any language.
    pub(crate) notice: Option<&'a str>,
    pub(crate) reason: Option<&'static str>,
    pub(crate) hint: Option<&'static str>,
    pub(crate) request_id: Option<&'a str>,
    pub(crate) texts: &'static Texts,
}

/// The path of the request, truncated, with the faulty part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) before: String,
    pub(crate) part: String,
    pub(crate) after: String,
}

impl Pages {
    /// Returns the page.
    pub(crate) fn problem(&self, page: &ProblemPage<'_>) -> String {
        let texts = page.texts;
        let words = texts.problem(page.kind);
        let status = page.status.as_u16().to_string();
        render(&ProblemTemplate {
            frame: self.frame(texts),
            heading: &words.heading,
            explanation: &words.explanation,
            advice: &words.advice,
            fault: page.fault.map(|fault| fault.message(texts)),
            fault_hint: page.fault.and_then(|fault| fault.hint(texts)),
            parts: page.entity.map_or_else(Vec::new, |entity| parts(texts, entity)),
            address: page.address,
            detail: page.detail,
            notice: page.notice,
            reason: page.reason,
            // Readers of other languages have the advice above.
            hint: page.hint.filter(|_| texts.language() == "en"),
            quote: page.request_id.map(|id| texts.fill(&texts.problem.quote, &[("id", id)])),
            status: texts.fill(&texts.problem.status, &[("status", &status)]),
            // Another request would not help if the server itself has a fault.
            may_search: page.status.is_client_error(),
            question: "",
            is_invalid: false,
        })
    }
}

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemTemplate<'a> {
    frame: Frame<'a>,
    heading: &'a str,
    explanation: &'a str,
    advice: &'a str,
    fault: Option<String>,
    fault_hint: Option<&'a str>,
    parts: Vec<Part<'a>>,
    address: Option<&'a Address>,
    detail: Option<&'a str>,
    notice: Option<&'a str>,
    reason: Option<&'a str>,
    hint: Option<&'a str>,
    quote: Option<String>,
    status: String,
    may_search: bool,
    question: &'a str,
    is_invalid: bool,
}

/// Every kind of problem has its words in every language.
#[cfg(test)]
pub(crate) fn is_known_kind(kind: &str) -> bool {
    crate::texts::all().iter().all(|texts| {
        kind == "internal-error"
            || !std::ptr::eq(texts.problem(kind), texts.problem("internal-error"))
    })
}
