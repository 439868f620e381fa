//! The anchors of entries that the registry writes for the public side, and that are no records.

use super::{Anchor, AnchorForm, Repr};

const SUSPENDED: &str = "-suspended/";
const COUNTRY: &str = "-country/";
const BRAND: &str = "-brand/";
const LOGO: &str = "-logo/";

impl Anchor {
    /// Creates the anchor of the suspension of a key, or of a company prefix.
    pub fn suspension(of: &Self) -> Self {
        Self(Repr::Wide([SUSPENDED, of.key_level()].concat().into()))
    }

    /// Returns the beginning of the texts of all suspensions.
    pub const fn suspensions() -> &'static str {
        SUSPENDED
    }

    /// Creates the anchor of the country switch of a key, or of a company prefix.
    pub fn country_switch(of: &Self) -> Self {
        Self(Repr::Wide([COUNTRY, of.key_level()].concat().into()))
    }

    /// Returns the beginning of the texts of all country switches.
    pub const fn country_switches() -> &'static str {
        COUNTRY
    }

    /// Creates the anchor of the brand of a key, or of a company prefix.
    pub fn brand(of: &Self) -> Self {
        Self(Repr::Wide([BRAND, of.key_level()].concat().into()))
    }

    /// Returns the beginning of the texts of all brands.
    pub const fn brands() -> &'static str {
        BRAND
    }

    /// Creates the anchor of the logo of an organisation; `None` if this is no id.
    pub fn logo(organisation: &str) -> Option<Self> {
        let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        (!organisation.is_empty() && organisation.bytes().all(is_id))
            .then(|| Self(Repr::Wide([LOGO, organisation].concat().into())))
    }

    /// Returns the beginning of the texts of all logos.
    pub const fn logos() -> &'static str {
        LOGO
    }

    /// Returns whether the registry writes the entry of this anchor, which is no record: a
    /// suspension, a country switch, a brand or a logo.
    pub fn is_of_registry(&self) -> bool {
        form(self.as_str()).is_some()
    }
}

/// Returns the form of such an anchor, and the rest of its text; `None` for any other.
pub(super) fn form(text: &str) -> Option<(AnchorForm<'_>, &str)> {
    if !text.starts_with('-') {
        return None;
    }
    let forms = [
        (SUSPENDED, AnchorForm::Suspension),
        (COUNTRY, AnchorForm::CountrySwitch),
        (BRAND, AnchorForm::Brand),
        (LOGO, AnchorForm::Logo),
    ];
    forms.into_iter().find_map(|(start, form)| Some((form, text.strip_prefix(start)?)))
}

/// Creates such an anchor from its text; `None` if it is of another form, and `Some(None)` if it is
/// malformed.
pub(super) fn from_canonical(text: &str) -> Option<Option<Anchor>> {
    let (form, rest) = form(text)?;
    if form == AnchorForm::Logo {
        return Some(Anchor::logo(rest));
    }
    let of = Anchor::from_canonical(rest).filter(|of| of.is_key_level() && !of.is_of_registry());
    Some(of.map(|of| match form {
        AnchorForm::Brand => Anchor::brand(&of),
        AnchorForm::CountrySwitch => Anchor::country_switch(&of),
        _ => Anchor::suspension(&of),
    }))
}
