//! The progress bar, on a terminal only.

use std::io::{self, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::shared_args::ReportFormat;

/// Number of times per second that the bar is drawn.
const DRAWS_PER_SECOND: u8 = 10;

/// A bar on standard error, if that is a terminal and the report is text; else nothing.
#[derive(Clone, Debug)]
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Creates a bar over `total` bytes to read, or a counter only if the sizes are not known.
    pub(super) fn new(total: Option<u64>, format: ReportFormat) -> Self {
        let target = match format {
            ReportFormat::Text => ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND),
            ReportFormat::Json => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(total, target);
        Self(bar.with_style(style(match total {
            Some(_) => "reading {bar:30} {percent:>3} %  {binary_bytes_per_sec}  {eta} left",
            None => "reading {spinner} {bytes}  {binary_bytes_per_sec}",
        })))
    }

    /// Adds bytes that were read.
    pub(super) fn read(&self, bytes: u64) {
        self.0.inc(bytes);
    }

    /// Begins a bar over the records to store.
    pub(super) fn begin_writing(&self, records: u64) {
        self.0.reset();
        self.0.set_length(records);
        self.0.set_style(style(
            "writing {bar:30} {percent:>3} %  {human_pos} of {human_len} records  {per_sec}  {eta} left",
        ));
    }

    /// Sets the number of records that are stored or left out.
    pub(super) fn written(&self, records: u64) {
        self.0.set_position(records);
    }

    /// Prints to standard output while the bar is hidden. Ignores errors: the reader has closed the
    /// report.
    pub(super) fn print(&self, text: &str) {
        self.0.suspend(|| {
            let mut out = anstream::AutoStream::auto(io::stdout().lock());
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        });
    }

    /// Removes the bar.
    pub(super) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates are constant")
}
