//! Why there is no certificate.

use std::fmt;
use std::io;
use std::path::PathBuf;

use fingerpost_http::TlsError;
use jiff::Timestamp;

use crate::limits::MAX_SHOWN_TEXT;

/// The reason why an attempt to get a certificate failed.
#[derive(Debug, thiserror::Error)]
pub enum AcmeError {
    /// A file of the data directory could not be read or written.
    #[error("cannot use `{}`: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// A file of the configuration does not contain what it should.
    #[error("{key}: expected {expected} in `{}`, found none", path.display())]
    Content {
        /// The key of the configuration.
        key: &'static str,
        /// What was expected.
        expected: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// The authority could not be reached, or refused.
    #[error("the authority refused or cannot be reached: {reason}")]
    Authority {
        /// Its own words, or those of the network.
        reason: String,
        /// The type of the problem, without its prefix (RFC 8555 section 6.7).
        kind: Option<String>,
        /// When the authority wants to be asked again.
        retry_at: Option<Timestamp>,
    },
    /// The authority does not offer the configured challenge for a name.
    #[error(
        "the authority does not offer {challenge} for {name}: set acme.challenge to another one"
    )]
    NotOffered {
        /// The name.
        name: String,
        /// The type of the challenge.
        challenge: &'static str,
    },
    /// The authority did not see that names lead here.
    #[error("the authority did not reach this server under its names: {0}")]
    Invalid(String),
    /// The order was not ready in time.
    #[error("the authority did not finish the order in time")]
    Slow,
    /// The certificate cannot be used.
    #[error("the authority issued a certificate that cannot be used: {0}")]
    Unusable(String),
    /// The certificate or its key cannot be read or made.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The request for the certificate could not be made.
    #[error("cannot make a request for a certificate: {0}")]
    Request(#[from] rcgen::Error),
}

impl AcmeError {
    /// Returns when the authority wants to be asked again, if it says so.
    pub(crate) fn retry_at(&self) -> Option<Timestamp> {
        match self {
            Self::Authority { retry_at, .. } => *retry_at,
            _ => None,
        }
    }

    /// Returns whether this is a problem of that type (RFC 8555 section 6.7).
    pub(crate) fn is_problem(&self, expected: &str) -> bool {
        matches!(self, Self::Authority { kind: Some(kind), .. } if kind == expected)
    }
}

impl From<instant_acme::Error> for AcmeError {
    fn from(error: instant_acme::Error) -> Self {
        match error {
            instant_acme::Error::Api(problem) => {
                let kind = problem.r#type.as_deref().map(|kind| short(kind).to_owned());
                Self::Authority { reason: Told(&problem).to_string(), kind, retry_at: None }
            }
            instant_acme::Error::Timeout(_) => Self::Slow,
            error => Self::Authority { reason: legible(&error), kind: None, retry_at: None },
        }
    }
}

/// A problem in the words of the authority.
pub(crate) struct Told<'p>(pub(crate) &'p instant_acme::Problem);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(problem) = self;
        let kind = problem.r#type.as_deref().map_or("no type", short);
        let detail = problem.detail.as_deref().unwrap_or("no reason given");
        write!(f, "{} ({})", legible(&detail), legible(&kind))?;
        for part in problem.subproblems.iter().take(5) {
            write!(f, "; {}", legible(part))?;
        }
        Ok(())
    }
}

/// Returns a type of problem without the prefix of all of them.
fn short(kind: &str) -> &str {
    kind.strip_prefix("urn:ietf:params:acme:error:").unwrap_or(kind)
}

/// Returns a text of others as one line of limited length.
pub(crate) fn legible(text: &impl ToString) -> String {
    let text = text.to_string();
    text.chars()
        .map(|char| if char.is_control() { ' ' } else { char })
        .take(MAX_SHOWN_TEXT)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_others_is_one_short_line() {
        let text = legible(&format!("a\n\u{1b}[31m{}", "x".repeat(10_000)));
        assert!(text.starts_with("a  [31mx") && text.len() == MAX_SHOWN_TEXT, "{text}");
    }
}
