//! Tests with direct access to the tables: every changed byte is found, older formats are upgraded,
//! and each fault has its own message.

use std::path::Path;

use crate::format::encode;
use crate::verify::audit;
use crate::view::View;
use crate::{
    AuditHead, Batch, Event, Expected, Personal, Revision, Store, StoreError, StoreOptions,
};
use fingerpost_engine::format::{FORMAT_KEY, format_text};
use fingerpost_engine::{ALL_KEYS, Direction, Prefetch, Table, Verdict};
use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Entry, Rules, Vocabulary, read_record};
use jiff::Timestamp;

const KEY: &str = "01/09506000134352";
const LOT: &str = "01/09506000134352/10/A";
const OTHER: &str = "01/09506000134369";

fn entry(level: &str, text: &str) -> Entry {
    let link = |link_type| serde_json::json!({"linkType": link_type, "href": "https://example.com/p", "title": "P"});
    let links = ["gs1:pip", "gs1:defaultLink"].map(link);
    let record =
        serde_json::json!({"anchor": format!("/{level}"), "itemDescription": text, "links": links});
    let vocabulary = Vocabulary::builtin();
    read_record(record.to_string().as_bytes(), &Rules::new(&vocabulary)).unwrap().entry
}

pub(crate) fn open(dir: &Path) -> Store {
    Store::open(dir, StoreOptions::default()).unwrap()
}

fn event(action: &'static str, actor: &str) -> Event {
    let personal = Personal::new(Some("Ada".into()), None, Some("curl".into()));
    Event::new(action, actor, Timestamp::UNIX_EPOCH).personal(personal)
}

/// Writes puts (with a text) and deletions, one revision each.
pub(crate) fn write(store: &Store, changes: &[(&str, Option<&str>)]) -> Revision {
    let mut batch = Batch::new();
    for (level, text) in changes {
        match text {
            Some(text) => batch.put(entry(level, text)),
            None => batch.delete(EntityKey::parse(level).unwrap()),
        };
    }
    store.write(&batch.by(event("links.write", "user:ada"))).unwrap()
}

/// Creates a store with every kind of data: replaced, deleted, restored and pruned states, an
/// erased user.
fn some_of_everything(dir: &Path) -> Store {
    let store = open(dir);
    write(&store, &[(KEY, Some("one")), (LOT, Some("lot"))]);
    write(&store, &[(KEY, Some("two"))]);
    write(&store, &[(KEY, Some("three")), (OTHER, Some("other"))]);
    write(&store, &[(LOT, None), (OTHER, None)]);
    write(&store, &[(OTHER, Some("back"))]);
    let result = store.transact(|txn| -> Result<u64, StoreError> {
        txn.record(event("noted", "user:bob"))?;
        txn.erase_personal(&["user:bob"], &event("person.erased", "user:ada"))?;
        txn.prune_history(Revision::new(2), 100, event("", "system"))
    });
    assert_eq!((store.finish_erasures().unwrap(), result.unwrap()), (1, 1));
    store
}

pub(crate) fn rows(store: &Store, table: Table) -> Vec<(Vec<u8>, Vec<u8>)> {
    let snapshot = store.engine().snapshot().unwrap();
    let rows = snapshot.range(table, ALL_KEYS, Direction::Forward).unwrap();
    rows.map(|row| row.map(|(key, value)| (key.into_owned(), value.into_owned())).unwrap())
        .collect()
}

/// A row to remove, and one to insert.
type Exchange<'a> = (Table, Option<(&'a [u8], &'a [u8])>, Option<(&'a [u8], &'a [u8])>);

/// Checks a store with exchanged rows, in a transaction that is never committed.
fn with_rows_exchanged(store: &Store, exchanges: &[Exchange<'_>], check: impl Fn(&View<'_>)) {
    let result = store.engine().write(&Prefetch::NONE, &mut |rows| {
        for (table, old, new) in exchanges {
            if let Some((key, _)) = old {
                assert!(rows.get(*table, key)?.is_some());
                rows.delete(*table, key)?;
            }
            if let Some((key, value)) = new {
                rows.put(*table, key, value)?;
            }
        }
        check(&View::writing("a test", rows));
        Ok(Verdict::TakeBack)
    });
    result.unwrap();
}

#[test]
fn every_byte_that_is_changed_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let store = some_of_everything(dir.path());
    let report = store.verify(None).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults());
    assert_eq!((report.records(), report.erased()), (8, 1));
    let mut changed = 0;
    for table in Table::ALL.into_iter().filter(|table| *table != Table::Documents) {
        let name = table.name();
        for (key, value) in rows(&store, table) {
            if key == FORMAT_KEY {
                continue; // such a store cannot be opened
            }
            let mut must_be_found = |new: Option<(&[u8], &[u8])>, what: String| {
                with_rows_exchanged(&store, &[(table, Some((&key, &value)), new)], |view| {
                    let report = audit(view, Expected::default());
                    let is_found = report.map_or(true, |report| !report.is_sound());
                    assert!(is_found, "{name} {key:?}: {what} is not found");
                });
                changed += 1;
            };
            for at in 0..key.len() + value.len() {
                let (mut key, mut value) = (key.clone(), value.clone());
                match at.checked_sub(key.len()) {
                    None => key[at] ^= 1,
                    Some(at) => value[at] ^= 1,
                }
                must_be_found(Some((&key, &value)), format!("a change at {at}"));
            }
            must_be_found(None, "its loss".to_owned());
            let longer = [&value[..], b" "].concat();
            must_be_found(Some((&key, &longer)), "a longer value".to_owned());
        }
    }
    assert!(changed > 3000, "{changed}");
}

#[test]
fn rows_that_are_added_or_moved_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let store = some_of_everything(dir.path());
    let find = |exchanges: &[Exchange<'_>], needle: &str| {
        with_rows_exchanged(&store, exchanges, |view| {
            let report = audit(view, Expected::default()).unwrap();
            let found = report.faults().iter().any(|fault| fault.contains(needle));
            assert!(found, "{needle}: {:?}", report.faults());
        });
    };
    let (entries, history) = (Table::Entries, Table::History);
    // An old entry put back, which has a change.
    let old = rows(&store, history).into_iter().find(|(key, _)| key.starts_with(LOT.as_bytes()));
    let (_, lot) = old.unwrap();
    find(&[(entries, None, Some((LOT.as_bytes(), &lot)))], "older than its history");
    // An entry moved to the history without a deletion.
    let present = rows(&store, entries).into_iter().find(|(key, _)| key == KEY.as_bytes()).unwrap();
    let moved = crate::format::history_key(KEY, Revision::new(3));
    let taken_out = (entries, Some((KEY.as_bytes(), &*present.1)), None);
    find(&[taken_out, (history, None, Some((&moved, &present.1)))], "it was not deleted");
    let (four, six, late) = (4_u64.to_be_bytes(), 6_u64.to_be_bytes(), 99_u64.to_be_bytes());
    let add = |table, key, value, needle: &str| {
        find(&[(table, None, Some((key, value)))], needle);
    };
    add(Table::Revisions, &late[..], &four[..], "revisions of no audit record");
    add(Table::Personal, &late, b"x", "personal rows of no audit record");
    add(Table::Personal, &six, b"x", "its personal row was changed");
}

#[test]
fn a_noted_head_finds_a_chain_that_was_rewritten() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = some_of_everything(dir.path());
    let head = store.verify(None).unwrap().head();
    write(&store, &[(KEY, Some("four"))]);
    assert!(store.verify(Some(head)).unwrap().is_sound());
    let other = some_of_everything(other.path()); // it has different salts
    let report = other.verify(Some(head)).unwrap();
    assert!(report.faults()[0].contains("noted before"), "{:?}", report.faults());
    let later = AuditHead { seq: 99, ..head };
    let report = store.verify(Some(later)).unwrap();
    assert!(report.faults()[0].contains("noted before"), "{:?}", report.faults());
}

#[test]
fn fsck_names_each_fault() {
    let dir = tempfile::tempdir().unwrap();
    let store = some_of_everything(dir.path());
    let report = store.fsck().unwrap();
    assert!(report.is_sound(), "{:?}", report.faults().collect::<Vec<_>>());
    assert_eq!((report.levels(), report.states(), report.documents()), (2, 5, 0));
    let entries = Table::Entries;
    let find = |key: &[u8], value: &[u8], needle: &str| {
        let old = rows(&store, entries).into_iter().find(|(found, _)| found == key);
        let old = old.as_ref().map(|(key, value)| (&key[..], &value[..]));
        with_rows_exchanged(&store, &[(entries, old, Some((key, value)))], |view| {
            let report = crate::fsck::check(view, Expected::default()).unwrap();
            assert!(report.faults().any(|fault| fault.contains(needle)), "{needle}: {report:?}");
        });
    };
    let mut value = encode(&entry(KEY, "x"), Revision::new(3));
    find(b"x/1", &value, "`x/1`: not the canonical text");
    find(b"\xff", &value, "not the canonical text");
    find(KEY.as_bytes(), &value[..5], "found 5");
    find(KEY.as_bytes(), &value[..value.len() - 1], "`01/09506000134352` is damaged");
    value[0] = 0;
    find(KEY.as_bytes(), &value, "the flags do not fit");
    let lot = format!("{OTHER}/10/L");
    let value = encode(&entry(&lot, "x"), Revision::new(3));
    find(
        "01/09506000134376/10/L".as_bytes(),
        &value,
        "no default link without a validity window at `01/09506000134376`",
    );
    let document = (Table::Documents, None, Some((&b"no separator"[..], &b""[..])));
    with_rows_exchanged(&store, &[document], |view| {
        let report = crate::fsck::check(view, Expected::default()).unwrap();
        assert!(report.faults().any(|fault| fault.contains("key of a document")), "{report:?}");
    });
}

/// Changes a store to what an earlier release would have left: without checksums, and format 1
/// without history.
pub(crate) fn set_back(dir: &Path, format: u32) {
    let store = open(dir);
    let of_format = |table: &Table| format > 1 || [Table::Meta, Table::Entries].contains(table);
    let tables = Table::ALL.map(|table| (table, rows(&store, table)));
    let result = store.raw_engine().write(&Prefetch::NONE, &mut |raw| {
        for (table, rows) in &tables {
            for (key, value) in rows {
                match of_format(table) {
                    true => raw.put(*table, key, value)?,
                    false => raw.delete(*table, key)?,
                }
            }
        }
        raw.put(Table::Meta, FORMAT_KEY, format_text(format).as_bytes())?;
        Ok(Verdict::Keep)
    });
    result.unwrap();
}

#[test]
fn a_store_of_format_1_is_brought_up() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for text in ["one", "two"] {
        write(&store, &[(KEY, Some(text)), (OTHER, Some("other"))]);
        write(&store, &[(LOT, Some(text))]);
    }
    drop(store);
    set_back(dir.path(), 1);

    let store = Store::open_existing(dir.path(), StoreOptions::default()).unwrap();
    assert_eq!((store.len().unwrap(), store.revision().unwrap().number()), (3, 4));
    let report = store.fsck().unwrap();
    assert!(report.is_sound(), "{:?}", report.faults().collect::<Vec<_>>());
    assert_eq!(report.audit().records(), 1);
    let revision = write(&store, &[(KEY, Some("three"))]);
    let level = EntityKey::parse(KEY).unwrap();
    let (states, by) = store
        .view(|view| Ok::<_, StoreError>((view.states(&level)?, view.audit_of(Revision::new(3))?)))
        .unwrap();
    let states: Vec<_> = states.iter().map(|state| state.revision().number()).collect();
    assert_eq!(states, [revision.number(), 3]);
    let by = by.unwrap();
    assert_eq!(by.action(), "store.upgraded");
    assert_eq!(by.revisions(), Some((Revision::new(1), Revision::new(4))));
    assert_eq!(by.changes(), Some(3));
    assert!(store.fsck().unwrap().is_sound());
    drop(store);
    assert_eq!(open(dir.path()).verify(None).unwrap().records(), 2);
}

#[test]
fn a_store_of_format_2_keeps_everything() {
    let dir = tempfile::tempdir().unwrap();
    let store = some_of_everything(dir.path());
    store.transact(|tx| tx.put_document("notes", "first", b"{}")).unwrap();
    let of = |store: &Store, table| rows(store, table);
    let kept = [Table::Entries, Table::History, Table::Changes, Table::Personal, Table::Documents];
    let before = kept.map(|table| of(&store, table));
    let head = store.verify(None).unwrap().head();
    drop(store);
    set_back(dir.path(), 2);

    let store = open(dir.path());
    assert_eq!(kept.map(|table| of(&store, table)), before);
    let report = store.fsck_against(Expected { heads: &[head], document: None }).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults().collect::<Vec<_>>());
    assert_eq!(report.audit().records(), head.seq() + 1);
    let last = store.view(|view| view.audit(head.seq() + 1)).unwrap().unwrap();
    assert_eq!((last.action(), last.revisions()), ("store.upgraded", None));
    store.check_rows().unwrap();
    write(&store, &[(KEY, Some("later"))]);
    assert!(store.fsck().unwrap().is_sound());
}

#[test]
fn what_was_damaged_before_an_upgrade_stays_damaged() {
    let dir = tempfile::tempdir().unwrap();
    drop(some_of_everything(dir.path()));
    set_back(dir.path(), 2);
    // A changed character in an entry and in a replaced state, as bytes of the file.
    let data = dir.path().join("data.mdb");
    let mut bytes = std::fs::read(&data).unwrap();
    for text in [&b"three"[..], b"two"] {
        for at in 0..bytes.len() - text.len() {
            if bytes[at..].starts_with(text) {
                bytes[at] ^= 1;
            }
        }
    }
    std::fs::write(&data, &bytes).unwrap();

    let store = open(dir.path());
    let level = EntityKey::parse(KEY).unwrap();
    let error = store.read(&level).unwrap_err();
    assert!(matches!(&error, StoreError::Corrupt { key, .. } if key == KEY), "{error:?}");
    let state = store.view(|view| view.state_at(&level, Revision::new(2)));
    assert!(state.unwrap_err().is_damaged_row());
    assert_eq!(store.read(&EntityKey::parse(OTHER).unwrap()).unwrap().len(), 1);
}

#[test]
fn an_empty_store_of_format_1_is_brought_up() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    set_back(dir.path(), 1);
    let store = open(dir.path());
    assert!(store.fsck().unwrap().is_sound());
    assert_eq!(store.verify(None).unwrap().records(), 1);
    write(&store, &[(KEY, Some("one"))]);
    assert!(store.fsck().unwrap().is_sound());
}
