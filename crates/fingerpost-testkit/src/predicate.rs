//! Expectations of bodies, by their wording in the case file.

mod description;
mod linkset;
mod page;

use serde_json::Value;

use crate::linkset::{Published, published};
use crate::{Answer, Ask, Case, Outcome};

/// The input of an expectation.
pub(crate) struct Scene<'a> {
    pub(crate) case: &'a Case,
    pub(crate) ask: &'a Ask,
    pub(crate) outcome: &'a Outcome,
    pub(crate) answer: &'a Answer,
    /// Sends a further request to the same resolver.
    pub(crate) again: &'a mut dyn FnMut(&Ask) -> Answer,
}

/// Descriptions of faults.
type Verdict = Result<(), String>;

/// The implementation of an expectation.
type Predicate = fn(&mut Scene<'_>) -> Verdict;

impl Scene<'_> {
    fn published(&self) -> Result<Published, String> {
        published(self.answer).ok_or_else(|| "no linkset in it".to_owned())
    }

    fn json(&self) -> Result<Value, String> {
        self.answer.json().ok_or_else(|| "no JSON".to_owned())
    }

    /// Returns the page, if the body is one of our pages for people.
    fn page(&self) -> Result<String, String> {
        let text = self.answer.text();
        let is_page = text.starts_with("<!DOCTYPE html>") && text.contains("<html lang=\"");
        if is_page { Ok(text) } else { Err("no HTML page".to_owned()) }
    }
}

/// Checks a body.
///
/// # Panics
///
/// If the wording is not in the table: no expectation may be skipped silently.
pub(crate) fn check(words: &str, scene: &mut Scene<'_>) -> Verdict {
    let tables = [general(), linkset::TABLE, page::TABLE, description::TABLE];
    let found = tables.iter().flat_map(|table| table.iter()).find(|(known, _)| *known == words);
    let (_, predicate) = found.unwrap_or_else(|| panic!("no code for the expectation {words:?}"));
    predicate(scene)
}

fn general() -> &'static [(&'static str, Predicate)] {
    &[
        ("empty", |scene| ensure(scene.answer.body.is_empty(), "not empty")),
        ("may name the offending AI; must not be a linkset", |scene| {
            ensure(scene.json()?["ai"].is_string(), "no AI named")?;
            ensure(published(scene.answer).is_none(), "a linkset")
        }),
        (
            "the well-known file lives at the host root only; below the stem this is just an invalid path",
            |scene| {
                let at_root = (scene.again)(&Ask::get("/.well-known/gs1resolver"));
                ensure(at_root.status == 200, "no file at the root of the host")?;
                ensure(
                    scene.answer.json().is_none_or(|body| body["resolverRoot"].is_null()),
                    "the file",
                )
            },
        ),
        ("JSON object with @context", |scene| {
            ensure(scene.json()?["@context"].is_object(), "no context definitions")
        }),
    ]
}

fn ensure(holds: bool, otherwise: &str) -> Verdict {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}
