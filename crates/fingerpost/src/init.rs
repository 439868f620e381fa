//! `fingerpost init`: a configuration that explains itself and a first record, to begin with.

use std::fs::OpenOptions;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueHint};
use fingerpost_resolver::ResolverRoot;
use fingerpost_server::config;

use crate::failure::Failure;
use crate::output::{self, NOTE, STRONG, printable};

#[derive(Debug, Args)]
#[command(after_help = "\
Existing files are left alone: the command then writes nothing.

Examples:
  fingerpost init
  fingerpost init --resolver-root https://id.example.org resolver")]
pub(crate) struct Init {
    /// Folder for the files; created if missing
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,
    /// Address below which all links of the resolver live [default: asked for]
    #[arg(long, value_name = "URL")]
    pub(crate) resolver_root: Option<String>,
}

/// The beginning of the configuration.
const HEAD: &str = "\
# Configuration of fingerpost. Every setting is listed: a line that begins with `#` and a key shows the default,
# or an example. Remove the `#` of what you change, and that of the table which it belongs to, such as `#[limits]`.

";

/// A record of a product that does not exist: its number is reserved by GS1 for examples.
const RECORD: &str = r#"{"anchor": "/01/09520123456788", "itemDescription": "Example product", "links": [
  {"linkType": "gs1:defaultLink", "href": "https://example.com/product", "title": "Product page"},
  {"linkType": "gs1:pip", "href": "https://example.com/product", "title": "Product page", "hreflang": ["en"]}]}
"#;

/// Runs `fingerpost init`.
pub(crate) fn run(args: &Init) -> Result<ExitCode, Failure> {
    let root = match &args.resolver_root {
        Some(root) => root.clone(),
        None => ask()?,
    };
    let root = ResolverRoot::parse(root.trim().trim_end_matches('/')).map_err(|error| {
        Failure::advise(
            format!("`{}` cannot be the address of a resolver: {error}", printable(&root)),
            "name the beginning of all links, such as https://id.example.org",
        )
    })?;
    let files = [("fingerpost.toml", configuration(&root)), ("products.json", RECORD.to_owned())];
    if let Some((name, _)) = files.iter().find(|(name, _)| args.dir.join(name).exists()) {
        let path = args.dir.join(name);
        return Err(Failure::advise(
            format!("`{}` exists already; nothing was written", printable(&path.to_string_lossy())),
            "name another folder, or move the file away",
        ));
    }
    std::fs::create_dir_all(&args.dir).map_err(|error| unwritable(&args.dir, &error))?;
    for (name, content) in &files {
        write(&args.dir.join(name), content)?;
    }
    explain(&args.dir)?;
    Ok(ExitCode::SUCCESS)
}

fn ask() -> Result<String, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::advise(
            "expected the address of the resolver, found nothing",
            "give it: fingerpost init --resolver-root https://id.example.org",
        ));
    }
    let mut err = io::stderr().lock();
    write!(err, "Address of the resolver, such as https://id.example.org: ")?;
    err.flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line)
}

/// Returns every setting with its explanation; the root and the data directory are set.
fn configuration(root: &ResolverRoot) -> String {
    let mut text = HEAD.to_owned();
    for line in config::example().lines() {
        let key = line.strip_prefix('#').and_then(|line| line.split_once(" = "));
        match key {
            Some(("resolver_root", _)) => text.push_str(&set("resolver_root", root.as_str())),
            Some(("data", _)) => text.push_str(&set("data", "data")),
            // An empty table can be one that has no effect, which is warned of.
            _ if line.starts_with('[') => text.extend(["#", line]),
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

fn set(key: &str, value: &str) -> String {
    format!("{key} = {}", toml::Value::from(value))
}

/// Writes a file that must not exist.
fn write(path: &Path, content: &str) -> Result<(), Failure> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(content.as_bytes()))
        .map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::advise(
        format!("cannot write `{}`: {error}", printable(&path.to_string_lossy())),
        "name a folder that can be written",
    )
}

fn explain(dir: &Path) -> io::Result<()> {
    let mut out = output::stdout();
    let shown = dir.to_string_lossy();
    let shown = printable(&shown);
    writeln!(
        out,
        "{STRONG}fingerpost.toml{STRONG:#}  all settings, explained; resolver_root and data are set"
    )?;
    writeln!(out, "{STRONG}products.json{STRONG:#}    a record: put your own links into it")?;
    writeln!(out, "\n{NOTE}next{NOTE:#}:")?;
    if dir != Path::new(".") {
        writeln!(out, "  cd {shown}")?;
    }
    writeln!(out, "  fingerpost import products.json")?;
    writeln!(out, "  fingerpost admin create --login you@example.org")?;
    writeln!(out, "  fingerpost serve")?;
    out.flush()
}
