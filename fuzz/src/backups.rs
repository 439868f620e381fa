//! Backups, and backups of changes on top of one.

use std::io::Write;
use std::sync::LazyLock;

use fingerpost_resolver::{Rules, Vocabulary, read_record};
use fingerpost_store::{BackupBase, BackupError, Batch, Store, verify_backup, verify_backup_chain};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

const CHANGES: &[u8] = b"fingerpost-changes/1\n";

/// A full backup of a store with two records that were changed, and what changes say of it.
static BASE: LazyLock<(Vec<u8>, BackupBase)> = LazyLock::new(|| {
    let (store, vocabulary) = (Store::in_memory(), Vocabulary::builtin());
    let put = |batch: &mut Batch, key: &str, text: &str| {
        let record = format!(
            r#"{{"anchor":"/01/{key}","itemDescription":"{text}","links":[{{"linkType":"gs1:defaultLink","href":"https://example.com/","title":"A"}},{{"linkType":"gs1:pip","href":"https://example.com/","title":"A"}}]}}"#
        );
        match read_record(record.as_bytes(), &Rules::new(&vocabulary)) {
            Ok(accepted) => drop(batch.put(accepted.entry)),
            Err(refused) => panic!("{refused}"),
        }
    };
    for text in ["one", "two"] {
        let mut batch = Batch::new();
        put(&mut batch, "09506000134352", text);
        put(&mut batch, "09506000134369", text);
        store.write(&batch).expect("memory can be written");
    }
    let mut bytes = Vec::new();
    let report = store.backup(&mut bytes).expect("memory can be read");
    (bytes, report.base())
});

/// Reads backups: the input as a file; and its frames as changes, whose head is right if the first
/// bit says so, with a right digest.
pub fn backup(data: &[u8]) {
    let whole = verify_backup(data);
    assert!(matches!(whole, Ok(_) | Err(BackupError::Damaged { .. } | BackupError::Store(_))));
    let Some((first, frames)) = data.split_first() else { return };
    let (full, base) = &*BASE;
    let mut contents = Vec::new();
    if first & 1 == 0 {
        let whole: Vec<_> =
            ["meta", "entries", "history", "changes", "audit", "personal", "documents"]
                .iter()
                .enumerate()
                .filter(|(bit, _)| first >> (bit + 1) & 1 == 1)
                .map(|(_, table)| format!("\"{table}\""))
                .collect();
        let head = format!(
            r#"{{"revision":{},"audit":"{}","digest":"{}","whole":[{}]}}"#,
            base.revision,
            base.head,
            base.digest,
            whole.join(",")
        );
        contents.push(63);
        contents.extend(0_u32.to_le_bytes());
        contents.extend(u32::try_from(head.len()).expect("a short head").to_le_bytes());
        contents.extend(head.bytes());
    }
    contents.extend(frames);
    let digest = Sha256::new().chain_update(CHANGES).chain_update(&contents).finalize();
    contents.extend(digest);
    let mut packed = GzEncoder::new(CHANGES.to_vec(), Compression::fast());
    packed.write_all(&contents).expect("memory can be written");
    let changes = packed.finish().expect("memory can be written");
    let read = || verify_backup_chain([&full[..], &changes[..]]).map_err(|error| error.to_string());
    assert_eq!(read(), read());
}
