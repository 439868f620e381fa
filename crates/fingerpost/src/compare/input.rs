//! What is compared: identifiers of a list, of an export or of a linkset, or the requests of an
//! access log.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use fingerpost_conform::{Job, logged};
use fingerpost_exchange::anchors;
use fingerpost_gs1::EntityKey;

use super::Compare;
use crate::failure::Failure;
use crate::import::resolver::list;
use crate::input_lines::Lines;
use crate::output::printable;

/// Jobs, read one by one.
pub(super) type Jobs = Box<dyn Iterator<Item = io::Result<Job>>>;

/// Opens the file of `--from` or `--shadow`; returns its name for messages, and the jobs in it.
pub(super) fn open(args: &Compare) -> Result<(String, Jobs), Failure> {
    let path = args.shadow.as_deref().or(args.from.as_deref()).unwrap_or(Path::new("-"));
    let name = printable(&path.to_string_lossy());
    let open = || -> io::Result<Jobs> {
        let input: Box<dyn Read> = match path.as_os_str() == "-" {
            true => Box::new(io::stdin()),
            false => Box::new(File::open(path)?),
        };
        let mut input = BufReader::new(input);
        let is_json = matches!(first(&mut input)?, Some(b'{' | b'['));
        Ok(match (args.shadow.is_some(), is_json) {
            (true, _) => Box::new(lines(input, logged)?),
            (false, true) => Box::new(anchors(input).map(|it| it.map(of_anchor))),
            (false, false) => Box::new(lines(input, of_line)?),
        })
    };
    let jobs = open().map_err(|error| unreadable(&name, &error))?;
    Ok((name, jobs))
}

/// Returns the failure for input that cannot be read.
pub(super) fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::advise(
        format!("cannot read `{name}`: {error}"),
        "give --from a list, an export or a linkset, or --shadow an access log",
    )
}

/// Returns the first byte that is not white space, and skips white space before it.
fn first(input: &mut impl BufRead) -> io::Result<Option<u8>> {
    while let [byte, ..] = *input.fill_buf()? {
        if !byte.is_ascii_whitespace() {
            return Ok(Some(byte));
        }
        input.consume(1);
    }
    Ok(None)
}

fn lines(
    input: impl BufRead,
    job: fn(&str) -> Job,
) -> io::Result<impl Iterator<Item = io::Result<Job>>> {
    let mut lines = Lines::new(input)?;
    let all = std::iter::from_fn(move || {
        lines.next().map(|line| Some(line?.trim().to_owned())).transpose()
    });
    let is_blank = |line: &io::Result<String>| line.as_ref().is_ok_and(String::is_empty);
    Ok(all.filter(move |line| !is_blank(line)).map(move |line| line.map(|line| job(&line))))
}

/// Returns the job for a line of a list.
fn of_line(line: &str) -> Job {
    let why = "lines without a valid identifier (`fingerpost check` says why)";
    let key = list::key(line);
    key.map_or_else(|_| Job::Skip(why.to_owned()), |key| Job::Identifier(format!("/{key}")))
}

/// Returns the job for a record.
fn of_anchor(anchor: Option<String>) -> Job {
    let Some(anchor) = anchor else {
        return Job::Skip("parts of the file that are not records".to_owned());
    };
    let key = match anchor.strip_prefix('/') {
        Some(path) => EntityKey::parse(path).ok(),
        None => list::key(&anchor).ok(),
    };
    let why =
        "records of company prefixes, any value or ranges (add identifiers of them as a list)";
    key.map_or_else(|| Job::Skip(why.to_owned()), |key| Job::Identifier(format!("/{key}")))
}
