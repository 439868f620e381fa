//! Builds records from the statements of rows, and leads their faults back to cells.

use std::collections::BTreeMap;

use fingerpost_resolver::{Anchor, RecordFault};
use serde::Serialize;

use super::cell::{CellFault, CellReference, CellRule, in_sheet};
use super::default_cell::{DefaultCell, VARIANT_CELL};
use super::statement::{LinkCells, Statement, Text};
use super::titles::LinkField;

/// A record in the form of its reader, with the positions of its members.
#[derive(Debug)]
pub(crate) struct SheetRecord {
    pub(crate) anchor: String,
    pub(crate) json: Vec<u8>,
    pub(crate) origins: Origins,
    pub(crate) advice: Vec<CellFault>,
}

/// The positions of the members of a record.
#[derive(Debug)]
pub(crate) struct Origins {
    key: CellReference,
    description: Option<CellReference>,
    descriptions: Option<CellReference>,
    answer: Option<CellReference>,
    context_source: Option<CellReference>,
    links: Vec<(u64, Vec<(LinkField, u32)>)>,
}

impl Origins {
    /// Returns the first row of the record.
    pub(crate) fn row(&self) -> u64 {
        self.key.row
    }

    /// Returns a fault of the record as a fault of the sheet.
    pub(crate) fn in_sheet(&self, fault: &RecordFault, sheet: Option<&str>) -> RecordFault {
        let position = match self.position(fault.pointer()) {
            Ok(position) => in_sheet(sheet, format_args!("cell {position}")),
            Err(row) => in_sheet(sheet, format_args!("row {row}")),
        };
        RecordFault::new(position, fault.id(), fault.message())
    }

    /// Returns the cell of a JSON pointer, or its row if it has no cell.
    fn position(&self, pointer: &str) -> Result<CellReference, u64> {
        let mut tokens = pointer.split('/').skip(1);
        match (tokens.next(), tokens.next().and_then(|index| index.parse::<usize>().ok())) {
            (Some("anchor"), _) => Ok(self.key),
            (Some("itemDescription"), _) => self.description.ok_or(self.key.row),
            (Some("itemDescriptions"), _) => self.descriptions.ok_or(self.key.row),
            (Some("defaultLinkType"), _) => self.answer.ok_or(self.key.row),
            (Some("contextFrom"), _) => self.context_source.ok_or(self.key.row),
            (Some("links"), Some(index)) => {
                let (row, columns) = self.links.get(index).ok_or(self.key.row)?;
                let member = tokens.next().ok_or(*row)?;
                let column = columns.iter().find(|(field, _)| field.member() == Some(member));
                column.map(|(_, column)| CellReference { row: *row, column: *column }).ok_or(*row)
            }
            _ => Err(self.key.row),
        }
    }
}

/// Builds the record of all statements about one level, in the order of their rows.
pub(crate) fn build(statements: Vec<Statement>) -> Result<SheetRecord, Vec<CellFault>> {
    let mut faults = Vec::new();
    let mut advice = Vec::new();
    let (mut description, mut descriptions) = (None, None);
    let (mut answer, mut context_source) = (None, None);
    let mut links = Vec::new();
    let mut key = None;
    for statement in statements {
        key.get_or_insert((statement.anchor, statement.key));
        faults.extend(statement.faults);
        advice.extend(statement.advice);
        // Rows with other texts were confirmed, or are for other languages: `conflict` refuses
        // them.
        agree(&mut description, statement.description, &mut advice);
        agree(&mut descriptions, statement.descriptions, &mut faults);
        agree(&mut answer, statement.answer, &mut faults);
        agree(&mut context_source, statement.context_source, &mut faults);
        links.extend(statement.links);
    }
    let by_language = by_language(descriptions.as_ref(), &mut faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    if let (true, Some((_, position))) = (links.is_empty(), &key) {
        let message = "expected a web address in a column that is used, found none in this row: add it, or give the column that has it a meaning";
        return Err(vec![CellFault::new(CellRule::NoAddress, *position, message)]);
    }
    let (anchor, key) = key.unwrap_or_else(|| (String::new(), CellReference { row: 0, column: 0 }));
    let roles = roles(&anchor, &links).map_err(|fault| vec![fault])?;
    let text = |text: &Option<Text>| text.as_ref().map(|text| text.text.clone());
    let document = Document {
        anchor: &anchor,
        item_description: text(&description),
        item_descriptions: by_language,
        default_link_type: text(&answer),
        context_from: text(&context_source),
        links: links.iter().zip(roles).map(|(link, role)| LinkDocument::new(link, role)).collect(),
    };
    let json = serde_json::to_vec(&document).expect("texts only");
    let position = |text: Option<Text>| text.map(|text| text.position);
    let origins = Origins {
        key,
        description: position(description),
        descriptions: position(descriptions),
        answer: position(answer),
        context_source: position(context_source),
        links: links.into_iter().map(|link| (link.row, link.columns)).collect(),
    };
    Ok(SheetRecord { anchor, json, origins, advice })
}

/// Reads the description in other languages: `fr: Thé vert`, one on each line.
fn by_language(cell: Option<&Text>, faults: &mut Vec<CellFault>) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let Some(Text { position, text }) = cell else { return texts };
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Some((tag, text)) = line.split_once(':') else {
            let message = format!(
                "expected a language and a text, such as \"fr: Thé vert\", one on each line, found {line:?}"
            );
            faults.push(CellFault::new(CellRule::Cell, *position, message));
            continue;
        };
        if texts.insert(tag.trim().to_owned(), text.trim().to_owned()).is_some() {
            let message = format!("expected each language once, found {:?} twice", tag.trim());
            faults.push(CellFault::new(CellRule::Cell, *position, message));
        }
    }
    texts
}

/// Keeps the first of several texts; the others must be the same.
fn agree(kept: &mut Option<Text>, other: Option<Text>, faults: &mut Vec<CellFault>) {
    match (&kept, other) {
        (Some(kept), Some(other)) if kept.text != other.text => {
            let message = format!(
                "expected the text of {} of the same key, which is kept, found another",
                kept.position
            );
            faults.push(CellFault::new(CellRule::Row, other.position, message));
        }
        (Some(_), _) => {}
        (None, other) => *kept = other,
    }
}

/// Returns the role of each link as default link or variant, which a sheet for people leaves out.
///
/// Without a default link, the first link whose row says that it is the default, or the first of
/// all that is always valid at a key, is also the default link, a picture only if there is nothing
/// else; other links whose rows say so are its variants for languages, media types and contexts
/// (RES-2.5.8-4).
fn roles(anchor: &str, links: &[LinkCells]) -> Result<Vec<Option<Role>>, CellFault> {
    let is = |link: &LinkCells, name: &str| {
        let own = link.link_type.strip_prefix("gs1:");
        own.or_else(|| link.link_type.strip_prefix("https://ref.gs1.org/voc/")) == Some(name)
    };
    let is_descriptive =
        |link: &LinkCells| !is(link, "defaultLink") && !is(link, "defaultLinkMulti");
    let is_marked = |link: &LinkCells| link.default == DefaultCell::Yes && is_descriptive(link);
    let has_default =
        links.iter().any(|link| is(link, "defaultLink") || link.default == DefaultCell::Default);
    let is_key = Anchor::parse(anchor).is_ok_and(|anchor| anchor.is_key_level());
    // The default link is for everyone.
    let is_lasting = |link: &LinkCells| {
        link.valid_from.is_none() && link.valid_until.is_none() && link.access.is_empty()
    };
    let is_page = |link: &LinkCells| is_lasting(link) && !is(link, "relatedImage");
    let first = |wanted: &dyn Fn(&LinkCells) -> bool| {
        links.iter().position(|link| is_descriptive(link) && wanted(link))
    };
    let main = first(&is_marked).or_else(|| {
        let found = first(&is_page).or_else(|| first(&is_lasting));
        found.filter(|_| is_key)
    });
    if !has_default
        && is_key
        && main.is_none()
        && !links.iter().any(is_lasting)
        && let Some(link) = links.first()
    {
        return Err(without_main_page(link));
    }
    let main = main.filter(|_| !has_default);
    let roles = links.iter().enumerate().map(|(at, link)| match link.default {
        DefaultCell::Default => Some(Role::Default(true)),
        DefaultCell::Variant => Some(Role::Variant(VARIANT_CELL)),
        _ if main == Some(at) => Some(Role::Default(true)),
        _ if is_marked(link) => Some(Role::Variant(VARIANT_CELL)),
        _ => None,
    });
    Ok(roles.collect())
}

/// The member `default` of a link.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
enum Role {
    Default(bool),
    Variant(&'static str),
}

/// Returns the fault of a key all of whose links have a validity; this is one of them.
fn without_main_page(link: &LinkCells) -> CellFault {
    let is_window = |field| matches!(field, LinkField::ValidFrom | LinkField::ValidUntil);
    let column = link.columns.iter().find(|(field, _)| is_window(*field)).map(|(_, at)| *at);
    let position = CellReference { row: link.row, column: column.unwrap_or_default() };
    CellFault::new(
        CellRule::MainPage,
        position,
        "the main page of a key needs a link without validity: empty this cell, or add a row for the page that opens at other times",
    )
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'s> {
    anchor: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    item_description: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    item_descriptions: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_link_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_from: Option<String>,
    links: Vec<LinkDocument<'s>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LinkDocument<'s> {
    #[serde(skip_serializing_if = "Option::is_none")]
    link_type: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    href: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'s str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    media_type: Option<&'s str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    hreflang: &'s [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    context: &'s [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    access: &'s [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_from: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<&'s str>,
    #[serde(rename = "default", skip_serializing_if = "Option::is_none")]
    role: Option<Role>,
}

impl<'s> LinkDocument<'s> {
    /// Leaves out what has neither a cell nor a usual value, so that the fault is that it is
    /// missing.
    fn new(link: &'s LinkCells, role: Option<Role>) -> Self {
        let has = |field: LinkField| link.columns.iter().any(|(own, _)| *own == field);
        let given =
            |field: LinkField, text: &'s str| (has(field) || !text.is_empty()).then_some(text);
        Self {
            link_type: given(LinkField::LinkType, &link.link_type),
            href: given(LinkField::Href, &link.href),
            title: given(LinkField::Title, &link.title),
            media_type: link.media_type.as_deref(),
            hreflang: &link.hreflang,
            context: &link.context,
            access: &link.access,
            valid_from: link.valid_from.as_deref(),
            valid_until: link.valid_until.as_deref(),
            role,
        }
    }
}
