//! `fingerpost privacy-statement`: what the server keeps about scans, for visitors.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use fingerpost_server::privacy;

use crate::failure::Failure;
use crate::output;
use crate::shared_args::ConfigFile;

#[derive(Debug, Args)]
#[command(after_help = "\
The text says what a server with this configuration keeps about scans, and for how long. It can be part of a
privacy notice, such as `brand.privacy` in the configuration; it does not cover proxies and logs of others.

Example:
  fingerpost privacy-statement --language fr")]
pub(crate) struct PrivacyStatement {
    #[command(flatten)]
    pub(crate) config: ConfigFile,
    /// Language: ar, de, en, es, fr, ja or pt
    #[arg(long, value_name = "TAG", default_value = "en")]
    pub(crate) language: String,
}

/// Runs `fingerpost privacy-statement`.
pub(crate) fn run(args: &PrivacyStatement) -> Result<ExitCode, Failure> {
    let config = args.config.load()?;
    let Some(text) = privacy::statement(&config, &args.language) else {
        let known: Vec<_> = privacy::languages().collect();
        return Err(Failure::advise(
            "there is no privacy statement in this language",
            format!("give --language with one of {}", known.join(", ")),
        ));
    };
    let mut out = output::stdout();
    writeln!(out, "{text}")?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
