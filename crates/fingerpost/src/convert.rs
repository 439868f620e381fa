//! `fingerpost convert`: an identifier in another form (EPC Tag Data Standard 2.3; GS1 Digital Link URI Syntax 1.4.1).

mod json;
mod prefixes;
mod write;

use std::io::{self, BufReader, Write};
use std::process::ExitCode;

use fingerpost_epc::{GcpLength, PrefixTable};

use crate::args::convert::{Convert, Target};
use crate::check::{Lines, MAX_LINE, unreadable};
use crate::failure::Failure;
use crate::uri_report::{Fault, status};

/// Bytes that are read and written at once.
const BLOCK: usize = 64 * 1024;

/// What is to be written, and what is known for it.
#[derive(Debug)]
struct Conversion<'a> {
    args: &'a Convert,
    length: GcpLength<'a>,
}

/// Carries out `fingerpost convert`.
///
/// # Errors
/// That an option is of no use, standard input cannot be read or the output not be written.
pub(crate) fn run(args: &Convert) -> Result<ExitCode, Failure> {
    if let Some(stem) = &args.stem {
        write::check_stem(stem)?;
    }
    let table = args.gcp_table.as_deref().map(prefixes::read).transpose()?;
    let conversion = Conversion { args, length: length(args, table.as_ref()) };
    // Nothing but what was asked for, and no colours: a plain block-buffered stream.
    let mut out = io::BufWriter::with_capacity(BLOCK, io::stdout().lock());
    let is_whole = match args.input.as_str() {
        "-" => conversion.stream(&mut out)?,
        input => conversion.one(input, &mut out)?,
    };
    out.flush()?;
    Ok(status(is_whole))
}

fn length<'a>(args: &Convert, table: Option<&'a PrefixTable>) -> GcpLength<'a> {
    match (args.gcp_length, table) {
        (Some(digits), _) => GcpLength::Digits(digits),
        (None, Some(table)) => GcpLength::Table(table),
        (None, None) => GcpLength::Unknown,
    }
}

impl Conversion<'_> {
    /// Converts the argument; nothing is written when it is refused.
    fn one(&self, input: &str, out: &mut impl Write) -> Result<bool, Failure> {
        let mut line = String::new();
        let converted = self.convert(input, &mut line);
        match &converted {
            Ok(()) => writeln!(out, "{line}")?,
            Err(fault) => tell(input, fault, ""),
        }
        Ok(converted.is_ok())
    }

    /// Converts the lines of standard input, each to one line.
    fn stream(&self, out: &mut impl Write) -> Result<bool, Failure> {
        let mut lines = Lines::new(BufReader::with_capacity(BLOCK, io::stdin().lock()));
        let (mut line, mut number, mut is_whole) = (String::new(), 0_u64, true);
        loop {
            // Whoever asks line by line waits for the answers.
            if lines.is_drained() {
                out.flush()?;
            }
            let Some(input) = lines.next().map_err(|error| unreadable(&error))? else { break };
            number += 1;
            line.clear();
            let converted = self.convert(input, &mut line);
            let is_cut = lines.is_cut();
            if is_cut || converted.is_err() {
                is_whole = false;
                line.clear();
                let of = format!("line {number}");
                match converted {
                    Err(fault) if !is_cut => tell(lines.line(), &fault, &of),
                    _ => tell("", &too_long(), &of),
                }
            }
            line.push('\n');
            out.write_all(line.as_bytes())?;
        }
        Ok(is_whole)
    }

    /// Appends the other form of `input` to `out`, which may hold a part of it when it is refused.
    fn convert(&self, input: &str, out: &mut String) -> Result<(), Fault> {
        // GS is no white space here: it begins raw data.
        let text = input.trim_ascii_start();
        let before = input.len() - text.len();
        let text = text.trim_ascii_end();
        let converted = match fingerpost_identify::read(text) {
            Ok((form, identifier)) => match self.args.to {
                Target::Json => {
                    json::push(self, text, form, &identifier, out);
                    Ok(())
                }
                to => self.write(to, &identifier, out).map_err(|fault| fault.about(0..text.len())),
            },
            Err(finding) => Err(Fault::from(finding)),
        };
        converted.map_err(|fault| fault.moved(before))
    }
}

fn too_long() -> Fault {
    Fault {
        code: "TOO_LONG",
        message: format!("expected a line of less than {MAX_LINE} bytes, found a longer one"),
        help: "put one identifier on each line".to_owned(),
        span: 0..0,
    }
}

/// A closed standard error is no reason to fail otherwise.
fn tell(input: &str, fault: &Fault, of: &str) {
    let _ = fault.write(input, of, &mut anstream::stderr().lock());
}
