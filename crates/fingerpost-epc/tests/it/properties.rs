//! Properties of classic schemes, identities and URNs: what is written is what the tables say bit
//! by bit, and everything reads as what it was made of (EPC Tag Data Standard 2.3, sections 6, 7,
//! 12 and 14).

use fingerpost_epc::{
    AiValues, Bits, ClassicEpc, EncodeOptions, Epc, EpcUrn, GcpLength, Generation, IdentityPattern,
    PureIdentity, Scheme, UrnScheme,
};
use fingerpost_gs1::Ai;
use proptest::prelude::*;
use serde_json::Value;

const CSET82: &str = r#"[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]"#;

fn tables() -> Value {
    serde_json::from_str(include_str!("../../../../data/epc.json")).unwrap()
}

fn classic() -> impl Iterator<Item = Scheme> {
    Scheme::all().filter(|scheme| scheme.generation() == Generation::Classic)
}

fn regex(pattern: &str) -> impl Strategy<Value = String> + use<> {
    proptest::string::string_regex(pattern).unwrap()
}

/// A company prefix and a reference with `total` digits together.
fn prefixed(total: usize) -> BoxedStrategy<Vec<String>> {
    (6..=12_usize)
        .prop_flat_map(move |length| {
            (
                regex(&format!("[1-9][0-9]{{{}}}", length - 1)),
                regex(&format!("[0-9]{{{}}}", total - length)),
            )
        })
        .prop_map(|(prefix, reference)| vec![prefix, reference])
        .boxed()
}

/// A company prefix and a text with at most 30 characters together.
fn prefixed_text(set: &'static str, total: usize) -> BoxedStrategy<Vec<String>> {
    (6..=12_usize)
        .prop_flat_map(move |length| {
            (
                regex(&format!("[1-9][0-9]{{{}}}", length - 1)),
                regex(&format!("{set}{{1,{}}}", total - length)),
            )
        })
        .prop_map(|(prefix, text)| vec![prefix, text])
        .boxed()
}

fn number(bits: u32) -> BoxedStrategy<String> {
    prop_oneof![Just(0), Just((1_u64 << bits) - 1), 0..1_u64 << bits]
        .prop_map(|n| n.to_string())
        .boxed()
}

fn and(
    start: BoxedStrategy<Vec<String>>,
    next: impl Strategy<Value = String> + 'static,
) -> BoxedStrategy<Vec<String>> {
    (start, next)
        .prop_map(|(mut components, last)| {
            components.push(last);
            components
        })
        .boxed()
}

/// Components that a scheme can hold.
fn components(scheme: Scheme) -> BoxedStrategy<Vec<String>> {
    let text = |max: usize| regex(&format!("{CSET82}{{1,{max}}}"));
    let digits = regex;
    let cage = digits("[0-9A-HJ-NP-Z]{5,6}");
    match scheme {
        Scheme::Sgtin96 => and(prefixed(13), number(38)),
        Scheme::Sgtin198 => and(prefixed(13), text(20)),
        Scheme::Sscc96 | Scheme::Gsrn96 | Scheme::Gsrnp96 => prefixed(17),
        Scheme::Sgln96 | Scheme::Gdti96 => and(prefixed(12), number(41)),
        Scheme::Sgln195 => and(prefixed(12), text(20)),
        Scheme::Grai96 => and(prefixed(12), number(38)),
        Scheme::Grai170 => and(prefixed(12), text(16)),
        Scheme::Giai96 => {
            (prefixed(12), number(42)).prop_map(|(p, n)| vec![p[0].clone(), n]).boxed()
        }
        Scheme::Giai202 => prefixed_text(CSET82, 30),
        Scheme::Gdti113 => and(prefixed(12), digits("[0-9]{1,17}")),
        Scheme::Gdti174 => and(prefixed(12), text(17)),
        Scheme::Cpi96 => and(
            (prefixed(12), 0..1000_u32)
                .prop_map(|(p, n)| vec![p[0].clone(), n.to_string()])
                .boxed(),
            number(31),
        ),
        Scheme::CpiVar => and(
            prefixed_text("[#/0-9A-Z\\-]", 30),
            (0..1_000_000_000_000_u64).prop_map(|n| n.to_string()),
        ),
        Scheme::Sgcn96 => and(prefixed(12), digits("[0-9]{1,12}")),
        Scheme::Itip110 => {
            and(and(and(prefixed(13), digits("[0-9]{2}")), digits("[0-9]{2}")), number(38))
        }
        Scheme::Itip212 => {
            and(and(and(prefixed(13), digits("[0-9]{2}")), digits("[0-9]{2}")), text(20))
        }
        Scheme::Gid96 => {
            (number(28), number(24), number(36)).prop_map(|(m, c, s)| vec![m, c, s]).boxed()
        }
        Scheme::Usdod96 => (cage, number(36)).prop_map(|(c, n)| vec![c, n]).boxed(),
        Scheme::AdiVar => (cage, digits("[/0-9A-Z\\-]{0,32}"), digits("#?[/0-9A-Z\\-]{1,29}"))
            .prop_map(|(c, p, s)| vec![c, p, s])
            .boxed(),
        _ => unreachable!("a classic scheme"),
    }
}

/// The bits as the layout table of the standard says, in text.
fn written_by_table(tables: &Value, scheme: Scheme, filter: u8, components: &[String]) -> String {
    let integer = |number: u64, bits: usize| {
        if bits == 0 { String::new() } else { format!("{number:0bits$b}") }
    };
    let text = |text: &str, bits: usize| {
        text.bytes()
            .map(|byte| integer(u64::from(byte) & ((1 << bits) - 1), bits))
            .collect::<String>()
    };
    let pad = |bits: String, length: usize| format!("{bits:0<length$}");
    let layout = &tables["classic_layouts"][scheme.name()];
    let mut out = integer(u64::from(scheme.header()), 8);
    out += &integer(
        u64::from(filter),
        usize::try_from(layout["filter_bits"].as_u64().unwrap()).unwrap(),
    );
    let mut rest = components.iter();
    for field in layout["fields"].as_array().unwrap() {
        let name = field[0].as_str().unwrap();
        let bits = usize::try_from(field[1].as_u64().unwrap_or(0)).unwrap();
        let (name, method) = name.split_once(':').unwrap_or((name, name));
        if name == "partition" {
            let (prefix, reference) = (rest.next().unwrap(), rest.next().unwrap());
            let partition = 12 - prefix.len();
            let row = &tables["partitions"][method]["rows"][partition];
            let cell = |index: usize| usize::try_from(row[index].as_u64().unwrap()).unwrap();
            out += &integer(partition as u64, 3);
            out += &integer(prefix.parse().unwrap(), cell(1));
            out += &match method {
                "giai_202" => pad(text(reference, 7), cell(3)),
                "cpi_var" => text(reference, 6) + "000000",
                _ => integer(reference.parse().unwrap_or(0), cell(3)),
            };
            continue;
        }
        if name == "zero" {
            out += &integer(0, bits);
            continue;
        }
        let value = rest.next().unwrap();
        out += &match method {
            "integer" | "fixed_width_integer" => integer(value.parse().unwrap(), bits),
            "numeric_string" => integer(format!("1{value}").parse().unwrap(), bits),
            "string7" => pad(text(value, 7), bits),
            "ascii8_left_space" => text(&format!("{value:>6}"), 8),
            "cage6" => text(&format!("{value:>6}"), 6),
            "string6z" => text(value, 6) + "000000",
            other => panic!("method {other}"),
        };
    }
    out
}

fn digits_of(bits: &str) -> String {
    let padded = format!("{bits:0<length$}", length = bits.len().div_ceil(4) * 4);
    padded
        .as_bytes()
        .chunks(4)
        .map(|four| {
            let four = std::str::from_utf8(four).unwrap();
            format!("{:x}", u8::from_str_radix(four, 2).unwrap())
        })
        .collect()
}

fn key() -> impl Strategy<Value = (Scheme, u8, Vec<String>)> {
    (proptest::sample::select(classic().collect::<Vec<_>>()), any::<u8>()).prop_flat_map(
        |(scheme, filter)| {
            let filter = filter & scheme.filter_max().unwrap_or(0);
            (Just(scheme), Just(filter), components(scheme))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    // EPC-PAR-01, EPC-LAY-01
    #[test]
    fn classic_epcs_are_what_the_tables_say((scheme, filter, components) in key()) {
        let texts: Vec<&str> = components.iter().map(String::as_str).collect();
        let epc = ClassicEpc::from_components(scheme, filter, &texts).unwrap();
        let bits = epc.to_bits();
        let expected = written_by_table(&tables(), scheme, filter, &components);
        prop_assert_eq!(bits.len(), expected.len());
        prop_assert_eq!(bits.to_hex(), digits_of(&expected));
        prop_assert_eq!(ClassicEpc::from_bits(&bits), Ok(epc));
        // Every text form and every padding leads back.
        prop_assert_eq!(Epc::from_hex(&(bits.to_hex() + "000")), Ok(Epc::Classic(epc)));
        prop_assert_eq!(Epc::from_segment(&bits.to_segment_base64url()), Ok(Epc::Classic(epc)));
        prop_assert_eq!(epc.to_string().parse(), Ok(epc));
        prop_assert!(epc.identity().components().eq(texts.iter().copied()));
        let urn = epc.identity().to_string();
        prop_assert_eq!(PureIdentity::parse(&urn), Ok(*epc.identity()));
        let shortest = ClassicEpc::shortest(filter, *epc.identity()).unwrap();
        prop_assert!(shortest.to_bits().len() <= bits.len() || scheme == Scheme::Gdti113);
    }

    #[test]
    fn element_values_lead_back((scheme, filter, components) in key()) {
        let texts: Vec<&str> = components.iter().map(String::as_str).collect();
        let epc = ClassicEpc::from_components(scheme, filter, &texts).unwrap();
        let Ok(values) = epc.identity().elements() else {
            prop_assert!(matches!(scheme, Scheme::Gid96 | Scheme::Usdod96 | Scheme::AdiVar));
            return Ok(());
        };
        let length = GcpLength::Digits(epc.identity().company_prefix_length().unwrap());
        let options = EncodeOptions::new().scheme(scheme).filter(filter).gcp_length(length);
        let identity = PureIdentity::from_elements(&values, length);
        let urn = EpcUrn::from_elements(&values, length);
        // IN-22: a restricted GTIN is read, but no form of an EPC is written for it.
        match Epc::encode(&values, &options) {
            Ok(again) => {
                prop_assert_eq!(again, Epc::Classic(epc));
                prop_assert_eq!(identity, Ok(*epc.identity()));
                prop_assert_eq!(urn, Ok(EpcUrn::Identity(*epc.identity())));
            }
            Err(error) => {
                prop_assert_eq!(error.code(), "RESTRICTED_PREFIX");
                prop_assert_eq!(identity, Err(error));
                prop_assert_eq!(urn, Err(error));
                let again = Epc::encode_identity(epc.identity(), &options);
                prop_assert_eq!(again, Err(error));
            }
        }
        // The Digital Link URI reads as the same values, and the entity key is its path.
        let raw = values.path_and_query().unwrap();
        let uri = "https://id.gs1.org".to_owned() + &raw;
        let written = Epc::Classic(epc).own_digital_link();
        prop_assert_eq!(&written, &values.digital_link("https://id.gs1.org"));
        if let Ok(link) = fingerpost_gs1::DigitalLink::parse(&uri) {
            if link.check_dot_segments().is_ok() {
                prop_assert_eq!(written.as_ref(), Ok(&uri));
            } else {
                prop_assert_eq!(written.unwrap_err().code(), "DOT_SEGMENT");
            }
            prop_assert_eq!(&AiValues::from(&link), &values);
            let (key, attributes) = values.entity_key().unwrap();
            prop_assert_eq!(key, link.entity_key());
            prop_assert!(attributes.is_empty());
        } else {
            // Pieces and totals are numbers to the bits, and more than that to the rules of (8006).
            prop_assert!(values.check_values().is_err() && written.is_err(), "{}", uri);
        }
    }

    /// Bits that are an EPC are the only ones that it has.
    #[test]
    fn bits_read_as_an_epc_are_written_as_they_were(
        header in proptest::sample::select(classic().map(Scheme::header).collect::<Vec<_>>()),
        rest in proptest::collection::vec(any::<u8>(), 0..60),
        zeros in 0..30_usize,
        partition in 0..7_u8,
    ) {
        let mut bytes = vec![header];
        bytes.extend(&rest);
        if let Some(second) = bytes.get_mut(1) {
            // Small numbers are more often good ones.
            *second = *second & 0xE3 | partition << 2;
        }
        let kept = bytes.len().saturating_sub(zeros).max(1);
        let hex: String = bytes.iter().enumerate().map(|(at, byte)| format!("{:02x}", if at < kept { *byte } else { 0 })).collect();
        let bits = Bits::from_hex(&hex).unwrap();
        if let Ok(epc) = ClassicEpc::from_bits(&bits) {
            let again = epc.to_bits().to_hex();
            let length = again.len().min(hex.len());
            prop_assert_eq!(&again[..length], &hex[..length]);
            prop_assert!(hex[length..].bytes().all(|digit| digit == b'0'));
            prop_assert_eq!(ClassicEpc::from_tag_uri(&epc.to_string()), Ok(epc));
        }
    }

    // EPC-ERR-02
    #[test]
    fn no_text_makes_a_reader_panic(start in 0..8_usize, text in ".{0,60}", urn in "[a-z0-9:.*%\\[\\]-]{0,60}") {
        let prefix = ["", "urn:epc:id:sgtin:", "urn:epc:tag:", "urn:epc:idpat:itip:", "urn:epc:id:adi:",
            "urn:epc:class:lgtin:", "urn:epc:raw:", "urn:epc:tag:sgtin-96:"][start];
        for tail in [&text, &urn] {
            let text = format!("{prefix}{tail}");
            let parsed = EpcUrn::parse(&text);
            let raw = Bits::from_raw_uri(&text);
            for error in [parsed.err(), raw.err()].into_iter().flatten() {
                if let Some(fingerpost_epc::Span { start, end }) = error.span() {
                    prop_assert!(start <= end && end <= text.len(), "{error} {start}..{end} in {text:?}");
                }
            }
            if let Ok(parsed) = parsed {
                prop_assert_eq!(parsed.to_string().parse(), Ok(parsed));
            }
            let _ = (Epc::from_segment(&text), Epc::from_hex(&text), Epc::from_base64url(&text));
        }
    }
}

/// Patterns take in the identity they were made of, whatever of it is starred.
#[test]
fn every_permitted_set_of_stars_matches() {
    for (urn, starred) in [
        ("sgtin:9521141.012345.1", 4),
        ("itip:9521141.012345.01.02.1", 5),
        ("sscc:9521141.1234567890", 3),
        ("adi:35962.PQ7VZ4.M37", 4),
        ("imovn:9074729", 2),
        ("cpi:9521141.5PQ7%2FZ43.1", 4),
    ] {
        let identity: PureIdentity = format!("urn:epc:id:{urn}").parse().unwrap();
        let (scheme, components) = urn.split_once(':').unwrap();
        let components: Vec<&str> = components.split('.').collect();
        let mut good = 0;
        for literal in 0..=components.len() {
            let stars = vec!["*"; components.len() - literal];
            let text = [&components[..literal], &stars].concat().join(".");
            match IdentityPattern::parse(&format!("urn:epc:idpat:{scheme}:{text}")) {
                Ok(pattern) => {
                    assert!(pattern.matches(&identity), "{text}");
                    assert_eq!(pattern.star_count(), stars.len());
                    good += 1;
                }
                Err(error) => assert_eq!((error.code(), literal), ("BAD_PATTERN", 3), "{text}"),
            }
        }
        assert_eq!(good, starred, "{urn}");
    }
    assert_eq!(UrnScheme::all().filter(|scheme| scheme.family().is_none()).count(), 7);
    assert_eq!(Ai::GTIN.as_bytes(), b"01");
}
