//! Values as text in formats of serde: written by `Display`, read and checked by `FromStr`.

use alloc::string::String;

use serde_core::de::Error as _;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{ClassicEpc, Epc, EpcUrn, Hostname, IdentityPattern, PureIdentity, Scheme, TagPattern};

macro_rules! as_text {
    ($($type:ty => $owned:ty),* $(,)?) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $owned {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )*};
}

as_text! {
    ClassicEpc => ClassicEpc,
    Epc => Epc,
    EpcUrn => EpcUrn,
    Hostname => Hostname,
    IdentityPattern => IdentityPattern,
    PureIdentity => PureIdentity,
    Scheme => Scheme,
    TagPattern => TagPattern,
}
