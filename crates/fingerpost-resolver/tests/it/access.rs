//! Issue 36.1: links for some roles only, in records and in their stored form.

use std::sync::Arc;

use fingerpost_resolver::{
    DecodeError, Entry, RoleParts, Roles, Rules, Viewer, Vocabulary, read_record, write_record,
};
use proptest::prelude::*;
use serde_json::{Value, json};

const KEY: &str = "01/09520123456788";

fn roles() -> Roles {
    let part = |name: &str| RoleParts { name: name.into(), ..RoleParts::default() };
    Roles::new(vec![part("recycler"), part("authority")]).expect("roles")
}

fn read(links: &[Value]) -> Result<Entry, Vec<String>> {
    let (vocabulary, roles) = (Vocabulary::builtin(), roles());
    let record = json!({"anchor": format!("/{KEY}"), "itemDescription": "Tea", "links": links});
    let rules = Rules::new(&vocabulary).with_roles(&roles);
    read_record(record.to_string().as_bytes(), &rules).map(|accepted| accepted.entry).map_err(
        |refused| {
            let faults = refused.faults.iter();
            faults.map(|fault| format!("{} {fault}", fault.pointer())).collect()
        },
    )
}

fn link(link_type: &str, target: &str, access: Value) -> Value {
    let mut link = json!({"linkType": link_type, "title": format!("About {target}"),
        "href": format!("https://example.com/{target}")});
    if !access.is_null() {
        link["access"] = access;
    }
    link
}

fn with_default(more: &[Value]) -> Vec<Value> {
    let default = ["gs1:defaultLink", "gs1:pip"].map(|kind| link(kind, "tea", Value::Null));
    [&default, more].concat()
}

/// 36.1: what is wrong about `access` is refused, never ignored, with what is known.
#[test]
fn access_names_declared_roles() {
    for (access, expected) in [
        (
            json!(["recylcer"]),
            "/links/2/access/0 expected one of the roles recycler, authority, found \"recylcer\"",
        ),
        (
            json!(["Recycler"]),
            "/links/2/access/0 expected one of the roles recycler, authority, found \"Recycler\"",
        ),
        (
            json!(["recycler", "recycler"]),
            "/links/2/access/1 expected each role once, found \"recycler\" again",
        ),
        (
            json!([]),
            "/links/2/access expected 1 to 16 roles, found 0; leave out access for everyone",
        ),
        (json!("recycler"), "/links/2/access expected an array, also for one value, found text"),
        (json!([7]), "/links/2/access/0 expected text, found a number"),
    ] {
        let refused = read(&with_default(&[link("gs1:safetyInfo", "s", access.clone())]));
        assert!(
            refused.as_ref().expect_err("refused").contains(&expected.to_owned()),
            "{refused:?}"
        );
    }
    let none = Vocabulary::builtin();
    let record = json!({"anchor": format!("/{KEY}"),
        "links": with_default(&[link("gs1:safetyInfo", "s", json!(["recycler"]))])});
    let refused =
        read_record(record.to_string().as_bytes(), &Rules::new(&none)).expect_err("refused");
    assert!(refused.to_string().contains("this resolver has no roles"), "{refused}");
}

/// 36.1: the rules of the standard hold for what everyone sees.
#[test]
fn the_default_link_is_for_everyone() {
    let hidden = json!(["recycler"]);
    for links in [
        vec![link("gs1:defaultLink", "tea", hidden.clone()), link("gs1:pip", "tea", Value::Null)],
        vec![link("gs1:defaultLink", "tea", Value::Null), link("gs1:pip", "tea", hidden.clone())],
        with_default(&[link("gs1:defaultLinkMulti", "tea", hidden.clone())]),
    ] {
        assert!(read(&links).is_err(), "{links:?}");
    }
    let (vocabulary, roles) = (Vocabulary::builtin(), roles());
    let rules = Rules::new(&vocabulary).with_roles(&roles);
    for (answer, link_type) in
        [("gs1:recallStatus", "gs1:recallStatus"), ("successor-version", "successor-version")]
    {
        let only = link(link_type, "01/09520123456795", hidden.clone());
        let record = json!({"anchor": format!("/{KEY}"), "defaultLinkType": answer,
            "links": with_default(&[only])});
        assert!(read_record(record.to_string().as_bytes(), &rules).is_err(), "{answer}");
    }
}

/// 36.1: bytes behind the public part change nothing that the public gets, so they are not read.
#[test]
fn what_the_public_sees_is_decoded_without_the_rest() {
    let entry = read(&with_default(&[link("gs1:safetyInfo", "secret", json!(["recycler"]))]));
    let entry = entry.expect("a record");
    let bytes = entry.encode();
    let anchor = entry.anchor().clone();
    let public = Entry::decode_public(anchor.clone(), &bytes).expect("an entry").expect("links");
    assert_eq!(public.link_count(), 2);
    assert!(!format!("{public:?}").contains("secret"));
    let secret = bytes.windows(6).position(|window| window == b"secret").expect("its text");
    let start = (0..secret)
        .rev()
        .find(|&end| Entry::decode_public(anchor.clone(), &bytes[..end]).is_err())
        .expect("the public part")
        + 1;
    for rest in [&b""[..], b"\xff\xff\xff\xff", &[0; 4096]] {
        let changed = [&bytes[..start], rest].concat();
        let again = Entry::decode_public(anchor.clone(), &changed).expect("an entry");
        assert_eq!(again.as_ref(), Some(&public));
        assert!(Entry::decode(anchor.clone(), &changed).is_err(), "the whole is checked");
    }
    // A link without its roles would be for everyone.
    let mut open = bytes.clone();
    *open.last_mut().expect("the length of the roles") = 0;
    assert_eq!(Entry::decode(anchor, &open), Err(DecodeError::BadLink));
}

fn some_links() -> impl Strategy<Value = Vec<Value>> {
    let access = prop::sample::select(vec![
        Value::Null,
        json!(["recycler"]),
        json!(["authority"]),
        json!(["authority", "recycler"]),
    ]);
    let types = prop::sample::select(vec!["gs1:pip", "gs1:safetyInfo", "license"]);
    let one = (types, access, 0..4_u8, any::<bool>()).prop_map(|(kind, access, target, spoken)| {
        let mut link = link(kind, &format!("t{target}"), access);
        if spoken {
            link["hreflang"] = json!(["en", "fr"]);
            link["validUntil"] = json!("2030-01-01T00:00:00Z");
        }
        link
    });
    (prop::collection::vec(one.clone(), 0..5), prop::collection::vec(one, 0..5))
        .prop_map(|(before, after)| [before, with_default(&after)].concat())
}

proptest! {
    /// 36.1: a record with restricted links is stored, read and written without loss, in its order;
    /// its public part is what the definition of visibility says.
    #[test]
    fn restricted_links_keep_their_order_and_their_roles(links in some_links()) {
        let entry = read(&links).expect("a record");
        let bytes = entry.encode();
        let decoded = Entry::decode(entry.anchor().clone(), &bytes).expect("an entry");
        prop_assert_eq!(&decoded, &entry);
        prop_assert_eq!(decoded.encode(), &*bytes);
        let vocabulary = Vocabulary::builtin();
        let roles = roles();
        let rules = Rules::new(&vocabulary).with_roles(&roles);
        let written = write_record(&entry);
        let again = read_record(written.as_bytes(), &rules).expect("a record").entry;
        prop_assert_eq!(again.encode(), &*bytes);
        let public = Entry::decode_public(entry.anchor().clone(), &bytes).expect("an entry");
        let seen = Viewer::PUBLIC.see(&Arc::new(entry)).map(|seen| (*seen).clone());
        prop_assert_eq!(public, seen);
    }

    /// Any bytes in the form of a restricted entry are an entry or an error.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let bytes = [&[3][..], &bytes].concat();
        let anchor: fingerpost_resolver::Anchor = format!("/{KEY}").parse().expect("an anchor");
        let _ = Entry::decode(anchor.clone(), &bytes);
        let _ = Entry::decode_public(anchor, &bytes);
    }
}
