//! What values mean, in the reader's language.

use fingerpost_gs1::{Country, Date, DateTime, Decimal, Meaning, Sex};

use crate::texts::Texts;

/// Returns what a value means.
pub(super) fn meaning(texts: &Texts, meaning: &Meaning<'_>) -> Option<String> {
    let words = &texts.meaning;
    Some(match *meaning {
        Meaning::Date(of) if of.states_day() => date(texts, of),
        Meaning::Date(of) => texts.fill(&words.last_day, &[("date", &date(texts, of))]),
        Meaning::DateTime(of) => {
            let (date, time) = (date(texts, of.date()), time(of));
            texts.fill(&words.time, &[("date", &date), ("time", &time)])
        }
        Meaning::Period(from, to) => {
            let (from, to) = (date(texts, from), date(texts, to));
            texts.fill(&words.period, &[("from", &from), ("to", &to)])
        }
        Meaning::Measure(of, unit) => format!("{} {}", number(texts, of), unit.symbol()),
        Meaning::Amount(of, Some(currency)) => format!("{} {currency}", number(texts, of)),
        Meaning::Amount(of, None) => {
            texts.fill(&words.local_amount, &[("number", &number(texts, of))])
        }
        Meaning::Percentage(of) => texts.fill(&words.percent, &[("number", &number(texts, of))]),
        Meaning::Countries(of) => {
            let names: Vec<&str> = of.iter().map(|one| country(texts, one)).collect();
            names.join(", ")
        }
        Meaning::InCountry(Some(of), "") => country(texts, of).to_owned(),
        Meaning::InCountry(of, text) => {
            let of = of.map_or(&*words.several_countries, |one| country(texts, one));
            format!("{text} ({of})")
        }
        Meaning::Position(number, all) | Meaning::Piece(_, number, all) => {
            let (number, all) = (number.to_string(), all.to_string());
            texts.fill(&words.piece, &[("number", &number), ("total", &all)])
        }
        Meaning::Sex(sex) => match sex {
            Sex::Male => words.male.clone(),
            Sex::Female => words.female.clone(),
            Sex::NotKnown | Sex::NotApplicable => words.not_stated.clone(),
        },
        Meaning::Flag(true) => words.yes.clone(),
        Meaning::Flag(false) => words.no.clone(),
        Meaning::Roll(roll) => {
            let [width, length, core] = [roll.width.into(), roll.length, roll.core.into()]
                .map(|number: u32| number.to_string());
            let values = [("width", &*width), ("length", &length), ("core", &core)];
            texts.fill(&words.roll, &values)
        }
        Meaning::Count(_) | Meaning::Coordinates(..) => meaning.to_string(),
        // Kinds that were added later have no words yet.
        _ => return None,
    })
}

pub(super) fn date(texts: &Texts, date: Date) -> String {
    let (year, month, day) = (date.year(), date.month().to_string(), date.day());
    let [year, day] = [year.to_string(), day.to_string()];
    let values = [("year", &*year), ("month", texts.month(&month)), ("day", &day)];
    texts.fill(&texts.meaning.date, &values)
}

fn time(time: DateTime) -> String {
    let text = time.to_string();
    let (_, time) = text.split_once('T').unwrap_or_default();
    if time.contains(':') { time.to_owned() } else { [time, ":00"].concat() }
}

fn number(texts: &Texts, number: Decimal) -> String {
    number.to_string().replace('.', &texts.meaning.point)
}

fn country(texts: &Texts, country: Country) -> &str {
    texts.country(country.alpha2()).unwrap_or(country.alpha2())
}

#[cfg(test)]
mod tests {
    use fingerpost_gs1::{Ai, Date};

    use crate::texts::for_reader;

    #[test]
    fn values_are_shown_in_the_readers_language() {
        let today = Date::new(2026, 11, 27).expect("a date");
        let shown = |language: &str, ai: &str, value: &str| {
            let meaning = Ai::new(ai)?.meaning(value, today)?;
            super::meaning(for_reader(language.as_bytes()), &meaning)
        };
        for (language, ai, value, text) in [
            ("en", "17", "270228", "28 February 2027"),
            ("en", "17", "270200", "28 February 2027 (last day of the month)"),
            ("de", "17", "270301", "1. März 2027"),
            ("fr", "7003", "2702281830", "28 février 2027, 18:30"),
            ("ja", "17", "270228", "2027年2月28日"),
            ("es", "7007", "270201270228", "del 1 de febrero de 2027 al 28 de febrero de 2027"),
            ("de", "3103", "001250", "1,250 kg"),
            ("pt", "3932", "9861999", "19,99 BRL"),
            ("de", "3922", "1999", "19,99 in Landeswährung"),
            ("fr", "3941", "0125", "12,5 %"),
            ("de", "423", "250276", "Frankreich, Deutschland"),
            ("en", "421", "25075001", "75001 (France)"),
            ("en", "7030", "999AB", "AB (several countries)"),
            ("de", "8026", "095201234567880103", "1 von 3"),
            ("en", "4321", "1", "yes"),
            ("en", "7252", "9", "not stated"),
            ("en", "37", "0012", "12"),
            ("en", "8001", "12000030007619", "1200 mm wide, 300 m long, core 76 mm"),
        ] {
            assert_eq!(shown(language, ai, value).as_deref(), Some(text), "{language} ({ai})");
        }
        let arabic = shown("ar", "17", "270228").expect("a date");
        assert!(arabic.contains('\u{2068}') && arabic.contains("فبراير"), "{arabic}");
        assert_eq!(shown("en", "8008", "27022809").as_deref(), Some("28 February 2027, 09:00"));
    }
}
