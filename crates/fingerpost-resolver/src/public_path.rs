//! The paths at the root of the host that are not identifiers (RES-2.4-18): home page, privacy,
//! files that pages load, health, the resolver description file (GS1-Conformant Resolver 1.2.0
//! section 3; RFC 8615), the own context file, robots.

use std::borrow::Cow;

use fingerpost_gs1::percent;

use crate::Settings;

/// A path that is not an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PublicPath {
    /// The home page.
    Home,
    /// The liveness check: whether the process runs.
    Health,
    /// The readiness check: whether the process can answer.
    Ready,
    /// The privacy page.
    Privacy,
    /// The rules for crawlers.
    Robots,
    /// Where to report vulnerabilities (RFC 9116).
    Security,
    /// The resolver description file.
    Description,
    /// This resolver's own JSON-LD context file.
    Context,
    /// The style sheet of the pages.
    Style,
    /// The icon of the pages.
    Icon,
    /// The operator's logo.
    Logo,
    /// The logo of an organisation.
    OrganisationLogo,
    /// The picture of the sample data.
    Sample,
    /// The public keys that answers are signed with.
    Keys,
    /// A reserved path without content: 404.
    Unassigned,
}

impl PublicPath {
    /// The path of the liveness check.
    pub const HEALTH: &str = "/health";

    /// The path of the readiness check.
    pub const READY: &str = "/ready";

    /// The path of the style sheet.
    pub const STYLE: &str = "/.well-known/fingerpost/style.css";

    /// The path of the security contact (RFC 9116).
    pub const SECURITY: &str = "/.well-known/security.txt";

    /// The path of the logo.
    pub const LOGO: &str = "/.well-known/fingerpost/logo";

    /// The path of the logos of organisations; the query names one.
    pub const ORGANISATION_LOGO: &str = "/.well-known/fingerpost/organisation-logo";

    /// The path of the picture of the sample data.
    pub const SAMPLE: &str = "/.well-known/fingerpost/sample.svg";

    /// The path of the public keys (draft-meunier-http-message-signatures-directory).
    pub const KEYS: &str = "/.well-known/http-message-signatures-directory";

    /// Returns the public path that a request asks for, if any. No public path begins with a digit.
    pub(crate) fn of(settings: &Settings, path: &[u8]) -> Option<Self> {
        let path = &*unreserved(std::str::from_utf8(path).ok()?);
        let public = settings.public_side();
        Some(match path {
            "/" => Self::Home,
            Self::HEALTH => Self::Health,
            Self::READY => Self::Ready,
            "/privacy" if public.has_privacy => Self::Privacy,
            "/robots.txt" => Self::Robots,
            Self::SECURITY if settings.security_contact().is_some() => Self::Security,
            "/favicon.ico" => Self::Icon,
            "/.well-known/gs1resolver" => Self::Description,
            Self::STYLE => Self::Style,
            Self::LOGO if public.has_logo => Self::Logo,
            Self::ORGANISATION_LOGO => Self::OrganisationLogo,
            Self::SAMPLE => Self::Sample,
            Self::KEYS if public.has_keys => Self::Keys,
            _ if settings.own_context() == Some(path) => Self::Context,
            _ if is_below(path, "/.well-known") => Self::Unassigned,
            _ => return None,
        })
    }

    /// Returns a description of the content in words.
    pub fn description(self) -> &'static str {
        match self {
            Self::Home => "the home page",
            Self::Health => "whether the server runs",
            Self::Ready => "whether the server can answer",
            Self::Privacy => "the page about privacy",
            Self::Robots => "the rules for crawlers",
            Self::Security => "where to report vulnerabilities",
            Self::Description => "the resolver description file",
            Self::Context => "the JSON-LD context of linksets",
            Self::Style => "the style sheet of the pages",
            Self::Icon => "the icon of the pages",
            Self::Logo => "the logo of the pages",
            Self::OrganisationLogo => "the logo of an organisation",
            Self::Sample => "the picture of the sample data",
            Self::Keys => "the public keys that answers are signed with",
            Self::Unassigned => "a reserved path with nothing at it",
        }
    }

    /// Returns whether process managers and proxies request it rather than clients.
    pub fn is_for_operators(self) -> bool {
        matches!(self, Self::Health | Self::Ready)
    }
}

/// Returns a path with its triplets of unreserved characters decoded, which are the same as the
/// characters (RFC 3986 section 6.2.2.2).
fn unreserved(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find('%') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let octet = percent::triplet(after.as_bytes())
            .filter(|&octet| octet.is_ascii_alphanumeric() || b"-._~".contains(&octet));
        let length = match octet {
            Some(octet) => {
                out.push(char::from(octet));
                3
            }
            None => {
                out.push('%');
                1
            }
        };
        rest = &after[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns whether a path is `root` or below it.
pub(crate) fn is_below(path: &str, root: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
