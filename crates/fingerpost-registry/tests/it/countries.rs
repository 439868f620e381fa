//! Issue 37: what organisations say about the country of clients, and what changes purge.

use crate::support;

use fingerpost_gs1::EntityKey;
use fingerpost_registry::{Caller, Id, OrganisationChange, Registry, Role};
use fingerpost_resolver::ContextSource;
use jiff::SignedDuration;
use support::*;

fn source(registry: &Registry, level: &str) -> Option<ContextSource> {
    registry.store().context_source(&EntityKey::parse(level).unwrap()).unwrap()
}

fn switch(registry: &Registry, caller: &Caller, id: &Id, on: bool) -> &'static str {
    let change = OrganisationChange { context_from_country: Some(on), ..Default::default() };
    kind(&registry.update_organisation(caller, id, change))
}

/// 37.1: its own administrators switch it; a single key follows its own organisation; nobody sees
/// it as a record, and nothing of it is left with the organisation gone.
#[test]
fn an_organisation_decides_for_all_its_keys() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let (single, rest) = (gtin("0950600013435"), gtin("0950600011111"));
    fixture.register(&single);
    fixture.register(&rest);
    let admin = fixture.person("ada", Some(fixture.ours), Role::Admin);
    let editor = fixture.person("eve", Some(fixture.ours), Role::Editor);
    assert_eq!(switch(registry, &editor, &fixture.ours, true), "forbidden");
    assert_eq!(source(registry, &rest), None);
    assert_eq!(switch(registry, &admin, &fixture.ours, true), "done");
    assert_eq!(source(registry, &rest), Some(ContextSource::Country));
    assert_eq!(source(registry, &single), Some(ContextSource::Country));
    let own = |keys: &[&str]| OrganisationChange {
        keys: Some(keys.iter().map(|key| format!("/{key}")).collect()),
        ..Default::default()
    };
    registry.update_organisation(&root(), &fixture.theirs, own(&[&single])).unwrap();
    assert_eq!(source(registry, &single), Some(ContextSource::Request));
    assert_eq!(source(registry, &rest), Some(ContextSource::Country));
    let listed = registry.list(&root(), &Default::default(), None, 100).unwrap().items;
    assert_eq!(listed.len(), 2, "it is no record");
    assert_eq!(fingerpost_registry::fsck(registry.store()).unwrap().faults().count(), 0);
    registry.delete_organisation(&root(), &fixture.ours).unwrap();
    assert_eq!([&single, &rest].map(|level| source(registry, level)), [None; 2]);
}

/// 37.2: every change purges once, from the stored position on, and only the holder of the lease
/// stores one.
#[test]
fn changes_purge_from_the_stored_position_on() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let (first, second) = (gtin("0950600013435"), gtin("0950600011111"));
    fixture.register(&first);
    // Before the first look nothing is known to be in a cache.
    let begin = registry.purge_batch(None, 10).unwrap();
    assert!(begin.keys.is_empty() && begin.is_last);
    let minute = SignedDuration::from_mins(1);
    assert!(registry.save_purged("one", minute, Some(&begin.end)).unwrap());
    assert!(!registry.save_purged("two", minute, Some("0")).unwrap(), "another one has the lease");
    fixture.register(&second);
    fixture.register(&format!("{first}/10/A"));
    assert_eq!(switch(registry, &root(), &fixture.ours, true), "done");
    let all = registry.purge_batch(None, 10).unwrap();
    let lot = format!("{first}/10/A");
    for key in [&second, &lot] {
        assert!(all.keys.contains(key), "{all:?}");
    }
    assert!(all.keys.iter().any(|key| key.starts_with("gcp/")) && all.is_last, "{all:?}");
    assert!(!all.keys.contains(&first), "it has not changed since");
    // Page by page, the same.
    let (mut found, mut from) = (Vec::new(), None::<String>);
    loop {
        let page = registry.purge_batch(from.as_deref(), 1).unwrap();
        found.extend(page.keys);
        from = Some(page.end);
        if page.is_last {
            break;
        }
    }
    found.sort();
    found.dedup();
    assert_eq!(found, all.keys);
    let end = from.unwrap();
    assert!(registry.purge_batch(Some(&end), 10).unwrap().keys.is_empty());
    // The store was restored from a backup that is older than the position.
    let ahead = registry.purge_batch(Some("999999"), 10).unwrap();
    assert_eq!((ahead.keys.len(), ahead.end), (0, end));
    // Another process takes over after the lease.
    pass(SignedDuration::from_mins(2));
    assert!(registry.save_purged("two", minute, None).unwrap());
    assert_eq!(registry.purge_batch(None, 10).unwrap(), all);
}
