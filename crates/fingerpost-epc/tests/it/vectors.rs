//! All vectors through `Epc` and the URNs, both ways: EPC Tag Data Standard 2.3, sections 6 to 14.
//! What is particular to the `+` schemes is in `plus_vectors.rs`.

use fingerpost_epc::{
    AiValues, ClassicEpc, EncodeOptions, Epc, EpcUrn, Error, ErrorKind, GcpLength, Generation,
    IdentityPattern, PureIdentity, Scheme,
};
use fingerpost_gs1::{Ai, DigitalLink};
use serde_json::Value;

const VECTORS: &str = include_str!("../../../../testdata/epc-vectors.json");

fn vectors(valid: bool) -> Vec<Value> {
    let all: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    let chosen: Vec<Value> = all.into_iter().filter(|vector| vector["valid"] == valid).collect();
    assert!(chosen.len() > 200);
    chosen
}

fn name(vector: &Value) -> String {
    let text = |key: &str| vector[key].as_str().unwrap_or_default();
    format!("{} {}: {}", text("id"), text("scheme"), text("note"))
}

/// The Application Identifiers; `None` where there is no GS1 key.
fn values(vector: &Value) -> Option<AiValues> {
    let pairs = vector["ais"].as_array()?.iter();
    Some(AiValues::unchecked(
        pairs.map(|pair| (Ai::new(pair[0].as_str().unwrap()).unwrap(), pair[1].as_str().unwrap())),
    ))
}

fn length(vector: &Value) -> GcpLength<'static> {
    let length = vector["gcp_length"].as_u64().and_then(|length| u8::try_from(length).ok());
    length.map_or(GcpLength::Unknown, GcpLength::Digits)
}

/// Element string, Digital Link URI and entity key of some values.
fn check_names(values: Result<AiValues, Error>, vector: &Value) {
    let name = name(vector);
    let Some(expected) = self::values(vector) else {
        assert_eq!(values.unwrap_err().code(), "NO_DIGITAL_LINK", "{name}");
        return;
    };
    let values = values.unwrap();
    assert_eq!(values, expected, "{name}");
    assert_eq!(values.to_string(), vector["element_string"].as_str().unwrap(), "{name}");
    let uri = vector["digital_link"].as_str().unwrap();
    assert_eq!("https://id.gs1.org".to_owned() + &values.path_and_query().unwrap(), uri, "{name}");
    // Tags hold data that are not the content of an item: then there is no Digital Link URI, for
    // the same reason.
    let read = DigitalLink::parse(uri);
    match values.digital_link("https://id.gs1.org/") {
        Ok(written) => assert_eq!((written.as_str(), read.is_ok()), (uri, true), "{name}"),
        Err(error) => assert_eq!(Some(error.kind()), read.err().map(ErrorKind::Value), "{name}"),
    }
    let path = uri.strip_prefix("https://id.gs1.org/").unwrap();
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    match values.entity_key() {
        Ok((key, attributes)) => {
            assert_eq!(key.as_str(), path, "{name}");
            assert_eq!(attributes.len(), query.split('&').filter(|pair| !pair.is_empty()).count());
        }
        // Bits can carry what the rules of an Application Identifier refuse: 8011 with a leading
        // zero.
        Err(error) => assert!(
            error.code().starts_with("L_") && values.check_values().is_err(),
            "{name}: {error}"
        ),
    }
}

// EPC-BIT-02, EPC-BIT-03, EPC-HDR-01, EPC-FLD-02, EPC-FLD-06, EPC-FLD-07, EPC-FLD-08, EPC-FLD-09,
// EPC-PAR-01, EPC-LAY-01, EPC-LAY-03, EPC-URN-01, EPC-URN-02, EPC-MAP-01, EPC-MAP-02, EPC-MAP-05,
// EPC-MAP-07, EPC-ERT-04, EPC-ERT-13, EPC-ERT-17
#[test]
fn valid_bits_give_every_other_form() {
    for vector in vectors(true).iter().filter(|vector| vector["hex"].is_string()) {
        let name = name(vector);
        let (hex, base64url) =
            (vector["hex"].as_str().unwrap(), vector["base64url"].as_str().unwrap());
        for epc in [
            Epc::from_hex(hex),
            Epc::from_hex(&hex.to_ascii_uppercase()),
            Epc::from_hex(&format!("{hex}{}", "0".repeat(40))),
            Epc::from_base64url(base64url),
            Epc::from_base64url(&format!("{base64url}AAAAA")),
            Epc::from_segment(&format!("eh{hex}")),
            Epc::from_segment(&format!("ex{base64url}")),
        ] {
            let epc = epc.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(epc.scheme().name(), vector["scheme"], "{name}");
            assert_eq!(epc.filter().map(u64::from), vector["filter"].as_u64(), "{name}");
            assert_eq!(epc.to_tag_uri().as_deref(), vector["tag_uri"].as_str(), "{name}");
            let urn = epc.identity(length(vector)).ok().map(|identity| identity.to_string());
            assert_eq!(urn.as_deref(), vector["pure_identity_urn"].as_str(), "{name}");
            if let Some(branded) = vector["digital_link_hostname"].as_str() {
                let host = epc.hostname().unwrap().unwrap();
                let raw = epc.elements().unwrap().path_and_query().unwrap();
                assert_eq!(format!("https://{host}{raw}"), branded, "{name}");
                let own = epc.own_digital_link();
                assert_eq!(
                    own.ok().as_deref(),
                    DigitalLink::parse(branded).is_ok().then_some(branded)
                );
            }
            check_names(epc.elements(), vector);
        }
    }
}

// EPC-FLD-01, EPC-FLD-03, EPC-FLD-04, EPC-LAY-01, EPC-URN-06, EPC-FIL-01
#[test]
fn tag_uris_give_the_bits() {
    let mut count = 0;
    for vector in vectors(true) {
        let Some(tag_uri) = vector["tag_uri"].as_str() else { continue };
        let epc =
            Epc::from_tag_uri(tag_uri).unwrap_or_else(|error| panic!("{}: {error}", name(&vector)));
        let bits = epc.to_bits();
        assert_eq!(bits.len() as u64, vector["bits"].as_u64().unwrap(), "{}", name(&vector));
        assert_eq!(bits.to_hex(), vector["hex"], "{}", name(&vector));
        assert_eq!(bits.to_base64url(), vector["base64url"], "{}", name(&vector));
        assert_eq!(bits.to_segment_hex(), format!("eh{}", bits.to_hex()));
        assert_eq!(bits.to_segment_base64url(), format!("ex{}", bits.to_base64url()));
        let Epc::Classic(epc) = epc else { panic!("{}: expected a classic EPC", name(&vector)) };
        assert_eq!(ClassicEpc::from_bits(&bits), Ok(epc));
        count += 1;
    }
    assert!(count > 60);
}

// EPC-LAY-02, EPC-MAP-01, EPC-MAP-02, EPC-PLS-07
#[test]
fn element_values_give_the_bits() {
    let mut count = 0;
    for vector in vectors(true) {
        let Some(values) = values(&vector) else { continue };
        let exact = vector["encode_exact"] == true && vector["tag_uri"].is_string();
        if !exact {
            continue;
        }
        let scheme: Scheme = vector["scheme"].as_str().unwrap().parse().unwrap();
        let filter = u8::try_from(vector["filter"].as_u64().unwrap_or(0)).unwrap();
        let options =
            EncodeOptions::new().scheme(scheme).filter(filter).gcp_length(length(&vector));
        let epc =
            Epc::encode(&values, &options).unwrap_or_else(|e| panic!("{}: {e}", name(&vector)));
        assert_eq!(epc.to_hex(), vector["hex"], "{}", name(&vector));
        let urn = vector["pure_identity_urn"].as_str().unwrap();
        let from_urn = Epc::encode_identity(&urn.parse().unwrap(), &options);
        assert_eq!(from_urn.unwrap(), epc, "{}", name(&vector));
        if scheme != Scheme::Gdti113 {
            // The shortest scheme is the one of the vector or shorter.
            let shortest = ClassicEpc::shortest(filter, urn.parse().unwrap()).unwrap();
            assert!(shortest.to_bits().len() <= epc.to_bits().len(), "{}", name(&vector));
        }
        // + and ++ hold what classic schemes hold.
        let plus = EncodeOptions::new().generation(Generation::Plus).filter(filter);
        let plus = Epc::encode(&values, &plus).unwrap();
        assert_eq!(plus.elements().unwrap(), values, "{}", name(&vector));
        count += 1;
    }
    assert!(count > 50, "{count}");
}

// EPC-URN-03, EPC-URN-05, EPC-MAP-02, EPC-MAP-03
#[test]
fn urns_and_element_values_give_each_other() {
    let mut count = 0;
    for vector in vectors(true) {
        let Some(urn) = vector["pure_identity_urn"].as_str() else { continue };
        let name = name(&vector);
        let parsed: EpcUrn = urn.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(parsed.to_string(), urn, "{name}");
        // + schemes may have further data, which URNs do not carry.
        if vector["hex"].is_string() && vector["tag_uri"].is_null() {
            continue;
        }
        check_names(parsed.elements(), &vector);
        if let Some(values) = values(&vector) {
            assert_eq!(EpcUrn::from_elements(&values, length(&vector)), Ok(parsed), "{name}");
        }
        if let EpcUrn::Identity(identity) = parsed {
            let components: Vec<&str> = identity.components().collect();
            assert_eq!(PureIdentity::new(identity.scheme(), &components), Ok(identity), "{name}");
        }
        count += 1;
    }
    assert!(count > 80);
}

// EPC-BIT-04, EPC-URI-02, EPC-URI-04, EPC-HDR-01, EPC-HDR-02, EPC-HDR-03, EPC-FLD-01, EPC-FLD-02,
// EPC-FLD-03, EPC-FLD-04, EPC-FLD-05, EPC-FLD-06, EPC-FLD-07, EPC-FLD-08, EPC-FLD-09, EPC-FLD-10,
// EPC-FLD-11, EPC-LAY-03, EPC-FIL-01, EPC-URN-01, EPC-URN-03, EPC-ERR-01, EPC-RDG-01, EPC-RDG-07
#[test]
fn invalid_input_is_refused_with_the_stated_error() {
    for vector in vectors(false) {
        let input = vector["input"].as_str().unwrap_or_default();
        let error = match vector["input_form"].as_str().unwrap() {
            "hex" => Epc::from_hex(input).err(),
            // A segment without GS1 key is an EPC; it has no Digital Link.
            "segment" => Epc::from_segment(input).and_then(|epc| epc.elements()).err(),
            "tag_uri" => Epc::from_tag_uri(input).err(),
            "pure_identity_urn" => EpcUrn::parse(input).err(),
            "encode" => encode(&vector["input"]).err(),
            form => panic!("{}: {form}", name(&vector)),
        };
        let code = error.map(|error| error.code());
        assert_eq!(code, vector["error"].as_str(), "{}", name(&vector));
    }
}

fn encode(input: &Value) -> Result<ClassicEpc, Error> {
    let components: Vec<&str> =
        input["components"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let filter = u8::try_from(input["filter"].as_u64().unwrap()).unwrap();
    ClassicEpc::from_components(input["scheme"].as_str().unwrap().parse()?, filter, &components)
}

// EPC-URN-08
#[test]
fn patterns_match_what_agrees_with_them() {
    let pattern = |urn: &str| IdentityPattern::parse(urn).unwrap();
    let identity = |urn: &str| PureIdentity::parse(urn).unwrap();
    for (urn, matching, other) in [
        (
            "urn:epc:idpat:sgtin:9521141.012345.*",
            "urn:epc:id:sgtin:9521141.012345.1",
            "urn:epc:id:sgtin:9521141.112345.1",
        ),
        (
            "urn:epc:idpat:sgtin:9521141.*.*",
            "urn:epc:id:sgtin:9521141.012345.1",
            "urn:epc:id:sgtin:95211411.12345.1",
        ),
        (
            "urn:epc:idpat:sgtin:*.*.*",
            "urn:epc:id:sgtin:9521141.012345.a.b",
            "urn:epc:id:sscc:9521141.1234567890",
        ),
        (
            "urn:epc:idpat:itip:9521141.012345.*.*.*",
            "urn:epc:id:itip:9521141.012345.01.02.1",
            "urn:epc:id:itip:9521141.012346.01.02.1",
        ),
        (
            "urn:epc:idpat:itip:9521141.012345.01.02.*",
            "urn:epc:id:itip:9521141.012345.01.02.1",
            "urn:epc:id:itip:9521141.012345.02.02.1",
        ),
        ("urn:epc:idpat:bic:*", "urn:epc:id:bic:CSQU3054383", "urn:epc:id:imovn:9074729"),
        (
            "urn:epc:idpat:sscc:9521141.*",
            "urn:epc:id:sscc:9521141.1234567890",
            "urn:epc:id:gsrn:9521141.1234567890",
        ),
        ("urn:epc:idpat:gid:1.2.*", "urn:epc:id:gid:1.2.3", "urn:epc:id:gid:1.3.3"),
        (
            "urn:epc:idpat:sgtin:9521141.012345.1",
            "urn:epc:id:sgtin:9521141.012345.1",
            "urn:epc:id:sgtin:9521141.012345.01",
        ),
    ] {
        let pattern = pattern(urn);
        assert_eq!(pattern.to_string(), urn);
        assert!(pattern.matches(&identity(matching)), "{urn}");
        assert!(!pattern.matches(&identity(other)), "{urn}");
    }
    for urn in [
        "urn:epc:idpat:itip:9521141.012345.01.*.*",
        "urn:epc:idpat:sgtin:9521141.*.1",
        "urn:epc:idpat:sgtin:*.012345.*",
        "urn:epc:idpat:sgtin:9521141.[000000-012345].*",
    ] {
        assert_eq!(IdentityPattern::parse(urn).unwrap_err().code(), "BAD_PATTERN", "{urn}");
    }
    assert_eq!(pattern("urn:epc:idpat:sgtin:9521141.*.*").star_count(), 2);
    assert_eq!(
        pattern("urn:epc:idpat:sgtin:9521141.*.*").elements().unwrap_err().code(),
        "NO_DIGITAL_LINK"
    );
}

// EPC-FIL-02, EPC-URN-04
#[test]
fn the_filter_is_zero_unless_given_and_escapes_compare_without_case() {
    let urn: PureIdentity = "urn:epc:id:grai:9521141.12345.32a%2Fb".parse().unwrap();
    let epc = Epc::encode_identity(&urn, &EncodeOptions::new()).unwrap();
    assert_eq!(epc.filter(), Some(0));
    assert_eq!("urn:epc:id:grai:9521141.12345.32a%2fb".parse(), Ok(urn));
    assert_ne!("urn:epc:id:grai:9521141.12345.32A%2Fb".parse(), Ok(urn));
}

/// EPC-MAP-03, EPC-MAP-04, EPC-MAP-05, EPC-MAP-08: the padding of a GTIN-8, lengths of 4 and 5,
/// extra elements, keys without serial number.
#[test]
fn element_values_are_taken_apart_by_the_company_prefix_alone() {
    let values = |text: &str| {
        let elements = fingerpost_gs1::ElementString::parse_bracketed(text).unwrap();
        AiValues::from(&elements)
    };
    let urn = |text: &str, length| {
        EpcUrn::from_elements(&values(text), length)
            .map_or_else(|e| e.code().to_owned(), |u| u.to_string())
    };
    for (text, length, expected) in [
        ("(01)00000095010939(21)1", GcpLength::Unknown, "urn:epc:id:sgtin:00000950.01093.1"),
        ("(01)00000095010939(21)1", GcpLength::Digits(7), "urn:epc:id:sgtin:00000950.01093.1"),
        ("(01)09506000134352(21)1", GcpLength::Unknown, "GCP_LENGTH_REQUIRED"),
        ("(01)09506000134352(21)1", GcpLength::Digits(5), "urn:epc:id:sgtin:950600.0013435.1"),
        ("(01)09506000134352(21)1", GcpLength::Digits(13), "BAD_GCP_LENGTH"),
        ("(01)09506000134352(10)1(21)1", GcpLength::Digits(7), "NO_EPC"),
        ("(01)09506000134352(10)L", GcpLength::Digits(7), "urn:epc:class:lgtin:9506000.013435.L"),
        ("(01)09506000134352(235)T", GcpLength::Digits(7), "urn:epc:id:upui:9506000.013435.T"),
        ("(01)09506000134352", GcpLength::Digits(7), "urn:epc:idpat:sgtin:9506000.013435.*"),
        (
            "(8006)095060001343520102",
            GcpLength::Digits(7),
            "urn:epc:idpat:itip:9506000.013435.01.02.*",
        ),
        ("(414)9506000134352", GcpLength::Digits(12), "urn:epc:id:sgln:950600013435..0"),
        ("(414)9506000134352(254)0", GcpLength::Digits(7), "urn:epc:id:sgln:9506000.13435.0"),
        ("(8004)9506000", GcpLength::Digits(7), "NO_EPC"),
        ("(8003)09506000134352", GcpLength::Digits(7), "urn:epc:idpat:grai:9506000.13435.*"),
        ("(401)9506000AB", GcpLength::Digits(7), "urn:epc:id:ginc:9506000.AB"),
        ("(8013)1987654Ad4X4bL5ttr2310c2K", GcpLength::Digits(7), "NO_EPC"),
    ] {
        assert_eq!(urn(text, length), expected, "{text}");
    }
}
