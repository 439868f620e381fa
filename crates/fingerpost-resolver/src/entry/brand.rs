//! Entries that say how organisations present themselves on the pages about their keys. They are
//! entries so that copies, backups and the history of a store have them without knowing them.

use serde::{Deserialize, Serialize};

use super::{ContentsBuilder, Entry};
use crate::{Anchor, AnchorForm};

/// How an organisation presents itself on the pages about its keys. Whatever is absent is that of
/// the installation.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OrganisationBrand {
    /// The id of the organisation.
    pub organisation: String,
    /// The name at the top of a page.
    pub name: String,
    /// The colour of buttons and links, as `#rrggbb`.
    pub accent: Option<String>,
    /// The version of its logo, which [`Entry::logo`] holds.
    pub logo: Option<String>,
    /// The origins from which pages load pictures of its products, besides those of the
    /// installation.
    pub image_sources: Vec<String>,
}

impl Entry {
    /// Creates the entry by which a key, or all keys with a company prefix, have a brand; `None`:
    /// that of the installation, within the prefix of an organisation that has a brand.
    pub fn brand(of: &Anchor, brand: Option<&OrganisationBrand>) -> Self {
        let mut contents = ContentsBuilder::new();
        // Serialization fails only for maps whose keys are not text.
        if let Some(Ok(text)) = brand.map(serde_json::to_string) {
            contents.set_description([&*text]);
        }
        Self::new(Anchor::brand(of), contents.finish())
    }

    /// Returns the brand of the keys of the anchor; `None` if this is no brand, or says that there
    /// is none.
    pub fn as_brand(&self) -> Option<OrganisationBrand> {
        let text =
            self.stored_description().filter(|_| self.anchor().form() == AnchorForm::Brand)?;
        serde_json::from_str(text).ok()
    }

    /// Creates the entry with the logo of an organisation, an SVG or PNG file in Base64; `None` if
    /// this is no id.
    pub fn logo(organisation: &str, base64: &str) -> Option<Self> {
        let mut contents = ContentsBuilder::new();
        contents.set_description([base64]);
        Some(Self::new(Anchor::logo(organisation)?, contents.finish()))
    }

    /// Returns a logo in Base64; `None` if this is none.
    pub fn as_logo(&self) -> Option<&str> {
        self.stored_description().filter(|_| self.anchor().form() == AnchorForm::Logo)
    }
}

/// Returns the media type of a logo, `image/svg+xml` or `image/png`, by its content, because file
/// names are unreliable; `None` for anything else.
pub fn logo_type(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some("image/png");
    }
    let mut text = std::str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}').trim_start();
    // Skip what XML allows before the first element.
    while let Some(end) = ["<?", "<!--", "<!DOCTYPE"]
        .iter()
        .zip(["?>", "-->", ">"])
        .find_map(|(start, end)| text.starts_with(start).then_some(end))
    {
        text = text.split_once(end)?.1.trim_start();
    }
    let rest = text.strip_prefix("<svg")?;
    rest.starts_with([' ', '\t', '\r', '\n', '>', '/']).then_some("image/svg+xml")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PE-29
    #[test]
    fn brands_are_stored_as_entries_that_nobody_can_register() {
        let brand = OrganisationBrand {
            organisation: "0a1b".to_owned(),
            name: "A \"B\"".to_owned(),
            accent: Some("#3a6b1f".to_owned()),
            logo: None,
            image_sources: vec!["https://images.example".to_owned()],
        };
        for of in ["gcp/9506000", "01/09506000134352"] {
            let of = Anchor::parse(of).unwrap();
            for is in [Some(&brand), None] {
                let entry = Entry::brand(&of, is);
                let anchor = Anchor::from_canonical(entry.anchor().as_str()).unwrap();
                assert_eq!(&anchor, entry.anchor());
                assert_eq!((anchor.key_level(), anchor.is_key_level()), (of.as_str(), false));
                assert!(anchor.is_of_registry() && !of.is_of_registry());
                let again = Entry::decode(anchor.clone(), &entry.encode()).unwrap();
                assert_eq!((again.as_brand().as_ref(), again.as_logo()), (is, None));
                assert!(Anchor::parse(anchor.as_str()).is_err());
            }
        }
        let logo = Entry::logo("0a1b", "PHN2Zy8+").unwrap();
        let anchor = Anchor::from_canonical(logo.anchor().as_str()).unwrap();
        let again = Entry::decode(anchor.clone(), &logo.encode()).unwrap();
        assert_eq!((again.as_logo(), again.as_brand()), (Some("PHN2Zy8+"), None));
        assert!(anchor.is_of_registry() && !anchor.is_key_level());
        assert_eq!(anchor.company_prefix_part(), None);
        assert!(Anchor::parse(anchor.as_str()).is_err());
        for wrong in ["-logo/", "-logo/a/b", "-logo/ä", "-brand/", "-brand/-brand/gcp/9506000"] {
            assert_eq!(Anchor::from_canonical(wrong), None, "{wrong}");
        }
        assert_eq!(Anchor::from_canonical("-brand/-suspended/gcp/9506000"), None);
    }

    #[test]
    fn logos_are_recognised_by_their_content() {
        let svg =
            "<?xml version=\"1.0\"?>\n<!-- logo -->\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
        assert_eq!(logo_type(svg.as_bytes()), Some("image/svg+xml"));
        assert_eq!(logo_type(b"\x89PNG\r\n\x1a\nrest"), Some("image/png"));
        for other in
            ["", "<html><svg></svg></html>", "<svgx/>", "<?xml", "GIF89a", "<!DOCTYPE html><html>"]
        {
            assert_eq!(logo_type(other.as_bytes()), None, "{other}");
        }
        assert_eq!(logo_type(b"\xff\xd8\xff"), None);
    }
}
