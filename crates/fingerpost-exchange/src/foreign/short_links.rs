//! Links of short-link managers as CSV.
//!
//! ```text
//! Shlink   createdAt, domain, shortCode, shortUrl, longUrl, title, tags, visits        (web client, "Export")
//! YOURLS   source, target, hits                                                        (plugin Import Export)
//!          keyword, url, title, timestamp, ip, clicks                                  (its table of links)
//! Kutt     address, target, description, visit_count, created_at, …                    (its table of links)
//! Bitly    Link, Custom Link, Date created, Title, Destination URL, Engagements, Status        ("Export links")
//!          link, custom_bitlinks, long_url, title, created_at                          (members of its API)
//! ```
//!
//! Sources, read on 2026-11-27:
//!
//! - Shlink: `src/short-urls/helpers/ExportShortUrlsBtn.tsx` of <https://github.com/shlinkio/shlink-web-component>
//! - YOURLS: `fileio/csv.php` of <https://github.com/GautamGupta/YOURLS-Import-Export>, where a source
//!   is the keyword between slashes; `yourls_get_stats` in `includes/functions-infos.php` of <https://github.com/YOURLS/YOURLS>
//!   for the columns of the table. YOURLS itself exports nothing.
//! - Kutt has no export (issues 82 and 907 of <https://github.com/thedevs-network/kutt>). Its columns
//!   are those that `src/Sources/Kutt/KuttImporter.php` of <https://github.com/shlinkio/shlink-importer>
//!   reads from its API.
//! - Bitly publishes no description of the file. The titles are those that <https://github.com/everett7623/Linketry>
//!   recognises, and the script for the migration of <https://github.com/ramsey/website> reads them
//!   in this order; the members are those of <https://dev.bitly.com/api-reference#getBitlinksByGroup>.
//!
//! Further columns are ignored. One of the codes of a row is or contains a GS1 key; a sheet whose
//! key is in a column of its own is read like other spreadsheets, with `--column`.

use std::io::{self, Cursor};

use super::{Input, Item, Items, link_record};
use crate::sheet::{Cell, CsvRows, Line, Row};

/// The columns of each manager: short codes or addresses, of which a row can have several; the
/// target; the title; and others, one of which tells the manager from others. Titles are without
/// case and punctuation.
const MANAGERS: [[&str; 4]; 5] = [
    ["shortcode shorturl", "longurl", "title", "createdat visits"],
    ["source", "target", "title", "hits"],
    ["keyword", "url", "title", "clicks timestamp"],
    ["address", "target", "description", "visitcount createdat banned description"],
    [
        "customlink custombitlinks link bitlink",
        "destinationurl longurl",
        "title",
        "datecreated createdat engagements title",
    ],
];

/// The positions of the columns of a file.
struct Positions {
    codes: Vec<usize>,
    target: usize,
    title: Option<usize>,
}

impl Positions {
    fn find(titles: &[String]) -> Option<Self> {
        let titles: Vec<String> = titles.iter().map(|title| plain(title)).collect();
        let positions = |names: &str| -> Vec<usize> {
            names.split(' ').filter_map(|name| titles.iter().position(|it| it == name)).collect()
        };
        MANAGERS.iter().find_map(|columns| {
            let [codes, target, title, also] = columns.map(&positions);
            (!codes.is_empty() && !also.is_empty()).then_some(())?;
            Some(Self { codes, target: *target.first()?, title: title.first().copied() })
        })
    }
}

/// Returns a title without case and punctuation: `long_url` and `Long URL` are `longurl`.
fn plain(title: &str) -> String {
    title
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|char| char.to_ascii_lowercase())
        .collect()
}

/// Whether the first row has the titles of a manager.
pub(crate) fn is(head: &[u8]) -> bool {
    let first = CsvRows::new(Box::new(Cursor::new(head.to_vec())), b',');
    let first = first.and_then(|mut rows| rows.next());
    matches!(first, Ok(Some(Line::Row(row))) if Positions::find(&texts(&row)).is_some())
}

/// Reads the rows below the titles.
pub(crate) fn read(input: Input<'_>) -> io::Result<Items<'_>> {
    let mut rows = CsvRows::new(input, b',')?;
    let positions = match rows.next()? {
        Some(Line::Row(titles)) => Positions::find(&texts(&titles)),
        _ => None,
    };
    let Some(positions) = positions else { return Ok(Box::new(std::iter::empty())) };
    Ok(Box::new(std::iter::from_fn(move || {
        let line = rows.next().transpose()?;
        Some(line.map(|line| item(line, &positions)))
    })))
}

fn item(line: Line, positions: &Positions) -> Item {
    match line {
        Line::Broken { number, message } => (number, Err(message)),
        Line::Row(row) => {
            let cells = texts(&row);
            let cell = |at: usize| cells.get(at).map_or("", |cell| cell.trim());
            let (target, title) = (cell(positions.target), positions.title.map_or("", cell));
            let codes = positions.codes.iter().map(|at| cell(*at)).filter(|code| !code.is_empty());
            let records = codes.map(|code| link_record(code, target, title));
            // The first code with a key, else the first one says what is missing.
            let best = records
                .reduce(|first, next| if first.is_ok() || next.is_err() { first } else { next });
            (row.number, best.unwrap_or_else(|| link_record("", target, title)))
        }
    }
}

fn texts(row: &Row) -> Vec<String> {
    let text = |cell: &Cell| match cell {
        Cell::Text(text) => text.clone(),
        _ => String::new(),
    };
    row.cells.iter().map(text).collect()
}
