//! Batches as JSON Lines: atomic, or each row by itself.

use crate::support;

use fingerpost_registry::{
    BatchMode, BatchReport, ChangeStatus, Conditions, Idempotency, RefusalCode, Would,
};
use support::*;

/// Runs a batch after a dry run of it, whose outcome must be the same for each row.
fn run(fixture: &Fixture, rows: &str, mode: BatchMode) -> BatchReport {
    let batch =
        |conditions| fixture.registry.batch(&root(), rows.as_bytes(), mode, conditions).unwrap();
    let rehearsed = batch(Conditions::none().dry_run(true));
    assert_eq!((rehearsed.revision, &rehearsed.proposals[..]), (None, &[][..]));
    let report = batch(Conditions::none());
    assert_eq!(rehearsed.items.len(), report.items.len());
    for (expected, found) in rehearsed.items.iter().zip(&report.items) {
        assert_eq!((expected.line, &expected.key), (found.line, &found.key));
        assert_eq!((expected.code, &expected.errors), (found.code, &found.errors));
        assert_eq!(expected.outcome.warnings, found.outcome.warnings, "line {}", found.line);
        let would = match found.outcome.status {
            ChangeStatus::Refused => {
                assert_eq!(expected, found);
                continue;
            }
            ChangeStatus::Created => Would::Create,
            ChangeStatus::Replaced => Would::Replace,
            ChangeStatus::Unchanged => Would::Nothing,
            ChangeStatus::Deleted => Would::Delete,
            other => panic!("line {}: {other:?}", found.line),
        };
        let told = (expected.outcome.status, expected.outcome.would);
        assert_eq!(told, (ChangeStatus::Checked, Some(would)), "line {}", found.line);
    }
    report
}

fn refusals(report: &BatchReport) -> Vec<(u64, &'static str, String, String)> {
    let items = report.items.iter();
    let refused = items.filter_map(|item| Some((item.line, item.code?, &item.errors[0])));
    refused
        .map(|(line, code, fault)| {
            (line, code.as_str(), fault.id().to_owned(), fault.pointer().to_owned())
        })
        .collect()
}

#[test]
fn rows_are_judged_together() {
    // RES-2.5.9-1: a lot can come before its product.
    for mode in [BatchMode::Atomic, BatchMode::Each] {
        let fixture = Fixture::new();
        let key = gtin("0950600013435");
        let lot = format!("{key}/10/L");
        let report = run(
            &fixture,
            &format!("{}\n\n{}\r\n", plain(&lot, "gs1:pip"), record(&key, "A")),
            mode,
        );
        assert_eq!((report.created, report.refused), (2, 0));
        let lines: Vec<_> = report.items.iter().map(|item| item.line).collect();
        assert_eq!(lines, [1, 3]);
        // The product cannot go while the lot is there; together they can, in any order.
        let delete = |level: &str| format!("{{\"delete\": \"/{level}\"}}\n");
        let report = run(&fixture, &delete(&key), mode);
        assert_eq!(
            refusals(&report),
            [(1, "missing-default", "RES-2.5.9-1".into(), String::new())]
        );
        let report = run(&fixture, &(delete(&key) + &delete(&lot)), mode);
        assert_eq!((report.deleted, report.refused), (2, 0));
        let report = run(&fixture, &delete(&key), mode);
        assert_eq!(refusals(&report), [(1, "not-found", "level".into(), String::new())]);
    }
}

#[test]
fn each_row_is_for_itself_and_told_of() {
    let fixture = Fixture::new();
    let (one, two) = (gtin("0950600013435"), gtin("0950600023435"));
    let revision = fixture.register(&one).number();
    let rows = [
        record(&two, "A"),
        "not JSON".into(),
        format!("{{\"put\": {}, \"ifMatch\": 999}}", record(&one, "B")),
        plain(&gtin("0950600033435"), "gs1:noSuchType"),
        format!("{{\"put\": {}}}", plain(&format!("{one}/10/L"), "gs1:noSuchType")),
        plain(&format!("{}/10/L", gtin("0950600043435")), "gs1:pip"),
        "{\"delete\": \"/01/1\"}".into(),
        "{\"delete\": \"/414/9506000134352\", \"put\": 1}".into(),
        format!("{{\"put\": {}, \"ifNoneMatch\": \"*\"}}", record(&one, "B")),
        format!("{{\"put\": {}, \"ifMatch\": {revision}}}", record(&one, "C")),
        format!("{{\"delete\": \"/{two}\", \"ifMatch\": \"*\"}}"),
        record(&one, "C"),
    ];
    let rows = rows.join("\n");
    let expected = [
        (2, "invalid", "RFC 8259", ""),
        (3, "precondition-failed", "ifMatch", ""),
        (4, "invalid", "RES-2.5.2-2", "/links/0/linkType"),
        (5, "invalid", "RES-2.5.2-2", "/put/links/0/linkType"),
        (6, "missing-default", "RES-2.5.9-1", ""),
        (7, "invalid", "RES-2.4-1", "/delete"),
        (8, "invalid", "RES-2.4-1", ""),
        (9, "precondition-failed", "ifMatch", ""),
    ];
    let expected: Vec<_> =
        expected.iter().map(|(l, c, i, p)| (*l, *c, (*i).to_owned(), (*p).to_owned())).collect();
    let report = run(&fixture, &rows, BatchMode::Each);
    assert_eq!(refusals(&report), expected);
    assert_eq!((report.created, report.replaced, report.deleted, report.unchanged), (1, 1, 1, 1));
    assert_eq!(report.revision, Some(fixture.registry.store().revision().unwrap()));
}

#[test]
fn an_atomic_batch_writes_all_or_nothing_as_one_revision() {
    let fixture = Fixture::new();
    let (one, two) = (gtin("0950600013435"), gtin("0950600023435"));
    let before = fixture.registry.store().revision().unwrap();
    let faulty = format!("{}\n{}\n{}\n", record(&one, "A"), "{}", record(&one, "B"));
    let report = run(&fixture, &faulty, BatchMode::Atomic);
    let lines: Vec<_> =
        refusals(&report).into_iter().map(|(line, code, ..)| (line, code)).collect();
    assert_eq!(lines, [(2, "invalid"), (3, "invalid")], "every level once");
    assert_eq!(fixture.registry.store().revision().unwrap(), before);
    let report =
        run(&fixture, &format!("{}\n{}", record(&one, "A"), record(&two, "A")), BatchMode::Atomic);
    assert_eq!(report.created, 2);
    let revisions: Vec<_> = [&one, &two]
        .map(|key| fixture.registry.read(&root(), &level(key)).unwrap().revision)
        .to_vec();
    assert_eq!((revisions[0], Some(revisions[0])), (revisions[1], report.revision));
}

#[test]
fn long_lines_are_faults_of_their_own() {
    let fixture = Fixture::new();
    let long = format!("{{\"anchor\": \"{}\"}}", "x".repeat(1 << 20));
    let rows = format!("{long}\n{}\n{long}", record(&gtin("0950600013435"), "A"));
    let report = run(&fixture, &rows, BatchMode::Each);
    assert_eq!((report.created, report.refused), (1, 2));
    let codes: Vec<_> =
        refusals(&report).into_iter().map(|(line, code, ..)| (line, code)).collect();
    assert_eq!(codes, [(1, "too-large"), (3, "too-large")]);
    let bytes =
        [b"{\"delete\": \"/\xFF\"}\n".as_slice(), record(&gtin("0950600013435"), "B").as_bytes()]
            .concat();
    let report =
        fixture.registry.batch(&root(), &bytes[..], BatchMode::Each, Conditions::none()).unwrap();
    assert_eq!((report.replaced, report.refused), (1, 1));
}

#[test]
fn a_batch_of_many_chunks_finds_products_that_come_late() {
    let fixture = Fixture::new();
    let mut rows = String::new();
    let keys: Vec<String> = (0..800).map(|n| gtin(&format!("09506000{n:05}"))).collect();
    for key in &keys {
        rows += &format!("{}\n", plain(&format!("{key}/10/L"), "gs1:pip"));
        rows += &format!("{}\n", plain(&format!("{key}/21/S"), "gs1:pip"));
    }
    // The older row for a level does not come after the newer one, though it was put off.
    rows += &format!("{}\n", plain(&format!("{}/10/L", keys[0]), "gs1:recallStatus"));
    for key in &keys {
        rows += &format!("{}\n", record(key, "A"));
    }
    let report = run(&fixture, &rows, BatchMode::Each);
    assert_eq!((report.created, report.refused), (2_400, 1));
    assert_eq!(refusals(&report)[0].0, 1);
    let lot = fixture.registry.read(&root(), &level(&format!("{}/10/L", keys[0]))).unwrap();
    assert!(lot.record().contains("recallStatus"));
    assert!(report.items.is_sorted_by_key(|item| item.line));
    assert_eq!(report.items.len(), 2_401);
    let each = report.items.iter().filter(|item| {
        item.outcome.status == ChangeStatus::Created
            || item.code == Some(RefusalCode::MissingDefault)
    });
    assert_eq!(each.count(), 2_401);
}

#[test]
fn a_batch_that_comes_again_goes_on_where_it_was() {
    let mut fixture = Fixture::new();
    let rows: String =
        (0..1_500).map(|n| record(&gtin(&format!("09506000{n:05}")), "A") + "\n").collect();
    let conditions = || Conditions::none().idempotency(Idempotency::new("b", [rows.as_bytes()]));
    // The connection breaks after the first chunk.
    let broken = &rows.as_bytes()[..rows.len() * 7 / 10];
    let cut = broken.iter().rposition(|byte| *byte == b'\n').unwrap();
    let first = fixture.registry.batch(
        &root(),
        std::io::BufReader::new(Broken(&broken[..cut])),
        BatchMode::Each,
        conditions(),
    );
    assert_eq!(kind(&first), "invalid");
    let after_first = fixture.registry.store().revision().unwrap();
    fixture = fixture.reopen();
    let report =
        fixture.registry.batch(&root(), rows.as_bytes(), BatchMode::Each, conditions()).unwrap();
    assert_eq!((report.created, report.unchanged), (1_500, 0));
    let now = fixture.registry.store().revision().unwrap();
    let whole = Fixture::new();
    whole.registry.batch(&root(), rows.as_bytes(), BatchMode::Each, Conditions::none()).unwrap();
    assert!((1..now.number()).contains(&after_first.number()), "{after_first}");
    assert_eq!(now, whole.registry.store().revision().unwrap(), "no chunk was written again");
    let again =
        fixture.registry.batch(&root(), rows.as_bytes(), BatchMode::Each, conditions()).unwrap();
    assert_eq!(again, report);
    assert_eq!(fixture.registry.store().revision().unwrap(), now);
}

#[test]
fn a_batch_over_two_organisations_is_in_both_logs_each_its_part() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let editor = fixture.person("editor", None, fingerpost_registry::Role::Editor);
    let (mine, other) = (gtin("0950600013435"), gtin("0950600113435"));
    let rows = format!(
        "{}\n{}\n{}\n",
        record(&mine, "A"),
        record(&gtin("0950600023435"), "A"),
        record(&other, "A")
    );
    let report =
        registry.batch(&editor, rows.as_bytes(), BatchMode::Atomic, Conditions::none()).unwrap();
    assert_eq!((report.created, report.refused), (3, 0));
    let log = |organisation, who: &str| {
        let admin = fixture.person(who, Some(organisation), fingerpost_registry::Role::Admin);
        let filter =
            fingerpost_registry::AuditFilter { action: Some("links".into()), ..Default::default() };
        registry.audit(&admin, 0, 10, &filter).unwrap().items
    };
    let (of_ours, of_theirs) = (log(fixture.ours, "a"), log(fixture.theirs, "b"));
    assert_eq!((of_ours.len(), of_theirs.len()), (1, 1));
    assert_eq!((of_ours[0].changes(), of_theirs[0].changes()), (Some(2), Some(1)));
    assert_eq!(of_theirs[0].subject(), Some(other.as_str()));
    assert!(!of_theirs[0].json().contains(fixture.ours.as_str()), "{}", of_theirs[0].json());
    assert!(registry.verify_audit(&root(), None).unwrap().is_sound());
}

/// An input that breaks off.
struct Broken<'b>(&'b [u8]);

impl std::io::Read for Broken<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match std::io::Read::read(&mut self.0, buffer)? {
            0 => Err(std::io::ErrorKind::ConnectionReset.into()),
            read => Ok(read),
        }
    }
}
