//! Rows between two fingerposts: what is encoded is decoded, and other bytes are refused.

use fingerpost_follow::wire::{RowsHead, decode, encode, head_of};
use fingerpost_store::copy::{CopyRow, CopyValue, Position};
use proptest::prelude::*;

fn value() -> impl Strategy<Value = CopyValue> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40).prop_map(CopyValue::Stored),
        Just(CopyValue::Deleted),
        Just(CopyValue::Damaged),
    ]
}

fn rows() -> impl Strategy<Value = Vec<CopyRow>> {
    let row = ("[ -~]{1,20}", value()).prop_map(|(level, value)| CopyRow { level, value });
    prop::collection::vec(row, 0..6)
}

proptest! {
    #[test]
    fn rows_survive(rows in rows(), until in prop::option::of("[ -~\\n]{0,9}")) {
        let head = RowsHead { until, ..head_of(Position::default(), &rows) };
        let body = encode(&head, &rows);
        prop_assert_eq!(decode(&body).unwrap(), (head, rows));
        for length in 0..body.len() {
            prop_assert!(decode(&body[..length]).is_err(), "cut off at {length}");
        }
        let longer = [&body[..], b"\0"].concat();
        prop_assert!(decode(&longer).is_err());
    }

    #[test]
    fn any_bytes_have_an_answer(rows in rows(), position in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut body = encode(&head_of(Position::default(), &rows), &rows);
        let position = position.index(body.len());
        body[position] = byte;
        let _ = decode(&body);
    }
}

#[test]
fn another_format_is_named() {
    let rows = [];
    let head = RowsHead { format: 4_000_000, ..head_of(Position::default(), &rows) };
    let text = decode(&encode(&head, &rows)).unwrap_err().to_string();
    assert!(text.contains("4000000") && text.contains("update"), "{text}");
    // A number of rows that no memory holds.
    let huge = RowsHead { rows: usize::MAX, ..head_of(Position::default(), &rows) };
    assert!(decode(&encode(&huge, &rows)).is_err());
}
