//! `serve --demo`: sample data in a temporary directory, and links that demonstrate the features.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;
use std::path::Path;

use fingerpost_exchange::{ImportEvent, ImportOptions, ImportSource, ImportTarget, import};
use fingerpost_registry::{Caller, Registry};
use fingerpost_server::now;
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use tempfile::TempDir;

use super::accounts::DemoAccount;
use crate::failure::Failure;
use crate::output::{NOTE, STRONG};

/// The sample records. The company prefix is the one that GS1 reserves for examples (952), the
/// targets are reserved names.
const RECORDS: [&str; 2] =
    [include_str!("../../demo/tea.json"), include_str!("../../demo/logistics.json")];

/// Identifiers in the sample data, each in another form, for the home page.
pub(super) const EXAMPLES: [&str; 5] = [
    "9520123456788",
    "(01)09520123456788(10)LOT7",
    "https://id.gs1.org/01/09520123456788/21/1001",
    "urn:epc:id:sgtin:9520123.045678.1001",
    "3016450fec2c9b80000003e9",
];

/// A temporary data directory, removed when the server has stopped.
pub(super) struct Demo {
    dir: TempDir,
    /// The first and the last day of a campaign in the sample data, which is not visible before.
    campaign: [Date; 2],
}

/// A link to try: curl's arguments, the request target, and what it demonstrates.
struct Try(&'static str, &'static str, &'static str);

/// Prints where a request is sent.
const WHERE: &str = "-o /dev/null -w '%{http_code} %{redirect_url}\\n'";

const TRIES: [Try; 17] = [
    Try("", "/01/09520123456788", "a GTIN goes to its default page"),
    Try("-H 'Accept-Language: fr'", "/01/09520123456788", "the French page for a French phone"),
    Try("", "/01/09520123456788?linkType=gs1:recipeInfo", "300: two links suit equally well"),
    Try("-H 'Accept: application/pdf'", "/01/09520123456788?linkType=gs1:pip", "one type as PDF"),
    Try("", "/01/09520123456788?linkType=gs1:hasRetailers&context=CH", "shops, by territory"),
    Try("", "/01/09520123456788/10/LOT7", "this lot was recalled"),
    Try("", "/01/09520123456788/10/LOT8", "any other lot goes to the product"),
    Try("", "/01/09520123456788/21/1001?linkType=gs1:registerProduct", "one single box won"),
    Try(
        "",
        "/eh3016450fec2c9b80000003e9?linkType=gs1:registerProduct",
        "the same box by what its RFID tag holds",
    ),
    Try(
        "",
        "/01/09520123456788/10/LOT7/21/55?linkType=gs1:traceability",
        "a target made of GTIN, lot and serial number",
    ),
    Try("", "/00/195201234567891232", "a pallet by its SSCC"),
    Try("", "/414/9520123456788/254/DOCK4", "a dock of a warehouse"),
    Try("", "/8004/9520123DRYER2?linkType=gs1:instructions", "the manual of a machine"),
    Try("", "/8003/09520123456788CRATE5", "a returnable crate"),
    Try("", "/01/09520123456788?linkType=gs1:nosuchtype", "404: not held; the body lists what is"),
    Try("", "/01/09520123456789", "400: the check digit is wrong"),
    Try("", "/.well-known/gs1resolver", "what this resolver can do"),
];

impl Demo {
    /// Creates an empty temporary directory.
    pub(super) fn new() -> Result<Self, Failure> {
        let dir = TempDir::with_prefix("fingerpost-demo-").map_err(|error| {
            Failure::advise(
                format!("cannot make a temporary directory: {error}"),
                "set TMPDIR to a directory with free space",
            )
        })?;
        let today = TimeZone::UTC.to_datetime(now()).date();
        Ok(Self { dir, campaign: [30, 60].map(|days| today.saturating_add(days.days())) })
    }

    /// Returns the directory.
    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Registers the sample records.
    pub(super) fn load(&self, registry: Registry) -> Result<(), Failure> {
        let [begin, end] = self.campaign.map(|day| format!("{day}T00:00:00Z"));
        let records = RECORDS
            .map(|file| file.replace("CAMPAIGN_BEGINS", &begin).replace("CAMPAIGN_ENDS", &end));
        let sources = records.iter().map(|file| ImportSource::new("sample data", file.as_bytes()));
        let target = ImportTarget::registry(registry, Caller::local("demo"));
        let mut refused = None;
        import(target, sources.collect(), ImportOptions::default(), &mut |event| {
            if let ImportEvent::Refused { anchor, findings, .. } = event {
                let message = findings.first().map_or("", |finding| finding.message);
                let anchor = anchor.unwrap_or_default();
                refused = Some(Failure::new(format!("sample data: {anchor}: {message}")));
            }
            ControlFlow::Continue(())
        })?;
        refused.map_or(Ok(()), Err)
    }

    /// Prints links to try, each with what it demonstrates.
    pub(super) fn invite(
        &self,
        out: &mut impl Write,
        scheme: &str,
        address: SocketAddr,
        registration: Option<(&String, &DemoAccount)>,
    ) -> std::io::Result<()> {
        let base = format!("{scheme}://{}", reachable(address));
        let insecure = if scheme == "https" { "k" } else { "" };
        writeln!(
            out,
            "\nSample data is loaded. {STRONG}Links to try{STRONG:#}, in another terminal:"
        )?;
        for Try(arguments, target, shows) in TRIES {
            let space = if arguments.is_empty() { "" } else { " " };
            let shown = if target.starts_with("/.") { "" } else { WHERE };
            let gap = if shown.is_empty() { "" } else { " " };
            writeln!(out, "\n  {NOTE}# {shows}{NOTE:#}")?;
            writeln!(out, "  curl -s{insecure}{gap}{shown}{space}{arguments} '{base}{target}'")?;
        }
        writeln!(out, "\n  {NOTE}# the whole linkset, as JSON{NOTE:#}")?;
        writeln!(
            out,
            "  curl -s{insecure} -H 'Accept: application/linkset+json' '{base}/01/09520123456788'"
        )?;
        let [begin, _] = self.campaign;
        writeln!(out, "\n  {NOTE}# a campaign that begins on {begin}, step by step{NOTE:#}")?;
        writeln!(
            out,
            "  {} explain --data {} --now {begin}T12:00:00Z /01/09520123456788",
            program(),
            quoted(&self.path().display().to_string())
        )?;
        writeln!(out, "\nOr open {base}/01/09520123456788?linkType=linkset in a browser.")?;
        if let Some((url, DemoAccount { login, password })) = registration {
            let password = password.expose();
            writeln!(
                out,
                "\n{STRONG}Registration{STRONG:#}: open {url} and sign in as {login} with {password}"
            )?;
            writeln!(
                out,
                "(a password of this run), or: echo {password} | {} login {url} --login {login}",
                program()
            )?;
        }
        writeln!(out, "\nCtrl-C stops the server and removes the sample data.")
    }
}

/// Returns the address for clients on this machine.
fn reachable(address: SocketAddr) -> String {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => format!("127.0.0.1:{}", address.port()),
        IpAddr::V6(ip) if ip.is_unspecified() => format!("[::1]:{}", address.port()),
        _ => address.to_string(),
    }
}

/// Returns the name under which this program was called.
fn program() -> String {
    quoted(&std::env::args().next().unwrap_or_else(|| "fingerpost".to_owned()))
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "-_./".contains(char);
    if word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
