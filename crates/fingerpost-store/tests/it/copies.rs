//! Copies: only their followers write them, they answer nothing before they are complete, and they
//! are checked for what they hold.

use crate::support;

use fingerpost_resolver::Viewer;
use fingerpost_store::copy::{
    CopyChanges, CopyLimit, CopyPhase, CopyRow, CopyState, CopyValue, LevelRange, Position,
    Selection,
};
use fingerpost_store::{Batch, Store, StoreError};
use support::{entry, gtin, key, open};

fn state(position: Position, phase: CopyPhase) -> CopyState {
    CopyState { selection: Selection::default(), origin: None, position, phase, repairs: 0 }
}

fn rows(store: &Store) -> Vec<CopyRow> {
    let read = |view: &fingerpost_store::View<'_>| {
        view.rows_to_copy(&Selection::default(), &LevelRange::default(), CopyLimit::BATCH)
    };
    store.view(read).unwrap().rows
}

/// A store with these texts at the first products.
fn source(dir: &std::path::Path, texts: &[&str]) -> Store {
    let store = open(dir);
    let mut batch = Batch::new();
    for (number, text) in (0..).zip(texts) {
        batch.put(entry(&gtin(number), text));
    }
    store.write(&batch).unwrap();
    store
}

fn copy_of(source: &Store, copy: &Store, phase: &CopyPhase) {
    let position = source.view(|view| view.position()).unwrap();
    let state = state(position, phase.clone());
    let found = rows(source);
    let written = copy.write_copy(|copy| {
        copy.apply(&found)?;
        copy.set_state(&state)
    });
    written.map_err(|error: StoreError| error).unwrap();
}

#[test]
fn a_copy_is_written_by_its_follower_only() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (source, copy) = (source(dirs[0].path(), &["one", "two"]), open(dirs[1].path()));
    copy_of(&source, &copy, &CopyPhase::Complete);
    assert_eq!(copy.revision().unwrap(), source.revision().unwrap());
    assert_eq!(rows(&copy), rows(&source));
    drop(copy);
    for _ in 0..2 {
        let copy = open(dirs[1].path());
        let mut batch = Batch::new();
        batch.delete(key(&gtin(0)));
        let refused = [
            copy.write(&batch).map(|_| ()),
            copy.transact(|tx| tx.put_document("notes", "one", b"x")),
            copy.transact_alone(|tx| tx.put_document("notes", "one", b"x")),
            copy.verify(None).map(|_| ()),
        ];
        for refused in refused {
            assert!(matches!(refused, Err(StoreError::IsCopy { .. })), "{refused:?}");
        }
        assert!(copy.backup(&mut Vec::new()).is_err());
        let report = copy.fsck().unwrap();
        assert!(report.is_sound(), "{:?}", report.faults().collect::<Vec<_>>());
        assert_eq!(report.levels(), 2);
    }
}

#[test]
fn a_store_with_data_does_not_become_a_copy() {
    let dir = tempfile::tempdir().unwrap();
    let store = source(dir.path(), &["one"]);
    let state = state(Position::default(), CopyPhase::New);
    let refused = store.write_copy(|copy| copy.set_state(&state));
    assert!(matches!(refused, Err(StoreError::NotACopy { .. })), "{refused:?}");
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store
        .transact(|tx| tx.put_document("users", "ada", b"{}"))
        .map_err(|error: StoreError| error)
        .unwrap();
    let refused = store.write_copy(|copy| copy.set_state(&state));
    assert!(matches!(refused, Err(StoreError::NotACopy { .. })), "{refused:?}");
}

#[test]
fn an_incomplete_copy_answers_nothing() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (source, copy) = (source(dirs[0].path(), &["one"]), open(dirs[1].path()));
    let is_refused = |error: StoreError| {
        assert!(matches!(error, StoreError::CopyIncomplete), "{error:?}");
    };
    let seen = source.view(|view| view.position()).unwrap();
    for phase in [
        CopyPhase::New,
        CopyPhase::Filling { after: String::new(), seen },
        CopyPhase::Settling { seen },
    ] {
        copy_of(&source, &copy, &phase);
        for _ in 0..3 {
            is_refused(copy.read(&key(&gtin(0))).unwrap_err());
            is_refused(copy.scan(std::ops::Bound::Unbounded, "", 1).unwrap_err());
            is_refused(copy.first_key("01/", &Viewer::PUBLIC).unwrap_err());
        }
    }
    copy_of(&source, &copy, &CopyPhase::Complete);
    for _ in 0..3 {
        assert_eq!(copy.read(&key(&gtin(0))).unwrap().len(), 1);
    }
}

#[test]
fn what_is_no_entry_is_refused_and_changes_nothing() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (source, copy) = (source(dirs[0].path(), &["one"]), open(dirs[1].path()));
    let sound = rows(&source).remove(0);
    let CopyValue::Stored(value) = sound.value.clone() else { panic!("a value") };
    let with = |level: &str, value: Vec<u8>| CopyRow {
        level: level.to_owned(),
        value: CopyValue::Stored(value),
    };
    let mut flags = value.clone();
    flags[0] ^= 1;
    for row in [
        with(&sound.level, vec![]),
        with(&sound.level, value[..9].to_vec()),
        with(&sound.level, value[..value.len() - 1].to_vec()),
        with(&sound.level, flags),
        with("01/1", value.clone()),
        with("", value.clone()),
        with(&"9".repeat(600), value.clone()),
    ] {
        let refused = copy.write_copy(|copy| copy.apply(&[sound.clone(), row.clone()]));
        assert!(matches!(refused, Err(StoreError::Corrupt { .. })), "{row:?}: {refused:?}");
        assert!(copy.is_empty().unwrap());
    }
}

#[test]
fn a_span_is_replaced_as_a_whole() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let texts: Vec<String> = (0..10).map(|number| number.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (source, copy) = (source(dirs[0].path(), &texts), open(dirs[1].path()));
    copy_of(&source, &copy, &CopyPhase::Complete);
    let all = rows(&source);
    let span = LevelRange { after: all[2].level.clone(), until: Some(all[7].level.clone()) };
    let kept = [all[4].clone(), CopyRow { value: all[0].value.clone(), ..all[5].clone() }];
    let changed = copy.write_copy(|copy| copy.replace(&span, &kept[..1]));
    assert_eq!(changed.map_err(|error: StoreError| error).unwrap(), 4);
    let left: Vec<_> = rows(&copy).into_iter().map(|row| row.level).collect();
    let expected: Vec<_> =
        [0, 1, 2, 4, 8, 9].iter().map(|n: &usize| all[*n].level.clone()).collect();
    assert_eq!(left, expected);
    let digest = |copy: &Store, span: &LevelRange| {
        copy.view(|view| view.digest_of(&Selection::default(), span, CopyLimit::DIGEST)).unwrap()
    };
    assert_ne!(digest(&copy, &span), digest(&source, &span));
    let rest = LevelRange::after(all[7].level.clone());
    assert_eq!(digest(&copy, &rest), digest(&source, &rest));
}

/// A level that the source cannot read stays in the copy as it is.
#[test]
fn damage_at_the_source_does_not_spread() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (source, copy) = (source(dirs[0].path(), &["one", "two"]), open(dirs[1].path()));
    copy_of(&source, &copy, &CopyPhase::Complete);
    let mut damaged = rows(&source);
    damaged[0].value = CopyValue::Damaged;
    let replaced = copy.write_copy(|copy| {
        copy.apply(&damaged)?;
        copy.replace(&LevelRange::default(), &damaged)
    });
    assert_eq!(replaced.map_err(|error: StoreError| error).unwrap(), 0);
    assert_eq!(rows(&copy), rows(&source));
}

#[test]
fn positions_show_whether_a_store_went_back() {
    let store = Store::in_memory();
    let position = |store: &Store| store.view(|view| view.position()).unwrap();
    let has = |store: &Store, position: &Position| {
        store.view(|view| view.has_position(position)).unwrap()
    };
    let write = |store: &Store, text: &str| {
        let mut batch = Batch::new();
        batch.put(entry(&gtin(1), text));
        store.write(&batch).unwrap();
    };
    assert_eq!(position(&store), Position::default());
    write(&store, "one");
    let one = position(&store);
    let mut backup = Vec::new();
    store.backup(&mut backup).unwrap();
    write(&store, "two");
    let two = position(&store);
    let memory = fingerpost_engine::Memory::new();
    let (old, _) = Store::restore_into(&backup[..], memory).unwrap();
    assert!(has(&old, &one) && has(&old, &Position::default()) && !has(&old, &two));
    write(&old, "three");
    write(&old, "four");
    assert!(has(&old, &one) && !has(&old, &two) && !has(&store, &position(&old)));
    assert!(has(&store, &one) && has(&store, &two));
    let origin = |store: &Store| store.view(|view| view.origin()).unwrap();
    assert!(origin(&store).is_some());
    assert_eq!(origin(&old), origin(&store));
    for position in [one, two, Position::default()] {
        assert_eq!(position.to_string().parse(), Ok(position));
    }
    for wrong in ["", "1", "1:2", "1:2:xy", "x:1:", ":::"] {
        assert!(wrong.parse::<Position>().is_err(), "{wrong}");
    }
}

/// Pages and digests end at their limit, and changes at the first revision that reaches it.
#[test]
fn answers_for_copies_are_limited() {
    let dir = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..40).map(|number| number.to_string()).collect();
    let store = source(dir.path(), &texts.iter().map(String::as_str).collect::<Vec<_>>());
    for number in 0..40 {
        let mut batch = Batch::new();
        batch.put(entry(&gtin(number), "again"));
        store.write(&batch).unwrap();
    }
    let all = Selection::default();
    let limit = |rows, bytes| CopyLimit { rows, bytes };
    let page =
        |limit| store.view(|view| view.rows_to_copy(&all, &LevelRange::default(), limit)).unwrap();
    assert_eq!(page(limit(7, 1 << 20)).rows.len(), 7);
    assert_eq!(page(limit(7, 1)).rows.len(), 1);
    assert_eq!(page(limit(40, 1 << 20)).until.as_deref(), Some(&*rows(&store)[39].level));
    assert_eq!(page(limit(41, 1 << 20)).until, None);
    let digest =
        |limit| store.view(|view| view.digest_of(&all, &LevelRange::default(), limit)).unwrap();
    assert_eq!((digest(limit(7, 1 << 20)).rows, digest(limit(7, 1)).rows), (7, 1));
    let changes = |after, limit, selection: &Selection| {
        let after = fingerpost_store::Revision::new(after);
        let found = store
            .view(|view| view.changes_to_copy(selection, after, &view.position()?, limit))
            .unwrap();
        let CopyChanges::Rows { upto, rows } = found else { panic!("pruned") };
        (upto.revision().number(), rows.len())
    };
    // The first revision has all forty levels, whatever the limit is.
    assert_eq!(changes(0, limit(7, 1 << 20), &all), (1, 40));
    assert_eq!(changes(1, limit(7, 1 << 20), &all), (8, 7));
    assert_eq!(changes(1, limit(28, 1), &all), (2, 1));
    assert_eq!(changes(30, limit(28, 1 << 20), &all), (41, 11));
    assert_eq!(changes(41, limit(28, 1 << 20), &all), (41, 0));
    // What does not belong to a selection is passed, but not without an end.
    let none = Selection::of(["414/"]);
    assert_eq!(changes(0, limit(1, 1 << 20), &none), (1, 0));
    assert_eq!(changes(1, limit(1, 1 << 20), &none), (17, 0));
}
