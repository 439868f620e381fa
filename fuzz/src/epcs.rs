//! Promises of `fingerpost-epc`: no bits and no text make a reader panic, what is read is written
//! and reads as the same, and identities lead to element values and back.

use fingerpost_epc::{
    AiValues, Bits, EncodeOptions, Epc, EpcUrn, Error, ErrorKind, GcpLength, TagPattern,
};
use fingerpost_gs1::{Ai, DigitalLink, Span};

/// Reads the input as the bits of an EPC, and as a text in every form.
pub fn epc(data: &[u8]) {
    let hex: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
    if let Ok(bits) = Bits::from_hex(&hex) {
        read_bits(&bits);
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    for bits in [Bits::from_hex(text), Bits::from_base64url(text), Bits::from_segment(text)] {
        match bits {
            Ok(bits) => read_bits(&bits),
            Err(error) => check_error(text, &error),
        }
    }
    assert!(!Bits::is_segment(text) || text.len() == 2 || Bits::from_segment(text).is_ok());
    if let Ok(bits) = Bits::from_raw_uri(text) {
        assert_eq!(Bits::from_raw_uri(&bits.to_raw_uri()), Ok(bits));
    }
    match EpcUrn::parse(text) {
        Ok(urn) => check_urn(&urn),
        Err(error) => check_error(text, &error),
    }
    match TagPattern::parse(text) {
        Ok(pattern) => assert_eq!(TagPattern::parse(&pattern.to_string()), Ok(pattern)),
        Err(error) => check_error(text, &error),
    }
}

fn check_error(text: &str, error: &Error) {
    if let Some(Span { start, end }) = error.span() {
        assert!(start <= end && end <= text.len(), "{error}: {start}..{end} in {text:?}");
    }
    assert!(!error.to_string().is_empty() && !error.code().is_empty() && !error.hint().is_empty());
}

/// What is read is written in the shortest way, which reads as the same.
fn read_bits(bits: &Bits) {
    let epc = match Epc::from_bits(bits) {
        Ok(epc) => epc,
        Err(error) => {
            if let Some(Span { start, end }) = error.bits() {
                assert!(
                    start <= end && end <= bits.len(),
                    "{error}: {start}..{end} of {}",
                    bits.len()
                );
            }
            return check_error("", &error);
        }
    };
    let written = epc.to_bits();
    let again = Epc::from_bits(&written).expect("what is written is an EPC");
    assert_eq!((again.scheme(), again.filter()), (epc.scheme(), epc.filter()));
    assert_eq!(again.hostname().ok(), epc.hostname().ok());
    assert_eq!((again.elements(), again.to_bits()), (epc.elements(), written.clone()));
    for same in [
        Epc::from_segment(&written.to_segment_hex()),
        Epc::from_segment(&written.to_segment_base64url()),
        Epc::from_base64url(&(written.to_base64url() + "AAA")),
    ] {
        assert_eq!(same.as_ref(), Ok(&again));
    }
    match &epc {
        Epc::Classic(classic) => {
            assert_eq!(
                bits.as_bytes()[..written.len() / 8],
                written.as_bytes()[..written.len() / 8]
            );
            check_urn(&EpcUrn::Tag(*classic));
        }
        _ => {
            let values = epc.elements().expect("schemes with + have a GS1 key");
            check_values(&values);
            for digits in 6..=12 {
                if let Ok(identity) = epc.identity(GcpLength::Digits(digits)) {
                    check_urn(&EpcUrn::Identity(identity));
                }
            }
        }
    }
}

/// The entity key and the attributes are what the Digital Link URI says.
fn check_values(values: &AiValues) {
    let uri = "https://a.example".to_owned() + &values.path_and_query().expect("there is a key");
    match values.digital_link("https://a.example") {
        Ok(written) => assert_eq!(written, uri),
        Err(_) => assert!(DigitalLink::parse(&uri).is_err(), "{uri}"),
    }
    let _ = (values.to_element_string().is_ok(), values.to_string());
    if let Ok((key, attributes)) = values.entity_key() {
        let path = uri.strip_prefix("https://a.example/").expect("the stem comes first");
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        assert_eq!(key.as_str(), path);
        assert_eq!(attributes.len(), query.split('&').filter(|pair| !pair.is_empty()).count());
    }
}

/// URNs read again as the same, and element values lead back to them.
fn check_urn(urn: &EpcUrn) {
    assert_eq!(&EpcUrn::parse(&urn.to_string()).expect("what is written is a URN"), urn);
    let Ok(values) = urn.elements() else { return };
    check_values(&values);
    let identity = match urn {
        EpcUrn::Identity(identity) => identity,
        EpcUrn::Tag(epc) => epc.identity(),
        _ => return,
    };
    let length = identity.company_prefix_length().map_or(GcpLength::Unknown, GcpLength::Digits);
    let back = EpcUrn::from_elements(&values, length);
    // A URN or a tag can hold a GTIN of a restricted range, which is never written as an EPC.
    let refused = matches!(&back, Err(error) if error.kind() == ErrorKind::RestrictedPrefix);
    assert_eq!(refused, values.get(Ai::GTIN).is_some_and(is_restricted), "{urn}");
    // A GTIN-8 has a company prefix of eight digits, whatever a URN says.
    let is_gtin_8 = |ai| values.get(ai).is_some_and(|gtin| gtin.starts_with("000000"));
    if !refused && !is_gtin_8(Ai::GTIN) && !is_gtin_8(Ai::ITIP) {
        assert_eq!(back, Ok(EpcUrn::Identity(*identity)));
    }
    if let EpcUrn::Tag(epc) = urn {
        let options = EncodeOptions::new().scheme(epc.scheme()).filter(epc.filter().unwrap_or(0));
        let expected = if refused { Err(back.unwrap_err()) } else { Ok(Epc::Classic(*epc)) };
        assert_eq!(Epc::encode_identity(identity, &options), expected);
    }
}

/// The ranges of section 7.3 of the EPC Tag Data Standard, as prefixes.
fn is_restricted(gtin: &str) -> bool {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| gtin[1..].starts_with(prefix));
    match gtin.strip_prefix("000000") {
        Some(gtin_8) => gtin_8.starts_with(['0', '2']),
        None => {
            starts(&["02", "04", "2", "977", "980", "981", "982", "983", "984", "99"])
                || starts(&["0001", "0002", "0003", "0004", "0005", "0006", "0007"])
        }
    }
}
