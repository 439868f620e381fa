//! Problems reported by a server (RFC 9457).

use fingerpost_registry::Fault;
use serde::{Deserialize, Serialize};

use super::address::Address;
use super::answer::ApiAnswer;
use crate::failure::Failure;
use crate::text::printable;

/// Codes of problems.
pub mod code {
    /// A sign-in needs a second factor.
    pub const CODE_REQUIRED: &str = "code-required";
    /// A name, a password or a code is wrong.
    pub const SIGN_IN_REFUSED: &str = "sign-in-refused";
    /// Rows of a batch were refused.
    pub const BATCH_REFUSED: &str = "batch-refused";
}

/// The reason why a request failed.
#[derive(Debug)]
pub enum CallError {
    /// The server found faults in the request.
    Problem(Box<ApiProblem>),
    /// The request could not be carried out.
    Failure(Failure),
}

impl CallError {
    /// Returns the code of the problem that the server reported.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Problem(problem) => problem.code.as_deref(),
            Self::Failure(_) => None,
        }
    }
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// The members of a received problem document.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApiProblem {
    /// The status of the answer.
    pub status: u16,
    /// The kind of problem, in words.
    pub title: String,
    /// What is wrong with this request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The kind of problem; see [`code`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The faults of the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Fault>,
    /// The id of the request in the log of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The revision that the level has.
    #[serde(skip)]
    pub revision: Option<String>,
}

impl ApiProblem {
    /// Reads the problem from an unsuccessful answer.
    pub fn of(answer: &ApiAnswer, address: &Address) -> Self {
        let is_problem = answer
            .header("content-type")
            .is_some_and(|media_type| media_type.starts_with("application/problem+json"));
        let read = serde_json::from_slice::<Self>(answer.body()).ok().filter(|_| is_problem);
        let revision = answer.header("etag").map(|etag| etag.trim_matches('"').to_owned());
        match read {
            Some(problem) => Self { status: answer.status(), revision, ..problem },
            None => Self {
                status: answer.status(),
                title: format!("{address} answered with status {}", answer.status()),
                ..Self::default()
            },
        }
    }

    /// Converts the problem into an error, depending on who can do something about it.
    pub fn into_error(self, address: &Address) -> CallError {
        // The public side sends problems too; only those of the admin side have an id.
        let is_of_admin = self.request_id.is_some();
        let advice = match self.status {
            401 if self.code.as_deref() == Some(code::CODE_REQUIRED) => {
                return CallError::Problem(Box::new(self));
            }
            400 | 404 | 409 | 412 | 413 | 415 | 422 if is_of_admin => {
                return CallError::Problem(Box::new(self));
            }
            401 if self.code.as_deref() == Some(code::SIGN_IN_REFUSED) => {
                "check name and password; after some tries wait a minute".to_owned()
            }
            401 => format!("sign in with `fingerpost login {address}`; the key may have expired"),
            403 => "ask an admin of the organisation for the right, or use another key".to_owned(),
            429 => "wait a minute, then repeat".to_owned(),
            500.. if is_of_admin => match &self.request_id {
                Some(id) => format!("look for {} in the server's log", printable(id)),
                None => "look at the server's log".to_owned(),
            },
            _ => "check the address: is it that of an admin listener?".to_owned(),
        };
        let what = printable(self.detail.as_deref().unwrap_or(&self.title));
        CallError::Failure(Failure::advise(what, advice))
    }

    /// Returns what is wrong, in one line.
    pub fn text(&self) -> String {
        printable(self.detail.as_deref().unwrap_or(&self.title))
    }
}
