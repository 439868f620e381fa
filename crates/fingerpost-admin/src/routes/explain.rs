//! Explanations of the public side's answer to a request, also for drafts.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use fingerpost_insight::CountryCode;
use fingerpost_registry::{ExplainOptions, LevelKey, Operation, Registry, RegistryError};
use fingerpost_resolver::{
    Answer, Explanation, Format, Outcome, ResolutionRequest, Settings, Viewer,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::body;
use crate::credential::Who;
use crate::problem::AdminProblem;
use crate::query::{Instant, level_key};
use crate::response::{Invalid, ok};
use crate::state::App;

/// A request to the public side.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ExplainRequest)]
pub(crate) struct ExplainBody {
    /// The level as a path.
    #[serde(default)]
    #[schema(value_type = Option<LevelKey>, example = "01/09506000134352")]
    key: Option<String>,
    /// The request target, path and query, as a client sends it: `/health`,
    /// `/urn/urn:isbn:0451450523`. It replaces `key`, `linkType` and `context`; without it and
    /// without `key`, the home page is explained.
    #[serde(default)]
    target: Option<String>,
    /// The query parameter `linkType`.
    #[serde(default)]
    link_type: Option<String>,
    /// The query parameter `context`.
    #[serde(default)]
    context: Option<String>,
    /// The header field `Accept`.
    #[serde(default)]
    accept: Option<String>,
    /// The header field `Accept-Language`.
    #[serde(default)]
    accept_language: Option<String>,
    /// The instant (RFC 3339); the current time by default.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    at: Option<Instant>,
    /// Roles that the sender of the request has proven; none: the public.
    #[serde(default)]
    #[schema(required = false, example = json!(["recycler"]))]
    roles: Vec<String>,
    /// The country of the client, as ISO 3166-1 alpha-2 code; without it, it is not known.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "CA")]
    country: Option<CountryCode>,
    /// Records that replace the registered ones.
    #[serde(default)]
    #[schema(value_type = Vec<fingerpost_resolver::schema::Record>, required = false)]
    records: Vec<Box<RawValue>>,
}

/// The response of the public side.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Explained)]
pub(crate) struct ExplainedBody {
    /// Status code.
    status: u16,
    /// Header fields, in lower case.
    #[schema(value_type = Object)]
    headers: serde_json::Map<String, Value>,
    /// The linkset or the list of URIs, where the answer has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// Levels read, candidates and rules, step by step.
    #[schema(value_type = Object)]
    explanation: Value,
}

/// Returns the answer of the public listener, with the reasons.
#[utoipa::path(
    post, path = "/v1/explain", operation_id = "explainRequest", tag = "service",
    request_body = ExplainBody,
    responses((status = 200, description = "The response of the public side.", body = ExplainedBody), Invalid)
)]
pub(crate) async fn explain(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    request: Request,
) -> Result<Response, AdminProblem> {
    let asked: ExplainBody = body::document(&app, &caller, Operation::Explain, request).await?;
    let settings = app.config().site().settings.clone();
    let target = target(&settings, &asked)?;
    let explained = app.call(move |registry: &Registry| -> Result<_, RegistryError> {
        let request = ResolutionRequest {
            target: target.as_bytes(),
            accept: asked.accept.as_deref().unwrap_or("").as_bytes(),
            accept_language: asked.accept_language.as_deref().unwrap_or("").as_bytes(),
            ..ResolutionRequest::default()
        };
        let options = ExplainOptions {
            at: asked.at.map(|at| at.0),
            drafts: asked.records.iter().map(|record| record.get().as_bytes().to_vec()).collect(),
            viewer: Viewer::with_roles(asked.roles),
            country: asked.country.map(|country| country.to_string()),
        };
        let explained = registry.explain(&caller, &settings, request, &options, answer)?;
        Ok(ok(&explained))
    });
    explained.await
}

/// The request target to explain.
fn target(settings: &Settings, asked: &ExplainBody) -> Result<String, AdminProblem> {
    let (link_type, context) = (asked.link_type.as_deref(), asked.context.as_deref());
    match (&asked.key, &asked.target) {
        (_, Some(target)) => Ok(target.clone()),
        (None, None) => Ok("/".to_owned()),
        (Some(key), None) => {
            let anchor = level_key(key)?;
            let Some(key) = anchor.entity() else {
                let detail = "this record applies to many keys: request one of them, with a value of the qualifier";
                return Err(AdminProblem::bad_request("invalid-key", detail));
            };
            Ok(format!("{}/{key}{}", settings.root().stem(), query(link_type, context)))
        }
    }
}

/// The query as a client would write it, with its question mark; empty if there is none.
fn query(link_type: Option<&str>, context: Option<&str>) -> String {
    let named = [("linkType", link_type), ("context", context)];
    let pairs = named.into_iter().filter_map(|(name, value)| {
        // A colon is allowed in a query, and link types are easier to read with it.
        Some(format!("{name}={}", fingerpost_uri::encode(value?).replace("%3A", ":")))
    });
    let pairs: Vec<_> = pairs.collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

fn answer(answer: &Answer<'_>, explanation: &Explanation) -> ExplainedBody {
    let (body, content_type) = match answer.outcome() {
        Outcome::Uris(list) => (Some(list.clone()), Some("text/uri-list")),
        _ => answer.linkset().map_or((None, None), |(linkset, format)| {
            let body = match format {
                Format::JsonLd => linkset.to_json_ld(),
                Format::LinksetText => linkset.to_link_text(),
                Format::Html | Format::LinksetJson | Format::Json => linkset.to_json(),
            };
            (Some(body), Some(format.media_type()))
        }),
    };
    let negotiated = body.is_some() || answer.location().is_some();
    let cached = answer.freshness().cache_control().filter(|_| negotiated);
    let mut headers = serde_json::Map::new();
    let mut put = |name: &str, value: Option<&str>| {
        headers.extend(value.map(|value| (name.to_owned(), value.into())));
    };
    put("location", answer.location());
    put("link", answer.link().as_deref());
    put("content-type", content_type);
    put("cache-control", cached.as_deref());
    let vary = answer.country_header().map(|name| format!("Accept, Accept-Language, {name}"));
    let vary = vary.as_deref().unwrap_or("Accept, Accept-Language");
    put("vary", negotiated.then_some(vary));
    let explanation = serde_json::to_value(explanation).unwrap_or_default();
    ExplainedBody { status: answer.status(), headers, body, explanation }
}
