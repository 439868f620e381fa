//! Changes that a second person approves.

use crate::support;

use fingerpost_registry::{
    Author, BatchItem, BatchMode, Caller, ChangeOutcome, ChangeStatus, Conditions, Denial, Filter,
    Id, OrganisationChange, ProposalFilter, ProposalState, RegistryError, Role, Verb, Would,
};
use support::*;

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    let change = OrganisationChange { approval_required: Some(true), ..Default::default() };
    fixture.registry.update_organisation(&root(), &fixture.ours, change).unwrap();
    fixture
}

fn open() -> ProposalFilter {
    ProposalFilter { state: Some(ProposalState::Open), ..ProposalFilter::default() }
}

fn proposed(outcome: Result<ChangeOutcome, RegistryError>) -> Id {
    let outcome = outcome.unwrap();
    assert_eq!(outcome.status, ChangeStatus::Proposed);
    outcome.proposal.unwrap()
}

#[test]
fn a_second_person_releases_a_change() {
    let fixture = fixture();
    let registry = &fixture.registry;
    let key = gtin("0950600013435");
    let editor = fixture.person("editor", Some(fixture.ours), Role::Editor);
    let approver = fixture.person("approver", Some(fixture.ours), Role::Approver);
    let id = proposed(fixture.put(&editor, &record(&key, "A")));
    assert_eq!(kind(&registry.read(&editor, &level(&key))), "not found", "nothing is written yet");
    assert_eq!(kind(&registry.approve(&editor, &id)), "forbidden", "an editor releases nothing");
    assert_eq!(registry.proposals(&approver, &open(), None, 10).unwrap().items.len(), 1);
    let of = |key| ProposalFilter { key: Some(level(key)), ..open() };
    let count = |filter| registry.proposals(&approver, &filter, None, 10).unwrap().items.len();
    assert_eq!((count(of(&key)), count(of(&gtin("0950600013436")))), (1, 0));
    let by = |caller: &Caller| ProposalFilter { by: Some(caller.actor().to_string()), ..open() };
    assert_eq!((count(by(&editor)), count(by(&approver))), (1, 0));
    let revision = registry.approve(&approver, &id).unwrap();
    let now = registry.read(&editor, &level(&key)).unwrap();
    assert_eq!(now.revision, revision);
    // PE-21: a record names who proposed it, not the approver alone; so does the list.
    let listed = registry.list(&editor, &Filter::default(), None, 10).unwrap().items.remove(0);
    for level in [now, listed] {
        let author = level.proposed_by.unwrap();
        assert_eq!(author.name.as_deref(), Some("Name of editor"));
    }
    // The history names both, and so does the log.
    let [state] = &registry.history(&editor, &level(&key)).unwrap()[..] else {
        panic!("one state")
    };
    let name = |author: &Option<Author>| author.as_ref().unwrap().name.clone().unwrap();
    assert_eq!(name(&state.by), "Name of approver");
    assert_eq!(name(&state.proposed_by), "Name of editor");
    let filter =
        fingerpost_registry::AuditFilter { subject: Some(key.clone()), ..Default::default() };
    let log = registry.audit(&root(), 1, 10, &filter).unwrap().items;
    assert_eq!(log[0].actor(), approver.actor().to_string());
    assert_eq!(log[0].details()["proposedBy"], editor.actor().to_string());
    let done = registry.proposal(&editor, &id).unwrap();
    let author = |caller: &Caller, name: &str| Author {
        actor: caller.actor().to_string(),
        name: Some(name.to_owned()),
    };
    assert_eq!(done.by, author(&editor, "Name of editor"));
    assert_eq!(done.decided_by, Some(author(&approver, "Name of approver")));
    assert_eq!(done.state, ProposalState::Approved);
    assert_eq!(kind(&registry.approve(&approver, &id)), "conflict", "only once");
    assert_eq!(kind(&registry.reject(&approver, &id, None)), "conflict");
    // Deleting, patching and restoring wait too; administrators of the installation do not.
    let patch = br#"{"itemDescription": "x"}"#;
    proposed(registry.patch(&editor, &level(&key), patch, Conditions::none()));
    proposed(registry.delete(&approver, &level(&key), Conditions::none()));
    let dry = registry.delete(&editor, &level(&key), Conditions::none().dry_run(true)).unwrap();
    assert_eq!((dry.status, dry.would), (ChangeStatus::Checked, Some(Would::Propose)));
    // A change that changes nothing needs no approval.
    let status = |caller, title| fixture.put(caller, &record(&key, title)).unwrap().status;
    assert_eq!(status(&editor, "A"), ChangeStatus::Unchanged);
    assert_eq!(status(&root(), "B"), ChangeStatus::Replaced);
    proposed(registry.restore(&editor, &level(&key), revision, Conditions::none()));
}

#[test]
fn nobody_releases_their_own_change() {
    let fixture = fixture();
    let registry = &fixture.registry;
    let ours = Some(fixture.ours);
    let admin = fixture.person("admin", ours, Role::Admin);
    let own_key = |caller: &Caller, verbs: &[Verb]| {
        let (_, token) = registry.create_key(caller, new_key(ours, verbs, None)).unwrap();
        registry.authenticate_key(&token, &client()).unwrap()
    };
    let all = [Verb::Read, Verb::Write, Verb::Admin];
    let key = own_key(&admin, &all);
    let key_of_key = own_key(&key, &all);
    let level = gtin("0950600013435");
    for proposer in [&admin, &key, &key_of_key] {
        let id = proposed(fixture.put(proposer, &record(&level, "A")));
        for decider in [&admin, &key, &key_of_key] {
            let refused = registry.approve(decider, &id);
            let is_same = matches!(refused, Err(RegistryError::Forbidden(Denial::SamePerson)));
            assert!(is_same, "{} of {}", decider.actor(), proposer.actor());
        }
        // Taking back is everybody's own right.
        assert_eq!(
            registry.reject(&admin, &id, Some("mistake")).unwrap().state,
            ProposalState::Rejected
        );
    }
    let id = proposed(fixture.put(&key, &record(&level, "A")));
    let other = fixture.person("other", ours, Role::Approver);
    assert_eq!(kind(&registry.approve(&other, &id)), "done");
}

#[test]
fn a_proposal_fits_only_what_it_was_made_for() {
    let fixture = fixture();
    let registry = &fixture.registry;
    let (key, other) = (gtin("0950600013435"), gtin("0950600023435"));
    fixture.register(&key);
    let editor = fixture.key(Some(fixture.ours), &[Verb::Read, Verb::Write]);
    let approver = fixture.person("approver", Some(fixture.ours), Role::Approver);
    let replace = proposed(fixture.put(&editor, &record(&key, "B")));
    let create = proposed(fixture.put(&editor, &record(&other, "B")));
    fixture.put(&root(), &record(&key, "C")).unwrap();
    fixture.put(&root(), &record(&other, "C")).unwrap();
    for id in [replace, create] {
        let error = registry.approve(&approver, &id).unwrap_err();
        assert_eq!(faults(&error), [("conflict".into(), "/changes/0".into())]);
        assert_eq!(registry.proposal(&approver, &id).unwrap().state, ProposalState::Open);
    }
    assert!(registry.read(&editor, &level(&key)).unwrap().record().contains("\"C\""));
    // The rule across levels is judged when it is released. RES-2.5.9-1
    let third = gtin("0950600033435");
    let lot = proposed(fixture.put(&editor, &plain(&format!("{third}/10/L"), "gs1:pip")));
    let error = registry.approve(&approver, &lot).unwrap_err();
    assert_eq!(faults(&error), [("RES-2.5.9-1".into(), "/changes/0".into())]);
    fixture.register(&third);
    assert_eq!(kind(&registry.approve(&approver, &lot)), "done");
}

/// Sections 2.5.9 and 2.5.10: records of company prefixes, sets and ranges wait for a second person
/// as records of keys do, and the rules across levels are judged when they are released.
/// RES-2.5.9-1, RES-2.5.9-8, RES-2.5.9-9, RES-2.5.9-10.
#[test]
fn section_2_5_9_anchors_are_released_by_a_second_person() {
    let fixture = fixture();
    let registry = &fixture.registry;
    let key = gtin("0950600013435");
    let editor = fixture.person("editor", Some(fixture.ours), Role::Editor);
    let approver = fixture.person("approver", Some(fixture.ours), Role::Approver);
    let stranger = fixture.person("stranger", Some(fixture.theirs), Role::Approver);
    let company = format!("gcp/{OURS}");
    let (any, range) = (format!("{key}/-any/10"), format!("{key}/-range/10/4/A100/A199"));
    let propose = |anchor: &str| proposed(fixture.put(&editor, &record(anchor, "A")));
    let wide: Vec<(&String, Id)> =
        [&company, &any, &range].into_iter().map(|anchor| (anchor, propose(anchor))).collect();
    for (anchor, id) in &wide {
        assert_eq!(kind(&registry.read(&editor, &level(anchor))), "not found", "{anchor}");
        assert_eq!(kind(&registry.approve(&editor, id)), "forbidden", "{anchor}");
        assert_eq!(kind(&registry.approve(&stranger, id)), "not found", "{anchor}");
        let proposal = registry.proposal(&approver, id).unwrap();
        assert_eq!(proposal.changes[0].key.as_str(), *anchor);
    }
    // Sets need the default link of their key, a company prefix has its own.
    let release = |at: usize| registry.approve(&approver, &wide[at].1);
    assert_eq!(kind(&release(0)), "done");
    for at in [1, 2] {
        let error = release(at).unwrap_err();
        assert_eq!(faults(&error), [("RES-2.5.9-1".into(), "/changes/0".into())]);
    }
    fixture.register(&key);
    // Two ranges with a value in common: whichever is released second is refused, and stays open.
    let overlapping = propose(&format!("{key}/-range/10/4/A150/A250"));
    for at in [1, 2] {
        assert_eq!(kind(&release(at)), "done");
    }
    let error = registry.approve(&approver, &overlapping).unwrap_err();
    assert_eq!(faults(&error), [("RES-2.5.9-10".into(), "/changes/0/record/anchor".into())]);
    assert_eq!(registry.proposal(&approver, &overlapping).unwrap().state, ProposalState::Open);
    for (anchor, _) in &wide {
        let stored = registry.read(&editor, &level(anchor)).unwrap();
        assert!(stored.record().contains(&format!("\"anchor\":\"/{anchor}\"")), "{anchor}");
        // Deleting waits too.
        let gone = proposed(registry.delete(&editor, &level(anchor), Conditions::none()));
        assert_eq!(kind(&registry.approve(&approver, &gone)), "done", "{anchor}");
        assert_eq!(kind(&registry.read(&editor, &level(anchor))), "not found", "{anchor}");
    }
    assert_eq!(kind(&registry.approve(&approver, &overlapping)), "done");
}

#[test]
fn others_know_nothing_of_proposals() {
    let fixture = fixture();
    let registry = &fixture.registry;
    let editor = fixture.key(Some(fixture.ours), &[Verb::Read, Verb::Write]);
    let id = proposed(fixture.put(&editor, &record(&gtin("0950600013435"), "A")));
    let stranger = fixture.person("stranger", Some(fixture.theirs), Role::Admin);
    assert_eq!(kind(&registry.proposal(&stranger, &id)), "not found");
    assert_eq!(kind(&registry.approve(&stranger, &id)), "not found");
    assert_eq!(kind(&registry.reject(&stranger, &id, None)), "not found");
    assert!(
        registry
            .proposals(&stranger, &ProposalFilter::default(), None, 10)
            .unwrap()
            .items
            .is_empty()
    );
    // Taking back takes what proposing took: a key of the same maker that only reads may not.
    let same_maker = fixture.key(Some(fixture.ours), &[Verb::Read]);
    assert_eq!(kind(&registry.reject(&same_maker, &id, None)), "forbidden");
    let reader = fixture.person("reader", Some(fixture.ours), Role::Reader);
    assert_eq!(kind(&registry.approve(&reader, &id)), "forbidden");
    assert_eq!(kind(&registry.reject(&reader, &id, None)), "forbidden");
}

#[test]
fn a_batch_waits_as_a_whole_or_by_rows() {
    let fixture = fixture();
    let registry = &fixture.registry;
    let editor = fixture.person("editor", None, Role::Editor);
    let approver = fixture.person("approver", None, Role::Approver);
    let (waits, free) = (gtin("0950600013435"), gtin("0950600113435"));
    let rows = format!("{}\n{}\n", record(&waits, "A"), record(&free, "A"));
    let run = |mode| registry.batch(&editor, rows.as_bytes(), mode, Conditions::none()).unwrap();
    for (mode, waiting) in [(BatchMode::Atomic, 2), (BatchMode::Each, 1)] {
        let dry = Conditions::none().dry_run(true);
        let report = registry.batch(&editor, rows.as_bytes(), mode, dry).unwrap();
        let would_wait = |item: &&BatchItem| item.outcome.would == Some(Would::Propose);
        assert_eq!(report.items.iter().filter(would_wait).count(), waiting);
        assert_eq!(report.proposals, [], "nobody could find what was taken back");
    }
    let atomic = run(BatchMode::Atomic);
    assert_eq!((atomic.proposed, atomic.created, atomic.proposals.len()), (2, 0, 1));
    let each = run(BatchMode::Each);
    assert_eq!((each.proposed, each.created, each.proposals.len()), (1, 1, 1));
    assert_eq!(kind(&registry.approve(&approver, &atomic.proposals[0])), "conflict");
    assert_eq!(kind(&registry.approve(&approver, &each.proposals[0])), "done");
    assert_eq!(run(BatchMode::Atomic).unchanged, 2);
}

#[test]
fn proposals_of_early_builds_can_be_decided() {
    let fixture = fixture();
    let registry = &fixture.registry;
    let editor = fixture.person("editor", Some(fixture.ours), Role::Editor);
    let approver = fixture.person("approver", Some(fixture.ours), Role::Approver);
    let key = gtin("0950600013435");
    let (id, actor, record) = (Id::random(), editor.actor().to_string(), record(&key, "A"));
    // Authors were texts, and levels began with a slash.
    let stored = format!(
        r#"{{"id": "{id}", "by": "{actor}", "person": "{actor}", "at": "2026-01-01T00:00:00Z", "state": "open",
        "decidedBy": null, "decidedAt": null, "reason": null,
        "changes": [{{"key": "/{key}", "base": null, "record": {record}}}]}}"#
    );
    let put = registry
        .store()
        .transact(move |tx| tx.put_document("proposals", id.as_str(), stored.as_bytes()));
    put.unwrap();
    let found = registry.proposal(&approver, &id).unwrap();
    assert_eq!((found.by.actor, found.changes[0].key.as_str()), (actor, &*key));
    assert_eq!(kind(&registry.approve(&approver, &id)), "forbidden", "who proposed it is unknown");
    registry.determine_principals().unwrap();
    registry.approve(&approver, &id).unwrap();
    assert_eq!(kind(&registry.read(&editor, &level(&key))), "done");
}
