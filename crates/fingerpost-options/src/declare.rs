//! Declarations of options: names, documentation and defaults.

use serde::de::DeserializeOwned;

/// A type that declares the options of one part with [`options!`](crate::options).
pub trait DeclaredOptions: DeserializeOwned + Default {
    /// The documentation of the section, line by line.
    const ABOUT: &'static [&'static str];
    /// The options in order of declaration.
    const KEYS: &'static [Key];
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Name in the document, within its table.
    pub name: &'static str,
    /// Documentation, line by line.
    pub doc: &'static [&'static str],
    /// The Rust type.
    pub kind: &'static str,
    /// The default as TOML; empty if there is none.
    pub default: &'static str,
    /// A value to show where there is no default, as TOML.
    pub example: &'static str,
}

impl Key {
    /// Returns whether the value names a file. In a configuration file, its path is relative to
    /// that file, unless it is an address with `://`.
    pub fn is_path(&self) -> bool {
        self.kind.contains("PathBuf")
    }
}

/// A type that can be converted from the literal of its default.
pub trait FromLiteral<L> {
    /// Converts the literal. Panics if that is not possible: declarations are fixed, and a test
    /// reads each of them.
    fn from_literal(literal: L) -> Self;
}

impl FromLiteral<bool> for bool {
    fn from_literal(literal: bool) -> Self {
        literal
    }
}

impl FromLiteral<&str> for String {
    fn from_literal(literal: &str) -> Self {
        literal.to_owned()
    }
}

impl FromLiteral<&str> for std::path::PathBuf {
    fn from_literal(literal: &str) -> Self {
        literal.into()
    }
}

impl<L, T: FromLiteral<L>> FromLiteral<L> for Option<T> {
    fn from_literal(literal: L) -> Self {
        Some(T::from_literal(literal))
    }
}

/// Declares a struct of options: their types, documentation, defaults, and values to show as
/// examples.
///
/// `key: Type = default;` has a default; `key: Type;` is absent or empty by default; `key: Type,
/// example "TOML";` documents an example value. Defaults are literals that are also TOML.
#[macro_export]
macro_rules! options {
    (@default) => { ::std::default::Default::default() };
    (@default $default:tt) => { $crate::FromLiteral::from_literal($default) };
    (
        $(#[doc = $about:expr])*
        $vis:vis struct $Name:ident {
            $(
                $(#[doc = $doc:expr])*
                $key:ident: $Type:ty $(= $default:tt)? $(, example $example:expr)?;
            )*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq, Eq, ::serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        $vis struct $Name {
            $($(#[doc = $doc])* pub $key: $Type,)*
        }

        impl ::std::default::Default for $Name {
            fn default() -> Self {
                Self { $($key: $crate::options!(@default $($default)?),)* }
            }
        }

        impl $crate::DeclaredOptions for $Name {
            const ABOUT: &'static [&'static str] = &[$($about),*];
            const KEYS: &'static [$crate::Key] = &[$($crate::Key {
                name: stringify!($key),
                doc: &[$($doc),*],
                kind: stringify!($Type),
                default: concat!("" $(, stringify!($default))?),
                example: concat!("" $(, $example)?),
            },)*];
        }
    };
}
