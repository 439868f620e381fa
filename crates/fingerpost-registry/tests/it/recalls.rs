//! Recalls of levels, and their end.

use crate::support;

use fingerpost_registry::{
    BatchItem, BatchMode, BatchReport, Caller, ChangeStatus, Conditions, Idempotency,
    OrganisationChange, Precondition, ProposalFilter, ProposalState, RecordChange, RefusalCode,
    RegistryError, Role, Verb,
};
use fingerpost_resolver::{RecallNotice, read_record};
use support::*;

fn notice(title: &str) -> RecallNotice {
    RecallNotice {
        href: Some("https://example.com/recall".to_owned()),
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

/// A recall outlives what is above it (PE-1): no deletion ends it, alone or with its product, in
/// any way to write.
#[test]
fn a_deletion_ends_no_recall() {
    let (fixture, key) = fixture();
    let registry = &fixture.registry;
    let (lot, other) = (format!("{key}/10/A"), format!("{key}/10/B"));
    let range = format!("{key}/-range/10/4/A100/A199");
    fixture.put(&root(), &plain(&other, "gs1:pip")).unwrap();
    recall(&fixture, &root(), &[&lot, &range]).unwrap();
    for recalled in [&lot, &range] {
        let refused = registry.delete(&root(), &level(recalled), Conditions::none()).unwrap_err();
        assert_eq!(faults(&refused), [("recall".to_owned(), String::new())]);
        let message = refused.to_string();
        assert!(message.contains(&format!("fingerpost recall --end {recalled}")), "{message}");
    }
    // The product alone: the message names what is recalled below it.
    let refused = registry.delete(&root(), &level(&key), Conditions::none()).unwrap_err();
    assert_eq!(kind::<()>(&Err(refused)), "missing default");
    let refused = registry.delete(&root(), &level(&key), Conditions::none()).unwrap_err();
    let message = refused.to_string();
    assert!(message.contains(&format!("/{lot} (recalled)")), "{message}");
    assert!(message.contains("end the recalls with `fingerpost recall --end`"), "{message}");
    assert!(!message.contains(&format!("/{other} (recalled)")), "{message}");

    // The product with all below it, as the console deletes it: nothing changes.
    let rows = [&lot, &other, &range, &key].map(|key| format!("{{\"delete\":\"/{key}\"}}"));
    let rows = rows.join("\n");
    for (mode, deleted) in [(BatchMode::Atomic, 0), (BatchMode::Each, 1)] {
        let report = registry.batch(&root(), rows.as_bytes(), mode, Conditions::none()).unwrap();
        assert_eq!(report.deleted, deleted, "{mode:?}");
        for recalled in [&lot, &range] {
            let refused = |item: &&BatchItem| item.key.as_ref() == Some(&level(recalled));
            let item = report.items.iter().find(refused).unwrap();
            assert_eq!(item.code, Some(RefusalCode::Invalid), "{mode:?}");
            assert_eq!(item.errors[0].id(), "recall", "{mode:?}");
            assert!(registry.read(&root(), &level(recalled)).unwrap().entry.is_recalled());
        }
    }
    assert!(registry.read(&root(), &level(&key)).is_ok());

    // Once the recalls have ended, the product can go.
    registry.end_recall(&root(), &[level(&lot), level(&range)], Conditions::none()).unwrap();
    registry.delete(&root(), &level(&key), Conditions::none()).unwrap();
}

/// Neither does a record that does not know of the recall: a put, a patch, an import, the return
/// to an earlier state, a succession (PE-1).
#[test]
fn a_record_without_the_recall_does_not_replace_a_recalled_one() {
    let (fixture, key) = fixture();
    let registry = &fixture.registry;
    let first = registry.read(&root(), &level(&key)).unwrap().revision;
    let next = gtin("0950600013436");
    fixture.put(&root(), &record(&next, "New tea")).unwrap();
    recall(&fixture, &root(), &[&key]).unwrap();
    let recalled = registry.read(&root(), &level(&key)).unwrap();
    let plain_record = record(&key, "Tea");
    let none = Conditions::none;
    let patch = |json: &str| registry.patch(&root(), &level(&key), json.as_bytes(), none());
    let successor = plain_record.replace(
        "\"links\":[",
        &format!(
            "\"defaultLinkType\":\"successor-version\",\"links\":[{{\"linkType\":\"successor-version\",\
             \"href\":\"https://id.example.org/{next}\",\"title\":\"New tea\"}},"
        ),
    );
    for (way, result) in [
        ("put", fixture.put(&root(), &plain_record)),
        ("patch", patch(r#"{"defaultLinkType": null}"#)),
        ("state", registry.restore(&root(), &level(&key), first, none())),
        ("succession", fixture.put(&root(), &successor)),
        // Who has seen the record can end the recall only in the way that says so, too.
        ("if-match", {
            let seen = none().precondition(Precondition::Revision(recalled.revision));
            registry.put(&root(), None, plain_record.as_bytes(), seen)
        }),
    ] {
        let refused = result.expect_err(way);
        let expected = ("recall".to_owned(), "/defaultLinkType".to_owned());
        assert_eq!(faults(&refused), [expected], "{way}");
        assert_eq!(registry.read(&root(), &level(&key)).unwrap(), recalled, "{way}");
    }
    let change =
        RecordChange::put(read_record(plain_record.as_bytes(), &registry.rules()).unwrap());
    let applied = registry.apply(&root(), &[change]).unwrap();
    assert!(matches!(applied.outcomes[0].1, Err(RegistryError::Invalid { .. })), "{applied:?}");

    // What keeps the recall is written.
    patch(r#"{"itemDescription": "Tea, 100 g"}"#).unwrap();
    let now = registry.read(&root(), &level(&key)).unwrap();
    assert!(now.entry.is_recalled() && now.revision > recalled.revision);
    // A recall of a lot goes on when its product is replaced.
    registry.end_recall(&root(), &[level(&key)], none()).unwrap();
    let lot = format!("{key}/10/A");
    recall(&fixture, &root(), &[&lot]).unwrap();
    fixture.put(&root(), &successor).unwrap();
    assert!(registry.read(&root(), &level(&lot)).unwrap().entry.is_recalled());
}

/// The end of a recall can be proposed and approved; a proposed deletion that is older than the
/// recall cannot be approved (PE-1).
#[test]
fn a_second_person_approves_the_end_of_a_recall_and_no_older_deletion() {
    let (fixture, key) = fixture();
    let registry = &fixture.registry;
    let lot = format!("{key}/10/A");
    fixture.put(&root(), &plain(&lot, "gs1:pip")).unwrap();
    let change = OrganisationChange { approval_required: Some(true), ..Default::default() };
    registry.update_organisation(&root(), &fixture.ours, change).unwrap();
    let editor = fixture.person("editor", Some(fixture.ours), Role::Editor);
    let approver = fixture.person("approver", Some(fixture.ours), Role::Approver);
    let deletion = registry.delete(&editor, &level(&lot), Conditions::none()).unwrap();
    let begun = recall(&fixture, &editor, &[&lot]).unwrap();
    registry.approve(&approver, &begun.proposals[0]).unwrap();
    assert_eq!(kind(&registry.approve(&approver, &deletion.proposal.unwrap())), "conflict");
    // It cannot be proposed again.
    assert_eq!(kind(&registry.delete(&editor, &level(&lot), Conditions::none())), "invalid");
    assert!(registry.read(&root(), &level(&lot)).unwrap().entry.is_recalled());
    let ended = registry.end_recall(&editor, &[level(&lot)], Conditions::none()).unwrap();
    registry.approve(&approver, &ended.proposals[0]).unwrap();
    assert!(!registry.read(&root(), &level(&lot)).unwrap().entry.is_recalled());
}

/// PE-30: without an address, the notice is the page of the resolver; a dry run says the same; the
/// record can be exported and imported; a company prefix has no page.
#[test]
fn a_recall_needs_no_address() {
    let (fixture, key) = fixture();
    let fixture = fixture.with_root();
    let registry = &fixture.registry;
    let levels = [level(&format!("{key}/10/A")), level(&format!("{key}/-range/10/2/B1/B9"))];
    let notices = [RecallNotice::default()];
    let dry = Conditions::none().dry_run(true);
    let report = registry.recall(&root(), &levels, &notices, dry).unwrap();
    assert_eq!((report.checked, report.refused), (2, 0));
    let report = registry.recall(&root(), &levels, &notices, Conditions::none()).unwrap();
    assert_eq!(report.created, 2);
    for (level, page) in levels.iter().zip(["10/A", "10/{10}"]) {
        let found = registry.read(&root(), level).unwrap();
        let notice = found.entry.links().next().unwrap();
        let page = format!("https://id.example.org/{key}/{page}?linkType=linkset");
        assert!(found.entry.is_recalled());
        assert_eq!((notice.href(), notice.title()), (&*page, "Recall"));
        let outcome = fixture.put(&root(), &found.record()).unwrap();
        assert_eq!(outcome.status, ChangeStatus::Unchanged);
    }
    let report = registry.end_recall(&root(), &levels, Conditions::none()).unwrap();
    assert_eq!(report.deleted, 2);
    let company = [level("gcp/9506000")];
    let report = registry.recall(&root(), &company, &notices, Conditions::none()).unwrap();
    assert_eq!(report.refused, 1, "{report:?}");
    let fault = report.items[0].errors[0].detail();
    let expected = "no page of its own about a company prefix; give the address of one of yours";
    assert!(fault.ends_with(expected), "{fault}");
}
