//! `fingerpost serve`: opens the store, says what there is to say, and hands over to the server library.

mod demo;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use fingerpost_server::{Config, LogConfig, LogFormat, Overrides, ServeError, Server, Shutdown};
use fingerpost_store::{EmbeddedStore, StoreOptions};
use tracing_subscriber::EnvFilter;

use crate::args;
use crate::config;
use crate::failure::Failure;
use crate::output::{self, NOTE, WARNING};
use demo::Demo;

/// Carries out `fingerpost serve`; returns when the server was told to stop.
///
/// # Errors
/// That the configuration, the store, the certificate or the address cannot be used.
pub(crate) fn run(args: args::Serve) -> Result<ExitCode, Failure> {
    let flags = Overrides {
        listen: args.listen,
        tls_cert: args.tls_cert,
        tls_key: args.tls_key,
        tls_self_signed: args.tls_self_signed,
        ..Overrides::default()
    };
    let config = config::load_with(args.config.as_deref(), &flags)?;
    start_log(config.log())?;
    let demo = if args.demo { Some(Demo::new()?) } else { None };
    if demo.is_none() {
        warn(&config);
    }
    let data = match (&demo, &args.data) {
        (Some(demo), _) => demo.path(),
        (None, Some(data)) => data,
        (None, None) => return Err(Failure::new("neither --data nor --demo was given")),
    };
    let options =
        StoreOptions::default().map_size(config.map_size()).cache_bytes(config.cache_bytes());
    let store = EmbeddedStore::open(data, options)?;
    match &demo {
        Some(_) => Demo::load(&store, &config)?,
        None if store.is_empty()? => say_empty(data),
        None => {}
    }
    let server = Server::bind(config, store).map_err(cannot_serve)?;
    announce(&server, demo.as_ref())?;
    server.run(&Shutdown::on_signals()).map_err(cannot_serve)?;
    Ok(ExitCode::SUCCESS)
}

/// One stable line per address, for programs that start us, then the links to try.
fn announce(server: &Server<EmbeddedStore>, demo: Option<&Demo>) -> Result<(), Failure> {
    let scheme = if server.is_tls() { "https" } else { "http" };
    let mut out = output::stdout();
    for address in server.local_addrs() {
        writeln!(out, "listening on {scheme}://{address}")?;
    }
    for address in server.redirect_addrs() {
        writeln!(out, "redirecting to https from http://{address}")?;
    }
    if let (Some(demo), Some(address)) = (demo, server.local_addrs().first()) {
        demo.invite(&mut out, scheme, *address)?;
    }
    out.flush()?;
    Ok(())
}

fn warn(config: &Config) {
    let mut err = anstream::stderr().lock();
    for warning in config.warnings() {
        let _ = writeln!(err, "{WARNING}warning{WARNING:#}: {warning}");
    }
}

fn say_empty(data: &Path) {
    let data = data.display();
    let mut err = anstream::stderr().lock();
    let _ = writeln!(
        err,
        "{NOTE}note{NOTE:#}: the data directory `{data}` is empty: every identifier is unknown until \
         `fingerpost import --data {data} FILE`, which may run while the server does"
    );
}

fn start_log(log: &LogConfig) -> Result<(), Failure> {
    let filter = EnvFilter::try_new(&log.level).map_err(|error| {
        Failure::advise(
            format!("log.level `{}`: {error}", log.level),
            "use error, warn, info, debug or trace",
        )
    })?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    // A second start in one process (tests) keeps the first log.
    let _ = match log.format {
        LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
    Ok(())
}

fn cannot_serve(error: ServeError) -> Failure {
    let next = match &error {
        ServeError::Bind { error, .. } => match error.kind() {
            io::ErrorKind::AddrInUse => {
                "choose another address with --listen; port 0 takes a free one"
            }
            io::ErrorKind::PermissionDenied => {
                "ports below 1024 need a privilege: choose one above, or grant CAP_NET_BIND_SERVICE"
            }
            _ => "give --listen an address of this machine, such as 127.0.0.1:8080",
        },
        ServeError::Tls(_) => "check the files given with --tls-cert and --tls-key",
        _ => return Failure::new(error),
    };
    Failure::advise(error, next)
}
