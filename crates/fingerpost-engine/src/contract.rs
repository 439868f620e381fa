//! The contract of engines as tests: each function takes an empty engine and fails if the engine
//! breaks a promise.
//!
//! An engine runs them with [`engine_contract!`](crate::engine_contract), which other crates enable
//! with the feature `contract`. The documentation of the [crate] lists the promises.
#![expect(
    clippy::missing_panics_doc,
    reason = "each is a test, which panics when a promise is broken"
)]

mod writes;

use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{
    ALL_KEYS, Direction, Engine, KeyRange, MAX_KEY, MAX_VALUE, Mutate, Prefetch, Rows, Table,
    Verdict,
};
use crate::EngineError;

pub use writes::*;

/// Generates one test per promise. The expression is a function that takes a test and calls it with
/// an empty engine.
#[macro_export]
macro_rules! engine_contract {
    ($name:ident, $with:expr) => {
        $crate::engine_contract!(@ $name, $with;
            ranges_are_in_key_order,
            bounds_need_no_rows,
            tables_are_independent,
            many_gets_keep_their_order,
            keys_and_values_have_limits,
            a_snapshot_does_not_change,
            a_running_write_is_not_seen,
            a_commit_is_seen_whole,
            a_commit_has_a_new_number,
            a_wait_ends_with_a_commit,
            a_wait_ends_in_time,
            a_write_reads_its_own_writes,
            an_append_out_of_order_is_a_put,
            inserted_rows_are_rows,
            prefetched_rows_are_read_as_they_are,
            an_exchange_returns_what_it_replaces,
            what_is_taken_back_leaves_nothing,
            a_failed_write_changes_nothing,
            a_panic_leaves_nothing,
            a_savepoint_is_taken_back_alone,
            writes_take_turns,
            a_repeated_write_starts_over,
        );
    };
    (@ $name:ident, $with:expr; $($promise:ident,)*) => {
        mod $name {
            use super::*;
            $(
                #[test]
                fn $promise() {
                    $with(&|engine| $crate::contract::$promise(engine));
                }
            )*
        }
    };
}

/// Commits the writes of `work`.
fn keep(engine: &dyn Engine, work: impl Fn(&mut dyn Mutate) -> Result<(), EngineError>) {
    engine
        .write(&Prefetch::NONE, &mut |rows| work(rows).map(|()| Verdict::Keep))
        .expect("a write that works");
}

/// Puts rows into [`Table::Documents`].
fn put(engine: &dyn Engine, rows: &[(&str, &str)]) {
    keep(engine, |writing| {
        rows.iter().try_for_each(|(key, value)| {
            writing.put(Table::Documents, key.as_bytes(), value.as_bytes())
        })
    });
}

/// Returns the contents of [`Table::Documents`] as `key=value`, in key order.
fn all(rows: &dyn Rows) -> Vec<String> {
    keys_and_values(rows, ALL_KEYS)
}

fn keys_and_values(rows: &dyn Rows, range: KeyRange<'_>) -> Vec<String> {
    let found = rows.range(Table::Documents, range, Direction::Forward).expect("a range");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    found
        .map(|row| row.map(|(key, value)| format!("{}={}", text(&key), text(&value))).unwrap())
        .collect()
}

fn committed(engine: &dyn Engine) -> Vec<String> {
    all(&*engine.snapshot().expect("a snapshot"))
}

/// Reads a counter of a test.
fn number(rows: &dyn Rows, table: Table) -> u32 {
    let found = rows.get(table, b"number").expect("a get");
    found.map_or(0, |bytes| String::from_utf8_lossy(&bytes).parse().expect("a number"))
}

fn set_number(rows: &mut dyn Mutate, table: Table, number: u32) -> Result<(), EngineError> {
    rows.put(table, b"number", number.to_string().as_bytes())
}

/// Order.
pub fn ranges_are_in_key_order(engine: &dyn Engine) {
    let sorted: [&[u8]; 7] = [b"\0", b"a", b"a\0", b"a/b", b"ab", b"\x7f", b"\xff\xff"];
    keep(engine, |rows| {
        sorted.iter().rev().try_for_each(|key| rows.put(Table::History, key, b"x"))
    });
    let snapshot = engine.snapshot().expect("a snapshot");
    let keys = |rows: super::RowIter<'_>| -> Vec<Vec<u8>> {
        rows.map(|row| row.expect("a row").0.into_owned()).collect()
    };
    assert_eq!(
        keys(snapshot.range(Table::History, ALL_KEYS, Direction::Forward).expect("a range")),
        sorted
    );
    let mut back =
        keys(snapshot.range(Table::History, ALL_KEYS, Direction::Back).expect("a range"));
    back.reverse();
    assert_eq!(back, sorted);
}

/// Bounds.
pub fn bounds_need_no_rows(engine: &dyn Engine) {
    put(engine, &[("b", "1"), ("d", "2"), ("f", "3")]);
    let snapshot = engine.snapshot().expect("a snapshot");
    let check = |from: Bound<&[u8]>, to: Bound<&[u8]>, expected: &[&str]| {
        assert_eq!(keys_and_values(&*snapshot, (from, to)), expected, "{from:?} to {to:?}");
        let back = snapshot.range(Table::Documents, (from, to), Direction::Back).expect("a range");
        assert_eq!(back.count(), expected.len(), "back from {to:?} to {from:?}");
    };
    use Bound::{Excluded, Included, Unbounded};
    check(Included(b"b"), Included(b"d"), &["b=1", "d=2"]);
    check(Excluded(b"b"), Excluded(b"f"), &["d=2"]);
    check(Included(b"a"), Included(b"c"), &["b=1"]);
    check(Excluded(b"c"), Unbounded, &["d=2", "f=3"]);
    check(Unbounded, Excluded(b"c"), &["b=1"]);
    check(Included(b""), Unbounded, &["b=1", "d=2", "f=3"]);
    check(Excluded(b""), Excluded(b"d"), &["b=1"]);
    check(Unbounded, Included(b""), &[]);
    check(Unbounded, Excluded(b""), &[]);
    check(Included(b"g"), Unbounded, &[]);
    for (from, to) in [("f", "b"), ("e", "c"), ("d", "d"), ("z", "")] {
        check(Excluded(from.as_bytes()), Excluded(to.as_bytes()), &[]);
    }
    check(Included(b"f"), Included(b"b"), &[]);
    check(Included(b"d"), Excluded(b"d"), &[]);
    let keys = snapshot.keys(Table::Documents, (Excluded(b"b"), Unbounded)).expect("keys");
    let keys = keys.map(|key| key.expect("a key")).map(|(key, length)| (key.into_owned(), length));
    assert_eq!(keys.collect::<Vec<_>>(), [(b"d".to_vec(), 1), (b"f".to_vec(), 1)]);
}

/// Tables.
pub fn tables_are_independent(engine: &dyn Engine) {
    keep(engine, |rows| {
        Table::ALL.iter().try_for_each(|table| rows.put(*table, b"key", table.name().as_bytes()))
    });
    keep(engine, |rows| rows.delete(Table::Audit, b"key"));
    let snapshot = engine.snapshot().expect("a snapshot");
    for table in Table::ALL {
        let expected = (table != Table::Audit).then(|| table.name().as_bytes().to_vec());
        let found = snapshot.get(table, b"key").expect("a get");
        assert_eq!(found.map(|value| value.into_owned()), expected);
        assert_eq!(snapshot.count(table).expect("a count"), u64::from(table != Table::Audit));
    }
}

/// Many gets.
pub fn many_gets_keep_their_order(engine: &dyn Engine) {
    put(engine, &[("a", "1"), ("b", "2"), ("c", "3")]);
    let snapshot = engine.snapshot().expect("a snapshot");
    let keys: [&[u8]; 6] = [b"c", b"x", b"a", b"", b"a", b"b"];
    let found = snapshot.get_many(Table::Documents, &keys).expect("gets");
    let found: Vec<_> = found.iter().map(Option::as_deref).collect();
    let some = |value: &'static str| Some(value.as_bytes());
    assert_eq!(found, [some("3"), None, some("1"), None, some("1"), some("2")]);
    assert_eq!(snapshot.get_many(Table::Documents, &[]).expect("gets").len(), 0);
}

/// Limits.
pub fn keys_and_values_have_limits(engine: &dyn Engine) {
    let longest = vec![0xff; MAX_KEY];
    let largest = vec![7; MAX_VALUE];
    keep(engine, |rows| {
        rows.put(Table::Documents, &longest, &largest)?;
        rows.append(Table::Audit, &longest, b"")?;
        rows.put(Table::Personal, b"\0", b"")
    });
    let snapshot = engine.snapshot().expect("a snapshot");
    let get = |table, key: &[u8]| snapshot.get(table, key).expect("a get").map(|v| v.into_owned());
    assert_eq!(get(Table::Documents, &longest).as_deref(), Some(&*largest));
    assert_eq!(get(Table::Audit, &longest).as_deref(), Some(&b""[..]));
    assert_eq!(get(Table::Personal, b"\0").as_deref(), Some(&b""[..]));
    let too_long = vec![0xff; MAX_KEY + 1];
    for key in [&b""[..], &too_long] {
        assert_eq!(get(Table::Documents, key), None);
        for way in 0..3 {
            let result = engine.write(&Prefetch::NONE, &mut |rows| {
                match way {
                    0 => rows.put(Table::Meta, key, b"x")?,
                    1 => rows.append(Table::Meta, key, b"x")?,
                    _ => rows.exchange(Table::Meta, &[(key, Some(b"x"))]).map(|_| ())?,
                }
                Ok(Verdict::Keep)
            });
            let is_named =
                matches!(result, Err(EngineError::KeySize { found }) if found == key.len());
            assert!(is_named, "{result:?}");
        }
        keep(engine, |rows| rows.delete(Table::Meta, key));
    }
}

/// Isolation of a snapshot.
pub fn a_snapshot_does_not_change(engine: &dyn Engine) {
    put(engine, &[("a", "1"), ("b", "1")]);
    let before = engine.snapshot().expect("a snapshot");
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            put(engine, &[("a", "2"), ("c", "2")]);
            keep(engine, |rows| rows.delete(Table::Documents, b"b"));
            assert_eq!(committed(engine), ["a=2", "c=2"]);
        });
        other.join().expect("the other thread");
    });
    assert_eq!(all(&*before), ["a=1", "b=1"]);
    drop(before);
    assert_eq!(committed(engine), ["a=2", "c=2"]);
}

/// Isolation of a running write.
pub fn a_running_write_is_not_seen(engine: &dyn Engine) {
    put(engine, &[("a", "1")]);
    keep(engine, |rows| {
        rows.put(Table::Documents, b"a", b"2")?;
        let seen = thread::scope(|scope| scope.spawn(|| committed(engine)).join());
        assert_eq!(seen.expect("a reader"), ["a=1"]);
        Ok(())
    });
    assert_eq!(committed(engine), ["a=2"]);
}

/// Visibility.
pub fn a_commit_is_seen_whole(engine: &dyn Engine) {
    let tables = [Table::Entries, Table::Changes, Table::Documents];
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = || {
            scope.spawn(|| {
                let mut last = 0;
                while !is_done.load(Ordering::Acquire) {
                    let snapshot = engine.snapshot().expect("a snapshot");
                    let numbers = tables.map(|table| number(&*snapshot, table));
                    assert!(numbers.iter().all(|number| *number == numbers[0]), "{numbers:?}");
                    assert!(numbers[0] >= last, "{} after {last}", numbers[0]);
                    last = numbers[0];
                }
            })
        };
        let readers = [reader(), reader()];
        for next in 1..=50 {
            keep(engine, |rows| tables.iter().try_for_each(|table| set_number(rows, *table, next)));
            assert_eq!(number(&*engine.snapshot().expect("a snapshot"), Table::Changes), next);
        }
        is_done.store(true, Ordering::Release);
        readers.into_iter().for_each(|reader| reader.join().expect("a reader"));
    });
}

/// Commit number.
pub fn a_commit_has_a_new_number(engine: &dyn Engine) {
    let Some(mut last) = engine.last_commit() else { return }; // engines need not have one
    for n in 0..5 {
        put(engine, &[("a", &n.to_string())]);
        let now = engine.last_commit().expect("an engine that has one always has one");
        assert_ne!(now, last);
        assert_eq!(engine.snapshot().expect("a snapshot").commit(), Some(now));
        last = now;
    }
}

/// Waiting for a commit.
pub fn a_wait_ends_with_a_commit(engine: &dyn Engine) {
    const LONG: Duration = Duration::from_secs(600);
    let begin = Instant::now();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            loop {
                let snapshot = engine.snapshot().expect("a snapshot");
                let (rows, seen) = (all(&*snapshot), snapshot.commit());
                drop(snapshot);
                if !rows.is_empty() {
                    return;
                }
                engine.wait(seen, LONG).expect("a wait");
            }
        });
        thread::sleep(Duration::from_millis(20)); // gives the other thread time to wait; without it, the test proves less
        put(engine, &[("a", "1")]);
        waiting.join().expect("a wait that ends");
    });
    assert!(begin.elapsed() < LONG / 2, "it waited for its time limit");
}

/// Waiting until the time limit.
pub fn a_wait_ends_in_time(engine: &dyn Engine) {
    let seen = engine.last_commit();
    for limit in [0, 1, 20] {
        engine.wait(seen, Duration::from_millis(limit)).expect("a wait");
    }
}
