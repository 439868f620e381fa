//! The meaning of columns whose titles are not known, by what is in them.
//!
//! A column in which every cell is a GTIN holds the key, one of web addresses the targets, and one
//! of language codes their languages. Which of several it is, and what a text is, known titles
//! among the words of a title decide: "Artikelnummer (EAN)", "Variant Barcode", "Seite FR". Titles
//! that are known as a whole, and columns that were mapped, are left as they are.

use fingerpost_gs1::Ai;
use fingerpost_resolver::excerpt;

use super::cell::{Cell, Row};
use super::key;
use super::role::{PRODUCT_PAGE, Role, TargetColumn};
use super::titles::{self, Column, LinkField, WordMatch};
use crate::limits::{MAX_SAMPLE_BYTES, MIN_NAME_LETTERS, MIN_TYPE_LETTERS};

/// What the first cells of a column have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Blank,
    Gtins,
    Addresses,
    Languages,
    Other,
}

/// What the rows below the titles show of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ColumnSample {
    pub(crate) content: Content,
    /// Its first filled cell, for people.
    pub(crate) first: Option<String>,
}

impl ColumnSample {
    /// Looks at a column of these rows.
    pub(crate) fn of(column: usize, rows: &[Row]) -> ColumnSample {
        let cells = || filled(column, rows);
        let all = |test: fn(&Cell) -> bool| cells().all(test);
        let content = match cells().next() {
            None => Content::Blank,
            Some(_) if all(is_address) => Content::Addresses,
            Some(_) if all(is_language) => Content::Languages,
            // Eight digits have a right check digit too often.
            Some(_) if all(is_gtin) && cells().any(|cell| digits(cell) >= 12) => Content::Gtins,
            Some(_) => Content::Other,
        };
        ColumnSample { content, first: cells().next().map(text) }
    }
}

/// Gives the columns of a sheet a meaning that have none; returns which were given one.
///
/// `is_open` says which columns may be given a meaning.
pub(crate) fn fill(
    roles: &mut [Role],
    titles: &[String],
    samples: &[ColumnSample],
    rows: &[Row],
    is_open: &[bool],
) -> Vec<bool> {
    let before = roles.to_vec();
    let mut guess = Guess { roles, titles, samples, rows, is_open };
    guess.key();
    guess.targets();
    guess.language();
    guess.description();
    before.iter().zip(guess.roles.iter()).map(|(before, role)| before != role).collect()
}

struct Guess<'g> {
    roles: &'g mut [Role],
    titles: &'g [String],
    samples: &'g [ColumnSample],
    rows: &'g [Row],
    is_open: &'g [bool],
}

impl Guess<'_> {
    /// Returns the columns without a meaning that have this content.
    fn open(&self, content: Content) -> impl Iterator<Item = usize> + '_ {
        let columns = 0..self.roles.len();
        columns.filter(move |at| {
            self.is_open[*at]
                && self.roles[*at] == Role::Ignored
                && self.samples[*at].content == content
        })
    }

    fn has(&self, column: Column) -> bool {
        self.roles.contains(&Role::Known(column))
    }

    /// The key: a column of GTINs, the one whose title says so if there are several; or a title
    /// that says so above cells of which at least half are GTINs.
    fn key(&mut self) {
        let is_key = |role: &Role| matches!(role, Role::Known(Column::Key(_) | Column::Anchor));
        if self.roles.iter().any(is_key) {
            return;
        }
        let says_gtin = |at: &usize| {
            let is_gtin = |column| column == Column::Key(Ai::GTIN);
            titles::column_in_words(&self.titles[*at], is_gtin).is_some()
        };
        let is_mostly_right = |at: &usize| {
            let (right, all) = filled(*at, self.rows)
                .fold((0, 0), |(right, all), cell| (right + usize::from(is_gtin(cell)), all + 1));
            right * 2 >= all
        };
        let by_content = || self.open(Content::Gtins);
        let found = by_content()
            .find(says_gtin)
            .or_else(|| by_content().next())
            .or_else(|| self.open(Content::Other).find(|at| says_gtin(at) && is_mostly_right(at)));
        if let Some(at) = found {
            self.roles[at] = Role::Known(Column::Key(Ai::GTIN));
        }
    }

    /// Targets: addresses whose titles have the words of a link type or a language, and one
    /// product page.
    fn targets(&mut self) {
        let columns: Vec<usize> = self.open(Content::Addresses).collect();
        for at in columns {
            let target = named_target(&self.titles[at]);
            if let Some(target) = target.filter(|target| !self.has_target(target)) {
                self.roles[at] = Role::Target(target);
            }
        }
        let is_page = |role: &Role| match role {
            Role::Target(target) => target.link_type != IMAGE,
            role => *role == Role::Known(Column::Link(LinkField::Href)),
        };
        if self.roles.iter().any(is_page) {
            return;
        }
        let strength = |at: &usize| href_in_words(&self.titles[*at]).map_or(0, |one| one.letters);
        // Of several alike the first.
        let best = self
            .open(Content::Addresses)
            .reduce(|best, other| if strength(&other) > strength(&best) { other } else { best });
        if let Some(at) = best {
            self.roles[at] = Role::Known(Column::Link(LinkField::Href));
        }
    }

    fn has_target(&self, target: &TargetColumn) -> bool {
        self.roles.iter().any(|role| {
            matches!(role, Role::Target(own)
                if own.link_type == target.link_type && own.language == target.language)
        })
    }

    fn language(&mut self) {
        let found = self.open(Content::Languages).next();
        if let Some(at) = found.filter(|_| !self.has(Column::Link(LinkField::Hreflang))) {
            self.roles[at] = Role::Known(Column::Link(LinkField::Hreflang));
        }
    }

    /// The name of the product. Words such as "name" alone are also in "Vendor name".
    fn description(&mut self) {
        let says_name = |at: &usize| {
            let title = &self.titles[*at];
            let found = titles::column_in_words(title, |column| column == Column::Description);
            found.is_some_and(|found| found.letters >= MIN_NAME_LETTERS || !title.is_ascii())
        };
        if self.has(Column::Description) {
            return;
        }
        let found = self.open(Content::Other).find(says_name);
        if let Some(at) = found {
            self.roles[at] = Role::Known(Column::Description);
        }
    }
}

/// Returns the target that a title names: a link type in its words, or a product page in a
/// language.
fn named_target(title: &str) -> Option<TargetColumn> {
    let words = titles::words(title);
    let language =
        words.last().and_then(|word| language_in_title(word)).filter(|_| words.len() > 1);
    let rest = match &language {
        Some(_) => words[..words.len() - 1].join(" "),
        None => title.to_owned(),
    };
    let link_type = titles::link_type_in_words(&rest).filter(|found| {
        found.letters >= MIN_TYPE_LETTERS
            && href_in_words(&rest).is_none_or(|href| href.letters < found.letters)
    });
    let link_type = match (link_type, &language) {
        (Some(found), _) => format!("gs1:{}", found.meaning),
        (None, Some(_)) if href_in_words(&rest).is_some() => PRODUCT_PAGE.to_owned(),
        (None, _) => return None,
    };
    let title = titles::usual_title(&link_type, language.as_deref());
    Some(TargetColumn { link_type, language, title })
}

fn href_in_words(title: &str) -> Option<WordMatch<Column>> {
    titles::column_in_words(title, |column| column == Column::Link(LinkField::Href))
}

/// Returns the tag of a language at the end of a title: its code, or its name in English or in
/// itself.
fn language_in_title(word: &str) -> Option<String> {
    let named = LANGUAGE_NAMES.iter().find(|(name, _)| *name == word).map(|(_, tag)| *tag);
    let coded = LANGUAGES.iter().find(|tag| **tag == word).copied();
    named.or(coded).map(str::to_owned)
}

fn filled(column: usize, rows: &[Row]) -> impl Iterator<Item = &Cell> {
    rows.iter().filter_map(move |row| row.cells.get(column)).filter(|cell| !cell.is_blank())
}

fn is_gtin(cell: &Cell) -> bool {
    key::read(Ai::GTIN, cell).is_ok()
}

fn digits(cell: &Cell) -> usize {
    text(cell).bytes().filter(u8::is_ascii_digit).count()
}

/// Returns whether a cell is a web address, or begins like one.
fn is_address(cell: &Cell) -> bool {
    let Cell::Text(text) = cell else { return false };
    let text = text.trim();
    let begins = |scheme: &str| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    ["https://", "http://", "www."].into_iter().any(begins) && !text.contains(char::is_whitespace)
}

/// Returns whether a cell is the code of a language, perhaps with a region. In capitals it is more
/// likely a country.
fn is_language(cell: &Cell) -> bool {
    let Cell::Text(text) = cell else { return false };
    let primary = text.trim().split(['-', '_']).next().unwrap_or_default();
    text.trim().len() <= 8 && LANGUAGES.contains(&primary)
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => excerpt(text.trim(), MAX_SAMPLE_BYTES).to_string(),
        Cell::Number(number) => number.to_string(),
        Cell::Moment(moment) => moment.to_string(),
        Cell::Bool(value) => value.to_string(),
        Cell::Error(error) => error.clone(),
        Cell::Empty => String::new(),
    }
}

/// A picture of the product, which nobody wants to open after a scan.
pub(crate) const IMAGE: &str = "gs1:relatedImage";

/// Codes of languages, without those that are usual words or units in titles and cells: `no`, `id`,
/// `is`, `to`.
const LANGUAGES: [&str; 32] = [
    "ar", "bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "ga", "he", "hr", "hu", "it",
    "ja", "ko", "lt", "lv", "nb", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "tr", "uk", "zh",
];

/// Names of languages in titles.
const LANGUAGE_NAMES: [(&str, &str); 16] = [
    ("arabic", "ar"),
    ("deutsch", "de"),
    ("dutch", "nl"),
    ("english", "en"),
    ("español", "es"),
    ("français", "fr"),
    ("french", "fr"),
    ("german", "de"),
    ("italian", "it"),
    ("italiano", "it"),
    ("japanese", "ja"),
    ("polish", "pl"),
    ("portuguese", "pt"),
    ("português", "pt"),
    ("spanish", "es"),
    ("العربية", "ar"),
];
