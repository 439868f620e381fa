//! Spreadsheets in `import` and `export`, with real files and a real process.

use std::ffi::OsStr;
use std::path::Path;

use serde_json::Value;

use crate::support::{Run, Sandbox, fingerpost, run};

/// Imports a file with more arguments; the report is text.
fn import(sandbox: &Sandbox, file: &Path, arguments: &[&str]) -> Run {
    let data = sandbox.data();
    let words = ["import", "--data"].map(OsStr::new).into_iter().chain([data.as_os_str()]);
    run(words.chain(arguments.iter().map(OsStr::new)).chain([file.as_os_str()]))
}

/// Returns the records of a store.
fn records(sandbox: &Sandbox) -> Vec<Value> {
    sandbox.export().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_row_for_each_product_makes_records_with_default_links() {
    let sandbox = Sandbox::new();
    let file = "Artikelliste;;;;\r\nEAN;Produktname;Produktseite (de);Page produit (fr);Anleitung\r\n\
                9506000134352;Tee;https://example.com/de;https://example.com/fr;https://example.com/a.pdf\r\n\
                \r\n\
                0614141000036;Caf\u{e9};https://example.com/c;;\r\n";
    let latin: Vec<u8> = file.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let file = sandbox.path("produkte.csv");
    std::fs::write(&file, latin).unwrap();
    let report = import(&sandbox, &file, &[]).expect_status(0);
    assert!(
        report.stdout.contains(
            "CSV separated by \";\", Windows-1252 (not valid UTF-8), one row for each product"
        ),
        "{report:?}"
    );
    assert!(report.stdout.contains("2 records accepted, none refused"), "{report:?}");
    let records = records(&sandbox);
    assert_eq!(records[0]["anchor"], "/01/00614141000036");
    assert_eq!(records[0]["itemDescription"], "Caf\u{e9}");
    let links: Vec<(&str, &str, &str, Option<&str>)> = records[1]["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| {
            let text = |name: &str| link[name].as_str().unwrap();
            (text("linkType"), text("href"), text("title"), link["hreflang"][0].as_str())
        })
        .collect();
    let expected = [
        ("gs1:pip", "https://example.com/de", "Produktseite", Some("de")),
        ("gs1:pip", "https://example.com/fr", "Page produit", Some("fr")),
        ("gs1:instructions", "https://example.com/a.pdf", "Anleitung", None),
    ];
    assert_eq!(links, expected);
}

#[test]
fn rows_of_a_key_make_one_record_wherever_they_are() {
    let sandbox = Sandbox::new();
    let file = sandbox.write(
        "links.csv",
        "GTIN,Lot,Link type,URL,Title,Languages,Valid from,Main link\n\
         9506000134352,,Recipes,https://example.com/r,Recipes,\"en, fr\",2026-05-01,\n\
         0614141000036,,Product page,https://example.com/c,,de,,\n\
         /01/09506000134352,,,,,,,\n\
         9506000134352,A/1,traceability,https://example.com/t,Lot,,,\n\
         9506000134352,,gs1:pip,https://example.com/p,Tea,,,yes\n",
    );
    let report = import(&sandbox, &file, &[]).expect_status(1);
    assert!(
        report.stdout.contains(
            "links.csv:4: refused\n  cell A4: expected digits, found \"/01/09506000134352\""
        ),
        "{report:?}"
    );
    let records = records(&sandbox);
    let anchors: Vec<_> = records.iter().map(|record| record["anchor"].as_str().unwrap()).collect();
    assert_eq!(
        anchors,
        ["/01/00614141000036", "/01/09506000134352", "/01/09506000134352/10/A%2F1"]
    );
    assert_eq!(
        records[0]["links"][0]["title"], "Produktinformationen",
        "the title of the type, in the language of the link"
    );
    let types: Vec<_> = records[1]["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| link["linkType"].as_str().unwrap())
        .collect();
    assert_eq!(types, ["gs1:recipeInfo", "gs1:pip"]);
    assert_eq!(records[1]["links"][1]["href"], "https://example.com/p");
    assert_eq!(records[1]["links"][1]["default"], true);
    assert_eq!(records[1]["links"][0]["validFrom"], "2026-05-01T00:00:00Z");
    assert_eq!(
        records[2]["links"].as_array().unwrap().len(),
        1,
        "a lot has the default of its product"
    );
}

#[test]
fn faults_name_their_cells() {
    let sandbox = Sandbox::new();
    let file = sandbox.write(
        "links.csv",
        "GTIN\tLink type\tURL\tTitle\tLanguages\n\
         9.52E+12\tpip\thttps://example.com/a\tA\t\n\
         9506000134353\tpip\thttps://example.com/b\tB\t\n\
         9506000134352\tpip\texample.com/c\tC\ten,?\n\
         9506000134352\t\thttps://example.com/d\tD\t\n",
    );
    let report = import(&sandbox, &file, &[]).expect_status(1);
    for line in [
        "cell A2: \"9.52E+12\" has lost its last digits",
        "cell A3: check digit of 9506000134353 is 3, expected 2",
        "cell B5: expected a link type",
    ] {
        assert!(report.stdout.contains(line), "{line}: {}", report.stdout);
    }
    let file = sandbox
        .write("again.csv", "GTIN\tURL\tTitle\tLanguages\n9506000134352\texample.com/c\tC\ten,?\n");
    let report = import(&sandbox, &file, &["--format", "json"]).expect_status(1);
    let faults = &report.events_of("refused")[0]["faults"];
    let cells: Vec<_> =
        faults.as_array().unwrap().iter().map(|fault| fault["pointer"].as_str().unwrap()).collect();
    // The default link that is left out has the cells of the product page, whose faults are told
    // once.
    assert_eq!(cells, ["cell B2", "cell D2"], "{faults}");
    assert!(sandbox.export().is_empty());
}

#[test]
fn columns_are_mapped_by_hand_and_remembered() {
    let sandbox = Sandbox::new();
    let file =
        sandbox.write("list.csv", "Art.-Nr.|Web|EAN\n9506000134352|https://example.com/a|x\n");
    let unknown = sandbox.write("unknown.csv", "Art.-Nr.|Web|Preis\nx|y|z\n");
    let refused = import(&sandbox, &unknown, &[]).expect_status(2);
    assert!(refused.stderr.contains("found \"Art.-Nr.\", \"Web\", \"Preis\""), "{refused:?}");
    let guessed = import(&sandbox, &file, &[]).expect_status(1);
    let line = "column B \"Web\" is read as href, such as https://example.com/a";
    assert!(guessed.stdout.contains(line), "{guessed:?}");
    let memory = sandbox.path("columns.toml");
    let memory = memory.to_str().unwrap();
    let mapping = [
        "--column",
        "Art.-Nr.=gtin",
        "--column",
        "Web=Product page",
        "--column",
        "EAN=ignore",
        "--save-columns",
        memory,
    ];
    import(&sandbox, &file, &mapping).expect_status(0);
    let again = import(&sandbox, &file, &["--columns", memory]).expect_status(0);
    assert!(again.stdout.contains("unchanged: 1"), "{again:?}");
    let unknown = import(&sandbox, &file, &["--column", "Web=adress"]).expect_status(2);
    assert!(unknown.stderr.contains("no column is called \"adress\""), "{unknown:?}");
}

/// IN-9, PE-10: what was guessed, with a sample, and addresses that are not used.
#[test]
fn guesses_are_shown_and_saved() {
    let sandbox = Sandbox::new();
    let file = sandbox.write(
        "list.csv",
        "Liste 2026;;;\nArtikel (EAN);Bezeichnung;Seite DE;Shop\n9506000134352;Tee;https://example.com/de;https://example.com/shop\n",
    );
    let memory = sandbox.path("columns.toml");
    let report =
        import(&sandbox, &file, &["--dry-run", "--save-columns", memory.to_str().unwrap()])
            .expect_status(0);
    for line in [
        "column A \"Artikel (EAN)\" is read as gtin, such as 9506000134352",
        "column C \"Seite DE\" is read as gs1:pip (de), such as https://example.com/de",
        "warning: column D \"Shop\" has web addresses and is ignored",
    ] {
        assert!(report.stdout.contains(line), "{line}: {}", report.stdout);
    }
    assert!(!sandbox.data().exists());
    let saved = import(&sandbox, &file, &["--columns", memory.to_str().unwrap()]).expect_status(0);
    assert!(!saved.stdout.contains("is read as"), "{saved:?}");
    let again = import(&sandbox, &file, &["--format", "json"]).expect_status(0);
    let columns = &again.events_of("sheet")[0]["columns"];
    assert_eq!(columns[0]["sample"], "9506000134352");
    assert_eq!(
        (&columns[0]["is_guessed"], &columns[3]["has_unused_addresses"]),
        (&true.into(), &true.into())
    );
    assert_eq!(
        again.events_of("summary")[0]["unchanged"],
        1,
        "a guess and its memory are the same"
    );
}

/// PE-5: the report names both rows; an import is repeated with the option to confirm them.
#[test]
fn rows_about_different_products_are_confirmed() {
    let sandbox = Sandbox::new();
    let file = sandbox.write(
        "list.csv",
        "GTIN,Product name,Product page\n9506000134352,Tea,https://example.com/tea\n9506000134352,Coffee,https://example.com/coffee\n",
    );
    let refused = import(&sandbox, &file, &[]).expect_status(1);
    let line = "rows 2 and 3 have the same key and differ: \"Tea\" at \"https://example.com/tea\" and \"Coffee\" at \"https://example.com/coffee\"";
    assert!(refused.stdout.contains(line), "{refused:?}");
    assert!(sandbox.export().is_empty());
    let merged = import(&sandbox, &file, &["--merge-rows", "--verbose"]).expect_status(0);
    assert!(merged.stdout.contains(line), "{merged:?}");
    let record = &records(&sandbox)[0];
    assert_eq!(record["itemDescription"], "Tea");
    assert_eq!(record["links"][0]["href"], "https://example.com/tea");
}

#[test]
fn what_is_exported_as_a_sheet_comes_back() {
    let first = Sandbox::new();
    let file = first.write(
        "links.csv",
        "GTIN,Link type,URL,Title,Contexts\n9506000134352,pip,https://example.com/p,=1+1,\"a, b\"\n9506000134352,license,https://example.com/l,'@x,\n",
    );
    import(&first, &file, &[]).expect_status(0);
    let exported = first.export();
    for (format, language) in [("csv", "ja"), ("xlsx", "ar")] {
        let sheet = first.path(&format!("export.{format}"));
        let data = first.data();
        let output = fingerpost()
            .args(["export", "--format", format, "--language", language, "--data"])
            .arg(&data)
            .stdout(std::fs::File::create(&sheet).unwrap())
            .status();
        assert!(output.unwrap().success());
        let second = Sandbox::new();
        // The name of a file says nothing.
        let renamed = second.path("records.json");
        std::fs::copy(&sheet, &renamed).unwrap();
        import(&second, &renamed, &[]).expect_status(0);
        assert_eq!(second.export(), exported, "{format}");
    }
    let workbook = first.path("export.xlsx");
    let report = import(&first, &workbook, &["--sheet", "Links"]).expect_status(0);
    assert!(report.stdout.contains("XLSX, sheet \"Links\", one row for each link"), "{report:?}");
    let refused = import(&first, &workbook, &["--sheet", "Other"]).expect_status(2);
    assert!(
        refused.stderr.contains("the workbook has no sheet \"Other\": found \"Links\""),
        "{refused:?}"
    );
    let broken = first.path("broken.xlsx");
    let bytes = std::fs::read(&workbook).unwrap();
    std::fs::write(&broken, &bytes[..bytes.len() / 2]).unwrap();
    assert!(import(&first, &broken, &[]).expect_status(2).stderr.contains("cannot be unpacked"));
}

#[test]
fn a_template_is_filled_in_and_not_overwritten() {
    let sandbox = Sandbox::new();
    let file = sandbox.path("products.xlsx");
    let arguments = [
        OsStr::new("export"),
        OsStr::new("--language"),
        OsStr::new("fr"),
        OsStr::new("--template"),
        file.as_os_str(),
    ];
    run(arguments).expect_status(0);
    let report = import(&sandbox, &file, &[]).expect_status(0);
    assert!(
        report.stdout.contains("XLSX, sheet \"Products\", one row for each product\n"),
        "{report:?}"
    );
    assert!(report.stdout.contains("0 records accepted, none refused"), "{report:?}");
    let again = run(arguments).expect_status(2);
    assert!(again.stderr.contains("cannot write"), "{again:?}");
}
