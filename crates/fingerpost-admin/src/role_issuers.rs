//! The configuration of issuers of tokens that prove roles on the public side.

use std::collections::BTreeMap;

use fingerpost_options::options;
use serde::Deserialize;

options! {
    /// Who issues the bearer tokens that prove roles on the public side.
    pub struct RoleOptions {
        /// Issuers of JWT (RFC 9068) that prove roles, in builds with the feature `oidc`; others
        /// refuse to start with them. `issuer`: its address, `https://` except on this machine,
        /// whose description (OpenID Connect Discovery 1.0) names its keys. `audience`: what its
        /// tokens for this resolver have in `aud`. `claim`: the claim with the values that `roles`
        /// maps to names of `[[roles]]`; `/realm_access/roles` names a member of an object.
        role_issuers: Vec<RoleIssuerParts>,
            example r#"[{ issuer = "https://login.example.org", audience = "https://id.example.org", claim = "groups", roles = { "certified-recyclers" = "recycler" } }]"#;
    }
}

/// One entry of `role_issuers`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleIssuerParts {
    /// Address of the issuer, exactly as its description names it.
    pub issuer: String,
    /// The audience that its tokens must have.
    pub audience: String,
    /// The claim with the values that are mapped.
    #[serde(default = "groups")]
    pub claim: String,
    /// Role by value of the claim.
    pub roles: BTreeMap<String, String>,
}

fn groups() -> String {
    "groups".to_owned()
}
