//! The report as a self-contained HTML page, fit to send to a supplier.

use std::io::{self, Write};

use super::{CheckResult, ConformReport};
use crate::check::Judgement;
use crate::escape::markup;
use crate::topics::TOPICS;

const HEAD: &str = "\
<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">
<title>Resolver conformance</title>
<style>
:root{color-scheme:light dark;--text:#1c1c1c;--soft:#595959;--line:#d9d9d9;--back:#fff;--code:#f3f4f6;--pass:#176b37;--fail:#b00020;--depends:#7a4b00}
@media(prefers-color-scheme:dark){:root{--text:#e8e8e8;--soft:#adadad;--line:#3c3c3c;--back:#161616;--code:#242424;--pass:#6fcf8e;--fail:#ff8a80;--depends:#f0b860}}
body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:var(--text);background:var(--back)}
h1{margin:0}h2{margin:2.5rem 0 .5rem;font-size:1.25rem;border-bottom:2px solid var(--line)}
h2 small{font-weight:normal;color:var(--soft)}
code,pre{font:.875em/1.45 ui-monospace,monospace;overflow-wrap:anywhere}
pre{white-space:pre-wrap;background:var(--code);padding:.6rem;margin:.2rem 0;border-radius:4px}
.totals{display:flex;flex-wrap:wrap;gap:.75rem;padding:0;list-style:none}
.totals li{border:1px solid var(--line);border-radius:6px;padding:.4rem 1rem}
.totals b{font-size:1.5rem;margin-right:.4rem}
details{border-bottom:1px solid var(--line)}
summary{cursor:pointer;display:grid;grid-template-columns:5.5rem 4.5rem 1fr 1rem;gap:.25rem .75rem;padding:.45rem .25rem}
summary:hover{background:var(--code)}
summary code{color:var(--soft);white-space:nowrap}summary::after{content:'+';color:var(--soft)}details[open]>summary::after{content:'\\2212'}a{color:inherit}
.word{font-weight:600}.pass{color:var(--pass)}.fail{color:var(--fail)}.depends{color:var(--depends)}.not-tried{color:var(--soft)}
dl{display:grid;grid-template-columns:7.5rem 1fr;gap:.25rem .75rem;margin:.25rem .25rem 1rem}
dt{color:var(--soft)}dd{margin:0;min-width:0;overflow-wrap:anywhere}
@media(max-width:40rem){summary{grid-template-columns:auto 1fr 1rem}summary span:nth-child(3){grid-column:1/-1;order:1}dl{grid-template-columns:1fr}}
@media print{details{break-inside:avoid}}
</style>
</head>
<body>
<h1>Resolver conformance</h1>
";

impl ConformReport {
    /// Writes the report as an HTML page without scripts and references to other files.
    pub fn write_html(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(HEAD.as_bytes())?;
        writeln!(
            out,
            "<p>GS1-Conformant Resolver Standard, release {}. {} requests by fingerpost conform {}.</p>",
            self.standard.as_str(),
            self.requests,
            env!("CARGO_PKG_VERSION")
        )?;
        writeln!(out, "<ul>")?;
        for uri in &self.uris {
            writeln!(out, "<li><code>{}</code></li>", markup(uri))?;
        }
        writeln!(out, "</ul>\n<ul class=\"totals\">")?;
        for word in ["fail", "depends", "pass", "not-tried"] {
            let (count, shown) = (self.number(word), shown(word));
            writeln!(out, "<li class=\"{word}\"><b>{count}</b>{shown}</li>")?;
        }
        writeln!(out, "</ul>")?;
        self.table("Failed", "fail", out)?;
        for topic in &TOPICS {
            let results = self.of_topic(topic);
            if results.is_empty() {
                continue;
            }
            let number =
                |word: &str| results.iter().filter(|it| it.judgement.as_str() == word).count();
            let (passed, skipped) = (number("pass"), number("not-tried"));
            let (title, tried) = (markup(topic.title), results.len() - skipped);
            let skipped =
                if skipped > 0 { format!(", {skipped} not tried") } else { String::new() };
            writeln!(out, "<h2>{title} <small>{passed} of {tried} passed{skipped}</small></h2>")?;
            for result in results {
                section(result, out)?;
            }
        }
        writeln!(out, "</body>\n</html>")
    }

    /// Lists the results of one kind, before the details.
    fn table(&self, title: &str, word: &str, out: &mut impl Write) -> io::Result<()> {
        let those: Vec<_> =
            self.results.iter().filter(|it| it.judgement.as_str() == word).collect();
        if those.is_empty() {
            return Ok(());
        }
        writeln!(out, "<h2>{title}</h2>\n<ul>")?;
        for result in those {
            let (check, found) = (result.check, markup(result.judgement.detail()));
            let (level, expected) = (check.obligation.as_str(), markup(check.expected));
            let id = check.id;
            writeln!(
                out,
                "<li><a href=\"#{id}\"><code>{id}</code></a> {level}: {expected}<br>Found: {found}</li>"
            )?;
        }
        writeln!(out, "</ul>")
    }
}

/// Returns the word for people.
fn shown(word: &str) -> &str {
    match word {
        "fail" => "failed",
        "depends" => "depend on the reading",
        "pass" => "passed",
        _ => "not tried",
    }
}

fn section(result: &CheckResult, out: &mut impl Write) -> io::Result<()> {
    let check = result.check;
    let word = result.judgement.as_str();
    let label = if word == "not-tried" { "not tried" } else { word };
    let open = if matches!(result.judgement, Judgement::Fail(_)) { " open" } else { "" };
    let (expected, obligation) = (markup(check.expected), check.obligation.as_str());
    writeln!(
        out,
        "<details id=\"{0}\"{open}><summary><span class=\"word {word}\">{label}</span><span>{obligation}</span><span>{expected} <code>{0}</code></span></summary>",
        check.id
    )?;
    writeln!(out, "<dl>")?;
    let row = |name: &str, text: &str, out: &mut dyn Write| match text {
        "" => Ok(()),
        text => writeln!(out, "<dt>{name}</dt><dd>{}</dd>", markup(text)),
    };
    let found = if word == "not-tried" { "Reason" } else { "Found" };
    row(found, result.judgement.detail(), out)?;
    row("Clause", check.clause, out)?;
    row("Releases", &check.releases(), out)?;
    row("Requirements", &check.requirements.join(", "), out)?;
    if matches!(result.judgement, Judgement::Fail(_) | Judgement::Depends(_)) {
        row("Advice", check.advice, out)?;
    }
    if result.trial.is_some() {
        let answer: Vec<String> = result.answer().lines().map(markup).collect();
        writeln!(out, "<dt>Request</dt><dd><pre>{}</pre></dd>", markup(&result.curl()))?;
        writeln!(out, "<dt>Answer</dt><dd><pre>{}</pre></dd>", answer.join("\n"))?;
    }
    writeln!(out, "</dl>\n</details>")
}

/// Returns the beginning of a page with this title.
pub(crate) fn page_head(title: &str) -> String {
    HEAD.replace("Resolver conformance", title)
}
