//! `fingerpost succeed`: a new key answers for an old one, or no longer.

use std::process::ExitCode;

use clap::Args;
use fingerpost_resolver::Anchor;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::connection::{self, Connection, writing};
use super::problem::Stop;
use super::{key, outcome};
use crate::output;
use fingerpost_server::client::{Call, Client};

/// The relation between an old key and the new one, and what `defaultLinkType` of the old key says.
const SUCCESSOR: &str = "successor-version";

/// The title of the link to a successor without a description.
const TITLE: &str = "Successor";

/// The members of a level that matter here.
#[derive(Debug, Deserialize)]
struct Level {
    revision: u64,
    record: Map<String, Value>,
}

/// Where the resolver is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Configuration {
    resolver_root: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Scans of the old key lead to what the new one answers, with their lot or serial number. Linksets of the old key list the
new one as successor-version. Both are registered; successors that would lead back to the old key are refused.

Examples:
  fingerpost succeed 9520123456788 9520123456795
  fingerpost succeed 01/09520123456788 01/09520123456795 --title 'Tea, new pack'
  fingerpost succeed --end 01/09520123456788")]
pub(crate) struct Succeed {
    /// The old key
    #[arg(value_name = "OLD")]
    pub(crate) old: String,
    /// The new key
    #[arg(value_name = "NEW", required_unless_present = "end")]
    pub(crate) new: Option<String>,
    /// Title of the link to the new key; without one, its description
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// End the succession: the old key answers itself
    #[arg(long, conflicts_with_all = ["new", "title"])]
    pub(crate) end: bool,
    /// Validate, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

pub(crate) fn run(args: &Succeed) -> Result<ExitCode, Stop> {
    let old = key::read(&args.old)?;
    let new = args.new.as_deref().map(key::read).transpose()?;
    let client = connection::open(&args.connection)?;
    let Level { revision, mut record } = level(&client, &old)?;
    match new {
        Some(new) => {
            let link = link(&client, &new, args.title.as_deref())?;
            links(&mut record).push(link);
            record.insert("defaultLinkType".to_owned(), SUCCESSOR.into());
        }
        None => {
            links(&mut record);
            if record.get("defaultLinkType").is_some_and(|answer| answer == SUCCESSOR) {
                record.remove("defaultLinkType");
            }
        }
    }
    let body = Value::from(record).to_string();
    let call = Call::new("PUT", format!("/v1/levels/{old}"));
    let call = call.body("application/json", body.as_bytes());
    let answer = client.send(&writing(call, args.dry_run, Some(revision))?)?;
    outcome::write(old.as_str(), &answer, args.connection.format, &mut output::stdout())?;
    Ok(ExitCode::SUCCESS)
}

fn level(client: &Client, key: &Anchor) -> Result<Level, Stop> {
    Ok(client.send(&Call::new("GET", format!("/v1/levels/{key}")))?.json()?)
}

/// Returns the link to a successor that is registered.
fn link(client: &Client, new: &Anchor, title: Option<&str>) -> Result<Value, Stop> {
    let Level { record, .. } = level(client, new)?;
    let described = record.get("itemDescription").and_then(Value::as_str);
    let title = title.or(described).unwrap_or(TITLE);
    let Configuration { resolver_root } =
        client.send(&Call::new("GET", "/v1/configuration"))?.json()?;
    Ok(json!({ "linkType": SUCCESSOR, "href": format!("{resolver_root}/{new}"), "title": title }))
}

/// Returns the links of a record, without those to successors.
fn links(record: &mut Map<String, Value>) -> &mut Vec<Value> {
    let links = record.entry("links").or_insert_with(|| json!([]));
    if !links.is_array() {
        *links = json!([]);
    }
    let Value::Array(links) = links else { unreachable!("it was made an array") };
    links.retain(|link| link["linkType"] != SUCCESSOR);
    links
}
