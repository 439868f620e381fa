//! `fingerpost serve`: starts the server, and prints its addresses, warnings and notes.

mod accounts;
mod demo;

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueHint};
use fingerpost_registry::Registry;
use fingerpost_server::config::Overrides;
use fingerpost_server::{Bound, Notice, Opened, Start, Starting, now};

use crate::failure::Failure;
use crate::output::{self, NOTE, WARNING};
use crate::shared_args::ConfigFile;
use accounts::DemoAccount;
use demo::Demo;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fingerpost serve --demo
  fingerpost serve --config fingerpost.toml --data /var/lib/fingerpost --listen 0.0.0.0:8080
  fingerpost serve --config fingerpost.toml --data data --listen [::]:443 \\
      --tls-cert chain.pem --tls-key key.pem

The addresses in use are printed as `listening on http://ADDR:PORT`, also for port 0, followed by
the address of the admin listener as `admin listening on http://ADDR:PORT`. Create the first account
for it with `fingerpost admin create`.")]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) config: ConfigFile,
    /// Data directory; created if missing [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[arg(conflicts_with = "demo")]
    pub(crate) data: Option<PathBuf>,
    /// Address to listen on; port 0 selects a free port; can be repeated [default: from the
    /// configuration, or 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub(crate) listen: Vec<SocketAddr>,
    /// Certificate chain (PEM); reloaded when the file changes
    #[arg(long, value_name = "FILE", requires = "tls_key", value_hint = ValueHint::FilePath)]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Private key (PEM) of the certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert", value_hint = ValueHint::FilePath)]
    pub(crate) tls_key: Option<PathBuf>,
    /// Serve HTTPS with a temporary self-signed certificate, for testing
    #[arg(long, conflicts_with_all = ["tls_cert", "tls_key"])]
    pub(crate) tls_self_signed: bool,
    /// Address of the admin listener; port 0 selects a free port; can be repeated [default: from
    /// the configuration, or 127.0.0.1:8081]
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub(crate) admin_listen: Vec<SocketAddr>,
    /// Form of log lines [default: from the configuration, or text]
    #[arg(long, value_name = "FORMAT", value_parser = ["text", "json"])]
    pub(crate) log_format: Option<String>,
    /// Disable the admin listener
    #[arg(long, conflicts_with = "admin_listen")]
    pub(crate) no_admin: bool,
    /// Serve sample data from a temporary directory and print links to try
    #[arg(long)]
    pub(crate) demo: bool,
}

/// Parses an address to listen on; `localhost` is 127.0.0.1.
fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").map(str::parse);
    let parsed = match port {
        Some(port) => port.ok().map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port))),
        None => text.parse().ok(),
    };
    let expected = "expected an IP address with a port, such as 127.0.0.1:8080, or 0.0.0.0:8080 for all networks";
    parsed.ok_or_else(|| expected.to_owned())
}

/// Runs `fingerpost serve`; returns when the server has stopped.
pub(crate) fn run(args: Serve) -> Result<ExitCode, Failure> {
    let flags = Overrides {
        listen: args.listen,
        tls_cert: args.tls_cert,
        tls_key: args.tls_key,
        tls_self_signed: args.tls_self_signed,
        admin_listen: args.admin_listen,
        no_admin: args.no_admin,
        log_format: args.log_format,
        examples: if args.demo { demo::EXAMPLES.to_vec() } else { Vec::new() },
        ..Overrides::default()
    };
    // A demo beside a configuration is still a demo.
    let file = if args.demo { args.config.given() } else { args.config.path() };
    if let (Some(file), None) = (file, args.config.given()) {
        output::print_aside(format_args!("{NOTE}note{NOTE:#}: reading {}", file.display()));
    }
    let start = Start { file: file.map(Path::to_owned), flags, is_demo: args.demo, notice: print };
    let starting = Starting::new(start, now())?;
    let demo = if args.demo { Some(Demo::new()?) } else { None };
    let data = match &demo {
        Some(demo) => demo.path(),
        None => {
            warn(starting.warnings());
            starting.config().data(args.data.as_deref())?
        }
    };
    let data = data.to_owned();
    let opened = Opened::new(starting, data)?;
    if let Some(demo) = &demo {
        let options = fingerpost_admin::registry_options(&opened.config().admin);
        demo.load(Registry::new(opened.store().clone(), options))?;
    } else if opened.is_empty()? {
        note_empty(opened.data());
    }
    let bound = Bound::new(opened)?;
    let account = match (bound.registry(), &demo) {
        (Some(registry), Some(_)) => Some(accounts::create_demo(registry)?),
        (Some(registry), None) => accounts::note_missing(registry, bound.data()).map(|()| None)?,
        (None, _) => None,
    };
    bound.run(|bound| announce(bound, demo.as_ref(), account.as_ref()))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints one stable line per address, for programs that start the server, then the links to try.
fn announce(
    bound: &Bound,
    demo: Option<&Demo>,
    account: Option<&DemoAccount>,
) -> Result<(), Failure> {
    let scheme = if bound.is_tls() { "https" } else { "http" };
    let mut out = Vec::new();
    for address in bound.public_addrs() {
        writeln!(out, "listening on {scheme}://{address}")?;
    }
    for address in bound.redirect_addrs() {
        writeln!(out, "redirecting to https from http://{address}")?;
    }
    let urls = bound.admin_urls();
    for url in &urls {
        writeln!(out, "admin listening on {url}")?;
    }
    for address in bound.metrics_addrs() {
        writeln!(out, "metrics at http://{address}/metrics")?;
    }
    if let (Some(demo), Some(address)) = (demo, bound.public_addrs().first()) {
        demo.invite(&mut out, scheme, *address, urls.first().zip(account))?;
    }
    let mut stdout = output::stdout();
    // A closed output is no reason not to serve.
    let _ = stdout.write_all(&out).and_then(|()| stdout.flush());
    Ok(())
}

/// Prints what the server reports beside its addresses. A closed output is no reason to stop it.
fn print(notice: Notice<'_>) {
    let _ = match notice {
        Notice::CheckingAfterCrash(data) => writeln!(
            anstream::stderr(),
            "{NOTE}note{NOTE:#}: the last server on `{}` was killed or crashed: checking every page of the store first",
            data.display()
        ),
        Notice::AdminListening(url) => {
            let mut out = output::stdout();
            writeln!(out, "admin listening on {url}").and_then(|()| out.flush())
        }
    };
}

fn warn(warnings: impl Iterator<Item = String>) {
    let mut err = anstream::stderr().lock();
    for warning in warnings {
        let _ = writeln!(err, "{WARNING}warning{WARNING:#}: {warning}");
    }
}

fn note_empty(data: &Path) {
    let data = data.display();
    let mut err = anstream::stderr().lock();
    let _ = writeln!(
        err,
        "{NOTE}note{NOTE:#}: the data directory `{data}` is empty: every identifier is unknown until \
         `fingerpost import --data {data} FILE`, which may run while the server does"
    );
}
