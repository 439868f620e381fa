//! What programs learn from the page of an item: a Product, a Place or an Organization of
//! schema.org as JSON-LD, and the tags by which messengers show a link (Open Graph protocol).

use fingerpost_gs1::{Ai, EntityKey};
use fingerpost_resolver::ResolverRoot;
use serde_json::{Map, Value, json};

/// What is known of an item.
pub(super) struct Item<'a> {
    pub(super) root: &'a ResolverRoot,
    pub(super) entity: &'a EntityKey,
    pub(super) name: &'a str,
    /// The address of its picture, as the page loads it.
    pub(super) picture: Option<&'a str>,
    /// The name of the organisation that owns the key, if it has told one.
    pub(super) brand: Option<&'a str>,
}

impl Item<'_> {
    /// Returns its Digital Link.
    pub(super) fn link(&self) -> String {
        [self.root.as_str(), "/", self.entity.as_str()].concat()
    }

    /// Returns the address of its picture, which other hosts can use.
    pub(super) fn picture(&self) -> Option<String> {
        let path = self.picture?;
        let origin = self.root.as_str().strip_suffix(self.root.stem()).unwrap_or_default();
        Some(if path.starts_with('/') { [origin, path].concat() } else { path.to_owned() })
    }

    /// Returns the item in terms of schema.org, for a `script` element: `<` is escaped, because
    /// stored text must not end the element. `None` for keys of anything else.
    pub(super) fn to_script_json_ld(&self) -> Option<String> {
        let key = self.entity.primary_key();
        let value = self.entity.value(key).unwrap_or_default();
        let (kind, identifier) = match key {
            Ai::GTIN => ("Product", Some(("gtin", value))),
            Ai::ITIP => ("Product", value.get(..14).map(|gtin| ("gtin", gtin.to_owned().into()))),
            Ai::GLN => ("Place", Some(("globalLocationNumber", value))),
            Ai::PARTY => ("Organization", Some(("globalLocationNumber", value))),
            _ => return None,
        };
        let link = self.link();
        let mut item = Map::new();
        let mut put = |name: &str, value: Value| drop(item.insert(name.to_owned(), value));
        put("@context", json!("https://schema.org"));
        put("@type", json!(kind));
        put("@id", json!(link));
        put("url", json!(link));
        put("hasGS1DigitalLink", json!(link));
        put("name", json!(self.name));
        if let Some((name, value)) = identifier {
            put(name, json!(value));
        }
        if let Some(picture) = self.picture() {
            put("image", json!(picture));
        }
        if let Some(brand) = self.brand.filter(|_| kind == "Product") {
            put("brand", json!({"@type": "Brand", "name": brand}));
        }
        Some(Value::Object(item).to_string().replace('<', "\\u003c"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(key: &str, name: &str) -> Option<String> {
        let root = ResolverRoot::parse("https://id.example.org/shop").expect("a root");
        let entity = EntityKey::parse(key).expect("a key");
        let item = Item {
            root: &root,
            entity: &entity,
            name,
            picture: Some("/.well-known/a.svg"),
            brand: Some("Dal Giardino"),
        };
        item.to_script_json_ld()
    }

    /// PE-29: schema.org, escaped.
    #[test]
    fn stored_text_cannot_end_the_script() {
        let text = item("01/09520123456788/10/A", "</script><!-- \"\\").expect("a product");
        assert!(!text.contains('<'), "{text}");
        let read: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read["name"], "</script><!-- \"\\");
        assert_eq!(read["gtin"], "09520123456788");
        assert_eq!(read["image"], "https://id.example.org/.well-known/a.svg");
        assert_eq!(read["brand"]["name"], "Dal Giardino");
        let link = "https://id.example.org/shop/01/09520123456788/10/A";
        assert_eq!(read["hasGS1DigitalLink"], link);
    }

    #[test]
    fn only_products_places_and_organizations_are_described() {
        for (key, kind) in [
            ("414/9520123456788", Some("Place")),
            ("417/9520123456788", Some("Organization")),
            ("8006/095201234567880102", Some("Product")),
            ("00/195201234567891232", None),
        ] {
            let found = item(key, "A").map(|text| {
                let read: Value = serde_json::from_str(&text).expect("JSON");
                read["@type"].as_str().expect("a type").to_owned()
            });
            assert_eq!(found.as_deref(), kind, "{key}");
        }
    }
}
