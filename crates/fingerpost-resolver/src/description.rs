//! The resolver description file, served at `/.well-known/gs1resolver` (GS1-Conformant Resolver
//! 1.2.0 section 3, RES-3-*), and the `Link` header that points from a redirect to the linkset.
//!
//! Every value comes from the settings; settings without a value are left out.

use fingerpost_gs1::EntityKey;
use serde_json::{Map, Value, json};

use crate::settings::Contact;
use crate::{PrimaryKeys, Settings};

/// Returns the description file.
///
/// ```
/// use fingerpost_resolver::{Settings, SettingsParts, description_file};
///
/// let parts = SettingsParts { resolver_root: "https://id.example.org".into(), ..Default::default() };
/// let file = description_file(&Settings::new(parts)?);
/// assert_eq!(file["resolverRoot"], "https://id.example.org");
/// # Ok::<(), fingerpost_resolver::SettingsError>(())
/// ```
pub fn description_file(settings: &Settings) -> Value {
    let mut file = Map::new();
    let mut put = |name: &str, value: Value| file.insert(name.to_owned(), value);
    put("resolverRoot", json!(settings.root().as_str()));
    put("supportedPrimaryKeys", primary_keys(settings.primary_keys()));
    let can_be_linkset = settings.default_is_linkset() || settings.default_by_record();
    put("linkTypeDefaultCanBeLinkset", json!(can_be_linkset));
    put("jsonLdContextLocation", json!(settings.context_location()));
    if let Some(name) = settings.name() {
        put("name", json!(name));
    }
    let namespaces = settings.vocabulary().namespaces();
    if !namespaces.is_empty() {
        let declared = namespaces
            .iter()
            .map(|n| json!({"namespace": n.iri(), "prefix": n.prefix()}))
            .collect();
        put("supportedLinkType", declared);
    }
    if !settings.context_values().is_empty() {
        put("supportedContextValuesEnumerated", json!(settings.context_values()));
    }
    if !settings.context_lists().is_empty() {
        // ER-5: an array of objects.
        let lists = settings
            .context_lists()
            .iter()
            .map(|list| json!({"nameOfList": list.name_of_list, "url": list.url}))
            .collect();
        put("supportedContextValuesExternal", lists);
    }
    if let Some(contact) = settings.contact().and_then(vcard) {
        put("contact", contact);
    }
    if let Some(profile) = settings.extension_profile() {
        put("extensionProfile", json!(profile));
    }
    Value::Object(file)
}

/// Returns the primary keys. `"all"` claims decompression of EPC binary too (RES-3-4).
fn primary_keys(keys: &PrimaryKeys) -> Value {
    match keys {
        PrimaryKeys::All => json!(["all"]),
        keys => keys.as_slice().iter().map(|key| json!(key.as_str())).collect(),
    }
}

/// Returns the contact as a vCard (RES-3-10); `None` if nothing is set.
fn vcard(contact: &Contact) -> Option<Value> {
    let present = |members: &[(&str, &Option<String>)]| -> Map<String, Value> {
        let set = members.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?)));
        set.map(|(name, value)| (name.to_owned(), json!(value))).collect()
    };
    let mut card = present(&[("fn", &contact.formatted_name)]);
    let address = present(&[
        ("streetAddress", &contact.street_address),
        ("locality", &contact.locality),
        ("region", &contact.region),
        ("postal-code", &contact.postal_code),
        ("country-name", &contact.country_name),
    ]);
    if !address.is_empty() {
        card.insert("hasAddress".to_owned(), Value::Object(address));
    }
    if let Some(telephone) = &contact.telephone {
        // A `tel:` URI has no spaces.
        let number: String =
            telephone.trim_start_matches("tel:").chars().filter(|c| !c.is_whitespace()).collect();
        card.insert("hasTelephone".to_owned(), json!(format!("tel:{number}")));
    }
    (!card.is_empty()).then_some(Value::Object(card))
}

/// Returns the value of the `Link` header that points to the linkset of the requested entity
/// (RES-2.2-11).
pub(crate) fn linkset_link(settings: &Settings, key: &EntityKey) -> String {
    [
        "<",
        settings.root().as_str(),
        "/",
        key.as_str(),
        "?linkType=linkset>; rel=\"linkset\"; type=\"application/linkset+json\"",
    ]
    .concat()
}
