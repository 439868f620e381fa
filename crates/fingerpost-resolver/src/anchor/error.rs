//! Errors of anchors.

use std::fmt;

use crate::fault::shown;

use super::Anchor;

/// Examples for messages.
const LIKE_COMPANY: &str = "/gcp/9506000";
const LIKE_ANY: &str = "/01/09506000134352/-any/10";
const LIKE_RANGE: &str = "/01/09506000134352/-range/10/4/A100/A199";

/// The reason a path is not an anchor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnchorError {
    pub(super) code: &'static str,
    pub(super) requirement: &'static str,
    pub(super) message: String,
}

impl AnchorError {
    pub(super) fn new(code: &'static str, message: String) -> Self {
        Self { code, requirement: "RES-2.4-1", message }
    }

    pub(super) fn of_key(error: &fingerpost_gs1::Error) -> Self {
        Self::new(error.code(), format!("{error}: {}", error.hint()))
    }

    /// Creates the error of a qualifier that cannot follow those before it.
    pub(super) fn of_qualifier(error: &fingerpost_gs1::Error) -> Self {
        let message = format!(
            "{error}: write a qualifier that can follow, such as 10 or 21 after the value of 01"
        );
        Self::new(error.code(), message)
    }

    /// Creates the error of a path that is neither a set nor a key.
    pub(super) fn of_path(
        error: &fingerpost_gs1::Error,
        text: &str,
        requirement: &'static str,
    ) -> Self {
        let message = format!("{error}{}", form_meant(text));
        Self { code: error.code(), requirement, message }
    }

    /// Creates the error of what follows `gcp/`.
    pub(super) fn of_company_prefix(error: &impl fmt::Display, digits: &str) -> Self {
        let message = format!("{error}; found {}: write it like {LIKE_COMPANY}", shown(digits));
        Self::new("COMPANY_PREFIX", message)
    }

    /// Creates the error of what follows `-any/`.
    pub(super) fn of_any(rest: &str) -> Self {
        let message = format!(
            "expected a qualifier without a value at the end, found {}: write it like {LIKE_ANY}",
            shown(rest)
        );
        Self::new("ANY", message)
    }

    /// Creates the error of what follows `-range/`.
    pub(super) fn of_range(rest: &str) -> Self {
        let message = format!(
            "expected a qualifier, the number of characters, the first and the last value, found {}: write it like \
             {LIKE_RANGE}",
            shown(rest)
        );
        Self::new("RANGE", message)
    }

    /// Returns a name for programs: for keys, that of [`fingerpost_gs1::Error::code`].
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// Returns the requirement that is broken.
    pub fn requirement(&self) -> &'static str {
        self.requirement
    }
}

impl fmt::Display for AnchorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for AnchorError {}

/// Returns how the form is written that a path seems to mean which is not a key: the end of a
/// message, or nothing.
fn form_meant(text: &str) -> String {
    if text.split('/').next() == Some(Anchor::COMPANY_PREFIX) {
        return format!(": write a company prefix like {LIKE_COMPANY}");
    }
    let is_form = |segment: &str| segment.starts_with('-');
    if !text.split('/').step_by(2).any(is_form) {
        return String::new();
    }
    format!(": write a set directly after the primary key, like {LIKE_ANY} or {LIKE_RANGE}")
}
