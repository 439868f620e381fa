//! `fingerpost urn compare`: tests the lexical equivalence of names (RFC 8141 section 3; draft of
//! 2012, section 5), which differs from that of URIs.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use fingerpost_resolver::urn_key;
use fingerpost_uri::Typed;
use fingerpost_uri::urn::{AnswerKey, NameKey, NamespaceRegistry, Urn};
use serde_json::json;

use super::UrnMode;
use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD, STRONG};
use crate::shared_args::{Passwords, ReportFormat};
use crate::uri_report::{both, refuse, row, status, urn_finding, write_notes};

#[derive(Debug, Args)]
#[command(after_help = "\
Purpose 5a asks whether both name the same thing: directives, components and fragments are ignored.
Purpose 5b asks whether a resolver can answer both alike: directives matter, but not their order.
Both are answered by syntax alone, and with the rules of the namespace (hyphens in an ISBN).
ISBN-10 and ISBN-13 of one book are different names; the answer says that they have the same GS1 key.
Triplets are never decoded: %2C and a comma are different.

Exit status: 0 the same name by the rules of the namespace, 1 another name or invalid, 2 wrong usage.

Examples:
  fingerpost urn compare urn:isbn:0-451-45052-3 URN:ISBN:0451450523
  fingerpost urn compare 'urn:example:a?s=I2L' 'urn:example:a?s=I2C'")]
pub(crate) struct Compare {
    /// Definition of URNs to use
    #[arg(long, value_enum, default_value_t = UrnMode::Auto)]
    pub(crate) mode: UrnMode,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// One URN
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The other
    #[arg(value_name = "B")]
    pub(crate) b: String,
}

pub(super) fn run(args: &Compare) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let mode = args.mode.into();
    let typed = [Typed::new(&args.a), Typed::new(&args.b)];
    let [text_a, text_b] = typed.each_ref().map(Typed::text);
    let mut answer = json!({"a": text_a, "b": text_b});
    write_notes(&typed.each_ref(), args.format, &mut answer);
    let read = (Urn::parse(text_a, mode), Urn::parse(text_b, mode));
    let finding = |input: &str, error: &_| urn_finding(input, mode, error);
    let (a, b) = match both([("a", text_a), ("b", text_b)], read, finding) {
        Ok(read) => read,
        Err(refused) => {
            return refuse(&refused, Passwords::default(), args.format, answer, &mut out);
        }
    };
    let verdict = Verdict::of(a, b);
    let equal = verdict.name.builtin;
    match args.format {
        ReportFormat::Text => verdict.write(&mut out)?,
        ReportFormat::Json => {
            answer["valid"] = true.into();
            answer["equal"] = equal.into();
            answer["names"] = json!([verdict.a.as_str(), verdict.b.as_str()]);
            answer["5a"] = verdict.name.json();
            answer["5b"] = verdict.answer.json();
            answer["same_key"] = json!(verdict.same_key.as_deref());
            writeln!(out, "{answer}")?;
        }
    }
    out.flush()?;
    Ok(status(equal))
}

struct Verdict {
    /// The names in the preferred spelling of their namespaces.
    a: NameKey,
    b: NameKey,
    /// Purpose 5a.
    name: Equal,
    /// Purpose 5b.
    answer: Equal,
    /// The GS1 key of two different names of one thing. ISBN-10 and ISBN-13 of a book are
    /// different names: their registration (RFC 8254, section 5) removes hyphens only.
    same_key: Option<String>,
}

/// Whether two names are equal, for each set of namespace rules.
struct Equal {
    /// By the generic syntax only.
    none: bool,
    /// By the rules of the namespaces known by default.
    builtin: bool,
}

impl Verdict {
    fn of(a: Urn<'_>, b: Urn<'_>) -> Self {
        let registry = NamespaceRegistry::builtin();
        let answer = |urn| AnswerKey::with_registry(urn, &registry);
        let answer =
            Equal { none: AnswerKey::new(a) == AnswerKey::new(b), builtin: answer(a) == answer(b) };
        let none = NameKey::new(a) == NameKey::new(b);
        let key = |urn| urn_key(urn).ok().map(|key| key.to_string());
        let same_key = key(a).filter(|_| key(a) == key(b));
        let a = NameKey::with_registry(a, &registry);
        let b = NameKey::with_registry(b, &registry);
        let name = Equal { none, builtin: a == b };
        let same_key = same_key.filter(|_| a != b);
        Self { a, b, name, answer, same_key }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        if self.name.builtin {
            writeln!(out, "{GOOD}the same name{GOOD:#}")?;
            row(out, "both are", Some(self.a.as_str()), "")?;
        } else {
            writeln!(out, "{ERROR}different names{ERROR:#}")?;
            row(out, "a is", Some(self.a.as_str()), "")?;
            row(out, "b is", Some(self.b.as_str()), "")?;
        }
        let of = if self.a.as_str().starts_with("urn:isbn:") { "book" } else { "thing" };
        if let Some(key) = &self.same_key {
            row(out, "key of both", Some(key), &format!("they identify the same {of}"))?;
        }
        let head = "purpose             syntax alone  with namespace rules";
        writeln!(out, "  {STRONG}{head}{STRONG:#}")?;
        for (purpose, equal) in
            [("5a, the same name", &self.name), ("5b, the same answer", &self.answer)]
        {
            writeln!(out, "  {purpose:19} {:13} {}", word(equal.none), word(equal.builtin))?;
        }
        Ok(())
    }
}

impl Equal {
    fn json(&self) -> serde_json::Value {
        json!({"none": self.none, "builtin": self.builtin})
    }
}

fn word(equal: bool) -> &'static str {
    if equal { "equal" } else { "not equal" }
}
