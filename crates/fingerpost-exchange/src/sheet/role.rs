//! What a column of a sheet is for, as its title or a mapping says.

use fingerpost_resolver::is_language_tag;

use super::titles::{self, Column, LinkField};

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

impl Role {
    /// Returns the role of a column by its title.
    pub(crate) fn of(title: &str) -> Role {
        if let Some(column) = titles::column_with_title(title) {
            return Role::Known(column);
        }
        target(title).map_or(Role::Ignored, Role::Target)
    }

    pub(crate) fn has_target(&self) -> bool {
        matches!(self, Role::Target(_) | Role::Known(Column::Link(LinkField::Href)))
    }

    /// Returns the name in mappings.
    pub(crate) fn name(&self) -> String {
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
pub(crate) fn with_language(title: &str) -> (&str, Option<&str>) {
    let split = title.trim().strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    match split.map(|(name, tag)| (name.trim_end(), tag.trim())) {
        Some((name, tag)) if is_language_tag(tag) && !name.is_empty() => (name, Some(tag)),
        _ => (title.trim(), None),
    }
}

/// The name of no column in mappings.
pub(crate) const IGNORE: &str = "ignore";

/// The link type of a target without one, at keys of products.
pub(crate) const PRODUCT_PAGE: &str = "gs1:pip";
