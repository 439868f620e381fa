//! Recalls of levels, and their end.

use crate::support;

use fingerpost_registry::{
    BatchItem, BatchReport, Caller, Conditions, Idempotency, OrganisationChange, ProposalFilter,
    ProposalState, RefusalCode, RegistryError, Role, Verb,
};
use fingerpost_resolver::RecallNotice;
use support::*;

fn notice(title: &str) -> RecallNotice {
    RecallNotice {
        href: "https://example.com/recall".to_owned(),
        title: title.to_owned(),
        hreflang: Vec::new(),
    }
}

fn codes(report: &BatchReport) -> Vec<(u64, Option<RefusalCode>)> {
    report.items.iter().map(|BatchItem { line, code, .. }| (*line, *code)).collect()
}

fn fixture() -> (Fixture, String) {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    fixture.put(&root(), &record(&key, "Tea")).unwrap();
    (fixture, key)
}

fn recall(fixture: &Fixture, by: &Caller, levels: &[&str]) -> Result<BatchReport, RegistryError> {
    let levels: Vec<_> = levels.iter().map(|text| level(text)).collect();
    fixture.registry.recall(by, &levels, &[notice("Recall")], Conditions::none())
}

#[test]
fn a_recall_is_reversible_and_keeps_everything_else() {
    let (fixture, key) = fixture();
    let registry = &fixture.registry;
    let before = registry.read(&root(), &level(&key)).unwrap().record();
    let (level, caller) = (level(&key), root());
    for title in ["first", "second"] {
        let notices = [notice(title)];
        let levels = std::slice::from_ref(&level);
        let report = registry.recall(&caller, levels, &notices, Conditions::none()).unwrap();
        assert_eq!(report.replaced, 1);
        let now = registry.read(&caller, &level).unwrap().entry;
        let titles: Vec<_> = now
            .links()
            .filter(|link| link.is_recall())
            .map(|link| link.title().to_owned())
            .collect();
        assert!(now.is_recalled() && titles == [title], "{titles:?}");
    }
    let levels = [level.clone()];
    assert_eq!(registry.end_recall(&caller, &levels, Conditions::none()).unwrap().replaced, 1);
    assert_eq!(registry.read(&caller, &level).unwrap().record(), before);
    assert_eq!(registry.end_recall(&caller, &levels, Conditions::none()).unwrap().unchanged, 1);
    // History and audit are those of every change.
    assert_eq!(registry.history(&caller, &level).unwrap().len(), 4);
}

#[test]
fn all_levels_are_recalled_or_none() {
    let (fixture, key) = fixture();
    let lot = format!("{key}/10/A");
    let report = recall(&fixture, &root(), &[&lot, &gtin("0950600013436")]).unwrap();
    assert_eq!(codes(&report), [(2, Some(RefusalCode::MissingDefault))]);
    assert_eq!(kind(&fixture.registry.read(&root(), &level(&lot))), "not found");
    // A level twice is one level.
    let report = recall(&fixture, &root(), &[&lot, &lot]).unwrap();
    assert_eq!((report.created, report.items.len()), (1, 1));
}

#[test]
fn only_who_may_write_there_recalls() {
    let (fixture, key) = fixture();
    let theirs = fixture.key(Some(fixture.theirs), &[Verb::Read, Verb::Write]);
    let report = recall(&fixture, &theirs, &[&key]).unwrap();
    assert_eq!(codes(&report), [(1, Some(RefusalCode::Forbidden))]);
    let reader = fixture.key(Some(fixture.ours), &[Verb::Read]);
    assert_eq!(kind(&recall(&fixture, &reader, &[&key])), "forbidden");
    assert!(!fixture.registry.read(&root(), &level(&key)).unwrap().entry.is_recalled());
}

#[test]
fn a_second_person_approves_where_the_organisation_asks_for_it() {
    let (fixture, key) = fixture();
    let registry = &fixture.registry;
    let change = OrganisationChange { approval_required: Some(true), ..Default::default() };
    registry.update_organisation(&root(), &fixture.ours, change).unwrap();
    let editor = fixture.person("editor", Some(fixture.ours), Role::Editor);
    let approver = fixture.person("approver", Some(fixture.ours), Role::Approver);
    let report = recall(&fixture, &editor, &[&key, &format!("{key}/10/A")]).unwrap();
    assert_eq!((report.proposed, report.proposals.len()), (2, 1));
    assert!(!registry.read(&root(), &level(&key)).unwrap().entry.is_recalled());
    registry.approve(&approver, &report.proposals[0]).unwrap();
    assert!(registry.read(&root(), &level(&key)).unwrap().entry.is_recalled());
    let open = ProposalFilter { state: Some(ProposalState::Open), ..Default::default() };
    assert!(registry.proposals(&approver, &open, None, 10).unwrap().items.is_empty());
}

#[test]
fn recalls_have_limits_and_can_be_repeated() {
    let (fixture, key) = fixture();
    assert_eq!(kind(&recall(&fixture, &root(), &[])), "invalid");
    let none = fixture.registry.recall(&root(), &[level(&key)], &[], Conditions::none());
    assert_eq!(kind(&none), "invalid");
    let many: Vec<String> = (0..=1_000).map(|number| format!("{key}/10/{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(kind(&recall(&fixture, &root(), &many)), "too large");
    assert_eq!(recall(&fixture, &root(), &many[1..]).unwrap().created, 1_000);
    let conditions = || Conditions::none().idempotency(Idempotency::new("once", [&b"body"[..]]));
    let lot = [level(&format!("{key}/10/X"))];
    let send = || fixture.registry.recall(&root(), &lot, &[notice("R")], conditions()).unwrap();
    let (first, again) = (send(), send());
    assert_eq!((first.created, first), (1, again));
    let dry = Conditions::none().dry_run(true);
    let report = fixture.registry.end_recall(&root(), &lot, dry).unwrap();
    assert_eq!((report.checked, report.revision), (1, None));
    assert!(fixture.registry.read(&root(), &lot[0]).is_ok());
}
