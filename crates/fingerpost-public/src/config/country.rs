//! Where the country of clients comes from.

use std::path::PathBuf;

use fingerpost_http::Network;
use fingerpost_options::ConfigError;
use fingerpost_resolver::CountryOrigin;
use http::HeaderName;

use super::options::CountryOptions;

/// Where the country of clients comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountrySource {
    /// A file in MMDB format with the countries of addresses.
    Database(PathBuf),
    /// A header that a trusted proxy writes.
    Header(HeaderName),
}

/// Headers that have another meaning, so that a country in them would be a mistake.
const OTHERS: [HeaderName; 4] = [
    http::header::ACCEPT,
    http::header::ACCEPT_LANGUAGE,
    http::header::AUTHORIZATION,
    http::header::COOKIE,
];

impl CountrySource {
    pub(super) fn new(
        options: CountryOptions,
        trusted: &[Network],
    ) -> Result<Option<Self>, ConfigError> {
        match (options.database, options.header) {
            (Some(_), Some(_)) => {
                let expected = "expected either country.database or country.header, found both";
                Err(ConfigError::value("country.header", expected))
            }
            (Some(path), None) => Ok(Some(Self::Database(path))),
            (None, Some(name)) => {
                let header = HeaderName::try_from(&name).ok();
                let header = header.filter(|name| !OTHERS.contains(name)).ok_or_else(|| {
                    let expected = format!(
                        "expected a header with a country, such as CF-IPCountry, found {name:?}"
                    );
                    ConfigError::value("country.header", expected)
                })?;
                if trusted.is_empty() {
                    let expected =
                        "expected trusted_proxies with it: the header is believed from these only";
                    return Err(ConfigError::value("country.header", expected));
                }
                Ok(Some(Self::Header(header)))
            }
            (None, None) if options.count_scans => {
                let expected = "expected country.database or country.header with it";
                Err(ConfigError::value("country.count_scans", expected))
            }
            (None, None) => Ok(None),
        }
    }

    pub(super) fn origin(&self) -> CountryOrigin {
        match self {
            Self::Database(_) => CountryOrigin::Address,
            Self::Header(name) => CountryOrigin::Header(name.as_str().to_owned()),
        }
    }
}
