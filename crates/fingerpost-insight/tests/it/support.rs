//! Counts in a store in memory.

use std::convert::Infallible;
use std::sync::Arc;

use fingerpost_insight::{
    AnswerKind, AnsweredScan, Counters, Insight, InsightOptions, InsightQuery, InsightReport,
    LinkType, Pending,
};
use fingerpost_options::{Document, Section};
use fingerpost_store::Store;
use jiff::Timestamp;

pub(crate) const TEA: &str = "01/09506000134352";
pub(crate) const PHONE: &[u8] = b"Mozilla/5.0 (iPhone) Safari/604.1";

pub(crate) fn options(toml: &str) -> InsightOptions {
    let sections = [Section::of::<InsightOptions>("insight")];
    let text = format!("[insight]\n{toml}");
    Document::parse("test", &text, &sections).unwrap().read("insight").unwrap()
}

pub(crate) fn insight(toml: &str) -> Insight {
    Insight::new(Arc::new(Store::in_memory()), options(toml))
}

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn scan(level: &str, time: Timestamp) -> AnsweredScan<'_> {
    AnsweredScan {
        level,
        kind: AnswerKind::Redirect,
        link_type: Some(LinkType::Term("https://gs1.org/voc/pip")),
        language: Some("en"),
        country: None,
        user_agent: PHONE,
        at: time,
    }
}

/// Counts scans and writes the counts.
pub(crate) fn write(insight: &Insight, scans: &[(AnsweredScan<'_>, usize)]) {
    let (counters, mut pending) = (Counters::new(), Pending::default());
    for (scan, times) in scans {
        (0..*times).for_each(|_| counters.count(scan));
    }
    counters.drain(&mut pending);
    insight.add(&mut pending).unwrap();
    assert!(pending.is_empty());
}

/// A query about everything.
pub(crate) fn everything() -> InsightQuery {
    InsightQuery { ranges: vec![String::new()], ..InsightQuery::default() }
}

pub(crate) fn report(insight: &Insight, query: &InsightQuery) -> InsightReport {
    let all = |levels: &[&str]| Ok::<_, Infallible>(vec![true; levels.len()]);
    insight.report(query, all).unwrap()
}

/// The periods and counts of a report.
pub(crate) fn periods(report: &InsightReport) -> Vec<(&str, u64)> {
    report.rows.iter().map(|row| (row.period.as_deref().unwrap_or_default(), row.count)).collect()
}
