//! The files of an export: what leaves the origin, what a change writes, and what damage does.

use std::collections::BTreeSet;
use std::path::PathBuf;

use fingerpost_edge::{Edge, EdgeFault, Root};
use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Anchor, Entry, Rules, Suspension, read_record};
use fingerpost_server::{edge_settings_of, write_edge};
use fingerpost_store::Batch;
use fingerpost_testkit::Ask;
use serde_json::{Value, json};

use crate::edge::{FromFiles, request};
use crate::installation::{Installation, files};

fn gtin(number: u64) -> String {
    let digits = format!("0950600{number:06}");
    let sum: u64 =
        digits.bytes().rev().zip([3, 1].iter().cycle()).map(|(d, f)| u64::from(d - b'0') * f).sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

fn record(anchor: &str, href: &str) -> Value {
    let links = ["gs1:defaultLink", "gs1:pip"]
        .map(|kind| json!({"linkType": kind, "href": href, "title": "Tea"}));
    json!({"anchor": anchor, "links": links})
}

fn many(count: u64) -> Vec<Value> {
    let record = |number| {
        let href = format!("https://example.com/{number}/{}", "p".repeat(1000));
        record(&format!("/01/{}", gtin(number)), &href)
    };
    (0..count).map(record).collect()
}

fn put(installation: &Installation, records: &[Value]) {
    let vocabulary = installation.config.vocabulary();
    let rules = Rules::new(vocabulary).with_roles(installation.config.settings().roles());
    let mut batch = Batch::unchecked();
    for record in records {
        batch.put(read_record(record.to_string().as_bytes(), &rules).unwrap().entry);
    }
    installation.store.write(&batch).unwrap();
}

fn location(installation: &Installation, target: &str) -> Option<String> {
    let records = installation.records();
    let answer = FromFiles::open(&records).answer(&request(&Ask::get(target)).unwrap())?;
    Some(answer.headers()["location"].to_str().unwrap().to_owned())
}

fn pages(installation: &Installation) -> Vec<String> {
    Root::read(&std::fs::read(installation.records().join("root.json")).unwrap()).unwrap().pages
}

/// 37.3: after a change of one record, its shard, the page of that and the root are written.
#[test]
fn a_change_writes_one_shard_and_the_path_to_it() {
    let installation = Installation::new("", &many(3000));
    let before = files(&installation.records());
    assert!(before.len() > 30, "{} files", before.len());
    assert_eq!(installation.export().files, 0, "nothing changed");
    assert_eq!(files(&installation.records()), before);

    let changed = format!("/01/{}", gtin(7));
    put(&installation, &[record(&changed, "https://example.com/changed")]);
    let export = installation.export();
    assert!(!export.is_complete);
    assert_eq!(export.files, 3, "shard, page, root");
    let after = files(&installation.records());
    let differs = |path: &&PathBuf| before.get(*path) != after.get(*path);
    assert_eq!(after.keys().filter(differs).count(), 3);
    assert_eq!(
        before.keys().filter(|path| !after.contains_key(*path)).count(),
        0,
        "old roots work"
    );
    assert_eq!(location(&installation, &changed).unwrap(), "https://example.com/changed");

    // A new lot, a new key, and a deleted key.
    let lot = format!("{changed}/10/A");
    put(
        &installation,
        &[
            record(&lot, "https://example.com/lot"),
            record("/01/09520123456788", "https://example.com/new"),
        ],
    );
    let mut batch = Batch::unchecked();
    batch.delete(EntityKey::parse(&format!("/01/{}", gtin(8))).unwrap());
    installation.store.write(&batch).unwrap();
    assert!(!installation.export().is_complete);
    assert_eq!(location(&installation, &lot).unwrap(), "https://example.com/lot");
    assert_eq!(location(&installation, "/01/09520123456788").unwrap(), "https://example.com/new");
    assert_eq!(location(&installation, &format!("/01/{}", gtin(8))), None);
    let shards = before.keys().filter(|path| !files(&installation.records()).contains_key(*path));
    assert_eq!(shards.count(), 2, "the shard and the page that the first change replaced");

    // The same pages as those of an export from nothing, if that has as many shards.
    let folder = tempfile::tempdir().unwrap();
    let again = write_edge(
        &installation.settings,
        &installation.store,
        folder.path(),
        fingerpost_server::now(),
    )
    .unwrap();
    assert!(again.is_complete);
    let root = std::fs::read(folder.path().join("records/root.json")).unwrap();
    assert_eq!(Root::read(&root).unwrap().pages, pages(&installation));
}

/// 37.3: a change that is taken back refers to a shard that was replaced before.
#[test]
fn a_shard_that_is_used_again_is_not_deleted() {
    let installation = Installation::new("", &many(3));
    let first = pages(&installation);
    let target = format!("/01/{}", gtin(1));
    for href in ["https://example.com/a", "https://example.com/b", "https://example.com/a"] {
        put(&installation, &[record(&target, href)]);
        installation.export();
        assert_eq!(location(&installation, &target).unwrap(), href);
    }
    assert_ne!(pages(&installation), first);
}

/// 37.4, 35: links for roles, and records of suspended organisations, never leave the origin.
#[test]
fn restricted_links_and_suspended_records_are_in_no_file() {
    let toml = "[[roles]]\nname = \"recycler\"\ntitle = { en = \"Recyclers\" }";
    let mut restricted = record("/01/09520123456788", "https://example.com/open");
    restricted["links"].as_array_mut().unwrap().push(json!({
        "linkType": "gs1:traceability", "href": "https://example.com/secret", "title": "Parts", "access": ["recycler"],
    }));
    let suspended = format!("/01/{}", gtin(1));
    let records = [
        restricted,
        record(&suspended, "https://example.com/suspended"),
        record("/gcp/9506000", "https://example.com/company"),
        record("/01/09780451450524", "https://example.com/book"),
    ];
    let installation = Installation::new(toml, &records);
    let holds = |text: &str| {
        let found = |bytes: &Vec<u8>| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        files(&installation.folder()).values().any(found)
    };
    assert!(holds("https://example.com/open") && holds("https://example.com/suspended"));
    assert!(!holds("https://example.com/secret"));

    let prefix = Anchor::parse("/gcp/9506000").unwrap();
    let mut batch = Batch::unchecked();
    batch.put(Entry::suspension(&prefix, Suspension::Notice("Closed for a reason.")));
    installation.store.write(&batch).unwrap();
    assert!(installation.export().is_complete, "a suspension affects other keys");
    installation.export();
    put(&installation, &[record("/01/09780451450524", "https://example.com/other")]);
    installation.export();
    for text in
        ["https://example.com/suspended", "https://example.com/company", "Closed for a reason"]
    {
        assert!(!holds(text), "{text}");
    }
    assert_eq!(location(&installation, &suspended), None, "the origin answers");
    assert_eq!(location(&installation, &format!("/01/{}", gtin(2))), None, "unknown keys as well");
    assert!(location(&installation, "/01/09520123456788").is_some());
}

/// 37.4: a tampered shard is refused, and the origin answers.
#[test]
fn tampered_files_are_refused() {
    let installation = Installation::new("", &many(1));
    let target = format!("/01/{}", gtin(0));
    assert!(location(&installation, &target).is_some());
    for (path, bytes) in files(&installation.records().join("objects")) {
        let mut tampered = bytes.clone();
        let last = tampered.len() - 1;
        tampered[last] ^= 1;
        std::fs::write(&path, tampered).unwrap();
        assert_eq!(location(&installation, &target), None, "{}", path.display());
        std::fs::remove_file(&path).unwrap();
        assert_eq!(location(&installation, &target), None, "{}", path.display());
        std::fs::write(&path, bytes).unwrap();
        assert!(location(&installation, &target).is_some());
    }
    // The next export that has to change such a file writes all again.
    let objects = files(&installation.records().join("objects"));
    objects.keys().for_each(|path| std::fs::write(path, "x").unwrap());
    put(&installation, &many(2));
    assert!(installation.export().is_complete);
    assert!(location(&installation, &target).is_some());
}

/// 37.4: roots of other formats, and contradictory ones, are refused.
#[test]
fn roots_are_checked() {
    let installation = Installation::new("", &many(1));
    let root = std::fs::read(installation.records().join("root.json")).unwrap();
    let root: Value = serde_json::from_slice(&root).unwrap();
    let changed = |name: &str, value: Value| {
        let mut root = root.clone();
        root[name] = value;
        Edge::new(root.to_string().as_bytes()).unwrap_err()
    };
    for (name, value) in [
        ("format", json!(2)),
        ("shard_bits", json!(99)),
        ("pages", json!([])),
        ("pages", json!(["zz"])),
        ("version", json!("x")),
    ] {
        let fault = changed(name, value);
        assert!(matches!(fault, EdgeFault::Root(_)), "{name}: {fault}");
    }
    let mut settings = root["settings"].clone();
    settings["options"]["resolver_root"] = json!("nonsense");
    assert!(matches!(changed("settings", settings), EdgeFault::Settings(_)));
    assert!(matches!(Edge::new(b"{"), Err(EdgeFault::Root(_))));
    // An older root does not replace a newer one.
    let mut edge = Edge::new(root.to_string().as_bytes()).unwrap();
    let version = edge.version();
    for (next, expected) in [(version - 1, version), (version + 1, version + 1)] {
        let mut root = root.clone();
        root["version"] = json!(next);
        edge.replace_root(root.to_string().as_bytes()).unwrap();
        assert_eq!(edge.version(), expected);
    }
}

/// 37.3: a key with more serial numbers than a worker can read is left to the origin.
#[test]
fn keys_that_are_too_large_are_left_to_the_origin() {
    let large = format!("/01/{}", gtin(1));
    let mut records = many(3);
    let pad = "p".repeat(1000);
    records.extend((0..1200).map(|number| {
        record(&format!("{large}/21/{number}"), &format!("https://example.com/{number}/{pad}"))
    }));
    let installation = Installation::new("", &records);
    assert_eq!(location(&installation, &large), None);
    assert_eq!(location(&installation, &format!("{large}/21/7")), None);
    assert!(location(&installation, &format!("/01/{}", gtin(2))).is_some());
    put(&installation, &[record(&large, "https://example.com/x")]);
    let export = installation.export();
    assert_eq!((export.left, location(&installation, &large)), (1, None));
    let largest = files(&installation.records()).values().map(Vec::len).max().unwrap();
    assert!(largest < 1 << 20, "{largest}");
}

/// 37.3: what a worker cannot do is refused with a reason.
#[test]
fn signed_answers_are_refused() {
    let installation = Installation::new("", &[]);
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("signing.pem");
    std::fs::write(&key, "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIBERERERERERERERERERERERERERERERERERERERERER\n-----END PRIVATE KEY-----\n").unwrap();
    let toml = format!("[signatures]\nkey = \"{}\"", key.display());
    let config = fingerpost_public::Config::from_toml(&toml).unwrap();
    let refused = edge_settings_of(&config, &toml.parse().unwrap()).unwrap_err();
    assert!(refused.what.contains("signed"), "{refused:?}");
    // Two exports to one folder at a time.
    let lock = std::fs::File::create(installation.folder().join(".lock")).unwrap();
    lock.lock().unwrap();
    let refused = write_edge(
        &installation.settings,
        &installation.store,
        &installation.folder(),
        fingerpost_server::now(),
    );
    assert!(refused.unwrap_err().what.contains("lock"));
    let names: BTreeSet<_> = files(&installation.folder())
        .into_keys()
        .filter(|path| path.to_string_lossy().contains(".new"))
        .collect();
    assert!(names.is_empty());
}
