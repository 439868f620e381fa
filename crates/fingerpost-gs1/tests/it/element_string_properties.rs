//! Properties of values and element strings over random input.

use fingerpost_gs1::{Ai, ElementString, Error, Linter, Options, Order};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common;

use common::{Numbers, valid_value};

/// Text made of the pieces that readers care about, and of anything else.
fn near_syntax() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("^".to_owned()),
        Just("\u{1d}".to_owned()),
        Just("(".to_owned()),
        Just(")".to_owned()),
        Just("\\(".to_owned()),
        Just("|".to_owned()),
        Just("|]e0".to_owned()),
        prop::sample::select(vec!["]C1", "]d2", "]d1", "]E0", "]E4", "]Q1"])
            .prop_map(str::to_owned),
        prop::sample::select(vec!["01", "10", "21", "00", "3103", "8003", "253", "8110", "89"])
            .prop_map(str::to_owned),
        prop::sample::select(vec!["09520123456788", "9520123456788", "https://a.example/01/"])
            .prop_map(str::to_owned),
        "[ -~]{0,6}",
        any::<String>(),
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Pairs of Application Identifier and valid value.
fn pairs(seed: u64, count: usize) -> Vec<(Ai, String)> {
    let all: Vec<_> = Ai::all().collect();
    let mut numbers = Numbers(seed);
    (0..count)
        .map(|_| {
            let (ai, entry) = all[numbers.below(all.len())];
            (ai, valid_value(entry, &mut numbers))
        })
        .collect()
}

fn check_error(text: &str, error: Error) {
    let span = error.span();
    assert!(span.start <= span.end && span.end <= text.len(), "{error}: {span:?} in {text:?}");
    let shown = error.to_string();
    assert!(shown.is_ascii() && !shown.ends_with('.') && !shown.contains('\n'), "{shown}");
    assert!(!error.code().is_empty() && !error.hint().is_empty());
}

proptest! {
    #[test]
    fn no_reader_panics(text in near_syntax()) {
        for options in [Options::new(), Options::new().lenient().unknown_ais(true).requisites(false)] {
            let inspected = [
                ElementString::inspect_bracketed(&text, &options).1,
                ElementString::inspect_raw(&text, &options).1,
                ElementString::inspect_scan(&text, &options).1,
            ];
            let first = [
                ElementString::parse_bracketed_with(&text, &options).err(),
                ElementString::parse_raw_with(&text, &options).err(),
                ElementString::parse_scan_with(&text, &options).err(),
            ];
            for (findings, first) in inspected.iter().zip(first) {
                findings.errors().iter().for_each(|error| check_error(&text, *error));
                prop_assert_eq!(findings.errors().first().copied(), first);
            }
            if let Err(error) = ElementString::parse_gtin(&text) {
                check_error(&text, error);
            }
        }
    }

    #[test]
    fn no_check_panics(bytes in vec(any::<u8>(), 0..100), number in 0_usize..541) {
        let (ai, _) = Ai::all().nth(number).expect("541 of them");
        if let Err(error) = ai.check_value(&bytes) {
            prop_assert!(error.span().end <= bytes.len());
            prop_assert!(!error.to_string().is_empty());
        }
        for linter in Linter::ALL {
            if let Err(fault) = linter.check(&bytes) {
                prop_assert!(fault.start() + fault.length() <= bytes.len());
            }
        }
    }

    #[test]
    fn coupons_of_digits_do_not_panic(digits in "[0-9]{0,60}") {
        for linter in [Linter::CouponCode, Linter::CouponPositiveOffer] {
            if let Err(fault) = linter.check(digits.as_bytes()) {
                prop_assert!(fault.start() + fault.length() <= digits.len());
            }
        }
    }

    // GS1-AI-04
    #[test]
    fn what_the_rows_describe_is_accepted(seed: u64) {
        for (ai, entry) in Ai::all() {
            let value = valid_value(entry, &mut Numbers(seed ^ u64::from(ai.as_str().len() as u32)));
            let result = ai.check_value(value.as_bytes());
            prop_assert!(result.is_ok(), "({}){}: {}", ai, value, result.unwrap_err());
        }
    }

    #[test]
    fn both_spellings_carry_the_same(seed: u64, count in 1_usize..12) {
        // One Application Identifier once: repetition with another value is an error of its own.
        let mut pairs = pairs(seed, count);
        pairs.sort();
        pairs.dedup_by_key(|(ai, _)| *ai);
        let bracketed: String =
            pairs.iter().map(|(ai, value)| format!("({ai}){}", value.replace('(', "\\("))).collect();
        let options = Options::new().requisites(false);
        // Random Application Identifiers exclude each other now and then.
        match ElementString::parse_bracketed_with(&bracketed, &options) {
            Err(error) => prop_assert!(
                ["AI_PAIR_FORBIDDEN", "SERIAL_REQUIRED"].contains(&error.code()), "{}", error
            ),
            Ok(item) => {
                prop_assert_eq!(&item.to_bracketed(), &bracketed);
                for order in [Order::AsStored, Order::PredefinedFirst] {
                    for raw in [item.to_raw(order), item.to_raw_gs(order)] {
                        let again = ElementString::parse_raw_with(&raw, &options);
                        prop_assert_eq!(&again.expect("what was written can be read"), &item);
                    }
                }
                let raw = item.to_raw(Order::AsStored);
                let again = ElementString::parse_raw_with(&raw, &options).expect("as above");
                prop_assert_eq!(again.to_bracketed(), item.to_bracketed());
            }
        }
    }

    #[test]
    fn a_wrong_check_digit_is_always_found(seed: u64, other in 1_u8..10) {
        let mut numbers = Numbers(seed);
        for ai in [Ai::SSCC, Ai::GTIN, Ai::GLN, Ai::GSRN, Ai::GSIN] {
            let mut value = valid_value(ai.entry().expect("allocated"), &mut numbers).into_bytes();
            let last = value.last_mut().expect("not empty");
            *last = b'0' + (*last - b'0' + other) % 10;
            let code = ai.check_value(&value).map_err(|error| error.code());
            prop_assert_eq!(code, Err("L_INCORRECT_CHECK_DIGIT"));
        }
    }

    #[test]
    fn unknown_ais_are_accepted_or_refused_alike(number in 0_u32..10_000, digits in 2_usize..=4) {
        let text = format!("{:0digits$}", number % 10_u32.pow(digits as u32));
        let ai = Ai::new(&text).expect("digits");
        let options = Options::new().unknown_ais(true);
        let known = ai.entry().is_some();
        let probe = ai.check_value_with(b"\0", &options).map_err(|error| error.code());
        if known {
            prop_assert_ne!(probe, Err("UNKNOWN_AI"));
        }
        let strict = ai.check_value(b"\0").map_err(|error| error.code());
        prop_assert_eq!(strict == Err("UNKNOWN_AI"), !known);
    }
}
