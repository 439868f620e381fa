//! The console in the languages of its readers.

use serde_json::json;

use super::installation::{Installation, KEY, record, sign_in, switch};
use super::session::{Browser, Person};

/// The screens that people see most.
const SCREENS: [&str; 16] = [
    "records",
    "new",
    "record/01/09506000134352",
    "history/01/09506000134352",
    "recall/01/09506000134352",
    "successor/01/09506000134352",
    "preview/01/09506000134352",
    "recalls",
    "import",
    "changes",
    "approvals",
    "keys",
    "users",
    "audit",
    "account",
    "status",
];

/// Finds what a person sees that is not in the language of the page: names of texts, placeholders
/// that were not filled in, and English texts that have a translation. Texts of the server are
/// marked as English.
const LEFTOVERS: &str = r"
    const texts = (tag) => { const ask = new XMLHttpRequest(); ask.open('GET', `/console/texts/${tag}.json`, false); ask.send(); return JSON.parse(ask.responseText); };
    const english = texts('en'), own = texts(document.documentElement.lang), foreign = new Map(), kept = new Set();
    for (const [table, all] of Object.entries(english)) for (const [name, text] of Object.entries(all)) {
      if (typeof text !== 'string' || typeof all === 'string' || text.includes('{')) continue;
      if (own[table][name] === text) kept.add(text); else foreign.set(text, `${table}.${name}`);
    }
    const raw = new RegExp(`^(${Object.keys(english).join('|')})\\.[a-z][a-z_-]+$`);
    const found = [];
    const look = (text) => {
      const trimmed = text.trim();
      if (raw.test(trimmed) || /\{[a-z]+\}/.test(trimmed)) found.push(trimmed);
      if (foreign.has(trimmed) && !kept.has(trimmed)) found.push(`${trimmed} is ${foreign.get(trimmed)}`);
    };
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) if (!walk.currentNode.parentElement.closest('[lang=en], code, pre, option[lang]')) look(walk.currentNode.data);
    for (const node of document.querySelectorAll('[aria-label], [placeholder], [title], [data-label]')) for (const name of ['aria-label', 'placeholder', 'title', 'data-label']) look(node.getAttribute(name) ?? '');
    return found;";

#[track_caller]
fn expect_only_its_language(browser: &Browser, tag: &str, screen: &str) {
    let direction = if tag == "ar" { "rtl" } else { "ltr" };
    let expected = json!([tag, direction]);
    let found = browser.script("const d = document.documentElement; return [d.lang, d.dir]");
    assert_eq!(found, expected, "{tag}: {screen}");
    if tag != "en" {
        assert_eq!(browser.script(LEFTOVERS), json!([]), "{tag}: {screen}");
    }
    browser.expect_no_sideways_scrolling();
}

/// PE-12: link types are found by everyday words of the reader's language.
#[test]
fn link_types_are_found_by_everyday_words() {
    let installation = Installation::new("");
    let Some(browser) = installation.open("type-words", Person::AT_A_DESK.reading("de")) else {
        return;
    };
    sign_in(&browser);
    browser.find("#new-record");
    installation.go(&browser, "new");
    browser.find("#add-link").click();
    for (word, link_type) in [
        ("Gutschein", "gs1:promotion"),
        ("Herkunft", "gs1:traceability"),
        ("coupon", "gs1:promotion"),
    ] {
        browser.find("#type-search").fill(word);
        let left = "[...document.querySelectorAll('#type-list button.type')].filter((one) => one.offsetParent).map((one) => one.dataset.type).join()";
        browser.wait_until(word, &format!("return {left} === '{link_type}'"));
    }
    browser.expect_no_complaints();
}

/// PE-23: labels of the chart "Over time" stay within it, names within their bars, and the button
/// of the search is one line.
#[test]
fn charts_and_buttons_have_room_in_arabic_and_japanese() {
    let link = |name: &str, from: &str, until: &str| {
        json!({"linkType": "gs1:pip", "href": "https://brand.example/c", "title": name,
            "default": true, "validFrom": from, "validUntil": until})
    };
    for (name, tag, title) in [
        ("room-ar", "ar", "عصير القيقب الكندي الأصيل في عبوة زجاجية كبيرة"),
        ("room-ja", "ja", "夏の特別キャンペーンのご案内とプレゼント応募のページ"),
    ] {
        let mut item: serde_json::Value =
            serde_json::from_str(&record(KEY, "https://brand.example/syrup", title)).expect("JSON");
        let links = item["links"].as_array_mut().expect("links");
        links.push(link(title, "2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z"));
        links.push(link(title, "2027-06-01T00:00:00Z", "2027-06-08T00:00:00Z"));
        let installation = Installation::new(&format!("[{item}]"));
        let Some(mut browser) = installation.enter(name, Person::AT_A_DESK.reading(tag)) else {
            return;
        };
        installation.go(&browser, "records");
        let lines = "const one = document.getElementById('search-button'); return one.getBoundingClientRect().height < 2.5 * parseFloat(getComputedStyle(one).fontSize) + 12";
        browser.find("#search-button");
        assert_eq!(browser.script(lines), true, "{tag}");
        installation.go(&browser, &format!("record/{KEY}"));
        browser.find("#timeline svg");
        let outside = browser.script(
            "const within = (one, whole) => { const [a, b] = [one, whole].map((it) => it.getBoundingClientRect()); return a.left >= b.left - 2 && a.right <= b.right + 2; };
             const all = [...document.querySelectorAll('#timeline svg text')];
             const chart = document.querySelector('#timeline svg');
             return [all.length > 4, all.filter((one) => !within(one, one.classList.contains('bar-text') ? one.parentNode.querySelector('rect') : chart)).map((one) => one.textContent)]",
        );
        assert_eq!(outside, json!([true, []]), "{tag}");
        browser.picture("chart");
        browser.expect_no_sideways_scrolling();
        browser.expect_no_complaints();
    }
}

/// PE-12: what is wrong with rows of a file is said in the reader's language; what the server says
/// in English is folded away.
#[test]
fn faults_of_a_file_are_in_the_language_of_the_reader() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.open("import-german", Person::AT_A_DESK.reading("de"))
    else {
        return;
    };
    sign_in(&browser);
    browser.find("#nav-import");
    let rows = [
        "09506000134353,gs1:pip,https://brand.example/a,A,,",
        "09506000134352,,https://brand.example/a,A,,",
        "09506000134369,gs1:pip,brand.example,A,,",
        "09506000134376,gs1:pip,https://brand.example/a,A,2026-13-01,",
        "09506000134383,gs1:pip,https://brand.example/a,A,,maybe",
        "09506000134390,gs1:nosuch,https://brand.example/a,A,,",
    ];
    let file =
        format!("GTIN,Link type,Web address,Title,Valid from,Main link\n{}\n", rows.join("\n"));
    installation.go(&browser, "import");
    super::import::choose(&browser, &installation, "fehler.csv", &file);
    browser.find("#import-check").click();
    browser.find("#import-faults");
    for text in [
        "Die Nummer dieser Zeile fehlt oder ist ungültig.",
        "Die Linkart fehlt.",
        "Das ist keine Adresse einer Webseite",
        "Das ist kein Datum wie 2026-05-31.",
        "Hier ist nur Ja oder Nein möglich.",
        "Diese Linkart kann nicht verwendet werden.",
    ] {
        browser.wait_for_text(text);
    }
    assert!(!browser.page_text().contains("expected"), "{}", browser.page_text());
    assert!(!browser.page_text().contains("Expected"), "{}", browser.page_text());
    browser.picture("faults");
    browser.expect_accessible();
    // A row without an address says so, not that it has no link.
    let file =
        "EAN;Bezeichnung;Produktseite;Webseite\n9506000134352;Tee;;https://brand.example/a\n";
    super::import::choose(&browser, &installation, "ohne.csv", file);
    browser.find("#import-check").click();
    browser.wait_for_text("Diese Zeile hat keine Webadresse in den verwendeten Spalten.");
}

/// Looks at every screen on a phone in the language that the browser asks for.
fn look_at_every_screen(name: &'static str, tag: &'static str) {
    let records = [record(KEY, "https://brand.example/syrup", "9506")];
    let installation = Installation::new(&format!("[{}]", records.join(",")));
    let Some(mut browser) = installation.open(name, Person::WITH_A_PHONE.reading(tag)) else {
        return;
    };
    browser.find("#sign-in");
    browser.picture("sign-in");
    expect_only_its_language(&browser, tag, "sign-in");
    browser.expect_accessible();
    sign_in(&browser);
    browser.find("#menu-button").click();
    browser.picture("menu");
    expect_only_its_language(&browser, tag, "menu");
    for screen in SCREENS {
        switch(&browser, screen);
        let part = screen.split('/').next().unwrap_or(screen);
        browser.picture(part);
        expect_only_its_language(&browser, tag, screen);
        if ["records", "record", "import", "users", "audit", "status"].contains(&part) {
            browser.expect_accessible();
        }
        browser.expect_no_complaints();
    }
}

#[test]
fn every_screen_in_english() {
    look_at_every_screen("language-en", "en");
}

#[test]
fn every_screen_in_arabic() {
    look_at_every_screen("language-ar", "ar");
}

#[test]
fn every_screen_in_german() {
    look_at_every_screen("language-de", "de");
}

#[test]
fn every_screen_in_spanish() {
    look_at_every_screen("language-es", "es");
}

#[test]
fn every_screen_in_french() {
    look_at_every_screen("language-fr", "fr");
}

#[test]
fn every_screen_in_japanese() {
    look_at_every_screen("language-ja", "ja");
}

#[test]
fn every_screen_in_portuguese() {
    look_at_every_screen("language-pt", "pt");
}

/// A language that is chosen stays, and what the server says is marked as English.
#[test]
fn a_language_is_chosen_and_remembered() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.open("language", Person::AT_A_DESK.reading("ja")) else {
        return;
    };
    let speaks = |browser: &Browser, tag: &str| {
        browser.wait_until(tag, &format!("return document.documentElement.lang === '{tag}' && !!document.getElementById('console-language')"));
    };
    browser.find("#sign-in");
    speaks(&browser, "ja");
    browser.find("#console-language").choose("de");
    speaks(&browser, "de");
    sign_in(&browser);
    browser.find("#new-record");
    installation.go(&browser, "new");
    speaks(&browser, "de");
    // The check of the server is in German, with its own words beside it.
    browser.find("#key").fill("9506000134353");
    browser.wait_for_text("Prüfziffer");
    browser.wait_until(
        "the words of the server are marked",
        "return document.querySelector('#key-error [lang=en]').innerText.includes('expected 2')",
    );
    browser.picture("wrong-digit");
    browser.expect_accessible();
    // What is chosen is also taken over another choice, without a new sign-in.
    browser.find("#console-language").choose("ar");
    speaks(&browser, "ar");
    browser.find("#key");
    browser.picture("arabic");
    browser.expect_accessible();
    browser.expect_no_complaints();
}
