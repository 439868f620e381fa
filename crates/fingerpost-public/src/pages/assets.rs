//! The files that pages load from us: the style sheet in the colours of the operator, the icon, the
//! logo.

use bytes::Bytes;
use data_encoding::BASE64;
use fingerpost_http::{conditional, gzip};
use fingerpost_resolver::{Freshness, PublicPath, logo_type};
use http::header::{self, HeaderMap, HeaderValue};
use http::{Response, StatusCode};

use crate::config::{Brand, Colour, DARK, LIGHT, NEEDED};
use crate::{Body, headers, respond};

const STYLE: &str = include_str!("style.css");
const ICON: &str = include_str!("icon.svg");
const SAMPLE: &str = include_str!("sample.svg");

const CSS: HeaderValue = HeaderValue::from_static("text/css; charset=utf-8");
const SVG: HeaderValue = HeaderValue::from_static("image/svg+xml");

/// Content security policy of a picture: no scripts and no loading, even if opened by itself.
const DISARMED: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox");

/// A body that does not change while the server runs.
#[derive(Debug)]
pub(crate) struct File {
    content_type: HeaderValue,
    body: Tagged,
    /// The body compressed, if that is worthwhile for its text.
    gzip: Option<Tagged>,
}

#[derive(Debug)]
struct Tagged {
    bytes: Bytes,
    etag: HeaderValue,
}

impl File {
    pub(crate) fn new(content_type: HeaderValue, body: impl Into<Bytes>) -> Self {
        let tagged = |bytes: Bytes| Tagged { etag: conditional::etag(&bytes), bytes };
        let body = body.into();
        let is_text = content_type.as_bytes().starts_with(b"text/");
        let gzip = is_text.then(|| gzip::compress(&body)).flatten().map(tagged);
        Self { content_type, body: tagged(body), gzip }
    }

    pub(crate) fn respond(&self, freshness: Freshness, asked: &HeaderMap) -> Response<Body> {
        let mut fields = headers::base();
        fields.insert(header::CONTENT_TYPE, self.content_type.clone());
        headers::cache(&mut fields, freshness);
        let mut body = &self.body;
        if let Some(packed) = &self.gzip {
            fields.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
            if gzip::is_wanted(asked) {
                fields.insert(header::CONTENT_ENCODING, gzip::CODING);
                body = packed;
            }
        }
        let response = respond::with_body(StatusCode::OK, fields, body.bytes.clone());
        conditional::unless_same(response, body.etag.clone(), asked)
    }

    /// Returns a short name of the content: the beginning of its validator.
    fn version(&self) -> &str {
        let etag = self.body.etag.to_str().unwrap_or_default().trim_matches('"');
        etag.get(..VERSION).unwrap_or(etag)
    }
}

/// Number of characters of a version: 48 bits distinguish the style sheets of one installation.
const VERSION: usize = 12;

/// The address and size of a picture.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) path: String,
    /// Width and height in pixels, of a PNG.
    pub(super) size: Option<(u32, u32)>,
}

#[derive(Debug)]
pub(super) struct Assets {
    style: File,
    style_path: String,
    icon: File,
    sample: File,
    logo: Option<(File, Picture)>,
}

impl Assets {
    pub(super) fn new(brand: &Brand) -> Self {
        let accent = brand.accent().to_string();
        let style = File::new(CSS, style_sheet(brand.accent(), brand.accent_dark()));
        let logo = brand.logo().map(|logo| {
            let file = File::new(
                HeaderValue::from_static(logo.content_type()),
                Bytes::copy_from_slice(logo.bytes()),
            );
            let path = versioned(PublicPath::LOGO, &file);
            (file, Picture { path, size: png_size(logo.bytes()) })
        });
        Self {
            style_path: versioned(PublicPath::STYLE, &style),
            style,
            icon: File::new(SVG, ICON.replace("%ACCENT%", &accent)),
            sample: File::new(SVG, SAMPLE),
            logo,
        }
    }

    /// Returns the address of the style sheet, for pages.
    pub(super) fn style(&self) -> &str {
        &self.style_path
    }

    /// Returns the address of the style sheet in the colour of an organisation.
    pub(super) fn style_of(&self, accent: Colour) -> String {
        let hex = accent.to_string();
        [PublicPath::STYLE, "?", ACCENT, hex.trim_start_matches('#'), "&v=", self.style.version()]
            .concat()
    }

    pub(super) fn logo(&self) -> Option<&Picture> {
        self.logo.as_ref().map(|(_, picture)| picture)
    }

    /// Returns the style sheet, the logo, or else the icon.
    pub(super) fn respond(
        &self,
        path: PublicPath,
        query: Option<&str>,
        asked: &HeaderMap,
    ) -> Response<Body> {
        let query = query.unwrap_or_default();
        let (accent, version) = match query.split_once('&') {
            Some((accent, version)) => (accent.strip_prefix(ACCENT), version),
            None => (None, query),
        };
        let accent = accent.filter(|_| path == PublicPath::Style);
        let accent = accent.and_then(|hex| format!("#{hex}").parse::<Colour>().ok());
        if let Some(accent) = accent {
            let is_present = version.strip_prefix("v=") == Some(self.style.version());
            let file = File::new(CSS, style_sheet(accent, accent.lightened_for(&DARK, NEEDED)));
            return file.respond(Freshness::of_asset(is_present), asked);
        }
        let file = match (path, &self.logo) {
            (PublicPath::Style, _) => &self.style,
            (PublicPath::Logo, Some((logo, _))) => logo,
            (PublicPath::Sample, _) => &self.sample,
            _ => &self.icon,
        };
        let is_present = query.strip_prefix("v=") == Some(file.version());
        let mut response = file.respond(Freshness::of_asset(is_present), asked);
        if path != PublicPath::Style {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, DISARMED);
        }
        response
    }
}

/// Returns the response with the logo of an organisation, a file in Base64; `None` if it is none.
pub(super) fn organisation_logo(
    base64: &str,
    version: &str,
    asked: &HeaderMap,
) -> Option<Response<Body>> {
    let bytes = BASE64.decode(base64.as_bytes()).ok()?;
    let file = File::new(HeaderValue::from_static(logo_type(&bytes)?), bytes);
    // The registry names a logo by the same digest.
    let freshness = Freshness::of_asset(version == file.version());
    let mut response = file.respond(freshness, asked);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, DISARMED);
    Some(response)
}

/// The parameter with the colour of an organisation.
const ACCENT: &str = "accent=";

/// Returns the style sheet in a colour, and a shade of it for dark pages. Buttons have the colour
/// itself, with text that can be read on it; links have a shade that is dark enough.
fn style_sheet(accent: Colour, accent_dark: Colour) -> String {
    STYLE
        .replace("%ACCENT%", &accent.darkened_for(&LIGHT, NEEDED).to_string())
        .replace("%FILL%", &accent.to_string())
        .replace("%ON_FILL%", &accent.text_on(NEEDED).to_string())
        .replace("%ACCENT_DARK%", &accent_dark.to_string())
}

fn versioned(path: &str, file: &File) -> String {
    [path, "?v=", file.version()].concat()
}

/// Returns width and height from the first chunk of a PNG (PNG specification, section 11.2.2).
fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| {
        let four = bytes.get(at..at + 4)?;
        Some(u32::from_be_bytes(four.try_into().ok()?))
            .filter(|number| (1..=10_000).contains(number))
    };
    if bytes.get(12..16)? != b"IHDR" {
        return None;
    }
    Some((number(16)?, number(20)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The colours that contrast is checked against are those of the style sheet.
    #[test]
    fn the_backgrounds_are_those_of_the_style_sheet() {
        let (light, dark) = STYLE.split_once("@media").expect("two schemes");
        let dark = dark.split('\n').next().expect("one line");
        for (scheme, [back, raised]) in [(light, LIGHT), (dark, DARK)] {
            assert!(scheme.contains(&format!("--back:{back};--raised:{raised};")), "{scheme}");
        }
    }

    /// Every pair of text and background that the style sheet uses has the contrast of WCAG 2.2 AA,
    /// and edges of fields 3:1.
    #[test]
    fn all_colours_can_be_read() {
        let (light, dark) = STYLE.split_once("@media").expect("two schemes");
        let colour = |scheme: &str, name: &str| {
            let rest = scheme.split(&format!("--{name}:")).nth(1).expect(name);
            rest[..7].parse::<Colour>().expect(name)
        };
        for scheme in [light, dark.split('\n').next().expect("one line")] {
            for (text, back, needed) in [
                ("text", "back", 700),
                ("text", "raised", 700),
                ("soft", "back", 450),
                ("soft", "raised", 450),
                ("bad", "bad-back", 450),
                ("bad", "back", 450),
                ("text", "bad-back", 450),
                ("text", "note-back", 450),
                ("soft", "bad-back", 450),
                ("good", "back", 450),
                ("edge", "back", 300),
            ] {
                let ratio = colour(scheme, text).contrast(colour(scheme, back));
                assert!(ratio >= needed, "{text} on {back}: {ratio}");
            }
        }
    }

    #[test]
    fn the_style_sheet_loads_nothing() {
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }

    #[test]
    fn sizes_of_pictures() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend([0, 0, 1, 0, 0, 0, 0, 64]);
        assert_eq!(png_size(&png), Some((256, 64)));
        assert_eq!(png_size(b"<svg/>"), None);
    }
}
