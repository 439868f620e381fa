//! The code of the console and its texts, read by `texts.mjs` with a parser of JavaScript and the
//! language data of node.

mod type_words;

use std::path::Path;

use serde_json::{Map, Value};

use crate::npm;

/// Every text of the console is in `data/texts/console` and is used, every key in the code exists,
/// and each language has its plural forms and its direction of writing.
#[test]
fn the_console_shows_texts_of_its_languages_only() {
    let Some(folder) = npm::install("console", "the texts of the console") else { return };
    let texts = Value::Object(texts());
    let console = concat!(env!("CARGO_MANIFEST_DIR"), "/console");
    let check = |code: &str, texts: &Value| {
        npm::run("node", &["texts.mjs", code], &folder, &texts.to_string())
            .expect("the script runs")
    };
    assert_eq!(check(console, &texts), "");

    let mut wrong = texts.clone();
    wrong["en"]["common"]["surplus"] = "Not used".into();
    wrong["ar"]["direction"] = "ltr".into();
    wrong["ja"]["common"]["counted"] = serde_json::json!({ "one": "1" });
    let code = tempfile::tempdir().expect("a folder");
    let line = "h('p', { class: 'soft note' }, t('common.absent'), 'word', `Delete ${name} now`);";
    std::fs::write(code.path().join("a.js"), line).expect("written");
    let found = check(&code.path().to_string_lossy(), &wrong);
    for expected in [
        "a.js:1: there is no text common.absent",
        "a.js:1: \"word\" belongs into data/texts/console",
        "a.js:1: \"Delete \" belongs into data/texts/console",
        "common.surplus is not used",
        "ar: the direction is rtl",
        "ja: common.counted has no form \"other\"",
        "ja: common.counted has a form \"one\", which the language has not",
    ] {
        assert!(found.lines().any(|line| line == expected), "no {expected:?} in\n{found}");
    }
    assert!(!found.contains("soft note"), "{found}");
}

/// Returns the files of texts by their language.
fn texts() -> Map<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/texts/console");
    let files = std::fs::read_dir(folder).expect("the folder of texts");
    let read = |file: std::io::Result<std::fs::DirEntry>| {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("readable");
        let language = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (language, toml::from_str(&text).expect("TOML"))
    };
    files.map(read).collect()
}
