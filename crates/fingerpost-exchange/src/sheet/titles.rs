//! The titles by which columns and link types are found, in seven languages.

use std::collections::HashMap;
use std::sync::LazyLock;

use fingerpost_gs1::Ai;
use serde::{Deserialize, Serialize};

use crate::limits::{MAX_TITLE_LETTERS, MAX_TITLE_WORDS};

mod table;

pub(crate) use table::LANGUAGES;

/// What a column of a spreadsheet holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Column {
    /// A level, as a path or a Digital Link.
    Anchor,
    /// The value of a primary key.
    Key(Ai),
    /// The value of a qualifier.
    Qualifier(Ai),
    /// The description of the item.
    Description,
    /// The description in other languages, one on each line.
    Descriptions,
    /// What a request without a link type gets.
    Answer,
    /// Where the context of a request comes from that names none.
    ContextSource,
    /// A member of a link.
    Link(LinkField),
}

/// A member of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum LinkField {
    LinkType,
    Href,
    Title,
    MediaType,
    Hreflang,
    Context,
    Access,
    ValidFrom,
    ValidUntil,
    IsDefault,
}

impl LinkField {
    /// Returns the member of records; `None` if it only decides which link becomes the default.
    pub(crate) fn member(self) -> Option<&'static str> {
        Some(match self {
            LinkField::LinkType => "linkType",
            LinkField::Href => "href",
            LinkField::Title => "title",
            LinkField::MediaType => "type",
            LinkField::Hreflang => "hreflang",
            LinkField::Context => "context",
            LinkField::Access => "access",
            LinkField::ValidFrom => "validFrom",
            LinkField::ValidUntil => "validUntil",
            LinkField::IsDefault => return None,
        })
    }
}

/// The titles of a column, by language.
struct ColumnTitles {
    name: &'static str,
    column: Column,
    titles: [&'static [&'static str]; LANGUAGES.len()],
}

/// The titles of a link type, by language.
struct LinkTypeTitles {
    name: &'static str,
    /// Whether it is offered in templates.
    is_offered: bool,
    titles: [&'static [&'static str]; LANGUAGES.len()],
}

/// A language of the titles, as its position in `LANGUAGES`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TitleLanguage(usize);

impl TitleLanguage {
    /// Returns the language with a tag such as `de`.
    pub fn new(tag: &str) -> Option<TitleLanguage> {
        LANGUAGES.iter().position(|own| own.eq_ignore_ascii_case(tag)).map(TitleLanguage)
    }

    /// Returns whether the language is written from right to left.
    pub(crate) fn is_right_to_left(self) -> bool {
        LANGUAGES[self.0] == "ar"
    }

    /// Returns the tags of all languages.
    pub fn tags() -> &'static [&'static str] {
        &LANGUAGES
    }
}

/// Returns what of a title is compared: letters and digits, in lower case.
pub(crate) fn letters(title: &str) -> String {
    title.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the column with a title in any language, or named by its Application Identifier: `(01)`.
pub(crate) fn column_with_title(title: &str) -> Option<Column> {
    let ai =
        title.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).and_then(Ai::new);
    let by_ai = |column: &Column| matches!(column, Column::Key(own) | Column::Qualifier(own) if Some(*own) == ai);
    let found = || table::COLUMNS.iter().map(|row| row.column).find(by_ai);
    ai.and_then(|_| found()).or_else(|| COLUMNS_BY_TITLE.get(&letters(title)).copied())
}

static COLUMNS_BY_TITLE: LazyLock<HashMap<String, Column>> = LazyLock::new(|| {
    let all = table::COLUMNS.iter().flat_map(|row| {
        let titles = row.titles.iter().flat_map(|titles| titles.iter());
        titles.map(|title| (letters(title), row.column))
    });
    all.collect()
});

/// A known title among the words of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WordMatch<T> {
    pub(crate) meaning: T,
    /// Letters of the known title: the longest match is the best.
    pub(crate) letters: usize,
}

/// Returns the longest title of a column in the words of a title, of the columns that are wanted.
pub(crate) fn column_in_words(
    title: &str,
    is_wanted: impl Fn(Column) -> bool,
) -> Option<WordMatch<Column>> {
    longest(title, |known| COLUMNS_BY_TITLE.get(known).copied().filter(|column| is_wanted(*column)))
}

/// Returns the local name of the link type that has the longest title in the words of a title.
pub(crate) fn link_type_in_words(title: &str) -> Option<WordMatch<&'static str>> {
    longest(title, |known| LINK_TYPES_BY_TITLE.get(known).copied())
}

/// Looks up each run of words; in scripts without spaces, each run of letters.
fn longest<T>(title: &str, known: impl Fn(&str) -> Option<T>) -> Option<WordMatch<T>> {
    let words = words(title);
    let mut best: Option<WordMatch<T>> = None;
    for begin in 0..words.len() {
        let mut run = String::new();
        for word in words[begin..].iter().take(MAX_TITLE_WORDS) {
            run.push_str(word);
            let letters = run.chars().count();
            if best.as_ref().is_none_or(|best| letters > best.letters)
                && let Some(meaning) = known(&run)
            {
                best = Some(WordMatch { meaning, letters });
            }
        }
    }
    best
}

/// Returns the words of a title, as far as titles are long. `VariantBarcode` and `variant_barcode`
/// are two; each letter of a script without spaces is one.
pub(crate) fn words(title: &str) -> Vec<String> {
    let (mut words, mut is_inside, mut was_lower) = (vec![String::new()], false, false);
    for c in title.chars().take(MAX_TITLE_LETTERS) {
        let is_own = matches!(c, '\u{3040}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}');
        if is_own || !is_inside || (was_lower && c.is_uppercase()) {
            words.push(String::new());
        }
        is_inside = c.is_alphanumeric() && !is_own;
        was_lower = c.is_lowercase();
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns whether a title says that its texts are longer than a name.
pub(crate) fn is_long_text(title: &str) -> bool {
    let title = letters(title);
    table::LONG_TEXTS.iter().flat_map(|words| words.iter()).any(|word| title.contains(word))
}

/// Returns the title of a link without one: that of its type, in the language of the target if it
/// has one of ours.
pub(crate) fn usual_title(link_type: &str, language: Option<&str>) -> String {
    let tag = language.map(|tag| tag.split('-').next().unwrap_or_default());
    let language = tag.and_then(TitleLanguage::new).unwrap_or_default();
    let name = link_type.strip_prefix("gs1:").unwrap_or(link_type);
    link_type_title(name, language).unwrap_or_default().to_owned()
}

/// Returns whether a title is that of links without one, in any language.
pub(crate) fn is_usual_title(title: &str) -> bool {
    let mut titles = table::LINK_TYPES.iter().flat_map(|row| row.titles.iter());
    titles.any(|titles| titles.first() == Some(&title))
}

/// Returns the column that a mapping calls by this name.
pub(crate) fn column_with_name(name: &str) -> Option<Column> {
    table::COLUMNS.iter().find(|row| row.name.eq_ignore_ascii_case(name)).map(|row| row.column)
}

/// Returns the name of a column in mappings.
pub(crate) fn column_name(column: Column) -> &'static str {
    row_of(column).name
}

/// Returns the names of all columns.
pub(crate) fn column_names() -> impl Iterator<Item = &'static str> {
    table::COLUMNS.iter().map(|row| row.name)
}

/// Returns the title with which a column is written.
pub(crate) fn column_title(column: Column, language: TitleLanguage) -> &'static str {
    row_of(column).titles[language.0][0]
}

fn row_of(column: Column) -> &'static ColumnTitles {
    let row = table::COLUMNS.iter().find(|row| row.column == column);
    row.expect("every column has a row of the table")
}

/// Returns the local name of the link type with a title in any language, or with this name:
/// `gs1:pip`, `pip`.
pub(crate) fn link_type_with_title(title: &str) -> Option<&'static str> {
    let name = title.trim().strip_prefix("gs1:").unwrap_or(title);
    LINK_TYPES_BY_TITLE.get(&letters(name)).copied()
}

static LINK_TYPES_BY_TITLE: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    // Types that are offered come last and replace others with the same title; names come after
    // titles.
    let mut rows: Vec<_> = table::LINK_TYPES.iter().collect();
    rows.sort_by_key(|row| row.is_offered);
    let titles = rows.iter().flat_map(|row| {
        let titles = row.titles.iter().flat_map(|titles| titles.iter());
        titles.map(|title| (letters(title), row.name))
    });
    let names = table::LINK_TYPES.iter();
    titles.chain(names.map(|row| (row.name.to_lowercase(), row.name))).collect()
});

/// Returns the title of a link type.
pub(crate) fn link_type_title(name: &str, language: TitleLanguage) -> Option<&'static str> {
    let row = table::LINK_TYPES.iter().find(|row| row.name == name)?;
    Some(row.titles[language.0][0])
}

/// Returns the local names of the link types that templates offer.
pub(crate) fn offered_link_types() -> impl Iterator<Item = &'static str> {
    table::LINK_TYPES.iter().filter(|row| row.is_offered).map(|row| row.name)
}

/// Returns whether a cell says yes or no; `None` if neither.
pub(crate) fn yes_or_no(text: &str) -> Option<bool> {
    let text = text.trim().to_lowercase();
    let is_in = |words: &[&[&str]]| words.iter().any(|words| words.contains(&text.as_str()));
    match (is_in(&table::YES), is_in(&table::NO)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// Returns the cells that say yes and no.
pub(crate) fn yes_and_no(language: TitleLanguage) -> [&'static str; 2] {
    [table::YES[language.0][0], table::NO[language.0][0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_compared_without_case_space_and_punctuation() {
        let gtin = Some(Column::Key(Ai::GTIN));
        for title in
            ["GTIN", " gtin ", "G.T.I.N.", "ean code", "JANコード", "Código  de barras", "(01)"]
        {
            assert_eq!(column_with_title(title), gtin, "{title}");
        }
        assert_eq!(column_with_title("(10)"), Some(Column::Qualifier(Ai::LOT)));
        assert_eq!(column_with_title("LINK-TYP"), Some(Column::Link(LinkField::LinkType)));
        for title in ["", "Price", "01", "(99999)", "-"] {
            assert_eq!(column_with_title(title), None, "{title}");
        }
    }

    #[test]
    fn each_written_title_is_read_as_its_column() {
        for row in &table::COLUMNS {
            for language in (0..LANGUAGES.len()).map(TitleLanguage) {
                let title = column_title(row.column, language);
                assert_eq!(column_with_title(title), Some(row.column), "{title}");
            }
            assert_eq!(column_with_name(row.name), Some(row.column));
            assert_eq!(column_name(row.column), row.name);
        }
        for name in offered_link_types() {
            for language in (0..LANGUAGES.len()).map(TitleLanguage) {
                let title = link_type_title(name, language).unwrap();
                assert_eq!(link_type_with_title(title), Some(name), "{title}");
            }
        }
    }

    #[test]
    fn link_types_have_names_and_titles() {
        for text in ["gs1:pip", "pip", "Product page", "Produktseite", "商品ページ"] {
            assert_eq!(link_type_with_title(text), Some("pip"), "{text}");
        }
        // Two types have this title in English; one of them is deprecated.
        assert_eq!(
            link_type_with_title("Sustainability and recycling"),
            Some("sustainabilityInfo")
        );
        assert_eq!(link_type_with_title("license"), None);
    }

    #[test]
    fn cells_say_yes_or_no() {
        for (text, said) in [
            ("Yes", Some(true)),
            ("ja", Some(true)),
            ("×", Some(false)),
            ("non", Some(false)),
            ("maybe", None),
        ] {
            assert_eq!(yes_or_no(text), said, "{text}");
        }
    }
}
