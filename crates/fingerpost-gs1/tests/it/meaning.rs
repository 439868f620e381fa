//! What values mean, and the values that have a meaning.

use fingerpost_gs1::{Ai, Date, DateTime, Decimal, ElementString, Linter, Meaning, Options};
use proptest::prelude::*;

use crate::common::{Numbers, valid_value};

fn today() -> Date {
    Date::new(2026, 11, 27).unwrap()
}

fn ai(text: &str) -> Ai {
    Ai::new(text).unwrap()
}

fn shown(id: &str, value: &str) -> String {
    let meaning = ai(id).meaning(value, today());
    meaning.map_or("-".to_owned(), |meaning| format!("{}: {meaning}", meaning.name()))
}

// GS1-MEAN-01, GS1-MEAN-02, GS1-MEAN-03, GS1-MEAN-04, GS1-OTH-07
#[test]
fn values_mean_what_their_row_says() {
    for (id, value, meaning) in [
        ("17", "260228", "date: 2026-02-28"),
        ("17", "280200", "date: 2028-02-29 (last day of the month)"),
        ("11", "770101", "date: 1977-01-01"),
        ("11", "760101", "date: 2076-01-01"),
        ("7250", "19640229", "date: 1964-02-29"),
        ("7003", "2612241830", "date-time: 2026-12-24T18:30"),
        ("7011", "261224", "date: 2026-12-24"),
        ("7011", "2612240930", "date-time: 2026-12-24T09:30"),
        ("8008", "26122409", "date-time: 2026-12-24T09"),
        ("8008", "261224093059", "date-time: 2026-12-24T09:30:59"),
        ("4324", "2612000930", "date-time: 2026-12-31T09:30"),
        ("7007", "261224", "date: 2026-12-24"),
        ("7007", "261201261224", "period: 2026-12-01 to 2026-12-24"),
        ("3100", "000012", "measure: 12 kg"),
        ("3103", "001250", "measure: 1.250 kg"),
        ("3375", "000007", "measure: 0.00007 kg/m²"),
        ("3572", "001250", "measure: 12.50 oz"),
        ("3613", "001250", "measure: 1.250 gal (US)"),
        ("4331", "000450", "measure: 4.50 °C"),
        ("4332", "001850-", "measure: -18.50 °F"),
        ("7004", "250", "measure: 250 IU"),
        ("3922", "1999", "amount: 19.99 in the local currency"),
        ("3932", "9781999", "amount: 19.99 EUR"),
        ("3919", "392000000000000001", "amount: 0.000000001 JPY"),
        ("3952", "001999", "amount: 19.99 in the local currency"),
        ("3941", "0125", "percentage: 12.5 %"),
        ("37", "00000012", "count: 12"),
        ("422", "756", "countries: CH"),
        ("423", "250276", "countries: FR, DE"),
        ("421", "25075001", "in-country: 75001 (FR)"),
        ("7031", "999ABC", "in-country: ABC (several countries)"),
        ("4307", "NL", "in-country: NL"),
        ("4309", "02790858483015297971", "coordinates: -62.0914152, -58.4702029"),
        ("4309", "09000000003600000000", "coordinates: 0.0000000, 0.0000000"),
        ("7258", "1/3", "position: 1 of 3"),
        ("8026", "095201234567880103", "piece: 1 of 3"),
        ("7252", "2", "sex: female"),
        ("4321", "1", "flag: yes"),
        ("8001", "12000030007619", "roll: 1200 mm wide, 300 m long, core 76 mm, face in"),
        (
            "8001",
            "12000030007602",
            "roll: 1200 mm wide, 300 m long, core 76 mm, face out, 2 splices",
        ),
        // Nothing beyond the characters, or not valid.
        ("10", "261224", "-"),
        ("01", "09520123456788", "-"),
        ("8005", "001999", "-"),
        ("427", "BY", "-"),
        ("17", "261301", "-"),
        ("422", "000", "-"),
    ] {
        assert_eq!(shown(id, value), meaning, "({id}){value}");
    }
}

/// GS1-MEAN-02: the same digits are another year half a century later, and 29 February exists in
/// some of these.
#[test]
fn the_century_depends_on_today() {
    let in_year = |year| {
        let found = ai("17").meaning("000229", Date::new(year, 1, 1).unwrap());
        found.map(|meaning| meaning.to_string())
    };
    assert_eq!(in_year(2026).as_deref(), Some("2000-02-29"));
    assert_eq!(in_year(2049).as_deref(), Some("2000-02-29"));
    assert_eq!(in_year(2050), None);
}

#[test]
fn elements_that_are_not_allocated_mean_nothing() {
    let options = Options::new().unknown_ais(true).requisites(false);
    let item = ElementString::parse_bracketed_with("(3199)000012", &options).unwrap();
    assert_eq!(item.elements()[0].meaning(today()), None);
}

// GS1-MEAN-05
#[test]
fn meanings_without_a_value_have_none() {
    let date = |year, month, day| Meaning::Date(Date::new(year, month, day).unwrap());
    for (id, meaning) in [
        ("17", date(1976, 12, 31)),
        ("17", date(2077, 1, 1)),
        ("4326", Meaning::Date(Date::last_of_month(2026, 2).unwrap())),
        ("3103", Meaning::Count(12)),
        ("37", Meaning::Count(100_000_000)),
        ("3942", Meaning::Percentage(Decimal::new(-5, 2))),
        ("8006", Meaning::Piece("09520123456788", 4, 3)),
        ("10", Meaning::Flag(true)),
    ] {
        assert_eq!(meaning.value(ai(id), today()), None, "({id}) {meaning}");
    }
    assert!(Date::new(2026, 2, 29).is_none() && Date::last_of_month(2026, 13).is_none());
    let day = Date::new(2026, 2, 28).unwrap();
    assert!(DateTime::new(day, 24, None, None).is_none());
    assert!(DateTime::new(day, 23, None, Some(1)).is_none());
    assert_ne!(Some(day), Date::last_of_month(2026, 2));
}

/// Whether the dictionary says what the value of a row means.
fn is_told(entry: &fingerpost_gs1::AiEntry, id: &str) -> bool {
    let told = [
        Linter::YyMmD0,
        Linter::YyMmDd,
        Linter::YyyyMmDd,
        Linter::Iso3166,
        Linter::Iso3166Or999,
        Linter::Iso3166Alpha2,
        Linter::Iso4217,
        Linter::Iso5218,
        Linter::YesNo,
        Linter::Latitude,
        Linter::PieceOfTotal,
        Linter::PositionInSequence,
        Linter::Winding,
    ];
    let numbers = ["30", "31", "32", "33", "34", "35", "36", "37", "39", "433", "7004", "8111"];
    let linters = || entry.components().iter().flat_map(|part| part.linters());
    linters().any(|linter| told.contains(linter))
        || numbers.iter().any(|begin| id.starts_with(begin))
}

proptest! {
    // GS1-MEAN-05: every value that has a meaning is found again by it.
    #[test]
    fn meaning_and_value_determine_each_other(seed: u64) {
        let mut numbers = Numbers(seed);
        for (ai, entry) in Ai::all() {
            let value = valid_value(entry, &mut numbers);
            let meaning = ai.meaning(&value, today());
            prop_assert_eq!(meaning.is_some(), is_told(entry, ai.as_str()), "({}){}", ai, value);
            let Some(meaning) = meaning else { continue };
            let again = meaning.value(ai, today());
            prop_assert_eq!(again.as_deref().and_then(|value| ai.meaning(value, today())), Some(meaning));
            let again = again.unwrap_or_default();
            let is_number = matches!(meaning, Meaning::Count(_) | Meaning::Amount(..) | Meaning::Measure(..));
            if again.len() == value.len() || !is_number {
                let same = match &*value {
                    "000000-" => "000000".to_owned(),
                    _ if ai.as_str() == "4309" => value.replace("3600000000", "0000000000"),
                    _ => value,
                };
                prop_assert_eq!(again, same, "({})", ai);
            } else {
                // Numbers without a predefined length may begin with zeros.
                let zeros = value.len() - again.len();
                prop_assert!(value.contains(&"0".repeat(zeros)), "({}){} {}", ai, value, again);
            }
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn objects_have_typed_members() {
    for (id, value, expected) in [
        ("17", "280200", r#"{"type":"date","date":"2028-02-29","states_day":false}"#),
        ("7003", "2612241830", r#"{"type":"date-time","time":"2026-12-24T18:30"}"#),
        ("3103", "001250", r#"{"type":"measure","number":"1.250","unit":"kg","unit_code":"KGM"}"#),
        ("3932", "9781999", r#"{"type":"amount","number":"19.99","currency":"EUR"}"#),
        ("3922", "1999", r#"{"type":"amount","number":"19.99","currency":null}"#),
        ("423", "250276", r#"{"type":"countries","countries":["FR","DE"]}"#),
        ("421", "25075001", r#"{"type":"in-country","country":"FR","text":"75001"}"#),
        ("37", "12", r#"{"type":"count","count":12}"#),
        ("4321", "0", r#"{"type":"flag","flag":false}"#),
        (
            "8001",
            "12000030007699",
            r#"{"type":"roll","width_mm":1200,"length_m":300,"core_mm":76,"face_in":null,"splices":null}"#,
        ),
    ] {
        let meaning = ai(id).meaning(value, today());
        assert_eq!(serde_json::to_string(&meaning).unwrap(), expected, "({id}){value}");
    }
}
