//! The report in the XML format of JUnit, which continuous integration services read.

use std::io::{self, Write};

use super::{CheckResult, ConformReport};
use crate::check::{Judgement, Obligation};
use crate::escape::markup;
use crate::topics::TOPICS;

impl ConformReport {
    /// Writes the report as JUnit XML. Requirements below the obligation do not fail.
    pub fn write_junit(&self, fail_on: Obligation, out: &mut impl Write) -> io::Result<()> {
        let fails = |it: &&CheckResult| {
            matches!(it.judgement, Judgement::Fail(_)) && it.check.obligation >= fail_on
        };
        let failures = self.results.iter().filter(fails).count();
        let tests = self.results.len();
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(out, "<testsuites tests=\"{tests}\" failures=\"{failures}\">")?;
        for topic in &TOPICS {
            let results = self.of_topic(topic);
            let failures = results.iter().copied().filter(fails).count();
            let skipped = results.iter().filter(|it| is_skipped(it)).count();
            let (title, tests) = (markup(topic.title), results.len());
            writeln!(
                out,
                "  <testsuite name=\"{title}\" tests=\"{tests}\" failures=\"{failures}\" skipped=\"{skipped}\">"
            )?;
            for result in results {
                case(result, fails(&result), out)?;
            }
            writeln!(out, "  </testsuite>")?;
        }
        writeln!(out, "</testsuites>")
    }
}

fn is_skipped(result: &CheckResult) -> bool {
    matches!(result.judgement, Judgement::NotTried(_) | Judgement::Depends(_))
}

fn case(result: &CheckResult, fails: bool, out: &mut impl Write) -> io::Result<()> {
    let check = result.check;
    let detail = markup(result.judgement.detail());
    writeln!(out, "    <testcase classname=\"fingerpost.conform\" name=\"{}\">", check.id)?;
    if fails {
        writeln!(out, "      <failure message=\"{}\">", markup(check.expected))?;
        let (clause, advice) = (markup(check.clause), markup(check.advice));
        writeln!(
            out,
            "found: {detail}\nclause: {clause}\nadvice: {advice}\nrequest: {}",
            markup(&result.curl())
        )?;
        for line in result.answer().lines() {
            writeln!(out, "{}", markup(line))?;
        }
        writeln!(out, "      </failure>")?;
    } else if is_skipped(result) {
        writeln!(out, "      <skipped message=\"{}: {detail}\"/>", result.judgement.as_str())?;
    } else if !detail.is_empty() {
        writeln!(out, "      <system-out>{}: {detail}</system-out>", check.obligation.as_str())?;
    }
    writeln!(out, "    </testcase>")
}
