//! Settings of the public side from the operator's configuration, checked when built.
//!
//! Names are those of the configuration file. For their meanings, see GS1-Conformant Resolver 1.2.0
//! sections 2.8, 2.11, 2.14 and 3, and RES-2.4-17 and RES-2.3-3 for the three legacy switches.

use fingerpost_gs1::gtin::WeightCodes;
use fingerpost_gs1::{Ai, EntityKey};
use fingerpost_options::{Items, options};
use serde::Deserialize;

use crate::{ResolverRoot, RoleParts, Roles, SigningSecrets, Vocabulary};

mod error;
mod pattern;
mod public_side;

use error::refuse;
pub use error::{SettingsError, SettingsFault};
use pattern::Patterns;
pub use pattern::{Pattern, PatternFault};
pub use public_side::{CountryOrigin, PublicSide, SharedCaching};

options! {
    /// What this resolver is and what it serves.
    pub struct SettingsParts {
        /// Address below which all GS1 Digital Links of this resolver live: `https`, no trailing slash, a path is allowed.
        /// It is what printed codes carry; anchors, pointers to linksets and the description file use it, never the `Host`
        /// header. The default is for testing only and causes a warning.
        resolver_root: String = "https://id.example.org";
        /// Name of the resolver, for the description file and the home page.
        name: Option<String>, example r#""Example Resolver""#;
        /// Primary keys that are served: `"all"`, or Application Identifiers. Valid links with other keys get 404.
        supported_primary_keys: Items<String> = ["all"];
        /// `"linkset"`: a request without a link type gets the list of links. Absent: it is redirected to the default link.
        default_link_type: Option<String>, example r#""linkset""#;
        /// Let records choose what a request without a link type gets at their level and below: `"defaultLinkType": "linkset"` or
        /// `"gs1:defaultLink"`. The most granular record that says something decides, else `default_link_type`. Declared in
        /// the description file.
        default_link_type_by_record: bool = false;
        /// Read GTINs of 8, 12 and 13 digits, as in codes made before GS1 Digital Link 1.4.0 (April 2023).
        legacy_gtin: bool = false;
        /// Read names such as `/gtin/…/lot/…`, which GS1 Digital Link 1.3.0 (November 2022) removed.
        legacy_alphas: bool = false;
        /// Read links compressed as in GS1 Digital Link 1.1, which was withdrawn, if their path is not a valid uncompressed one.
        /// EPC binary (`/eh…`, `/ex…`) is always read.
        legacy_decompression: bool = true;
        /// Namespaces of link types besides GS1's, ending in `/` or `#`, with the prefix that abbreviates them.
        link_type_namespaces: Vec<NamespaceParts>,
            example r#"[{ namespace = "https://example.net/voc/", prefix = "ex:" }]"#;
        /// Requests handed over to another resolver: by GS1 Company Prefix (all key types, indicator and extension digits), or by
        /// the beginning of their canonical path. The pattern that states most digits of the company prefix and what follows it
        /// wins. `target_root` gets the path of the request; `target_template` is filled from it, as the target of a link.
        patterns: Vec<PatternParts>,
            example r#"[{ company_prefix = "9506000", target_root = "https://mo.example.net/r" }, { path_prefix = "/01/095060001", target_template = "https://example.com/p/{01}" }]"#;
        /// Country, by its ISO 3166 code of two letters, whose codes of variable weight and price are read on the home page and by
        /// `/v1/check`: DE, EE, FI, GB, LV or SE. Absent: they are named, but not read.
        weight_codes: Option<String>, example r#""SE""#;
        /// Context values that links should use; others are accepted with a warning. Declared in the description file.
        context_values: Items<String>, example r#"["CH", "FR"]"#;
        /// Published lists of context values, for the description file.
        context_lists: Vec<ContextList>,
            example r#"[{ nameOfList = "ISO 3166-1 alpha-2", url = "https://www.iso.org/iso-3166-country-codes.html" }]"#;
        /// Roles that links can be restricted to (`access` of a link), with their titles by language
        /// ([guide](../guides/roles.md)). Without proof of such a role, restricted links do not exist.
        roles: Vec<RoleParts>,
            example r#"[{ name = "recycler", title = { en = "Recyclers", de = "Recycler" } }]"#;
        /// Who runs the resolver, for the description file. All members are optional.
        contact: Option<Contact>,
            example r#"{ fn = "Example Org", streetAddress = "1 Road", locality = "Town", region = "Region", postal-code = "1000", country-name = "Belgium", telephone = "+32 2 000 00 00" }"#;
        /// Where to report vulnerabilities, a `mailto:`, `tel:` or `https:` address, for `/.well-known/security.txt` (RFC 9116). Absent: there
        /// is no such file.
        security_contact: Option<String>, example r#""mailto:security@example.org""#;
        /// Address of a document about extensions of this resolver, for the description file.
        extension_profile: Option<String>, example r#""https://example.org/extensions""#;
        /// Path, at the root of the host, of this resolver's copy of the JSON-LD context of linksets. Absent: linksets refer to
        /// the context of GS1.
        own_context: Option<String>, example r#""/linkset-context.jsonld""#;
    }
}

/// One entry of `link_type_namespaces`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamespaceParts {
    /// IRI of the namespace.
    pub namespace: String,
    /// Prefix, ending in a colon.
    pub prefix: String,
}

/// One entry of `patterns`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PatternParts {
    /// Text that the canonical path, after the stem, begins with. Either this or `company_prefix`.
    pub path_prefix: Option<String>,
    /// GS1 Company Prefix of the keys. Either this or `path_prefix`.
    pub company_prefix: Option<String>,
    /// Root of the other resolver, without a trailing slash. Either this or `target_template`.
    pub target_root: Option<String>,
    /// Address with placeholders such as `{01}`. Either this or `target_root`.
    pub target_template: Option<String>,
}

/// One published list of context values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextList {
    /// Name of the list.
    #[serde(rename = "nameOfList")]
    pub name_of_list: String,
    /// Address at which it is published.
    pub url: String,
}

/// The operator of the resolver, in the terms of vCard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Contact {
    /// Formatted name.
    #[serde(rename = "fn")]
    pub formatted_name: Option<String>,
    /// Street and number.
    #[serde(rename = "streetAddress")]
    pub street_address: Option<String>,
    /// Town.
    pub locality: Option<String>,
    /// Region, state, or province.
    pub region: Option<String>,
    /// Postal code.
    #[serde(rename = "postal-code")]
    pub postal_code: Option<String>,
    /// Country.
    #[serde(rename = "country-name")]
    pub country_name: Option<String>,
    /// Telephone number, with or without `tel:`; spaces are allowed.
    pub telephone: Option<String>,
}

/// The primary keys that are served (RES-2.1-1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrimaryKeys {
    /// All 16.
    All,
    /// These, as configured.
    Only(Vec<Ai>),
}

impl PrimaryKeys {
    /// Returns the keys one by one.
    pub fn as_slice(&self) -> &[Ai] {
        match self {
            Self::All => &Ai::PRIMARY_KEYS,
            Self::Only(keys) => keys,
        }
    }

    /// Returns whether the key is served.
    pub fn contains(&self, key: Ai) -> bool {
        match self {
            Self::All => key.is_primary_key(),
            Self::Only(keys) => keys.contains(&key),
        }
    }
}

/// Checked settings.
///
/// ```
/// use fingerpost_resolver::{Settings, SettingsParts};
///
/// let parts = SettingsParts {
///     resolver_root: "https://id.example.org".into(),
///     supported_primary_keys: vec!["01".into(), "414".into()].into(),
///     ..SettingsParts::default()
/// };
/// let settings = Settings::new(parts)?;
/// assert_eq!(settings.root().as_str(), "https://id.example.org");
/// # Ok::<(), fingerpost_resolver::SettingsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    root: ResolverRoot,
    primary_keys: PrimaryKeys,
    vocabulary: Vocabulary,
    patterns: Patterns,
    context_location: String,
    context_link: String,
    public_side: PublicSide,
    roles: Roles,
    signing_secrets: SigningSecrets,
    country: Option<CountryOrigin>,
    /// Settings that are used as given.
    parts: SettingsParts,
}

impl Settings {
    /// Checks the parts.
    pub fn new(parts: SettingsParts) -> Result<Self, SettingsError> {
        let root = ResolverRoot::parse(&parts.resolver_root)
            .map_err(|error| refuse("resolver_root", SettingsFault::Root(error)))?;
        let primary_keys = primary_keys(&parts.supported_primary_keys)?;
        let namespaces = parts.link_type_namespaces.iter().map(|n| (&n.namespace, &n.prefix));
        let vocabulary = Vocabulary::builtin()
            .with_namespaces(namespaces)
            .map_err(|error| refuse("link_type_namespaces", SettingsFault::Namespace(error)))?;
        let patterns = Pattern::read_all(&parts.patterns, &root)
            .map_err(|(at, fault)| refuse("patterns", SettingsFault::Pattern(at, fault)))?;
        check_scalars(&parts)?;
        let roles = Roles::new(parts.roles.clone())
            .map_err(|error| refuse("roles", SettingsFault::Role(error)))?;
        let context_location = match &parts.own_context {
            Some(path) => [root.origin(), path].concat(),
            None => GS1_CONTEXT.to_owned(),
        };
        let context_link = format!(
            "<{context_location}>; rel=\"http://www.w3.org/ns/json-ld#context\"; type=\"application/ld+json\""
        );
        Ok(Self {
            root,
            primary_keys,
            vocabulary,
            patterns,
            context_location,
            context_link,
            public_side: PublicSide::default(),
            roles,
            signing_secrets: SigningSecrets::default(),
            country: None,
            parts,
        })
    }

    /// Returns the same settings for an installation with this public side.
    pub fn with_public_side(self, public_side: PublicSide) -> Self {
        Self { public_side, ..self }
    }

    /// Returns the roles that links can be restricted to.
    pub fn roles(&self) -> &Roles {
        &self.roles
    }

    /// Returns the same settings with the secrets of signed links.
    pub fn with_signing_secrets(self, signing_secrets: SigningSecrets) -> Self {
        Self { signing_secrets, ..self }
    }

    /// Returns the secrets of signed links; none if they are not in use.
    #[inline]
    pub fn signing_secrets(&self) -> &SigningSecrets {
        &self.signing_secrets
    }

    /// Returns the same settings with the origin of the country of clients.
    pub fn with_country(self, country: Option<CountryOrigin>) -> Self {
        Self { country, ..self }
    }

    /// Returns the origin of the country of clients; `None` if it is not configured.
    #[inline]
    pub fn country(&self) -> Option<&CountryOrigin> {
        self.country.as_ref()
    }

    /// Returns the options of the public side other than those of the resolver itself.
    pub fn public_side(&self) -> &PublicSide {
        &self.public_side
    }

    /// Returns the root of this resolver.
    pub fn root(&self) -> &ResolverRoot {
        &self.root
    }

    /// Returns the keys that are served.
    pub fn primary_keys(&self) -> &PrimaryKeys {
        &self.primary_keys
    }

    /// Returns link types and media types, with the configured namespaces.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns the patterns of requests that are handed over, in the order in which they are tried.
    pub fn patterns(&self) -> &[Pattern] {
        self.patterns.all()
    }

    /// Returns the patterns that apply to a key, in the order in which they are tried.
    pub(crate) fn patterns_of(&self, key: &EntityKey) -> impl Iterator<Item = &Pattern> {
        self.patterns.of_key(key)
    }

    /// Returns the name of the resolver.
    pub fn name(&self) -> Option<&str> {
        self.parts.name.as_deref()
    }

    /// Returns whether a plain request gets the linkset instead of the default link (RES-2.11-1).
    pub fn default_is_linkset(&self) -> bool {
        self.parts.default_link_type.is_some()
    }

    /// Returns whether records choose what a plain request gets (RES-2.11-1).
    pub fn default_by_record(&self) -> bool {
        self.parts.default_link_type_by_record
    }

    /// Returns the same settings with another vocabulary, such as one with the lists that the
    /// operator has in files.
    pub fn with_vocabulary(self, vocabulary: Vocabulary) -> Self {
        Self { vocabulary, ..self }
    }

    /// Returns whether short GTINs are accepted (RES-2.4-17).
    pub fn legacy_gtin(&self) -> bool {
        self.parts.legacy_gtin
    }

    /// Returns whether convenience alphas are accepted (RES-2.4-17).
    pub fn legacy_alphas(&self) -> bool {
        self.parts.legacy_alphas
    }

    /// Returns whether the compression of Digital Link 1.1 is accepted (RES-2.3-3).
    pub fn legacy_decompression(&self) -> bool {
        self.parts.legacy_decompression
    }

    /// Returns the declared context values (RES-2.5.6-3); empty if none are declared.
    pub fn context_values(&self) -> &[String] {
        &self.parts.context_values
    }

    /// Returns the published lists of context values.
    pub fn context_lists(&self) -> &[ContextList] {
        &self.parts.context_lists
    }

    /// Returns the address to which vulnerabilities are reported.
    pub fn security_contact(&self) -> Option<&str> {
        self.parts.security_contact.as_deref()
    }

    /// Returns the operator's contact data.
    pub fn contact(&self) -> Option<&Contact> {
        self.parts.contact.as_ref()
    }

    /// Address of a document about extensions.
    pub fn extension_profile(&self) -> Option<&str> {
        self.parts.extension_profile.as_deref()
    }

    /// Returns the national codes of variable weight and price that are read, if any are.
    pub fn weight_codes(&self) -> Option<&'static WeightCodes> {
        self.parts.weight_codes.as_deref().and_then(WeightCodes::of_country)
    }

    /// Returns the path of this resolver's own context file at the root of the host.
    pub fn own_context(&self) -> Option<&str> {
        self.parts.own_context.as_deref()
    }

    /// Returns the address of the JSON-LD context of linksets: the own file, or GS1's (RES-2.10-5,
    /// RES-3-12).
    pub fn context_location(&self) -> &str {
        &self.context_location
    }

    /// Returns the value of the `Link` header that points at the JSON-LD context (RES-2.10-4).
    pub fn context_link(&self) -> &str {
        &self.context_link
    }
}

/// The address of GS1's own context file (RES-2.10-5).
const GS1_CONTEXT: &str = "https://ref.gs1.org/standards/resolver/linkset-context";

fn primary_keys(names: &[String]) -> Result<PrimaryKeys, SettingsError> {
    const SETTING: &str = "supported_primary_keys";
    let names = match names {
        [] => return Err(refuse(SETTING, SettingsFault::NoPrimaryKey)),
        [all] if all == "all" => return Ok(PrimaryKeys::All),
        names => names,
    };
    let mut keys = Vec::with_capacity(names.len());
    for name in names {
        let key = Ai::new(name).filter(|ai| ai.is_primary_key());
        let key = key.ok_or_else(|| refuse(SETTING, SettingsFault::PrimaryKey(name.clone())))?;
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(PrimaryKeys::Only(keys))
}

fn check_scalars(parts: &SettingsParts) -> Result<(), SettingsError> {
    if let Some(found) = parts.default_link_type.as_ref().filter(|found| *found != "linkset") {
        return Err(refuse("default_link_type", SettingsFault::DefaultLinkType(found.clone())));
    }
    if parts.name.as_ref().is_some_and(|name| name.trim().is_empty()) {
        return Err(refuse("name", SettingsFault::Empty));
    }
    if parts.context_values.iter().any(|value| value.trim().is_empty()) {
        return Err(refuse("context_values", SettingsFault::Empty));
    }
    for list in &parts.context_lists {
        if list.name_of_list.trim().is_empty() {
            return Err(refuse("context_lists", SettingsFault::Empty));
        }
        check_address("context_lists", &list.url)?;
    }
    if let Some(profile) = &parts.extension_profile {
        check_address("extension_profile", profile)?;
    }
    if let Some(path) = parts.own_context.as_ref().filter(|path| !is_context_path(path)) {
        return Err(refuse("own_context", SettingsFault::ContextPath(path.clone())));
    }
    if let Some(country) =
        parts.weight_codes.as_deref().filter(|it| WeightCodes::of_country(it).is_none())
    {
        return Err(refuse("weight_codes", SettingsFault::WeightCodes(country.to_owned())));
    }
    if let Some(contact) = parts.security_contact.as_deref().filter(|text| !is_contact(text)) {
        return Err(refuse("security_contact", SettingsFault::Address(contact.to_owned())));
    }
    let telephone = parts.contact.as_ref().and_then(|contact| contact.telephone.as_ref());
    if let Some(found) = telephone.filter(|found| !is_telephone(found)) {
        return Err(refuse("contact", SettingsFault::Telephone(found.clone())));
    }
    Ok(())
}

fn check_address(setting: &'static str, text: &str) -> Result<(), SettingsError> {
    if is_web_address(text) {
        Ok(())
    } else {
        Err(refuse(setting, SettingsFault::Address(text.to_owned())))
    }
}

/// Returns whether the text is an absolute http or https address in visible ASCII.
pub(crate) fn is_web_address(text: &str) -> bool {
    let visible = text.bytes().all(|b| (0x21..=0x7E).contains(&b) && !b"\"<>\\^`{|}".contains(&b));
    let web = text.starts_with("https://") || text.starts_with("http://");
    visible && web && url::Url::parse(text).is_ok()
}

/// Returns whether the text is an address that `security.txt` can have (RFC 9116 section 2.5.3):
/// web addresses use https.
fn is_contact(text: &str) -> bool {
    let is_visible = text.bytes().all(|b| (0x21..=0x7E).contains(&b));
    let has_more = |scheme: &str| text.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty());
    is_visible && ["mailto:", "tel:", "https://"].into_iter().any(has_more)
}

/// Returns whether the text is a path at the root of the host that cannot be a Digital Link path
/// (RES-2.4-18).
fn is_context_path(path: &str) -> bool {
    let Some(name) = path.strip_prefix('/') else { return false };
    let reserved = name.starts_with(|c: char| c.is_ascii_digit())
        || name.starts_with("eh")
        || name.starts_with("ex")
        || name.starts_with(".well-known/");
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    !name.is_empty()
        && !reserved
        && name.split('/').all(|s| !s.is_empty())
        && name.bytes().all(allowed)
}

fn is_telephone(text: &str) -> bool {
    let number = text.strip_prefix("tel:").unwrap_or(text);
    let allowed = |b: u8| b.is_ascii_digit() || b"+-.() ".contains(&b);
    number.bytes().any(|b| b.is_ascii_digit()) && number.bytes().all(allowed)
}
