//! The vocabulary of links, for forms that offer its terms.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use fingerpost_resolver::{AddedTerm, GS1_PREFIX, RoleParts, Term, TermClass, gs1_terms};
use serde::Serialize;
use utoipa::ToSchema;

use crate::credential::Who;
use crate::problem::AdminProblem;
use crate::response::ok;
use crate::state::App;

/// Link types, namespaces and context values of this installation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Vocabulary)]
pub(crate) struct VocabularyBody {
    /// The link types of the GS1 Web Vocabulary.
    link_types: Vec<LinkTypeBody>,
    /// The namespaces of other link types.
    namespaces: Vec<NamespaceBody>,
    /// The declared context values; null if any value is allowed.
    contexts: Option<Vec<String>>,
    /// The roles that links can be restricted to.
    roles: Vec<RoleBody>,
    /// Whether `POST /v1/signed-links` is possible: roles are declared, and there is a secret.
    signed_links: bool,
    /// Whether `defaultLinkType` of a record can set the answer to a request without a link type.
    default_link_type_by_record: bool,
}

/// A role that links can be restricted to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LinkRole)]
pub(crate) struct RoleBody {
    /// The name, as in `access` of a link.
    #[schema(example = "recycler")]
    name: String,
    /// Titles by language.
    title: BTreeMap<String, String>,
}

/// A link type.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LinkType)]
pub(crate) struct LinkTypeBody {
    /// The link type as in records.
    #[schema(example = "gs1:pip")]
    id: String,
    /// The full IRI.
    iri: String,
    /// A short title.
    title: String,
    /// A description.
    description: &'static str,
    /// The class: `free`, `system`, `regulated` or `deprecated`.
    class: &'static str,
    /// Whether you can use it.
    allowed: bool,
}

/// A namespace of link types.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Namespace)]
pub(crate) struct NamespaceBody {
    prefix: String,
    iri: String,
}

/// Returns the vocabulary of records.
#[utoipa::path(
    get, path = "/v1/vocabulary", operation_id = "readVocabulary", tag = "service",
    responses((status = 200, description = "The vocabulary.", body = VocabularyBody))
)]
pub(crate) async fn vocabulary(
    State(app): State<Arc<App>>,
    Who(caller): Who,
) -> Result<Response, AdminProblem> {
    let abilities = app.call(move |registry| registry.abilities(&caller)).await?;
    let regulated = abilities.iter().any(|ability| ability.regulated);
    let registry = app.registry();
    let has_secret = !app.config().site().settings.signing_secrets().is_empty();
    let builtin = gs1_terms().iter().map(|term| link_type(term, regulated));
    let added = registry.vocabulary().added_terms().iter().map(added_link_type);
    let namespaces = registry.vocabulary().namespaces().iter().map(|namespace| NamespaceBody {
        prefix: namespace.prefix().to_owned(),
        iri: namespace.iri().to_owned(),
    });
    Ok(ok(&VocabularyBody {
        link_types: builtin.chain(added).collect(),
        namespaces: namespaces.collect(),
        contexts: Some(registry.context_values().to_vec()).filter(|values| !values.is_empty()),
        roles: registry.roles().iter().map(role).collect(),
        signed_links: has_secret && registry.roles().iter().next().is_some(),
        default_link_type_by_record: registry.default_by_record(),
    }))
}

fn role(role: &RoleParts) -> RoleBody {
    RoleBody { name: role.name.clone(), title: role.title.clone() }
}

fn link_type(term: &Term, regulated: bool) -> LinkTypeBody {
    let (class, allowed) = match term.class() {
        TermClass::Regulated => ("regulated", regulated),
        TermClass::System => ("system", true),
        TermClass::Deprecated => ("deprecated", true),
        TermClass::Free => ("free", true),
    };
    LinkTypeBody {
        id: format!("{GS1_PREFIX}{}", term.name()),
        iri: term.iri().to_owned(),
        title: term.title().to_owned(),
        description: term.description(),
        class,
        allowed,
    }
}

/// Returns a type of `link_types_file`, of which only the name and the title are known.
fn added_link_type(term: &AddedTerm) -> LinkTypeBody {
    LinkTypeBody {
        id: format!("{GS1_PREFIX}{}", term.name()),
        iri: term.iri().to_owned(),
        title: term.title().to_owned(),
        description: "",
        class: "free",
        allowed: true,
    }
}
