//! Successors: chains are allowed, circles are refused, and organisations gain nothing over each
//! other by them.

use crate::support;

use std::thread;

use fingerpost_registry::{
    BatchMode, ChangeStatus, Conditions, OrganisationChange, RegistryError, Role, Verb,
};
use support::*;

fn replaced(old: &str, root: &str, new: &str) -> String {
    let own = record(old, "Tea");
    let end = own.rfind(']').unwrap();
    let link =
        format!(r#",{{"linkType":"successor-version","href":"{root}/{new}","title":"New"}}"#);
    let own = format!("{}{link}{}", &own[..end], &own[end..]);
    own.replacen('{', r#"{"defaultLinkType":"successor-version","#, 1)
}

const ROOT: &str = "https://id.example.org";

#[test]
fn successors_that_lead_back_are_refused_when_written() {
    let fixture = Fixture::new();
    let [a, b, c] = ["0950600013435", "0950600013436", "0950600013437"].map(gtin);
    for key in [&a, &b, &c] {
        fixture.put(&root(), &record(key, "Tea")).unwrap();
    }
    fixture.put(&root(), &replaced(&a, ROOT, &b)).unwrap();
    fixture.put(&root(), &replaced(&b, ROOT, &c)).unwrap();
    // On another resolver it is another item.
    fixture.put(&root(), &replaced(&c, "https://other.example", &a)).unwrap();
    let error = fixture.put(&root(), &replaced(&c, ROOT, &a)).unwrap_err();
    let RegistryError::Invalid { faults, .. } = &error else { panic!("{error:?}") };
    assert!(faults[0].detail().contains("in a circle"), "{faults:?}");
    assert!(faults[0].pointer().ends_with("/href"), "{faults:?}");
    // With the succession of one of them ended, there is no circle.
    fixture.put(&root(), &record(&b, "Tea")).unwrap();
    fixture.put(&root(), &replaced(&c, ROOT, &a)).unwrap();
}

#[test]
fn a_circle_within_one_batch_is_refused() {
    let fixture = Fixture::new();
    let [a, b] = ["0950600013435", "0950600013436"].map(gtin);
    let rows = format!("{}\n{}\n", replaced(&a, ROOT, &b), replaced(&b, ROOT, &a));
    let report = fixture
        .registry
        .batch(&root(), rows.as_bytes(), BatchMode::Atomic, Conditions::none())
        .unwrap();
    assert_eq!(report.refused, 1, "{report:?}");
}

/// A record whose successors are these addresses, in this order, with further members of each link.
fn succeeded_by(old: &str, successors: &[(String, &str)]) -> String {
    let links: String = successors
        .iter()
        .map(|(href, further)| {
            format!(r#",{{"linkType":"successor-version","href":"{href}","title":"New"{further}}}"#)
        })
        .collect();
    let own = record(old, "Tea");
    let end = own.rfind(']').unwrap();
    let own = format!("{}{links}{}", &own[..end], &own[end..]);
    own.replacen('{', r#"{"defaultLinkType":"successor-version","#, 1)
}

/// Circles that two organisations make together, each by a record of its own that seems harmless.
#[test]
fn no_disguise_hides_a_circle() {
    let fixture = Fixture::new();
    let [a, b, c] = ["0950600013435", "0950600113436", "0950600013437"].map(gtin);
    let (us, them) = (
        fixture.key(Some(fixture.ours), &[Verb::Write]),
        fixture.key(Some(fixture.theirs), &[Verb::Write]),
    );
    for key in [&a, &c] {
        fixture.put(&us, &record(key, "Tea")).unwrap();
    }
    let to = |key: &str, rest: &str| (format!("{ROOT}/{key}{rest}"), "");
    let over = r#","validUntil":"2020-01-01T00:00:00Z""#;
    for (name, successors) in [
        ("plain", vec![to(&a, "")]),
        ("a query", vec![to(&a, "?x=1")]),
        ("a fragment", vec![to(&a, "#x/01/y")]),
        ("a query with a key", vec![to(&a, &format!("?/{c}"))]),
        ("the second link", vec![to(&c, ""), to(&a, "")]),
        ("after one that has expired", vec![(format!("{ROOT}/{c}"), over), to(&a, "")]),
        ("to itself, with a query", vec![to(&b, "?x=1")]),
    ] {
        fixture.put(&them, &record(&b, "Tea")).unwrap();
        fixture.put(&us, &replaced(&a, ROOT, &b)).unwrap();
        let refused = fixture.put(&them, &succeeded_by(&b, &successors));
        assert_eq!(kind(&refused), "invalid", "{name}");
        if name.contains("itself") {
            continue;
        }
        // The other way round: the harmless record is the last one.
        fixture.put(&us, &record(&a, "Tea")).unwrap();
        fixture.put(&them, &succeeded_by(&b, &successors)).unwrap();
        assert_eq!(kind(&fixture.put(&us, &replaced(&a, ROOT, &b))), "invalid", "{name}, reversed");
    }
}

#[test]
fn a_circle_longer_than_what_is_followed_is_refused() {
    let fixture = Fixture::new();
    let keys: Vec<String> = (0..30).map(|n| gtin(&format!("09506000{n:05}"))).collect();
    for key in &keys {
        fixture.register(key);
    }
    for (old, new) in keys.iter().zip(&keys[1..]) {
        fixture.put(&root(), &replaced(old, ROOT, new)).unwrap();
    }
    let error = fixture.put(&root(), &replaced(&keys[29], ROOT, &keys[0])).unwrap_err();
    let RegistryError::Invalid { faults, .. } = &error else { panic!("{error:?}") };
    assert!(faults[0].detail().contains("at most 20"), "{faults:?}");
    // A short way to the end of the chain is none.
    fixture.register(&gtin("0950600099999"));
    fixture.put(&root(), &replaced(&gtin("0950600099999"), ROOT, &keys[15])).unwrap();
}

/// Every way to write a record is judged, also those that take it from the history.
#[test]
fn no_way_back_makes_a_circle() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let [a, b] = ["0950600013435", "0950600113436"].map(gtin);
    fixture.register(&b);
    let first = fixture.put(&root(), &replaced(&a, ROOT, &b)).unwrap().revision.unwrap();
    // An earlier state.
    fixture.put(&root(), &record(&a, "Tea")).unwrap();
    fixture.put(&root(), &replaced(&b, ROOT, &a)).unwrap();
    let back = registry.restore(&root(), &level(&a), first, Conditions::none());
    assert_eq!(kind(&back), "invalid");
    // A part of a record.
    let patch = succeeded_by(&a, &[(format!("{ROOT}/{b}"), "")]);
    let patched = registry.patch(&root(), &level(&a), patch.as_bytes(), Conditions::none());
    assert_eq!(kind(&patched), "invalid");
    // The end of a recall, which brings the succession back.
    fixture.put(&root(), &record(&b, "Tea")).unwrap();
    fixture.put(&root(), &replaced(&a, ROOT, &b)).unwrap();
    let notice = fingerpost_resolver::RecallNotice {
        href: Some("https://example.com/recall".to_owned()),
        title: "Recall".to_owned(),
        hreflang: vec!["en".to_owned()],
    };
    registry.recall(&root(), &[level(&a)], &[notice], Conditions::none()).unwrap();
    fixture.put(&root(), &replaced(&b, ROOT, &a)).unwrap();
    let ended = registry.end_recall(&root(), &[level(&a)], Conditions::none()).unwrap();
    assert_eq!((ended.replaced, ended.refused), (0, 1), "{ended:?}");
    assert!(registry.read(&root(), &level(&a)).unwrap().entry.is_recalled());
}

#[test]
fn two_halves_of_a_circle_written_at_once_are_not_both_accepted() {
    let fixture = Fixture::new();
    let [a, b] = ["0950600013435", "0950600113436"].map(gtin);
    for _ in 0..20 {
        fixture.register(&a);
        fixture.register(&b);
        let halves = [replaced(&a, ROOT, &b), replaced(&b, ROOT, &a)];
        let written: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> =
                halves.iter().map(|half| scope.spawn(|| fixture.put(&root(), half))).collect();
            threads.into_iter().map(|thread| kind(&thread.join().unwrap())).collect()
        });
        let mut sorted = written.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, ["done", "invalid"], "{written:?}");
    }
}

/// Two proposals that are harmless when they are made: the second one is refused when it is
/// approved.
#[test]
fn approval_completes_no_circle() {
    let fixture = Fixture::new();
    let change = OrganisationChange { approval_required: Some(true), ..Default::default() };
    fixture.registry.update_organisation(&root(), &fixture.ours, change).unwrap();
    let [a, b] = ["0950600013435", "0950600013436"].map(gtin);
    fixture.register(&a);
    fixture.register(&b);
    let editor = fixture.person("editor", Some(fixture.ours), Role::Editor);
    let approver = fixture.person("approver", Some(fixture.ours), Role::Approver);
    let [first, second] = [(&a, &b), (&b, &a)].map(|(old, new)| {
        let proposed = fixture.put(&editor, &replaced(old, ROOT, new)).unwrap();
        assert_eq!(proposed.status, ChangeStatus::Proposed, "a successor needs approval");
        proposed.proposal.unwrap()
    });
    fixture.registry.approve(&approver, &first).unwrap();
    assert_eq!(kind(&fixture.registry.approve(&approver, &second)), "invalid");
    assert!(!fixture.registry.read(&editor, &level(&b)).unwrap().entry.is_succeeded());
}

/// A successor of another organisation is an address and nothing more: naming one changes nothing
/// there and tells nothing of what is there.
#[test]
fn a_successor_of_others_tells_nothing_about_them() {
    let fixture = Fixture::new();
    let own = gtin("0950600013435");
    let [there, succeeded, absent] = ["0950600113435", "0950600113436", "0950600113437"].map(gtin);
    fixture.register(&there);
    fixture.put(&root(), &replaced(&succeeded, ROOT, &there)).unwrap();
    let us = fixture.key_with(Some(fixture.ours), &[Verb::Read, Verb::Write], Some("95060001"));
    let before = fixture.registry.read(&root(), &level(&there)).unwrap().revision;
    let outcomes = [&there, &succeeded, &absent].map(|key| {
        let dry = Conditions::none().dry_run(true);
        let body = replaced(&own, ROOT, key);
        let outcome = fixture.registry.put(&us, None, body.as_bytes(), dry);
        format!("{outcome:?}").replace(key.as_str(), "KEY")
    });
    assert!(outcomes[0].starts_with("Ok("), "{outcomes:?}");
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{outcomes:?}");
    fixture.put(&us, &replaced(&own, ROOT, &there)).unwrap();
    assert_eq!(fixture.registry.read(&root(), &level(&there)).unwrap().revision, before);
    // A key that is limited to a prefix gains nothing behind it, nor does the owner of the
    // successor at the old key.
    let them = fixture.key(Some(fixture.theirs), &[Verb::Read, Verb::Write]);
    for (caller, key) in [(&us, &there), (&us, &gtin("0950600023435")), (&them, &own)] {
        assert_eq!(kind(&fixture.put(caller, &record(key, "X"))), "forbidden");
        assert_eq!(kind(&fixture.registry.read(caller, &level(key))), "forbidden");
    }
}

/// A company prefix goes to another organisation: with it goes every right at its records, also
/// that to approve what was proposed.
#[test]
fn successors_belong_to_the_new_owner_of_a_prefix() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let change = OrganisationChange { approval_required: Some(true), ..Default::default() };
    registry.update_organisation(&root(), &fixture.ours, change.clone()).unwrap();
    registry.update_organisation(&root(), &fixture.theirs, change).unwrap();
    let [a, b] = ["0950600013435", "0950600113436"].map(gtin);
    fixture.register(&a);
    fixture.register(&b);
    let person = |login, organisation, role| fixture.person(login, Some(organisation), role);
    let editor = person("editor", fixture.ours, Role::Editor);
    let approver = person("approver", fixture.ours, Role::Approver);
    let new_owner = person("new", fixture.theirs, Role::Approver);
    let waiting =
        fixture.put(&editor, &replaced(&a, ROOT, &b)).unwrap().proposal.expect("it waits");
    let prefixes = |id, prefixes: &[&str]| {
        let prefixes = Some(prefixes.iter().map(|&prefix| prefix.to_owned()).collect());
        let change = OrganisationChange { prefixes, ..Default::default() };
        registry.update_organisation(&root(), id, change).unwrap();
    };
    prefixes(&fixture.ours, &[]);
    prefixes(&fixture.theirs, &[OURS, THEIRS]);
    assert_eq!(kind(&registry.approve(&approver, &waiting)), "not found");
    assert_eq!(kind(&fixture.put(&editor, &replaced(&a, ROOT, &b))), "forbidden");
    assert!(!registry.read(&root(), &level(&a)).unwrap().entry.is_succeeded());
    // The new owner decides about it, with a second person of their own.
    assert_eq!(
        fixture.put(&new_owner, &replaced(&a, ROOT, &b)).unwrap().status,
        ChangeStatus::Proposed
    );
}
