//! The report for people: grouped, one line for each check, details on request. A line has at most
//! 80 columns, except requests, which can be copied.

use std::io::{self, Write};

use super::{CheckResult, ConformReport};
use crate::check::Judgement;
use crate::escape::{excerpt, printable};
use crate::limits::MAX_EXCERPT;
use crate::topics::TOPICS;

const GREEN: &str = "\u{1b}[32m";
const RED: &str = "\u{1b}[1;31m";
const YELLOW: &str = "\u{1b}[33m";
const BOLD: &str = "\u{1b}[1m";
const FAINT: &str = "\u{1b}[2m";
const RESET: &str = "\u{1b}[0m";

/// Number of columns of a line.
const WIDTH: usize = 80;
/// Number of columns before the text of a detail.
const INDENT: usize = 20;

impl ConformReport {
    /// Writes the report for people, with colours for a terminal. Details of failures are always
    /// written, those of other results on request.
    pub fn write_text(&self, details: bool, out: &mut impl Write) -> io::Result<()> {
        for topic in &TOPICS {
            let results = self.of_topic(topic);
            if results.is_empty() {
                continue;
            }
            writeln!(out, "{BOLD}{}{RESET}", topic.title)?;
            for result in results {
                line(result, out)?;
                if details || matches!(result.judgement, Judgement::Fail(_)) {
                    more(result, out)?;
                }
            }
        }
        if !details {
            self.reasons("Depends on the reading", "depends", out)?;
            self.reasons("Not tried", "not-tried", out)?;
        }
        writeln!(out, "\n{BOLD}{}{RESET}", self.summary().replace("; ", "\n"))
    }

    /// Writes the reasons of results in full, each with its checks.
    fn reasons(&self, title: &str, word: &str, out: &mut impl Write) -> io::Result<()> {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for result in self.results.iter().filter(|it| it.judgement.as_str() == word) {
            let (reason, id) = (result.judgement.detail(), result.check.id);
            match reasons.iter_mut().find(|(other, _)| *other == reason) {
                Some((_, ids)) => ids.push(id),
                None => reasons.push((reason, vec![id])),
            }
        }
        if !reasons.is_empty() {
            writeln!(out, "\n{BOLD}{title}{RESET}")?;
        }
        for (reason, ids) in reasons {
            wrapped("", 4, &format!("{}:", ids.join(", ")), out)?;
            wrapped("", 6, &excerpt(reason, MAX_EXCERPT), out)?;
        }
        Ok(())
    }
}

fn line(result: &CheckResult, out: &mut impl Write) -> io::Result<()> {
    let (colour, word) = match result.judgement {
        Judgement::Pass => (GREEN, "pass"),
        Judgement::Fail(_) => (RED, "FAIL"),
        Judgement::Depends(_) => (YELLOW, "depends"),
        Judgement::NotTried(_) => (FAINT, "-"),
    };
    let check = result.check;
    let text = match &result.judgement {
        Judgement::Pass | Judgement::Fail(_) => check.expected,
        Judgement::Depends(text) | Judgement::NotTried(text) => text,
    };
    let level = check.obligation.as_str();
    let start = format!("  {word:<7} {level:<6} {:<22} ", check.id);
    let text = excerpt(text, WIDTH.saturating_sub(start.chars().count() + 1));
    let rest = &start[10..];
    writeln!(out, "  {colour}{word:<7}{RESET} {rest}{text}")
}

fn more(result: &CheckResult, out: &mut impl Write) -> io::Result<()> {
    let check = result.check;
    detail("expected", check.expected, out)?;
    if !result.judgement.detail().is_empty() {
        detail("found", &excerpt(result.judgement.detail(), MAX_EXCERPT), out)?;
    }
    detail("clause", &format!("{}, {}", check.clause, check.releases()), out)?;
    detail("advice", check.advice, out)?;
    if result.trial.is_some() {
        writeln!(out, "{:10}{:<10}{}", "", "request", printable(&result.curl()))?;
        for (index, line) in result.answer().lines().enumerate() {
            detail(if index == 0 { "answer" } else { "" }, line, out)?;
        }
    }
    Ok(())
}

fn detail(label: &str, text: &str, out: &mut impl Write) -> io::Result<()> {
    wrapped(&format!("{:10}{label}", ""), INDENT, text, out)
}

/// Writes a text after a label, in lines of at most [`WIDTH`] columns if it has spaces.
fn wrapped(label: &str, indent: usize, text: &str, out: &mut impl Write) -> io::Result<()> {
    let mut line = format!("{label:<indent$}");
    let mut is_empty = true;
    for word in text.split(' ') {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            writeln!(out, "{}", line.trim_end())?;
            line = " ".repeat(indent);
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    writeln!(out, "{}", line.trim_end())
}
