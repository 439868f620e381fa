//! Ctrl-C during an import: ends it where exactly what is reported as stored is stored.

use std::io::Write;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use fingerpost_http::on_interrupt;

use crate::failure::Failure;
use crate::output::{NOTE, counted};

/// Exit status after Ctrl-C, as of a program that SIGINT has killed.
pub(crate) const INTERRUPTED: u8 = 130;

const READING: u8 = 0;
const WRITING: u8 = 1;
const STOPPING: u8 = 2;

/// What the import does at the moment; shared with the thread that waits for the signal.
#[derive(Clone, Debug)]
pub(super) struct Stage(Arc<AtomicU8>);

impl Stage {
    /// Begins to listen for Ctrl-C.
    pub(super) fn listen() -> Result<Self, Failure> {
        let stage = Self(Arc::new(AtomicU8::new(READING)));
        let shared = stage.clone();
        on_interrupt(move || shared.interrupt()).map_err(|error| {
            Failure::advise(
                format!("cannot install a signal handler: {error}"),
                "raise the limits of processes and open files (ulimit)",
            )
        })?;
        Ok(stage)
    }

    /// Ends the program while nothing is stored, even if it waits for input, and at the second
    /// Ctrl-C; else asks for the end.
    fn interrupt(&self) {
        match self.0.swap(STOPPING, Ordering::SeqCst) {
            READING => {
                // A closed standard error must not keep the program from ending.
                let _ = write!(anstream::stderr(), "{}", message(0));
                process::exit(INTERRUPTED.into());
            }
            WRITING => {}
            _ => process::exit(INTERRUPTED.into()),
        }
    }

    /// Notes that records are going to be stored; returns whether the import may go on.
    pub(super) fn begin_writing(&self) -> bool {
        let begun = self.0.compare_exchange(READING, WRITING, Ordering::SeqCst, Ordering::SeqCst);
        begun.is_ok()
    }

    /// Returns whether Ctrl-C was pressed.
    pub(super) fn is_stopping(&self) -> bool {
        self.0.load(Ordering::SeqCst) == STOPPING
    }
}

/// Returns the message after Ctrl-C.
pub(super) fn message(stored: u64) -> String {
    let stored = match stored {
        0 => "nothing was stored".to_owned(),
        stored => format!("{} stored", counted(stored, "record")),
    };
    format!(
        "{NOTE}interrupted{NOTE:#}: {stored}; run the same command again for the rest, records already stored are left alone\n"
    )
}
