//! Change sets: what is one entry of the history, and how it is taken back (PE-17).

use crate::support;

use fingerpost_registry::{
    BatchItem, BatchMode, BatchReport, Caller, ChangeSet, ChangeSetKind, ChangeSetRequest,
    Conditions, ProposalFilter, RecordChange, RefusalCode, Role, Verb,
};
use fingerpost_resolver::{RecallNotice, read_record};
use fingerpost_store::Revision;
use jiff::SignedDuration;
use support::*;

fn batch(fixture: &Fixture, by: &Caller, mode: BatchMode, rows: &[String]) -> BatchReport {
    let rows = rows.join("\n");
    fixture.registry.batch(by, rows.as_bytes(), mode, Conditions::none()).unwrap()
}

fn undo(fixture: &Fixture, by: &Caller, set: Revision) -> BatchReport {
    fixture.registry.undo(by, set, BatchMode::Atomic, Conditions::none()).unwrap()
}

fn delete(level: &str) -> String {
    format!(r#"{{"delete":"/{level}"}}"#)
}

fn exists(fixture: &Fixture, key: &str) -> bool {
    fixture.registry.read(&root(), &level(key)).is_ok()
}

fn title(fixture: &Fixture, key: &str) -> String {
    let level = fixture.registry.read(&root(), &level(key)).unwrap();
    level.entry.links().next().unwrap().title().to_owned()
}

fn set(fixture: &Fixture, id: Revision) -> ChangeSet {
    fixture.registry.change_set(&root(), id).unwrap()
}

fn codes(report: &BatchReport) -> Vec<(u64, Option<RefusalCode>)> {
    report.items.iter().map(|BatchItem { line, code, .. }| (*line, *code)).collect()
}

#[test]
fn a_deletion_with_everything_below_is_taken_back_as_a_whole() {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    let lot = format!("{key}/10/A");
    batch(&fixture, &root(), BatchMode::Atomic, &[record(&key, "Tea"), plain(&lot, "gs1:pip")]);
    let report = batch(&fixture, &root(), BatchMode::Atomic, &[delete(&lot), delete(&key)]);
    let deletion = report.change_set.unwrap();
    assert!(!exists(&fixture, &key) && !exists(&fixture, &lot));
    let states = fixture.registry.revisions(&root(), &level(&lot), None, 1).unwrap();
    assert_eq!(states.items[0].change_set, Some(deletion), "the history leads to the set");
    let undone = undo(&fixture, &root(), deletion);
    assert_eq!((undone.created, undone.refused), (2, 0));
    assert!(exists(&fixture, &key) && exists(&fixture, &lot));
    let (first, second) = (set(&fixture, deletion), set(&fixture, undone.change_set.unwrap()));
    assert_eq!((first.deleted, first.undone_by), (2, undone.change_set));
    assert_eq!((second.kind, second.undoes), (ChangeSetKind::Undo, Some(deletion)));
    // What was taken back can be done again, and then the first set is in force again.
    let again = undo(&fixture, &root(), second.id);
    assert_eq!(again.deleted, 2);
    assert_eq!(set(&fixture, deletion).undone_by, None);
}

/// What a member reads of a record names no set that the member cannot find.
#[test]
fn the_history_names_only_sets_that_the_reader_can_find() {
    let fixture = Fixture::new();
    let (own, other) = (gtin("0950600013435"), gtin("0950600113435"));
    let rows = [record(&own, "Tea"), record(&other, "Tea")];
    let shared = batch(&fixture, &root(), BatchMode::Atomic, &rows).change_set.unwrap();
    let changed = [record(&own, "Green tea")];
    let alone = batch(&fixture, &root(), BatchMode::Atomic, &changed).change_set;
    let member = fixture.key(Some(fixture.ours), &[Verb::Read, Verb::Write]);
    let named = |caller: &Caller| -> Vec<Option<Revision>> {
        let states = fixture.registry.revisions(caller, &level(&own), None, 9).unwrap();
        states.items.iter().map(|state| state.change_set).collect()
    };
    assert!(named(&root()).contains(&Some(shared)));
    assert!(!named(&member).contains(&Some(shared)));
    assert!(alone.is_some() && named(&member).contains(&alone));
    assert_eq!(kind(&fixture.registry.change_set(&member, shared)), "not found");
}

/// An import of many transactions, whatever others write between them.
#[test]
fn changes_of_many_transactions_are_one_set() {
    let fixture = Fixture::new();
    let keys = [gtin("0950600013435"), gtin("0950600013436"), gtin("0950600013437")];
    fixture.register(&keys[0]);
    let mut joined = None;
    for key in &keys {
        let rules = fixture.registry.rules();
        let accepted = read_record(record(key, "New").as_bytes(), &rules).unwrap();
        let request = ChangeSetRequest::new(ChangeSetKind::Import).joining(joined);
        let changes = [RecordChange::put(accepted)];
        let applied = fixture.registry.apply_in(&root(), &changes, Some(request)).unwrap();
        joined = applied.change_set;
        fixture.register(&gtin("0950600013499")); // by another caller
    }
    let import = set(&fixture, joined.unwrap());
    assert_eq!((import.kind, import.created, import.replaced), (ChangeSetKind::Import, 2, 1));
    let undone = undo(&fixture, &root(), import.id);
    assert_eq!((undone.replaced, undone.deleted, undone.refused), (1, 2, 0));
    assert_eq!(title(&fixture, &keys[0]), "Tea");
    assert!(!exists(&fixture, &keys[1]) && exists(&fixture, &gtin("0950600013499")));
    // Nobody adds to the set of another caller.
    let theirs = fixture.key(Some(fixture.theirs), &[Verb::Read, Verb::Write]);
    let request = ChangeSetRequest::new(ChangeSetKind::Import).joining(Some(import.id));
    let rules = fixture.registry.rules();
    let accepted = read_record(record(&gtin("0950600113435"), "T").as_bytes(), &rules).unwrap();
    let applied = fixture.registry.apply_in(&theirs, &[RecordChange::put(accepted)], Some(request));
    assert_eq!(kind(&applied), "not found");
}

#[test]
fn later_changes_are_not_lost() {
    let fixture = Fixture::new();
    let keys = [gtin("0950600013435"), gtin("0950600013436")];
    let rows: Vec<_> = keys.iter().map(|key| record(key, "Imported")).collect();
    let import = batch(&fixture, &root(), BatchMode::Each, &rows).change_set.unwrap();
    fixture.put(&root(), &record(&keys[1], "Corrected")).unwrap();
    let refused = undo(&fixture, &root(), import);
    assert_eq!(refused.change_set, None, "nothing was changed");
    assert_eq!(codes(&refused), [(1, Some(RefusalCode::PreconditionFailed))]);
    assert!(exists(&fixture, &keys[0]));
    let rest = fixture.registry.undo(&root(), import, BatchMode::Each, Conditions::none()).unwrap();
    assert_eq!((rest.deleted, rest.refused), (1, 1));
    assert!(!exists(&fixture, &keys[0]));
    assert_eq!(title(&fixture, &keys[1]), "Corrected");
    // A dry run changes nothing, and makes no set.
    let again = batch(&fixture, &root(), BatchMode::Each, &rows[..1]).change_set.unwrap();
    let dry = Conditions::none().dry_run(true);
    let report = fixture.registry.undo(&root(), again, BatchMode::Atomic, dry).unwrap();
    assert_eq!((report.checked, report.change_set), (1, None));
    assert!(exists(&fixture, &keys[0]) && set(&fixture, again).undone_by.is_none());
}

/// With the address of a notice, and with the page of the resolver (PE-30).
#[test]
fn a_recall_is_taken_back_and_its_end_too() {
    let notice = RecallNotice {
        href: Some("https://example.com/recall".into()),
        title: "Recall".into(),
        hreflang: vec![],
    };
    recall_is_taken_back(notice);
    recall_is_taken_back(RecallNotice::default());
}

fn recall_is_taken_back(notice: RecallNotice) {
    let fixture = Fixture::new().with_root();
    let key = gtin("0950600013435");
    fixture.register(&key);
    let levels = [level(&key), level(&format!("{key}/10/A"))];
    let recalled = || fixture.registry.read(&root(), &levels[0]).unwrap().entry.is_recalled();
    let report = fixture.registry.recall(&root(), &levels, &[notice], Conditions::none()).unwrap();
    let recall = report.change_set.unwrap();
    assert_eq!(set(&fixture, recall).kind, ChangeSetKind::Recall);
    let report = undo(&fixture, &root(), recall);
    assert_eq!((report.replaced, report.deleted), (1, 1));
    assert!(!recalled());
    undo(&fixture, &root(), report.change_set.unwrap());
    let end = fixture.registry.end_recall(&root(), &levels, Conditions::none()).unwrap();
    assert!(!recalled());
    undo(&fixture, &root(), end.change_set.unwrap());
    assert!(recalled());
    // A batch that recalled something does not end it silently (PE-1).
    let text = fixture.registry.read(&root(), &levels[0]).unwrap().record();
    fixture.registry.end_recall(&root(), &levels, Conditions::none()).unwrap();
    let rows = batch(&fixture, &root(), BatchMode::Atomic, &[text]).change_set.unwrap();
    assert_eq!(codes(&undo(&fixture, &root(), rows)), [(1, Some(RefusalCode::Invalid))]);
}

#[test]
fn only_who_may_write_takes_back_and_others_see_nothing() {
    let fixture = Fixture::new();
    let (ours, theirs) = (gtin("0950600013435"), gtin("0950600113435"));
    let both = [record(&ours, "Tea"), record(&theirs, "Tea")];
    let both = batch(&fixture, &root(), BatchMode::Atomic, &both).change_set.unwrap();
    let person = fixture.person("ada", Some(fixture.ours), Role::Editor);
    assert_eq!(kind(&fixture.registry.change_set(&person, both)), "not found");
    let undone = fixture.registry.undo(&person, both, BatchMode::Atomic, Conditions::none());
    assert_eq!(kind(&undone), "not found");
    let own = batch(&fixture, &root(), BatchMode::Atomic, &[record(&ours, "Green")]);
    let own = own.change_set.unwrap();
    let listed = fixture.registry.change_sets(&person, None, 10).unwrap();
    assert_eq!(listed.items.iter().map(|set| set.id).collect::<Vec<_>>(), [own]);
    let reader = fixture.person("bob", Some(fixture.ours), Role::Reader);
    let refused = fixture.registry.undo(&reader, own, BatchMode::Atomic, Conditions::none());
    assert_eq!(kind(&refused), "forbidden");
    assert_eq!(undo(&fixture, &person, own).replaced, 1);
    let first = fixture.registry.change_sets(&root(), None, 1).unwrap();
    let next = first.next.map(|next| Revision::new(next.parse().unwrap()));
    let second = fixture.registry.change_sets(&root(), next, 10).unwrap();
    let ids = |page: &[ChangeSet]| page.iter().map(|set| set.kind).collect::<Vec<_>>();
    assert_eq!(ids(&first.items), [ChangeSetKind::Undo]);
    assert_eq!(ids(&second.items), [ChangeSetKind::Batch, ChangeSetKind::Batch]);
}

#[test]
fn an_approved_batch_is_a_set() {
    let fixture = Fixture::new();
    let change = fingerpost_registry::OrganisationChange {
        approval_required: Some(true),
        ..Default::default()
    };
    fixture.registry.update_organisation(&root(), &fixture.ours, change).unwrap();
    let key = gtin("0950600013435");
    let editor = fixture.person("ada", Some(fixture.ours), Role::Editor);
    let report = batch(&fixture, &editor, BatchMode::Atomic, &[record(&key, "Tea")]);
    assert_eq!((report.proposed, report.change_set), (1, None));
    let filter = ProposalFilter::default();
    let proposal = fixture.registry.proposals(&root(), &filter, None, 1).unwrap().items.remove(0);
    fixture.registry.approve(&root(), &proposal.id).unwrap();
    let listed = fixture.registry.change_sets(&root(), None, 1).unwrap().items.remove(0);
    assert_eq!((listed.kind, listed.created), (ChangeSetKind::Batch, 1));
    assert_eq!(undo(&fixture, &root(), listed.id).deleted, 1);
}

/// A state that is no longer stored is not taken for a level that was empty.
#[test]
fn pruned_states_are_not_guessed() {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    fixture.register(&key);
    let rows = [record(&key, "Imported")];
    let import = batch(&fixture, &root(), BatchMode::Atomic, &rows).change_set.unwrap();
    pass(SignedDuration::from_hours(2));
    fixture.register(&gtin("0950600013436"));
    assert_eq!(fixture.registry.prune_history(&root(), clock()).unwrap(), 1);
    assert_eq!(codes(&undo(&fixture, &root(), import)), [(1, Some(RefusalCode::Invalid))]);
    assert_eq!(title(&fixture, &key), "Imported");
}

/// PE-17: an import of addresses over a record with a campaign, a French page and a name.
#[test]
fn an_import_can_keep_the_rest_of_a_record() {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    let link = |link_type: &str, href: &str, title: &str, more: &str| {
        format!(
            r#"{{"linkType":"gs1:{link_type}","href":"https://example.com/{href}","title":"{title}"{more}}}"#
        )
    };
    let campaign = r#","validFrom":"2026-06-01T00:00:00Z","validUntil":"2026-07-01T00:00:00Z""#;
    let links = [
        link("pip", "old", "Tea", r#","default":true"#),
        link("pip", "fr", "Thé", r#","hreflang":["fr"]"#),
        link("promotion", "sale", "Sale", campaign),
    ];
    let old = format!(
        r#"{{"anchor":"/{key}","itemDescription":"Green tea","links":[{}]}}"#,
        links.join(",")
    );
    fixture.put(&root(), &old).unwrap();
    let new = record(&key, "Product information");
    let put = || RecordChange::put(read_record(new.as_bytes(), &fixture.registry.rules()).unwrap());
    let change = put().keeping_rest(|title| title == "Product information");
    let applied = fixture.registry.apply(&root(), std::slice::from_ref(&change)).unwrap();
    assert_eq!(
        applied.outcomes[0].1.as_ref().unwrap().status,
        fingerpost_registry::ChangeStatus::Replaced
    );
    let text = fixture.registry.read(&root(), &level(&key)).unwrap().record();
    assert_eq!(text, old.replace("https://example.com/old", "https://example.com/p"));
    // Again, it changes nothing.
    let applied = fixture.registry.apply(&root(), &[change]).unwrap();
    assert_eq!(applied.revision, None);
    // Without the choice, the record is replaced.
    fixture.registry.apply(&root(), &[put()]).unwrap();
    assert_eq!(fixture.registry.read(&root(), &level(&key)).unwrap().record(), new);
}
