//! `fingerpost follow`: brings the copy of a node up to date without serving it, or compares it
//! with the store that it follows.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use fingerpost_follow::{Comparison, Copier, FollowError, Step, verify};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD, NOTE, counted, printable};
use crate::shared_args::{Local, ReportFormat};
use fingerpost_server::following::Followed;

/// Exit status if the copy differs.
const DIFFERENT: u8 = 1;

/// How often a step is repeated that others made impossible.
const ATTEMPTS: u32 = 100;

#[derive(Debug, Args)]
#[command(after_help = "\
A node whose configuration has `url` in the table `store` answers scans from a copy of that store in its
data directory. `fingerpost serve` keeps the copy up to date; this command brings it up to date once, for
example before the first start.

With --verify, nothing is changed: digests of the copy and of the store are compared span by span, and
levels that differ are named, also while a server brings the copy up to date.
Exit status: 0 up to date, or the same; 1 not the same; 2 the store or the copy could not be used.

Examples:
  fingerpost follow --config fingerpost.toml --data /var/lib/fingerpost
  fingerpost follow --config fingerpost.toml --data /var/lib/fingerpost --verify")]
pub(crate) struct Follow {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Compare the copy with the store instead
    #[arg(long)]
    pub(crate) verify: bool,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

/// Runs `fingerpost follow`.
pub(crate) fn run(args: &Follow) -> Result<ExitCode, Failure> {
    let config = args.local.config.load()?;
    let data = args.local.data.as_deref().or(config.storage.data.as_deref());
    let followed = Followed::of(&config.source, data)?.ok_or_else(|| {
        Failure::advise(
            "no store to follow is configured",
            "set `url` in the table `store` of the configuration, or FINGERPOST_STORE_URL",
        )
    })?;
    let source = followed.source();
    if args.verify {
        let copy = config.open_directory(data)?;
        if !copy.copy_state()?.is_some_and(|state| state.is_complete()) {
            return Err(Failure::advise(
                format!("`{}` is not a complete copy", copy.location()),
                "copy the store first: `fingerpost follow`",
            ));
        }
        let found = verify(&*source, &copy).map_err(Failure::new)?;
        return report(&found, args.format);
    }
    let copy = Arc::new(config.create_directory(data)?);
    let copier = Copier::new(source, Arc::clone(&copy));
    let (mut rows, mut left) = (0, ATTEMPTS);
    loop {
        match copier.step() {
            Ok(Step::UpToDate { head }) => {
                let levels = copy.len()?;
                let mut out = output::stdout();
                match args.format {
                    ReportFormat::Json => {
                        let document =
                            json!({ "revision": head.number(), "levels": levels, "changed": rows });
                        writeln!(out, "{document}")?;
                    }
                    ReportFormat::Text => writeln!(
                        out,
                        "{GOOD}up to date{GOOD:#}: revision {head}, {}, of which {rows} were copied now",
                        counted(levels, "level")
                    )?,
                }
                out.flush()?;
                return Ok(ExitCode::SUCCESS);
            }
            Ok(Step::Begun) => {}
            Ok(
                Step::Filled { rows: some }
                | Step::Applied { rows: some, .. }
                | Step::Repaired { rows: some },
            ) => {
                rows += some;
            }
            Err(FollowError::Changed) if left > 0 => left -= 1,
            Err(error) => return Err(Failure::new(error)),
        }
    }
}

/// Writes the result of a comparison.
fn report(found: &Comparison, format: ReportFormat) -> Result<ExitCode, Failure> {
    let is_same = found.different == 0;
    let mut out = output::stdout();
    match format {
        ReportFormat::Json => {
            let named = found.differences.iter().map(
                |difference| json!({ "key": difference.level, "difference": difference.kind }),
            );
            let document = json!({
                "same": is_same,
                "levels": found.levels,
                "spans": found.spans,
                "different": found.different,
                "differences": named.collect::<Vec<_>>(),
            });
            writeln!(out, "{document}")?;
        }
        ReportFormat::Text => {
            for difference in &found.differences {
                writeln!(
                    out,
                    "{ERROR}/{}{ERROR:#}: {}",
                    printable(&difference.level),
                    difference.kind
                )?;
            }
            let (levels, spans) = (counted(found.levels, "level"), counted(found.spans, "span"));
            if is_same {
                writeln!(out, "{GOOD}the same{GOOD:#}: {levels} in {spans}")?;
            } else {
                let different = counted(found.different, "level");
                writeln!(out, "{ERROR}not the same{ERROR:#}: {different} of {levels}")?;
                writeln!(
                    out,
                    "  {NOTE}help{NOTE:#}: if no server brings this copy up to date, run `fingerpost follow` first; to copy \
                     everything again, delete the data directory of the node"
                )?;
            }
        }
    }
    out.flush()?;
    Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
}
