//! The texts of the pages in every language: data files that translators can edit, built in, parsed
//! once.
//!
//! RFC 4647 lookup ([`fingerpost_resolver::choose_language`]) selects the language, with English as
//! the fallback. Every file has every key: the types below leave nothing out, and a test compares
//! the tables.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use fingerpost_gs1::gtin::GtinKind;
use fingerpost_identify::is_hidden;
use fingerpost_resolver::choose_language;
use serde::Deserialize;

mod languages;

use languages::FILES;

/// One language file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Texts {
    /// Language tag of the file.
    pub(crate) language: String,
    direction: Direction,
    pub(crate) page: PageTexts,
    pub(crate) search: SearchTexts,
    pub(crate) home: HomeTexts,
    pub(crate) result: ResultTexts,
    pub(crate) meaning: MeaningTexts,
    months: BTreeMap<String, String>,
    gtins: BTreeMap<String, String>,
    pub(crate) linkset: LinksetTexts,
    pub(crate) problem: ProblemTexts,
    forms: BTreeMap<String, String>,
    problems: BTreeMap<String, KindTexts>,
    faults: BTreeMap<String, String>,
    hints: BTreeMap<String, String>,
    identifiers: BTreeMap<String, String>,
    links: BTreeMap<String, String>,
    relations: BTreeMap<String, String>,
    languages: BTreeMap<String, String>,
    countries: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Ltr,
    Rtl,
}

/// Declares a table whose keys are known.
macro_rules! table {
    ($($name:ident: $($key:ident)+;)+) => {$(
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            $(pub(crate) $key: String,)+
        }
    )+};
}

table! {
    PageTexts: skip resolver about privacy abuse for_programs technical;
    SearchTexts: label help submit;
    HomeTexts: heading lead examples served addresses;
    ResultTexts: valid invalid more_faults contents identifier value link open links suggest unknown unknown_advice elsewhere no_key
        not_served lenient spellings filter restricted;
    MeaningTexts: date last_day time period point local_amount percent several_countries piece roll male female not_stated yes no;
    LinksetTexts: recall recall_advice recall_own_advice recall_since main variants choose unavailable no_default previous next context image video audio text data details
        net_content;
    ProblemTexts: address advice quote status;
    KindTexts: heading explanation advice;
}

static ALL: LazyLock<Vec<Texts>> = LazyLock::new(|| {
    let read = |file: &&str| toml::from_str(file).expect("a test reads every file");
    FILES.iter().map(read).collect()
});

/// Returns the texts in every language, English first.
pub(crate) fn all() -> &'static [Texts] {
    &ALL
}

/// Returns the tags of the languages of the texts, English first.
pub(crate) fn languages() -> impl Iterator<Item = &'static str> {
    all().iter().map(Texts::language)
}

/// Returns the texts for a reader with this `Accept-Language`.
pub(crate) fn for_reader(accept_language: &[u8]) -> &'static Texts {
    let tags: Vec<&str> = ALL.iter().map(|texts| texts.language.as_str()).collect();
    let chosen = choose_language(accept_language, &tags);
    ALL.iter().find(|texts| Some(texts.language.as_str()) == chosen).unwrap_or(&ALL[0])
}

impl Texts {
    /// Returns the tag of the language.
    pub(crate) fn language(&self) -> &str {
        &self.language
    }

    pub(crate) fn is_right_to_left(&self) -> bool {
        self.direction == Direction::Rtl
    }

    /// Returns the name of a form of identifiers, by its code.
    pub(crate) fn form(&self, code: &str) -> &str {
        word(&self.forms, code)
    }

    /// Returns what a kind of GTIN is called.
    pub(crate) fn gtin(&self, kind: GtinKind) -> &str {
        word(&self.gtins, kind.code())
    }

    /// Returns the texts about a kind of problem.
    pub(crate) fn problem(&self, kind: &str) -> &KindTexts {
        // Every kind has its table, which a test checks.
        self.problems.get(kind).unwrap_or(&self.problems["internal-error"])
    }

    pub(crate) fn fault(&self, key: &str) -> &str {
        word(&self.faults, key)
    }

    pub(crate) fn hint(&self, key: &str) -> &str {
        word(&self.hints, key)
    }

    /// Returns the name of an Application Identifier; only common ones have one.
    pub(crate) fn identifier(&self, ai: &str) -> Option<&str> {
        self.identifiers.get(ai).map(String::as_str)
    }

    /// Returns the name of a link type of GS1, by its local name.
    pub(crate) fn link_type(&self, local: &str) -> Option<&str> {
        self.links.get(local).map(String::as_str)
    }

    /// Returns the name of a link relation of IANA; only common ones have one.
    pub(crate) fn relation(&self, relation: &str) -> Option<&str> {
        self.relations.get(relation).map(String::as_str)
    }

    /// Returns the name of a language, by its primary subtag; only common ones have one.
    pub(crate) fn language_name(&self, subtag: &str) -> Option<&str> {
        self.languages.get(&subtag.to_ascii_lowercase()).map(String::as_str)
    }

    /// Returns the name of a month, by its number.
    pub(crate) fn month(&self, number: &str) -> &str {
        word(&self.months, number)
    }

    /// Returns the name of a country or territory, by its code in ISO 3166-1 alpha-2.
    pub(crate) fn country(&self, code: &str) -> Option<&str> {
        self.countries.get(code).map(String::as_str)
    }

    /// Returns a text with the words in braces replaced. In right-to-left text, the replacements
    /// are isolated from it (Unicode Standard Annex 9), each in the direction of its first letter.
    /// One that was filled itself, such as a date, has its letters in isolates, which do not count,
    /// so it gets the direction of the language.
    pub(crate) fn fill(&self, text: &str, values: &[(&str, &str)]) -> String {
        let mut filled = String::with_capacity(text.len() + 32);
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let (name, tail) = after.split_once('}').unwrap_or((after, ""));
            let value = values.iter().find(|(known, _)| *known == name).map_or("", |(_, v)| v);
            if self.is_right_to_left() {
                let is_filled = value.contains('\u{2068}');
                filled.push(if is_filled { '\u{2067}' } else { '\u{2068}' });
                filled.push_str(value);
                filled.push('\u{2069}');
            } else {
                filled.push_str(value);
            }
            rest = tail;
        }
        filled.push_str(rest);
        filled
    }
}

/// Returns the text of a key used in the code; a test checks that all of these exist.
fn word<'t>(table: &'t BTreeMap<String, String>, key: &str) -> &'t str {
    table.get(key).map_or("", String::as_str)
}

/// Returns text for one line, with control characters and those that change the direction of
/// writing made visible.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        match u32::from(char) {
            // The pictures of the control characters stand in their order.
            code @ 0..0x20 => shown.extend(char::from_u32(0x2400 + code)),
            0x7F => shown.push('\u{2421}'),
            _ if is_hidden(char) => shown.extend(char.escape_unicode()),
            _ => shown.push(char),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Keys with dots, and the text of each.
    fn leaves(file: &str) -> BTreeMap<String, String> {
        fn collect(prefix: &str, table: &toml::Table, into: &mut BTreeMap<String, String>) {
            for (key, value) in table {
                let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                match value {
                    toml::Value::Table(table) => collect(&key, table, into),
                    toml::Value::String(text) => {
                        into.insert(key, text.clone());
                    }
                    other => panic!("{key}: expected a text, found {other}"),
                }
            }
        }
        let mut all = BTreeMap::new();
        collect("", &file.parse().expect("TOML"), &mut all);
        all
    }

    fn placeholders(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).map(|rest| rest.split('}').next().unwrap_or_default()).collect()
    }

    #[test]
    fn every_language_has_every_key_and_the_same_placeholders() {
        let english = leaves(FILES[0]);
        for file in FILES {
            let texts = leaves(file);
            let language = &texts["language"];
            let keys =
                |texts: &BTreeMap<String, String>| texts.keys().cloned().collect::<BTreeSet<_>>();
            let (mine, theirs) = (keys(&texts), keys(&english));
            assert_eq!(
                (mine.difference(&theirs).collect::<Vec<_>>(), theirs.difference(&mine).collect()),
                (Vec::new(), Vec::<&String>::new()),
                "{language}: too much, and missing"
            );
            for (key, text) in &texts {
                assert!(!text.trim().is_empty(), "{language}: {key} is empty");
                assert!(
                    !text.contains(['<', '>']) && !text.chars().any(is_hidden),
                    "{language}: {key}"
                );
                assert_eq!(placeholders(text), placeholders(&english[key]), "{language}: {key}");
            }
        }
    }

    #[test]
    fn translations_are_translations() {
        let english = leaves(FILES[0]);
        for file in &FILES[1..] {
            let texts = leaves(file);
            let same: Vec<&String> = texts
                .iter()
                // Many countries have the same name everywhere.
                .filter(|(key, text)| english[*key] == **text && !key.starts_with("countries."))
                .map(|(key, _)| key)
                .collect();
            // Names such as SmartLabel and words that languages share.
            assert!(same.len() <= 16, "{}: as in English: {same:?}", texts["language"]);
        }
    }

    #[test]
    fn files_are_read_and_chosen() {
        let tags: Vec<&str> = all().iter().map(Texts::language).collect();
        assert!(tags[0] == "en" && tags[1..].is_sorted(), "{tags:?}");
        for (header, language) in [
            ("", "en"),
            ("*", "en"),
            ("nl", "en"),
            ("fr-CA, en;q=0.8", "fr"),
            ("nl, pt-BR;q=0.5", "pt"),
            ("ar-EG", "ar"),
            ("de;q=0, ja", "ja"),
            ("\u{ff}", "en"),
        ] {
            assert_eq!(for_reader(header.as_bytes()).language, language, "{header}");
        }
        assert!(for_reader(b"ar").is_right_to_left() && !for_reader(b"ja").is_right_to_left());
    }

    #[test]
    fn words_in_braces_are_filled_in() {
        let (english, arabic) = (for_reader(b"en"), for_reader(b"ar"));
        assert_eq!(english.fill("a {x} b {y}", &[("y", "{x}"), ("x", "1")]), "a 1 b {x}");
        let one = arabic.fill("{x}", &[("x", "1")]);
        assert_eq!(one, "\u{2068}1\u{2069}");
        // What was filled itself has the direction of the language.
        assert_eq!(arabic.fill("{x}", &[("x", &one)]), format!("\u{2067}{one}\u{2069}"));
    }

    #[test]
    fn nothing_hides() {
        assert_eq!(visible("a\u{1d}b\u{202e}c\u{7f}"), "a␝b\\u{202e}c␡");
        assert_eq!(visible("äöü 漢字 عربي"), "äöü 漢字 عربي");
    }
}
