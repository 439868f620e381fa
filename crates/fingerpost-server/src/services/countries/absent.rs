//! Replacement of the database in builds without the feature `country`: an error that explains how
//! to get it.

use std::net::IpAddr;

use fingerpost_insight::CountryCode;
use fingerpost_public::{Config, CountrySource, FindCountry};

use crate::failure::Failure;
use crate::services::{Next, Service, Stop};

/// The database; cannot exist in this build.
#[derive(Clone, Debug)]
pub(crate) enum Countries {}

impl Countries {
    /// Refuses a configured database, because records rely on it.
    pub(crate) fn open(config: &Config) -> Result<Option<Self>, Failure> {
        match config.country() {
            Some(CountrySource::Database(_)) => Err(Failure::advise(
                "country.database: this build reads no databases of countries",
                "build with `cargo build --release --features country`, or use country.header",
            )),
            Some(CountrySource::Header(_)) | None => Ok(None),
        }
    }
}

impl FindCountry for Countries {
    fn country_of(&self, _: IpAddr) -> Option<CountryCode> {
        match *self {}
    }
}

impl Service for Countries {
    fn name(&self) -> &'static str {
        match *self {}
    }

    fn run(&self, _: &Stop) -> Result<Next, Failure> {
        match *self {}
    }
}
