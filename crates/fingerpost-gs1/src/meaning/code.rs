//! Countries and currencies by their codes.

use core::fmt;

use table::{COUNTRIES, CURRENCIES};

mod table;

macro_rules! code {
    ($(#[$doc:meta])* $name:ident, $alphabetic:ident: $what:literal, $table:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(&'static (u16, &'static str));

        impl $name {
            /// Returns the numeric code.
            #[must_use]
            pub fn numeric(self) -> u16 {
                self.0.0
            }

            #[doc = $what]
            #[must_use]
            pub fn $alphabetic(self) -> &'static str {
                self.0.1
            }

            /// Returns the one with this numeric code of three digits.
            pub(super) fn of_digits(digits: impl AsRef<[u8]>) -> Option<Self> {
                let number = core::str::from_utf8(digits.as_ref()).ok()?.parse().ok()?;
                let found = $table.binary_search_by_key(&number, |(numeric, _)| *numeric);
                found.ok().map(|place| Self(&$table[place]))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.$alphabetic())
            }
        }
    };
}

code! {
    /// A country or territory of ISO 3166-1.
    Country, alpha2: "Returns the code of two letters, such as `FR`.", COUNTRIES
}

code! {
    /// A currency of ISO 4217.
    Currency, alpha3: "Returns the code of three letters, such as `EUR`.", CURRENCIES
}

impl Currency {
    pub(crate) fn of_alpha3(code: &str) -> Option<Self> {
        CURRENCIES.iter().find(|(_, alpha3)| *alpha3 == code).map(Self)
    }
}

impl Country {
    pub(super) fn of_alpha2(code: &str) -> Option<Self> {
        COUNTRIES.iter().find(|(_, alpha2)| *alpha2 == code).map(Self)
    }

    /// Returns the country with this numeric code, and `Some(None)` for 999, several countries.
    pub(super) fn or_several(digits: &str) -> Option<Option<Self>> {
        if digits == "999" { Some(None) } else { Self::of_digits(digits).map(Some) }
    }
}

#[cfg(test)]
mod tests {
    use super::{COUNTRIES, CURRENCIES, Country, Currency};
    use crate::linters::Linter;

    /// The tables have the codes that the linters accept, and no others.
    #[test]
    fn tables_have_the_listed_codes() {
        for number in 0..1000_u16 {
            let digits = alloc::format!("{number:03}");
            let is_country = Linter::Iso3166.check(digits.as_bytes()).is_ok();
            assert_eq!(Country::of_digits(&digits).is_some(), is_country, "{digits}");
            let is_currency = Linter::Iso4217.check(digits.as_bytes()).is_ok();
            assert_eq!(Currency::of_digits(&digits).is_some(), is_currency, "{digits}");
        }
        for (_, code) in COUNTRIES {
            assert!(Linter::Iso3166Alpha2.check(code.as_bytes()).is_ok(), "{code}");
        }
        assert_eq!((COUNTRIES.len(), CURRENCIES.len()), (249, 179));
    }
}
