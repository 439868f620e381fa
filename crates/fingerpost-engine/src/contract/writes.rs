//! Tests of the promises about writes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use super::{Prefetch, all, committed, keep, number, put, set_number};
use crate::{Engine, Mutate, Table, Verdict};
use crate::{EngineError, Unavailable};

const ROWS: Table = Table::Documents;

/// Own writes.
pub fn a_write_reads_its_own_writes(engine: &dyn Engine) {
    put(engine, &[("a", "1"), ("b", "1")]);
    keep(engine, |rows| {
        rows.put(ROWS, b"c", b"2")?;
        rows.put(ROWS, b"a", b"2")?;
        rows.delete(ROWS, b"b")?;
        assert_eq!(all(rows), ["a=2", "c=2"]);
        assert_eq!(rows.get(ROWS, b"b")?, None);
        assert_eq!(rows.get(ROWS, b"c")?.as_deref(), Some(&b"2"[..]));
        assert_eq!(rows.count(ROWS)?, 2);
        Ok(())
    });
    assert_eq!(committed(engine), ["a=2", "c=2"]);
}

/// Append.
pub fn an_append_out_of_order_is_a_put(engine: &dyn Engine) {
    keep(engine, |rows| {
        for key in ["b", "d", "c", "d", "a"] {
            rows.append(ROWS, key.as_bytes(), key.as_bytes())?;
        }
        rows.append(ROWS, b"b", b"again")
    });
    assert_eq!(committed(engine), ["a=a", "b=again", "c=c", "d=d"]);
}

/// Insert: more rows than an engine sends at once, some of which are changed, deleted and inserted
/// again.
pub fn inserted_rows_are_rows(engine: &dyn Engine) {
    put(engine, &[("n0000", "old")]);
    let key = |n: u32| format!("n{n:04}");
    keep(engine, |rows| {
        rows.delete(ROWS, b"n0000")?;
        for n in (0..3000).rev() {
            rows.insert(ROWS, key(n).as_bytes(), b"1")?;
        }
        rows.savepoint(&mut |rows| {
            for n in 3000..5000 {
                rows.insert(ROWS, key(n).as_bytes(), b"1")?;
            }
            Ok(Verdict::TakeBack)
        })?;
        rows.savepoint(&mut |rows| {
            for n in 5000..5200 {
                rows.insert(ROWS, key(n).as_bytes(), b"1")?;
            }
            Ok(Verdict::Keep)
        })?;
        for n in [7, 5100] {
            rows.put(ROWS, key(n).as_bytes(), b"2")?;
            rows.delete(ROWS, key(n + 1).as_bytes())?;
            rows.delete(ROWS, key(n + 2).as_bytes())?;
            rows.insert(ROWS, key(n + 2).as_bytes(), b"3")?;
        }
        assert_eq!(rows.count(ROWS)?, 3198);
        Ok(())
    });
    let mut expected: Vec<String> = (0..3000).chain(5000..5200).map(|n| key(n) + "=1").collect();
    for n in [5100 - 2000, 7] {
        expected[n].replace_range(6.., "2");
        expected[n + 2].replace_range(6.., "3");
        expected.remove(n + 1);
    }
    assert_eq!(committed(engine), expected);
}

/// Prefetch: prefetched rows read as others, before and after changes, within limits and beyond
/// them.
pub fn prefetched_rows_are_read_as_they_are(engine: &dyn Engine) {
    put(engine, &[("a", "1"), ("b", "1")]);
    let keys: Vec<String> = (0..2500).map(|n| format!("k{n}")).collect();
    keep(engine, |rows| {
        rows.put(ROWS, b"b", b"2")?;
        let others = ["a", "b", "c", "a", ""];
        let prefetched = keys.iter().map(String::as_str).chain(others);
        rows.prefetch(
            &prefetched.fold(Prefetch::NONE, |all, key| all.row(ROWS, key.as_bytes().to_vec())),
        )?;
        rows.put(ROWS, b"c", b"2")?;
        rows.delete(ROWS, b"a")?;
        let found = [&b"a"[..], b"b", b"c", b"k7"].map(|key| rows.get(ROWS, key).expect("a get"));
        let found = found.map(|value| value.map(|value| value.into_owned()));
        assert_eq!(found, [None, Some(b"2".to_vec()), Some(b"2".to_vec()), None]);
        rows.prefetch(&Prefetch::NONE)
    });
    assert_eq!(committed(engine), ["b=2", "c=2"]);
}

/// Exchange.
pub fn an_exchange_returns_what_it_replaces(engine: &dyn Engine) {
    put(engine, &[("a", "1"), ("b", "1"), ("e", "")]);
    keep(engine, |rows| {
        let rows_in: [(&[u8], Option<&[u8]>); 5] = [
            (b"d", Some(b"2")),
            (b"b", None),
            (b"a", Some(b"2")),
            (b"c", None),
            (b"e", Some(b"2")),
        ];
        let old = rows.exchange(ROWS, &rows_in)?;
        let had = |value: &str| Some(value.as_bytes().to_vec());
        assert_eq!(old, [None, had("1"), had("1"), None, had("")]);
        assert_eq!(rows.exchange(ROWS, &[])?.len(), 0);
        Ok(())
    });
    assert_eq!(committed(engine), ["a=2", "d=2", "e=2"]);
}

/// Makes every kind of change.
fn change(rows: &mut dyn Mutate) -> Result<(), EngineError> {
    rows.put(ROWS, b"a", b"2")?;
    rows.delete(ROWS, b"b")?;
    rows.append(ROWS, b"z", b"2")?;
    rows.exchange(Table::Entries, &[(b"x", Some(b"2"))])?;
    Ok(())
}

/// Checks that nothing of [`change`] was kept, and that the engine still works.
fn check_unchanged(engine: &dyn Engine) {
    assert_eq!(committed(engine), ["a=1", "b=1"]);
    assert_eq!(engine.snapshot().expect("a snapshot").count(Table::Entries).expect("a count"), 0);
    put(engine, &[("c", "3")]);
    assert_eq!(committed(engine), ["a=1", "b=1", "c=3"]);
}

/// Atomicity of a write that is rolled back.
pub fn what_is_taken_back_leaves_nothing(engine: &dyn Engine) {
    put(engine, &[("a", "1"), ("b", "1")]);
    let result =
        engine.write(&Prefetch::NONE, &mut |rows| change(rows).map(|()| Verdict::TakeBack));
    result.expect("taking back is no error");
    check_unchanged(engine);
}

/// Atomicity of a write that fails.
pub fn a_failed_write_changes_nothing(engine: &dyn Engine) {
    put(engine, &[("a", "1"), ("b", "1")]);
    let result = engine.write(&Prefetch::NONE, &mut |rows| {
        change(rows)?;
        Err(Unavailable::Stopped.into())
    });
    assert!(matches!(result, Err(EngineError::Unavailable(Unavailable::Stopped))), "{result:?}");
    check_unchanged(engine);
}

/// Atomicity of a write that panics.
pub fn a_panic_leaves_nothing(engine: &dyn Engine) {
    put(engine, &[("a", "1"), ("b", "1")]);
    for in_savepoint in [false, true] {
        let result = catch_unwind(AssertUnwindSafe(|| {
            engine.write(&Prefetch::NONE, &mut |rows| {
                let mut work = |rows: &mut dyn Mutate| {
                    change(rows)?;
                    panic!("in the middle of a write")
                };
                if in_savepoint {
                    rows.savepoint(&mut work)?;
                    Ok(Verdict::Keep)
                } else {
                    work(rows)
                }
            })
        }));
        let panic = result.expect_err("the panic goes on");
        assert_eq!(panic.downcast_ref(), Some(&"in the middle of a write"));
    }
    check_unchanged(engine);
}

/// Savepoints.
pub fn a_savepoint_is_taken_back_alone(engine: &dyn Engine) {
    put(engine, &[("a", "1"), ("b", "1")]);
    keep(engine, |rows| {
        rows.put(ROWS, b"c", b"kept")?;
        rows.savepoint(&mut |rows| {
            rows.put(ROWS, b"d", b"kept")?;
            assert_eq!(all(rows), ["a=1", "b=1", "c=kept", "d=kept"]);
            rows.savepoint(&mut |rows| change(rows).map(|()| Verdict::TakeBack))?;
            assert_eq!(all(rows), ["a=1", "b=1", "c=kept", "d=kept"]);
            Ok(Verdict::Keep)
        })?;
        rows.savepoint(&mut |rows| {
            rows.savepoint(&mut |rows| change(rows).map(|()| Verdict::Keep))?;
            assert_eq!(all(rows), ["a=2", "c=kept", "d=kept", "z=2"]);
            Ok(Verdict::TakeBack)
        })?;
        let failed = rows.savepoint(&mut |rows| {
            change(rows)?;
            Err(Unavailable::Stopped.into())
        });
        assert!(failed.is_err());
        assert_eq!(all(rows), ["a=1", "b=1", "c=kept", "d=kept"]);
        rows.delete(ROWS, b"a")
    });
    assert_eq!(committed(engine), ["b=1", "c=kept", "d=kept"]);
    assert_eq!(engine.snapshot().expect("a snapshot").count(Table::Entries).expect("a count"), 0);
}

/// One writer.
pub fn writes_take_turns(engine: &dyn Engine) {
    const THREADS: u32 = 4;
    const EACH: u32 = 25;
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..EACH {
                    keep(engine, |rows| {
                        let next = number(rows, Table::Meta) + 1;
                        thread::yield_now();
                        set_number(rows, Table::Meta, next)
                    });
                }
            });
        }
    });
    let snapshot = engine.snapshot().expect("a snapshot");
    assert_eq!(number(&*snapshot, Table::Meta), THREADS * EACH);
}

/// Repetition.
pub fn a_repeated_write_starts_over(engine: &dyn Engine) {
    put(engine, &[("a", "1"), ("b", "1")]);
    let mut runs = 0;
    let result = engine.write(&Prefetch::NONE, &mut |rows| {
        runs += 1;
        assert_eq!(all(rows), ["a=1", "b=1"], "run {runs}");
        rows.savepoint(&mut |rows| change(rows).map(|()| Verdict::Keep))?;
        rows.put(ROWS, format!("run {runs}").as_bytes(), b"")?;
        Ok(Verdict::Keep)
    });
    result.expect("a write that works");
    assert_eq!(committed(engine), ["a=2".to_owned(), format!("run {runs}="), "z=2".to_owned()]);
}
