//! What values mean: dates, measures, amounts, countries and the like, instead of digits.
//!
//! The content rules of the GS1 Barcode Syntax Dictionary say what most components are; for the
//! numbers in others see `data/meanings.json`. Two-digit years follow GS1 General Specifications,
//! section 7.12 ([`Date`]). A value without such content (a key, a lot, a text) has no [`Meaning`].

use crate::ai::{Ai, AiEntry};
use crate::element::Element;
use crate::limits::MAX_PARTS;
use crate::linters::Linter;
use crate::quantity::MeasureUnit;
use date::Written;

pub use code::{Country, Currency};
pub use date::{Date, DateTime};
pub use number::Decimal;

mod code;
mod date;
#[cfg(feature = "serde")]
mod json;
mod number;
mod text;
mod value;

/// What a value means.
///
/// [`Display`](core::fmt::Display) writes it for people, in English: `2026-02-28`, `1.250 kg`. With
/// the feature `serde`, it is an object whose member `type` has the name of the variant.
///
/// ```
/// use fingerpost_gs1::{Ai, Date, Meaning};
///
/// let today = Date::new(2026, 11, 27).ok_or("a date")?;
/// let expiry = Ai::new("17").and_then(|ai| ai.meaning("270228", today));
/// assert_eq!(expiry, Date::new(2027, 2, 28).map(Meaning::Date));
/// for (ai, value, meaning) in [
///     ("3103", "001250", "1.250 kg"),
///     ("3932", "9781999", "19.99 EUR"),
///     ("422", "250", "FR"),
/// ] {
///     let found = Ai::new(ai).and_then(|ai| ai.meaning(value, today)).ok_or("a meaning")?;
///     assert_eq!(found.to_string(), meaning);
/// }
/// assert_eq!(Ai::LOT.meaning("ABC", today), None);
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Meaning<'a> {
    /// A day, or the last day of a month.
    Date(Date),
    /// A day and a time.
    DateTime(DateTime),
    /// From the first day to the second.
    Period(Date, Date),
    /// A length, weight, volume, temperature and so on.
    Measure(Decimal, &'static MeasureUnit),
    /// Money; without a currency, in the local one.
    Amount(Decimal, Option<Currency>),
    /// A percentage.
    Percentage(Decimal),
    /// A number of things.
    Count(u32),
    /// Countries, in the order of the value.
    Countries(Countries<'a>),
    /// A text and the country to which it belongs: a postal code, the approval number of a
    /// processor. Without text, the country of an address. No country is 999 in the value: several
    /// countries.
    InCountry(Option<Country>, &'a str),
    /// Latitude and longitude in degrees, positive to the north and to the east.
    Coordinates(Decimal, Decimal),
    /// A position in a sequence, and its end.
    Position(u8, u8),
    /// One of several pieces that make up a trade item: its GTIN, the number of the piece, and the
    /// number of all pieces.
    Piece(&'a str, u8, u8),
    /// Biological sex.
    Sex(Sex),
    /// Yes or no.
    Flag(bool),
    /// The dimensions of a roll.
    Roll(Roll),
}

/// Countries in a value, each with three digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Countries<'a>(&'a str);

impl Countries<'_> {
    /// Returns the countries in their order.
    ///
    /// ```
    /// use fingerpost_gs1::{Ai, Date, Meaning};
    ///
    /// let today = Date::new(2026, 11, 27).ok_or("a date")?;
    /// let found = Ai::new("423").and_then(|ai| ai.meaning("250276", today));
    /// let Some(Meaning::Countries(countries)) = found else { return Err("countries") };
    /// assert!(countries.iter().map(|country| country.alpha2()).eq(["FR", "DE"]));
    /// # Ok::<(), &'static str>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = Country> {
        self.0.as_bytes().chunks(3).filter_map(Country::of_digits)
    }
}

/// Biological sex by ISO/IEC 5218.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sex {
    /// 0.
    NotKnown,
    /// 1.
    Male,
    /// 2.
    Female,
    /// 9.
    NotApplicable,
}

/// The dimensions of a roll (8001), such as of carpet or film.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roll {
    /// The width in millimetres.
    pub width: u16,
    /// The length in metres.
    pub length: u32,
    /// The inner diameter of the core in millimetres.
    pub core: u16,
    /// Whether its face is wound to the inside; `None` if that is not defined.
    pub face_in: Option<bool>,
    /// The number of splices; `None` if that is not known.
    pub splices: Option<u8>,
}

impl Ai {
    /// Returns what a value of this Application Identifier means. `today` decides the century of
    /// years with two digits.
    ///
    /// `None` if the value is not valid, or means nothing beyond its characters.
    #[must_use]
    pub fn meaning(self, value: &str, today: Date) -> Option<Meaning<'_>> {
        self.check_value(value.as_bytes()).ok()?;
        of(self, self.entry()?, value, today)
    }
}

impl Element<'_> {
    /// Returns what the value means; `None` if it means nothing beyond its characters. `today`
    /// decides the century of years with two digits: nothing is read from a clock.
    ///
    /// ```
    /// use fingerpost_gs1::{Date, ElementString};
    ///
    /// let today = Date::new(2026, 11, 27).ok_or("a date")?;
    /// let item = ElementString::parse_bracketed("(01)09520123456788(17)270200")?;
    /// let expiry = item.elements()[1].meaning(today).ok_or("a date")?;
    /// assert_eq!(expiry.to_string(), "2027-02-28 (last day of the month)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn meaning(&self, today: Date) -> Option<Meaning<'_>> {
        of(self.ai(), self.entry(), self.value(), today)
    }
}

/// Returns what a valid value means.
fn of<'a>(ai: Ai, entry: &AiEntry, value: &'a str, today: Date) -> Option<Meaning<'a>> {
    let (parts, count) = parts(entry, value)?;
    if let Some(number) = entry.number {
        return number.meaning(ai, &parts[..count]);
    }
    Some(match parts[..count] {
        [(Linter::YesNo, flag)] => Meaning::Flag(flag == "1"),
        [(Linter::Iso5218, sex)] => Meaning::Sex(Sex::of_digit(sex)?),
        [(Linter::Iso3166Alpha2, code)] => Meaning::InCountry(Some(Country::of_alpha2(code)?), ""),
        [(Linter::Iso3166 | Linter::Iso3166Or999, country), (Linter::Cset82, text)] => {
            Meaning::InCountry(Country::or_several(country)?, text)
        }
        [(Linter::Iso3166, _), ..] => Meaning::Countries(Countries::of(value)?),
        [(Linter::Latitude, latitude), (_, longitude)] => Meaning::Coordinates(
            Decimal::new(latitude.parse::<i64>().ok()? - 900_000_000, 7),
            Decimal::new(eastward(longitude.parse().ok()?), 7),
        ),
        [(Linter::PositionInSequence, text)] => {
            let (position, end) = text.split_once('/')?;
            Meaning::Position(position.parse().ok()?, end.parse().ok()?)
        }
        [(_, gtin), (Linter::PieceOfTotal, pieces)] => {
            let (piece, total) = pieces.split_at_checked(2)?;
            Meaning::Piece(gtin, piece.parse().ok()?, total.parse().ok()?)
        }
        [(_, width), (_, length), (_, core), (Linter::Winding, winding), (_, splices)] => {
            Meaning::Roll(Roll {
                width: width.parse().ok()?,
                length: length.parse().ok()?,
                core: core.parse().ok()?,
                face_in: (winding != "9").then_some(winding == "1"),
                splices: splices.parse().ok().filter(|splices| *splices != 9),
            })
        }
        [(first, day), ref rest @ ..] => {
            let date = Written::of(first)?.read(day, today)?;
            match *rest {
                [] => Meaning::Date(date),
                [(second, until)] if second == first => {
                    Meaning::Period(date, Written::of(second)?.read(until, today)?)
                }
                _ => Meaning::DateTime(DateTime::of_digits(date, &value[day.len()..])?),
            }
        }
        [] => return None,
    })
}

/// A component of a value: its content rule, or the one of its character set, and its text.
type Part<'a> = (Linter, &'a str);

/// Returns the components of a value, and their number.
fn parts<'a>(entry: &AiEntry, value: &'a str) -> Option<([Part<'a>; MAX_PARTS], usize)> {
    let (mut parts, mut count, mut rest) = ([(Linter::Cset82, ""); MAX_PARTS], 0, value);
    for component in entry.components {
        let end = component.max_length().min(rest.len());
        let (part, after) = rest.split_at_checked(end)?;
        if part.is_empty() {
            break;
        }
        let linter = component.linters.first().copied().unwrap_or(Linter::Cset82);
        *parts.get_mut(count)? = (linter, part);
        (count, rest) = (count + 1, after);
    }
    Some((parts, count))
}

/// Returns the degrees to the east in 10⁻⁷ degrees, from 0 to 360 in the value.
fn eastward(degrees: i64) -> i64 {
    match degrees {
        FULL_CIRCLE => 0,
        HALF_CIRCLE.. => degrees - FULL_CIRCLE,
        _ => degrees,
    }
}

/// 360 degrees.
const FULL_CIRCLE: i64 = 3_600_000_000;

/// The first longitude to the west of Greenwich.
const HALF_CIRCLE: i64 = FULL_CIRCLE / 2 + 1;

impl<'a> Countries<'a> {
    fn of(value: &'a str) -> Option<Self> {
        let countries = Self(value);
        (countries.iter().count() * 3 == value.len()).then_some(countries)
    }
}

impl Sex {
    const CODES: [(Sex, &'static str); 4] =
        [(Sex::NotKnown, "0"), (Sex::Male, "1"), (Sex::Female, "2"), (Sex::NotApplicable, "9")];

    fn of_digit(digit: &str) -> Option<Self> {
        Self::CODES.into_iter().find(|(_, code)| *code == digit).map(|(sex, _)| sex)
    }
}
