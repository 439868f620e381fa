//! A text that is written in another form is read as that form, with the same elements.

use fingerpost_epc::GcpLength;
use fingerpost_identify::{Converter, InputForm, OutputForm, inspect, read};

/// Forms that keep every element of a key with a serial number.
const FORMS: [(OutputForm, InputForm); 8] = [
    (OutputForm::DigitalLink, InputForm::DigitalLink),
    (OutputForm::ElementString, InputForm::Bracketed),
    (OutputForm::EpcUrn, InputForm::EpcUrn),
    (OutputForm::EpcTag, InputForm::EpcTag),
    (OutputForm::EpcHex, InputForm::EpcHex),
    (OutputForm::EpcBase64, InputForm::EpcBase64),
    (OutputForm::EpcLink, InputForm::EpcLink),
    (OutputForm::Compressed, InputForm::CompressedLink),
];

#[test]
fn every_form_leads_to_every_other() {
    let converter = Converter::new().gcp_length(GcpLength::Digits(11));
    let item = "(01)09506000134352(21)6789";
    for (from, _) in FORMS {
        let start = converter.convert(item, from).unwrap();
        for (to, form) in FORMS {
            let written = converter.convert(&start, to).unwrap();
            let found = inspect(&written);
            assert!(found.is_valid(), "{start} as {to:?}: {found:?}");
            // A Digital Link URI that needs no change stays as it is.
            if start != written {
                assert_eq!(found.form, form, "{start} as {to:?}: {written}");
            }
            let (_, identifier) = read(&written).unwrap();
            assert_eq!(identifier.values().unwrap().to_string(), item, "{start} as {to:?}");
        }
    }
}

#[test]
fn what_a_form_cannot_hold_is_refused() {
    let converter = Converter::new();
    for (text, to, code) in [
        ("(01)09506000134352(21)6789", OutputForm::EpcUrn, "GcpLengthRequired"),
        ("urn:epc:idpat:sgtin:9521141.712345.*", OutputForm::EpcHex, "NoEpc"),
        ("urn:epc:id:gid:1.2.3", OutputForm::DigitalLink, "NoDigitalLink"),
        ("(99)A", OutputForm::DigitalLink, "NO_PRIMARY_KEY"),
        ("hello", OutputForm::Hri, "NOT_RECOGNISED"),
    ] {
        let finding = converter.convert(text, to).unwrap_err();
        assert_eq!((finding.code, finding.span), (code, 0..text.len()), "{text}");
    }
    assert!(converter.stem("example.com").is_err());
}

#[test]
fn a_stem_replaces_the_one_of_the_text() {
    let converter = Converter::new().stem("https://a.example/x/").unwrap();
    for text in ["9520123456788", "https://id.gs1.org/01/09520123456788"] {
        let uri = converter.convert(text, OutputForm::DigitalLink).unwrap();
        assert_eq!(uri, "https://a.example/x/01/09520123456788");
    }
}
