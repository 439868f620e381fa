//! Errors of settings.

use std::fmt;

use fingerpost_gs1::gtin::WeightCodes;
use fingerpost_uri::hide_password;

use super::PatternFault;
use crate::{NamespaceError, RoleError, RootError};

/// An error for a setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    setting: &'static str,
    fault: SettingsFault,
}

impl SettingsError {
    /// Returns the name of the setting, as in the configuration file.
    pub fn setting(&self) -> &'static str {
        self.setting
    }

    /// Returns the fault.
    pub fn fault(&self) -> &SettingsFault {
        &self.fault
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.setting, self.fault)
    }
}

impl std::error::Error for SettingsError {}

/// The fault of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingsFault {
    /// Not a resolver root.
    Root(RootError),
    /// Not the Application Identifier of a primary key.
    PrimaryKey(String),
    /// No primary key is left.
    NoPrimaryKey,
    /// A namespace or prefix that cannot be used.
    Namespace(NamespaceError),
    /// Roles that cannot be declared.
    Role(RoleError),
    /// The pattern at this position cannot be used.
    Pattern(usize, PatternFault),
    /// A value other than `"linkset"`.
    DefaultLinkType(String),
    /// Not an absolute http or https address.
    Address(String),
    /// Not a usable path for an own context file.
    ContextPath(String),
    /// A country whose weight codes are not known.
    WeightCodes(String),
    /// A telephone number with characters other than digits, `+`, `-`, `.`, brackets and spaces.
    Telephone(String),
    /// An empty text.
    Empty,
}

impl fmt::Display for SettingsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(error) => error.fmt(f),
            Self::PrimaryKey(found) => write!(
                f,
                "expected \"all\" alone or Application Identifiers of primary keys, found {found:?}"
            ),
            Self::NoPrimaryKey => f.write_str("expected at least one primary key"),
            Self::Namespace(error) => error.fmt(f),
            Self::Role(error) => error.fmt(f),
            Self::Pattern(at, fault) => write!(f, "entry {}: {fault}", at + 1),
            Self::DefaultLinkType(found) => write!(f, "expected \"linkset\", found {found:?}"),
            Self::Address(found) => {
                let found = hide_password(found);
                write!(f, "expected an absolute http or https address, found {found:?}")
            }
            Self::ContextPath(found) => {
                write!(f, "expected a path such as \"/linkset-context.jsonld\", found {found:?}")
            }
            Self::WeightCodes(found) => {
                let known: Vec<_> = WeightCodes::countries().collect();
                write!(f, "expected one of {}, found {found:?}", known.join(", "))
            }
            Self::Telephone(found) => write!(f, "expected a telephone number, found {found:?}"),
            Self::Empty => f.write_str("expected some text, found none"),
        }
    }
}

/// Returns the error of a setting.
pub(super) fn refuse(setting: &'static str, fault: SettingsFault) -> SettingsError {
    SettingsError { setting, fault }
}
