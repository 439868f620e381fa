//! Values that are kept: texts of every kind, traits that agree with each other, and checked
//! values.

use std::collections::{BTreeSet, HashSet};

use fingerpost_epc::{AiValues, Epc, PureIdentity};
use fingerpost_gs1::Ai;

// EPC-URN-04: identities are equal if the URNs are after writing the digits of triplets in upper
// case.
#[test]
fn identities_are_found_in_sets() {
    let urns = [
        "urn:epc:id:sgtin:9521141.012345.a%2fb",
        "urn:epc:id:sgtin:9521141.012345.1",
        "urn:epc:id:sscc:9521141.1234567890",
        "urn:epc:id:sgtin:952114.1012345.1",
    ];
    let all: HashSet<PureIdentity> = urns.iter().map(|urn| urn.parse().unwrap()).collect();
    assert_eq!(all.len(), urns.len());
    assert!(
        all.contains(&PureIdentity::try_from("urn:epc:id:sgtin:9521141.012345.a%2Fb").unwrap())
    );
    let sorted: BTreeSet<PureIdentity> = all.iter().copied().collect();
    assert!(sorted.first().unwrap().scheme() <= sorted.last().unwrap().scheme());
    assert_eq!(sorted.len(), urns.len());
    for one in &all {
        for other in &all {
            assert_eq!(one == other, one.cmp(other).is_eq());
        }
    }
}

#[test]
fn an_epc_is_its_hexadecimal_digits() {
    for hex in ["3066c4409047e14000001a85", "f7809506000134352624b51005003d9881802710b9acf8"] {
        let epc: Epc = hex.parse().unwrap();
        assert_eq!(epc.to_string(), hex);
        assert_eq!(Epc::try_from(&epc.to_bits()), Ok(epc.clone()));
        assert!(HashSet::from([epc.clone()]).contains(&epc));
    }
    let error = "3066".parse::<Epc>().unwrap_err();
    assert_eq!(
        (error.code(), error.bits().is_some() || error.span().is_some()),
        ("TRUNCATED", true)
    );
}

/// A wrong check digit reaches neither a link nor an element string, however the values were
/// listed.
#[test]
fn values_are_checked() {
    let wrong = [(Ai::GTIN, "09506000134353"), (Ai::SERIAL, "1")];
    assert_eq!(AiValues::new(wrong).unwrap_err().code(), "L_INCORRECT_CHECK_DIGIT");
    let unchecked = AiValues::unchecked(wrong);
    let codes = [
        unchecked.digital_link("https://a.example").unwrap_err().code(),
        unchecked.entity_key().unwrap_err().code(),
        unchecked.to_element_string().unwrap_err().code(),
    ];
    assert_eq!(codes, ["L_INCORRECT_CHECK_DIGIT"; 3]);
    let right = AiValues::new([(Ai::GTIN, "09506000134352"), (Ai::SERIAL, "1")]).unwrap();
    assert_eq!(right.to_string(), "(01)09506000134352(21)1");
}

#[cfg(feature = "serde")]
#[test]
fn values_are_serialised_as_text() {
    let json = r#""3066c4409047e14000001a85""#;
    let epc: Epc = serde_json::from_str(json).unwrap();
    assert_eq!(
        (serde_json::to_string(&epc).unwrap().as_str(), epc.scheme().name()),
        (json, "SGTIN-96")
    );
    let json = r#""urn:epc:id:sgtin:9521141.012345.1""#;
    let identity: PureIdentity = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&identity).unwrap(), json);
    assert_eq!(serde_json::to_string(&epc.scheme()).unwrap(), r#""SGTIN-96""#);
    assert!(serde_json::from_str::<Epc>(r#""30""#).is_err());
}
