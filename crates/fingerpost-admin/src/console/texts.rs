//! The texts of the console in every language: `data/texts/console`, with the titles of link types and identifiers of the public pages.
//!
//! A browser receives the texts of one language, as JSON.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

/// Adds a language: its tag, its texts of the console and of the pages.
macro_rules! languages {
    ($($tag:literal)*) => {
        &[$((
            $tag,
            include_str!(concat!("../../../../data/texts/console/", $tag, ".toml")),
            include_str!(concat!("../../../../data/texts/", $tag, ".toml")),
        )),*]
    };
}

/// English first.
const LANGUAGES: &[(&str, &str, &str)] = languages! { "en" "ar" "de" "es" "fr" "ja" "pt" };

/// The tables that the console shares with the pages.
const SHARED: [&str; 2] = ["identifiers", "links"];

/// The texts of a language, with the name under which the console asks for them.
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

    /// The plural forms that each language has for whole numbers (CLDR).
    const PLURALS: [(&str, &[&str]); 7] = [
        ("en", &["one", "other"]),
        ("ar", &["few", "many", "one", "other", "two", "zero"]),
        ("de", &["one", "other"]),
        ("es", &["many", "one", "other"]),
        ("fr", &["many", "one", "other"]),
        ("ja", &["other"]),
        ("pt", &["many", "one", "other"]),
    ];

    /// Maximum size of the texts of one language as a browser receives them, in bytes.
    const BUDGET: usize = 18_000;

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
        for &(tag, console, _) in LANGUAGES {
            assert_eq!(parse(console)["language"], tag);
            let expected = if tag == "ar" { "rtl" } else { "ltr" };
            assert_eq!(parse(console)["direction"], expected, "{tag}");
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

    #[test]
    fn every_text_that_counts_has_the_plural_forms_of_its_language() {
        for &(tag, console, _) in LANGUAGES {
            let (_, expected) = PLURALS.iter().find(|(language, _)| *language == tag).unwrap();
            for (key, text) in flat(console).iter().filter(|(_, text)| text.is_object()) {
                let mut found: Vec<_> = forms(text).into_iter().map(|(form, _)| form).collect();
                found.sort_unstable();
                // The form for millions is the other one unless the language needs a word between.
                let enough = expected.iter().filter(|form| **form != "many" || tag == "ar");
                assert!(
                    enough.clone().all(|form| found.contains(form)),
                    "{tag}: {key} has {found:?}"
                );
                assert!(
                    found.iter().all(|form| expected.contains(form)),
                    "{tag}: {key} has {found:?}"
                );
            }
        }
    }

    /// The files of the console that contain words for people.
    fn code() -> impl Iterator<Item = (&'static str, &'static str)> {
        let files = super::super::FILES.iter().map(|file| (file.name, file.text));
        files.filter(|(name, _)| name.ends_with(".js") && !["texts.js", "facts.js"].contains(name))
    }

    /// Returns the literals of a line of JavaScript, each with what is before it; words filled in by `${…}` become a space.
    fn literals(line: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let (mut before, mut text, mut depth) = (String::new(), String::new(), 0_usize);
        let mut quote = None;
        let mut last = ' ';
        for character in line.chars() {
            match quote {
                None if matches!(character, '\'' | '`') => quote = Some(character),
                None => before.push(character),
                Some('`') if depth > 0 || (character == '{' && last == '$') => {
                    depth = match character {
                        '{' => depth + 1,
                        '}' => depth - 1,
                        _ => depth,
                    };
                    if depth == 0 {
                        text.push(' ');
                    }
                }
                Some(open) if character == open && last != '\\' => {
                    found.push((before.clone(), std::mem::take(&mut text)));
                    quote = None;
                }
                Some(_) => text.push(character),
            }
            last = character;
        }
        found
    }

    /// Whether a literal looks like words for people: it begins as a sentence does, or has two words beside each other.
    fn is_prose(text: &str) -> bool {
        let is_word =
            |word: &str| word.len() > 1 && word.chars().all(|letter| letter.is_ascii_alphabetic());
        let words: Vec<_> = text.split(' ').collect();
        let mut letters = text.trim_start().chars();
        let begins = letters.next().is_some_and(|first| first.is_ascii_uppercase())
            && letters.next().is_some_and(|second| second.is_ascii_lowercase());
        begins || words.windows(2).any(|pair| is_word(pair[0]) && is_word(pair[1]))
    }

    /// What looks like words and is none: names of keys, errors, headers, formats and classes.
    const NAMES: [&str; 17] = [
        "AbortError",
        "Accept",
        "Accept-Language",
        "ArrowDown",
        "Backspace",
        "Enter",
        "Escape",
        "JSON Lines",
        "Problem",
        "TypeError",
        "bar timed",
        "icon flip",
        "button primary",
        "button quiet",
        "noopener noreferrer",
        "noreferrer noopener",
        "tag now",
    ];

    #[test]
    fn no_file_has_words_for_people_outside_the_texts() {
        assert!(is_prose("Nothing is registered yet") && is_prose("waits for") && is_prose("Copy"));
        assert_eq!(literals("tell(`Delete ${count} now`);")[0].1, "Delete $  now");
        for (name, text) in code() {
            for line in text.lines().map(str::trim_start) {
                if ["//", "*", "/*", "import "].iter().any(|start| line.starts_with(start)) {
                    continue;
                }
                for (before, literal) in literals(line) {
                    let is_known = NAMES.contains(&literal.trim()) || before.ends_with("class: ");
                    assert!(
                        is_known || !is_prose(&literal),
                        "{name}: {literal:?} belongs into data/texts/console"
                    );
                }
            }
        }
    }

    #[test]
    fn every_text_is_used_and_every_used_text_exists() {
        /// Texts that are named by what the server says.
        const BY_DATA: [&str; 11] = [
            "audit.",
            "checks.",
            "columns.",
            "faults.",
            "groups.",
            "problems.",
            "people.role_",
            "approvals.approved_by",
            "approvals.rejected_by",
            "approvals.withdrawn_by",
            "words.range",
        ];
        let english = flat(LANGUAGES[0].1);
        let all: String = code()
            .map(|(_, text)| text)
            .chain(
                super::super::FILES
                    .iter()
                    .filter(|file| file.name == "texts.js")
                    .map(|file| file.text),
            )
            .collect();
        for key in english.keys() {
            let is_used = all.contains(&format!("'{key}'"));
            assert!(
                is_used || BY_DATA.iter().any(|start| key.starts_with(start)),
                "{key} is not used"
            );
        }
        for used in all.split("t('").skip(1).filter_map(|rest| rest.split('\'').next()) {
            let is_key = used
                .split_once('.')
                .is_some_and(|(table, _)| parse(LANGUAGES[0].1).contains_key(table));
            assert!(!is_key || english.contains_key(used), "no text {used}");
        }
    }

    #[test]
    fn the_console_offers_the_languages_that_are_served() {
        let file = super::super::FILES.iter().find(|file| file.name == "texts.js").unwrap();
        let list = file.text.split("LANGUAGES = [").nth(1).and_then(|rest| rest.split("];").next());
        let offered: Vec<_> =
            list.unwrap().split("['").skip(1).filter_map(|rest| rest.split('\'').next()).collect();
        let served: Vec<_> = LANGUAGES.iter().map(|(tag, ..)| *tag).collect();
        assert_eq!(offered, served);
    }

    /// Who speaks to a computer says what is on the button (WCAG 2.2, 2.5.3).
    #[test]
    fn the_name_of_a_button_has_the_words_on_it() {
        for &(tag, console, _) in LANGUAGES {
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
