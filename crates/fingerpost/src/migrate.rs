//! `fingerpost migrate`: moves a store with its history, audit log and accounts to a database, or
//! back to a directory.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use fingerpost_engine::{Engine, Table};
use fingerpost_postgres::DatabaseAddress;
use fingerpost_store::{Store, StoreOptions};

use crate::failure::Failure;
use crate::output::{self, GOOD, NOTE, WARNING};
use crate::shared_args::ConfigFile;
use fingerpost_server::database;

/// Rows between two lines about the progress.
const STEP: u64 = 1_000_000;

#[derive(Debug, Args)]
#[command(after_help = "\
Copies every row with history, audit log and accounts, in key order, and compares digests of both sides. Stop the
server first. Repeat the command after an interruption: what is there already is only compared. Nobody can
open the target before it is complete. The password comes from PGPASSWORD or PGPASSFILE.
Exit status: 0 migrated, 2 not complete.

Examples:
  fingerpost migrate --from /var/lib/fingerpost --to postgres://fingerpost@db.example.com/links
  fingerpost migrate --from postgres://fingerpost@db.example.com/links --to /var/lib/fingerpost")]
pub(crate) struct Migrate {
    /// Directory or postgres:// URL of the store
    #[arg(long, value_name = "PLACE")]
    pub(crate) from: String,
    /// Directory or postgres:// URL to move it to; created if missing
    #[arg(long, value_name = "PLACE")]
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) config: ConfigFile,
}

/// Runs `fingerpost migrate`.
pub(crate) fn run(args: &Migrate) -> Result<ExitCode, Failure> {
    let config = args.config.load()?;
    let options = config.store_options();
    let from = source(&args.from, options)?;
    let mut reported = 0;
    let progress = |rows: u64| {
        if rows / STEP > reported {
            reported = rows / STEP;
            let _ = writeln!(anstream::stderr(), "{NOTE}copied{NOTE:#}: {rows} rows");
        }
    };
    let (to, report) = match StoreLocation::parse(&args.to)? {
        StoreLocation::Directory(dir) => from.migrate_to(dir, options, progress)?,
        StoreLocation::Database(address) => {
            from.migrate_into(database::engine(&address)?, progress)?
        }
    };
    let mut out = output::stdout();
    let rows = report.rows();
    writeln!(out, "{GOOD}migrated{GOOD:#}: {rows} rows to {}", to.location())?;
    for table in report.tables() {
        writeln!(out, "  {:<9} {:>10} {}", table.name(), table.rows(), table.digest())?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Where a store is.
enum StoreLocation<'a> {
    Directory(&'a Path),
    Database(Box<DatabaseAddress>),
}

impl<'a> StoreLocation<'a> {
    fn parse(text: &'a str) -> Result<Self, Failure> {
        if !database::is_address(text) {
            return Ok(Self::Directory(Path::new(text)));
        }
        if fingerpost_uri::hide_password(text) != *text {
            let mut err = anstream::stderr();
            let _ = writeln!(
                err,
                "{WARNING}warning{WARNING:#}: other users of this machine can read the password in the command line: leave it out, and \
                 set PGPASSWORD, or PGPASSFILE to a file with it"
            );
        }
        let address = database::parse(text)?;
        Ok(Self::Database(Box::new(address)))
    }
}

/// Opens a store that exists.
fn source(location: &str, options: StoreOptions) -> Result<Store, Failure> {
    let address = match StoreLocation::parse(location)? {
        StoreLocation::Directory(dir) => return Ok(Store::open_existing(dir, options)?),
        StoreLocation::Database(address) => address,
    };
    let engine = database::engine(&address)?;
    if engine.snapshot()?.count(Table::Meta)? == 0 {
        return Err(Failure::advise(
            format!("no store in `{address}`"),
            "check the name of the database and the schema",
        ));
    }
    Ok(Store::over(engine)?)
}
