//! `fingerpost recall`: scans of products, lots or items go to a notice, or no longer.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::Args;
use fingerpost_gs1::percent;
use fingerpost_resolver::{Anchor, RecallNotice};
use serde_json::{Value, json};

use super::connection::{self, Connection, writing};
use super::key;
use super::outcome;
use super::problem::Stop;
use crate::failure::Failure;
use crate::output::{self, printable};
use fingerpost_server::client::Call;

#[derive(Debug, Args)]
#[command(after_help = "\
Scans of a recalled product, lot or item get the notice, in the reader's language if there is one, whatever more
granular records say. Without --notice, they get the page of the resolver, which says in the reader's language what is
recalled and since when, with the titles that are given. Pages show it above everything, and linksets list it as
gs1:recallStatus. All keys are changed, or none; a second person has to approve it where the organisation asks for that.

A range of serial numbers is a key too: /01/09520123456788/-range/21/4/A100/A199 is serial numbers A100 to A199.

Examples:
  fingerpost recall 9520123456788 --lots L100..L104,X9
  fingerpost recall 9520123456788 --lots L100 --title 'May contain glass' --title fr='Peut contenir du verre'
  fingerpost recall '(01)09520123456788(10)LOT7' --notice https://example.com/recall
  fingerpost recall 01/09520123456788/10/LOT7 01/09520123456788/10/LOT8 \\
    --notice https://example.com/recall --title 'Recall of lots 7 and 8' \\
    --notice fr=https://example.com/rappel --title fr='Rappel des lots 7 et 8'
  fingerpost recall --end 01/09520123456788/10/LOT7")]
pub(crate) struct Recall {
    /// The products, lots, items or ranges
    #[arg(value_name = "KEY", required = true)]
    pub(crate) keys: Vec<String>,
    /// Lots of each product instead of all of it: L7, or L100..L104 for those of the same length
    /// in between; separated by commas
    #[arg(long, value_name = "LOTS", value_delimiter = ',')]
    pub(crate) lots: Vec<String>,
    /// Address of the notice, for one language or for all; can be repeated; without it, the page
    /// of the resolver
    #[arg(long = "notice", value_name = "[LANGUAGE=]URL")]
    pub(crate) notices: Vec<String>,
    /// Title of the notice; without one: Recall
    #[arg(long = "title", value_name = "[LANGUAGE=]TEXT")]
    pub(crate) titles: Vec<String>,
    /// End the recall: remove the notices
    #[arg(long, conflicts_with_all = ["notices", "titles"])]
    pub(crate) end: bool,
    /// Validate, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

pub(crate) fn run(args: &Recall) -> Result<ExitCode, Stop> {
    let keys = args.keys.iter().map(|text| key::read(text)).collect::<Result<Vec<_>, _>>()?;
    let keys = match args.lots.is_empty() {
        true => keys.iter().map(|key| format!("/{key}")).collect(),
        false => with_lots(&keys, &args.lots)?,
    };
    let (path, document) = match args.end {
        true => ("/v1/recalls/end", json!({ "keys": keys })),
        false => {
            let notices = notices(&args.notices, &args.titles)?;
            ("/v1/recalls", json!({ "keys": keys, "notices": notices }))
        }
    };
    let client = connection::open(&args.connection)?;
    let body = document.to_string();
    let call = Call::new("POST", path).body("application/json", body.as_bytes());
    let key_of = |row: u64| -> Option<&str> {
        keys.get(usize::try_from(row).ok()?.checked_sub(1)?).map(String::as_str)
    };
    let call = writing(call, args.dry_run, None)?;
    let answer = client.send(&call).map_err(|error| Stop::of_keys(error, key_of))?;
    outcome::write_batch(&answer, args.connection.format, &mut output::stdout())?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the paths of lots of products.
fn with_lots(products: &[Anchor], lots: &[String]) -> Result<Vec<String>, Failure> {
    let encoded = |lot: &str| {
        let mut out = String::new();
        percent::encode_value(lot.trim().as_bytes(), &mut out);
        out
    };
    let mut paths = Vec::new();
    for product in products {
        if !product.is_key_level() {
            return Err(Failure::advise(
                format!("`/{product}` is not a product, so it has no lots"),
                "name products, such as 9520123456788, with --lots, or lots as keys without it",
            ));
        }
        for lot in lots {
            let path = match lot.split_once("..") {
                Some((first, last)) => {
                    let length = first.trim().chars().count();
                    format!("/{product}/-range/10/{length}/{}/{}", encoded(first), encoded(last))
                }
                None => format!("/{product}/10/{}", encoded(lot)),
            };
            paths.push(format!("/{}", key::read(&path)?));
        }
    }
    Ok(paths)
}

/// Returns the notices with their titles; both are given as text, or as `LANGUAGE=text`.
fn notices(notices: &[String], titles: &[String]) -> Result<Vec<Value>, Failure> {
    let notices: Vec<_> = notices.iter().map(|notice| of_language(notice)).collect();
    let is_language = |tag: &str| {
        notices.is_empty() || notices.iter().any(|(language, _)| *language == Some(tag))
    };
    let mut by_language = BTreeMap::new();
    for title in titles {
        let (language, text) = match of_language(title) {
            (Some(tag), text) if is_language(tag) => (Some(tag), text),
            _ => (None, title.as_str()),
        };
        if by_language.insert(language, text).is_some() {
            return Err(Failure::advise(
                format!("two titles for the same notice, `{}` is one", printable(title)),
                "give each notice one title: --title TEXT, or --title LANGUAGE=TEXT",
            ));
        }
    }
    if notices.is_empty() {
        // Each title is that of the page of the resolver.
        let notice = |(language, title): (&Option<&str>, &&str)| match language {
            Some(language) => json!({ "title": title, "hreflang": [language] }),
            None => json!({ "title": title }),
        };
        let titled: Vec<Value> = by_language.iter().map(notice).collect();
        return Ok(if titled.is_empty() { vec![json!({})] } else { titled });
    }
    let title = |language: Option<&str>| {
        let own = by_language.get(&language).or_else(|| by_language.get(&None));
        own.copied().unwrap_or(RecallNotice::TITLE)
    };
    let notice = |&(language, href): &(Option<&str>, &str)| {
        let mut notice = json!({ "href": href, "title": title(language) });
        if let Some(language) = language {
            notice["hreflang"] = json!([language]);
        }
        notice
    };
    Ok(notices.iter().map(notice).collect())
}

/// Splits `fr=https://example.com/rappel`.
fn of_language(text: &str) -> (Option<&str>, &str) {
    let is_tag = |tag: &str| {
        tag.len() >= 2 && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    match text.split_once('=') {
        Some((tag, rest)) if is_tag(tag) => (Some(tag), rest),
        _ => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(given: &[&str], titles: &[&str]) -> String {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        match notices(&own(given), &own(titles)) {
            Ok(notices) => Value::from(notices).to_string(),
            Err(failure) => format!("{failure:?}"),
        }
    }

    /// PE-24: lots as people write them.
    #[test]
    fn lots_are_levels_and_ranges_of_each_product() {
        let products = [Anchor::parse("/01/09520123456788").unwrap()];
        let paths = |lots: &[&str]| {
            with_lots(&products, &lots.iter().map(|lot| (*lot).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(
            paths(&["L100..L104", "X9", "A/B"]).unwrap(),
            [
                "/01/09520123456788/-range/10/4/L100/L104",
                "/01/09520123456788/10/X9",
                "/01/09520123456788/10/A%2FB",
            ]
        );
        assert!(paths(&["L100..L99"]).is_err());
        let lot = [Anchor::parse("/01/09520123456788/10/A").unwrap()];
        assert!(with_lots(&lot, &["B".to_owned()]).is_err());
    }

    #[test]
    fn titles_belong_to_the_notice_of_their_language() {
        let one = found(&["https://a.example/?a=b"], &[]);
        assert_eq!(one, r#"[{"href":"https://a.example/?a=b","title":"Recall"}]"#);
        let two = found(
            &["https://a.example/r", "fr=https://a.example/fr"],
            &["fr=Rappel", "Lot A=B is recalled"],
        );
        assert_eq!(
            two,
            r#"[{"href":"https://a.example/r","title":"Lot A=B is recalled"},{"href":"https://a.example/fr","hreflang":["fr"],"title":"Rappel"}]"#
        );
        assert!(found(&["https://a.example/r"], &["A", "B"]).contains("two titles"));
        // PE-30: titles of the page of the resolver.
        assert_eq!(found(&[], &[]), "[{}]");
        let own = found(&[], &["fr=Rappel du lot A", "Lot A=B is recalled"]);
        assert_eq!(
            own,
            r#"[{"title":"Lot A=B is recalled"},{"hreflang":["fr"],"title":"Rappel du lot A"}]"#
        );
        assert!(found(&[], &["A", "B"]).contains("two titles"));
    }
}
