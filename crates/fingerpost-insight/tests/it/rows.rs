//! Rows by time and dimension, and how time changes them.

use std::sync::Arc;
use std::thread;

use fingerpost_insight::{AnswerKind, Dimension, Grain, Insight, InsightQuery};
use fingerpost_store::{Store, StoreError};

use crate::support::{PHONE, TEA, at, everything, insight, options, periods, report, scan, write};

/// 35.2: counts by level, link type, kind of answer and language; bots apart.
#[test]
fn rows_are_told_apart_by_what_is_asked_for() {
    let insight = insight("threshold = 1");
    let time = at("2026-11-27T16:59:59Z");
    let (tea, lot) = (scan(TEA, time), scan("01/09506000134352/10/A", time));
    let recipe = fingerpost_insight::AnsweredScan {
        link_type: Some(fingerpost_insight::LinkType::Term("https://gs1.org/voc/recipeInfo")),
        language: None,
        ..tea
    };
    let linkset = fingerpost_insight::AnsweredScan {
        kind: AnswerKind::Linkset,
        link_type: None,
        language: None,
        ..tea
    };
    let bot = fingerpost_insight::AnsweredScan { user_agent: b"Googlebot", ..tea };
    write(&insight, &[(tea, 3), (lot, 2), (recipe, 4), (linkset, 1), (bot, 9)]);
    assert_eq!(PHONE, tea.user_agent);
    let total = report(&insight, &everything());
    assert_eq!(periods(&total), [("", 10)]);
    let bots = report(&insight, &InsightQuery { bots: true, ..everything() });
    assert_eq!(periods(&bots), [("", 9)]);
    let by = |dimension| {
        let query = InsightQuery { dimensions: vec![dimension], ..everything() };
        let rows = report(&insight, &query).rows.into_iter();
        let of = |row: fingerpost_insight::InsightRow| {
            let kind = row.kind.map(|kind| kind.as_str().to_owned());
            let name = row.key.or(row.link_type).or(kind).or(row.language).unwrap_or_default();
            (name, row.count)
        };
        rows.map(of).collect::<Vec<_>>()
    };
    let named = |rows: &[(&str, u64)]| {
        rows.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect::<Vec<_>>()
    };
    assert_eq!(by(Dimension::Key), named(&[(TEA, 8), ("01/09506000134352/10/A", 2)]));
    let (pip, recipes) = ("https://gs1.org/voc/pip", "https://gs1.org/voc/recipeInfo");
    assert_eq!(by(Dimension::LinkType), named(&[(pip, 5), (recipes, 4), ("", 1)]));
    assert_eq!(by(Dimension::Kind), named(&[("redirect", 9), ("linkset", 1)]));
    assert_eq!(by(Dimension::Language), named(&[("", 5), ("en", 5)]));
    assert_eq!(by(Dimension::Country), named(&[("", 10)]));
    let lots = InsightQuery { ranges: vec!["01/09506000134352/10".to_owned()], ..everything() };
    assert_eq!(periods(&report(&insight, &lots)), [("", 2)]);
}

/// 35.2: hours, later days and months by roll-up; the counts of a range stay what they were.
#[test]
fn old_hours_become_days_and_old_days_months() {
    let insight = insight("threshold = 1\nhourly_days = 2\ndaily_days = 20\nmonthly_months = 14");
    for (time, times) in [
        ("2026-09-30T10:00:00Z", 1),
        ("2026-10-01T10:00:00Z", 2),
        ("2026-11-20T10:00:00Z", 4),
        ("2026-11-20T11:00:00Z", 8),
        ("2026-11-27T10:00:00Z", 16),
        ("2026-11-27T11:59:59Z", 32),
    ] {
        write(&insight, &[(scan(TEA, at(time)), times)]);
    }
    let by = |grain| InsightQuery { by: Some(grain), ..everything() };
    let (months, days) = (report(&insight, &by(Grain::Month)), report(&insight, &by(Grain::Day)));
    assert_eq!(periods(&months), [("2026-09", 1), ("2026-10", 2), ("2026-11", 60)]);
    let now = at("2026-11-27T12:00:00Z");
    let done = insight.roll_up(now).unwrap();
    assert_eq!((done.added_up, done.deleted), (5, 0));
    assert_eq!(insight.roll_up(now).unwrap(), fingerpost_insight::RolledUp::default());
    assert_eq!(report(&insight, &by(Grain::Month)), months);
    let later = report(&insight, &by(Grain::Day));
    assert_eq!(periods(&later), [("2026-11-20", 12), ("2026-11-27", 48)]);
    assert_eq!(periods(&days)[2..], periods(&later)[..]);
    let hours = report(&insight, &by(Grain::Hour));
    assert_eq!(periods(&hours), [("2026-11-27T10", 16), ("2026-11-27T11", 32)]);
    let some = InsightQuery {
        from: Some(at("2026-10-15T00:00:00Z")),
        to: Some(at("2026-11-27T11:00:00Z")),
        ..everything()
    };
    // October is kept as a month, of which the beginning lies in the range.
    assert_eq!(periods(&report(&insight, &some)), [("", 2 + 12 + 16)]);
    // Years later, everything is deleted.
    let later = at("2031-01-01T00:00:00Z");
    assert!(insight.roll_up(later).unwrap().deleted > 0);
    assert_eq!(report(&insight, &by(Grain::Month)).rows, []);
}

/// 35.2: on nodes the counts of all come together: counts of several writers are added up.
#[test]
fn counts_of_several_processes_are_added_up() {
    let store = Arc::new(Store::in_memory());
    let insight = Insight::new(Arc::clone(&store), options("threshold = 1"));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    write(&insight, &[(scan(TEA, at("2026-11-27T10:00:00Z")), 3)]);
                }
            });
        }
    });
    assert_eq!(periods(&report(&insight, &everything())), [("", 120)]);
    // They are no records: no revision, no audit record, nothing to export.
    store
        .view(|view| {
            assert_eq!((view.revision()?.number(), view.audit_head()?.seq()), (0, 0));
            Ok::<_, StoreError>(())
        })
        .unwrap();
    assert!(store.is_empty().unwrap());
}
