//! A text that is written in another form is read as that form, with the same elements.

use fingerpost_epc::{EpcUrn, GcpLength, Scheme};
use fingerpost_gs1::Options;
use fingerpost_identify::{
    Converter, Identifier, InputForm, OutputForm, inspect, inspect_with, read,
};
use proptest::prelude::*;

/// Forms that keep every element of a key with a serial number.
const FORMS: [(OutputForm, InputForm); 10] = [
    (OutputForm::DigitalLink, InputForm::DigitalLink),
    (OutputForm::Canonical, InputForm::DigitalLink),
    (OutputForm::Hri, InputForm::Hri),
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

/// The elements, sorted: forms differ in their order.
fn elements(text: &str) -> Vec<(String, String)> {
    let (_, identifier) = read(text).unwrap_or_else(|fault| panic!("{text:?}: {fault:?}"));
    let values = identifier.values().unwrap_or_else(|error| panic!("{text:?}: {error}"));
    let mut pairs: Vec<_> = values.iter().map(|(ai, v)| (ai.to_string(), v.to_owned())).collect();
    pairs.sort();
    pairs.dedup();
    pairs
}

/// Writes a valid text with elements in every form, and each of the results in every form again.
/// Returns the number of texts that were written.
fn all_pairs(text: &str, converter: &Converter<'_>) -> usize {
    let all = elements(text);
    let mut written = 0;
    for first in OutputForm::ALL {
        let Ok(once) = converter.convert(text, *first) else { continue };
        let found = inspect(&once);
        assert!(found.is_valid(), "{text:?} as {first:?}: {found:?}");
        let expected = elements(&once);
        if *first == OutputForm::EpcUrn {
            // The identity in a tag, without the other data in its memory.
            assert!(expected.iter().all(|pair| all.contains(pair)), "{text:?}: {once:?}");
        } else {
            assert_eq!(expected, all, "{text:?} as {first:?}: {once:?}");
        }
        for second in OutputForm::ALL {
            let Ok(twice) = converter.convert(&once, *second) else {
                // A tag can hold more than the URN, and more than other schemes.
                let is_direct = converter.convert(text, *second).is_ok();
                let is_epc = |form: &OutputForm| form.code().starts_with("epc");
                assert!(
                    !is_direct || is_epc(second),
                    "{text:?} as {first:?} {once:?} is not {second:?}"
                );
                continue;
            };
            let found = elements(&twice);
            if *second == OutputForm::EpcUrn {
                assert!(found.iter().all(|pair| expected.contains(pair)), "{once:?}: {twice:?}");
            } else {
                assert_eq!(found, expected, "{text:?} as {first:?} and {second:?}: {twice:?}");
            }
            written += 1;
        }
    }
    written
}

/// GS1-DL-27: every form that is written can be read and means the same, for every pair of forms
/// and every valid text of the vectors.
#[test]
fn every_pair_of_forms_keeps_the_elements_of_the_vectors() {
    let mut written = 0;
    for text in crate::agreement::texts() {
        let text = text.trim_matches(|char: char| char.is_ascii_whitespace());
        let found = inspect(text);
        if !found.is_valid() || found.item.is_none() || text.contains('*') {
            continue;
        }
        let length = read(text).ok().and_then(|(_, identifier)| match identifier {
            Identifier::Urn(EpcUrn::Identity(identity)) => identity.company_prefix_length(),
            Identifier::Epc { epc, .. } => {
                epc.identity(GcpLength::Unknown).ok()?.company_prefix_length()
            }
            _ => None,
        });
        let length = GcpLength::Digits(length.unwrap_or(7));
        written += all_pairs(text, &Converter::new().gcp_length(length));
    }
    assert!(written > 20_000, "{written}");
}

/// Values of up to 20 characters of CSET 82, which also has the characters that delimit elements.
fn text_value() -> impl Strategy<Value = String> {
    // GS1-DL-28: no path can hold dots alone.
    "[!\"%&'()*+,./0-9:;<=>?A-Z_a-z-]{1,20}".prop_filter("dots", |text| text != "." && text != "..")
}

/// Fourteen digits with their check digit, of a company prefix with seven digits.
fn gtin() -> impl Strategy<Value = String> {
    "[0-9]952[0-9]{9}".prop_map(|digits| {
        let check = fingerpost_gs1::check_digit::of(digits.as_bytes());
        format!("{digits}{}", char::from(check))
    })
}

/// Bracketed element strings of items.
fn item() -> impl Strategy<Value = String> {
    let escape = |value: String| value.replace('(', "\\(");
    let optional = move |ai: &'static str| {
        proptest::option::of(text_value().prop_map(move |v| format!("({ai}){}", escape(v))))
            .prop_map(Option::unwrap_or_default)
    };
    let date = proptest::bool::ANY.prop_map(|is| if is { "(17)261231" } else { "" });
    (gtin(), optional("22"), optional("10"), optional("21"), optional("240"), date).prop_map(
        |(gtin, variant, lot, serial, id, date)| {
            format!("(01){gtin}{variant}{id}{lot}{date}{serial}")
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_pair_of_forms_keeps_the_elements(item in item()) {
        prop_assume!(inspect(&item).is_valid());
        let converter = Converter::new().gcp_length(GcpLength::Digits(7));
        prop_assert!(all_pairs(&item, &converter) >= 16, "{item}");
    }
}

#[test]
fn what_a_form_cannot_hold_is_refused() {
    let converter = Converter::new();
    for (text, to, code) in [
        ("(01)09506000134352(21)6789", OutputForm::EpcUrn, "GCP_LENGTH_REQUIRED"),
        ("urn:epc:idpat:sgtin:9521141.712345.*", OutputForm::EpcHex, "NO_EPC"),
        ("urn:epc:id:gid:1.2.3", OutputForm::DigitalLink, "NO_DIGITAL_LINK"),
        ("(99)A", OutputForm::DigitalLink, "NO_PRIMARY_KEY"),
        ("hello", OutputForm::Hri, "NOT_RECOGNISED"),
    ] {
        let finding = converter.convert(text, to).unwrap_err();
        assert_eq!((finding.code, finding.span), (code, 0..text.len()), "{text}");
    }
    assert!(converter.stem("example.com").is_err());
}

/// A tag holds (8200), which no Digital Link URI does, and (242), whose companion is on another
/// carrier.
#[test]
fn tags_are_translated_unless_a_uri_has_no_place_for_their_data() {
    let converter = Converter::new().scheme(Scheme::SgtinPlus);
    let tag = |text| converter.convert(text, OutputForm::EpcHex).unwrap();
    let packaging = tag("(01)09506000134352(21)1(8200)https://example.com");
    let finding = Converter::new().convert(&packaging, OutputForm::DigitalLink).unwrap_err();
    assert_eq!(finding.code, "NOT_AN_ATTRIBUTE");
    let hex = "f69952193470369646abcdef7011cd0fdc08e5484505ddfc90b0003d8";
    let uri = Converter::new().convert(hex, OutputForm::DigitalLink).unwrap();
    assert!(uri.ends_with("/253/9521934703696abcdef?7011=260131&7023=9521141777&242=000123"));
    let epc = fingerpost_epc::Epc::from_hex(hex).unwrap();
    assert_eq!(epc.own_digital_link().unwrap_err().code(), "AI_REQUIREMENT_MISSING");
}

#[test]
fn a_stem_replaces_the_one_of_the_text() {
    let converter = Converter::new().stem("https://a.example/x/").unwrap();
    for text in ["9520123456788", "https://id.gs1.org/01/09520123456788"] {
        let uri = converter.convert(text, OutputForm::DigitalLink).unwrap();
        assert_eq!(uri, "https://a.example/x/01/09520123456788");
    }
}

proptest! {
    /// IN-16: what is written from any tag or URN is valid to `check`, as a symbol of perhaps several.
    #[test]
    fn what_is_written_from_an_epc_is_valid(
        header in proptest::sample::select(Scheme::all().map(Scheme::header).collect::<Vec<_>>()),
        rest in proptest::collection::vec(any::<u8>(), 11..26),
        pieces in [0..4_u8, 0..4_u8],
        serial in 0..3_u32,
    ) {
        let bits = core::iter::once(&header).chain(&rest);
        let hex: String = bits.map(|byte| format!("{byte:02x}")).collect();
        let itip = format!("urn:epc:id:itip:4012345.011111.{:02}.{:02}.987", pieces[0], pieces[1]);
        for text in [hex, itip, format!("urn:epc:id:cpi:0614141.123.{serial}")] {
            let converter = Converter::new().gcp_length(GcpLength::Digits(7)).lossy(true);
            for form in OutputForm::ALL {
                if let Ok(written) = converter.convert(&text, *form) {
                    let found = inspect_with(&written, &Options::new().requisites(false));
                    prop_assert!(found.is_valid(), "{} as {:?}: {}: {:?}", text, form, written, found.faults);
                }
            }
            // 38.1: a Digital Link is checked once, as strictly as what is checked before it is written.
            if converter.convert(&text, OutputForm::DigitalLink).is_ok() {
                let elements = converter.convert(&text, OutputForm::ElementString);
                prop_assert!(elements.is_ok(), "{}: {:?}", text, elements);
            }
        }
    }
}
