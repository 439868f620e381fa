//! Properties of `+` and `++` schemes, +AIDC data and host names: what is written is what a second
//! writer writes, and reads as what it was made of (EPC Tag Data Standard 2.3, sections 14.5, 14.6
//! and 15.3).

use fingerpost_epc::{AiValues, Bits, Generation, Hostname, HostnameMethod, PlusEpc, Scheme};
use fingerpost_gs1::Ai;
use proptest::prelude::*;
use serde_json::Value;

use crate::plus_oracle;

use plus_oracle::{
    Numbers, alnum_data, bits_of, code_40, integer, rows, tables, value_bits, with_check_digit,
};

const SSCC: &str = "095201234567891235";

fn ai(digits: &str) -> Ai {
    Ai::new(digits).unwrap()
}

fn value(numbers: &mut Numbers, ai: &str, parts: &[Value], empty: bool) -> String {
    let whole: String = parts.iter().map(|part| numbers.part(part, empty)).collect();
    with_check_digit(ai, &whole)
}

/// The bits with padding of no, one and many digits, from both texts.
fn padded(bits: &Bits) -> Vec<Bits> {
    ["", "0", "000000000000000000000000000000"]
        .iter()
        .flat_map(|zeros| {
            let hex = Bits::from_hex(&(bits.to_hex() + zeros)).unwrap();
            let base64url = bits.to_base64url() + &zeros.replace('0', "A");
            [hex, Bits::from_base64url(&base64url).unwrap()]
        })
        .collect()
}

/// A host name, some parts of it sequences.
fn hostname(numbers: &mut Numbers) -> String {
    let pieces = [
        "id.", "www.", "qr.", "example", "covid", "a-b", "x", "9", ".co", ".com", ".co.uk",
        ".org.cn", ".tech", ".zw", ".med", ".edu", ".", "m",
    ];
    let count = 1 + numbers.below(6);
    (0..count).map(|_| pieces[numbers.below(pieces.len())]).collect()
}

/// The units that taking the longest sequence at each position needs.
fn greedy(name: &str) -> usize {
    let tables = tables();
    let hostname = &tables["hostname"];
    let mut sequences = Vec::new();
    for text in hostname["seven_bit_sequences"].as_object().unwrap().values() {
        sequences.push((text.as_str().unwrap().to_owned(), 1));
    }
    for texts in hostname["fourteen_bit_tables"].as_object().unwrap().values() {
        for text in texts.as_array().unwrap() {
            sequences.push((text.as_str().unwrap().to_owned(), 2));
        }
    }
    sequences.sort_by_key(|(text, _)| usize::MAX - text.len());
    let (mut rest, mut units) = (name, 0);
    while !rest.is_empty() {
        let found = sequences.iter().find(|(text, _)| rest.starts_with(text));
        let (len, cost) = found.map_or((1, 1), |(text, cost)| (text.len(), *cost));
        (rest, units) = (&rest[len..], units + cost);
    }
    units
}

/// Reads the bits in all their texts and compares.
fn comes_back(epc: &PlusEpc) {
    for bits in padded(&epc.to_bits()) {
        assert_eq!(PlusEpc::decode(&bits).as_ref(), Ok(epc));
    }
    assert!(!epc.is_toggle_wrong());
}

// EPC-VAL-01, EPC-VAL-02, EPC-VAL-03, EPC-VAL-04, EPC-VAL-05, EPC-VAL-11, EPC-VAL-12, EPC-VAL-13,
// EPC-VAL-14, EPC-AID-01, EPC-AID-06, EPC-ERT-08, EPC-ERT-09, EPC-ERT-10, EPC-ERT-11
#[test]
fn each_application_identifier_is_carried_after_an_epc() {
    let mut numbers = Numbers(1);
    for (own, parts) in rows() {
        for _ in 0..24 {
            let value = value(&mut numbers, &own, &parts, true);
            let values = AiValues::unchecked([(Ai::SSCC, SSCC), (ai(&own), value.as_str())]);
            if own == "00" {
                // The EPC has it already.
                continue;
            }
            let epc = PlusEpc::new(Scheme::SsccPlus, 0, &values, None, None);
            let epc = epc.unwrap_or_else(|error| panic!("({own}){value}: {error}"));
            let number: String =
                own.bytes().map(|digit| integer(usize::from(digit - b'0'), 4)).collect();
            let expected = value_bits(&parts, &value);
            let written = epc.to_bits().to_hex();
            let after = bits_of(&("1000".to_owned() + &number + &expected)).to_hex();
            assert_eq!(written[..3], *"f98", "({own}){value}");
            assert_eq!(written[21..], after[1..], "({own}){value}");
            assert_eq!(epc.bits(), 84 + number.len() + expected.len());
            comes_back(&epc);
        }
    }
}

// EPC-VAL-07, EPC-VAL-08, EPC-VAL-09, EPC-VAL-10, EPC-ERT-12, EPC-ERT-16
#[test]
fn each_encoding_indicator_is_read() {
    let mut numbers = Numbers(2);
    let mut seen = [0; 6];
    for _ in 0..2000 {
        let len = numbers.length(90);
        let text = numbers.alnum(len);
        for (form, count) in seen.iter_mut().enumerate() {
            let Some(data) = alnum_data(&text, form) else { continue };
            // AI 91 after an SSCC.
            let own: String =
                SSCC.bytes().map(|digit| integer(usize::from(digit - b'0'), 4)).collect();
            let head = "11111001".to_owned() + "1000" + &own + "10010001";
            let bits = head + &integer(form, 3) + &integer(len, 7) + &data;
            let epc = PlusEpc::decode(&bits_of(&bits)).unwrap();
            assert_eq!(epc.values().get(ai("91")), Some(text.as_str()), "form {form}");
            assert_eq!(epc.bits(), bits.len());
            // Encoded again, it is not longer.
            assert!(epc.to_bits().len() <= bits.len());
            assert_eq!(PlusEpc::decode(&epc.to_bits()).unwrap().values(), epc.values());
            *count += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
}

/// An EPC of a scheme with up to three further values.
fn epc(numbers: &mut Numbers, scheme: Scheme, hostname: Option<&Hostname>) -> PlusEpc {
    let (tables, rows) = (tables(), rows());
    let name = scheme.name().trim_end_matches('+');
    let families = tables["families"].as_array().unwrap();
    let family = families.iter().find(|family| family["name"] == name).unwrap();
    let row = |ai: &str| rows.iter().find(|(own, _)| own == ai).unwrap();
    let mut pairs = Vec::new();
    for own in family["plus_ais"].as_array().unwrap() {
        let (own, parts) = row(own.as_str().unwrap());
        pairs.push((own.clone(), value(numbers, own, parts, false)));
    }
    // Written `0` an extension is none.
    if pairs
        .last()
        .is_some_and(|(ai, value)| ai == "254" && (value == "0" || numbers.below(4) == 0))
    {
        pairs.pop();
    }
    let own = pairs.len();
    if family["plus_date"] == true {
        let date = ["11", "13", "15", "16", "17", "7006", "7007"][numbers.below(7)];
        let (_, parts) = row("11");
        pairs.push((date.to_owned(), value(numbers, date, parts, false)));
    }
    for _ in 0..numbers.below(4) {
        let (own, parts) = &rows[numbers.below(rows.len())];
        // A GLN extension would be the EPC's own.
        if own != "254" && pairs.iter().all(|(ai, _)| ai != own) {
            pairs.push((own.clone(), value(numbers, own, parts, true)));
        }
    }
    let values = AiValues::unchecked(pairs.iter().map(|(own, value)| (ai(own), value.as_str())));
    // Three bits.
    let filter = u8::try_from(numbers.below(8)).unwrap();
    let epc = PlusEpc::new(scheme, filter, &values, hostname, None);
    let epc = epc.unwrap_or_else(|error| panic!("{scheme} {values}: {error}"));
    assert_eq!(epc.values(), &values);
    assert_eq!((epc.scheme(), epc.filter()), (scheme, filter));
    assert_eq!(epc.own_len(), own + usize::from(family["plus_date"] == true));
    epc
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn epcs_of_all_schemes_come_back(seed: u64) {
        let mut numbers = Numbers(seed);
        for scheme in Scheme::all().filter(|scheme| scheme.generation() != Generation::Classic) {
            let name = loop {
                if let Ok(name) = hostname(&mut numbers).parse::<Hostname>() {
                    break name;
                }
            };
            let method = [HostnameMethod::Code40, HostnameMethod::SevenBit][numbers.below(2)];
            let name = name.with_method(method).unwrap_or(name);
            let name = (scheme.generation() == Generation::PlusPlus).then_some(name);
            let epc = epc(&mut numbers, scheme, name.as_ref());
            prop_assert_eq!(epc.hostname().unwrap(), name);
            comes_back(&epc);
        }
    }

    // EPC-HST-04, EPC-HST-05, EPC-ERT-06, EPC-ERT-07
    #[test]
    fn host_names_come_back_in_no_more_units_than_greedy_ones(seed: u64) {
        let mut numbers = Numbers(seed);
        let text = hostname(&mut numbers);
        prop_assume!(text.parse::<Hostname>().is_ok());
        let name: Hostname = text.parse().unwrap();
        let values = AiValues::unchecked([(Ai::SSCC, SSCC)]);
        let epc = PlusEpc::new(Scheme::SsccPlusPlus, 0, &values, Some(&name), None).unwrap();
        prop_assert_eq!(epc.hostname(), Ok(Some(name.clone())));
        comes_back(&epc);
        prop_assert!((epc.bits() - 84 - 7) / 7 <= greedy(&text), "{}", text);

        let upper = name.with_method(HostnameMethod::Code40).unwrap();
        let epc = PlusEpc::new(Scheme::SsccPlusPlus, 0, &values, Some(&upper), None).unwrap();
        comes_back(&epc);
        let field = "0".to_owned() + &integer(text.len(), 6) + &code_40(&text.to_ascii_uppercase());
        prop_assert_eq!(&epc.to_bits().to_hex()[21..], bits_of(&field).to_hex());
    }

    // EPC-ERR-02
    #[test]
    fn any_bits_are_read_or_refused(header in any::<prop::sample::Index>(), tail in prop::collection::vec(any::<u8>(), 0..120)) {
        let schemes: Vec<Scheme> =
            Scheme::all().filter(|scheme| scheme.generation() != Generation::Classic).collect();
        let scheme = schemes[header.index(schemes.len())];
        let tail: String = tail.iter().map(|byte| format!("{byte:02x}")).collect();
        let bits = Bits::from_hex(&format!("{:02x}{tail}", scheme.header())).unwrap();
        if let Ok(epc) = PlusEpc::decode(&bits) {
            let again = PlusEpc::decode(&epc.to_bits()).unwrap();
            prop_assert_eq!(again.values(), epc.values());
        }
    }
}
