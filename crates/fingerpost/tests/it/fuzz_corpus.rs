//! Replays the committed corpus of every fuzz target through the functions that the targets call,
//! so that what fuzzing once found stays found with a stable toolchain.

use std::fs;
use std::path::Path;

#[expect(unreachable_pub, reason = "the fuzz targets use these as a library")]
#[path = "../../../../fuzz/src/bodies.rs"]
mod bodies;

/// Feeds every file of a corpus to the body of its target.
fn replay(target: &str, body: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut count = 0;
    for file in fs::read_dir(&folder).expect("the corpus is committed") {
        let path = file.expect("the corpus can be listed").path();
        let input = fs::read(&path).expect("the corpus can be read");
        // The name of the input is shown when the body panics.
        println!("{}", path.display());
        body(&input);
        count += 1;
    }
    assert!(count > 0, "expected a corpus in {}, found none", folder.display());
}

#[test]
fn digital_link() {
    replay("digital_link", bodies::digital_link);
}

#[test]
fn compressed() {
    replay("compressed", bodies::compressed);
}

#[test]
fn element_string() {
    replay("element_string", bodies::element_string);
}

#[test]
fn accept_language() {
    replay("accept_language", bodies::accept_language);
    replay("accept_language", bodies::accept_language_once);
}

#[test]
fn record() {
    replay("record", bodies::record);
}

#[test]
fn uri() {
    replay("uri", bodies::uri);
}

#[test]
fn epc() {
    replay("epc", bodies::epc);
}

#[test]
fn urn() {
    replay("urn", bodies::urn);
}

#[test]
fn sheet_csv() {
    replay("sheet_csv", bodies::sheet_csv);
}

#[test]
fn sheet_xlsx() {
    replay("sheet_xlsx", bodies::sheet_xlsx);
}

#[test]
fn split() {
    replay("split", bodies::split);
}

#[test]
fn backup() {
    replay("backup", bodies::backup);
}
