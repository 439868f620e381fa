//! Spreadsheets in the console, by somebody who knows nothing of JSON.

use std::time::{Duration, Instant};

use fingerpost_testkit::PATIENCE;

use super::installation::Installation;
use super::session::{Browser, Person};
use crate::support::gtin;

/// As many products as a small brand has.
const PRODUCTS: u32 = 200;

/// The titles of the template with a row for each product, and a row for each product below them.
fn sheet(wrong: Option<u32>) -> String {
    let mut rows = "GTIN,Item description,Product page,Instructions\r\n".to_owned();
    for number in 0..PRODUCTS {
        let mut key = gtin(number);
        if wrong == Some(number) {
            let last = key.pop().and_then(|digit| digit.to_digit(10)).expect("a digit");
            key.push_str(&((last + 1) % 10).to_string());
        }
        rows += &format!(
            "{key},Tea {number},https://brand.example/tea/{number},https://brand.example/tea/{number}.pdf\r\n"
        );
    }
    rows
}

pub(super) fn choose(browser: &Browser, installation: &Installation, name: &str, contents: &str) {
    let file = installation.sandbox.write(name, contents);
    browser.find("#import-file").type_in(file.to_str().expect("text"));
}

/// From a spreadsheet with a fault to products that redirect, in six clicks: to the page, two
/// files, two checks, and the import.
#[test]
fn two_hundred_products_of_a_spreadsheet_are_imported_in_six_clicks() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.open("spreadsheet", Person::AT_A_DESK) else { return };
    let begin = Instant::now();
    super::installation::sign_in(&browser);
    browser.find("#nav-import");
    browser.script("window.clicks = 0; addEventListener('click', (event) => { if (event.isTrusted) window.clicks += 1; }, true)");
    browser.find("#nav-import").click();
    browser.find("#import-file");
    browser.picture("page");
    browser.expect_accessible();
    choose(&browser, &installation, "products.csv", &sheet(Some(100)));
    browser.find("#import-check").click();
    // The cell and its fault in words, before anything is changed.
    browser.wait_for_text("Some records cannot be imported");
    browser.picture("checked");
    browser.expect_accessible();
    let fault = browser.script("return [...document.querySelectorAll('#import-faults tbody td')].map((cell) => cell.innerText)");
    let (cell, words) = (fault[0].as_str().unwrap_or(""), fault[1].as_str().unwrap_or(""));
    assert_eq!(cell, "A102", "{fault}");
    assert!(words.starts_with("Check digit of 0952") && words.contains("expected"), "{words}");
    let counts = browser.script("return document.getElementById('import-counts').innerText");
    let counts = counts.as_str().unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(counts, "199 new 1 refused");
    assert_eq!(installation.sandbox.export(), "", "a check changes nothing");

    choose(&browser, &installation, "corrected.csv", &sheet(None));
    browser.find("#import-check").click();
    browser.wait_for_text("All records are valid");
    browser.find("#import-go").click();
    browser.wait_for_text("Imported");
    browser.picture("imported");
    browser.expect_accessible();
    // The two choices of a file are clicks that a driver does without.
    let clicks = browser.script("return window.clicks").as_u64().expect("a number") + 2;
    assert!(clicks <= 6, "{clicks} clicks");
    assert!(begin.elapsed() < 2 * PATIENCE, "{:?}", begin.elapsed());
    browser.expect_no_complaints();
    for number in 0..PRODUCTS {
        let answer = installation.get(&format!("/01/{}", gtin(number)));
        let location = format!("https://brand.example/tea/{number}");
        assert_eq!((answer.status, answer.header("location")), (307, Some(location)));
    }
}

/// Titles of a list that nobody made for this: what they mean is chosen, shown, and remembered for
/// the next file.
#[test]
fn columns_are_corrected_and_remembered() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.enter("columns", Person::WITH_A_PHONE) else { return };
    installation.go(&browser, "import");
    // The first column holds paths, which say nothing by themselves.
    let list = "Art. no.;Web;Price\n/01/09506000134352;https://brand.example/tea;3.50\n";
    choose(&browser, &installation, "list.csv", list);
    browser.find("#import-check").click();
    browser.wait_for_text("The file cannot be checked");
    browser.find("#column-A");
    browser.picture("unknown");
    browser.expect_accessible();
    browser.expect_no_sideways_scrolling();
    browser.find("#column-A").choose("anchor");
    browser.find("#column-B").choose("gs1:pip");
    // PE-6: a language can be given for a column.
    browser.find("#column-B-language").choose("fr-CA");
    browser.picture("chosen");
    browser.find("#import-again").click();
    browser.wait_for_text("All records are valid");
    browser.picture("valid");
    browser.expect_accessible();
    browser.expect_no_sideways_scrolling();
    // The next file with these titles.
    choose(&browser, &installation, "next.csv", &list.replace("tea", "green-tea"));
    browser.find("#import-check").click();
    browser.wait_for_text("All records are valid");
    browser.find("#import-go").click();
    browser.wait_for_text("Imported");
    let export = installation.sandbox.export();
    assert!(export.contains("https://brand.example/green-tea"), "{export}");
    assert!(export.contains(r#""hreflang":["fr-CA"]"#), "{export}");
    // The browser logs the answer to the first check, which was a refusal.
    browser.expect_no_complaints_but(&["/v1/imports"]);
}

/// IN-9, IN-10, PE-6, PE-10: a list that nobody made for this, imported by a person who maps
/// nothing: to the page, a file, the check, and the import. What was understood is shown with a
/// sample, and remembered once the import confirms it.
#[test]
fn two_hundred_products_of_a_list_are_imported_without_mapping() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.open("list", Person::AT_A_DESK) else { return };
    super::installation::sign_in(&browser);
    browser.find("#nav-import");
    browser.script("window.clicks = 0; addEventListener('click', (event) => { if (event.isTrusted) window.clicks += 1; }, true)");
    let mut list =
        "Sortiment Herbst;;;;\r\nArtikelnummer (EAN);Bezeichnung;Produktseite;Seite FR;Shop\r\n"
            .to_owned();
    for number in 0..PRODUCTS {
        let page = format!("https://brand.example/tea/{number}");
        list += &format!("{};Tee {number};{page};{page}/fr;{page}/shop\r\n", gtin(number));
    }
    browser.find("#nav-import").click();
    choose(&browser, &installation, "sortiment.csv", &list);
    browser.find("#import-check").click();
    browser.wait_for_text("All records are valid");
    browser.wait_for_text("Column E Shop contains web addresses and is not used");
    let columns = browser.script("return document.getElementById('import-columns').innerText");
    let columns = columns.as_str().unwrap_or("");
    for words in ["recognized by its cells", &gtin(0), "Tee 0", "https://brand.example/tea/0/fr"] {
        assert!(columns.contains(words), "{words}: {columns}");
    }
    browser.picture("checked");
    browser.expect_accessible();
    browser.find("#import-go").click();
    browser.wait_for_text("Imported");
    // The choice of a file is a click that a driver does without.
    let clicks = browser.script("return window.clicks").as_u64().expect("a number") + 1;
    assert!(clicks <= 6, "{clicks} clicks");
    let memory = browser.script("return localStorage.getItem('columns')");
    let memory = memory.as_str().unwrap_or("");
    assert!(memory.contains(r#""Artikelnummer (EAN)":"gtin""#), "{memory}");
    assert!(memory.contains(r#""Seite FR":"gs1:pip (fr)""#), "{memory}");
    // The same file again: what is remembered means the same.
    choose(&browser, &installation, "again.csv", &list);
    browser.find("#import-check").click();
    browser.wait_for_text("200 unchanged");
    browser.expect_no_complaints();
    for number in 0..PRODUCTS {
        let answer = installation.get(&format!("/01/{}", gtin(number)));
        let location = format!("https://brand.example/tea/{number}");
        assert_eq!((answer.status, answer.header("location")), (307, Some(location)));
    }
    let export = installation.sandbox.export();
    assert!(export.contains(r#""itemDescription":"Tee 7""#), "{export}");
}

/// PE-5: two rows about different products are shown, and imported as one only after a click.
#[test]
fn rows_about_different_products_are_confirmed() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.enter("conflict", Person::AT_A_DESK) else { return };
    installation.go(&browser, "import");
    let list = "GTIN,Product name,Product page\n9506000134352,Tea,https://brand.example/tea\n9506000134352,Coffee,https://brand.example/coffee\n";
    choose(&browser, &installation, "list.csv", list);
    browser.find("#import-check").click();
    browser.wait_for_text("Some rows have the same number and different products");
    browser.wait_for_text("Rows 2 and 3 have the same key and differ");
    browser.picture("shown");
    browser.expect_accessible();
    browser.find("#import-merge").click();
    browser.wait_for_text("All records are valid");
    browser.find("#import-go").click();
    browser.wait_for_text("Imported");
    assert!(installation.sandbox.export().contains("https://brand.example/tea"));
    browser.expect_no_complaints();
}

/// The rows that are refused, as a file; the templates and exports, as files.
#[test]
fn files_are_handed_out() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.enter("files", Person::AT_A_DESK) else { return };
    installation.go(&browser, "import");
    browser.script("window.taken = []; HTMLAnchorElement.prototype.click = function () { window.taken.push([this.getAttribute('href'), this.download]); }");
    choose(&browser, &installation, "products.csv", &sheet(Some(3)));
    browser.find("#import-check").click();
    browser.wait_for_text("Some records cannot be imported");
    browser.find("#import-save").click();
    browser.find("#templates").click();
    browser.find("#template-language").choose("de");
    browser.find("#template-links").click();
    browser.picture("templates");
    browser.expect_accessible();
    browser.wait_until("the template is taken", "return window.taken.length === 2");
    browser.find("#export-format").choose("csv");
    browser.find("#export-language").choose("fr");
    browser.find("#export").click();
    browser.wait_until("the export is taken", "return window.taken.length === 3");
    let taken = browser.script("return window.taken");
    assert_eq!(taken[0][1], "refused-rows.csv");
    assert_eq!(taken[1][0], "/v1/export/template?layout=links&language=de");
    assert_eq!(taken[2][0], "/v1/export?format=csv&language=fr");
    for address in [&taken[1][0], &taken[2][0]] {
        let body = format!(
            "const x = new XMLHttpRequest(); x.open('GET', {address}, false); x.send(); return [x.status, x.getResponseHeader('content-disposition')]"
        );
        let found = browser.script(&body);
        assert_eq!(found[0], 200, "{address}: {found}");
        assert!(found[1].as_str().is_some_and(|name| name.starts_with("attachment")), "{found}");
    }
    browser.expect_no_complaints();
}

/// A long import shows what it does and how far it is, and ends on demand; what is registered
/// stays.
#[test]
fn a_long_import_shows_its_progress_and_can_be_stopped() {
    // Ten transactions. The server imports with a low priority, so on a busy machine each takes
    // seconds.
    const ROWS: u32 = 10_000;
    let installation = Installation::new("");
    let Some(mut browser) = installation.enter("stopped", Person::AT_A_DESK) else { return };
    installation.go(&browser, "import");
    let mut rows = "GTIN,Web address\n".to_owned();
    rows.extend((0..ROWS).map(|number| format!("{},https://brand.example/p\n", gtin(number))));
    choose(&browser, &installation, "many.csv", &rows);
    browser.script(
        "window.stages = new Set(); new MutationObserver(() => window.stages.add( \
         document.getElementById('import-said')?.textContent)).observe(document.body, \
         { subtree: true, childList: true, characterData: true })",
    );
    browser.find("#import-check").click();
    browser.wait_for_text("All records are valid");
    let stages = browser.script("return [...window.stages].join()").to_string();
    assert!(stages.contains("Checking …") && !stages.contains("Writing"), "{stages}");
    browser.find("#import-go").click();
    let rate = "document.getElementById('import-rate').innerText";
    browser.wait_until("writing begins", &format!("return /of 10,000 records/.test({rate})"));
    // From here on the server runs for moments only: it would end the import while the page is
    // looked at.
    browser.wait_until_after(
        "some records are written",
        || {
            installation.freeze(false);
            std::thread::sleep(Duration::from_millis(50));
            installation.freeze(true);
        },
        &format!("return /^[1-9][0-9,]* of 10,000 records/.test({rate})"),
    );
    browser.picture("progress");
    browser.expect_accessible();
    browser.find("#import-stop").click();
    browser.wait_for_text("records were imported and are kept");
    browser.picture("stopped");
    browser.expect_accessible();
    installation.freeze(false);
    // The transaction that was running may end after that.
    let count = || installation.sandbox.export().lines().count();
    let mut before = count();
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let now = count();
        if now == before {
            break;
        }
        before = now;
    }
    assert!((1..ROWS as usize).contains(&before), "{before}");
    browser.expect_no_complaints();
}

/// An address without `https://` is told with it.
#[test]
fn an_address_without_a_scheme_is_suggested_with_one() {
    let installation = Installation::new("");
    let Some(browser) = installation.enter("scheme", Person::AT_A_DESK) else { return };
    installation.go(&browser, "import");
    let row = format!("GTIN,Web address\n{},www.brand.example/tea\n", gtin(1));
    choose(&browser, &installation, "scheme.csv", &row);
    browser.find("#import-check").click();
    browser.wait_for_text("did you mean https://www.brand.example/tea?");
    browser.expect_no_complaints();
}
