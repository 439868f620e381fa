//! What programs learn from the page of an item: a Product, a Place or an Organization of
//! schema.org as microdata, and the tags by which messengers show a link (Open Graph protocol).
//! The only JSON-LD of a page is its linkset (RES-2.10-8).

use fingerpost_gs1::{Ai, EntityKey};
use fingerpost_resolver::ResolverRoot;

/// An item in terms of schema.org; every type has the property `hasGS1DigitalLink`.
pub(super) struct Item {
    pub(super) kind: &'static str,
    /// The property with its identifier, and the identifier.
    pub(super) identifier: (&'static str, String),
}

impl Item {
    /// Creates the item of a key; `None` if schema.org has no type for it.
    pub(super) fn new(entity: &EntityKey) -> Option<Self> {
        let key = entity.primary_key();
        let mut value = entity.value(key)?.into_owned();
        let (kind, name) = match key {
            Ai::GTIN => ("Product", "gtin"),
            Ai::ITIP => {
                // The GTIN, then the piece and the number of pieces.
                value.truncate(14);
                ("Product", "gtin")
            }
            Ai::GLN => ("Place", "globalLocationNumber"),
            Ai::PARTY => ("Organization", "globalLocationNumber"),
            _ => return None,
        };
        Some(Self { kind, identifier: (name, value) })
    }

    pub(super) fn is_product(&self) -> bool {
        self.kind == "Product"
    }
}

/// Returns the Digital Link of an entity.
pub(super) fn digital_link(root: &ResolverRoot, entity: &EntityKey) -> String {
    [root.as_str(), "/", entity.as_str()].concat()
}

/// Returns the address of a picture of a page, for use on other hosts.
pub(super) fn absolute(root: &ResolverRoot, src: &str) -> String {
    let origin = root.as_str().strip_suffix(root.stem()).unwrap_or_default();
    if src.starts_with('/') { [origin, src].concat() } else { src.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PE-29
    #[test]
    fn only_products_places_and_organizations_are_described() {
        for (key, expected) in [
            ("01/09520123456788/10/A", Some(("Product", "gtin", "09520123456788"))),
            ("8006/095201234567880102", Some(("Product", "gtin", "09520123456788"))),
            ("414/9520123456788", Some(("Place", "globalLocationNumber", "9520123456788"))),
            ("417/9520123456788", Some(("Organization", "globalLocationNumber", "9520123456788"))),
            ("00/195201234567891232", None),
        ] {
            let item = Item::new(&EntityKey::parse(key).expect("a key"));
            let found =
                item.as_ref().map(|it| (it.kind, it.identifier.0, it.identifier.1.as_str()));
            assert_eq!(found, expected, "{key}");
        }
    }

    #[test]
    fn pictures_have_addresses_for_other_hosts() {
        let root = ResolverRoot::parse("https://id.example.org/shop").expect("a root");
        assert_eq!(absolute(&root, "/a.svg"), "https://id.example.org/a.svg");
        assert_eq!(absolute(&root, "https://a.example/b"), "https://a.example/b");
    }
}
