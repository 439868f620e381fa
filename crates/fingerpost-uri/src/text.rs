//! The traits of every type that is a checked text.

/// Implements equality, order, hash, display and conversions by the text of a type, which its
/// `as_str` returns. They agree with those of `str`, so the type can be looked up by `str` in maps
/// and sets.
macro_rules! is_its_text {
    ($([$($life:lifetime)?] $type:ty),* $(,)?) => {$(
        impl$(<$life>)? PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.as_str() == other.as_str()
            }
        }

        impl$(<$life>)? Eq for $type {}

        impl$(<$life>)? PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl$(<$life>)? Ord for $type {
            fn cmp(&self, other: &Self) -> core::cmp::Ordering {
                self.as_str().cmp(other.as_str())
            }
        }

        impl$(<$life>)? core::hash::Hash for $type {
            fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
                self.as_str().hash(state);
            }
        }

        impl$(<$life>)? PartialEq<str> for $type {
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl$(<$life>)? PartialEq<&str> for $type {
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }

        impl$(<$life>)? core::borrow::Borrow<str> for $type {
            fn borrow(&self) -> &str {
                self.as_str()
            }
        }

        impl$(<$life>)? core::fmt::Debug for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Debug::fmt(self.as_str(), f)
            }
        }

        crate::text::shows_its_text!([$($life)?] $type);
    )*};
}

/// Implements display and the view as `str`.
macro_rules! shows_its_text {
    ($([$($life:lifetime)?] $type:ty),* $(,)?) => {$(
        impl$(<$life>)? core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl$(<$life>)? AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        #[cfg(feature = "serde")]
        impl$(<$life>)? serde_core::Serialize for $type {
            fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    )*};
}

/// Implements parsing for a type that owns its text and has `fn parse(text: String)`.
macro_rules! owns_its_text {
    ($($type:ty, $error:ty;)*) => {$(
        impl core::str::FromStr for $type {
            type Err = $error;

            fn from_str(text: &str) -> Result<Self, $error> {
                Self::parse(alloc::string::String::from(text))
            }
        }

        impl TryFrom<&str> for $type {
            type Error = $error;

            fn try_from(text: &str) -> Result<Self, $error> {
                text.parse()
            }
        }

        impl TryFrom<alloc::string::String> for $type {
            type Error = $error;

            fn try_from(text: alloc::string::String) -> Result<Self, $error> {
                Self::parse(text)
            }
        }

        impl From<$type> for alloc::string::String {
            fn from(own: $type) -> Self {
                own.into_string()
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde_core::Deserialize<'de> for $type {
            fn deserialize<D: serde_core::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <alloc::string::String as serde_core::Deserialize>::deserialize(deserializer)?;
                Self::parse(text).map_err(serde_core::de::Error::custom)
            }
        }
    )*};
}

/// Implements parsing for a type that borrows its text; with serde it can be read from formats that
/// keep the text as it is.
macro_rules! borrows_its_text {
    ($($type:ident, $error:ty, $parse:expr;)*) => {$(
        impl<'a> TryFrom<&'a str> for $type<'a> {
            type Error = $error;

            fn try_from(text: &'a str) -> Result<Self, $error> {
                $parse(text)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de: 'a, 'a> serde_core::Deserialize<'de> for $type<'a> {
            fn deserialize<D: serde_core::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <&'de str as serde_core::Deserialize>::deserialize(deserializer)?;
                $parse(text).map_err(serde_core::de::Error::custom)
            }
        }
    )*};
}

/// Repeats methods of a borrowed form for the owned one.
macro_rules! works_like {
    ($owned:ident, $view:ident, $as_view:ident: $($name:ident($($arg:ident: $arg_type:ty),*) -> $result:ty;)*) => {
        impl $owned {$(
            #[doc = concat!("Works like [`", stringify!($view), "::", stringify!($name), "`].")]
            pub fn $name(&self $(, $arg: $arg_type)*) -> $result {
                self.$as_view().$name($($arg),*)
            }
        )*}
    };
}

pub(crate) use {borrows_its_text, is_its_text, owns_its_text, shows_its_text, works_like};
