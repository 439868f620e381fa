//! A text in one language or in several.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A text by the operator: one for all readers, or one for each language.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "expected a text, or a table of texts by language")]
pub enum Localised {
    /// One text for everybody, in an unknown language.
    One(String),
    /// Texts by language tag.
    Several(BTreeMap<String, String>),
}

/// The language for readers of none of the available languages.
const FALLBACK: &str = "en";

impl Localised {
    /// Returns the text for readers of a language, and its language if that is known to differ.
    /// Falls back to English, then to the first language available.
    pub fn for_reader(&self, language: &str) -> (&str, Option<&str>) {
        match self {
            Self::One(text) => (text, None),
            Self::Several(texts) => match texts.get(language) {
                Some(text) => (text, None),
                None => {
                    let fallback = texts.get_key_value(FALLBACK).or_else(|| texts.iter().next());
                    fallback.map_or(("", None), |(tag, text)| (text, Some(tag)))
                }
            },
        }
    }

    /// Checks that there are texts, all within the limit of characters and in languages of the
    /// pages.
    pub(super) fn checked(self, most: usize) -> Result<Self, String> {
        let texts: Vec<(&str, &str)> = match &self {
            Self::One(text) => vec![("", text)],
            Self::Several(texts) => {
                texts.iter().map(|(tag, text)| (tag.as_str(), text.as_str())).collect()
            }
        };
        if texts.is_empty() {
            return Err("expected a text, found an empty table".to_owned());
        }
        let known: Vec<&str> = crate::texts::languages().collect();
        for (tag, text) in texts {
            let length = text.chars().count();
            if !tag.is_empty() && !known.contains(&tag) {
                return Err(format!(
                    "expected languages among {}, found {tag:?}",
                    known.join(", ")
                ));
            }
            if text.trim().is_empty() {
                return Err("expected a text, found none".to_owned());
            }
            if length > most {
                return Err(format!("expected at most {most} characters, found {length}"));
            }
            if text.chars().any(|char| char.is_control() && !matches!(char, '\n' | '\r' | '\t')) {
                return Err("expected no control characters".to_owned());
            }
        }
        Ok(self)
    }
}
