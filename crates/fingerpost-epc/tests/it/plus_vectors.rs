//! The vectors of `+` and `++` schemes, both ways: EPC Tag Data Standard 2.3, sections 14.5, 14.6
//! and 15.3.

use fingerpost_epc::{AiValues, Bits, Error, Hostname, HostnameMethod, PlusEpc, Scheme};
use fingerpost_gs1::Ai;
use serde_json::Value;

const VECTORS: &str = include_str!("../../../../testdata/epc-vectors.json");

/// The vectors whose scheme has a `+`, valid or not.
fn vectors(valid: bool) -> Vec<Value> {
    let all: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    let wanted = |vector: &Value| text(vector, "scheme").contains('+') && vector["valid"] == valid;
    let chosen: Vec<Value> = all.into_iter().filter(wanted).collect();
    assert!(chosen.len() > 100);
    chosen
}

fn text<'v>(vector: &'v Value, key: &str) -> &'v str {
    vector[key].as_str().unwrap_or_default()
}

fn number(vector: &Value, key: &str) -> usize {
    usize::try_from(vector[key].as_u64().unwrap()).unwrap()
}

fn values(vector: &Value) -> AiValues {
    let pairs = vector["ais"].as_array().unwrap().iter();
    AiValues::unchecked(
        pairs.map(|pair| (Ai::new(pair[0].as_str().unwrap()).unwrap(), pair[1].as_str().unwrap())),
    )
}

fn name(vector: &Value) -> String {
    format!("{} {}: {}", text(vector, "id"), text(vector, "scheme"), text(vector, "note"))
}

// EPC-BIT-02, EPC-BIT-03, EPC-PLS-01, EPC-PLS-02, EPC-PLS-03, EPC-HST-01, EPC-HST-02, EPC-HST-03,
// EPC-VAL-01, EPC-VAL-02, EPC-VAL-03, EPC-VAL-04, EPC-VAL-05, EPC-VAL-06, EPC-VAL-07, EPC-VAL-08,
// EPC-VAL-09, EPC-VAL-10, EPC-VAL-12, EPC-VAL-13, EPC-VAL-14, EPC-AID-01, EPC-ERT-01, EPC-ERT-02,
// EPC-ERT-03, EPC-ERT-18, EPC-RDG-03, EPC-RDG-05, EPC-RDG-10
#[test]
fn valid_bits_are_read() {
    for vector in vectors(true) {
        let (hex, base64url) = (text(&vector, "hex"), text(&vector, "base64url"));
        let mut forms =
            vec![Bits::from_hex(hex).unwrap(), Bits::from_base64url(base64url).unwrap()];
        for zeros in [1, 2, 4, 20, 40, 200] {
            forms.push(Bits::from_hex(&(hex.to_owned() + &"0".repeat(zeros))).unwrap());
            forms.push(Bits::from_base64url(&(base64url.to_owned() + &"A".repeat(zeros))).unwrap());
        }
        if let Some(published) = vector["hex_published"].as_str() {
            // Headers are corrected in the other field only.
            if published[..2].eq_ignore_ascii_case(&hex[..2]) {
                forms.push(Bits::from_hex(published).unwrap());
            }
        }
        for bits in forms {
            let epc =
                PlusEpc::decode(&bits).unwrap_or_else(|error| panic!("{}: {error}", name(&vector)));
            check(&epc, &vector);
        }
    }
}

fn check(epc: &PlusEpc, vector: &Value) {
    let name = name(vector);
    assert_eq!(epc.scheme().name(), text(vector, "scheme"), "{name}");
    assert_eq!(usize::from(epc.filter()), number(vector, "filter"), "{name}");
    assert_eq!(usize::from(epc.aidc_toggle()), number(vector, "aidc_toggle"), "{name}");
    assert_eq!(*epc.values(), values(vector), "{name}");
    assert_eq!(epc.values().to_string(), text(vector, "element_string"), "{name}");
    assert_eq!(epc.bits(), number(vector, "bits"), "{name}");
    assert_eq!(epc.epc_bits(), number(vector, "epc_bits"), "{name}");
    let hostname = epc.hostname().unwrap();
    assert_eq!(hostname.as_ref().map(Hostname::as_str), vector["hostname"].as_str(), "{name}");
    assert_eq!(epc.is_toggle_wrong(), text(vector, "note").contains("toggle bit"), "{name}");
    let code_40 = hostname.map(|name| name.method() == HostnameMethod::Code40);
    assert_eq!(code_40.unwrap_or(false), text(vector, "note").contains("URN Code 40"), "{name}");
}

// EPC-PLS-01, EPC-PLS-02, EPC-HST-05, EPC-VAL-11, EPC-RDG-09
#[test]
fn values_are_written_as_the_bits_of_the_vectors() {
    let mut exact = 0;
    for vector in vectors(true) {
        let name = name(&vector);
        let bits = Bits::from_hex(text(&vector, "hex")).unwrap();
        let epc = encode(&vector).unwrap_or_else(|error| panic!("{name}: {error}"));
        let again = PlusEpc::decode(&epc.to_bits()).unwrap();
        assert_eq!(again, epc, "{name}");
        assert_eq!(*epc.values(), values(&vector), "{name}");
        assert_eq!(PlusEpc::decode(&bits).unwrap().to_bits(), epc.to_bits(), "{name}");
        if vector["encode_exact"] == true {
            assert_eq!(epc.to_bits().to_hex(), text(&vector, "hex"), "{name}");
            assert_eq!(epc.to_bits().to_base64url(), text(&vector, "base64url"), "{name}");
            assert_eq!(epc.to_bits().len(), number(&vector, "bits"), "{name}");
            exact += 1;
        }
    }
    assert!(exact > 100);
}

/// As a caller does who has the values of the vector, and its host name in upper case for Code 40.
fn encode(vector: &Value) -> Result<PlusEpc, Error> {
    let scheme: Scheme = text(vector, "scheme").parse()?;
    let upper = text(vector, "note").contains("URN Code 40");
    let hostname: Option<Hostname> = vector["hostname"]
        .as_str()
        .map(|name| if upper { name.to_ascii_uppercase().parse() } else { name.parse() })
        .transpose()?;
    // Three bits.
    let filter = u8::try_from(number(vector, "filter")).unwrap();
    PlusEpc::new(scheme, filter, &values(vector), hostname.as_ref(), None)
}

// EPC-PLS-04, EPC-PLS-06, EPC-HST-01, EPC-HST-03, EPC-VAL-01, EPC-VAL-02, EPC-VAL-03, EPC-VAL-04,
// EPC-VAL-05, EPC-VAL-06, EPC-VAL-07, EPC-VAL-08, EPC-VAL-09, EPC-VAL-12, EPC-VAL-13, EPC-AID-02,
// EPC-AID-04, EPC-AID-05, EPC-ERR-01, EPC-RDG-06, EPC-RDG-11
#[test]
fn invalid_bits_are_refused_as_the_vectors_say() {
    for vector in vectors(false) {
        let name = name(&vector);
        assert_eq!(text(&vector, "input_form"), "hex", "{name}");
        let bits = Bits::from_hex(text(&vector, "input")).unwrap();
        let error = PlusEpc::decode(&bits).expect_err(&name);
        assert_eq!(error.code(), text(&vector, "error"), "{name}: {error}");
    }
}

// EPC-ERR-02
#[test]
fn any_bits_are_read_or_refused_and_what_is_read_can_be_written() {
    // Every vector with each single bit turned over, and cut after each digit.
    let mut decoded = 0;
    for vector in vectors(true) {
        let hex = text(&vector, "hex");
        let mut inputs: Vec<String> = (2..hex.len()).map(|end| hex[..end].to_owned()).collect();
        for position in 0..hex.len() {
            for bit in [1, 2, 4, 8] {
                let digit = u8::from_str_radix(&hex[position..=position], 16).unwrap() ^ bit;
                inputs.push(format!("{}{digit:x}{}", &hex[..position], &hex[position + 1..]));
            }
        }
        for input in inputs {
            if let Ok(epc) = PlusEpc::decode(&Bits::from_hex(&input).unwrap()) {
                let again = PlusEpc::decode(&epc.to_bits()).unwrap();
                assert_eq!(again.values(), epc.values(), "{input}");
                assert_eq!(again.hostname(), epc.hostname(), "{input}");
                decoded += 1;
            }
        }
    }
    assert!(decoded > 5_000, "{decoded}");
}

fn pairs(pairs: &[(&str, &str)]) -> AiValues {
    AiValues::unchecked(pairs.iter().map(|(ai, value)| (Ai::new(ai).unwrap(), *value)))
}

const GTIN: (&str, &str) = ("01", "09506000134352");

// EPC-VAL-01, EPC-VAL-04, EPC-VAL-05, EPC-VAL-12, EPC-VAL-13, EPC-VAL-14, EPC-AID-05, EPC-AID-06
#[test]
fn values_that_cannot_be_written_are_refused() {
    let plus = |more: &[(&str, &str)]| {
        let values = pairs(&[&[GTIN, ("21", "S1")], more].concat());
        PlusEpc::new(Scheme::SgtinPlus, 0, &values, None, None)
    };
    assert!(plus(&[]).is_ok());
    assert_eq!(plus(&[("21", "S1")]).unwrap().bits(), 88, "the same value once more");
    for (more, code) in [
        (("21", "S2"), "DUPLICATE_AI"),
        (("00", "000000000000000000"), "NO_EPC"),
        (("03", "09506000134352"), "UNKNOWN_AI"),
        (("8014", "1"), "UNKNOWN_AI"),
        (("10", ""), "EMPTY_VALUE"),
        (("10", "123456789012345678901"), "TOO_LONG"),
        (("10", "a b"), "BAD_CHARACTER"),
        (("10", "\u{e9}"), "BAD_CHARACTER"),
        (("30", "123456789"), "TOO_LONG"),
        (("30", "1a"), "BAD_DIGITS"),
        (("3103", "12345"), "BAD_DIGITS"),
        (("3103", "1234567"), "TOO_LONG"),
        (("17", "260231"), "BAD_DATE"),
        (("17", "260010"), "BAD_DATE"),
        (("17", "2601"), "BAD_DATE"),
        (("7003", "2601012460"), "BAD_TIME"),
        (("7003", "2601012401"), "BAD_TIME"),
        (("7003", "26010124"), "BAD_TIME"),
        (("7003", "260101240000"), "BAD_TIME"),
        (("7007", "2601012601"), "BAD_DATE"),
        (("7007", "2601012601010"), "BAD_DATE"),
        (("8008", "2601012"), "BAD_TIME"),
        (("8008", "26010123590"), "BAD_TIME"),
        (("8008", "26010123595900"), "BAD_TIME"),
        (("8008", "260101235960"), "BAD_TIME"),
        (("4307", "B1"), "BAD_CHARACTER"),
        (("4307", "BRA"), "BAD_CHARACTER"),
        (("4321", "2"), "OUT_OF_RANGE"),
        (("4330", "00185-"), "BAD_DIGITS"),
        (("4330", "001850+"), "BAD_CHARACTER"),
        (("7258", "0/3"), "BAD_SEQ"),
        (("8004", "A1"), "BAD_CHARACTER"),
        (("8004", ""), "EMPTY_VALUE"),
        (("8004", "1234567890123456789012345678901"), "TOO_LONG"),
    ] {
        assert_eq!(plus(&[more]).expect_err(more.1).code(), code, "{more:?}");
    }
}

// EPC-PLS-04, EPC-PLS-06, EPC-FIL-01
#[test]
fn epcs_that_cannot_be_written_are_refused() {
    let host: Hostname = "id.example.com".parse().unwrap();
    for (scheme, filter, values, hostname, code) in [
        (Scheme::Sgtin96, 0, &[GTIN][..], None, "UNKNOWN_SCHEME"),
        (Scheme::SgtinPlus, 8, &[GTIN], None, "BAD_FILTER"),
        (Scheme::SgtinPlus, 0, &[GTIN], None, "NO_EPC"),
        (Scheme::SgtinPlus, 0, &[("01", "9506000134352"), ("21", "1")], None, "BAD_DIGITS"),
        (Scheme::SgtinPlus, 0, &[("01", "09506000134353"), ("21", "1")], None, "BAD_CHECK_DIGIT"),
        (Scheme::SgtinPlus, 0, &[GTIN, ("21", "1")], Some(&host), "BAD_HOSTNAME"),
        (Scheme::SgtinPlusPlus, 0, &[GTIN, ("21", "1")], None, "EMPTY_HOSTNAME"),
        (Scheme::DsgtinPlus, 0, &[GTIN, ("21", "1")], None, "NO_EPC"),
        (Scheme::DsgtinPlus, 0, &[GTIN, ("21", "1"), ("17", "261301")], None, "BAD_DATE"),
        (Scheme::SsccPlus, 0, &[("00", "095201234567891234")], None, "BAD_CHECK_DIGIT"),
        (Scheme::GraiPlus, 0, &[("8003", "1952114112345432a/b")], None, "BAD_CHECK_DIGIT"),
        (Scheme::GraiPlus, 0, &[("8003", "09521141123454")], None, "MISSING_SERIAL"),
        (Scheme::GdtiPlus, 0, &[("253", "9521141123454")], None, "MISSING_SERIAL"),
        (Scheme::SgcnPlus, 0, &[("255", "9521141678909")], None, "MISSING_SERIAL"),
    ] {
        let result = PlusEpc::new(scheme, filter, &pairs(values), hostname, None);
        assert_eq!(result.unwrap_err().code(), code, "{scheme} {values:?}");
    }
}

// EPC-PLS-03, EPC-PLS-05, EPC-RDG-02
#[test]
fn dates_are_chosen_and_extensions_left_out() {
    let dated = pairs(&[
        ("01", "09506000134352"),
        ("7007", "260101260131"),
        ("11", "260101"),
        ("21", "1"),
        ("17", "261231"),
    ]);
    let first = PlusEpc::new(Scheme::DsgtinPlus, 0, &dated, None, None).unwrap();
    assert_eq!(
        first.values().to_string(),
        "(01)09506000134352(21)1(11)260101(7007)260101260131(17)261231"
    );
    let expiry = PlusEpc::new(Scheme::DsgtinPlus, 0, &dated, None, Ai::new("17")).unwrap();
    assert_eq!(
        (expiry.own_len(), expiry.values().iter().nth(2)),
        (3, Ai::new("17").map(|ai| (ai, "261231")))
    );

    for values in [&[("414", "9521141123454")][..], &[("414", "9521141123454"), ("254", "0")]] {
        let epc = PlusEpc::new(Scheme::SglnPlus, 0, &pairs(values), None, None).unwrap();
        assert_eq!(epc.own_len(), 1);
        assert_eq!(PlusEpc::decode(&epc.to_bits()).unwrap(), epc);
    }
}

// EPC-AID-03, EPC-RDG-04
#[test]
fn an_sscc_of_zeros_is_data_only_with_data_after_it() {
    let own = &[("01", "09506000134352"), ("21", "S1"), ("00", "000000000000000000")][..];
    let followed = pairs(&[own, &[("10", "1")]].concat());
    let epc = PlusEpc::new(Scheme::SgtinPlus, 0, &followed, None, None).unwrap();
    assert_eq!(PlusEpc::decode(&epc.to_bits()).unwrap().values(), &followed);

    // Followed by the serial number once more: `21`, base64url, two characters, S1.
    let hex = "f7809506000134352624b5".to_owned() + &"0".repeat(20) + "21624b5";
    let epc = PlusEpc::decode(&Bits::from_hex(&hex).unwrap()).unwrap();
    assert_eq!(epc.values(), &pairs(&own[..2]));
    assert_eq!(PlusEpc::decode(&epc.to_bits()).unwrap().values(), epc.values());
}

// EPC-PLS-03
#[test]
fn reserved_date_types() {
    for date_type in 0..16 {
        // DSGTIN+, a date type, 31 January 2026, a GTIN and the serial number S1.
        let hex = format!("fb0{date_type:x}343f09506000134352624b50");
        let found = PlusEpc::decode(&Bits::from_hex(&hex).unwrap());
        let ais = ["11", "13", "15", "16", "17", "7006", "7007"];
        match ais.get(date_type).and_then(|ai| Ai::new(ai)) {
            Some(ai) => assert_eq!(found.unwrap().values().get(ai), Some("260131"), "{date_type}"),
            None => assert_eq!(found.unwrap_err().code(), "RESERVED_DATE_TYPE", "{date_type}"),
        }
    }
}

// EPC-RDG-08, EPC-RDG-14: what the EPC layer leaves to the rules of the Application Identifiers.
#[test]
fn a_leap_day_and_a_number_sign_are_carried() {
    for (more, is_valid) in
        [(("17", "260229"), false), (("17", "280229"), true), (("10", "A#1"), false)]
    {
        let values = pairs(&[GTIN, ("21", "S1"), more]);
        let epc = PlusEpc::new(Scheme::SgtinPlus, 0, &values, None, None).unwrap();
        let read = PlusEpc::decode(&epc.to_bits()).unwrap();
        assert_eq!(read.values(), &values, "{more:?}");
        assert_eq!(read.values().check_values().is_ok(), is_valid, "{more:?}");
    }
}

// EPC-HST-02, EPC-HST-06
#[test]
fn texts_that_are_no_host_names() {
    for (name, code) in [
        ("", "EMPTY_HOSTNAME"),
        ("example..com", "BAD_HOSTNAME"),
        (".com", "BAD_HOSTNAME"),
        ("-a.com", "BAD_HOSTNAME"),
        ("a-.com", "BAD_HOSTNAME"),
        ("a b.com", "BAD_HOSTNAME"),
        ("a/b", "BAD_HOSTNAME"),
        ("example.com:80", "BAD_HOSTNAME"),
        ("\u{e9}.com", "BAD_HOSTNAME"),
    ] {
        assert_eq!(name.parse::<Hostname>().unwrap_err().code(), code, "{name}");
    }
    let long = format!("{}.x", "a".repeat(62));
    assert_eq!(long.parse::<Hostname>().unwrap_err().code(), "HOSTNAME_LENGTH");
    let fits = format!("{}.com", "a".repeat(62)).parse::<Hostname>().unwrap();
    let code_40 = fits.with_method(HostnameMethod::Code40);
    assert_eq!(code_40.unwrap_err().code(), "HOSTNAME_LENGTH");

    // SSCC++ with the host name `a!` in two units.
    let bits = "ef0095201234567891235".to_owned() + &hex_of("1000010", "11000010100001");
    let epc = PlusEpc::decode(&Bits::from_hex(&bits).unwrap()).unwrap();
    assert_eq!(epc.hostname().unwrap_err().code(), "BAD_HOSTNAME");
    assert_eq!(PlusEpc::decode(&epc.to_bits()).unwrap(), epc);
}

/// Bits as hexadecimal digits.
fn hex_of(first: &str, second: &str) -> String {
    let bits = [first, second].concat();
    let digit = |bits: &[u8]| {
        let value = bits.iter().fold(0, |value, bit| 2 * value + u32::from(bit - b'0'));
        char::from_digit(value << (4 - bits.len()), 16).unwrap()
    };
    bits.as_bytes().chunks(4).map(digit).collect()
}
