//! Whose a level is: the company prefix within every key type, and what only looks like it.

use crate::support;

use fingerpost_registry::{CompanyPrefix, Conditions, NewOrganisation, OrganisationChange, Verb};
use support::*;

/// May our editor write there? Qualified levels and records apart, rights alone.
fn may_write(fixture: &Fixture, path: &str) -> bool {
    let editor = fixture.key(Some(fixture.ours), &[Verb::Read, Verb::Write]);
    let conditions = Conditions::none().dry_run(true);
    let result = fixture.registry.delete(&editor, &level(path), conditions);
    match kind(&result) {
        "not found" => true,
        "forbidden" => false,
        other => panic!("{path}: {other}"),
    }
}

fn check(thirteen: &str) -> String {
    let digit = char::from(fingerpost_gs1::check_digit::of(thirteen.as_bytes()));
    format!("{thirteen}{digit}")
}

#[test]
fn the_prefix_is_found_in_every_key_type() {
    let fixture = Fixture::new();
    let thirteen = check("950600013435");
    for path in [
        format!("00/{}", check("39506000134350000")),
        format!("253/{thirteen}X"),
        format!("255/{thirteen}1"),
        "401/9506000A%2FB".to_owned(),
        format!("402/{}", check("9506000134350000")),
        format!("414/{thirteen}"),
        format!("414/{thirteen}/254/1"),
        format!("415/{thirteen}/8020/1"),
        format!("417/{thirteen}"),
        format!("8003/0{thirteen}"),
        format!("8003/0{thirteen}A"),
        "8004/9506000A".to_owned(),
        format!("8006/{}0102", check("0950600013435")),
        "8010/9506000A".to_owned(),
        "8010/9506000A/8011/1".to_owned(),
        format!("8017/{}", check("95060001343520000")),
        format!("8018/{}", check("95060001343520000")),
        format!("8018/{}/8019/1", check("95060001343520000")),
    ] {
        assert!(may_write(&fixture, &path), "{path}");
    }
    for indicator in 0..=9 {
        let path = gtin(&format!("{indicator}950600013435"));
        assert!(may_write(&fixture, &path), "{path}");
        assert!(may_write(&fixture, &format!("{path}/10/A")), "{path}");
    }
}

#[test]
fn what_only_looks_like_the_prefix_is_not_ours() {
    let fixture = Fixture::new();
    for path in [
        // The prefix one position further left or right.
        gtin("9506000134350"),
        gtin("0095060001343"),
        format!("414/{}", check("095060001343")),
        format!("00/{}", check("95060001343500000")),
        format!("00/{}", check("00950600013435000")),
        // The prefix elsewhere in the key.
        gtin("0401295060001"),
        "8004/40129506000".to_owned(),
        format!("{}/10/9506000", gtin("0401234500001")),
        format!("{}/21/9506000", gtin("0950600134352")),
        // A prefix that begins alike, and a shorter beginning.
        gtin("0950600113435"),
        format!("414/{}", check("950600113435")),
        "8004/950600".to_owned(),
        "8004/950600A0".to_owned(),
        // A digit that is percent-encoded is that digit, no other.
        "8004/950600%31A".to_owned(),
        // GTIN-8, alone, in a package, in an ITIP: they have no company prefix.
        gtin("0000009506000"),
        gtin("1000009506000"),
        format!("8006/{}0102", check("0000009506000")),
    ] {
        assert!(!may_write(&fixture, &path), "{path}");
    }
    assert!(may_write(&fixture, "8004/950600%30A"), "percent-encoded, but the same key");
}

#[test]
fn prefixes_never_overlap() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let create = |prefix: &str| {
        let prefixes = vec![prefix.to_owned()];
        let new = NewOrganisation { name: "X".into(), prefixes, ..Default::default() };
        registry.create_organisation(&root(), new)
    };
    for taken in ["9506000", "95060001", "950600", "9506", "950600013435"] {
        let refused = create(taken);
        assert_eq!(kind(&refused), "conflict", "{taken}");
        let error = refused.unwrap_err();
        assert_eq!(faults(&error), [("prefixes".into(), "/prefixes/0".into())]);
        assert!(
            !error.to_string().contains("Ours")
                && !error.to_string().contains(fixture.ours.as_str())
        );
    }
    assert_eq!(kind(&create("9506002")), "done");
    for wrong in ["950", "00000", "9506A00", ""] {
        assert_eq!(kind(&create(wrong)), "invalid", "{wrong}");
    }
    // Within one organisation too, all faults at once.
    let change = OrganisationChange {
        name: Some(" ".into()),
        prefixes: Some(vec!["9507".into(), "95070".into(), "x".into()]),
        keys: Some(vec!["/01/09506000134352/10/A".into()]),
        ..Default::default()
    };
    let error = registry.update_organisation(&root(), &fixture.ours, change).unwrap_err();
    let positions: Vec<_> = faults(&error).into_iter().map(|(_, pointer)| pointer).collect();
    assert_eq!(positions, ["/name", "/prefixes/1", "/prefixes/2", "/keys/0"]);
    // What is given up may be taken by another one.
    let change = OrganisationChange { prefixes: Some(vec!["9509".into()]), ..Default::default() };
    registry.update_organisation(&root(), &fixture.ours, change).unwrap();
    assert_eq!(kind(&create("9506000")), "done");
    assert!(
        CompanyPrefix::parse("9509")
            .unwrap()
            .covers(level(&gtin("0950912345678")).entity().unwrap())
    );
}

#[test]
fn a_single_key_goes_before_the_prefix() {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    let change = OrganisationChange { keys: Some(vec![format!("/{key}")]), ..Default::default() };
    fixture.registry.update_organisation(&root(), &fixture.theirs, change.clone()).unwrap();
    let ours = fixture.key(Some(fixture.ours), &[Verb::Read, Verb::Write]);
    let theirs = fixture.key(Some(fixture.theirs), &[Verb::Read, Verb::Write]);
    assert_eq!(kind(&fixture.put(&ours, &record(&key, "A"))), "forbidden");
    assert_eq!(kind(&fixture.put(&theirs, &record(&key, "A"))), "done");
    assert_eq!(kind(&fixture.put(&theirs, &plain(&format!("{key}/10/L"), "gs1:pip"))), "done");
    assert_eq!(kind(&fixture.put(&ours, &record(&gtin("0950600013436"), "A"))), "done");
    // Lists: each sees what it owns, and our pages do not stumble over theirs.
    let filter = fingerpost_registry::Filter::default();
    let keys = |caller| {
        let page = fixture.registry.list(caller, &filter, None, 10).unwrap();
        assert_eq!(page.next, None);
        page.items.into_iter().map(|item| item.key.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&ours), [gtin("0950600013436")]);
    assert_eq!(keys(&theirs), [key.clone(), format!("{key}/10/L")]);
    let refused = fixture.registry.update_organisation(&root(), &fixture.ours, change);
    assert_eq!(kind(&refused), "conflict");
}
