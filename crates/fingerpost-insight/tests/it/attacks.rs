//! What an attacker could try with counts: fill the store, read the counts of others, find a
//! person.

use std::convert::Infallible;

use fingerpost_insight::{AnsweredScan, Dimension, Grain, InsightError, InsightQuery, LinkType};

use crate::support::{TEA, at, everything, insight, periods, report, scan, write};

/// 35.2: counts below a threshold are hidden, and their number is said.
#[test]
fn small_counts_are_hidden() {
    let insight = insight("threshold = 5");
    let time = at("2026-11-27T10:00:00Z");
    write(&insight, &[(scan(TEA, time), 5), (scan("01/09506000134369", time), 4)]);
    let query =
        InsightQuery { dimensions: vec![Dimension::Key], by: Some(Grain::Hour), ..everything() };
    let found = report(&insight, &query);
    assert_eq!((periods(&found), found.hidden), (vec![("2026-11-27T10", 5)], 1));
    assert_eq!(found.rows[0].key.as_deref(), Some(TEA));
}

/// 35.2: nothing identifies a visitor, or an item and with it its owner.
#[test]
fn what_is_stored_has_nothing_of_a_visitor() {
    let store = std::sync::Arc::new(fingerpost_store::Store::in_memory());
    let insight = fingerpost_insight::Insight::new(
        std::sync::Arc::clone(&store),
        crate::support::options("threshold = 1"),
    );
    let time = at("2026-11-27T10:12:13Z");
    let agent = b"Mozilla/5.0 Unusual/7.7 (Visitor 4711)";
    let item = "01/09506000134352/21/SERIAL4711";
    write(
        &insight,
        &[
            (AnsweredScan { user_agent: agent, ..scan(item, time) }, 2),
            (scan("8018/950600013400000001", time), 2),
        ],
    );
    let rows = store.view(|view| view.documents("insightHours", None, 10)).unwrap();
    let all: Vec<_> =
        rows.iter().map(|(id, value)| format!("{id} {}", String::from_utf8_lossy(value))).collect();
    assert_eq!(
        all,
        [
            r#"01/09506000134352 2026-11-27 [{"at":10,"kind":"redirect","linkType":"https://gs1.org/voc/pip","language":"en","count":2}]"#
        ]
    );
}

/// 35.5: a level with endless link types and languages fills no document.
#[test]
fn counters_of_a_level_are_bounded() {
    let insight = insight("threshold = 1");
    let time = at("2026-11-27T10:00:00Z");
    let types: Vec<_> = (0..5_000).map(|number| format!("https://example.com/{number}")).collect();
    let scans: Vec<_> = types
        .iter()
        .map(|link_type| {
            (AnsweredScan { link_type: Some(LinkType::Other(link_type)), ..scan(TEA, time) }, 1)
        })
        .collect();
    write(&insight, &scans);
    write(&insight, &scans);
    assert_eq!(periods(&report(&insight, &everything())), [("", 10_000)]);
    let query = InsightQuery { dimensions: vec![Dimension::LinkType], ..everything() };
    assert_eq!(report(&insight, &query).rows.len(), 4_001);
}

/// 35.5: a query is bounded; its answer says what to do.
#[test]
fn queries_are_bounded_and_permissions_are_asked_for_each_level() {
    let insight = insight("threshold = 1");
    let time = at("2026-11-27T10:00:00Z");
    let levels: Vec<_> = (0..50_001).map(|number| format!("01/{number:014}")).collect();
    let scans: Vec<_> = levels.iter().map(|level| (scan(level, time), 1)).collect();
    write(&insight, &scans);
    let query = InsightQuery { dimensions: vec![Dimension::Key], ..everything() };
    let all = |levels: &[&str]| Ok::<_, Infallible>(vec![true; levels.len()]);
    let error = insight.report(&query, all).unwrap_err();
    assert!(matches!(error, InsightError::TooMuch), "{error}");
    assert!(error.to_string().contains("ask for one company prefix or key"));
    let own = |levels: &[&str]| {
        Ok::<_, Infallible>(levels.iter().map(|level| level.ends_with("42")).collect())
    };
    assert_eq!(insight.report(&query, own).unwrap().rows.len(), 500);
    let refused = insight.report(&query, |_: &[&str]| Err("no")).unwrap_err();
    assert!(matches!(refused, InsightError::Permissions("no")));
}
