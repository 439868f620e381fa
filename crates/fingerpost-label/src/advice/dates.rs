//! Advice on the dates of a label.

use fingerpost_gs1::{Ai, Date, Meaning, Options};
use fingerpost_identify::read_with;

use super::LabelWarning;

/// Returns warnings about dates that have passed, or come before the production.
pub(super) fn advice(text: &str, options: &Options, today: Date) -> Vec<LabelWarning> {
    let Some(values) = read_with(text, options).ok().and_then(|(_, read)| read.values().ok())
    else {
        return Vec::new();
    };
    let found = |ais: &'static [&str]| {
        values.iter().filter(|(ai, _)| ais.contains(&ai.as_str())).filter_map(move |(ai, value)| {
            match ai.meaning(value, today)? {
                Meaning::Date(date) => Some((ai, date)),
                Meaning::DateTime(time) => Some((ai, time.date())),
                _ => None,
            }
        })
    };
    let produced: Vec<(Ai, Date)> = found(PRODUCED).collect();
    let mut warnings = Vec::new();
    for (ai, ends) in found(ENDS) {
        if ends < today {
            warnings.push(LabelWarning {
                code: "EXPIRED",
                message: format!("the date in ({ai}), {ends}, has passed"),
                help: "check the date; years have two digits, so none is more than 50 years away"
                    .to_owned(),
            });
        }
        if let Some((begins_in, begins)) =
            produced.iter().find(|(_, begins)| is_after(*begins, ends))
        {
            warnings.push(LabelWarning {
                code: "EXPIRES_BEFORE_PRODUCTION",
                message: format!(
                    "the date in ({ai}), {ends}, is before that of production in ({begins_in}), {begins}"
                ),
                help: "check both dates: they may be exchanged".to_owned(),
            });
        }
    }
    warnings
}

/// Returns whether the production is after the end. A production of which only the month is stated
/// may have been on any of its days.
fn is_after(begins: Date, ends: Date) -> bool {
    let month = |date: Date| (date.year(), date.month());
    begins > ends && (begins.states_day() || month(begins) != month(ends))
}

/// Best before, sell by, use by, expiry with time.
const ENDS: &[&str] = &["15", "16", "17", "7003"];

/// Production, packaging, production with time.
const PRODUCED: &[&str] = &["11", "13", "8008"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_that_cannot_be_meant_are_reported() {
        let today = Date::new(2026, 11, 27).unwrap();
        for (dates, codes) in [
            ("(17)261127", &[][..]),
            ("(17)261126", &["EXPIRED"]),
            ("(15)261100", &[]),
            ("(15)261000", &["EXPIRED"]),
            ("(7003)2611261830", &["EXPIRED"]),
            ("(11)270101(17)270228", &[]),
            ("(11)270301(17)270228", &["EXPIRES_BEFORE_PRODUCTION"]),
            ("(11)270200(17)270215", &[]),
            ("(13)270300(17)270215", &["EXPIRES_BEFORE_PRODUCTION"]),
            ("(13)260301(16)260215", &["EXPIRED", "EXPIRES_BEFORE_PRODUCTION"]),
            ("(8008)27022809(15)270227", &["EXPIRES_BEFORE_PRODUCTION"]),
        ] {
            let text = format!("(01)09520123456788{dates}");
            let found = advice(&text, &Options::new(), today);
            let found: Vec<_> = found.iter().map(|warning| warning.code).collect();
            assert_eq!(found, codes, "{dates}");
        }
    }
}
