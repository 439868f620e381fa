//! Lost separators (IN-1, IN-2): what is proposed, and why; how often it is right.

use fingerpost_identify::{Inspection, inspect};

#[expect(dead_code, reason = "the example has a main function")]
#[path = "../../examples/lost_separators.rs"]
mod measurement;

fn proposal<'i>(found: &'i Inspection<'_>) -> Option<&'i str> {
    found.meant.as_ref()?.item.as_ref().map(|item| &*item.element_string)
}

/// IN-1: the fault of the strict reading stays, and the original is proposed.
#[test]
fn what_was_swallowed_is_found() {
    for (text, meant) in [
        ("1021072911172405310109520123456788", "(10)21072911(17)240531(01)09520123456788"),
        (
            "010952012345678821X12Y9JNZ961727080610176600715",
            "(01)09520123456788(21)X12Y9JNZ96(17)270806(10)176600715",
        ),
        ("]d21021072911172405310109520123456788", "(10)21072911(17)240531(01)09520123456788"),
        ("^1021072911172405310109520123456788", "(10)21072911(17)240531(01)09520123456788"),
        // Two separators got lost.
        (
            "010952012345678810LOT7172705312112345678901234567",
            "(01)09520123456788(10)LOT7(17)270531(21)12345678901234567",
        ),
        // One is there.
        (
            "010952012345678821SERIAL12345678917270531\u{1d}10A",
            "(01)09520123456788(21)SERIAL123456789(17)270531(10)A",
        ),
    ] {
        let found = inspect(text);
        assert_eq!(proposal(&found), Some(meant), "{text}: {found:#?}");
        let is_warned = found.warnings.iter().any(|warning| warning.code == "LOST_SEPARATOR");
        assert!(is_warned, "{text}");
    }
    let found = inspect("1021072911172405310109520123456788");
    assert_eq!(found.faults[0].code, "VALUE_TOO_LONG");
    let why = &found.meant.as_ref().expect("a reading").why;
    assert_eq!(why.len(), 1);
    assert_eq!(
        (why[0].span.clone(), &*why[0].message),
        (10..10, "a separator is perhaps missing before (17)")
    );
    assert_eq!(
        why[0].evidence,
        ["(17) 240531 is a valid date", "the check digit of (01) 09520123456788 is right"]
    );
}

/// IN-2: a valid text that hides a better reading stays valid, with a warning.
#[test]
fn a_valid_value_that_hides_an_element_has_a_warning() {
    for (text, meant) in [
        ("010952012345678810COV010917270901", "(01)09520123456788(10)COV0109(17)270901"),
        ("0109520123456788100010917270901", "(01)09520123456788(10)00109(17)270901"),
        ("010952012345678821A1B2C317270901", "(01)09520123456788(21)A1B2C3(17)270901"),
        ("10LOT70109520123456788", "(10)LOT7(01)09520123456788"),
    ] {
        let found = inspect(text);
        assert_eq!(proposal(&found), Some(meant), "{text}: {found:#?}");
        let warning = found.warnings.iter().find(|warning| warning.code == "LOST_SEPARATOR");
        assert!(warning.is_some_and(|warning| !warning.help.is_empty()), "{text}");
    }
    let found = inspect("010952012345678810COV010917270901");
    assert!(found.is_valid());
    let item = found.item.expect("as written");
    assert_eq!(item.element_string, "(01)09520123456788(10)COV010917270901");
}

/// IN-2: nothing is said about a value that cannot be split into a plausible rest.
#[test]
fn plausible_values_have_no_warning() {
    for text in [
        "010952012345678810COV0109",
        "010952012345678810ABC21123456",
        "010952012345678810LOT91TEST",
        "0109520123456788101234567890",
        "010952012345678810COV010917271301",
        "010952012345678810COV010917990901",
        "010952012345678810ABC\u{1d}17270901",
        "(01)09520123456788(10)COV010917270901",
        "https://id.example.org/01/09520123456788/10/COV010917270901",
        "9520123456788",
    ] {
        let found = inspect(text);
        assert!(found.meant.is_none(), "{text}: {found:#?}");
    }
}

/// IN-1, IN-2: the limits that `docs/benchmarks.md` states for 10,000 element strings.
#[test]
fn most_are_recovered_and_few_are_wrong() {
    let shares = measurement::measure(1_500, 7);
    assert!(shares.removed > 2_000, "{shares:?}");
    assert!(shares.recovered * 100 >= shares.removed * 85, "{shares:?}");
    assert!(shares.wrong * 100 <= shares.removed, "{shares:?}");
    assert!(shares.warned * 100 <= shares.drawn, "{shares:?}");
}

/// IN-1: long texts are not searched, and no text takes long.
#[test]
fn the_search_is_bounded() {
    let longest = "9".repeat(256);
    for text in [
        &*["91", &longest[2..]].concat(),
        &"10".repeat(128),
        &"01".repeat(4_000),
        &"9191".repeat(64),
        &"8200".repeat(64),
    ] {
        let start = std::time::Instant::now();
        let _ = inspect(text);
        assert!(start.elapsed().as_secs() < 5, "{} bytes", text.len());
    }
}
