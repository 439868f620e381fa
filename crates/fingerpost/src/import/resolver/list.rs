//! The identifiers to ask for, one on each line, in any form that `fingerpost check` reads.

use std::io::{self, BufReader, Read};

use fingerpost_gs1::EntityKey;
use fingerpost_identify::inspect;
use fingerpost_resolver::{RecordFault, ascii_form};

use crate::input_lines::Lines;
use crate::limits::MAX_LINE;

/// Reads keys from lines.
pub(super) struct List {
    lines: Lines<BufReader<Box<dyn Read + Send>>>,
    /// The primary keys of the resolver; empty if they are not known.
    supported: Vec<String>,
    line: u64,
}

/// A line, and the key on it or the identifier and its fault.
pub(super) struct Listed {
    pub(super) line: u64,
    pub(super) key: Result<EntityKey, (Option<String>, RecordFault)>,
}

impl List {
    /// Creates a reader of lines.
    pub(super) fn new(
        input: BufReader<Box<dyn Read + Send>>,
        supported: Vec<String>,
    ) -> io::Result<Self> {
        let supported =
            if supported.iter().any(|key| key == "all") { Vec::new() } else { supported };
        Ok(Self { lines: Lines::new(input)?, supported, line: 0 })
    }

    /// Returns the next identifier, or `None` at the end. Empty lines are left out.
    pub(super) fn next(&mut self) -> io::Result<Option<Listed>> {
        loop {
            self.line += 1;
            let Some(text) = self.lines.next()? else { return Ok(None) };
            let text = text.trim().to_owned();
            if text.is_empty() {
                continue;
            }
            let key = if self.lines.is_cut() {
                Err(fault(
                    "LINE",
                    format!("expected at most {MAX_LINE} bytes, found a longer line"),
                ))
            } else {
                key(&text).and_then(|key| self.is_supported(key))
            };
            let key = key.map_err(|fault| (Some(text), fault));
            return Ok(Some(Listed { line: self.line, key }));
        }
    }

    /// Checks that the resolver has keys of this type (RES-3-4).
    fn is_supported(&self, key: EntityKey) -> Result<EntityKey, RecordFault> {
        let ai = key.primary_key();
        if self.supported.is_empty() || self.supported.iter().any(|known| known == ai.as_str()) {
            return Ok(key);
        }
        let message = format!(
            "the resolver does not serve primary keys ({ai}), only {} (supportedPrimaryKeys)",
            self.supported.join(", ")
        );
        Err(fault("RES-3-4", message))
    }
}

/// Reads an identifier. Data attributes are left out: they belong to no level.
pub(crate) fn key(text: &str) -> Result<EntityKey, RecordFault> {
    let converted = ascii_form(text);
    let inspection = inspect(converted.as_deref().unwrap_or(text));
    if let Some(found) = inspection.faults.first() {
        let help = if found.help.is_empty() { String::new() } else { format!(": {}", found.help) };
        return Err(fault(found.code, format!("{}{help}", found.message)));
    }
    let uri = inspection.item.and_then(|item| item.canonical_uri);
    let path = uri.as_deref().and_then(|uri| uri.strip_prefix(REFERENCE));
    let path = path.map(|path| path.split(['?', '#']).next().unwrap_or_default());
    let key = path.and_then(|path| EntityKey::parse(path).ok());
    key.ok_or_else(|| {
        let message = "expected an identifier with a primary key, found none";
        fault("NO_PRIMARY_KEY", message.to_owned())
    })
}

fn fault(id: &'static str, message: String) -> RecordFault {
    RecordFault::new(String::new(), id, message)
}

/// The stem of canonical URIs.
const REFERENCE: &str = "https://id.gs1.org/";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_in_any_form_become_keys() {
        let text = "09520123456788\n\r\n(01)09520123456788(10)A/B(17)301231\n9520123456788\n\
                    https://example.com/some/01/09520123456788/21/7?x=y\nurn:epc:id:sgtin:9506000.013435.6789\n\
                    3066c4409047e14000001a85\n09520123456789\n(10)A\n(414)9520123456788\n";
        let supported = vec!["01".to_owned()];
        let mut list = List::new(BufReader::new(Box::new(text.as_bytes())), supported).unwrap();
        let mut found = Vec::new();
        while let Some(Listed { line, key }) = list.next().unwrap() {
            found.push((line, key.map(|key| key.to_string()).map_err(|(_, fault)| fault.id())));
        }
        let ok = |line, key: &str| (line, Ok(key.to_owned()));
        assert_eq!(
            found,
            [
                ok(1, "01/09520123456788"),
                ok(3, "01/09520123456788/10/A%2FB"),
                ok(4, "01/09520123456788"),
                ok(5, "01/09520123456788/21/7"),
                ok(6, "01/09506000134352/21/6789"),
                ok(7, "01/09506000134352/21/6789"),
                (8, Err("EAN_CHECK_DIGIT")),
                (9, Err("AI_REQUIREMENT_MISSING")),
                (10, Err("RES-3-4")),
            ]
        );
    }
}
