//! Two rows that have one key and are about different products.
//!
//! All rows of a key make one record, so the code of the second product would open the page of the
//! first. Rows differ if
//!
//! - both say the description of the item, and not the same;
//! - the columns, not the rows, say what their targets are, and two targets of one kind differ; or
//! - a product page of each has its own title and target, and no row says which is the main page.

use std::collections::HashMap;

use super::cell::{CellFault, CellReference, CellRule, shown};
use super::default_cell::DefaultCell;
use super::role::PRODUCT_PAGE;
use super::statement::{LinkCells, Statement};
use super::titles::LinkField;
use crate::limits::MAX_SHOWN_CONFLICTS;

/// Returns a fault for each row that differs from an earlier one of the same key, at most
/// [`MAX_SHOWN_CONFLICTS`].
pub(crate) fn find(statements: &[Statement]) -> Vec<CellFault> {
    let says_default = statements.iter().flat_map(|statement| &statement.links).any(is_default);
    let mut earlier: HashMap<Kind<'_>, Claim<'_>> = HashMap::new();
    let mut faults = Vec::new();
    for statement in statements {
        let other = claims(statement, says_default).find_map(|(kind, claim)| {
            let first = earlier.entry(kind).or_insert(claim);
            let is_same_title = claim.title.is_some() && first.title == claim.title;
            let is_other = first.row.key.row != claim.row.key.row && first.text != claim.text;
            (is_other && !is_same_title).then_some(Conflict { first: *first, other: claim })
        });
        if let Some(Conflict { first, other }) = other
            && faults.len() < MAX_SHOWN_CONFLICTS
        {
            faults.push(fault(first.row, other.row, other.position));
        }
    }
    faults
}

/// What a row says about its product that another row of the key may not contradict.
#[derive(Clone, Copy)]
struct Claim<'s> {
    text: &'s str,
    /// The title of a target whose link type its row names.
    title: Option<&'s str>,
    position: CellReference,
    row: &'s Statement,
}

struct Conflict<'s> {
    first: Claim<'s>,
    other: Claim<'s>,
}

/// What can be said once about a product.
#[derive(PartialEq, Eq, Hash)]
enum Kind<'s> {
    Description(&'s [String]),
    Target(Variant<'s>),
}

/// A link type, and what can distinguish links of one type.
#[derive(PartialEq, Eq, Hash)]
struct Variant<'s> {
    link_type: &'s str,
    languages: &'s [String],
    media_type: Option<&'s str>,
    contexts: &'s [String],
    access: &'s [String],
    valid_from: Option<&'s str>,
    valid_until: Option<&'s str>,
}

fn claims<'s>(
    row: &'s Statement,
    says_default: bool,
) -> impl Iterator<Item = (Kind<'s>, Claim<'s>)> {
    let description = row.description.iter().map(move |text| {
        // Rows for several languages can have a name in each.
        let languages = row.links.first().map_or(&[][..], |link| &link.hreflang);
        let claim = Claim { text: &text.text, title: None, position: text.position, row };
        (Kind::Description(languages), claim)
    });
    let links = row.links.iter().filter(move |link| !link.href.is_empty());
    let targets = links.filter_map(move |link| {
        let column = |field| link.columns.iter().find(|(own, _)| *own == field).map(|(_, at)| *at);
        let href = column(LinkField::Href)?;
        let is_named = column(LinkField::LinkType).is_some_and(|at| at != href);
        let may_repeat = is_named && (says_default || link.link_type != PRODUCT_PAGE);
        let title = is_named.then_some(link.title.as_str());
        let position = CellReference { row: row.key.row, column: href };
        let claim = Claim { text: &link.href, title, position, row };
        (!may_repeat).then(|| (Kind::Target(Variant::of(link)), claim))
    });
    description.chain(targets)
}

impl<'s> Variant<'s> {
    fn of(link: &'s LinkCells) -> Variant<'s> {
        Variant {
            link_type: &link.link_type,
            languages: &link.hreflang,
            media_type: link.media_type.as_deref(),
            contexts: &link.context,
            access: &link.access,
            valid_from: link.valid_from.as_deref(),
            valid_until: link.valid_until.as_deref(),
        }
    }
}

fn is_default(link: &LinkCells) -> bool {
    link.default != DefaultCell::No || link.link_type.ends_with("defaultLink")
}

fn fault(first: &Statement, other: &Statement, position: CellReference) -> CellFault {
    let message = format!(
        "rows {} and {} have the same key and differ: {} and {}; correct one of the keys, or confirm that both rows are about one product (--merge-rows, mergeRows=true)",
        first.key.row,
        other.key.row,
        product(first),
        product(other)
    );
    CellFault::new(CellRule::Row, position, message)
}

/// Returns the name and the first target of a row.
fn product(row: &Statement) -> String {
    let link = row.links.iter().find(|link| !link.href.is_empty());
    let name = row.description.as_ref().map(|text| text.text.as_str());
    let title = || link.map(|link| link.title.as_str()).filter(|title| !title.is_empty());
    let parts = [name.or_else(title), link.map(|link| link.href.as_str())];
    parts.into_iter().flatten().map(shown).collect::<Vec<_>>().join(" at ")
}
