//! Random writes with nested savepoints, large enough that changes are sent in between, beside the
//! engine in memory.

use std::ops::Bound;

use fingerpost_engine::{
    ALL_KEYS, Direction, Engine, EngineError, Memory, Mutate, Prefetch, Rows, Table, Unavailable,
    Verdict,
};
use fingerpost_testkit::{fresh_postgres, skipped};

const TABLES: [Table; 2] = [Table::Entries, Table::Audit];

/// Numbers that look random and are the same in each run (xorshift).
#[derive(Clone)]
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn key(&mut self) -> Vec<u8> {
        vec![b'k', u8::try_from(self.below(40)).unwrap()]
    }

    /// Mostly a short value; some are so long that the second one is sent.
    fn value(&mut self) -> Vec<u8> {
        let length = if self.below(8) == 0 { 700_000 } else { 3 };
        vec![u8::try_from(self.below(256)).unwrap(); length]
    }
}

/// Makes changes, compares nothing, and returns what it read.
fn change(
    rows: &mut dyn Mutate,
    numbers: &mut Numbers,
    depth: u32,
    read: &mut Vec<String>,
) -> Result<(), EngineError> {
    for _ in 0..3 + numbers.below(8) {
        let table = TABLES[usize::try_from(numbers.below(2)).unwrap()];
        let key = numbers.key();
        match numbers.below(12) {
            0..=3 => rows.put(table, &key, &numbers.value())?,
            4 => rows.append(table, &key, &numbers.value())?,
            5 | 6 => rows.delete(table, &key)?,
            7 => {
                let value = numbers.value();
                let old = rows.exchange(table, &[(&key, Some(&value)), (b"other", None)])?;
                let old: Vec<_> = old.iter().map(|old| old.as_deref().map(short)).collect();
                read.push(format!("{old:?}"));
            }
            8 => read.push(format!("{:?}", rows.get(table, &key)?.as_deref().map(short))),
            9 => read.push(shown(rows, table, &key)?),
            _ if depth < 3 => {
                let ending = numbers.below(3);
                let result = rows.savepoint(&mut |rows| {
                    change(rows, numbers, depth + 1, read)?;
                    match ending {
                        0 => Ok(Verdict::Keep),
                        1 => Ok(Verdict::TakeBack),
                        _ => Err(Unavailable::Stopped.into()),
                    }
                });
                assert_eq!(result.is_err(), ending == 2, "{result:?}");
            }
            _ => {}
        }
    }
    Ok(())
}

fn short(value: &[u8]) -> (usize, Option<&u8>) {
    (value.len(), value.first())
}

/// Shows the rows of a table around a key, in both directions, and their number.
fn shown(rows: &dyn Rows, table: Table, key: &[u8]) -> Result<String, EngineError> {
    let mut text = format!("{} rows:", rows.count(table)?);
    let ranges = [
        rows.range(table, (Bound::Excluded(key), Bound::Unbounded), Direction::Forward)?,
        rows.range(table, (Bound::Unbounded, Bound::Included(key)), Direction::Back)?,
        rows.range(table, ALL_KEYS, Direction::Back)?,
    ];
    for range in ranges {
        for row in range {
            let (key, value) = row?;
            text += &format!(" {:?}={:?}", key.last(), short(&value));
        }
        text += ";";
    }
    for row in rows.keys(table, ALL_KEYS)? {
        text += &format!(" {:?}", row?);
    }
    Ok(text)
}

#[test]
fn random_writes_end_as_in_memory() {
    let postgres = match fresh_postgres() {
        Ok(postgres) => postgres,
        Err(why) => return skipped("random writes over PostgreSQL", why),
    };
    let memory = Memory::new();
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for round in 0..60 {
        let ending = numbers.below(4);
        let write = |engine: &dyn Engine| {
            let mut read = Vec::new();
            let mut own = numbers.clone();
            let result = engine.write(&Prefetch::NONE, &mut |rows| {
                change(rows, &mut own, 0, &mut read)?;
                Ok(if ending == 0 { Verdict::TakeBack } else { Verdict::Keep })
            });
            result.unwrap();
            let snapshot = engine.snapshot().unwrap();
            for table in TABLES {
                read.push(shown(&*snapshot, table, b"k\x14").unwrap());
            }
            (read, own)
        };
        let (expected, after) = write(&memory);
        let (found, _) = write(&postgres);
        assert_eq!(found, expected, "round {round}");
        numbers = after;
    }
}

/// After a read of many rows, the changes so far are sent, and made while others are collected.
#[test]
fn changes_that_are_sent_early_are_one_write() {
    const PART: u32 = 700;
    let postgres = match fresh_postgres() {
        Ok(postgres) => postgres,
        Err(why) => return skipped("changes that are sent early over PostgreSQL", why),
    };
    let write = |text: &[u8], is_new: bool| {
        postgres.write(&Prefetch::NONE, &mut |rows| {
            for part in 0..5 {
                let keys = (part * PART..(part + 1) * PART).map(u32::to_be_bytes);
                let keys = keys.map(|key| key.to_vec());
                let all =
                    keys.clone().fold(Prefetch::NONE, |all, key| all.row(Table::Entries, key));
                rows.prefetch(&all)?;
                for key in keys {
                    match is_new {
                        true => rows.insert(Table::Entries, &key, text)?,
                        false => rows.put(Table::Entries, &key, text)?,
                    }
                    rows.savepoint(&mut |rows| {
                        rows.delete(Table::Entries, &key)?;
                        Ok(Verdict::TakeBack)
                    })?;
                }
            }
            Ok(Verdict::Keep)
        })
    };
    let expect = |text: &[u8]| {
        let snapshot = postgres.snapshot().unwrap();
        let rows = snapshot.range(Table::Entries, ALL_KEYS, Direction::Forward).unwrap();
        let count = rows.map(Result::unwrap).filter(|(_, value)| **value == *text).count();
        assert_eq!(count, 5 * PART as usize);
    };
    write(b"first", true).unwrap();
    expect(b"first");
    write(b"second", false).unwrap();
    expect(b"second");
    // The server refuses rows that exist, while others are collected.
    write(b"third", true).unwrap_err();
    expect(b"second");
    write(b"fourth", false).unwrap();
    expect(b"fourth");
}
