//! Standard output and standard error: colours on a terminal only and according to `NO_COLOR`.

use std::fmt::Display;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use fingerpost_server::Failure;
pub(crate) use fingerpost_server::text::{counted, printable, push_printable};
use serde_json::Value;
use tempfile::NamedTempFile;

/// `error:` and the marks under a fault.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// `warning:`.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// `valid`, and counts of what was accepted.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Names, headings and the important parts of a line.
pub(crate) const STRONG: Style = Style::new().bold();
/// `help:` and other side notes.
pub(crate) const NOTE: Style = AnsiColor::Cyan.on_default();

/// Number of bytes collected before they are passed to the operating system.
const BUFFER: usize = 64 * 1024;

/// Buffered standard output.
pub(crate) type Stdout = BufWriter<AutoStream<StdoutLock<'static>>>;

/// Returns buffered standard output, which removes colour codes unless it is a terminal.
pub(crate) fn stdout() -> Stdout {
    BufWriter::with_capacity(BUFFER, AutoStream::auto(io::stdout().lock()))
}

/// Creates a file in the folder of another one, which it can replace in one step.
pub(crate) fn file_beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))
}

/// Returns JSON that standard output does not change: it removes a DEL as if it were part of a
/// colour code, so that the character is escaped, as other control characters are.
pub(crate) fn json_text(value: &Value) -> String {
    value.to_string().replace('\u{7f}', "\\u007f")
}

/// Writes a line to standard error. A closed standard error is not a reason to fail.
pub(crate) fn print_aside(line: impl Display) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// Writes `error: …` and the advice to standard error. A closed standard error is not a reason to
/// fail again.
pub(crate) fn print_failure(failure: &Failure) {
    let mut err = anstream::stderr().lock();
    let _ = writeln!(err, "{ERROR}error{ERROR:#}: {}", failure.what);
    if let Some(next) = &failure.next {
        let _ = writeln!(err, "  {NOTE}help{NOTE:#}: {next}");
    }
}
