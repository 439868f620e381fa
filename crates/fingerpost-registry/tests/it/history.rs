//! Previous states of a level: patch, restore, history, differences, changes, and pruning.

use crate::support;

use fingerpost_registry::{
    BatchMode, Caller, ChangeDetails, ChangeFilter, ChangeStatus, Conditions, Registry, Verb,
};
use fingerpost_store::Revision;
use jiff::SignedDuration;
use support::*;

#[test]
fn a_patch_changes_what_it_names() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let key = gtin("0950600013435");
    let patch =
        |text: &str| registry.patch(&root(), &level(&key), text.as_bytes(), Conditions::none());
    assert_eq!(kind(&patch("{}")), "not found");
    fixture.register(&key);
    assert_eq!(patch("{}").unwrap().status, ChangeStatus::Unchanged);
    let described = patch(r#"{"itemDescription": "Tea"}"#).unwrap();
    assert_eq!(described.status, ChangeStatus::Replaced);
    let read = || registry.read(&root(), &level(&key)).unwrap().entry;
    assert_eq!(read().item_description(), Some("Tea"));
    patch(r#"{"itemDescription": null}"#).unwrap();
    assert_eq!(read().item_description(), None);
    // The patched record is checked like any other, all faults at once.
    let error = patch(r#"{"links": [{"linkType": "gs1:pip"}], "color": "red"}"#).unwrap_err();
    let positions: Vec<_> = faults(&error).into_iter().map(|(_, position)| position).collect();
    assert!(
        positions.contains(&"/color".into()) && positions.contains(&"/links/0".into()),
        "{positions:?}"
    );
    for wrong in ["[]", "null", "", "{\"a\": 1, \"a\": 2}", "{\"a\": \"\u{0}\"}", &"[".repeat(100)]
    {
        assert_eq!(kind(&patch(wrong)), "invalid", "{wrong}");
    }
    let error = patch(r#"{"anchor": "/414/9506000134352"}"#).unwrap_err();
    assert_eq!(faults(&error), [("anchor".into(), "/anchor".into())]);
}

#[test]
fn a_level_can_be_what_it_was() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let key = level(&gtin("0950600013435"));
    let first = fixture.register(key.as_str());
    let second = fixture.put(&root(), &record(key.as_str(), "B")).unwrap().revision.unwrap();
    let gone = registry.delete(&root(), &key, Conditions::none()).unwrap().revision.unwrap();
    let restore = |revision| registry.restore(&root(), &key, revision, Conditions::none());
    let title = || registry.read(&root(), &key).unwrap().entry.link(0).unwrap().title().to_owned();
    assert_eq!(restore(first).unwrap().status, ChangeStatus::Created);
    assert_eq!(title(), "Tea");
    restore(second).unwrap();
    assert_eq!(title(), "B");
    // A revision of another level selects the state that was valid at that time.
    let other = fixture.register(&gtin("0950600023435"));
    assert_eq!(restore(other).unwrap().status, ChangeStatus::Unchanged);
    assert_eq!(restore(gone).unwrap().status, ChangeStatus::Deleted);
    assert_eq!(kind(&restore(Revision::new(0))), "not found");
    let states = registry.history(&root(), &key).unwrap();
    let titles: Vec<_> = states
        .iter()
        .map(|state| state.entry.as_ref().map(|entry| entry.link(0).unwrap().title().to_owned()))
        .collect();
    let some = |title: &str| Some(title.to_owned());
    assert_eq!(titles, [None, some("B"), some("Tea"), None, some("B"), some("Tea")]);
    assert!(states.is_sorted_by(|newer, older| newer.revision > older.revision));
    assert_eq!(registry.state(&root(), &key, second).unwrap().revision, second);
}

#[test]
fn history_tells_who_and_from_where() {
    let fixture = Fixture::new();
    let key = level(&gtin("0950600013435"));
    let ada = fixture.person("ada", Some(fixture.ours), fingerpost_registry::Role::Editor);
    fixture.put(&ada, &record(key.as_str(), "A")).unwrap();
    let state = fixture.registry.history(&ada, &key).unwrap().remove(0);
    let by = state.by.unwrap();
    assert_eq!(by.actor, ada.actor().to_string());
    assert_eq!(
        (by.name.as_deref(), state.via),
        (Some("Name of ada"), Some(fingerpost_registry::Via::Api))
    );
    assert!(state.at.is_some());
}

#[test]
fn differences_name_places() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let key = level(&gtin("0950600013435"));
    let first = fixture.register(key.as_str());
    let patch = br#"{"itemDescription": "Tea"}"#;
    registry.patch(&root(), &key, patch, Conditions::none()).unwrap();
    let second = fixture.put(&root(), &record(key.as_str(), "B")).unwrap().revision.unwrap();
    let paths = |from, to| {
        let found = registry.difference(&root(), &key, from, to).unwrap();
        found.into_iter().map(|difference| difference.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(first, Some(second)), ["/links/0/title"]);
    assert_eq!(paths(first, None), paths(first, Some(second)));
    assert_eq!(paths(second, None), Vec::<String>::new());
    let middle = Revision::new(first.number() + 1);
    assert_eq!(paths(middle, None)[0], "/itemDescription");
    registry.delete(&root(), &key, Conditions::none()).unwrap();
    assert_eq!(paths(first, None), [""]);
    let missing = registry.difference(&root(), &key, Revision::new(0), None);
    assert_eq!(kind(&missing), "not found");
}

#[test]
fn changes_are_followed_page_by_page() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let start = registry.store().revision().unwrap();
    let mut expected = Vec::new();
    let rows: String = (0..30)
        .map(|n| {
            let key = gtin(&format!("09506{:03}{n:05}", if n % 3 == 0 { 1 } else { 0 }));
            let is_ours = key.starts_with("01/09506000");
            if is_ours {
                expected.push((key.clone(), false));
            }
            record(&key, "A") + "\n"
        })
        .collect();
    registry.batch(&root(), rows.as_bytes(), BatchMode::Atomic, Conditions::none()).unwrap();
    expected.sort();
    let first = level(&expected[0].0);
    registry.delete(&root(), &first, Conditions::none()).unwrap();
    expected.push((first.to_string(), true));
    let reader = fixture.key(Some(fixture.ours), &[Verb::Read]);
    let mut found = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let details = ChangeDetails::default();
        let page = registry.changes(&reader, start, cursor.as_deref(), details, 7).unwrap();
        assert!(page.items.len() <= 7);
        found.extend(page.items.into_iter().map(|change| (change.key.to_string(), change.deleted)));
        cursor = Some(page.next);
        if page.is_last {
            break;
        }
    }
    assert_eq!(found, expected);
    // PE-13: the last page has a cursor too, and what comes later is found from there, once.
    let details = ChangeDetails { author: true, record: true };
    let more = || registry.changes(&reader, start, cursor.as_deref(), details, 7).unwrap();
    assert_eq!((more().items.len(), more().is_last), (0, true));
    fixture.put(&root(), &record(first.as_str(), "Later")).unwrap();
    fixture.put(&root(), &record(first.as_str(), "Latest")).unwrap();
    let page = more();
    // PE-25: with author, time and the record as it was written.
    let titles = page.items.iter().map(|change| {
        assert!(
            change.at.is_some() && change.by.as_ref().is_some_and(|by| by.actor == "local:test")
        );
        change.entry.as_ref().unwrap().links().next().unwrap().title().to_owned()
    });
    assert_eq!(titles.collect::<Vec<_>>(), ["Later", "Latest"]);
    let again = registry.changes(&reader, start, Some(&page.next), details, 7).unwrap();
    assert_eq!((again.items.len(), again.is_last), (0, true));
    // A revision that the store does not have is not taken for its end.
    let beyond = registry.changes(&reader, start, Some("9999999"), details, 7);
    assert_eq!(kind(&beyond), "conflict");
}

/// Changes are counted by day, below a level and of an organisation, and only those that the caller
/// can read.
#[test]
fn changes_are_counted_by_day() {
    const DAY: SignedDuration = SignedDuration::from_hours(24);
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let (ours, theirs) = (gtin("0950600013435"), gtin("0950600123435"));
    let filter = |since, days| ChangeFilter { since, days, under: None, organisation: None };
    let count = |caller: &Caller, filter: &ChangeFilter, cursor: Option<&str>| {
        let counted = registry.count_changes(caller, filter, cursor).unwrap();
        let days = counted.days.iter().map(|day| (day.written, day.deleted)).collect::<Vec<_>>();
        (days, counted.next)
    };
    pass(DAY);
    let begin = clock() - SignedDuration::from_secs(1);
    fixture.register(&ours);
    fixture.register(&format!("{ours}/10/A"));
    fixture.register(&theirs);
    pass(DAY * 2);
    registry.delete(&root(), &level(&format!("{ours}/10/A")), Conditions::none()).unwrap();

    let all = filter(begin, 4);
    assert_eq!(count(&root(), &all, None), (vec![(3, 0), (0, 0), (0, 1), (0, 0)], None));
    assert_eq!(count(&root(), &filter(begin + DAY, 2), None).0, [(0, 0), (0, 1)]);
    assert_eq!(count(&root(), &filter(begin - DAY, 1), None).0, [(0, 0)], "the end is exclusive");
    let below = ChangeFilter { under: Some(level(&format!("{ours}/10/A"))), ..all.clone() };
    assert_eq!(count(&root(), &below, None).0, [(1, 0), (0, 0), (0, 1), (0, 0)]);
    let owned = ChangeFilter { organisation: Some(fixture.ours), ..all.clone() };
    let expected = [(2, 0), (0, 0), (0, 1), (0, 0)];
    assert_eq!(count(&root(), &owned, None).0, expected);
    let reader = fixture.key(Some(fixture.ours), &[Verb::Read]);
    assert_eq!(count(&reader, &all, None).0, expected, "what others did is not counted");

    // A request looks at 10,000 changes; the cursor leads to the others.
    let rows: String =
        (0..10_005).map(|lot| record(&format!("{ours}/10/L{lot:05}"), "A") + "\n").collect();
    registry.batch(&root(), rows.as_bytes(), BatchMode::Atomic, Conditions::none()).unwrap();
    let (first, next) = count(&root(), &all, None);
    let (second, end) = count(&root(), &all, Some(&next.expect("more changes")));
    assert_eq!((first[0].0 + second[0].0, first[2].0 + second[2].0), (3, 10_005));
    assert_eq!(end, None);
}

#[test]
fn the_log_is_read_from_either_end() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let key = gtin("0950600013435");
    for n in 0..600 {
        fixture.put(&root(), &record(&key, &format!("T{n}"))).unwrap();
    }
    let numbers = |newest_first: bool, action: Option<&str>| {
        let filter = fingerpost_registry::AuditFilter {
            newest_first,
            action: action.map(str::to_owned),
            ..Default::default()
        };
        let mut found = Vec::new();
        let mut from = 0;
        loop {
            let page = registry.audit(&root(), from, 70, &filter).unwrap();
            found.extend(page.items.iter().map(|record| record.seq()));
            match page.next {
                Some(next) => from = next.parse().unwrap(),
                None => return found,
            }
        }
    };
    for action in [None, Some("links"), Some("organisation")] {
        let mut newest_first = numbers(true, action);
        assert!(newest_first.len() >= 2 && newest_first.is_sorted_by(|one, other| one > other));
        newest_first.reverse();
        assert_eq!(newest_first, numbers(false, action));
    }
    assert!(numbers(true, Some("no such")).is_empty());
}

#[test]
fn what_was_replaced_long_ago_may_be_forgotten() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let key = level(&gtin("0950600013435"));
    fixture.register(key.as_str());
    fixture.put(&root(), &record(key.as_str(), "B")).unwrap();
    pass(SignedDuration::from_hours(48));
    fixture.put(&root(), &record(key.as_str(), "C")).unwrap();
    let before = clock() - SignedDuration::from_hours(24);
    assert_eq!(registry.prune_history(&root(), before).unwrap(), 1);
    assert_eq!(registry.prune_history(&root(), before).unwrap(), 0);
    assert_eq!(registry.history(&root(), &key).unwrap().len(), 2);
    let report = registry.verify_audit(&root(), None).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults());
    let filter =
        fingerpost_registry::AuditFilter { action: Some("history".into()), ..Default::default() };
    assert_eq!(registry.audit(&root(), 1, 10, &filter).unwrap().items.len(), 1);
}

/// A clock that is far ahead would make every state look old.
#[test]
fn history_is_not_pruned_while_the_clock_is_far_ahead() {
    use fingerpost_registry::Pruning;
    const DAY: SignedDuration = SignedDuration::from_hours(24);
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let key = level(&gtin("0950600013435"));
    fixture.register(key.as_str());
    fixture.put(&root(), &record(key.as_str(), "B")).unwrap();
    let kept = DAY * 90;
    assert_eq!(Registry::clock_bound(kept), DAY * 30);
    assert_eq!(Registry::clock_bound(DAY * 20), DAY * 10);
    assert_eq!(registry.prune_older_than(&root(), kept).unwrap(), Pruning::Done(0));
    // Ten years ahead: refused at once, and after others have written with that clock.
    pass(DAY * 3650);
    let refused = |pruning| matches!(pruning, Pruning::ClockJumped { .. });
    assert!(refused(registry.prune_older_than(&root(), kept).unwrap()));
    fixture.put(&root(), &record(key.as_str(), "C")).unwrap();
    assert!(refused(registry.prune_older_than(&root(), kept).unwrap()));
    assert_eq!(registry.history(&root(), &key).unwrap().len(), 3);
    // Confirmed: the states are ten years old.
    registry.confirm_clock(&root()).unwrap();
    assert_eq!(registry.prune_older_than(&root(), kept).unwrap(), Pruning::Done(1));
    // Within the bound, nobody has to confirm.
    pass(DAY * 29);
    assert_eq!(registry.prune_older_than(&root(), kept).unwrap(), Pruning::Done(0));
    assert!(registry.verify_audit(&root(), None).unwrap().is_sound());
}
