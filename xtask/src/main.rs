//! Development tasks, run as `cargo xtask TASK`. Nothing here is shipped.
//!
//! Checks have the same names in continuous integration and on the command line; `.ci/run` calls
//! these.

#![forbid(unsafe_code)]

mod book;
mod check;
mod circles;
mod conformance;
mod generate;
mod guides;
mod layers;
mod names;
mod promises;
mod rust_source;
mod sample;
mod test;
mod words;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TASK

tasks:
  check                        run the checks that apply to what differs from the main branch
  book [--html FOLDER]         fail when a page is no chapter of the book, or a link in the Markdown, or in the built book, leads nowhere
  generate [--check]           write the generated tables, or fail when they are not up to date
  guides [PAGE...]             run the commands of README and of the book as they stand there
  layers                       fail when a crate imports upwards or lacks its guards against unsafe code
  conformance [--check]        write docs/reference/conformance*.md, or fail when they are not up to date
  names                        fail when two public types share a name without being one idea
  promises                     fail when a row of the limits or of the threat model names no existing test
  test [ARGUMENTS...]          build the tests of the workspace and run their programs side by side; arguments of cargo test
  words                        fail where wording that readers stumble over is used, and print better
  sample-records N             print N sample GTINs with their links as JSON Lines, for measurements
  sample-requests N COUNT uniform|zipf
                               print COUNT request paths over the same N GTINs";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<(), String> {
    match words {
        ["book"] => book::run(),
        ["book", "--html", folder] => book::run_html(folder),
        ["book", "preprocess", words @ ..] => book::preprocess(words),
        ["check"] => check::run(),
        ["generate"] => generate::run(false),
        ["generate", "--check"] => generate::run(true),
        ["guides", pages @ ..] => guides::run(pages),
        ["layers"] => layers::run(),
        ["conformance"] => conformance::run(false),
        ["conformance", "--check"] => conformance::run(true),
        ["names"] => names::run(),
        ["promises"] => promises::run(),
        ["test", arguments @ ..] => test::run(arguments),
        ["words"] => words::run(),
        ["sample-records", count] => sample::records(number(count)?),
        ["sample-requests", entities, count, traffic] => {
            sample::requests(number(entities)?, number(count)?, traffic)
        }
        _ => Err(USAGE.to_owned()),
    }
}

fn number(text: &str) -> Result<u32, String> {
    match text.replace('_', "").parse() {
        Ok(0) | Err(_) => Err(format!("expected a number above 0, found {text:?}")),
        Ok(value) => Ok(value),
    }
}
