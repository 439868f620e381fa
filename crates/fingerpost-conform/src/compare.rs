//! Compares the answers of two resolvers.
//!
//! ```text
//! job        an identifier, or a request of an access log
//! cases      what to request for an identifier: each link type, language, media type and context of its linkset
//! side       one resolver: sends a request to it at the rate of the run, follows redirects inside the resolver
//! judge      two answers → differences, each of a [`DifferenceKind`]
//! report     each kind of difference once, with its number and some examples
//! ```
//!
//! Requests are GET and HEAD only. The jobs of a batch are compared on several threads; a report
//! has whole batches, in the order of the jobs, so a run can continue from it.

mod access_log;
mod batch;
mod cases;
mod judge;
mod kind;
mod links;
mod report;
mod side;
mod target;

use std::collections::HashSet;
use std::io;

pub use self::access_log::logged;
pub use self::kind::{DifferenceKind, Effect};
pub use self::report::{AnswerDifference, CompareReport, Example};

use self::batch::Pair;
use self::side::Side;
use crate::limits::{BATCH_PER_THREAD, MAX_REMEMBERED};
use crate::message::{ConformOptions, WebRequest};

/// What to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// The path of an identifier, with a leading slash.
    Identifier(String),
    /// A request; its URL is the path and query.
    Request(WebRequest),
    /// Nothing, and why.
    Skip(String),
}

/// How two resolvers are compared.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// The address of the resolver that is in use, with its stem, and how it is reached.
    pub old: (String, ConformOptions),
    /// The other one.
    pub new: (String, ConformOptions),
    /// The number of requests at the same time to each resolver.
    pub concurrency: usize,
}

/// The reason why a comparison ended early.
#[derive(Debug)]
pub enum CompareError {
    /// The options or the earlier report cannot be used.
    Usage(String),
    /// The jobs cannot be read.
    Jobs(io::Error),
    /// A resolver did not answer several requests in succession.
    Silent(String),
    /// `progress` ended the comparison.
    Stopped,
}

/// Compares two resolvers. After each batch, `progress` gets the report so far; it returns whether
/// to continue. `report` is that of an earlier run with the same jobs, or a new one.
pub fn compare(
    options: CompareOptions,
    jobs: &mut dyn Iterator<Item = io::Result<Job>>,
    report: &mut CompareReport,
    progress: &mut dyn FnMut(&CompareReport) -> bool,
) -> Result<(), CompareError> {
    let roots = [options.old.0.clone(), options.new.0.clone()];
    let side = |(root, web): (String, ConformOptions)| Side::new(&root, web, &roots);
    let pair = Pair {
        old: side(options.old).map_err(CompareError::Usage)?,
        new: side(options.new).map_err(CompareError::Usage)?,
    };
    let threads = options.concurrency.max(1);
    let mut queue = Queue { jobs, seen: HashSet::new(), digest: 0 };
    queue.skip_done(report)?;
    report.is_complete = false;
    loop {
        let jobs = std::iter::from_fn(|| queue.next().transpose());
        let batch: Vec<_> = jobs.take(threads * BATCH_PER_THREAD).collect::<Result<_, _>>()?;
        if batch.is_empty() {
            report.is_complete = true;
            return Ok(());
        }
        let findings = pair.compare_all(&batch, threads).map_err(CompareError::Silent)?;
        findings.into_iter().for_each(|finding| report.add(finding));
        report.done += batch.len() as u64;
        report.digest = queue.digest;
        if !progress(report) {
            return Err(CompareError::Stopped);
        }
    }
}

/// The jobs that are left.
struct Queue<'j> {
    jobs: &'j mut dyn Iterator<Item = io::Result<Job>>,
    /// Digests of the requests so far.
    seen: HashSet<u64>,
    /// The digest of all jobs so far.
    digest: u64,
}

impl Queue<'_> {
    /// Skips the jobs of an earlier run.
    fn skip_done(&mut self, report: &CompareReport) -> Result<(), CompareError> {
        for _ in 0..report.done {
            self.next()?;
        }
        if self.digest == report.digest {
            return Ok(());
        }
        let what = "the earlier report is of other identifiers or requests than this input";
        Err(CompareError::Usage(what.to_owned()))
    }

    fn next(&mut self) -> Result<Option<Job>, CompareError> {
        let job = self.jobs.next().transpose().map_err(CompareError::Jobs)?;
        let Some(job) = job else { return Ok(None) };
        let text = format!("{job:?}");
        self.digest = report::digest(self.digest, text.as_bytes());
        if let Job::Request(_) = job {
            let digest = report::digest(0, text.as_bytes());
            if self.seen.contains(&digest) {
                return Ok(Some(Job::Skip("repeated requests".to_owned())));
            }
            if self.seen.len() < MAX_REMEMBERED {
                self.seen.insert(digest);
            }
        }
        Ok(Some(job))
    }
}
