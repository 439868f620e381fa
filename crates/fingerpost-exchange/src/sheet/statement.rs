//! What a row says about a level.

use fingerpost_gs1::{Ai, AiEntry, DigitalLink, EntityKey, Options};
use fingerpost_resolver::{Anchor, LATEST_INSTANT, is_link_relation};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::SpreadsheetFormat;
use super::cell::{Cell, CellFault, CellReference, CellRule, Row, shown};
use super::columns::Columns;
use super::default_cell::{self, DefaultCell};
use super::key;
use super::role::{PRODUCT_PAGE, Role};
use super::titles::{self, Column, LinkField};

/// What a row says about a level: part of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Statement {
    /// In its canonical form if it is valid, so that rows of one level can be joined.
    pub(crate) anchor: String,
    pub(crate) key: CellReference,
    pub(crate) description: Option<Text>,
    pub(crate) descriptions: Option<Text>,
    pub(crate) answer: Option<Text>,
    pub(crate) context_source: Option<Text>,
    pub(crate) links: Vec<LinkCells>,
    pub(crate) faults: Vec<CellFault>,
    pub(crate) advice: Vec<CellFault>,
}

/// A text with its position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Text {
    pub(crate) position: CellReference,
    pub(crate) text: String,
}

/// The cells of a link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LinkCells {
    pub(crate) link_type: String,
    pub(crate) href: String,
    pub(crate) title: String,
    pub(crate) media_type: Option<String>,
    pub(crate) hreflang: Vec<String>,
    pub(crate) context: Vec<String>,
    pub(crate) access: Vec<String>,
    pub(crate) valid_from: Option<String>,
    pub(crate) valid_until: Option<String>,
    /// What the row says about the default link.
    pub(crate) default: DefaultCell,
    /// Where its members were found.
    pub(crate) row: u64,
    pub(crate) columns: Vec<(LinkField, u32)>,
}

/// Reads the statement of a row. `None`: it is blank, or has something in ignored columns only.
pub(crate) fn read(row: &Row, columns: &Columns) -> Result<Option<Statement>, Vec<CellFault>> {
    let cells = Cells { row, columns };
    if !cells.known().any(|(_, _, cell)| !cell.is_blank()) {
        return Ok(None);
    }
    if let Some(fault) = cells.without_title() {
        return Err(vec![fault]);
    }
    let mut statement = cells.level()?;
    statement.advice.extend(cells.beside_the_table());
    cells.texts_of_level(&mut statement);
    match columns.layout {
        SpreadsheetFormat::Links => cells.link(&mut statement),
        SpreadsheetFormat::Products => cells.targets(&mut statement),
    }
    Ok(Some(statement))
}

/// A row and its columns.
struct Cells<'r> {
    row: &'r Row,
    columns: &'r Columns,
}

impl<'r> Cells<'r> {
    /// Returns the cells of columns that have a meaning.
    fn known(&self) -> impl Iterator<Item = (CellReference, &'r Role, &'r Cell)> {
        let number = self.row.number;
        let cells = (0..).zip(self.columns.roles.iter().zip(&self.row.cells));
        cells
            .filter(|(_, (role, _))| **role != Role::Ignored)
            .map(move |(column, (role, cell))| (CellReference { row: number, column }, role, cell))
    }

    /// Returns the fault of a cell of CSV after the last title: the text of another cell may
    /// contain the separator and be cut there.
    fn without_title(&self) -> Option<CellFault> {
        let width = self.columns.roles.len();
        let cells = (0..).zip(&self.row.cells).skip(width);
        let (column, cell) = cells.into_iter().find(|(_, cell)| !cell.is_blank())?;
        let text = match cell {
            Cell::Text(text) => shown(text),
            cell => format!("{cell:?}"),
        };
        let message = format!(
            "expected at most {width} cells, one for each title, found another with {text}: put a cell that contains the separator in quotation marks, or give this column a title"
        );
        Some(CellFault::new(CellRule::Row, CellReference { row: self.row.number, column }, message))
    }

    /// Returns a warning about a cell of a workbook after the last title.
    fn beside_the_table(&self) -> Option<CellFault> {
        let position = CellReference { row: self.row.number, column: self.row.beyond? };
        Some(CellFault::new(
            CellRule::Row,
            position,
            "this cell is ignored: its column has no title",
        ))
    }

    fn filled(&self) -> impl Iterator<Item = (CellReference, &'r Role, &'r Cell)> {
        self.known().filter(|(_, _, cell)| !cell.is_blank())
    }

    /// Returns the cell of a column, if it is filled.
    fn column(&self, column: Column) -> Option<(CellReference, &'r Cell)> {
        let known = Role::Known(column);
        self.filled()
            .find(|(_, role, _)| **role == known)
            .map(|(position, _, cell)| (position, cell))
    }

    fn field(&self, field: LinkField) -> Option<(CellReference, &'r Cell)> {
        self.column(Column::Link(field))
    }

    /// Reads the level of the row.
    fn level(&self) -> Result<Statement, Vec<CellFault>> {
        let (mut keys, mut qualifiers) = (Vec::new(), Vec::new());
        for (position, role, cell) in self.filled() {
            match role {
                Role::Known(Column::Anchor) => keys.push((position, None, cell)),
                Role::Known(Column::Key(ai)) => keys.push((position, Some(*ai), cell)),
                Role::Known(Column::Qualifier(ai)) => qualifiers.push((position, *ai, cell)),
                _ => {}
            }
        }
        let (position, ai, cell) = match keys[..] {
            [key] => key,
            [] => {
                return Err(vec![CellFault::new(
                    CellRule::Key,
                    self.key_cell(),
                    "expected a key, found none",
                )]);
            }
            [(first, ..), (second, ..), ..] => {
                let message = format!("expected one key in a row, found another in {first}");
                return Err(vec![CellFault::new(CellRule::Key, second, message)]);
            }
        };
        let Some(ai) = ai else {
            if let Some((position, ..)) = qualifiers.first() {
                let message = "expected qualifiers in the path of the key column, or a key in a column of its own";
                return Err(vec![CellFault::new(CellRule::Key, *position, message)]);
            }
            return anchor(position, cell);
        };
        entity(position, ai, cell, &qualifiers)
    }

    /// Returns the position where a key is expected.
    fn key_cell(&self) -> CellReference {
        let is_key = |role: &Role| matches!(role, Role::Known(Column::Anchor | Column::Key(_)));
        let column = self.columns.roles.iter().position(is_key).unwrap_or_default();
        CellReference { row: self.row.number, column: column as u32 }
    }

    fn texts_of_level(&self, statement: &mut Statement) {
        if let Some((position, cell)) = self.column(Column::Description) {
            let text = line_of(position, cell, &mut statement.faults);
            statement.description = text.map(|text| Text { position, text });
        }
        if let Some((position, cell)) = self.column(Column::Descriptions) {
            let text = text_of(position, cell, &mut statement.faults);
            statement.descriptions = text.map(|text| Text { position, text });
        }
        if let Some((position, cell)) = self.column(Column::Answer) {
            let text = text_of(position, cell, &mut statement.faults);
            statement.answer = text.map(|text| Text { position, text: text.trim().to_owned() });
        }
        if let Some((position, cell)) = self.column(Column::ContextSource) {
            let text = text_of(position, cell, &mut statement.faults);
            let text = text.map(|text| Text { position, text: text.trim().to_lowercase() });
            statement.context_source = text;
        }
    }

    /// Reads the link of a row.
    fn link(&self, statement: &mut Statement) {
        let is_link = |role: &Role| matches!(role, Role::Known(Column::Link(_)));
        if !self.filled().any(|(_, role, _)| is_link(role)) {
            return;
        }
        let mut link = LinkCells { row: self.row.number, ..LinkCells::default() };
        self.attributes(&mut link, statement);
        let faults = &mut statement.faults;
        if let Some((position, cell)) = self.field(LinkField::Href) {
            link.href = trimmed(position, cell, faults);
            link.columns.push((LinkField::Href, position.column));
        }
        match self.field(LinkField::LinkType) {
            Some((position, cell)) => {
                let text = trimmed(position, cell, faults);
                // Some titles are also names of relations, and names of types that were added
                // later.
                let is_name = text.contains(':') || is_link_relation(&text);
                let name = titles::link_type_with_title(&text).filter(|_| !is_name);
                link.link_type = name.map_or(text, |name| format!("gs1:{name}"));
                link.columns.push((LinkField::LinkType, position.column));
            }
            None if is_product(&statement.anchor)
                && !self.columns.has_field(LinkField::LinkType) =>
            {
                link.link_type = PRODUCT_PAGE.to_owned();
            }
            None => {
                let position = self.field_cell(LinkField::LinkType);
                faults.push(CellFault::new(
                    CellRule::LinkType,
                    position,
                    "expected a link type, such as gs1:pip or Product page, found none",
                ));
            }
        }
        if let Some((position, cell)) = self.field(LinkField::Title) {
            link.title = line_of(position, cell, faults).unwrap_or_default();
            link.columns.push((LinkField::Title, position.column));
        } else {
            let language = link.hreflang.first().map(String::as_str);
            link.title = titles::usual_title(&link.link_type, language);
        }
        if let Some((position, cell)) = self.field(LinkField::IsDefault) {
            match cell {
                Cell::Bool(true) => link.default = DefaultCell::Yes,
                Cell::Bool(false) => {}
                cell => match default_cell::read(&trimmed(position, cell, faults)) {
                    Some(value) => link.default = value,
                    None => faults.push(CellFault::new(
                        CellRule::YesOrNo,
                        position,
                        "expected yes or no",
                    )),
                },
            }
        }
        statement.links.push(link);
    }

    /// Reads the targets of a row, one in each column of a link type.
    fn targets(&self, statement: &mut Statement) {
        for (position, role, cell) in self.filled() {
            let Role::Target(target) = role else { continue };
            let mut link = LinkCells { row: self.row.number, ..LinkCells::default() };
            self.attributes(&mut link, statement);
            link.href = trimmed(position, cell, &mut statement.faults);
            link.link_type.clone_from(&target.link_type);
            link.title.clone_from(&target.title);
            if let Some(language) = &target.language {
                link.hreflang = vec![language.clone()];
                link.columns.retain(|(field, _)| *field != LinkField::Hreflang);
            }
            link.columns.extend(TARGET_FIELDS.map(|field| (field, position.column)));
            statement.links.push(link);
        }
        // The target of a default link also needs a descriptive type (RES-2.5.8-3).
        let is_default = |link: &&LinkCells| link.link_type == "gs1:defaultLink";
        if let Some(default) = statement.links.iter().find(is_default).cloned()
            && is_product(&statement.anchor)
            && !statement.links.iter().any(|link| !is_default(&link) && link.href == default.href)
        {
            statement.links.push(LinkCells { link_type: PRODUCT_PAGE.to_owned(), ..default });
        }
    }

    /// Reads the members that a link can have in both layouts.
    fn attributes(&self, link: &mut LinkCells, statement: &mut Statement) {
        let faults = &mut statement.faults;
        for (position, role, cell) in self.filled() {
            let Role::Known(Column::Link(field)) = role else { continue };
            match field {
                LinkField::MediaType => link.media_type = Some(trimmed(position, cell, faults)),
                LinkField::Hreflang => {
                    let text = trimmed(position, cell, faults);
                    let tags = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
                    link.hreflang = tags.filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
                }
                LinkField::Context => {
                    link.context = contexts(&text_of(position, cell, faults).unwrap_or_default());
                }
                LinkField::Access => {
                    link.access = contexts(&text_of(position, cell, faults).unwrap_or_default());
                }
                LinkField::ValidFrom => link.valid_from = instant(position, cell, faults),
                LinkField::ValidUntil => link.valid_until = instant(position, cell, faults),
                LinkField::LinkType | LinkField::Href | LinkField::Title | LinkField::IsDefault => {
                    continue;
                }
            }
            link.columns.push((*field, position.column));
        }
    }

    /// Returns the cell of a member that is missing: its column, or that of the target.
    fn field_cell(&self, field: LinkField) -> CellReference {
        let column = |field| {
            let known = Role::Known(Column::Link(field));
            self.columns.roles.iter().position(|role| *role == known)
        };
        let column = column(field).or_else(|| column(LinkField::Href)).unwrap_or_default();
        CellReference { row: self.row.number, column: column as u32 }
    }
}

/// Reads a level from the cell of an anchor.
fn anchor(position: CellReference, cell: &Cell) -> Result<Statement, Vec<CellFault>> {
    let mut faults = Vec::new();
    let text = trimmed(position, cell, &mut faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    let canonical = if text.starts_with('/') {
        Anchor::parse(&text).ok()
    } else if text.starts_with("http://") || text.starts_with("https://") {
        let options = Options::new().requisites(false);
        let link = DigitalLink::parse_with(&text, &options).ok();
        link.filter(|_| !text.contains(['?', '#'])).map(|link| link.entity_key().into())
    } else {
        let message = format!(
            "expected a path such as /01/09506000134352 or a GS1 Digital Link, found {}; give numbers a column with the title GTIN, GLN, …",
            shown(&text)
        );
        return Err(vec![CellFault::new(CellRule::Key, position, message)]);
    };
    // An anchor that is not valid gets its fault from the reader of records.
    let anchor = canonical.map_or(text, |anchor| format!("/{}", anchor.as_str()));
    Ok(Statement::about(anchor, position))
}

/// Reads a level from the cells of a key and its qualifiers.
fn entity(
    position: CellReference,
    ai: Ai,
    cell: &Cell,
    qualifiers: &[(CellReference, Ai, &Cell)],
) -> Result<Statement, Vec<CellFault>> {
    let (mut faults, mut advice) = (Vec::new(), Vec::new());
    let mut value = |position: CellReference, ai: Ai, cell: &Cell| match key::read(ai, cell) {
        Ok(value) => {
            advice
                .extend(value.advice.map(|advice| CellFault::new(CellRule::Key, position, advice)));
            Some(value.text)
        }
        Err(message) => {
            faults.push(CellFault::new(CellRule::Key, position, message));
            None
        }
    };
    let key = value(position, ai, cell);
    let mut values = Vec::new();
    for (position, qualifier, cell) in qualifiers {
        let qualifier =
            if ai == Ai::CPID && *qualifier == Ai::SERIAL { Ai::CPID_SERIAL } else { *qualifier };
        values.extend(value(*position, qualifier, cell).map(|value| (*position, qualifier, value)));
    }
    // In the order of a Digital Link; which can follow each other, `EntityKey` knows.
    let sequences = ai.entry().and_then(AiEntry::qualifier_sequences).unwrap_or_default();
    let order = |ai: &Ai| sequences.iter().copied().flatten().position(|own| own == ai);
    values.sort_by_key(|(_, ai, _)| order(ai).unwrap_or(usize::MAX));
    let (Some(key), true) = (key, faults.is_empty()) else { return Err(faults) };
    let mut pairs: Vec<(Ai, &str)> = Vec::new();
    let mut built = EntityKey::new((ai, &key), &pairs).map_err(|error| (position, error));
    for (position, ai, value) in &values {
        pairs.push((*ai, value));
        built = built.and_then(|built| {
            let key = (built.primary_key(), key.as_str());
            EntityKey::new(key, &pairs).map_err(|error| (*position, error))
        });
    }
    match built {
        Ok(built) => {
            let mut statement = Statement::about(format!("/{}", built.as_str()), position);
            statement.advice = advice;
            Ok(statement)
        }
        Err((position, error)) => {
            Err(vec![CellFault::new(CellRule::Key, position, error.to_string())])
        }
    }
}

impl Statement {
    fn about(anchor: String, key: CellReference) -> Statement {
        Statement {
            anchor,
            key,
            description: None,
            descriptions: None,
            answer: None,
            context_source: None,
            links: Vec::new(),
            faults: Vec::new(),
            advice: Vec::new(),
        }
    }
}

/// Returns whether a level is of a product, whose usual link is the product page.
fn is_product(anchor: &str) -> bool {
    anchor.starts_with("/01/") || anchor.starts_with("/8006/")
}

/// Splits contexts: at line breaks if there is one, so that a context can contain commas; else at
/// commas and semicolons.
fn contexts(cell: &str) -> Vec<String> {
    if cell.contains('\n') {
        return cell
            .split('\n')
            .map(|text| text.trim_end_matches('\r'))
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
            .collect();
    }
    cell.split([',', ';'])
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Reads an instant: RFC 3339, a date, or a date with a time, both in UTC.
fn instant(position: CellReference, cell: &Cell, faults: &mut Vec<CellFault>) -> Option<String> {
    if let Cell::Moment(moment) = cell {
        return Some(moment.to_string());
    }
    let text = trimmed(position, cell, faults);
    if fingerpost_resolver::parse_instant(&text).is_some() {
        return Some(text);
    }
    let civil = text.parse::<Date>().map(DateTime::from).ok().filter(|_| text.len() == DATE.len());
    let civil = civil.or_else(|| text.parse().ok().filter(|_| text.len() > DATE.len()));
    let timestamp = |civil: DateTime| {
        let instant = TimeZone::UTC.to_timestamp(civil).ok();
        instant.or_else(|| (civil.year() == 9999).then_some(LATEST_INSTANT))
    };
    let instant: Option<Timestamp> = civil.and_then(timestamp);
    if instant.is_none() && faults.iter().all(|fault| fault.position != position) {
        let message = format!(
            "expected a date such as 2026-05-01, or a time such as 2026-05-01T12:00:00Z, found {}",
            shown(&text)
        );
        faults.push(CellFault::new(CellRule::Time, position, message));
    }
    instant.map(|instant| instant.to_string())
}

/// Returns the text of a cell for people.
fn text_of(position: CellReference, cell: &Cell, faults: &mut Vec<CellFault>) -> Option<String> {
    let message = match cell {
        Cell::Empty => return Some(String::new()),
        Cell::Text(text) => return Some(text.clone()),
        Cell::Number(number) => return Some(number.to_string()),
        Cell::Bool(value) => return Some(if *value { "TRUE" } else { "FALSE" }.to_owned()),
        Cell::Moment(_) => {
            "expected text, found a date: format the column as text and enter it again".to_owned()
        }
        Cell::Error(error) => format!("the formula of this cell has no result: {error}"),
    };
    faults.push(CellFault::new(CellRule::Cell, position, message));
    None
}

/// Returns a text for people as one line: a line break of a cell is a space.
fn line_of(position: CellReference, cell: &Cell, faults: &mut Vec<CellFault>) -> Option<String> {
    let text = text_of(position, cell, faults)?;
    if !text.contains(['\n', '\r']) {
        return Some(text);
    }
    let lines = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    Some(lines.collect::<Vec<_>>().join(" "))
}

fn trimmed(position: CellReference, cell: &Cell, faults: &mut Vec<CellFault>) -> String {
    text_of(position, cell, faults).unwrap_or_default().trim().to_owned()
}

/// The members of a link that come from the column of its target.
const TARGET_FIELDS: [LinkField; 4] =
    [LinkField::Href, LinkField::LinkType, LinkField::Title, LinkField::Hreflang];

const DATE: &str = "2026-05-01";
