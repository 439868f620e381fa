//! `fingerpost check --online`: asks the host of a Digital Link URI whether it is a resolver
//! (GS1-Conformant Resolver 1.2.0, section 3).
//!
//! One GET of `/.well-known/gs1resolver` for each host, without redirects, with limits of time and
//! size.

use std::collections::BTreeMap;
use std::io::{self, Write};

use fingerpost_identify::{InputForm, Inspection};
use fingerpost_uri::{Uri, split};
use serde_json::{Value, json};

use crate::limits::{DESCRIPTION_TIME, MAX_DESCRIPTION_FILE};
use crate::output::{GOOD, NOTE, WARNING, printable};
use fingerpost_server::client::web_agent;

/// The hosts that were asked, and what they said.
#[derive(Default)]
pub(super) struct Hosts(BTreeMap<String, Result<Resolver, NoResolver>>);

/// A description file.
#[derive(Debug)]
pub(crate) struct Resolver {
    file: String,
    /// `resolverRoot`
    pub(crate) root: String,
    /// `supportedPrimaryKeys`
    pub(crate) keys: Vec<String>,
}

/// The reason why a host is not a resolver, as far as it can be seen.
#[derive(Debug)]
pub(crate) struct NoResolver {
    /// The address of the description file.
    pub(crate) file: String,
    /// `NO_ANSWER` if nobody answers there.
    pub(crate) code: &'static str,
    /// The reason.
    pub(crate) why: String,
}

impl Hosts {
    /// Asks the host of a URI, unless it was asked before. Returns `None` for inputs that have no
    /// host.
    pub(super) fn of(
        &mut self,
        inspection: &Inspection<'_>,
    ) -> Option<&Result<Resolver, NoResolver>> {
        let uri = match inspection.form {
            InputForm::Scan(_) => inspection.input.get(3..)?,
            _ => inspection.input,
        };
        let parts = split(uri);
        let scheme = parts.scheme?.to_ascii_lowercase();
        let (_, host) = parts.authority.map(|text| text.rsplit_once('@').unwrap_or(("", text)))?;
        if !matches!(&*scheme, "http" | "https") || host.is_empty() {
            return None;
        }
        let origin = format!("{scheme}://{}", host.to_ascii_lowercase());
        Some(self.0.entry(origin.clone()).or_insert_with(|| describe(&origin)))
    }
}

/// Gets the description file of an origin.
pub(crate) fn describe(origin: &str) -> Result<Resolver, NoResolver> {
    let file = format!("{origin}/.well-known/gs1resolver");
    match fetch(&file).and_then(|body| read(&body)) {
        Ok((root, keys)) => Ok(Resolver { file, root, keys }),
        Err((code, why)) => Err(NoResolver { file, code, why }),
    }
}

fn fetch(file: &str) -> Result<Vec<u8>, (&'static str, String)> {
    let unanswered = |error: ureq::Error| ("NO_ANSWER", format!("cannot be asked: {error}"));
    let request = web_agent(file).get(file).config().timeout_global(Some(DESCRIPTION_TIME)).build();
    let mut answer = request.header("accept", "application/json").call().map_err(unanswered)?;
    let status = answer.status();
    if status.is_redirection() {
        let location = answer.headers().get("location").and_then(|value| value.to_str().ok());
        let location = location.map_or_else(String::new, |text| format!(" to {text}"));
        return Err(("REDIRECTED", format!("redirects{location}, which is not followed")));
    }
    if !status.is_success() {
        return Err(("STATUS", format!("expected status 200, found {status}")));
    }
    match answer.body_mut().with_config().limit(MAX_DESCRIPTION_FILE).read_to_vec() {
        Err(ureq::Error::BodyExceedsLimit(_)) => {
            Err(("TOO_LONG", format!("expected at most {MAX_DESCRIPTION_FILE} bytes, found more")))
        }
        other => other.map_err(unanswered),
    }
}

/// Reads root and primary keys, the members that every description file has (RES-3-2, RES-3-3,
/// RES-3-4).
fn read(body: &[u8]) -> Result<(String, Vec<String>), (&'static str, String)> {
    let wrong = |what: &str| ("DESCRIPTION", format!("expected {what} in the description file"));
    let Ok(Value::Object(file)) = serde_json::from_slice(body) else {
        return Err(("DESCRIPTION", "expected a description file: a JSON object".to_owned()));
    };
    let root = file.get("resolverRoot").and_then(Value::as_str);
    let is_web = |root: &&str| {
        Uri::parse(root).is_ok_and(|uri| {
            uri.scheme().to_ascii_lowercase().starts_with("http") && uri.authority().is_some()
        })
    };
    let root = root.filter(is_web).ok_or_else(|| wrong("a web address as resolverRoot"))?;
    let keys = file.get("supportedPrimaryKeys").and_then(Value::as_array);
    let keys: Option<Vec<String>> =
        keys.and_then(|keys| keys.iter().map(|key| key.as_str().map(str::to_owned)).collect());
    let keys = keys.filter(|keys| !keys.is_empty());
    Ok((root.to_owned(), keys.ok_or_else(|| wrong("a list of keys as supportedPrimaryKeys"))?))
}

/// Writes the answer for people.
pub(super) fn write(host: &Result<Resolver, NoResolver>, out: &mut impl Write) -> io::Result<()> {
    match host {
        Ok(Resolver { root, keys, .. }) => {
            let (root, keys) = (printable(root), printable(&keys.join(", ")));
            writeln!(out, "  resolver        {GOOD}yes{GOOD:#}, {root} with keys {keys}")
        }
        Err(NoResolver { file, code, why }) => {
            let (file, why) = (printable(file), printable(why));
            writeln!(out, "{WARNING}warning[{code}]{WARNING:#}: no resolver seen: {file}: {why}")?;
            let help = "a GS1-Conformant Resolver has its description file there";
            writeln!(out, "  {NOTE}help{NOTE:#}: {help}")
        }
    }
}

/// Returns the answer as a JSON object.
pub(super) fn json(host: &Result<Resolver, NoResolver>) -> Value {
    match host {
        Ok(Resolver { file, root, keys }) => {
            json!({"is_resolver": true, "file": file, "root": root, "keys": keys})
        }
        Err(NoResolver { file, code, why }) => {
            json!({"is_resolver": false, "file": file, "code": code, "message": why})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn resolver_3_description_files_have_root_and_keys() {
        for (body, root) in [
            (r#"{"resolverRoot":"https://a.example/x","supportedPrimaryKeys":["all"]}"#, true),
            (r#"{"resolverRoot":"a.example","supportedPrimaryKeys":["all"]}"#, false),
            (r#"{"resolverRoot":"https://a.example","supportedPrimaryKeys":[]}"#, false),
            (r#"{"resolverRoot":"https://a.example","supportedPrimaryKeys":[1]}"#, false),
            (r#"{"supportedPrimaryKeys":["all"]}"#, false),
            ("[]", false),
            ("<html>", false),
        ] {
            assert_eq!(read(body.as_bytes()).is_ok(), root, "{body}");
        }
    }
}
