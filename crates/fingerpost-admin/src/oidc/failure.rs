//! Failures of a sign-in, and the notices that users get about them.

use fingerpost_http::ServeError;
use http::StatusCode;

use crate::notice::Notice;

/// The reason why a sign-in failed. The texts are for the log and contain no secrets.
#[derive(Debug)]
pub(super) enum Failure {
    /// The browser did not begin this attempt, or began it too long ago.
    Stale,
    /// The attempt is not the one of this browser.
    Foreign(&'static str),
    /// The user cancelled, or the provider refused.
    Declined(String),
    /// The provider does not answer, or not according to the standard.
    Provider(String),
    /// The provider's claims about the user cannot be trusted.
    Untrusted(String),
    /// There are too many attempts at a time.
    Busy,
}

impl From<Failure> for Notice {
    fn from(failure: Failure) -> Self {
        let title = "Sign-in failed";
        let again = "This sign-in was started in another window, or too long ago. Start again from the console.";
        match failure {
            Failure::Stale => Self::new(StatusCode::BAD_REQUEST, title, again)
                .because("the attempt is unknown, used or too old"),
            Failure::Foreign(reason) => {
                Self::new(StatusCode::BAD_REQUEST, title, again).because(reason)
            }
            Failure::Declined(reason) => {
                let text = "The identity provider of your organisation did not sign you in. Start again from the console.";
                Self::new(StatusCode::FORBIDDEN, title, text).because(reason)
            }
            Failure::Provider(reason) => {
                let text = "The identity provider of your organisation does not respond as expected. Try again later, or contact the \
                    administrator of this service.";
                Self::new(StatusCode::BAD_GATEWAY, title, text).because(reason)
            }
            Failure::Untrusted(reason) => {
                let text = "The response of the identity provider of your organisation is not valid. Start again from the console, \
                    or contact the administrator of this service.";
                Self::new(StatusCode::BAD_GATEWAY, title, text).because(reason)
            }
            Failure::Busy => {
                let text = "Too many users are signing in. Try again in a moment.";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, title, text)
                    .because("too many sign-ins are waiting for the provider")
            }
        }
    }
}

pub(super) fn setting(key: &'static str, expected: impl Into<String>) -> ServeError {
    ServeError::Setting { key, expected: expected.into() }
}
