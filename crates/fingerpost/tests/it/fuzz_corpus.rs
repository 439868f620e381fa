//! Runs the body of every fuzz target, with the stable toolchain and without libFuzzer: with the
//! committed corpus, so that what fuzzing once found stays found, and with changed inputs of it.

use std::fs;
use std::path::Path;

use fingerpost_testkit::cases;
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof};
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;

#[expect(unreachable_pub, reason = "the fuzz targets use these as a library")]
#[path = "../../../../fuzz/src/bodies.rs"]
mod bodies;

/// Changed inputs for each target.
const CASES: u32 = 10_000;

/// The same for spreadsheets, each of which takes ten times as long.
const CASES_OF_SHEETS: u32 = 2_000;

/// A change of an input. Positions are drawn before the length of the input is known.
#[derive(Clone, Debug)]
enum Change {
    Set(Index, u8),
    Insert(Index, u8),
    Remove(Index, usize),
    /// Adds a part again, at the end.
    Repeat(Index, usize),
    /// Goes on with the end of another input.
    Cross(Index, Vec<u8>, Index),
}

impl Change {
    fn apply(self, input: &mut Vec<u8>) {
        let end = input.len() + 1;
        let range = |at: Index, length| at.index(end)..input.len().min(at.index(end) + length);
        match self {
            Self::Set(at, byte) => {
                input.iter_mut().skip(at.index(end)).take(1).for_each(|old| *old = byte);
            }
            Self::Insert(at, byte) => input.insert(at.index(end), byte),
            Self::Remove(at, length) => drop(input.drain(range(at, length))),
            Self::Repeat(at, length) => input.extend_from_within(range(at, length)),
            Self::Cross(at, other, from) => {
                input.truncate(at.index(end));
                input.extend(other.iter().skip(from.index(other.len() + 1)));
            }
        }
    }
}

/// Draws inputs of a corpus, each with a few changes.
fn changed(corpus: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let input = select(corpus);
    // Most targets read texts.
    let byte = prop_oneof![7 => 0..128_u8, 1 => any::<u8>()];
    let (at, length) = (any::<Index>, 1..64_usize);
    let change = prop_oneof![
        (at(), byte.clone()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (at(), byte).prop_map(|(at, byte)| Change::Insert(at, byte)),
        (at(), length.clone()).prop_map(|(at, length)| Change::Remove(at, length)),
        (at(), length).prop_map(|(at, length)| Change::Repeat(at, length)),
        (at(), input.clone(), at()).prop_map(|(at, other, from)| Change::Cross(at, other, from)),
    ];
    (input, vec(change, 1..6)).prop_map(|(mut input, changes)| {
        changes.into_iter().for_each(|change| change.apply(&mut input));
        input
    })
}

/// Runs the body of a target with every file of its corpus; returns these.
fn replay(target: &str, body: fn(&[u8])) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let files = fs::read_dir(&folder).expect("the corpus is committed");
    let mut paths: Vec<_> =
        files.map(|file| file.expect("the corpus can be listed").path()).collect();
    assert!(!paths.is_empty(), "expected a corpus in {}, found none", folder.display());
    // Folders list their files in any order; the same ones are changed in every run.
    paths.sort();
    let inputs = paths.iter().map(|path| {
        let input = fs::read(path).expect("the corpus can be read");
        // The name of the input is shown when the body panics.
        println!("{}", path.display());
        body(&input);
        input
    });
    inputs.collect()
}

/// Does the same, and runs the body with changed files.
fn run(target: &str, body: fn(&[u8]), usual: u32) {
    let changed = changed(replay(target, body));
    let config = ProptestConfig {
        cases: cases(usual),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let result = TestRunner::new(config).run(&changed, |input| {
        body(&input);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{target}: {error}");
    }
}

#[test]
fn digital_link() {
    run("digital_link", bodies::digital_link, CASES);
}

#[test]
fn compressed() {
    run("compressed", bodies::compressed, CASES);
}

#[test]
fn element_string() {
    run("element_string", bodies::element_string, CASES);
}

#[test]
fn accept_language() {
    replay("accept_language", bodies::accept_language);
    run("accept_language", bodies::accept_language_once, CASES);
}

#[test]
fn record() {
    run("record", bodies::record, CASES);
}

#[test]
fn uri() {
    run("uri", bodies::uri, CASES);
}

#[test]
fn epc() {
    run("epc", bodies::epc, CASES);
}

#[test]
fn urn() {
    run("urn", bodies::urn, CASES);
}

#[test]
fn sheet_csv() {
    run("sheet_csv", bodies::sheet_csv, CASES_OF_SHEETS);
}

#[test]
fn sheet_xlsx() {
    run("sheet_xlsx", bodies::sheet_xlsx, CASES_OF_SHEETS);
}

#[test]
fn split() {
    run("split", bodies::split, CASES);
}

#[test]
fn backup() {
    run("backup", bodies::backup, CASES);
}
