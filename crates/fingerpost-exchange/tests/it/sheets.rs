//! Spreadsheets as programs and people write them.

use std::io::{Cursor, Write};
use std::ops::ControlFlow;

use fingerpost_exchange::{
    ImportEvent, ImportOptions, ImportSource, ImportTarget, SheetOptions, import,
};

use crate::support::{Fixture, caller};

/// What an import of a sheet reports, and what is registered after it.
struct Report {
    refused: Vec<String>,
    warned: Vec<String>,
    records: String,
}

fn import_with(sheet: &[u8], options: &SheetOptions) -> Report {
    let fixture = Fixture::new();
    let source = ImportSource::recognise("sheet", sheet, options).unwrap();
    let target = ImportTarget::registry(fixture.registry.clone(), caller());
    let (mut refused, mut warned) = (Vec::new(), Vec::new());
    let totals = import(target, vec![source], ImportOptions::default(), &mut |event| {
        let (list, findings) = match event {
            ImportEvent::Refused { findings, .. } => (&mut refused, findings),
            ImportEvent::Warned { findings, .. } => (&mut warned, findings),
            _ => return ControlFlow::Continue(()),
        };
        let line = |one: &fingerpost_exchange::ImportFinding<'_>| {
            format!("{}: {} [{}]", one.pointer, one.message, one.id)
        };
        list.extend(findings.iter().map(line));
        ControlFlow::Continue(())
    });
    totals.unwrap();
    Report { refused, warned, records: fixture.export() }
}

fn import_sheet(sheet: &str) -> Report {
    import_with(sheet.as_bytes(), &SheetOptions::default())
}

/// ECMA-376 Part 1, 22.4.2.4 (ST_Xstring): `_x000D_` is an escaped line break. A break in a title
/// or a description is a space.
#[test]
fn ecma_376_22_4_2_4_line_breaks_in_cells_are_spaces() {
    // IN-27: in texts, titles of columns, keys and addresses.
    let report = import_sheet(
        "GTIN_x000D_,\"Item\ndescription\",Web address,Title\n\
         09520123456788_x000D_,\"Alpine\r\nherb tea\",https://example.com/tea_x000D_,Tea_x000D_\n",
    );
    assert!(report.refused.is_empty(), "{:?}", report.refused);
    let record = report.records;
    assert!(record.contains(r#""Alpine herb tea""#), "{record}");
    assert!(record.contains(r#""title":"Tea""#), "{record}");
    assert!(record.contains(r#""https://example.com/tea""#), "{record}");
}

/// IN-14: an address that contains the separator is cut there; the rest is in a cell without a
/// title.
#[test]
fn cells_without_a_title_are_refused() {
    for (sheet, cell) in [
        ("GTIN,Web address\n9520123456788,https://b.example/?a=1,2\n", "C2"),
        ("GTIN,Web address,\n9520123456788,https://b.example/?a=1,2\n", "C2"),
        ("GTIN;Web address;;\n9520123456788;https://b.example/?a=1;;2\n", "D2"),
        ("GTIN;Web address;Title\n9520123456788;https://b.example/;b;Tea\n", "D2"),
        ("GTIN\tWeb address\n9520123456788\thttps://b.example/\tx\n", "C2"),
        ("GTIN,Product page,Instructions\n9520123456788,https://b.example/a,b,c\n", "D2"),
    ] {
        let report = import_sheet(sheet);
        assert_eq!(report.records, "", "{sheet}");
        let [fault] = &report.refused[..] else { panic!("{:?}", report.refused) };
        assert!(fault.starts_with(&format!("cell {cell}: ")), "{fault}");
        assert!(fault.contains("in quotation marks"), "{fault}");
    }
    for sheet in [
        "GTIN,Web address\n9520123456788,\"https://b.example/?a=1,2\"\n",
        "GTIN,Web address\n9520123456788,https://b.example/?a=1%2C2,, \n",
        "GTIN,Web address,\n9520123456788,https://b.example/,\n",
    ] {
        let report = import_sheet(sheet);
        assert!(report.refused.is_empty() && !report.records.is_empty(), "{:?}", report.refused);
    }
}

/// A workbook whose only sheet has this element before its rows, and these cells.
fn workbook(before: &str, rows: &[&[&str]]) -> Vec<u8> {
    const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let mut put = |name: &str, xml: String| {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(xml.as_bytes()).unwrap();
    };
    let relation = |kind: &str, target: &str| {
        format!(
            r#"<Relationships><Relationship Id="r1" Type="{OFFICE}/{kind}" Target="{target}"/></Relationships>"#
        )
    };
    let spaces = format!(
        r#"xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{OFFICE}""#
    );
    put("[Content_Types].xml", "<Types/>".to_owned());
    put("_rels/.rels", relation("officeDocument", "xl/workbook.xml"));
    put("xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml"));
    put(
        "xl/workbook.xml",
        format!(
            r#"<workbook {spaces}><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>"#
        ),
    );
    let mut xml = format!("<worksheet {spaces}>{before}<sheetData>");
    for (number, cells) in (1..).zip(rows) {
        xml += &format!("<row r=\"{number}\">");
        for (letter, text) in ('A'..).zip(*cells) {
            if !text.is_empty() {
                xml += &format!(
                    "<c r=\"{letter}{number}\" t=\"inlineStr\"><is><t>{text}</t></is></c>"
                );
            }
        }
        xml += "</row>";
    }
    put("xl/worksheets/sheet1.xml", format!("{xml}</sheetData></worksheet>"));
    zip.finish().unwrap().into_inner()
}

/// IN-14: in a workbook nothing was cut, so the cell is named and the row registered.
#[test]
fn a_stray_cell_of_a_workbook_is_named() {
    let sheet = workbook(
        "",
        &[&["GTIN", "Web address"], &["9520123456788", "https://b.example/", "", "", "check this"]],
    );
    let report = import_with(&sheet, &SheetOptions::default());
    assert!(report.refused.is_empty() && !report.records.is_empty(), "{:?}", report.refused);
    let [warning] = &report.warned[..] else { panic!("{:?}", report.warned) };
    assert!(warning.contains("cell E2: this cell is ignored"), "{warning}");
}

/// IN-13, ECMA-376 Part 1, 18.3.1.35: the dimension of a sheet is optional, and programs write
/// others than `A1:B2`.
#[test]
fn ecma_376_18_3_1_35_any_dimension_is_read() {
    for reference in
        ["1:2", "1:1048576", "A:D", "A0", "$A$1:$B$2", "", "nonsense", "B2:A1", "A1:B2"]
    {
        for dimension in [
            format!("<dimension ref=\"{reference}\"/>"),
            format!("<dimension ref='{reference}'></dimension>"),
        ] {
            let rows: [&[&str]; 2] =
                [&["GTIN", "Web address"], &["9520123456788", "https://b.example/"]];
            let report = import_with(&workbook(&dimension, &rows), &SheetOptions::default());
            assert!(report.records.contains("https://b.example/"), "{dimension}");
        }
    }
    let without =
        workbook("<dimension/>", &[&["GTIN", "URL"], &["9520123456788", "https://b.example/"]]);
    assert!(!import_with(&without, &SheetOptions::default()).records.is_empty());
}

/// PE-5: the code of the second product would open the page of the first.
#[test]
fn rows_about_different_products_are_refused_unless_confirmed() {
    let merged = SheetOptions { merge_rows: true, ..SheetOptions::default() };
    for (sheet, cell) in [
        (
            "GTIN,Web address,Title\n9520123456788,https://a.example/tea,Tea\n9520123456788,https://a.example/coffee,Coffee\n",
            "B3",
        ),
        (
            "GTIN,Web address\n9520123456788,https://a.example/tea\n\n9520123456788,https://a.example/x\n",
            "B4",
        ),
        (
            "GTIN,Product name,Product page\n9520123456788,Tea,https://a.example/tea\n9520123456788,Coffee,https://a.example/tea\n",
            "B3",
        ),
        (
            "GTIN,Instructions,Product page\n9520123456788,,https://a.example/tea\n9520123456788,,https://a.example/coffee\n",
            "C3",
        ),
        (
            "GTIN,Link type,Web address,Title\n9520123456788,gs1:pip,https://a.example/tea,Tea\n09520123456788,Product page,https://a.example/coffee,Coffee\n",
            "C3",
        ),
    ] {
        let report = import_sheet(sheet);
        assert_eq!(report.records, "", "{sheet}");
        let [fault] = &report.refused[..] else { panic!("{sheet}: {:?}", report.refused) };
        assert!(fault.starts_with(&format!("cell {cell}: rows 2 and ")), "{fault}");
        assert!(fault.contains("https://a.example/tea"), "{fault}");
        assert!(fault.contains("[spreadsheet-conflict]"), "{fault}");
        let report = import_with(sheet.as_bytes(), &merged);
        assert!(report.refused.is_empty() && !report.records.is_empty(), "{:?}", report.refused);
        assert!(report.warned.iter().any(|one| one.contains("rows 2 and ")), "{:?}", report.warned);
    }
}

/// Rows of one product differ in what a row is for: the link type, the language, the validity.
#[test]
fn rows_about_one_product_are_not_a_conflict() {
    for sheet in [
        "GTIN,Web address,Language\n9520123456788,https://a.example/de,de\n9520123456788,https://a.example/fr,fr\n",
        "GTIN,Product name,Web address,Language\n9520123456788,Tee,https://a.example/de,de\n9520123456788,Thé,https://a.example/fr,fr\n",
        "GTIN,Link type,Web address,Title\n9520123456788,gs1:pip,https://a.example/tea,Tea\n9520123456788,gs1:recipeInfo,https://a.example/1,One\n9520123456788,gs1:recipeInfo,https://a.example/2,Two\n",
        "GTIN,Link type,Web address,Title,Main link\n9520123456788,gs1:pip,https://a.example/tea,Tea,yes\n9520123456788,gs1:pip,https://a.example/2,Two,\n",
        "GTIN,Web address,Lot\n9520123456788,https://a.example/0,\n9520123456788,https://a.example/1,1\n9520123456788,https://a.example/2,2\n",
        "GTIN,Product page,Instructions\n9520123456788,https://a.example/1,\n9520123456788,,https://a.example/2\n",
    ] {
        let report = import_sheet(sheet);
        assert!(report.refused.is_empty() && !report.records.is_empty(), "{:?}", report.refused);
    }
}

/// IN-21: the main page is the first link that is always valid, wherever its row is.
#[test]
fn the_order_of_rows_with_validity_decides_nothing() {
    let (dated, lasting) = (
        "9520123456788,https://a.example/sale,2026-05-01,\n",
        "9520123456788,https://a.example/tea,,\n",
    );
    let titles = "GTIN,Web address,Valid from,Valid until\n";
    for rows in [[dated, lasting], [lasting, dated]] {
        let report = import_sheet(&[titles, &rows.concat()].concat());
        assert!(report.refused.is_empty(), "{:?}", report.refused);
        let record: serde_json::Value = serde_json::from_str(&report.records).unwrap();
        let links = record["links"].as_array().unwrap().iter();
        let mut default = links.filter(|link| link["default"] == true);
        assert_eq!(default.next().unwrap()["href"], "https://a.example/tea");
    }
    for only in [dated, "9520123456788,https://a.example/sale,,2026-05-01\n"] {
        let report = import_sheet(&[titles, only].concat());
        let [fault] = &report.refused[..] else { panic!("{:?}", report.refused) };
        assert!(fault.contains("needs a link without validity"), "{fault}");
        assert!(fault.starts_with("cell C2") || fault.starts_with("cell D2"), "{fault}");
    }
}

/// IN-24: the usual "no end" of other programs.
#[test]
fn the_last_day_of_the_calendar_is_no_end() {
    for end in ["9999-12-31", "9999-12-31T23:59:59", "9999-12-31T00:00:00Z"] {
        let report = import_sheet(&format!(
            "GTIN,Web address,Valid from,Valid until\n9520123456788,https://a.example/tea,,\n9520123456788,https://a.example/sale,2026-05-01,{end}\n"
        ));
        assert!(report.refused.is_empty(), "{end}: {:?}", report.refused);
    }
}

/// Returns what each column of a sheet means, and the first record.
fn understood(sheet: &str) -> (Vec<String>, serde_json::Value) {
    let source =
        ImportSource::recognise("sheet", sheet.as_bytes(), &SheetOptions::default()).unwrap();
    let columns = source.sheet().unwrap().columns();
    let columns = columns.into_iter().map(|column| column.column).collect();
    let report = import_sheet(sheet);
    assert!(report.refused.is_empty(), "{sheet}\n{:?}", report.refused);
    let record = report.records.lines().next().unwrap_or("null").to_owned();
    (columns, serde_json::from_str(&record).unwrap())
}

/// The target that opens after a scan.
fn main_page(record: &serde_json::Value) -> &str {
    let links = record["links"].as_array().expect("links");
    let default = links.iter().find(|link| link["default"] == true);
    default.expect("a default link")["href"].as_str().expect("text")
}

/// IN-9, IN-10, PE-6, PE-10: lists of people, whose titles nobody made for this. A row of titles,
/// a row below it, and what each column means.
#[test]
fn columns_of_lists_are_recognised_by_their_cells() {
    for (sheet, expected, name) in [
        (
            "Sortiment Herbst;;;\nArtikelnummer (EAN);Bezeichnung;Produktseite;Seite FR\n9520123456788;Tee;https://a.example/main;https://a.example/fr\n",
            "gtin itemDescription gs1:pip gs1:pip (fr)",
            "Tee",
        ),
        (
            "SKU,Barcode,Title,Landing page,Language\nT-1,9520123456788,Tea,https://a.example/main,en\n",
            "ignore gtin title href hreflang",
            "",
        ),
        (
            "EAN;Name;Link\n9520123456788;Tee;https://a.example/main\n",
            "gtin itemDescription href",
            "Tee",
        ),
        (
            "EAN;Bezeichnung;Webseite;Rezepte\n9520123456788;Tee;https://a.example/main;https://a.example/r\n",
            "gtin itemDescription gs1:pip gs1:recipeInfo",
            "Tee",
        ),
        // Titles that say nothing at all.
        (
            "A;B;C;D\nx-1;9520123456788;https://a.example/main;fr\nx-2;9520123456795;https://a.example/2;de\n",
            "ignore gtin href hreflang",
            "",
        ),
        // Two columns of addresses: the one whose title says that it is a page.
        (
            "Code;Shop;Product page URL (live)\n9520123456788;https://a.example/shop;https://a.example/main\n",
            "gtin ignore gs1:pip",
            "",
        ),
        (
            "Article;Désignation;Page DE;Page FR\n9520123456788;Thé;https://a.example/main;https://a.example/f\n",
            "gtin itemDescription gs1:pip (de) gs1:pip (fr)",
            "Thé",
        ),
        (
            "código;Nombre;Enlace web\n9520123456788;Té;https://a.example/main\n",
            "gtin itemDescription href",
            "Té",
        ),
        (
            "Código de barras (EAN);Nome;Página do produto\n9520123456788;Chá;https://a.example/main\n",
            "gtin itemDescription gs1:pip",
            "Chá",
        ),
        (
            "商品のJANコード;商品名;商品ページのURL\n9520123456788;お茶;https://a.example/main\n",
            "gtin itemDescription gs1:pip",
            "お茶",
        ),
        (
            "الباركود الدولي;الاسم;رابط المنتج\n9520123456788;شاي;https://a.example/main\n",
            "gtin itemDescription href",
            "شاي",
        ),
        // A country is not a language, a price not a GTIN.
        (
            "EAN;Land;Preis;Web\n9520123456788;DE;3,50;https://a.example/main\n9520123456795;FR;4,50;https://a.example/2\n",
            "gtin ignore ignore href",
            "",
        ),
    ] {
        let (columns, record) = understood(sheet);
        assert_eq!(columns.join(" "), expected, "{sheet}");
        assert_eq!(main_page(&record), "https://a.example/main", "{sheet}");
        assert_eq!(record["itemDescription"].as_str().unwrap_or_default(), name, "{sheet}");
    }
}

/// IN-9: the published titles of exports and feeds of shops, with an address where the export has
/// none of its own.
#[test]
fn exports_of_shops_are_read_unmapped() {
    for (shop, titles, row, expected) in [
        (
            // Shopify: products CSV, with the column that apps for exports add.
            "Shopify",
            "Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Barcode,Image Src,SEO Title,Status,URL",
            "tea,Tea,<p>Good</p>,Brand,Food,Drinks,a,true,Title,Default,T1,9520123456788,https://cdn.example/1.png,Tea,active,https://a.example/main",
            "1:itemDescription 11:gtin 12:gs1:relatedImage 15:gs1:pip",
        ),
        (
            // Shopify: products CSV with the titles of its newer template.
            "Shopify, newer",
            "Title,URL handle,Description,Vendor,Product category,Type,Tags,Published on online store,Status,SKU,Barcode,Option1 name,Option1 value,Price,Product image URL,SEO title,SEO description,Product URL",
            "Tea,tea,<p>Good</p>,Brand,Food,Drinks,a,TRUE,Active,T1,9520123456788,Size,S,3.5,https://cdn.example/1.png,Tea,Good,https://a.example/main",
            "0:itemDescription 10:gtin 14:gs1:relatedImage 17:gs1:pip",
        ),
        (
            // WooCommerce: Product CSV Import Schema.
            "WooCommerce",
            "ID,Type,SKU,\"GTIN, UPC, EAN, or ISBN\",Name,Published,Short description,Description,In stock?,Regular price,Categories,Images,External URL,Position",
            "1,external,T1,9520123456788,Tea,1,Good,Very good,1,3.5,Tea,https://a.example/1.png,https://a.example/main,0",
            "3:gtin 4:itemDescription 11:gs1:relatedImage 12:gs1:pip",
        ),
        (
            // Magento Open Source and Adobe Commerce: product export, with attributes of a shop.
            "Magento",
            "sku,store_view_code,attribute_set_code,product_type,categories,product_websites,name,description,short_description,price,url_key,base_image,ean,product_url",
            "T1,,Default,simple,Default/Tea,base,Tea,Very good,Good,3.5,tea,/t/e/tea.jpg,9520123456788,https://a.example/main",
            "6:itemDescription 12:gtin 13:href",
        ),
        (
            // Google Merchant Center: product data specification.
            "Google",
            "id\ttitle\tdescription\tavailability\tprice\tlink\timage_link\tadditional_image_link\tbrand\tgtin\tmpn\tproduct_type",
            "T1\tTea\tVery good\tin_stock\t3.50 EUR\thttps://a.example/main\thttps://a.example/1.png\thttps://a.example/2.png\tBrand\t9520123456788\tM1\tDrinks",
            "1:itemDescription 5:gs1:pip 6:gs1:relatedImage 9:gtin",
        ),
        (
            // Amazon: inventory file templates.
            "Amazon",
            "item_sku\texternal_product_id\texternal_product_id_type\titem_name\tbrand_name\tmain_image_url\tproduct_description\tproduct_url",
            "T1\t9520123456788\tEAN\tTea\tBrand\thttps://a.example/1.png\tVery good\thttps://a.example/main",
            "1:gtin 3:itemDescription 5:gs1:relatedImage 7:gs1:pip",
        ),
        (
            // PrestaShop: import and export of products; UPC and ISBN are columns of their own.
            "PrestaShop",
            "Product ID;Image;Name;Reference;Category;Price;EAN13;UPC;ISBN;Product URL",
            "1;https://a.example/1.png;Tea;T1;Tea;3.5;9520123456788;;;https://a.example/main",
            "1:gs1:relatedImage 2:itemDescription 6:gtin 9:gs1:pip",
        ),
    ] {
        let (columns, record) = understood(&format!("{titles}\n{row}\n"));
        let known = columns.iter().enumerate().filter(|(_, column)| *column != "ignore");
        let known: Vec<String> = known.map(|(at, column)| format!("{at}:{column}")).collect();
        assert_eq!(known.join(" "), expected, "{shop}");
        assert_eq!(main_page(&record), "https://a.example/main", "{shop}");
        assert_eq!(record["itemDescription"], "Tea", "{shop}");
    }
}

/// PE-10: the report says which column of addresses is not used.
#[test]
fn an_ignored_column_of_addresses_is_named() {
    let sheet = "EAN;Web address;Foo;Image\n9520123456788;https://a.example/1;https://a.example/2;https://a.example/3\n";
    let source =
        ImportSource::recognise("sheet", sheet.as_bytes(), &SheetOptions::default()).unwrap();
    let columns = source.sheet().unwrap().columns();
    let unused: Vec<bool> = columns.iter().map(|column| column.has_unused_addresses).collect();
    assert_eq!(unused, [false, false, true, false]);
    assert_eq!(columns[2].sample.as_deref(), Some("https://a.example/2"));
    assert!(columns.iter().all(|column| !column.is_guessed), "{columns:?}");
}

/// A guess is no more than that: a wrong cell below it is refused, and a mapping comes first.
#[test]
fn a_mapping_comes_before_a_guess() {
    let sheet =
        "Art (EAN);Web\n9520123456788;https://a.example/1\n9520123456789;https://a.example/2\n";
    let report = import_sheet(sheet);
    assert_eq!(report.refused.len(), 1, "{:?}", report.refused);
    assert!(report.refused[0].contains("check digit"), "{:?}", report.refused);
    let mapped = fingerpost_exchange::ColumnMapping::new("Web", "gs1:instructions (de)");
    let options = SheetOptions { remembered: vec![mapped], ..SheetOptions::default() };
    let report = import_with(sheet.as_bytes(), &options);
    assert!(report.records.contains(r#""linkType":"gs1:instructions""#), "{}", report.records);
}
