//! The audit log covers accounts, keys, sessions and proposals: what was put into the store by hand
//! is found.

use fingerpost_registry::{Actor, NewInvitation, Registry, Role, Verb};
use fingerpost_store::{AuditReport, StoreError};
use jiff::SignedDuration;

use crate::support::{Fixture, client, organisation, pass, root};

const COLLECTIONS: [&str; 6] =
    ["organisations", "users", "keys", "sessions", "invitations", "proposals"];

fn verify(registry: &Registry) -> AuditReport {
    registry.verify_audit(&root(), None).unwrap()
}

/// An installation with every kind of document, covered.
fn covered() -> Fixture {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    organisation(registry, "Careful", "9506002", true);
    let ada = fixture.person("ada", Some(fixture.ours), Role::Editor);
    fixture.key(Some(fixture.ours), &[Verb::Read]);
    let bob = fixture.member("bob", Some(fixture.theirs), Role::Reader);
    registry.erase_person(&root(), &bob).unwrap();
    let invitation = NewInvitation {
        address: "cy@example.org".into(),
        organisation: Some(fixture.ours),
        role: Role::Reader,
        language: String::new(),
    };
    registry.invite(&root(), invitation, "https://admin.example.org").unwrap();
    drop(ada);
    registry.cover_documents().unwrap();
    fixture
}

fn documents(registry: &Registry, collection: &str) -> Vec<(String, Vec<u8>)> {
    let read = registry.store().view(|view| view.documents(collection, None, 100));
    read.map_err(|error: StoreError| error).unwrap()
}

/// Changes a document without an audit record, as anyone with write access to the data file can.
fn put_by_hand(registry: &Registry, collection: &str, id: &str, value: Option<&[u8]>) {
    let (collection, id) = (collection.to_owned(), id.to_owned());
    let value = value.map(<[u8]>::to_vec);
    let put = registry.store().transact(move |tx| match &value {
        Some(value) => tx.put_document(&collection, &id, value),
        None => tx.delete_document(&collection, &id).map(|_| ()),
    });
    put.map_err(|error: StoreError| error).unwrap();
}

#[test]
fn every_document_that_is_changed_by_hand_is_found() {
    let fixture = covered();
    let registry = &fixture.registry;
    let report = verify(registry);
    assert!(report.is_sound(), "{:?}", report.faults());
    assert_eq!(report.uncovered(), 0);
    let mut covered = 0;
    for collection in COLLECTIONS {
        for (id, value) in documents(registry, collection) {
            covered += 1;
            let find = |new: Option<&[u8]>| {
                put_by_hand(registry, collection, &id, new);
                let report = verify(registry);
                let name = format!("{collection}/{id}");
                assert!(report.faults().iter().any(|fault| fault.contains(&name)), "{report:?}");
                put_by_hand(registry, collection, &id, Some(&value));
            };
            let text = String::from_utf8(value.clone()).unwrap();
            find(Some(text.replacen("\":\"", "\":\"x", 1).as_bytes()));
            find(None);
            // A copy under another id is a document that nobody recorded.
            put_by_hand(registry, collection, "018f0000000000000000000000", Some(&value));
            assert!(!verify(registry).is_sound(), "{collection}");
            put_by_hand(registry, collection, "018f0000000000000000000000", None);
        }
    }
    assert!(covered >= 6, "{covered}");
    let report = verify(registry);
    assert!(report.is_sound(), "{:?}", report.faults());
    assert_eq!(report.documents(), covered);
}

/// An attack: a key of the whole installation, put into the data file.
#[test]
fn a_key_put_into_the_store_by_hand_is_found() {
    let fixture = covered();
    let registry = &fixture.registry;
    let (id, key) = documents(registry, "keys").remove(0);
    let forged = String::from_utf8(key).unwrap().replace("\"read\"", "\"admin\"");
    put_by_hand(registry, "keys", &id, Some(forged.as_bytes()));
    let report = verify(registry);
    let expected = format!("document keys/{id}: it was changed without a record");
    assert_eq!(report.faults(), [expected]);
}

#[test]
fn an_index_that_leads_to_another_account_is_found() {
    let fixture = covered();
    let registry = &fixture.registry;
    let (_, organisation) = documents(registry, "prefixes").remove(0);
    let (_, user) = documents(registry, "logins").remove(0);
    for (collection, value) in
        [("prefixes", organisation), ("logins", user.clone()), ("federated", user)]
    {
        put_by_hand(registry, collection, "4711000", Some(&value));
        let report = verify(registry);
        let name = format!("{collection}/4711000");
        assert!(report.faults().iter().any(|fault| fault.contains(&name)), "{:?}", report.faults());
        put_by_hand(registry, collection, "4711000", None);
    }
    assert!(verify(registry).is_sound());
}

#[test]
fn noting_the_last_use_needs_no_record() {
    let fixture = covered();
    let registry = &fixture.registry;
    let ada = fixture.sign_in("ada");
    let records = verify(registry).records();
    pass(SignedDuration::from_mins(5));
    registry.sessions(&ada).unwrap();
    let (_, token) = registry
        .create_key(&root(), crate::support::new_key(Some(fixture.ours), &[Verb::Read], None))
        .unwrap();
    registry.authenticate_key(&token, &client()).unwrap();
    registry.flush_usage().unwrap();
    let keys = documents(registry, "keys");
    assert!(keys.iter().any(|(_, key)| String::from_utf8_lossy(key).contains("\"lastUsed\":\"2")));
    let report = verify(registry);
    assert!(report.is_sound(), "{:?}", report.faults());
    assert_eq!(report.records(), records + 1, "the new key");
}

/// A store of an earlier release has documents without digests: they are counted, and covered at
/// the next start, once.
#[test]
fn documents_of_an_earlier_release_are_counted_and_then_covered() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let (id, value) = documents(registry, "organisations").remove(0);
    put_by_hand(registry, "organisations", "old", Some(&value));
    let report = verify(registry);
    assert_eq!((report.is_sound(), report.uncovered()), (true, 1), "{:?}", report.faults());
    put_by_hand(registry, "organisations", "old", None);
    registry.cover_documents().unwrap();
    let records = verify(registry).records();
    registry.cover_documents().unwrap();
    assert_eq!(verify(registry).records(), records, "only once");
    put_by_hand(registry, "organisations", &id, None);
    registry.cover_documents().unwrap();
    assert!(!verify(registry).is_sound(), "a later start does not cover what was changed");
}

/// After a user is erased, the log contains nothing against which a name could be checked.
#[test]
fn the_salt_goes_with_the_account() {
    let fixture = covered();
    let registry = &fixture.registry;
    let ada = fixture.sign_in("ada");
    let Actor::User(id) = ada.actor().clone() else { panic!("not a person") };
    let salts = documents(registry, "salts").len();
    registry.erase_person(&root(), &id).unwrap();
    let name = format!("users/{id}");
    let left = documents(registry, "salts");
    assert!(left.len() < salts && left.iter().all(|(salt, _)| *salt != name));
    let report = verify(registry);
    assert!(report.is_sound(), "{:?}", report.faults());
}
