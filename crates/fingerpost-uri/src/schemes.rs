//! Scheme-specific rules for the comparison of URIs (RFC 3986, section 6.2.3), as an extensible
//! table.

/// The rules of one scheme.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SchemeRules<'a> {
    scheme: &'a str,
    default_port: Option<u16>,
    empty_path_is_slash: bool,
    default_host: Option<&'a str>,
    mail_domain: bool,
}

impl<'a> SchemeRules<'a> {
    /// Creates a scheme (in lower case) without rules.
    pub const fn new(scheme: &'a str) -> Self {
        Self {
            scheme,
            default_port: None,
            empty_path_is_slash: false,
            default_host: None,
            mail_domain: false,
        }
    }

    /// Sets the default port, which can be omitted.
    #[must_use]
    pub const fn default_port(self, port: u16) -> Self {
        Self { default_port: Some(port), ..self }
    }

    /// Declares that an empty path after an authority means `/`.
    #[must_use]
    pub const fn empty_path_is_slash(self) -> Self {
        Self { empty_path_is_slash: true, ..self }
    }

    /// Sets the default host, which can be omitted.
    #[must_use]
    pub const fn default_host(self, host: &'a str) -> Self {
        Self { default_host: Some(host), ..self }
    }

    /// Declares that the path is a mail address, whose domain is compared case-insensitively.
    #[must_use]
    pub const fn mail_domain(self) -> Self {
        Self { mail_domain: true, ..self }
    }

    /// Returns whether `port` can be omitted: an empty port in every scheme, otherwise the default
    /// port, compared as a number.
    pub(crate) fn drops_port(&self, port: &str) -> bool {
        // The port may have any number of leading zeros, so digits are compared, not a parsed
        // number.
        port.is_empty()
            || self
                .default_port
                .is_some_and(|default| port.trim_start_matches('0').parse() == Ok(default))
    }

    pub(crate) fn drops_host(&self, host: &str) -> bool {
        self.default_host.is_some_and(|default| default.eq_ignore_ascii_case(host))
    }

    pub(crate) const fn empty_path_means_slash(&self) -> bool {
        self.empty_path_is_slash
    }

    pub(crate) const fn has_mail_domain(&self) -> bool {
        self.mail_domain
    }
}

/// The rules of several schemes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schemes<'a> {
    rules: &'a [SchemeRules<'a>],
    slash_for_all: bool,
}

/// The built-in schemes.
const BUILTIN: &[SchemeRules<'static>] = &[
    SchemeRules::new("http").default_port(80).empty_path_is_slash(),
    SchemeRules::new("https").default_port(443).empty_path_is_slash(),
    SchemeRules::new("ws").default_port(80).empty_path_is_slash(),
    SchemeRules::new("wss").default_port(443).empty_path_is_slash(),
    SchemeRules::new("ftp").default_port(21).empty_path_is_slash(),
    SchemeRules::new("file").default_host("localhost"),
    SchemeRules::new("mailto").mail_domain(),
];

impl Schemes<'static> {
    /// The built-in schemes: `http`, `https`, `ws`, `wss`, `ftp`, `file`, `mailto`.
    pub const BUILTIN: Self = Schemes { rules: BUILTIN, slash_for_all: false };
}

impl<'a> Schemes<'a> {
    /// Creates a custom table.
    pub const fn new(rules: &'a [SchemeRules<'a>]) -> Self {
        Self { rules, slash_for_all: false }
    }

    /// Treats an empty path after an authority as `/` in every scheme, as section 6.2.3 says "in
    /// general". Not the default: for an unknown scheme it could make two different URIs equal.
    #[must_use]
    pub const fn slash_for_all(self) -> Self {
        Self { slash_for_all: true, ..self }
    }

    /// Returns the rules of `scheme`, in any letter case; no rules for a scheme that is not in the
    /// table.
    pub(crate) fn rules(&self, scheme: &'a str) -> SchemeRules<'a> {
        let rules = self.rules.iter().find(|rules| rules.scheme.eq_ignore_ascii_case(scheme));
        let rules = rules.copied().unwrap_or(SchemeRules::new(scheme));
        SchemeRules {
            empty_path_is_slash: rules.empty_path_is_slash || self.slash_for_all,
            ..rules
        }
    }
}
