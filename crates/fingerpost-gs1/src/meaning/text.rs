//! Meanings for people, in English.

use core::fmt;

use super::{Meaning, Sex};

impl fmt::Display for Meaning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Date(date) if date.states_day() => write!(f, "{date}"),
            Self::Date(date) => write!(f, "{date} (last day of the month)"),
            Self::DateTime(time) => write!(f, "{time}"),
            Self::Period(from, to) => write!(f, "{from} to {to}"),
            Self::Measure(number, unit) => write!(f, "{number} {}", unit.symbol()),
            Self::Amount(number, Some(currency)) => write!(f, "{number} {currency}"),
            Self::Amount(number, None) => write!(f, "{number} in the local currency"),
            Self::Percentage(number) => write!(f, "{number} %"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Countries(countries) => {
                countries.iter().enumerate().try_for_each(|(nth, country)| {
                    write!(f, "{}{country}", if nth == 0 { "" } else { ", " })
                })
            }
            Self::InCountry(Some(country), "") => write!(f, "{country}"),
            Self::InCountry(Some(country), text) => write!(f, "{text} ({country})"),
            Self::InCountry(None, text) => write!(f, "{text} (several countries)"),
            Self::Coordinates(latitude, longitude) => write!(f, "{latitude}, {longitude}"),
            Self::Position(number, all) | Self::Piece(_, number, all) => {
                write!(f, "{number} of {all}")
            }
            Self::Sex(sex) => f.write_str(sex.name()),
            Self::Flag(flag) => f.write_str(if *flag { "yes" } else { "no" }),
            Self::Roll(roll) => {
                let (width, length, core) = (roll.width, roll.length, roll.core);
                write!(f, "{width} mm wide, {length} m long, core {core} mm")?;
                if let Some(face_in) = roll.face_in {
                    write!(f, ", face {}", if face_in { "in" } else { "out" })?;
                }
                match roll.splices {
                    Some(1) => write!(f, ", 1 splice"),
                    Some(splices) => write!(f, ", {splices} splices"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl Sex {
    /// Returns its name in ISO/IEC 5218.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotKnown => "not known",
            Self::Male => "male",
            Self::Female => "female",
            Self::NotApplicable => "not applicable",
        }
    }
}

impl Meaning<'_> {
    /// Returns the machine-readable name of the variant, such as `date`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Date(_) => "date",
            Self::DateTime(_) => "date-time",
            Self::Period(..) => "period",
            Self::Measure(..) => "measure",
            Self::Amount(..) => "amount",
            Self::Percentage(_) => "percentage",
            Self::Count(_) => "count",
            Self::Countries(_) => "countries",
            Self::InCountry(..) => "in-country",
            Self::Coordinates(..) => "coordinates",
            Self::Position(..) => "position",
            Self::Piece(..) => "piece",
            Self::Sex(_) => "sex",
            Self::Flag(_) => "flag",
            Self::Roll(_) => "roll",
        }
    }
}
