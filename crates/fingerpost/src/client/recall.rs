//! `fingerpost recall`: scans of products, lots or items go to a notice, or no longer.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

use serde::Deserialize;
use serde_json::{Value, json};

use super::connection::{self, writing};
use super::key;
use super::outcome::Change;
use super::problem::Stop;
use crate::args::ReportFormat;
use crate::args::client as args;
use crate::failure::Failure;
use crate::output::{self, printable};
use fingerpost_server::client::Call;

/// The title of a notice without a given one: the word for it in English.
const TITLE: &str = "Recall";

/// The shown members of the report.
#[derive(Debug, Deserialize)]
struct Report {
    items: Vec<Value>,
}

pub(super) fn run(args: &args::Recall) -> Result<ExitCode, Stop> {
    let keys = args.keys.iter().map(|text| key::read(text)).collect::<Result<Vec<_>, _>>()?;
    let keys: Vec<String> = keys.iter().map(|key| format!("/{key}")).collect();
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
    let mut out = output::stdout();
    match args.connection.format {
        ReportFormat::Json => writeln!(out, "{}", answer.json::<Value>()?)?,
        ReportFormat::Text => {
            let report: Report = answer.json()?;
            for item in &report.items {
                let change = Change::deserialize(item).unwrap_or_default();
                let key = item["key"].as_str().unwrap_or_default();
                writeln!(out, "/{}: {}", printable(key), change.words())?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the notices with their titles; both are given as text, or as `LANGUAGE=text`.
fn notices(notices: &[String], titles: &[String]) -> Result<Vec<Value>, Failure> {
    let notices: Vec<_> = notices.iter().map(|notice| of_language(notice)).collect();
    let is_language = |tag: &str| notices.iter().any(|(language, _)| *language == Some(tag));
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
    let title = |language: Option<&str>| {
        let own = by_language.get(&language).or_else(|| by_language.get(&None));
        own.copied().unwrap_or(TITLE)
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
    }
}
