//! The answer of the public side to a request, and why; also for drafts.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use fingerpost_registry::{LevelKey, Registry, RegistryError};
use fingerpost_resolver::{Format, Linkset, RawRequest, Resolution};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::body::Json;
use crate::credential::Who;
use crate::problem::Problem;
use crate::query::{Instant, level_key};
use crate::response::ok;
use crate::state::App;

/// A request to the public side.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ExplainRequest)]
pub(crate) struct ExplainBody {
    /// The level as a path.
    #[schema(value_type = LevelKey, example = "01/09506000134352")]
    key: String,
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
    /// The linkset, where the answer has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// Levels read, candidates and rules, step by step.
    #[schema(value_type = Object)]
    explanation: Value,
}

/// Returns what the public side would answer, and why.
#[utoipa::path(
    post, path = "/v1/explain", operation_id = "explainRequest", tag = "service",
    request_body = ExplainBody,
    responses((status = 200, description = "The response of the public side.", body = ExplainedBody))
)]
pub(crate) async fn explain(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Json(asked): Json<ExplainBody>,
) -> Result<Response, Problem> {
    let key = level_key(&asked.key)?;
    let settings = app.config().settings().clone();
    let explained = app.call(move |registry: &Registry| -> Result<_, RegistryError> {
        let path = format!("{}/{}", settings.root().stem(), key.as_str());
        let query = query(asked.link_type.as_deref(), asked.context.as_deref());
        let request = RawRequest {
            path: path.as_bytes(),
            query: query.as_deref().map(str::as_bytes),
            accept: asked.accept.as_deref().unwrap_or("").as_bytes(),
            accept_language: asked.accept_language.as_deref().unwrap_or("").as_bytes(),
        };
        let drafts: Vec<Vec<u8>> =
            asked.records.iter().map(|record| record.get().as_bytes().to_vec()).collect();
        registry.explain(
            &caller,
            &settings,
            request,
            asked.at.map(|at| at.0),
            &drafts,
            |explanation, found| {
                let explanation = serde_json::to_value(explanation).unwrap_or_default();
                answer(explanation, found)
            },
        )
    });
    Ok(ok(&explained.await?))
}

/// The query as a client would write it.
fn query(link_type: Option<&str>, context: Option<&str>) -> Option<String> {
    let named = [("linkType", link_type), ("context", context)];
    let pairs = named.into_iter().filter_map(|(name, value)| {
        let mut pair = format!("{name}=");
        for byte in value?.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b':' => {
                    pair.push(char::from(byte));
                }
                other => pair.push_str(&format!("%{other:02X}")),
            }
        }
        Some(pair)
    });
    let pairs: Vec<_> = pairs.collect();
    (!pairs.is_empty()).then(|| pairs.join("&"))
}

fn answer(explanation: Value, resolution: &Resolution<'_>) -> ExplainedBody {
    let mut headers = serde_json::Map::new();
    let mut linkset = |linkset: &Linkset<'_>, format: Format| {
        headers.insert("content-type".into(), format.media_type().into());
        headers.insert("vary".into(), "Accept, Accept-Language".into());
        match format {
            Format::JsonLd => linkset.to_json_ld(),
            _ => linkset.to_json(),
        }
    };
    let (status, body) = match resolution {
        Resolution::Redirect(redirect) => {
            headers.insert("location".into(), redirect.location().into());
            headers.insert("vary".into(), "Accept, Accept-Language".into());
            (307, None)
        }
        Resolution::Choices(found, format) => (300, Some(linkset(found, *format))),
        Resolution::Linkset(found, format) => (200, Some(linkset(found, *format))),
        Resolution::LinkTypeNotAvailable(found, format) | Resolution::NoDefault(found, format) => {
            (404, Some(linkset(found, *format)))
        }
        Resolution::Unknown => (404, None),
    };
    ExplainedBody { status, headers, body, explanation }
}
