//! A sheet of labels: one for each record of a file, page by page, in constant memory.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fingerpost_exchange::{ImportError, ImportSource, RecordPosition, SheetOptions, check};
use fingerpost_gs1::Options;
use fingerpost_identify::read_with;
use fingerpost_label::{Content, Label, LabelOptions, Length, Sheet, SheetLayout, Size};
use fingerpost_resolver::{Accepted, Refused, Rules};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use super::Paper;
use super::Wanted;
use super::one::unwritable;
use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD, NOTE, WARNING, counted, printable};
use crate::shared_args::ReportFormat;
use crate::uri_report::{status, warn};
use fingerpost_server::config::Config;

/// Writes a label for each record of `from`.
pub(super) fn run(
    wanted: &Wanted<'_>,
    config: &Config,
    path: &Path,
    from: &Path,
) -> Result<ExitCode, Failure> {
    let layout = layout(wanted)?;
    let name = printable(&from.to_string_lossy());
    let progress = progress(wanted.args.report);
    let stop = Arc::new(AtomicBool::new(false));
    let source = open(from, &name, &progress, &stop)?;
    let settings = config.public.settings();
    let rules = Rules::new(config.public.vocabulary())
        .with_context_values(settings.context_values())
        .with_default_by_record(settings.default_by_record())
        .with_roles(settings.roles());
    let out = Output::create(path)?;
    let sheet =
        Sheet::begin(layout, BufWriter::new(out)).map_err(|error| unwritable(path, &error))?;
    let mut job = Job {
        wanted,
        name: &name,
        options: LabelOptions { text_width: Some(layout.text_width()), ..wanted.options },
        sheet,
        progress: &progress,
        stop: &stop,
        failed: None,
        others: 0,
        refused: 0,
    };
    let read = check(source, &rules, &mut |position, record| job.take(position, record));
    progress.finish_and_clear();
    if let Some(error) = job.failed {
        return Err(unwritable(path, &error));
    }
    read.map_err(|error| unreadable(&name, &error))?;
    let (others, refused) = (job.others, job.refused);
    let (labels, pages) = job.sheet.counts();
    let finished = job.sheet.finish().and_then(|out| out.into_inner().map_err(Into::into));
    let finished = finished.and_then(|out: Output| out.keep(path));
    finished.map_err(|error| unwritable(path, &error))?;
    summary(wanted, path, labels, pages, others, refused)?;
    Ok(status(refused == 0))
}

fn layout(wanted: &Wanted<'_>) -> Result<SheetLayout, Failure> {
    let args = &wanted.args.sheets;
    let paper = match args.paper {
        Paper::A4 => Size::A4,
        Paper::Letter => Size::LETTER,
    };
    let none = (Length::default(), Length::default());
    let label = args.label.unwrap_or(Size::LABEL);
    SheetLayout::new(paper, label, args.gap.unwrap_or(none))
        .map_err(|error| Failure::advise(error, "give the size of a label as --label 50x30mm"))
}

fn open(
    from: &Path,
    name: &str,
    progress: &ProgressBar,
    stop: &Arc<AtomicBool>,
) -> Result<ImportSource<'static>, Failure> {
    let unusable = |error: &dyn std::fmt::Display| {
        let advice =
            "name a file of records (JSON Lines, JSON, linkset) or a spreadsheet (CSV, XLSX)";
        Failure::advise(format!("cannot read `{name}`: {}", printable(&error.to_string())), advice)
    };
    let stop = Arc::clone(stop);
    let (input, size): (Box<dyn Read + Send>, u64) = if from.as_os_str() == "-" {
        (Box::new(io::stdin()), 0)
    } else {
        let file = File::open(from).map_err(|error| unusable(&error))?;
        let size = file.metadata().map(|metadata| metadata.len()).unwrap_or_default();
        (Box::new(file), size)
    };
    progress.set_length(size);
    let input = progress.wrap_read(Stoppable { input, stop });
    // A label needs the key only, whatever its rows say of the product.
    let options = SheetOptions { merge_rows: true, ..SheetOptions::default() };
    ImportSource::recognise(name, input, &options).map_err(|error| unusable(&error))
}

/// An input that ends when nothing more can be written.
struct Stoppable {
    input: Box<dyn Read + Send>,
    stop: Arc<AtomicBool>,
}

impl Read for Stoppable {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) { Ok(0) } else { self.input.read(buffer) }
    }
}

/// Returns a bar on standard error, if that is a terminal and the report is text.
fn progress(report: ReportFormat) -> ProgressBar {
    let target = match report {
        ReportFormat::Text => ProgressDrawTarget::stderr_with_hz(10),
        ReportFormat::Json => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(None, target);
    let style = ProgressStyle::with_template("reading {bar:30} {percent:>3} %  {msg}  {eta} left");
    bar.with_style(style.expect("the template is constant"))
}

/// The work on one sheet.
struct Job<'a> {
    wanted: &'a Wanted<'a>,
    name: &'a str,
    options: LabelOptions,
    sheet: Sheet<BufWriter<Output>>,
    progress: &'a ProgressBar,
    stop: &'a AtomicBool,
    failed: Option<io::Error>,
    /// Records that are not about one key.
    others: u64,
    refused: u64,
}

impl Job<'_> {
    fn take(&mut self, position: RecordPosition, record: Result<Accepted, Refused>) {
        if self.failed.is_some() {
            return;
        }
        let accepted = match record {
            Ok(accepted) => accepted,
            Err(Refused { faults, .. }) => {
                let faults = faults.iter().map(|fault| {
                    let separator = if fault.pointer().is_empty() { "" } else { ": " };
                    format!("{}{separator}{}", fault.pointer(), fault.message())
                });
                return self.refuse(position, &faults.collect::<Vec<_>>());
            }
        };
        let Some(key) = accepted.entry.anchor().entity() else {
            self.others += 1;
            return;
        };
        let drawn = self.drawn(&format!("{}/{key}", self.wanted.root()));
        match drawn {
            Ok(label) => {
                if let Err(error) = self.sheet.add(&label) {
                    self.failed = Some(error);
                    self.stop.store(true, Ordering::Relaxed);
                }
                let (labels, pages) = self.sheet.counts();
                self.progress.set_message(format!("{labels} labels on {pages} pages"));
            }
            Err(fault) => self.refuse(position, &[fault]),
        }
    }

    fn drawn(&self, link: &str) -> Result<Label, String> {
        let address = self.wanted.address(true);
        // Records are not marks: what belongs together is not checked.
        let options = Options::new().requisites(false);
        let (_, identifier) = read_with(link, &options).map_err(|finding| finding.message)?;
        let content = Content::of(&identifier, self.wanted.kind, &address, &options);
        let label = content
            .and_then(|content| self.wanted.draw(&content, self.options, &identifier, &options))
            .map_err(|finding| match finding.help.as_str() {
                "" => finding.message,
                help => format!("{}: {help}", finding.message),
            })?;
        self.sheet.check(&label).map_err(|error| {
            format!("{error}: give a larger --label or a smaller --x-dimension, or --no-text")
        })?;
        Ok(label)
    }

    fn refuse(&mut self, position: RecordPosition, faults: &[String]) {
        self.refused += 1;
        let RecordPosition { line, record, .. } = position;
        let name = self.name;
        // A closed standard output is not a reason to write no sheet; standard error has it if the
        // sheet is on standard output.
        let text = match self.wanted.args.report {
            ReportFormat::Text => {
                let faults: Vec<String> =
                    faults.iter().map(|fault| format!("\n  {}", printable(fault))).collect();
                format!("{name}:{line}: {ERROR}refused{ERROR:#}{}", faults.concat())
            }
            ReportFormat::Json => {
                json!({"event": "refused", "file": name, "line": line, "record": record, "faults": faults})
                    .to_string()
            }
        };
        let is_standard = self.wanted.args.sheets.sheet.as_deref().is_some_and(is_dash);
        self.progress.suspend(|| {
            if is_standard {
                output::print_aside(&text);
            } else {
                let _ = writeln!(anstream::stdout().lock(), "{text}");
            }
        });
    }
}

fn unreadable(name: &str, error: &ImportError) -> Failure {
    let error = printable(&error.to_string());
    Failure::advise(format!("cannot read `{name}` to its end: {error}"), "no sheet was written")
}

fn summary(
    wanted: &Wanted<'_>,
    path: &Path,
    labels: u64,
    pages: u64,
    others: u64,
    refused: u64,
) -> io::Result<()> {
    let name = printable(&path.to_string_lossy());
    let mut out = output::stdout();
    let mut err = anstream::stderr().lock();
    let out: &mut dyn Write = if is_dash(path) { &mut err } else { &mut out };
    match wanted.args.report {
        ReportFormat::Json => writeln!(
            out,
            "{}",
            json!({
                "event": "summary", "file": name, "labels": labels, "pages": pages, "without_label": others,
                "refused": refused
            })
        )?,
        ReportFormat::Text => {
            let refused = match refused {
                0 => String::new(),
                number => format!(", {WARNING}{number} refused{WARNING:#}"),
            };
            let (labels, pages) = (counted(labels, "label"), counted(pages, "page"));
            writeln!(out, "{name}: {GOOD}{labels}{GOOD:#} on {pages}{refused}")?;
            if others > 0 {
                let others = counted(others, "record");
                writeln!(
                    out,
                    "{NOTE}note{NOTE:#}: {others} for ranges, any value or a company prefix without a label of their own"
                )?;
            }
            let is_default = wanted.args.root.is_none() && wanted.own_root.is_none();
            if is_default && wanted.kind.holds_uri() {
                let root = wanted.root();
                let mut text = Vec::new();
                warn(
                    "DEFAULT_ROOT",
                    &format!(
                        "the addresses begin with {root}, the default for examples: nobody can open them"
                    ),
                    &mut text,
                )?;
                out.write_all(&text)?;
                writeln!(
                    out,
                    "  {NOTE}help{NOTE:#}: give the address of your resolver with --root"
                )?;
            }
        }
    }
    out.flush()
}

/// Standard output, or a file that has its name when it is complete.
#[derive(Debug)]
enum Output {
    Standard(io::Stdout),
    File(tempfile::NamedTempFile),
}

impl Output {
    fn create(path: &Path) -> Result<Self, Failure> {
        if is_dash(path) {
            return Ok(Self::Standard(io::stdout()));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = tempfile::Builder::new()
            // As any new file: less what the mask of the process takes away.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder.unwrap_or(Path::new(".")));
        file.map(Self::File).map_err(|error| unwritable(path, &error))
    }

    fn keep(self, path: &Path) -> io::Result<()> {
        match self {
            Self::Standard(mut out) => out.flush(),
            Self::File(file) => file.persist(path).map(drop).map_err(|error| error.error),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(out) => out.write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(out) => out.flush(),
            Self::File(file) => file.flush(),
        }
    }
}

fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}
