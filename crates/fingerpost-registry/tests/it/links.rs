//! States of the targets of links: who sees them, what lists cost, and what is deleted.

use crate::support;

use fingerpost_registry::{
    Caller, Conditions, Filter, LinkAnswer, LinkCheck, LinkFault, LinkQuery, LinkState,
    LinkVerdict, Page, Registry, Role, Verb,
};
use fingerpost_testkit::counted_store;
use jiff::SignedDuration;
use std::sync::Arc;
use support::*;

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// The target of the records of the tests.
const TARGET: &str = "https://example.com/p";

/// Saves a check with a fault, and updates the index.
fn fail(registry: &Registry, target: &str, times: usize) {
    for _ in 0..times {
        let answer = LinkAnswer {
            fault: Some(LinkFault::Status),
            status: Some(404),
            ..LinkAnswer::default()
        };
        let (target, at) = (target.to_owned(), registry.now());
        let check =
            LinkCheck { target, at, verdict: LinkVerdict::Fails, answer, retry_after: None };
        registry.save_link_checks(&[check], DAY).unwrap();
    }
    registry.index_broken_links("", None, None).unwrap();
}

fn broken() -> LinkQuery {
    LinkQuery { broken: true, ..LinkQuery::default() }
}

fn keys<T>(page: &Page<T>, key: impl Fn(&T) -> String) -> Vec<String> {
    page.items.iter().map(key).collect()
}

#[test]
fn members_see_the_links_of_their_records_only() {
    let fixture = Fixture::new();
    let (ours, theirs) = (gtin("0950600013435"), gtin("0950600113435"));
    for key in [&ours, &theirs] {
        fixture.register(key);
    }
    fail(&fixture.registry, TARGET, 2);
    let reader = fixture.key(Some(fixture.ours), &[Verb::Read]);
    let narrow = fixture.key_with(Some(fixture.ours), &[Verb::Read], Some("95060009"));
    let stranger = fixture.person("stranger", Some(fixture.theirs), Role::Reader);
    for query in [broken(), LinkQuery::default()] {
        let seen = |caller: &Caller| {
            let page = fixture.registry.checked_links(caller, &query, None, 100).unwrap();
            keys(&page, |level| level.key.to_string())
        };
        assert_eq!(seen(&root()), [ours.clone(), theirs.clone()]);
        assert_eq!(seen(&reader), std::slice::from_ref(&ours));
        assert_eq!(seen(&narrow), [""; 0]);
        assert_eq!(seen(&stranger), std::slice::from_ref(&theirs));
    }
    let under = LinkQuery { under: Some(level(&theirs)), ..broken() };
    let page = fixture.registry.checked_links(&reader, &under, None, 100).unwrap();
    assert!(page.items.is_empty());
    let page = fixture.registry.checked_links(&root(), &under, None, 100).unwrap();
    let links = &page.items[0].links;
    assert_eq!(links.len(), 2, "two links of the record have the target");
    assert!(links.iter().all(|link| link.health.as_ref().unwrap().state == LinkState::Broken));
}

#[test]
fn pages_continue_where_they_end_and_below_a_key() {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    fixture.register(&key);
    let mut all = vec![key.clone()];
    for lot in 0..25 {
        all.push(format!("{key}/10/L{lot:02}"));
        fixture.put(&root(), &record(all.last().unwrap(), "Lot")).unwrap();
    }
    fail(&fixture.registry, TARGET, 2);
    for under in [None, Some(level(&key))] {
        let query = LinkQuery { under, ..broken() };
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page =
                fixture.registry.checked_links(&root(), &query, after.as_deref(), 10).unwrap();
            seen.extend(keys(&page, |level| level.key.to_string()));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(seen, all);
    }
}

/// 35.1: the list of records has a filter for broken links, in both orders and in counts.
#[test]
fn records_with_broken_links_are_listed_and_counted() {
    let fixture = Fixture::new();
    let (ours, theirs) = (gtin("0950600013435"), gtin("0950600113435"));
    let lots = (0..25).map(|lot| format!("{ours}/10/L{lot:02}"));
    let all: Vec<String> = [ours.clone()].into_iter().chain(lots).collect();
    for key in all.iter().chain([&theirs]) {
        fixture.put(&root(), &record(key, "Tea")).unwrap();
    }
    let working = gtin("0950600013436");
    let elsewhere = record(&working, "Tea").replace(TARGET, "https://example.com/works");
    fixture.put(&root(), &elsewhere).unwrap();
    let filter =
        |under: Option<&str>| Filter { broken: true, under: under.map(level), ..Filter::default() };
    let reader = fixture.key(Some(fixture.ours), &[Verb::Read]);
    let registry = &fixture.registry;
    let listed = |caller: &Caller, filter: &Filter, newest: bool| {
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page = match newest {
                true => registry.list_newest(caller, filter, after.as_deref(), 10),
                false => registry.list(caller, filter, after.as_deref(), 10),
            };
            let page = page.unwrap();
            seen.extend(keys(&page, |level| level.key.to_string()));
            after = page.next;
            if after.is_none() {
                return seen;
            }
        }
    };
    assert_eq!(listed(&root(), &filter(None), false), [""; 0], "nothing is checked yet");
    fail(registry, TARGET, 2);
    let everything = [&all[..], std::slice::from_ref(&theirs)].concat();
    assert_eq!(listed(&root(), &filter(None), false), everything);
    assert_eq!(listed(&reader, &filter(None), false), all);
    assert_eq!(listed(&reader, &filter(Some(&ours)), false), all);
    assert_eq!(listed(&reader, &filter(Some(&all[3])), false), all[3..4]);
    let newest: Vec<String> = all.iter().rev().cloned().collect();
    assert_eq!(listed(&reader, &filter(None), true), newest);
    assert_eq!(registry.count(&reader, &filter(None), None).unwrap().count, 26);
    // A record that was deleted since is not listed.
    registry.delete(&root(), &level(&all[25]), Conditions::none()).unwrap();
    assert_eq!(listed(&reader, &filter(None), false), all[..25]);
}

#[test]
fn lists_of_links_cost_a_bounded_number_of_rows() {
    let (store, rows) = counted_store();
    let registry = Registry::new(Arc::new(store), fingerpost_registry::RegistryOptions::new());
    for number in 0..1_200 {
        let key = gtin(&format!("0950600{number:06}"));
        registry.put(&root(), None, record(&key, "Tea").as_bytes(), Conditions::none()).unwrap();
    }
    rows.take();
    let page = registry.checked_links(&root(), &broken(), None, 100).unwrap();
    assert_eq!((page.items.len(), page.next), (0, None));
    let read = rows.take();
    assert!(read < 50, "without broken links there is no search: {read}");
    fail(&registry, TARGET, 2);
    rows.take();
    let page = registry.checked_links(&root(), &broken(), None, 10).unwrap();
    assert_eq!(page.items.len(), 10);
    assert!(page.next.is_some());
    let read = rows.take();
    assert!(read < 2_000, "{read}");
    let filter = Filter { broken: true, ..Filter::default() };
    assert_eq!(registry.list(&root(), &filter, None, 10).unwrap().items.len(), 10);
    let read = rows.take();
    assert!(read < 2_000, "{read}");
}

#[test]
fn states_of_unused_targets_are_deleted() {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    fixture.register(&key);
    fail(&fixture.registry, TARGET, 2);
    assert_eq!(fixture.registry.finish_link_round(DAY).unwrap().broken, 1);
    // The record is deleted: its row of the index goes with the next round, the state days later.
    fixture.registry.delete(&root(), &level(&key), Conditions::none()).unwrap();
    let page = fixture.registry.checked_links(&root(), &broken(), None, 10).unwrap();
    assert!(page.items.is_empty());
    fixture.registry.index_broken_links("", None, None).unwrap();
    let documents = |collection: &str| {
        let found = fixture.registry.store().view(|view| view.documents(collection, None, 10));
        found.unwrap().len()
    };
    assert_eq!((documents("brokenLinks"), documents("linkTargets")), (0, 1));
    assert_eq!(fixture.registry.finish_link_round(DAY).unwrap().broken, 1);
    assert_eq!(documents("linkTargets"), 1, "a state is kept for a while");
    assert_eq!(fixture.registry.finish_link_round(SignedDuration::ZERO).unwrap().broken, 0);
    assert_eq!(documents("linkTargets"), 0);
    assert_eq!(fixture.registry.link_counts().unwrap().unwrap().broken, 0);
}
