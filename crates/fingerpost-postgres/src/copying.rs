//! Rows in the binary format of `COPY`, for rows that the server does not have.
//!
//! The format is a header; for each row the number of its columns, and each column with its length;
//! and a trailer. PostgreSQL documents it on the page of `COPY`. For the server, a row by `COPY` is
//! half to a quarter of the work of a row by `INSERT … ON CONFLICT`.

/// The signature, no flags, no extension.
const HEADER: [u8; 19] = *b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// The number of columns that ends the rows.
const TRAILER: i16 = -1;
/// The length of a column without a value.
const NULL: i32 = -1;
/// The version of the binary format of `jsonb`, before its text.
const JSONB: u8 = 1;

/// Rows for one `COPY`.
pub(crate) struct CopyRows(Vec<u8>);

impl CopyRows {
    pub(crate) fn new() -> Self {
        Self(HEADER.to_vec())
    }

    /// Adds a row with a key and a value.
    pub(crate) fn row(&mut self, key: &[u8], value: &[u8]) {
        self.begin(2);
        self.column(&[key]);
        self.column(&[value]);
    }

    /// Adds a row of `entries`, with the columns for SQL.
    pub(crate) fn entry(
        &mut self,
        key: &[u8],
        value: &[u8],
        revision: Option<i64>,
        record: Option<&str>,
    ) {
        self.begin(4);
        self.column(&[key]);
        self.column(&[value]);
        match revision {
            Some(revision) => self.column(&[&revision.to_be_bytes()]),
            None => self.null(),
        }
        match record {
            Some(record) => self.column(&[&[JSONB], record.as_bytes()]),
            None => self.null(),
        }
    }

    /// Ends the rows.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.0.extend(TRAILER.to_be_bytes());
        self.0
    }

    fn begin(&mut self, columns: i16) {
        self.0.extend(columns.to_be_bytes());
    }

    /// Adds a column of parts, which together are shorter than 2 GiB: keys and values have limits
    /// far below.
    fn column(&mut self, parts: &[&[u8]]) {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        self.0.extend(i32::try_from(length).unwrap_or(i32::MAX).to_be_bytes());
        for part in parts {
            self.0.extend_from_slice(part);
        }
    }

    fn null(&mut self) {
        self.0.extend(NULL.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_counted_columns_with_their_lengths() {
        let mut rows = CopyRows::new();
        rows.row(b"k", b"");
        rows.entry(b"key", b"v", Some(7), Some("{}"));
        rows.entry(b"key", b"v", None, None);
        let mut expected = b"PGCOPY\n\xff\r\n\0".to_vec();
        expected.extend([0; 8]);
        expected.extend(b"\0\x02\0\0\0\x01k\0\0\0\0");
        expected
            .extend(b"\0\x04\0\0\0\x03key\0\0\0\x01v\0\0\0\x08\0\0\0\0\0\0\0\x07\0\0\0\x03\x01{}");
        expected.extend(b"\0\x04\0\0\0\x03key\0\0\0\x01v\xff\xff\xff\xff\xff\xff\xff\xff");
        expected.extend([0xff, 0xff]);
        assert_eq!(rows.finish(), expected);
    }
}
