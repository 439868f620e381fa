//! How amounts and lists are written: `"64 MiB"` or bytes, `"10s"`, one word or several.

use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;
use std::time::Duration;

use jiff::SignedDuration;
use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

/// An amount of memory: a number of bytes, or text such as `"64 MiB"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(usize);

impl Size {
    /// Number of bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.0
    }
}

/// Binary units, because memory and pages are counted in them.
const UNITS: [(&str, u32); 5] = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40), ("B", 0)];

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected a number of bytes or an amount such as \"64 MiB\"";
        let unit = UNITS.iter().find_map(|(name, shift)| Some((text.strip_suffix(name)?, *shift)));
        let (number, shift) = unit.unwrap_or((text, 0));
        let number: usize = number.trim_end().parse().map_err(|_| EXPECTED)?;
        number.checked_mul(1 << shift).map(Self).ok_or(EXPECTED)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SizeVisitor;
        impl Visitor<'_> for SizeVisitor {
            type Value = Size;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of bytes or an amount such as \"64 MiB\"")
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Size, E> {
                let invalid = |_| E::invalid_value(Unexpected::Signed(value), &self);
                usize::try_from(value).map(Size).map_err(invalid)
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Size, E> {
                value.parse().map_err(|_| E::invalid_value(Unexpected::Str(value), &self))
            }
        }
        deserializer.deserialize_any(SizeVisitor)
    }
}

/// A length of time as text: `"10s"`, `"500ms"`, `"1m 30s"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period(Duration);

impl Period {
    /// The same as the standard library has it.
    #[must_use]
    pub const fn duration(self) -> Duration {
        self.0
    }
}

impl<'de> Deserialize<'de> for Period {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PeriodVisitor;
        impl Visitor<'_> for PeriodVisitor {
            type Value = Period;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a length of time such as \"10s\"")
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Period, E> {
                let signed = value.parse::<SignedDuration>().ok();
                let duration = signed.and_then(|signed| Duration::try_from(signed).ok());
                duration.map(Period).ok_or_else(|| E::invalid_value(Unexpected::Str(value), &self))
            }
        }
        deserializer.deserialize_str(PeriodVisitor)
    }
}

/// One or more items: an array of texts, or one text with commas between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Items<T>(Vec<T>);

impl<T> Items<T> {
    /// The items one by one.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T> From<Vec<T>> for Items<T> {
    fn from(items: Vec<T>) -> Self {
        Self(items)
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

/// One item of an array. Parsed within its own visit, so that errors point at it and not at the array.
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
    fn sizes_have_binary_units() {
        assert_eq!("64 MiB".parse(), Ok(Size(64 << 20)));
        assert_eq!("4096".parse(), Ok(Size(4096)));
        assert_eq!("1TiB".parse(), Ok(Size(1 << 40)));
        for wrong in ["", "MiB", "-1", "1.5 MiB", "64 MB", "99999999999 TiB"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong:?}");
        }
    }
}
