//! What the tests of followers share: records, stores, and their contents.

use std::sync::Arc;

use fingerpost_resolver::{Anchor, Entry, Rules, Vocabulary, read_record};
use fingerpost_store::copy::{CopyLimit, CopyRow, LevelRange, Selection};
use fingerpost_store::{Batch, Revision, Store};

/// The levels that histories are about: keys, lots, sets and company prefixes.
pub(crate) const LEVELS: [&str; 12] = [
    "01/09506000134352",
    "01/09506000134352/10/A",
    "01/09506000134352/10/B",
    "01/09506000134352/-any/10",
    "01/09506000134352/-range/10/4/A100/A199",
    "01/09506000134369",
    "01/09506000134369/21/7",
    "01/09520123456788",
    "01/09520123456788/10/A",
    "414/9506000134352",
    "gcp/9506000",
    "gcp/9520123",
];

/// An entry whose description tells it from others.
pub(crate) fn entry(level: &str, description: &str) -> Entry {
    let link = |link_type| serde_json::json!({"linkType": link_type, "href": "https://example.com/p", "title": "Product"});
    let record = serde_json::json!({
        "anchor": format!("/{level}"),
        "itemDescription": description,
        "links": [link("gs1:pip"), link("gs1:defaultLink")],
    });
    let vocabulary = Vocabulary::builtin();
    match read_record(record.to_string().as_bytes(), &Rules::new(&vocabulary)) {
        Ok(accepted) => accepted.entry,
        Err(refused) => panic!("{level}: {refused}"),
    }
}

/// Puts (`Some`) and deletes (`None`) levels in one revision.
pub(crate) fn write(store: &Store, changes: &[(&str, Option<String>)]) -> Revision {
    let mut batch = Batch::unchecked();
    for (level, description) in changes {
        match description {
            Some(description) => batch.put(entry(level, description)),
            None => batch.delete(Anchor::parse(level).unwrap()),
        };
    }
    store.write(&batch).unwrap()
}

/// Every row of a store that belongs to a selection, as stored.
pub(crate) fn rows(store: &Store, selection: &Selection) -> Vec<CopyRow> {
    let whole = CopyLimit { rows: usize::MAX, bytes: usize::MAX };
    let page = store.view(|view| view.rows_to_copy(selection, &LevelRange::default(), whole));
    page.unwrap().rows
}

/// A backup of a store.
pub(crate) fn backup(store: &Store) -> Vec<u8> {
    let mut bytes = Vec::new();
    store.backup(&mut bytes).unwrap();
    bytes
}

/// A store in memory, restored from a backup.
pub(crate) fn restored(backup: &[u8]) -> Arc<Store> {
    let memory = fingerpost_engine::Memory::new();
    Arc::new(Store::restore_into(backup, memory).unwrap().0)
}
