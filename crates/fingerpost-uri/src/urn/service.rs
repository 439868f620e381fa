//! Resolution services (URN draft of 2012, sections 2.3.1 and 9.2.2; RFC 2483).

use super::Urn;

macro_rules! services {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal;)*) => {
        /// A resolution service, as named by the directive `s=`. All values are provisional in the draft.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Service {
            $($(#[doc = $doc])* $name,)*
        }

        impl Service {
            /// All services.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the word in the registry.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }
        }
    };
}

services! {
    /// A URI to one URL.
    I2L = "I2L";
    /// A URI to all URLs.
    I2Ls = "I2Ls";
    /// A URI to one resource.
    I2R = "I2R";
    /// A URI to all resources.
    I2Rs = "I2Rs";
    /// A URI to one description.
    I2C = "I2C";
    /// A URI to all descriptions.
    I2Cs = "I2Cs";
    /// A URI to one URN.
    I2N = "I2N";
    /// A URI to all URNs.
    I2Ns = "I2Ns";
    /// Whether two URIs name the same thing.
    IsI = "I=I";
}

impl Service {
    /// Returns the service with this word; words are compared case-sensitively.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|service| service.as_str() == word)
    }

    /// Returns the service that a reference requests: that of its `s=`, if it occurs once, is known
    /// and is among `supported`; otherwise `default`, without an error.
    ///
    /// ```
    /// use fingerpost_uri::urn::{Mode, Service, Urn};
    ///
    /// let urn = Urn::parse("urn:foo:a?zz=1&s=I2C", Mode::Draft)?;
    /// assert_eq!(Service::select(urn, Service::I2L, &[Service::I2L, Service::I2C]), Service::I2C);
    /// assert_eq!(Service::select(urn, Service::I2L, &[Service::I2L]), Service::I2L);
    /// # Ok::<(), fingerpost_uri::urn::UrnError>(())
    /// ```
    pub fn select(urn: Urn<'_>, default: Self, supported: &[Self]) -> Self {
        let asked = urn.directives().effective("s").and_then(Self::from_word);
        asked.filter(|service| supported.contains(service)).unwrap_or(default)
    }
}
