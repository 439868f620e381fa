//! Notations of amounts and lists: `"64 MiB"` or bytes, `"10s"`, one word or several. Bounds are
//! part of the type, so that the error of a value out of bounds has its position.

use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;
use std::time::Duration;

use jiff::SignedDuration;
use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use crate::FromLiteral;

/// A positive number of things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(u32);

impl Count {
    /// Returns the number.
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            0 => Err(D::Error::custom("expected at least 1, found 0")),
            number => Ok(Self(number)),
        }
    }
}

impl FromLiteral<u32> for Count {
    fn from_literal(literal: u32) -> Self {
        Self(literal)
    }
}

/// An amount of memory, from `LEAST` to `MOST` bytes: a number of bytes, or text such as `"64
/// MiB"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteSize<const LEAST: usize = 0, const MOST: usize = { usize::MAX }>(usize);

impl<const LEAST: usize, const MOST: usize> ByteSize<LEAST, MOST> {
    /// Returns the number of bytes.
    pub const fn get(self) -> usize {
        self.0
    }

    fn new(bytes: usize) -> Result<Self, String> {
        if (LEAST..=MOST).contains(&bytes) {
            return Ok(Self(bytes));
        }
        Err(format!("expected {} to {}, found {}", Bytes(LEAST), Bytes(MOST), Bytes(bytes)))
    }
}

/// Binary units, because memory and pages are counted in them.
const UNITS: [(&str, u32); 5] = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40), ("B", 0)];

/// A number of bytes, as formatted for people.
struct Bytes(usize);

impl Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = |&&(_, shift): &&(&str, u32)| self.0 > 0 && self.0.is_multiple_of(1 << shift);
        match UNITS[..4].iter().rev().find(fits) {
            Some((unit, shift)) => write!(f, "{} {unit}", self.0 >> shift),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

impl<const LEAST: usize, const MOST: usize> FromStr for ByteSize<LEAST, MOST> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("expected {SIZE}, found {text:?}");
        let unit = UNITS.iter().find_map(|(name, shift)| Some((text.strip_suffix(name)?, *shift)));
        let (number, shift) = unit.unwrap_or((text, 0));
        let number: usize = number.trim_end().parse().map_err(|_| expected())?;
        Self::new(number.checked_mul(1 << shift).ok_or_else(expected)?)
    }
}

const SIZE: &str = "a number of bytes or an amount such as \"64 MiB\"";

impl<'de, const LEAST: usize, const MOST: usize> Deserialize<'de> for ByteSize<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SizeVisitor<const LEAST: usize, const MOST: usize>;
        impl<const LEAST: usize, const MOST: usize> Visitor<'_> for SizeVisitor<LEAST, MOST> {
            type Value = ByteSize<LEAST, MOST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(SIZE)
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
                let invalid = |_| E::invalid_value(Unexpected::Signed(value), &self);
                ByteSize::new(usize::try_from(value).map_err(invalid)?).map_err(E::custom)
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
                value.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(SizeVisitor)
    }
}

impl<const LEAST: usize, const MOST: usize> FromLiteral<&str> for ByteSize<LEAST, MOST> {
    fn from_literal(literal: &str) -> Self {
        literal.parse().expect("a default is within its bounds")
    }
}

impl<const LEAST: usize, const MOST: usize> FromLiteral<usize> for ByteSize<LEAST, MOST> {
    fn from_literal(literal: usize) -> Self {
        Self::new(literal).expect("a default is within its bounds")
    }
}

/// A duration as text, at least `LEAST` milliseconds: `"10s"`, `"500ms"`, `"1m 30s"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period<const LEAST: u64 = 0>(Duration);

impl<const LEAST: u64> Period<LEAST> {
    /// Returns the duration.
    pub const fn get(self) -> Duration {
        self.0
    }
}

impl<const LEAST: u64> FromStr for Period<LEAST> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let signed = text.parse::<SignedDuration>().ok();
        match signed.and_then(|signed| Duration::try_from(signed).ok()) {
            None => Err(format!("expected a length of time such as \"10s\", found {text:?}")),
            Some(period) if period < Duration::from_millis(LEAST) => {
                Err(format!("must be longer than zero, found {text:?}"))
            }
            Some(period) => Ok(Self(period)),
        }
    }
}

impl<'de, const LEAST: u64> Deserialize<'de> for Period<LEAST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PeriodVisitor<const LEAST: u64>;
        impl<const LEAST: u64> Visitor<'_> for PeriodVisitor<LEAST> {
            type Value = Period<LEAST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a length of time such as \"10s\"")
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
                value.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(PeriodVisitor)
    }
}

impl<const LEAST: u64> FromLiteral<&str> for Period<LEAST> {
    fn from_literal(literal: &str) -> Self {
        literal.parse().expect("a default is a length of time")
    }
}

/// One or more items: an array of texts, or one text separated by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Items<T>(Vec<T>);

impl<T> Items<T> {
    /// Returns an iterator over the items.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T> Default for Items<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> From<Vec<T>> for Items<T> {
    fn from(items: Vec<T>) -> Self {
        Self(items)
    }
}

impl<T> std::ops::Deref for Items<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: FromStr<Err: fmt::Debug>, const N: usize> FromLiteral<[&str; N]> for Items<T> {
    fn from_literal(literal: [&str; N]) -> Self {
        Self(literal.map(|item| item.parse().expect("a default can be read")).into())
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Items<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemsVisitor<T>(PhantomData<T>);
        impl<'de, T: FromStr<Err: Display>> Visitor<'de> for ItemsVisitor<T> {
            type Value = Items<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of texts, or one text with commas between the items")
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Items<T>, E> {
                let items = value.split(',').map(|item| parse_item(item.trim()));
                items.collect::<Result<_, E>>().map(Items)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Items<T>, A::Error> {
                let mut items = Vec::new();
                while let Some(Item(item)) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Items(items))
            }
        }
        deserializer.deserialize_any(ItemsVisitor(PhantomData))
    }
}

/// One item of an array, parsed in its own visit so that errors have the span of the item and not
/// of the array.
struct Item<T>(T);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Item<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemVisitor<T>(PhantomData<T>);
        impl<T: FromStr<Err: Display>> Visitor<'_> for ItemVisitor<T> {
            type Value = Item<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Item<T>, E> {
                parse_item(value).map(Item)
            }
        }
        deserializer.deserialize_str(ItemVisitor(PhantomData))
    }
}

fn parse_item<T: FromStr<Err: Display>, E: Error>(text: &str) -> Result<T, E> {
    text.parse().map_err(|error| E::custom(format_args!("{error}, found {text:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units_and_bounds() {
        let bytes = |text: &str| text.parse::<ByteSize>().map(ByteSize::get);
        assert_eq!(bytes("64 MiB"), Ok(64 << 20));
        assert_eq!(bytes("4096"), Ok(4096));
        assert_eq!(bytes("1TiB"), Ok(1 << 40));
        for wrong in ["", "MiB", "-1", "1.5 MiB", "64 MB", "99999999999 TiB"] {
            assert!(bytes(wrong).is_err(), "{wrong:?}");
        }
        let bounded = "1025".parse::<ByteSize<1, 1024>>().expect_err("too large");
        assert_eq!(bounded, "expected 1 bytes to 1 KiB, found 1025 bytes");
    }

    #[test]
    fn periods_may_exclude_no_time() {
        assert_eq!("1m 30s".parse::<Period>().map(|period| period.get().as_secs()), Ok(90));
        assert!("0s".parse::<Period>().is_ok());
        for wrong in ["0s", "-1s", "10", "soon"] {
            assert!(wrong.parse::<Period<1>>().is_err(), "{wrong:?}");
        }
    }
}
