//! The columns of a sheet, found by their titles or mapped by hand, and the layout they make.
//!
//! The titles are in the first rows; the row with the most known titles has them. Two layouts are
//! told apart by them:
//!
//! - *links*: a row is a link, with its link type and target in columns of their own;
//! - *products*: a row is a level, and each column with the title of a link type has a target;
//!   `Product page (fr)` also says the language.

use fingerpost_resolver::is_language_tag;

use super::cell::{Cell, Row, column_letters, shown};
use super::titles::{self, Column, LinkField};
use super::{ColumnMapping, SheetColumn, SheetError, SheetLayout, SheetOptions};

/// The columns of a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    /// The row of the titles.
    pub(crate) row: u64,
    pub(crate) layout: SheetLayout,
    /// By number of the column, from 0.
    pub(crate) roles: Vec<Role>,
    titles: Vec<String>,
}

/// What a column is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Ignored,
    Known(Column),
    Target(TargetColumn),
}

/// A column with targets of one link type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TargetColumn {
    /// As in a record: `gs1:pip`.
    pub(crate) link_type: String,
    pub(crate) language: Option<String>,
    /// The title of the column without its language: the title of the links.
    pub(crate) title: String,
}

impl Columns {
    /// Finds the columns in the first rows of a sheet.
    pub(crate) fn find(rows: &[Row], options: &SheetOptions) -> Result<Columns, SheetError> {
        let mapping = options.columns.iter().chain(&options.remembered);
        let mapped = mapping.map(Mapped::new).collect::<Result<Vec<_>, _>>()?;
        let candidates = rows.iter().map(|row| Columns::of(row, &mapped));
        let best = candidates
            .reduce(|best, other| if other.known() > best.known() { other } else { best });
        let best = best.ok_or(SheetError::Empty)?;
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
        if !best.has_key() || !best.roles.iter().any(Role::has_target) {
            return Err(SheetError::NoColumns { found: best.found(), columns: best.all() });
        }
        best.with_layout()
    }

    fn of(row: &Row, mapped: &[Mapped<'_>]) -> Columns {
        let text = |cell: &Cell| match cell {
            Cell::Text(text) => text.trim().to_owned(),
            _ => String::new(),
        };
        let titles: Vec<String> = row.cells.iter().map(text).collect();
        let role = |title: &String| {
            let mapped = mapped.iter().find(|mapped| mapped.fits(title));
            let mut role = mapped.map_or_else(|| Role::of(title), |mapped| mapped.role.clone());
            if let Role::Target(target) = &mut role {
                with_language(title).0.clone_into(&mut target.title);
            }
            role
        };
        let roles = titles.iter().map(role).collect();
        Columns { row: row.number, layout: SheetLayout::Links, roles, titles }
    }

    /// Decides the layout and gives each column its meaning in it.
    fn with_layout(mut self) -> Result<Columns, SheetError> {
        let href = Role::Known(Column::Link(LinkField::Href));
        let has_targets = self.roles.iter().any(|role| matches!(role, Role::Target(_)));
        let has_type = self.roles.contains(&Role::Known(Column::Link(LinkField::LinkType)));
        if has_targets && !has_type {
            self.layout = SheetLayout::Products;
            let has_description = self.roles.contains(&Role::Known(Column::Description));
            for (role, title) in self.roles.iter_mut().zip(&self.titles) {
                if *role == href {
                    let (link_type, title) = (PRODUCT_PAGE.to_owned(), title.clone());
                    *role = Role::Target(TargetColumn { link_type, language: None, title });
                } else if *role == Role::Known(Column::Link(LinkField::Title)) && !has_description {
                    *role = Role::Known(Column::Description);
                } else if matches!(
                    role,
                    Role::Known(Column::Link(LinkField::Title | LinkField::IsDefault))
                ) {
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

    /// Refuses two columns with one meaning. A second description is ignored: often one is a name
    /// and one a longer text.
    fn without_repeats(mut self) -> Result<Columns, SheetError> {
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
            if *role == Role::Known(Column::Description) {
                self.roles[at] = Role::Ignored;
                continue;
            }
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
            .take(FOUND)
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
            })
            .collect()
    }

    /// Returns each title with the name of its meaning, for a file that can be used as a mapping.
    pub(crate) fn mapping(&self) -> Vec<ColumnMapping> {
        let named = self.roles.iter().zip(&self.titles).filter(|(_, title)| !title.is_empty());
        named
            .map(|(role, title)| ColumnMapping { title: title.clone(), column: role.name() })
            .collect()
    }
}

impl Role {
    /// Returns the role of a column by its title.
    fn of(title: &str) -> Role {
        if let Some(column) = titles::column_with_title(title) {
            return Role::Known(column);
        }
        target(title).map_or(Role::Ignored, Role::Target)
    }

    fn has_target(&self) -> bool {
        matches!(self, Role::Target(_) | Role::Known(Column::Link(LinkField::Href)))
    }

    /// Returns the name in mappings.
    fn name(&self) -> String {
        match self {
            Role::Ignored => IGNORE.to_owned(),
            Role::Known(column) => titles::column_name(*column).to_owned(),
            Role::Target(TargetColumn { link_type, language: Some(language), .. }) => {
                format!("{link_type} ({language})")
            }
            Role::Target(TargetColumn { link_type, .. }) => link_type.clone(),
        }
    }
}

/// Reads a title such as `Product page (fr)`.
fn target(title: &str) -> Option<TargetColumn> {
    let (name, language) = with_language(title);
    let link_type = format!("gs1:{}", titles::link_type_with_title(name)?);
    Some(TargetColumn { link_type, language: language.map(str::to_owned), title: name.to_owned() })
}

/// Splits a title and the language in parentheses after it.
fn with_language(title: &str) -> (&str, Option<&str>) {
    let split = title.trim().strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    match split.map(|(name, tag)| (name.trim_end(), tag.trim())) {
        Some((name, tag)) if is_language_tag(tag) && !name.is_empty() => (name, Some(tag)),
        _ => (title.trim(), None),
    }
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

/// The name of no column in mappings.
const IGNORE: &str = "ignore";

/// The link type of a target without one, at keys of products.
pub(crate) const PRODUCT_PAGE: &str = "gs1:pip";

/// Titles that a message shows.
const FOUND: usize = 12;

#[cfg(test)]
mod tests {
    use fingerpost_gs1::Ai;

    use super::*;

    fn row(number: u64, titles: &[&str]) -> Row {
        Row { number, cells: titles.iter().map(|title| Cell::Text((*title).to_owned())).collect() }
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
        assert_eq!(links.layout, SheetLayout::Links);
        let ignored: Vec<_> = links.ignored().collect();
        assert_eq!(ignored, [("D".to_owned(), "Preis")]);
        let products =
            find(&["GTIN", "Titre", "Page produit (fr)", "Instructions", "URL"], &[]).unwrap();
        assert_eq!(products.layout, SheetLayout::Products);
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
