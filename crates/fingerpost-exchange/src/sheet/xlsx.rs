//! Rows of a sheet of an XLSX workbook (ECMA-376), cell by cell.
//!
//! Formulas are not calculated: their cells have the results that the program stored.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use calamine::{DataRef, Reader, SheetType, SheetVisible, Xlsx, XlsxError};
use fingerpost_resolver::LATEST_INSTANT;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::SheetError;
use super::archive::{self, Hostile};
use super::cell::{Cell, CellReference, Line, Row};
use crate::limits::{MAX_CELL_BYTES, MAX_COLUMNS};

/// The rows of a sheet of a workbook.
pub(crate) struct XlsxRows {
    book: Xlsx<BufReader<File>>,
    sheet: String,
    size: u64,
}

/// Whether to go on after a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    GoOn,
    Stop,
}

impl XlsxRows {
    /// Opens the sheet with this name, or the first visible worksheet; if all are hidden, the first
    /// one.
    pub(crate) fn open(
        input: &mut dyn Read,
        name: Option<&str>,
        scratch: &Path,
    ) -> Result<XlsxRows, SheetError> {
        let hostile = |error| match error {
            Hostile::Io(error) => SheetError::Io(error),
            Hostile::Refused(reason) => SheetError::Workbook { reason },
        };
        let file = archive::spool(input, scratch).map_err(hostile)?;
        let file = archive::check(file, scratch).map_err(hostile)?;
        let size = file.metadata()?.len();
        let book = guarded(|| Xlsx::new(BufReader::new(file)).map_err(|error| damaged(&error)))?;
        let sheets = book.sheet_names();
        let found = match name {
            Some(name) => sheets.iter().find(|own| own.as_str() == name).cloned(),
            // A chart has no cells, and hidden sheets are for the program that made the file.
            None => first_worksheet(&book),
        };
        let Some(sheet) = found else {
            let sheets: Vec<String> = sheets.iter().map(|own| super::cell::shown(own)).collect();
            return Err(SheetError::NoSheet {
                name: name.unwrap_or_default().to_owned(),
                sheets: sheets.join(", "),
            });
        };
        Ok(XlsxRows { book, sheet, size })
    }

    /// Returns the name of the sheet.
    pub(crate) fn sheet(&self) -> &str {
        &self.sheet
    }

    /// Returns the size of the workbook in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Passes each row that has a cell to `take`, cut at a number of columns.
    pub(crate) fn each(
        &mut self,
        columns: usize,
        take: &mut dyn FnMut(Line) -> Result<Flow, SheetError>,
    ) -> Result<(), SheetError> {
        let (book, sheet) = (&mut self.book, self.sheet.as_str());
        guarded(move || {
            let mut cells = book.worksheet_cells_reader(sheet).map_err(|error| damaged(&error))?;
            let mut row: Option<Line> = None;
            while let Some(cell) = cells.next_cell().map_err(|error| damaged(&error))? {
                let (number, column) =
                    (u64::from(cell.get_position().0) + 1, cell.get_position().1);
                if row.as_ref().is_some_and(|row| row.number() != number)
                    && let Some(row) = row.take()
                    && take(row)? == Flow::Stop
                {
                    return Ok(());
                }
                let line = row.get_or_insert_with(|| empty_row(number));
                if (column as usize) < columns.min(MAX_COLUMNS) {
                    put(line, CellReference { row: number, column }, cell.get_value());
                } else if let Line::Row(row) = line
                    && !content(cell.get_value()).is_blank()
                {
                    row.beyond.get_or_insert(column);
                }
            }
            row.map_or(Ok(()), |row| take(row).map(|_| ()))
        })
    }
}

fn first_worksheet<R: Read + io::Seek>(book: &Xlsx<R>) -> Option<String> {
    let worksheets =
        || book.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let visible = worksheets().find(|sheet| sheet.visible == SheetVisible::Visible);
    visible.or_else(|| worksheets().next()).map(|sheet| sheet.name.clone())
}

fn empty_row(number: u64) -> Line {
    Line::Row(Row { number, cells: Vec::new(), beyond: None })
}

/// Puts a cell into its row.
fn put(line: &mut Line, position: CellReference, value: &DataRef<'_>) {
    let Line::Row(row) = line else { return };
    let column = position.column as usize;
    if row.cells.len() <= column {
        row.cells.resize(column + 1, Cell::Empty);
    }
    let cell = content(value);
    if matches!(&cell, Cell::Text(text) if text.len() > MAX_CELL_BYTES) {
        let message = format!("cell {position} is larger than the limit of {MAX_CELL_BYTES} bytes");
        *line = Line::Broken { number: position.row, message };
    } else {
        row.cells[column] = cell;
    }
}

fn content(value: &DataRef<'_>) -> Cell {
    match value {
        DataRef::Empty => Cell::Empty,
        DataRef::Int(number) => Cell::Number(*number as f64),
        DataRef::Float(number) => Cell::Number(*number),
        DataRef::String(text) => Cell::Text(text.clone()),
        DataRef::SharedString(text) => Cell::Text((*text).to_owned()),
        DataRef::Bool(value) => Cell::Bool(*value),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => Cell::Text(text.clone()),
        DataRef::Error(error) => Cell::Error(error.to_string()),
        DataRef::DateTime(moment) => {
            let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
            let is_date = moment.is_datetime() && moment.as_f64().is_finite();
            let part = |part: u8| i8::try_from(part).ok();
            let civil = || {
                let nanos = i32::from(milli) * 1_000_000;
                DateTime::new(
                    i16::try_from(year).ok()?,
                    part(month)?,
                    part(day)?,
                    part(hour)?,
                    part(minute)?,
                    part(second)?,
                    nanos,
                )
                .ok()
            };
            let instant: Option<Timestamp> = is_date
                .then(civil)
                .flatten()
                .and_then(|civil| TimeZone::UTC.to_timestamp(civil).ok());
            let instant = instant.or_else(|| (is_date && year == 9999).then_some(LATEST_INSTANT));
            instant.map_or(Cell::Number(moment.as_f64()), Cell::Moment)
        }
    }
}

fn damaged(error: &XlsxError) -> SheetError {
    SheetError::Workbook { reason: format!("the workbook is damaged: {error}") }
}

/// Runs the reader of workbooks, which is not ours: what it does not expect becomes an error, not
/// the end of the process.
fn guarded<T>(work: impl FnOnce() -> Result<T, SheetError>) -> Result<T, SheetError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(SheetError::Workbook { reason: "the workbook is damaged".to_owned() })
    })
}

impl From<SheetError> for io::Error {
    fn from(error: SheetError) -> Self {
        match error {
            SheetError::Io(error) => error,
            other => io::Error::new(io::ErrorKind::InvalidData, other),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;

    const CHART: &str = "http://x/chartsheet";
    const SHEET: &str = "http://x/worksheet";

    /// A workbook with these entries of sheets, and the content of a sheet.
    fn workbook(sheets: &str, relations: &[(&str, &str)], cell: &str) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let mut put = |name: &str, xml: &str| {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(xml.as_bytes()).unwrap();
        };
        put("[Content_Types].xml", "<Types><!-- by hand --></Types>");
        put(
            "_rels/.rels",
            r#"<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#,
        );
        let spaces = r#"xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships""#;
        put(
            "xl/workbook.xml",
            &format!("<workbook {spaces}><!-- x --><sheets>{sheets}</sheets></workbook>"),
        );
        let relations = relations.iter().enumerate().map(|(at, (target, kind))| {
            format!(r#"<Relationship Id="r{}" Type="{kind}" Target="{target}"/>"#, at + 1)
        });
        let relations: String = relations.collect();
        put("xl/_rels/workbook.xml.rels", &format!("<Relationships>{relations}</Relationships>"));
        put(
            "xl/worksheets/sheet1.xml",
            &format!(
                r#"<worksheet {spaces}><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>{cell}</t></is></c></row></sheetData></worksheet>"#
            ),
        );
        put(
            "xl/worksheets/sheet2.xml",
            &format!(
                r#"<worksheet {spaces}><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>other</t></is></c></row></sheetData></worksheet>"#
            ),
        );
        zip.finish().unwrap().into_inner()
    }

    fn first_cell(workbook: Vec<u8>) -> (String, Cell) {
        let scratch = std::env::temp_dir();
        let mut rows = XlsxRows::open(&mut Cursor::new(workbook), None, &scratch).unwrap();
        let mut found = Cell::Empty;
        let mut take = |line: Line| {
            if let Line::Row(row) = line {
                found = row.cells[0].clone();
            }
            Ok(Flow::Stop)
        };
        rows.each(1, &mut take).unwrap();
        (rows.sheet().to_owned(), found)
    }

    /// IN-23, ECMA-376 part 1, section 18.2.19: what programs other than Excel write.
    #[test]
    fn ecma_376_18_2_19_the_first_visible_worksheet_is_read() {
        let text = |text: &str| Cell::Text(text.to_owned());
        let relations = [
            ("worksheets/sheet1.xml", SHEET),
            ("worksheets/sheet2.xml", SHEET),
            ("charts/c.xml", CHART),
        ];
        for (sheets, name, cell) in [
            (r#"<sheet name="A" sheetId="1" r:id="r1"/>"#, "A", "tea"),
            (
                r#"<sheet name="N" sheetId="9" r:id=""/><sheet name="A" sheetId="1" r:id="r1"/>"#,
                "A",
                "tea",
            ),
            (
                r#"<sheet name="C" sheetId="3" r:id="r3"/><sheet name="A" sheetId="1" r:id="r1"/>"#,
                "A",
                "tea",
            ),
            (
                r#"<sheet name="H" sheetId="2" state="hidden" r:id="r2"/><sheet name="V" sheetId="3" state="veryHidden" r:id="r2"/><sheet name="A" sheetId="1" r:id="r1"/>"#,
                "A",
                "tea",
            ),
            (r#"<sheet name="H" sheetId="2" state="hidden" r:id="r2"/>"#, "H", "other"),
        ] {
            assert_eq!(
                first_cell(workbook(sheets, &relations, "tea")),
                (name.to_owned(), text(cell))
            );
        }
        let one = r#"<sheet name="A" sheetId="1" r:id="r1"/>"#;
        let cell = "a<!-- b --><![CDATA[&<c>]]>d";
        assert_eq!(first_cell(workbook(one, &relations, cell)).1, text("a&<c>d"));
    }
}
