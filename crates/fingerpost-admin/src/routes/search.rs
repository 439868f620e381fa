//! Searches for whatever somebody has of an item: a number, a scan, a Digital Link, also with a
//! mistyped digit.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use fingerpost_registry::{Level, LevelKey, LevelState};
use fingerpost_resolver::Anchor;
use serde::Serialize;
use utoipa::ToSchema;

use super::check::{CheckBody, CheckQuery, MeantBody, is_readable, look};
use crate::credential::Who;
use crate::limits::MAX_CORRECTED_DIGITS;
use crate::problem::AdminProblem;
use crate::query::Query;
use crate::response::ok;
use crate::state::App;

/// The levels that a text is about.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = SearchResult)]
pub(crate) struct SearchBody {
    /// The level that the text names.
    #[schema(value_type = Option<LevelKey>)]
    key: Option<String>,
    /// The most specific level that is registered and applies to the text: its own, that of a
    /// range, of the product, of the company.
    nearest: Option<Level>,
    /// The deletion of the level that the text names; null if it is registered, or never was.
    deleted: Option<LevelState>,
    /// For a text with a wrong check digit: registered levels whose numbers differ from it in one
    /// digit, or in the order of two neighbouring digits, and have the right check digit.
    similar: Vec<Level>,
    /// What the text was probably meant to be, if it is not valid or hides a better reading.
    meant: Option<MeantBody>,
}

/// Finds the level that a text names.
///
/// The text is a number, an element string, a path, a Digital Link or an EPC, as for
/// `GET /v1/check`. Levels that you cannot read appear as unknown.
#[utoipa::path(
    get, path = "/v1/search", operation_id = "search", tag = "levels", params(CheckQuery),
    responses((status = 200, description = "What is known about the text.", body = SearchBody))
)]
pub(crate) async fn search(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(asked): Query<CheckQuery>,
) -> Result<Response, AdminProblem> {
    let text = asked.text()?;
    let found = app.call(move |registry| {
        let mut checked = look(&text);
        let meant = checked.perhaps_meant.take();
        let Some(key) = key(&checked) else {
            let similar = registry.registered(&caller, &corrected(&text, &checked))?;
            return Ok(SearchBody { similar, meant, ..SearchBody::default() });
        };
        let found = registry.look_up(&caller, &key)?;
        let (nearest, deleted) = (found.nearest, found.deleted);
        let key = Some(key.as_str().to_owned());
        Ok(SearchBody { key, nearest, deleted, similar: Vec::new(), meant })
    });
    Ok(ok(&found.await?))
}

fn key(checked: &CheckBody) -> Option<Anchor> {
    Anchor::parse(checked.key.as_deref()?).ok()
}

/// Returns the keys of valid texts that differ from a text with a wrong check digit in one digit of
/// the number, or in the order of two neighbouring ones. A check digit detects both; each position
/// has one digit at most that makes it right.
fn corrected(text: &str, checked: &CheckBody) -> Vec<Anchor> {
    let is_about_check_digit = |code: &str| code.ends_with("CHECK_DIGIT");
    let Some(fault) = checked.faults.iter().find(|fault| is_about_check_digit(fault.code)) else {
        return Vec::new();
    };
    // The digits before the end of the fault, which is the check digit; people group them.
    let before = text.as_bytes().iter().enumerate().take(fault.span.end).rev();
    let number = before.take_while(|(_, byte)| byte.is_ascii_digit() || b" -".contains(byte));
    let digits = number.filter(|(_, byte)| byte.is_ascii_digit()).map(|(position, _)| position);
    let digits: Vec<usize> = digits.take(MAX_CORRECTED_DIGITS).collect();
    let mut found: Vec<Anchor> = Vec::new();
    let mut consider = |bytes: Vec<u8>| {
        // Nearly all candidates have a wrong check digit, at which a reader stops.
        let text = String::from_utf8(bytes).ok().filter(|text| is_readable(text));
        let key = text.and_then(|text| key(&look(&text)));
        found.extend(key.filter(|key| !found.contains(key)));
    };
    for (at, &position) in digits.iter().enumerate() {
        for digit in (b'0'..=b'9').filter(|digit| *digit != text.as_bytes()[position]) {
            let mut bytes = text.as_bytes().to_vec();
            bytes[position] = digit;
            consider(bytes);
        }
        if let Some(&previous) = digits.get(at + 1) {
            let mut bytes = text.as_bytes().to_vec();
            bytes.swap(position, previous);
            consider(bytes);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corrections(text: &str) -> Vec<String> {
        corrected(text, &look(text)).iter().map(Anchor::to_string).collect()
    }

    /// Any one mistyped digit, and any two that were swapped, lead back to the number, in every
    /// form that names it (PE-7).
    #[test]
    fn a_mistyped_digit_is_corrected() {
        for (right, number, key) in [
            ("9506000134352", "9506000134352", "01/09506000134352"),
            ("950600 013435 2", "950600 013435 2", "01/09506000134352"),
            ("(01)09506000134352(10)A1", "9506000134352", "01/09506000134352/10/A1"),
            (
                "https://example.com/01/09506000134352?17=301231",
                "9506000134352",
                "01/09506000134352",
            ),
            ("01/09506000134352", "9506000134352", "01/09506000134352"),
            ("(00)195201234567891232", "195201234567891232", "00/195201234567891232"),
        ] {
            assert_eq!(super::key(&look(right)).expect(right).as_str(), key);
            let start = right.find(number).expect("the number");
            let is_digit = |at: &usize| right.as_bytes()[*at].is_ascii_digit();
            for position in (start..start + number.len()).filter(is_digit) {
                let digit = right.as_bytes()[position];
                let mut wrong = right.as_bytes().to_vec();
                wrong[position] = if digit == b'9' { b'0' } else { digit + 1 };
                let wrong = String::from_utf8(wrong).expect("ASCII");
                let found = corrections(&wrong);
                assert!(found.iter().any(|found| found == key), "{wrong}: {found:?}");
            }
        }
        assert!(corrections("9506000134325").contains(&"01/09506000134352".to_owned()));
    }

    #[test]
    fn only_a_wrong_check_digit_is_corrected() {
        for text in ["", "Tea", "9506000134352", "9506000", "(01)0950600013435x", "(17)301399"] {
            assert_eq!(corrections(text), Vec::<String>::new(), "{text}");
        }
        // The number of texts to check does not depend on the length of the text.
        let long = format!("{}9506000134353", "1".repeat(4000));
        assert!(corrections(&long).len() <= MAX_CORRECTED_DIGITS * 2);
    }
}
