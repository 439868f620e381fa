//! The texts of the console in every language: `data/texts/console`, with the titles of link types
//! and identifiers of the public pages.
//!
//! A browser receives the texts of one language, as JSON.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::languages::LANGUAGES;

/// The tables that the console shares with the pages.
const SHARED: [&str; 2] = ["identifiers", "links"];

/// The texts of a language, with the name of the file that the console requests.
#[derive(Debug)]
pub(super) struct Texts {
    pub(super) name: String,
    pub(super) json: String,
}

/// All languages, created when the console is first requested.
pub(super) static ALL: LazyLock<Vec<Texts>> = LazyLock::new(|| {
    let texts = LANGUAGES.iter().map(|(tag, console, pages)| Texts {
        name: format!("{tag}.json"),
        json: Value::Object(merged(console, pages)).to_string(),
    });
    texts.collect()
});

fn merged(console: &str, pages: &str) -> Map<String, Value> {
    let mut all = parse(console);
    let mut pages = parse(pages);
    for table in SHARED {
        all.insert(table.to_owned(), pages.remove(table).unwrap_or_else(|| json!({})));
    }
    all
}

fn parse(text: &str) -> Map<String, Value> {
    toml::from_str(text).expect("a test reads every file")
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Maximum size of the texts of one language as a browser receives them, in bytes.
    const BUDGET: usize = 22_000;

    /// Every text by its key; those with plural forms are objects.
    fn flat(console: &str) -> BTreeMap<String, Value> {
        let tables = parse(console).into_iter().filter_map(|(table, texts)| match texts {
            Value::Object(texts) => Some((table, texts)),
            _ => None,
        });
        tables
            .flat_map(|(table, texts)| {
                texts.into_iter().map(move |(name, text)| (format!("{table}.{name}"), text))
            })
            .collect()
    }

    fn forms(text: &Value) -> Vec<(&str, &str)> {
        match text {
            Value::Object(forms) => forms
                .iter()
                .filter_map(|(form, text)| Some((form.as_str(), text.as_str()?)))
                .collect(),
            text => text.as_str().map(|text| ("", text)).into_iter().collect(),
        }
    }

    fn placeholders(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect()
    }

    #[test]
    fn every_language_has_every_text_with_the_same_placeholders() {
        let english = flat(LANGUAGES[0].1);
        assert!(english.len() > 600);
        for (tag, console, _) in LANGUAGES {
            assert_eq!(parse(console)["language"], tag);
            let texts = flat(console);
            let missing: Vec<_> = english.keys().filter(|key| !texts.contains_key(*key)).collect();
            assert!(missing.is_empty(), "{tag} has no {missing:?}");
            let unknown: Vec<_> = texts.keys().filter(|key| !english.contains_key(*key)).collect();
            assert!(unknown.is_empty(), "{tag} has {unknown:?}, which English has not");
            for (key, text) in &texts {
                let original = &english[key];
                assert_eq!(text.is_object(), original.is_object(), "{tag}: plural forms of {key}");
                let whole =
                    forms(original).into_iter().find(|(form, _)| matches!(*form, "" | "other"));
                let expected = placeholders(whole.expect("English has a text").1);
                for (form, text) in forms(text) {
                    assert!(!text.trim().is_empty(), "{tag}: {key} is empty");
                    let found = placeholders(text);
                    // "One thing is wrong" says the number itself.
                    let allowed = matches!(form, "zero" | "one" | "two");
                    let lacks: Vec<_> = expected.difference(&found).collect();
                    let is_number = lacks.iter().all(|name| **name == "count");
                    assert!(
                        lacks.is_empty() || (allowed && is_number),
                        "{tag}: {key} lacks {lacks:?}"
                    );
                    assert!(found.is_subset(&expected), "{tag}: {key} has {found:?}");
                }
            }
        }
    }

    /// Users of speech input say the words on the button (WCAG 2.2, 2.5.3).
    #[test]
    fn the_name_of_a_button_has_the_words_on_it() {
        for (tag, console, _) in LANGUAGES {
            let texts = flat(console);
            let named = texts.iter().filter_map(|(key, text)| {
                Some((key.strip_suffix("_named")?, text.as_str()?.to_lowercase()))
            });
            for (key, name) in named {
                let words = texts.get(key).and_then(Value::as_str).unwrap_or_default();
                assert!(name.contains(&words.to_lowercase()), "{tag}: {key}: {name:?}");
            }
        }
    }

    #[test]
    fn the_folder_has_the_languages_of_the_pages() {
        let read = |folder: &str| -> BTreeSet<String> {
            let path = format!("{}/../../data/texts/{folder}", env!("CARGO_MANIFEST_DIR"));
            let names = std::fs::read_dir(path).unwrap();
            let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            names.filter(|name| name.ends_with(".toml")).collect()
        };
        let own: BTreeSet<String> =
            LANGUAGES.iter().map(|(tag, ..)| format!("{tag}.toml")).collect();
        assert_eq!(read("console"), own);
        assert_eq!(read(""), own);
    }

    #[test]
    fn the_texts_of_one_language_are_small() {
        for texts in ALL.iter() {
            let sent = fingerpost_http::gzip::compress_once(texts.json.as_bytes()).unwrap().len();
            assert!(sent < BUDGET, "{}: {sent} bytes", texts.name);
        }
    }
}
