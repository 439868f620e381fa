//! The console in the languages of its readers.

use serde_json::json;

use super::installation::{Installation, KEY, record, sign_in};
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
        installation.go(&browser, screen);
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
