//! The style sheet and the content security policy that the HTML pages of the API share.

use http::HeaderValue;

/// The style sheet of the pages.
pub(crate) const STYLE: &str = include_str!("page.css");

/// The policy of the pages: their own style sheet and nothing else (Content Security Policy Level
/// 3).
pub(crate) const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
