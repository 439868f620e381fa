//! Says what a damaged row is: an engine does not know what its key means.

use fingerpost_engine::{EngineError, Table};

use crate::StoreError;
use crate::format::parse_history_key;

impl From<EngineError> for StoreError {
    fn from(error: EngineError) -> Self {
        let EngineError::Row { table, key } = &error else { return Self::Engine(error) };
        let text = |key: &[u8]| String::from_utf8_lossy(key).into_owned();
        let row = match (table, parse_history_key(key)) {
            (Table::Entries, _) => {
                let detail = "its checksum does not match".to_owned();
                return Self::Corrupt { key: text(key), detail };
            }
            (Table::History, Some((level, revision))) => format!("`{level}`, revision {revision}"),
            (Table::Documents, _) => format!("`{}`", text(key).replace('\0', "/").escape_debug()),
            _ => match <[u8; 8]>::try_from(&key[..]) {
                Ok(number) => u64::from_be_bytes(number).to_string(),
                Err(_) => format!("`{}`", key.escape_ascii()),
            },
        };
        Self::Row { table: table.name(), row }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use fingerpost_engine::checksum::verified;

    use super::*;

    #[test]
    fn an_error_names_the_row() {
        let named = |table, key: &[u8]| {
            let error = verified(table, key, Cow::Borrowed(b"short")).unwrap_err();
            StoreError::from(error).to_string()
        };
        let entry = named(Table::Entries, b"01/09506000134352");
        assert!(entry.starts_with("the entry stored at `01/09506000134352` is damaged"), "{entry}");
        let state = named(Table::History, b"01/09506000134352\0\0\0\0\0\0\0\0\x07");
        assert!(state.contains("table `history`: `01/09506000134352`, revision 7"), "{state}");
        assert!(named(Table::Documents, b"users\0ada").contains("`users/ada`"));
        assert!(named(Table::Audit, &9_u64.to_be_bytes()).contains("table `audit`: 9"));
        assert!(named(Table::Changes, b"\0\xff").contains(r"`\x00\xff`"));
    }
}
