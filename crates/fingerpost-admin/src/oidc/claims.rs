//! Mapping from the values of a claim to permissions, according to the configuration.

use std::collections::BTreeMap;

use fingerpost_http::ServeError;
use fingerpost_registry::{Id, Membership, Role};
use openidconnect::AdditionalClaims;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::failure::setting;
use crate::config::OidcGrant;
use crate::limits::oidc::MAX_CLAIMED_NAME;

/// Claims that OpenID Connect Core 1.0 does not define itself.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Extra {
    #[serde(flatten)]
    members: Map<String, Value>,
}

impl AdditionalClaims for Extra {}

impl Extra {
    /// Returns the second since 1970 before which the token is not valid (RFC 7519 section 4.1.5).
    pub(super) fn not_before(&self) -> Option<i64> {
        self.members.get("nbf")?.as_i64()
    }

    /// Returns the values of a claim, which has one or a list of them; `None` if the claim is
    /// absent. A name that begins with a slash is a JSON pointer (RFC 6901), for providers that put
    /// lists into objects.
    pub(super) fn values(&self, claim: &str) -> Option<Vec<String>> {
        let found = match claim.strip_prefix('/') {
            None => self.members.get(claim)?,
            Some(rest) => {
                let (member, inner) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                self.members.get(member)?.pointer(inner)?
            }
        };
        let texts =
            |values: &[Value]| values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        Some(match found {
            Value::Array(values) => texts(values),
            one => texts(std::slice::from_ref(one)),
        })
    }
}

/// The memberships that the values of the claim grant.
#[derive(Debug)]
pub(super) struct Mapping(BTreeMap<String, Vec<Membership>>);

impl Mapping {
    pub(super) fn new(roles: &BTreeMap<String, Vec<OidcGrant>>) -> Result<Self, ServeError> {
        let read = |(value, grants): (&String, &Vec<OidcGrant>)| {
            let grants: Result<Vec<_>, ServeError> = grants.iter().map(membership).collect();
            Ok((value.clone(), grants?))
        };
        roles.iter().map(read).collect::<Result<_, ServeError>>().map(Self)
    }

    /// Returns one membership in each organisation, with the highest role.
    pub(super) fn memberships(&self, values: &[String]) -> Vec<Membership> {
        let mut highest: BTreeMap<Option<Id>, Role> = BTreeMap::new();
        for given in values.iter().filter_map(|value| self.0.get(value)).flatten() {
            let role = highest.entry(given.organisation).or_insert(given.role);
            *role = given.role.max(*role);
        }
        let member = |(organisation, role)| Membership { organisation, role };
        highest.into_iter().map(member).collect()
    }
}

fn membership(grant: &OidcGrant) -> Result<Membership, ServeError> {
    let organisation = match grant.organisation.as_str() {
        "installation" => None,
        id => Some(Id::parse(id).ok_or_else(|| {
            let message = "the organisation of a role must be `installation` or the id of an organisation, found";
            setting("admin.oidc", format!("{message} {id:?}"))
        })?),
    };
    Ok(Membership { organisation, role: grant.role })
}

/// Returns the first of these that can be displayed, truncated and on one line.
pub(super) fn name<'a>(candidates: impl IntoIterator<Item = Option<&'a str>>) -> String {
    let plain = |text: &str| {
        let kept =
            text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_CLAIMED_NAME);
        kept.collect::<String>().trim().to_owned()
    };
    let mut shown = candidates.into_iter().flatten().map(plain).filter(|text| !text.is_empty());
    shown.next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn extra(json: Value) -> Extra {
        serde_json::from_value(json).expect("claims")
    }

    #[test]
    fn a_claim_has_one_value_or_many() {
        let claims = extra(json!({
            "groups": ["a", 1, "b"], "role": "a", "odd": { "a": 1 }, "https://example.org/groups": ["c"],
            "realm": { "roles": ["d"], "x/y": "e" }
        }));
        let values = |claim: &str| claims.values(claim).map(|values| values.join(" "));
        for (claim, expected) in [
            ("groups", Some("a b")),
            ("role", Some("a")),
            ("odd", Some("")),
            ("https://example.org/groups", Some("c")),
            ("/realm/roles", Some("d")),
            ("/realm/x~1y", Some("e")),
            ("/realm/none", None),
            ("/", None),
            ("none", None),
            ("", None),
        ] {
            assert_eq!(values(claim).as_deref(), expected, "{claim}");
        }
    }

    #[test]
    fn each_organisation_gets_the_highest_role() {
        let id = Id::random();
        let grant =
            |organisation: &str, role| OidcGrant { organisation: organisation.to_owned(), role };
        let roles = BTreeMap::from([
            (
                "readers".to_owned(),
                vec![grant("installation", Role::Reader), grant(id.as_str(), Role::Reader)],
            ),
            ("editors".to_owned(), vec![grant(id.as_str(), Role::Editor)]),
        ]);
        let mapping = Mapping::new(&roles).expect("a mapping");
        let given = |values: &[&str]| {
            mapping.memberships(&values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>())
        };
        let reader = Membership { organisation: None, role: Role::Reader };
        let editor = Membership { organisation: Some(id), role: Role::Editor };
        assert_eq!(given(&["readers", "editors", "others"]), [reader, editor]);
        assert_eq!(given(&["editors", "editors"]), [editor]);
        assert_eq!(given(&["Editors", ""]), []);
        let wrong = BTreeMap::from([("x".to_owned(), vec![grant("First Ltd", Role::Reader)])]);
        let error = Mapping::new(&wrong).expect_err("no id").to_string();
        assert!(error.ends_with("found \"First Ltd\""), "{error}");
    }

    #[test]
    fn names_fit_on_a_line() {
        assert_eq!(name([None, Some(" \n"), Some("Ada\r\nLovelace"), Some("x")]), "Ada  Lovelace");
        assert_eq!(name([Some(&*"é".repeat(1000))]).chars().count(), MAX_CLAIMED_NAME);
        assert_eq!(name([None]), "");
    }
}
