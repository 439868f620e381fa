//! The brands of organisations: how the public pages about their keys present them.
//!
//! An organisation's own administrators set its brand. The public side reads it as entries
//! ([`fingerpost_resolver::OrganisationBrand`]), which copies and backups have too;
//! `synchronise` makes these entries agree with the organisations.

use data_encoding::BASE64;
use fingerpost_resolver::{Entry, ResolverRoot, logo_type};
use serde::{Deserialize, Deserializer};
use sha2::{Digest, Sha256};

use crate::documents::save;
use crate::events::about_organisation;
use crate::fault::Fault;
use crate::limits::{MAX_BRAND_CHARACTERS, MAX_BRAND_SOURCES, MAX_LOGO_BYTES};
use crate::registry::Context;
use crate::synchronise::synchronise;
use crate::text::Line;
use crate::{BrandSettings, Caller, Id, Organisation, Registry, RegistryError};

/// A new brand, which replaces the one before.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct NewBrand {
    /// The name at the top of pages, on one line of at most 60 characters; absent or null: the
    /// name of the organisation.
    #[cfg_attr(feature = "schema", schema(max_length = 60))]
    pub name: Option<String>,
    /// The colour of buttons and links, as `#rrggbb`. Shades that can be read are derived from it.
    #[cfg_attr(feature = "schema", schema(pattern = "^#[0-9A-Fa-f]{6}$", example = "#0a4d8c"))]
    pub accent: Option<String>,
    /// The logo, an SVG or PNG file of at most 32 KiB, in Base64. Absent: as it is; null: none.
    #[serde(deserialize_with = "stated")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, required = false))]
    pub logo: Option<Option<String>>,
    /// Up to four origins, such as `https://images.example.com`, from which pages load pictures of
    /// its products. Browsers of readers connect to them.
    #[cfg_attr(feature = "schema", schema(max_items = 4))]
    pub image_sources: Vec<String>,
}

/// The name of a brand, which must fit on one line of a phone.
const BRAND_NAME: Line = Line::of(MAX_BRAND_CHARACTERS);

/// Deserializes a member that can be absent, or null.
fn stated<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl Registry {
    /// Sets the brand of an organisation.
    ///
    /// Fails with [`RegistryError::Forbidden`] unless the caller administers the organisation and
    /// it is not suspended, [`RegistryError::NotFound`], [`RegistryError::Invalid`], or an error
    /// of the store.
    pub fn set_brand(
        &self,
        caller: &Caller,
        id: &Id,
        new: NewBrand,
    ) -> Result<Organisation, RegistryError> {
        self.change_brand(caller, *id, Some(new))
    }

    /// Removes the brand of an organisation: pages have that of the installation. Does nothing if
    /// it has none.
    ///
    /// Fails as [`Registry::set_brand`].
    pub fn remove_brand(&self, caller: &Caller, id: &Id) -> Result<Organisation, RegistryError> {
        self.change_brand(caller, *id, None)
    }

    fn change_brand(
        &self,
        caller: &Caller,
        id: Id,
        new: Option<NewBrand>,
    ) -> Result<Organisation, RegistryError> {
        self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
            let mut organisation = access.administered_organisation(tx, &id)?;
            access.check_not_suspended(Some(&organisation))?;
            let before = organisation.brand.take();
            let known = before.as_ref().and_then(|brand| brand.logo.clone());
            let mut logo = None;
            if let Some(new) = &new {
                let (brand, file) = checked(new, known)?;
                (organisation.brand, logo) = (Some(brand), file);
            }
            if organisation.brand == before {
                return Ok(organisation);
            }
            save(tx, id.as_str(), &organisation)?;
            let action = match organisation.brand {
                Some(_) => "organisation.brand_set",
                None => "organisation.brand_removed",
            };
            let event = about_organisation(inner.event(action, caller), &organisation);
            let logo = logo.and_then(|logo| Entry::logo(id.as_str(), &logo));
            synchronise(tx, Some(&organisation), logo, event)?;
            Ok(organisation)
        })
    }
}

/// Returns a new brand, and its logo in Base64 if there is a new one.
fn checked(
    new: &NewBrand,
    known: Option<String>,
) -> Result<(BrandSettings, Option<String>), RegistryError> {
    let mut faults = Vec::new();
    if new.name.as_ref().is_some_and(|name| !BRAND_NAME.allows(name)) {
        faults.push(Fault::new("/name", "name", format!("name must have {BRAND_NAME}")));
    }
    if new.accent.as_ref().is_some_and(|accent| !is_colour(accent)) {
        faults.push(Fault::new("/accent", "colour", "accent must be a colour such as #0a4d8c"));
    }
    if new.image_sources.len() > MAX_BRAND_SOURCES {
        let detail = format!("at most {MAX_BRAND_SOURCES} origins are allowed");
        faults.push(Fault::new("/imageSources", "size", detail));
    }
    let is_origin = |text: &str| {
        text.starts_with("https://")
            && ResolverRoot::parse(text).is_ok_and(|root| root.stem().is_empty())
    };
    for (at, source) in new.image_sources.iter().enumerate().take(MAX_BRAND_SOURCES) {
        if !is_origin(source) {
            let detail = "must be an origin such as https://images.example.com, without a path";
            faults.push(Fault::new(format!("/imageSources/{at}"), "origin", detail));
        }
    }
    let (logo, file) = match &new.logo {
        None => (known, None),
        Some(None) => (None, None),
        Some(Some(text)) => match decoded(text) {
            Ok(bytes) => {
                let digest = data_encoding::HEXLOWER.encode(&Sha256::digest(&bytes));
                (Some(digest[..VERSION].to_owned()), Some(BASE64.encode(&bytes)))
            }
            Err(detail) => {
                faults.push(Fault::new("/logo", "logo", detail));
                (None, None)
            }
        },
    };
    if !faults.is_empty() {
        return Err(RegistryError::invalid(faults));
    }
    let name = new.name.as_ref().map(|name| name.trim().to_owned());
    let accent = new.accent.as_ref().map(|accent| accent.to_ascii_lowercase());
    Ok((BrandSettings { name, accent, logo, image_sources: new.image_sources.clone() }, file))
}

/// Number of characters of the version of a logo: 48 bits distinguish those of one organisation.
const VERSION: usize = 12;

/// Returns the content of a logo.
fn decoded(text: &str) -> Result<Vec<u8>, String> {
    let bytes = BASE64.decode(text.as_bytes()).map_err(|_| "logo must be Base64".to_owned())?;
    if bytes.len() > MAX_LOGO_BYTES {
        let (most, found) = (MAX_LOGO_BYTES >> 10, bytes.len().div_ceil(1024));
        return Err(format!("logo must have at most {most} KiB, not {found}"));
    }
    logo_type(&bytes).map(|_| ()).ok_or_else(|| "logo must be an SVG or a PNG".to_owned())?;
    Ok(bytes)
}

fn is_colour(text: &str) -> bool {
    text.strip_prefix('#')
        .is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}
