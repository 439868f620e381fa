//! The columns of a sheet, found by their titles, mapped by hand or guessed, and the layout they
//! make.
//!
//! The titles are in the first rows: in the row with the most known titles, or above the first row
//! with a GTIN or a web address. Two layouts are
//! told apart by them:
//!
//! - *links*: a row is a link, with its link type and target in columns of their own;
//! - *products*: a row is a level, and each column with the title of a link type has a target;
//!   `Product page (fr)` also says the language.

use super::cell::{Cell, Row, column_letters, shown};
use super::guess::{self, ColumnSample, Content};
use super::role::{IGNORE, PRODUCT_PAGE, Role, TargetColumn, with_language};
use super::titles::{self, Column, LinkField};
use super::{ColumnMapping, SheetColumn, SheetError, SheetOptions, SpreadsheetFormat};
use crate::limits::{MAX_ROWS_BEFORE_TITLES, MAX_SHOWN_TITLES};

/// The columns of a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    /// The row of the titles.
    pub(crate) row: u64,
    pub(crate) layout: SpreadsheetFormat,
    /// By number of the column, from 0.
    pub(crate) roles: Vec<Role>,
    titles: Vec<String>,
    /// What the rows below show of each column.
    samples: Vec<ColumnSample>,
    /// Which columns were guessed.
    guessed: Vec<bool>,
}

impl Columns {
    /// Finds the columns in the first rows of a sheet.
    pub(crate) fn find(rows: &[Row], options: &SheetOptions) -> Result<Columns, SheetError> {
        let mapping = options.columns.iter().chain(&options.remembered);
        let mapped = mapping.map(Mapped::new).collect::<Result<Vec<_>, _>>()?;
        let candidates =
            rows.iter().take(MAX_ROWS_BEFORE_TITLES).map(|row| Columns::of(row, &mapped));
        let best = candidates
            .reduce(|best, other| if other.known() > best.known() { other } else { best });
        let mut best = best.ok_or(SheetError::Empty)?;
        if !best.is_complete() {
            let above = above_data(rows).map(|row| Columns::of(row, &mapped));
            best = above.filter(|above| above.known() >= best.known()).unwrap_or(best);
        }
        if let Some(unused) = mapped[..options.columns.len()]
            .iter()
            .find(|mapped| !best.titles.iter().any(|title| mapped.fits(title)))
        {
            return Err(SheetError::NoSuchColumn {
                title: unused.title.to_owned(),
                found: best.found(),
                columns: best.all(),
            });
        }
        best.guess(rows, &mapped);
        if !best.is_complete() {
            return Err(SheetError::NoColumns { found: best.found(), columns: best.all() });
        }
        best.with_layout()
    }

    fn of(row: &Row, mapped: &[Mapped<'_>]) -> Columns {
        let text = |cell: &Cell| match cell {
            Cell::Text(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
            _ => String::new(),
        };
        let mut titles: Vec<String> = row.cells.iter().map(text).collect();
        // Cells after the last title belong to no column.
        titles.truncate(titles.iter().rposition(|title| !title.is_empty()).map_or(0, |at| at + 1));
        let role = |title: &String| {
            let mapped = mapped.iter().find(|mapped| mapped.fits(title));
            let mut role = mapped.map_or_else(|| Role::of(title), |mapped| mapped.role.clone());
            if let Role::Target(target) = &mut role {
                target.title = match Role::of(title) {
                    Role::Ignored => {
                        titles::usual_title(&target.link_type, target.language.as_deref())
                    }
                    _ => with_language(title).0.to_owned(),
                };
            }
            role
        };
        let roles: Vec<Role> = titles.iter().map(role).collect();
        let (samples, guessed) = (Vec::new(), vec![false; roles.len()]);
        Columns {
            row: row.number,
            layout: SpreadsheetFormat::Links,
            roles,
            titles,
            samples,
            guessed,
        }
    }

    /// Guesses the meaning of columns by the rows below the titles.
    fn guess(&mut self, rows: &[Row], mapped: &[Mapped<'_>]) {
        let begin = rows.iter().position(|row| row.number > self.row).unwrap_or(rows.len());
        let rows = &rows[begin..];
        self.samples = (0..self.roles.len()).map(|at| ColumnSample::of(at, rows)).collect();
        let is_open =
            |title: &String| !title.is_empty() && !mapped.iter().any(|mapped| mapped.fits(title));
        let is_open: Vec<bool> = self.titles.iter().map(is_open).collect();
        self.leave_blank_out(&is_open);
        self.guessed = guess::fill(&mut self.roles, &self.titles, &self.samples, rows, &is_open);
    }

    /// Of several columns for one key, leaves those out that are blank: lists of shops have columns
    /// for EAN, UPC and ISBN.
    fn leave_blank_out(&mut self, is_open: &[bool]) {
        let is_key = |role: &Role| matches!(role, Role::Known(Column::Key(_)));
        let is_blank = |at: usize| self.samples[at].content == Content::Blank;
        let is_repeat = |at: &usize| {
            let role = &self.roles[*at];
            let mut others = (0..self.roles.len()).filter(|other| self.roles[*other] == *role);
            is_key(role) && is_open[*at] && is_blank(*at) && others.any(|other| !is_blank(other))
        };
        let repeats: Vec<usize> = (0..self.roles.len()).filter(is_repeat).collect();
        repeats.into_iter().for_each(|at| self.roles[at] = Role::Ignored);
    }

    /// Returns whether there is a key, and an address to open that is not only a picture.
    fn is_complete(&self) -> bool {
        let is_only_guess = |(role, guessed): (&Role, &bool)| {
            *guessed && matches!(role, Role::Target(target) if target.link_type == guess::IMAGE)
        };
        let mut targets =
            self.roles.iter().zip(&self.guessed).filter(|(role, _)| role.has_target());
        self.has_key() && targets.any(|target| !is_only_guess(target))
    }

    /// Decides the layout and gives each column its meaning in it.
    fn with_layout(mut self) -> Result<Columns, SheetError> {
        let href = Role::Known(Column::Link(LinkField::Href));
        let has_targets = self.roles.iter().any(|role| matches!(role, Role::Target(_)));
        let has_type = self.roles.contains(&Role::Known(Column::Link(LinkField::LinkType)));
        if has_targets && !has_type {
            self.layout = SpreadsheetFormat::Products;
            let has_page = self.roles.iter().any(|role| {
                matches!(role, Role::Target(own) if own.link_type == PRODUCT_PAGE && own.language.is_none())
            });
            let columns = self.roles.iter_mut().zip(&self.titles).zip(&self.guessed);
            for ((role, title), is_guessed) in columns {
                if *role == href && has_page {
                    // The column whose title names the product page is the surer one.
                    *role = Role::Ignored;
                } else if *role == href {
                    let link_type = PRODUCT_PAGE.to_owned();
                    let title = match is_guessed {
                        true => titles::usual_title(&link_type, None),
                        false => title.clone(),
                    };
                    *role = Role::Target(TargetColumn { link_type, language: None, title });
                } else if *role == Role::Known(Column::Link(LinkField::Title)) {
                    *role = Role::Known(Column::Description);
                } else if *role == Role::Known(Column::Link(LinkField::IsDefault)) {
                    *role = Role::Ignored;
                }
            }
        } else {
            for role in self.roles.iter_mut().filter(|role| matches!(role, Role::Target(_))) {
                *role = Role::Ignored;
            }
        }
        self.without_repeats()
    }

    /// Refuses two columns with one meaning. Of several descriptions, the first name is kept:
    /// often one is a name and one a longer text.
    fn without_repeats(mut self) -> Result<Columns, SheetError> {
        let description = Role::Known(Column::Description);
        let is_description = |at: &usize| self.roles[*at] == description;
        let descriptions: Vec<usize> = (0..self.roles.len()).filter(is_description).collect();
        let is_name = |at: &&usize| !titles::is_long_text(&self.titles[**at]);
        let kept = descriptions.iter().find(is_name).or(descriptions.first()).copied();
        for at in descriptions.into_iter().filter(|at| Some(*at) != kept) {
            self.roles[at] = Role::Ignored;
        }
        for at in 1..self.roles.len() {
            let role = &self.roles[at];
            let same = |other: &Role| match (role, other) {
                (Role::Known(one), Role::Known(other)) => one == other,
                (Role::Target(one), Role::Target(other)) => {
                    (&one.link_type, &one.language) == (&other.link_type, &other.language)
                }
                _ => false,
            };
            let Some(first) = self.roles[..at].iter().position(same) else { continue };
            let name =
                |at: usize| format!("{} {}", column_letters(at as u32), shown(&self.titles[at]));
            return Err(SheetError::SameColumn {
                first: name(first),
                second: name(at),
                title: self.titles[at].clone(),
                columns: self.all(),
            });
        }
        Ok(self)
    }

    /// Returns the number of columns with a meaning.
    pub(crate) fn known(&self) -> usize {
        self.roles.iter().filter(|role| **role != Role::Ignored).count()
    }

    fn has_key(&self) -> bool {
        self.roles.iter().any(|role| matches!(role, Role::Known(Column::Anchor | Column::Key(_))))
    }

    /// Returns whether there is a column for this member of a link.
    pub(crate) fn has_field(&self, field: LinkField) -> bool {
        self.roles.contains(&Role::Known(Column::Link(field)))
    }

    /// Returns the titles that were found, for a message.
    fn found(&self) -> String {
        let titles: Vec<String> = self
            .titles
            .iter()
            .filter(|title| !title.is_empty())
            .take(MAX_SHOWN_TITLES)
            .map(|title| shown(title))
            .collect();
        if titles.is_empty() { "none".to_owned() } else { titles.join(", ") }
    }

    /// Returns the titles of columns without a meaning, each with its letters.
    pub(crate) fn ignored(&self) -> impl Iterator<Item = (String, &str)> {
        let columns = (0..).zip(self.roles.iter().zip(&self.titles));
        columns
            .filter(|(_, (role, title))| **role == Role::Ignored && !title.is_empty())
            .map(|(column, (_, title))| (column_letters(column), title.as_str()))
    }

    /// Returns the columns that have a title, with the names of their meanings.
    pub(crate) fn all(&self) -> Vec<SheetColumn> {
        let columns = (0..).zip(self.roles.iter().zip(&self.titles));
        let titled = columns.filter(|(_, (_, title))| !title.is_empty());
        titled
            .map(|(at, (role, title))| SheetColumn {
                letters: column_letters(at),
                title: title.clone(),
                column: role.name(),
                is_guessed: self.guessed[at as usize] && *role != Role::Ignored,
                sample: self.samples.get(at as usize).and_then(|sample| sample.first.clone()),
                has_unused_addresses: *role == Role::Ignored && self.has_addresses(at as usize),
            })
            .collect()
    }

    /// Returns whether a column holds addresses of pages. Pictures are left out without a word.
    fn has_addresses(&self, at: usize) -> bool {
        let is_image = || {
            titles::link_type_in_words(&self.titles[at])
                .is_some_and(|found| guess::IMAGE.ends_with(found.meaning))
        };
        let content = self.samples.get(at).map(|sample| sample.content);
        content == Some(Content::Addresses) && !is_image()
    }

    /// Returns each title with the name of its meaning, for a file that can be used as a mapping.
    pub(crate) fn mapping(&self) -> Vec<ColumnMapping> {
        let named = self.roles.iter().zip(&self.titles).filter(|(_, title)| !title.is_empty());
        named
            .map(|(role, title)| ColumnMapping { title: title.clone(), column: role.name() })
            .collect()
    }
}

/// Returns the row above the first one with a GTIN or a web address.
fn above_data(rows: &[Row]) -> Option<&Row> {
    let is_data = |row: &Row| {
        let columns = 0..row.cells.len();
        let content = |at| ColumnSample::of(at, std::slice::from_ref(row)).content;
        columns.map(content).any(|content| matches!(content, Content::Gtins | Content::Addresses))
    };
    let first = rows.iter().take(MAX_ROWS_BEFORE_TITLES + 1).position(is_data)?;
    rows.get(first.checked_sub(1)?)
}

/// A column mapped by hand.
struct Mapped<'m> {
    title: &'m str,
    role: Role,
}

impl<'m> Mapped<'m> {
    fn new(mapping: &'m ColumnMapping) -> Result<Self, SheetError> {
        let ColumnMapping { title, column } = mapping;
        let role = match titles::column_with_name(column.trim()) {
            Some(column) => Role::Known(column),
            None if column.trim() == IGNORE => Role::Ignored,
            None => match Role::of(column) {
                Role::Ignored => return Err(SheetError::UnknownColumn { column: column.clone() }),
                role => role,
            },
        };
        Ok(Mapped { title: title.trim(), role })
    }

    fn fits(&self, title: &str) -> bool {
        let letters = titles::letters(self.title);
        title == self.title || (!letters.is_empty() && letters == titles::letters(title))
    }
}

#[cfg(test)]
mod tests {
    use fingerpost_gs1::Ai;

    use super::*;

    fn row(number: u64, titles: &[&str]) -> Row {
        Row {
            number,
            cells: titles.iter().map(|title| Cell::Text((*title).to_owned())).collect(),
            beyond: None,
        }
    }

    fn find(titles: &[&str], mapping: &[(&str, &str)]) -> Result<Columns, String> {
        let mapping: Vec<_> =
            mapping.iter().map(|(title, column)| ColumnMapping::new(*title, *column)).collect();
        let options = SheetOptions { columns: mapping, ..SheetOptions::default() };
        Columns::find(&[row(1, titles)], &options).map_err(|error| error.to_string())
    }

    #[test]
    fn titles_say_the_layout() {
        let links = find(&["EAN-Nummer", "Linktyp", "Ziel", "Preis"], &[]).unwrap();
        assert_eq!(links.layout, SpreadsheetFormat::Links);
        let ignored: Vec<_> = links.ignored().collect();
        assert_eq!(ignored, [("D".to_owned(), "Preis")]);
        let products =
            find(&["GTIN", "Titre", "Page produit (fr)", "Instructions", "URL"], &[]).unwrap();
        assert_eq!(products.layout, SpreadsheetFormat::Products);
        assert_eq!(products.roles[1], Role::Known(Column::Description));
        let page = TargetColumn {
            link_type: "gs1:pip".into(),
            language: Some("fr".into()),
            title: "Page produit".into(),
        };
        assert_eq!(products.roles[2], Role::Target(page));
        let Role::Target(url) = &products.roles[4] else { panic!("no target") };
        assert_eq!(
            (url.link_type.as_str(), url.language.as_deref(), url.title.as_str()),
            ("gs1:pip", None, "URL")
        );
        // The titles of link types mean nothing where a row is a link.
        assert_eq!(
            find(&["GTIN", "Link type", "URL", "Instructions"], &[]).unwrap().roles[3],
            Role::Ignored
        );
    }

    #[test]
    fn titles_may_stand_below_a_heading() {
        let rows = [
            row(1, &["Spring range", "GTIN"]),
            row(3, &["", "GTIN", "Product page"]),
            row(4, &["", "9506000134352", "https://example.com"]),
        ];
        assert_eq!(Columns::find(&rows, &SheetOptions::default()).unwrap().row, 3);
    }

    #[test]
    fn columns_can_be_mapped_by_hand() {
        let mapping = [("Art.-Nr.", "gtin"), ("web", "Manual (de)"), ("GTIN", "ignore")];
        let columns = find(&["Art-Nr", "Web", "GTIN"], &mapping).unwrap();
        assert_eq!(columns.roles[0], Role::Known(Column::Key(Ai::GTIN)));
        assert_eq!(columns.roles[2], Role::Ignored);
        let saved: Vec<_> = columns.mapping().into_iter().map(|m| (m.title, m.column)).collect();
        let expected = [("Art-Nr", "gtin"), ("Web", "gs1:instructions (de)"), ("GTIN", "ignore")];
        assert_eq!(saved, expected.map(|(title, column)| (title.to_owned(), column.to_owned())));
        let again: Vec<_> =
            saved.iter().map(|(title, column)| (title.as_str(), column.as_str())).collect();
        assert_eq!(find(&["Art-Nr", "Web", "GTIN"], &again).unwrap().roles, columns.roles);
    }

    #[test]
    fn what_cannot_be_understood_is_told_with_the_titles_found() {
        let none = find(&["Number", "Price"], &[]).unwrap_err();
        assert!(none.contains("GTIN") && none.ends_with("found \"Number\", \"Price\""), "{none}");
        assert!(find(&["GTIN", "Price"], &[]).unwrap_err().contains("\"Price\""));
        let same = find(&["GTIN", "EAN", "URL"], &[]).unwrap_err();
        assert!(same.contains("columns A \"GTIN\" and B \"EAN\" mean the same"), "{same}");
        assert!(find(&["GTIN", "URL"], &[("Nr", "gtin")]).unwrap_err().contains("\"Nr\""));
        assert!(find(&["GTIN", "URL"], &[("URL", "adress")]).unwrap_err().contains("\"adress\""));
        assert!(find(&["GTIN", "Product page (en)", "Product page (en)"], &[]).is_err());
        assert_eq!(
            Columns::find(&[], &SheetOptions::default()).unwrap_err().to_string(),
            "the sheet is empty"
        );
    }
}
