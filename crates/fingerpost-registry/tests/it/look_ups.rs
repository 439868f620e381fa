//! Keys that somebody searches for: the nearest record, and what was deleted.

use crate::support;

use fingerpost_registry::{Caller, Conditions, Verb};
use fingerpost_resolver::Anchor;
use support::*;

fn nearest(fixture: &Fixture, by: &Caller, key: &str) -> Option<String> {
    let found = fixture.registry.look_up(by, &level(key)).unwrap().nearest;
    found.map(|level| level.key.to_string())
}

/// The most specific record that applies is found, whatever it covers (PE-7).
#[test]
fn the_nearest_registered_level_is_found() {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    let (lot, range) = (format!("{key}/10/A1"), format!("{key}/-range/10/2/B1/B5"));
    fixture.register(&key);
    fixture.put(&root(), &plain(&lot, "gs1:pip")).unwrap();
    fixture.put(&root(), &plain(&range, "gs1:pip")).unwrap();
    fixture.put(&root(), &record("gcp/9506000", "Company")).unwrap();
    for (asked, expected) in [
        (key.clone(), Some(key.clone())),
        (lot.clone(), Some(lot.clone())),
        (format!("{lot}/21/7"), Some(lot.clone())),
        (format!("{key}/10/B3"), Some(range.clone())),
        (format!("{key}/10/C3"), Some(key.clone())),
        (format!("{key}/-any/10"), Some(key.clone())),
        (gtin("0950600099999"), Some("gcp/9506000".to_owned())),
        (gtin("0950600113436"), None),
    ] {
        assert_eq!(nearest(&fixture, &root(), &asked), expected, "{asked}");
    }
    // A record of a company, which applies to all its keys, is no answer to a typing error.
    let asked = [gtin("0950600099999"), lot.clone(), format!("{lot}/21/7"), format!("{key}/10/Z")];
    let asked: Vec<Anchor> = asked.iter().map(|key| level(key)).collect();
    let found = fixture.registry.registered(&root(), &asked).unwrap();
    let found: Vec<_> = found.iter().map(|level| level.key.to_string()).collect();
    assert_eq!(found, [lot, key]);
}

/// A deleted record is found, with who deleted it, until it is registered again (PE-4).
#[test]
fn a_deletion_is_found() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let key = gtin("0950600013435");
    let lot = format!("{key}/10/A1");
    let deleted = |by: &Caller, key: &str| registry.look_up(by, &level(key)).unwrap().deleted;
    fixture.register(&key);
    fixture.put(&root(), &plain(&lot, "gs1:pip")).unwrap();
    assert_eq!(deleted(&root(), &lot), None);
    assert_eq!(deleted(&root(), &format!("{key}/10/A2")), None, "it never had a record");
    let ours = fixture.key(Some(fixture.ours), &[Verb::Read, Verb::Write]);
    let outcome = registry.delete(&ours, &level(&lot), Conditions::none()).unwrap();
    let found = deleted(&ours, &lot).expect("the deletion");
    assert_eq!((Some(found.revision), found.deleted), (outcome.revision, true));
    assert_eq!(found.by.unwrap().actor, ours.actor().to_string());
    // Its product is the nearest record meanwhile.
    assert_eq!(nearest(&fixture, &ours, &lot), Some(key.clone()));
    // Who cannot read there learns nothing.
    let theirs = fixture.key(Some(fixture.theirs), &[Verb::Read]);
    let writer = fixture.key(Some(fixture.ours), &[Verb::Write]);
    for other in [theirs, writer] {
        assert_eq!((deleted(&other, &lot), nearest(&fixture, &other, &lot)), (None, None));
        assert!(registry.registered(&other, &[level(&key)]).unwrap().is_empty());
    }
    fixture.put(&root(), &plain(&lot, "gs1:pip")).unwrap();
    assert_eq!(deleted(&root(), &lot), None);
}
