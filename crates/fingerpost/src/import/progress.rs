//! The progress bar, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::ReportFormat;

/// Number of times per second that the bar is drawn.
const DRAWS_PER_SECOND: u8 = 10;

/// A bar on standard error, if that is a terminal and the report is text; else nothing.
#[derive(Debug)]
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Creates a bar over `total` bytes, or a counter only if the sizes are not known.
    pub(super) fn new(total: Option<u64>, format: ReportFormat) -> Self {
        let target = match format {
            ReportFormat::Text => ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND),
            ReportFormat::Json => ProgressDrawTarget::hidden(),
        };
        let template = match total {
            Some(_) => "{bar:30} {percent:>3} %  {msg}  {binary_bytes_per_sec}  {eta} left",
            None => "{spinner} {bytes}  {msg}  {binary_bytes_per_sec}",
        };
        let style = ProgressStyle::with_template(template).expect("the template is constant");
        let bar = ProgressBar::with_draw_target(total, target).with_style(style);
        Self(bar)
    }

    /// Adds bytes that were read, and sets the number of records stored so far.
    pub(super) fn advance(&self, bytes: u64, stored: u64) {
        if !self.0.is_hidden() {
            self.0.set_message(format!("{stored} records"));
            self.0.inc(bytes);
        }
    }

    /// Hides the bar while `write` prints lines.
    pub(super) fn pause<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }

    /// Removes the bar.
    pub(super) fn clear(&self) {
        self.0.finish_and_clear();
    }
}
