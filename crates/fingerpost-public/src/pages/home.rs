//! The home page: a field for any identifier, and the answer about it.

use std::borrow::Cow;

use askama::Template;
use fingerpost_gs1::percent;
use fingerpost_resolver::Settings;
use fingerpost_store::StoreError;
use fingerpost_uri::{Typed, hide_password};

use super::product::LookUp;
use super::result::{Destination, ResultView};
use super::web::encoded;
use super::words::{self, Word};
use super::{Frame, Pages, render};
use crate::limits::MAX_QUESTION;
use crate::texts::Texts;

/// Returns the value of `q` in a query, decoded as form data; `None` if it is missing or blank.
pub(super) fn question(query: &str) -> Option<String> {
    let pair = query.split('&').find_map(|pair| pair.strip_prefix("q="))?;
    let mut bytes = Vec::with_capacity(pair.len());
    let mut rest = pair.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let (byte, after) = match percent::triplet(rest) {
            Some(byte) => (byte, &rest[3..]),
            None if first == b'+' => (b' ', tail),
            None => (first, tail),
        };
        bytes.push(byte);
        rest = after;
    }
    bytes.truncate(MAX_QUESTION);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (!text.trim_matches(|char: char| char.is_ascii_whitespace()).is_empty()).then_some(text)
}

impl Pages {
    /// Returns the page without a question.
    pub(super) fn home(&self, texts: &Texts, settings: &Settings) -> String {
        self.home_with(texts, settings, None)
    }

    /// Returns the page with the answer to a question.
    pub(super) fn home_about(
        &self,
        texts: &Texts,
        look_up: &LookUp<'_>,
        question: &str,
    ) -> Result<String, StoreError> {
        let result = ResultView::new(texts, look_up, question)?;
        Ok(self.home_with(texts, look_up.settings, Some((question, result))))
    }

    fn home_with(
        &self,
        texts: &Texts,
        settings: &Settings,
        answered: Option<(&str, ResultView<'_>)>,
    ) -> String {
        let (question, result) = answered.unzip();
        let keys = settings.primary_keys().as_slice().iter();
        render(&HomeTemplate {
            frame: self.frame(texts),
            question: question.map(without_password).unwrap_or_default(),
            is_invalid: result.as_ref().is_some_and(|result| !result.is_valid),
            title: result.as_ref().map_or(texts.home.heading.as_str().into(), ResultView::title),
            result,
            root: settings.root().as_str(),
            examples: self.brand.examples().iter().map(|text| (&**text, encoded(text))).collect(),
            keys: keys.map(|ai| (ai.to_string(), words::identifier(texts, *ai))).collect(),
        })
    }
}

/// Returns the text for the field of the page, which is printed and passed on (RFC 3986, section
/// 7.5).
fn without_password(question: &str) -> Cow<'_, str> {
    match hide_password(Typed::new(question).text()) {
        Cow::Owned(hidden) => Cow::Owned(hidden),
        Cow::Borrowed(_) => Cow::Borrowed(question),
    }
}

#[derive(Template)]
#[template(path = "home.html")]
struct HomeTemplate<'a> {
    frame: Frame<'a>,
    question: Cow<'a, str>,
    is_invalid: bool,
    title: Cow<'a, str>,
    result: Option<ResultView<'a>>,
    root: &'a str,
    /// The text, and the query for it.
    examples: Vec<(&'a str, String)>,
    keys: Vec<(String, Word<'a>)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_decoded_as_forms_encode_them() {
        for (query, expected) in [
            ("q=a+b%20c%2B", Some("a b c+")),
            ("x=1&q=%5Dd2%1D01", Some("]d2\u{1d}01")),
            ("q=100%", Some("100%")),
            ("q=%zz%4", Some("%zz%4")),
            ("q=%FF", Some("\u{fffd}")),
            ("q=", None),
            ("q=+%20", None),
            ("Q=1", None),
            ("", None),
        ] {
            assert_eq!(question(query).as_deref(), expected, "{query}");
        }
        assert_eq!(
            question(&format!("q={}", "a".repeat(9000))).map(|q| q.len()),
            Some(MAX_QUESTION)
        );
    }
}
