//! Meanings as objects of serde. Decimals are text, so that none of their digits is lost.

use core::fmt;

use serde_core::ser::{SerializeMap, SerializeSeq};
use serde_core::{Serialize, Serializer};

use super::{Countries, Meaning};

/// A value that is written as its text.
struct Text<T>(T);

impl<T: fmt::Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl Serialize for Countries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        self.iter().try_for_each(|country| list.serialize_element(country.alpha2()))?;
        list.end()
    }
}

impl Serialize for Meaning<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.name())?;
        match self {
            Self::Date(date) => {
                map.serialize_entry("date", &Text(date))?;
                map.serialize_entry("states_day", &date.states_day())?;
            }
            Self::DateTime(time) => map.serialize_entry("time", &Text(time))?,
            Self::Period(from, to) => {
                map.serialize_entry("from", &Text(from))?;
                map.serialize_entry("to", &Text(to))?;
            }
            Self::Measure(number, unit) => {
                map.serialize_entry("number", &Text(number))?;
                map.serialize_entry("unit", unit.symbol())?;
                unit.code().map_or(Ok(()), |code| map.serialize_entry("unit_code", code))?;
            }
            Self::Amount(number, currency) => {
                map.serialize_entry("number", &Text(number))?;
                map.serialize_entry("currency", &currency.map(Text))?;
            }
            Self::Percentage(number) => map.serialize_entry("number", &Text(number))?,
            Self::Count(count) => map.serialize_entry("count", count)?,
            Self::Countries(countries) => map.serialize_entry("countries", countries)?,
            Self::InCountry(country, text) => {
                map.serialize_entry("country", &country.map(Text))?;
                if !text.is_empty() {
                    map.serialize_entry("text", text)?;
                }
            }
            Self::Coordinates(latitude, longitude) => {
                map.serialize_entry("latitude", &Text(latitude))?;
                map.serialize_entry("longitude", &Text(longitude))?;
            }
            Self::Position(position, end) => {
                map.serialize_entry("position", position)?;
                map.serialize_entry("end", end)?;
            }
            Self::Piece(gtin, piece, total) => {
                map.serialize_entry("gtin", gtin)?;
                map.serialize_entry("piece", piece)?;
                map.serialize_entry("total", total)?;
            }
            Self::Sex(sex) => map.serialize_entry("sex", sex.name())?,
            Self::Flag(flag) => map.serialize_entry("flag", flag)?,
            Self::Roll(roll) => {
                map.serialize_entry("width_mm", &roll.width)?;
                map.serialize_entry("length_m", &roll.length)?;
                map.serialize_entry("core_mm", &roll.core)?;
                map.serialize_entry("face_in", &roll.face_in)?;
                map.serialize_entry("splices", &roll.splices)?;
            }
        }
        map.end()
    }
}
