//! Workbooks to fill in: titles, columns of keys as text, and drop-down lists of link types and
//! languages.

use std::io::{self, Seek, Write};

use fingerpost_gs1::Ai;
use rust_xlsxwriter::{DataValidation, Format, Formula, Workbook, Worksheet, XlsxError};

use super::SpreadsheetFormat;
use super::titles::{self, Column, LinkField, TitleLanguage};
use crate::ExportError;
use crate::limits::TEMPLATE_ROWS;

/// Writes a workbook to fill in, with titles in this language.
pub fn template(
    layout: SpreadsheetFormat,
    language: TitleLanguage,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    let mut file = tempfile::tempfile()?;
    let built = workbook(layout, language).and_then(|mut book| book.save_to_writer(&file));
    built.map_err(io::Error::other)?;
    file.rewind()?;
    io::copy(&mut file, out)?;
    Ok(())
}

fn workbook(layout: SpreadsheetFormat, language: TitleLanguage) -> Result<Workbook, XlsxError> {
    let mut book = Workbook::new();
    let types: Vec<&str> = titles::offered_link_types()
        .filter_map(|name| titles::link_type_title(name, language))
        .collect();
    let sheet = book.add_worksheet();
    sheet.set_right_to_left(language.is_right_to_left()).set_freeze_panes(1, 0)?;
    match layout {
        SpreadsheetFormat::Links => links(sheet.set_name("Links")?, language, types.len())?,
        SpreadsheetFormat::Products => {
            products(sheet.set_name("Products")?, language, types.len())?;
        }
    }
    let lists = book.add_worksheet().set_name(LISTS)?.set_hidden(true);
    for (column, list) in (0..).zip([&types[..], &LANGUAGES, &titles::yes_and_no(language)]) {
        for (row, text) in (0..).zip(list) {
            lists.write_string(row, column, *text)?;
        }
    }
    Ok(book)
}

/// Writes the titles of a sheet with a row for each link.
fn links(sheet: &mut Worksheet, language: TitleLanguage, types: usize) -> Result<(), XlsxError> {
    for (number, (column, width)) in (0..).zip(LINK_COLUMNS) {
        title(sheet, number, titles::column_title(column, language), width)?;
        let list = match column {
            Column::Link(LinkField::LinkType) => list('A', types),
            Column::Link(LinkField::Hreflang) => {
                list('B', LANGUAGES.len()).show_error_message(false)
            }
            Column::Link(LinkField::IsDefault) => list('C', 2),
            _ => continue,
        };
        sheet.add_data_validation(1, number, TEMPLATE_ROWS, number, &list)?;
    }
    Ok(())
}

/// Writes the titles of a sheet with a row for each product. A link type can be chosen in its
/// title.
fn products(sheet: &mut Worksheet, language: TitleLanguage, types: usize) -> Result<(), XlsxError> {
    title(sheet, 0, titles::column_title(Column::Key(Ai::GTIN), language), 18.0)?;
    title(sheet, 1, titles::column_title(Column::Description, language), 30.0)?;
    let last = PRODUCT_TYPES.len() as u16 + 1;
    for (column, name) in (2..).zip(PRODUCT_TYPES) {
        title(sheet, column, titles::link_type_title(name, language).unwrap_or(name), 34.0)?;
    }
    sheet.add_data_validation(0, 2, 0, last, &list('A', types).show_error_message(false))?;
    Ok(())
}

/// Writes the title of a column, all cells of which are text: keys keep their zeros.
fn title(sheet: &mut Worksheet, column: u16, title: &str, width: f64) -> Result<(), XlsxError> {
    sheet.set_column_width(column, width)?;
    sheet.set_column_format(column, &Format::new().set_num_format("@"))?;
    sheet.write_string_with_format(
        0,
        column,
        title,
        &Format::new().set_bold().set_num_format("@"),
    )?;
    Ok(())
}

/// Returns the drop-down list of a column of the hidden sheet.
fn list(column: char, count: usize) -> DataValidation {
    let range = format!("={LISTS}!${column}$1:${column}${count}");
    DataValidation::new().allow_list_formula(Formula::new(range))
}

/// The sheet with the content of the lists.
const LISTS: &str = "Lists";

/// Languages that are offered; all others can be entered.
const LANGUAGES: [&str; 26] = [
    "ar", "bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "hr", "hu", "it", "ja", "ko",
    "lt", "lv", "nl", "no", "pl", "pt", "ro", "sk", "sv", "zh",
];

/// The columns of a sheet with a row for each link, with their widths in characters.
const LINK_COLUMNS: [(Column, f64); 9] = [
    (Column::Key(Ai::GTIN), 18.0),
    (Column::Qualifier(Ai::LOT), 14.0),
    (Column::Description, 30.0),
    (Column::Link(LinkField::LinkType), 26.0),
    (Column::Link(LinkField::Href), 50.0),
    (Column::Link(LinkField::Title), 30.0),
    (Column::Link(LinkField::Hreflang), 12.0),
    (Column::Link(LinkField::ValidFrom), 18.0),
    (Column::Link(LinkField::IsDefault), 12.0),
];

/// The link types that have a column at first.
const PRODUCT_TYPES: [&str; 6] =
    ["pip", "instructions", "relatedImage", "faqs", "sustainabilityInfo", "certificationInfo"];

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use super::super::{Recognised, SheetOptions, recognise};
    use super::*;

    #[test]
    fn every_template_is_read_as_its_layout() {
        for layout in [SpreadsheetFormat::Links, SpreadsheetFormat::Products] {
            for tag in TitleLanguage::tags() {
                let mut file = Vec::new();
                template(layout, TitleLanguage::new(tag).unwrap(), &mut file).unwrap();
                let found =
                    recognise(Box::new(Cursor::new(file)), &SheetOptions::default()).unwrap();
                let Recognised::Sheet(sheet) = found else { panic!("not a sheet") };
                assert_eq!(sheet.layout(), layout, "{tag}");
                let ignored = sheet
                    .mapping()
                    .into_iter()
                    .filter(|mapping| mapping.column == "ignore")
                    .count();
                assert_eq!(ignored, 0, "{tag}: {:?}", sheet.mapping());
            }
        }
    }

    #[test]
    fn link_types_and_languages_are_lists() {
        let mut file = Vec::new();
        template(SpreadsheetFormat::Links, TitleLanguage::new("de").unwrap(), &mut file).unwrap();
        let mut archive = zip::ZipArchive::new(Cursor::new(file)).unwrap();
        let mut sheet = String::new();
        archive.by_name("xl/worksheets/sheet1.xml").unwrap().read_to_string(&mut sheet).unwrap();
        for part in
            ["<formula1>Lists!$A$1:$A$", "<formula1>Lists!$B$1:$B$26<", "sqref=\"D2:D5001\""]
        {
            assert!(sheet.contains(part), "{part}: {sheet}");
        }
    }
}
