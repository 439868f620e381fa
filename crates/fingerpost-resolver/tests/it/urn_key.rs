//! URNs and the GS1 keys they lead to, by the shared vectors.

use fingerpost_gs1::{Ai, EntityKey};
use fingerpost_resolver::{UrnKeyError, key_urns, urn_key};
use fingerpost_uri::urn::{Mode, Urn};
use serde_json::{Value, json};

/// URN-MAP-01 to URN-MAP-14, URN-MAP-17.
#[test]
fn every_mapping_vector() {
    let file: Value =
        serde_json::from_str(include_str!("../../../../testdata/uri-urn-vectors.json"))
            .expect("JSON");
    let vectors = file["vectors"].as_array().expect("a list");
    let chosen: Vec<_> = vectors.iter().filter(|v| v["input"]["phase"] == "map").collect();
    assert!(!chosen.is_empty());
    for vector in chosen {
        let urn = vector["input"]["urn"].as_str().expect("a URN");
        let urn = Urn::parse(urn, Mode::Auto).expect("a URN");
        let found = match urn_key(urn) {
            Ok(key) => {
                let pairs = key.pairs().map(|(ai, _)| json!([ai.as_str(), key.value(ai)]));
                json!({ "ok": true, "ais": pairs.collect::<Value>() })
            }
            Err(_) => json!({ "ok": false }),
        };
        assert_eq!(found, vector["expected"], "{}", vector["id"]);
    }
}

fn key(urn: &str) -> Result<String, UrnKeyError> {
    urn_key(Urn::parse(urn, Mode::Auto).expect("a URN")).map(|key| key.as_str().to_owned())
}

/// URN-MAP-02, URN-MAP-05, URN-MAP-06, URN-MAP-07, URN-MAP-08, URN-MAP-09, URN-MAP-11, URN-MAP-13:
/// one name of each kind.
#[test]
fn each_kind_of_name() {
    for (urn, found) in [
        ("urn:isbn:978-0-451-45052-4", "01/09780451450524"),
        ("urn:isbn:9791032305690", "01/09791032305690"),
        ("urn:epc:id:sscc:0614141.1234567890", "00/106141412345678908"),
        ("urn:epc:id:sgln:0614141.12345.400", "414/0614141123452/254/400"),
        ("urn:epc:id:sgln:0614141.12345.0", "414/0614141123452"),
        ("urn:epc:id:pgln:0614141.12345", "417/0614141123452"),
        ("urn:epc:id:grai:0614141.12345.400", "8003/00614141123452400"),
        ("urn:epc:id:giai:0614141.12345400", "8004/061414112345400"),
        ("urn:epc:id:gdti:0614141.12345.400", "253/0614141123452400"),
        ("urn:epc:id:sgcn:4012345.67890.04711", "255/401234567890104711"),
        ("urn:epc:class:lgtin:4012345.012345.998877", "01/04012345123456/10/998877"),
        ("urn:epc:id:itip:4012345.012345.01.02.987", "8006/040123451234560102/21/987"),
        (
            "urn:epc:id:upui:1234567.089456.51qIgY)%3C%26Jp3*j7'SDB",
            "01/01234567894560/235/51qIgY%29%3C%26Jp3%2Aj7%27SDB",
        ),
    ] {
        assert_eq!(key(urn), Ok(found.into()), "{urn}");
    }
    // A check digit that is right does not make an ISBN of another prefix.
    assert!(matches!(key("urn:isbn:9770451450527"), Err(UrnKeyError::Invalid(_))));
}

/// URN-MAP-13a: what is without case, and what is with it.
#[test]
fn case_of_names() {
    let with_serial = |urn| key(urn).expect(urn);
    let lower = with_serial("urn:epc:id:sgtin:0614141.112345.a");
    assert_eq!(with_serial("URN:EPC:id:sgtin:0614141.112345.a"), lower);
    assert_ne!(with_serial("urn:epc:id:sgtin:0614141.112345.A"), lower);
    assert!(key("urn:epc:ID:sgtin:0614141.112345.a").is_err());
    assert!(key("urn:epc:id:SGTIN:0614141.112345.a").is_err());
}

/// URN-MAP-10, URN-MAP-12, URN-MAP-14: schemes that the vectors leave out.
#[test]
fn further_epc_schemes() {
    assert_eq!(key("urn:epc:id:gsin:0614141.123456789"), Ok("402/06141411234567890".into()));
    assert_eq!(
        key("urn:epc:id:cpi:0614141.123ABC.12345"),
        Ok("8010/0614141123ABC/8011/12345".into())
    );
    assert_eq!(
        key("urn:epc:class:lgtin:4012345.012345.998877"),
        Ok("01/04012345123456/10/998877".into())
    );
    assert_eq!(key("urn:epc:idpat:sgtin:0614141.112345.*"), Ok("01/10614141123459".into()));
    assert_eq!(key("urn:epc:idpat:sgtin:0614141.*.*"), Err(UrnKeyError::NoKey));
    assert_eq!(key("urn:epc:idpat:grai:0614141.12345.*"), Ok("8003/00614141123452".into()));
    assert!(matches!(key("urn:epc:idpat:sgtin:*.112345.1"), Err(UrnKeyError::InvalidEpc(_))));
    assert_eq!(key("urn:epc:id:ginc:0614141.xyz47"), Ok("401/0614141xyz47".into()));
    assert_eq!(key("urn:epc:id:gsrnp:0614141.1234567890"), Ok("8017/061414112345678902".into()));
    for urn in [
        "urn:epc:id:gid:1.2.3",
        "urn:epc:id:usdod:CAGEY.5678",
        "urn:epc:id:adi:W81X9C..3KL984PX1",
        "urn:epc:id:bic:CSQU3054383",
        "urn:epc:id:imovn:9176187",
        "urn:epc:id:nothing:1",
        "urn:epc:pat:sgtin-96:3.0614141.112345.*",
        "urn:epc:tag:sgtin-96:3.0614141.112345.400",
    ] {
        assert_eq!(key(urn), Err(UrnKeyError::NoKey), "{urn}");
    }
    assert_eq!(key("urn:epc:raw:96.x00"), Err(UrnKeyError::NoKey));
    assert_eq!(key("urn:gs1:01:09520123456788"), Err(UrnKeyError::NoKey), "URN-MAP-15");
}

/// URN-MAP-16: back to the names that can be computed, and the round trip of each.
#[test]
fn names_of_a_gtin() {
    let names = |gtin| key_urns(&EntityKey::new((Ai::GTIN, gtin), &[]).expect("a GTIN"));
    assert_eq!(names("09780451450524"), ["urn:isbn:9780451450524", "urn:isbn:0451450523"]);
    assert_eq!(names("09791032305690"), ["urn:isbn:9791032305690"], "no ISBN-10 below 979");
    assert_eq!(names("09770317847001"), ["urn:issn:03178471"]);
    assert!(names("09520123456788").is_empty());
    for name in names("09780451450524") {
        assert_eq!(key(&name), Ok("01/09780451450524".into()));
    }
}
