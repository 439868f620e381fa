//! Branding of the public pages: name, logo, colours, footer, privacy text.
//!
//! Everything is validated when the configuration is read, so that no unreadable page is sent.
//! Contrast is that of WCAG 2.2, success criterion 1.4.3.

mod colour;
mod localised;
mod logo;

use std::fmt;
use std::path::PathBuf;

use fingerpost_options::{ConfigError, options};
use fingerpost_resolver::ResolverRoot;
use serde::Deserialize;

use crate::limits::{
    MAX_EXAMPLE, MAX_EXAMPLES, MAX_FOOTER, MAX_FOOTER_LINKS, MAX_IMAGE_SOURCES, MAX_NAME,
    MAX_PRIVACY,
};

pub use colour::Colour;
pub use localised::Localised;
pub use logo::Logo;

/// The appearance of the public pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brand {
    name: Option<String>,
    logo: Option<Logo>,
    accent: Colour,
    accent_dark: Colour,
    footer_text: Option<Localised>,
    role_notice: Option<Localised>,
    footer_links: Vec<FooterLink>,
    privacy: Option<Localised>,
    abuse: Option<String>,
    examples: Vec<String>,
    image_sources: Vec<String>,
    has_organisations: bool,
}

/// A link at the end of each page.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FooterLink {
    text: Localised,
    href: String,
}

impl FooterLink {
    /// Returns the text of the link.
    pub fn text(&self) -> &Localised {
        &self.text
    }

    /// Returns the target: `https:`, `http:`, `mailto:` or `tel:`.
    pub fn href(&self) -> &str {
        &self.href
    }
}

/// Backgrounds on which the accent colour is used, by their names in the style sheet. A test checks
/// that both agree.
pub(crate) const LIGHT: [Colour; 2] =
    [Colour::new(0xff, 0xff, 0xff), Colour::new(0xf4, 0xf6, 0xf9)];
pub(crate) const DARK: [Colour; 2] = [Colour::new(0x10, 0x14, 0x18), Colour::new(0x1a, 0x20, 0x27)];

/// Minimum contrast of text (WCAG 2.2, level AA), in hundredths.
pub(crate) const NEEDED: u32 = 450;

impl Brand {
    pub(super) fn new(options: BrandOptions) -> Result<Self, ConfigError> {
        let name = options.name.map(|name| short("brand.name", name, MAX_NAME)).transpose()?;
        let accent = colour("brand.accent", &options.accent, &LIGHT)?;
        let dark = options.accent_dark.as_deref();
        let dark = dark.map(|text| colour("brand.accent_dark", text, &DARK)).transpose()?;
        let text = |key, text: Option<Localised>, most| {
            text.map(|text| text.checked(most))
                .transpose()
                .map_err(|fault| ConfigError::value(key, fault))
        };
        Ok(Self {
            name,
            logo: options.logo.as_deref().map(Logo::read).transpose()?,
            accent,
            accent_dark: dark.unwrap_or_else(|| accent.lightened_for(&DARK, NEEDED)),
            footer_text: text("brand.footer_text", options.footer_text, MAX_FOOTER)?,
            role_notice: text("brand.role_notice", options.role_notice, MAX_FOOTER)?,
            footer_links: footer_links(options.footer_links)
                .map_err(|fault| ConfigError::value("brand.footer_links", fault))?,
            privacy: text("brand.privacy", options.privacy, MAX_PRIVACY)?,
            abuse: options.abuse.map(abuse).transpose()?,
            examples: examples(options.examples)?,
            image_sources: image_sources(options.image_sources)?,
            has_organisations: options.organisations,
        })
    }

    /// Returns the name of the site; `None` for the `name` of the resolver.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the picture beside the name.
    pub fn logo(&self) -> Option<&Logo> {
        self.logo.as_ref()
    }

    /// Returns the colour of links and highlights on light pages.
    pub fn accent(&self) -> Colour {
        self.accent
    }

    /// Returns the same for dark pages; derived from [`Brand::accent`] unless configured.
    pub fn accent_dark(&self) -> Colour {
        self.accent_dark
    }

    /// Returns the text at the end of each page.
    pub fn footer_text(&self) -> Option<&Localised> {
        self.footer_text.as_ref()
    }

    /// Returns the text of each page that says that some links are for roles only.
    pub fn role_notice(&self) -> Option<&Localised> {
        self.role_notice.as_ref()
    }

    /// Returns the links at the end of each page.
    pub fn footer_links(&self) -> &[FooterLink] {
        &self.footer_links
    }

    /// Returns where to report misuse: `https:` or `mailto:`.
    pub fn abuse(&self) -> Option<&str> {
        self.abuse.as_deref()
    }

    /// Returns the text of the privacy page: paragraphs separated by empty lines.
    pub fn privacy(&self) -> Option<&Localised> {
        self.privacy.as_ref()
    }

    /// Returns the texts that the home page suggests to look up; none by default.
    pub fn examples(&self) -> &[String] {
        &self.examples
    }

    /// Returns the origins from which pages load pictures.
    pub fn image_sources(&self) -> &[String] {
        &self.image_sources
    }

    /// Returns whether pages about keys of an organisation have its brand, if it has one.
    pub fn has_organisations(&self) -> bool {
        self.has_organisations
    }
}

/// Returns the origin, among these, of a picture at this address; `None` if pages do not load
/// pictures from there.
pub(crate) fn image_source<'s>(sources: &'s [String], href: &str) -> Option<&'s str> {
    let is_origin = |origin: &&String| {
        let (start, rest) = href.split_at_checked(origin.len()).unwrap_or_default();
        start.eq_ignore_ascii_case(origin) && rest.starts_with(['/', '?', '#'])
    };
    sources.iter().find(is_origin).map(String::as_str)
}

options! {
    /// `brand.footer_text`, `brand.role_notice`, `brand.privacy` and the `text` of links are one
    /// text for all readers, or a table by language: `{ en = "…", fr = "…" }`. Readers of another
    /// language get English, or else the first in the order of the tags.
    /// [`branding.md`](../operations/branding.md) shows what goes where.
    pub struct BrandOptions {
        /// Name of the site, at the top of each page; at most 60 characters. Absent: the name of
        /// the resolver.
        name: Option<String>, example r#""Example Resolver""#;
        /// Picture beside the name: an SVG or PNG file of at most 64 KiB, read at start, shown 40
        /// pixels high.
        logo: Option<PathBuf>, example r#""logo.svg""#;
        /// Colour of links and buttons on light pages. A contrast below 4.5:1 (WCAG 2.2, AA) is
        /// refused.
        accent: String = "#0a4d8c";
        /// The same on dark pages. Absent: a shade of `brand.accent` that is light enough to read.
        accent_dark: Option<String>, example r##""#8ab8f0""##;
        /// Text at the end of each page, at most 500 characters.
        footer_text: Option<Localised>,
            example r#"{ en = "Run by Example Org", fr = "Exploité par Example Org" }"#;
        /// Text of each page that says that some links are for [roles](../guides/roles.md) only, and
        /// how to prove one; at most 500 characters. It is the same on all pages, so it does not
        /// show which records have such links. Absent: nothing is said.
        role_notice: Option<Localised>,
            example r#"{ en = "Recyclers see more after signing in at example.org." }"#;
        /// Up to eight links at the end of each page; `https`, `http`, `mailto` or `tel`.
        footer_links: Vec<FooterLink>,
            example r#"[{ text = "Imprint", href = "https://example.org/imprint" }]"#;
        /// Text of the page `/privacy`, linked from all others; empty lines separate paragraphs; at
        /// most 20000 characters. Absent: there is no such page.
        privacy: Option<Localised>, example r#""We do not record which users look up which items.""#;
        /// Where to report misuse, such as a link that leads to a fraud: an address beginning with
        /// `https://` or `mailto:`, linked from all pages.
        abuse: Option<String>, example r#""mailto:abuse@example.org""#;
        /// Up to sixteen origins from which pages show the pictures of products
        /// (`gs1:relatedImage`). Browsers of your users load them from there, so name only hosts
        /// that you trust with their addresses. By default pictures are links.
        image_sources: Vec<String>, example r#"["https://images.example.com"]"#;
        /// Whether pages about keys of an organisation have the name, logo, colours and pictures that
        /// its administrators set. The pages of the resolver itself always have those above.
        organisations: bool = true;
        /// Up to eight identifiers that the home page suggests to look up, in any form that its
        /// field accepts. Choose some that are registered. By default the page suggests none;
        /// `serve --demo` suggests those of its sample data.
        examples: Vec<String>, example r#"["9520123456788", "(01)09520123456788(10)LOT7"]"#;
    }
}

/// Checks a text of one line.
fn short(key: &'static str, text: String, most: usize) -> Result<String, ConfigError> {
    let length = text.chars().count();
    let fault = if text.trim().is_empty() {
        "expected a text, found none".to_owned()
    } else if length > most {
        format!("expected at most {most} characters, found {length}")
    } else if text.chars().any(char::is_control) {
        "expected one line without control characters".to_owned()
    } else {
        return Ok(text);
    };
    Err(ConfigError::value(key, fault))
}

/// Checks that a colour has enough contrast on these backgrounds, and they on it.
fn colour(key: &'static str, text: &str, backgrounds: &[Colour]) -> Result<Colour, ConfigError> {
    let colour: Colour = text.parse().map_err(|fault| ConfigError::value(key, fault))?;
    match backgrounds.iter().find(|ground| colour.contrast(**ground) < NEEDED) {
        None => Ok(colour),
        Some(ground) => Err(ConfigError::value(
            key,
            format_args!(
                "expected a contrast of at least {} to the background {ground} (WCAG 2.2, AA), found {} with {colour}",
                Ratio(NEEDED),
                Ratio(colour.contrast(*ground)),
            ),
        )),
    }
}

/// A contrast in hundredths, formatted for people.
struct Ratio(u32);

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}:1", self.0 / 100, self.0 % 100)
    }
}

fn examples(examples: Vec<String>) -> Result<Vec<String>, ConfigError> {
    let key = "brand.examples";
    if examples.len() > MAX_EXAMPLES {
        let fault = format_args!("expected at most {MAX_EXAMPLES} texts, found {}", examples.len());
        return Err(ConfigError::value(key, fault));
    }
    examples.into_iter().map(|text| short(key, text, MAX_EXAMPLE)).collect()
}

/// Checks origins: scheme and host, with a port at most.
fn image_sources(sources: Vec<String>) -> Result<Vec<String>, ConfigError> {
    let refuse = |fault: &dyn fmt::Display| ConfigError::value("brand.image_sources", fault);
    if sources.len() > MAX_IMAGE_SOURCES {
        let found = sources.len();
        return Err(refuse(&format_args!(
            "expected at most {MAX_IMAGE_SOURCES} origins, found {found}"
        )));
    }
    let is_origin = |text: &str| ResolverRoot::parse(text).is_ok_and(|root| root.stem().is_empty());
    match sources.iter().find(|source| !is_origin(source)) {
        None => Ok(sources),
        Some(source) => Err(refuse(&format_args!(
            "expected an origin such as https://images.example.com, without a path, found {source:?}"
        ))),
    }
}

fn abuse(href: String) -> Result<String, ConfigError> {
    let rest = href.strip_prefix("https://").or_else(|| href.strip_prefix("mailto:"));
    match rest.is_some_and(|rest| !rest.is_empty()) && href.bytes().all(|it| it.is_ascii_graphic())
    {
        true => Ok(href),
        false => Err(ConfigError::value(
            "brand.abuse",
            format_args!(
                "expected an address that begins with https:// or mailto:, found {href:?}"
            ),
        )),
    }
}

fn footer_links(links: Vec<FooterLink>) -> Result<Vec<FooterLink>, String> {
    if links.len() > MAX_FOOTER_LINKS {
        return Err(format!("expected at most {MAX_FOOTER_LINKS} links, found {}", links.len()));
    }
    let mut checked = Vec::with_capacity(links.len());
    for (at, FooterLink { text, href }) in links.into_iter().enumerate() {
        let number = at + 1;
        let text = text.checked(MAX_NAME).map_err(|fault| format!("link {number}: {fault}"))?;
        let is_known = ["https://", "http://", "mailto:", "tel:"]
            .iter()
            .any(|scheme| href.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()));
        if !is_known || !href.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!(
                "link {number}: expected an address that begins with https://, http://, mailto: or tel:, found {href:?}"
            ));
        }
        checked.push(FooterLink { text, href });
    }
    Ok(checked)
}
