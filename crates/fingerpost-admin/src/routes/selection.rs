//! Levels that a request lists by their keys.

use axum::extract::Request;
use fingerpost_registry::{Caller, Fault, Level, LevelKey, Operation, Registry, RegistryError};
use fingerpost_resolver::Anchor;
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::body;
use crate::limits::MAX_SELECTED;
use crate::problem::AdminProblem;
use crate::state::App;

/// Some levels.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Selection {
    /// The levels, as paths.
    #[schema(value_type = Vec<LevelKey>, min_items = 1, max_items = 10000)]
    keys: Vec<String>,
}

impl Selection {
    /// Reads the body of a request.
    pub(super) async fn of_request(
        app: &App,
        caller: &Caller,
        request: Request,
    ) -> Result<Vec<Anchor>, AdminProblem> {
        // Any user with read permission; the permission for each level is checked when it is read.
        let selection: Self = body::document(app, caller, Operation::Explain, request).await?;
        selection.levels()
    }

    /// Returns the levels.
    pub(super) fn levels(&self) -> Result<Vec<Anchor>, AdminProblem> {
        let wrong = match self.keys.len() {
            0 => Some((StatusCode::UNPROCESSABLE_ENTITY, "invalid")),
            1..=MAX_SELECTED => None,
            _ => Some((StatusCode::PAYLOAD_TOO_LARGE, "too-large")),
        };
        if let Some((status, code)) = wrong {
            let detail = format!("expected 1 to {MAX_SELECTED} keys, found {}", self.keys.len());
            let fault = Fault::new("/keys", "selection", detail);
            return Err(AdminProblem::fault(status, code, fault));
        }
        let read = |(at, text): (usize, &String)| {
            Anchor::parse(text).map_err(|error| {
                let fault = Fault::new(pointer(at), error.code(), error.to_string());
                AdminProblem::fault(StatusCode::BAD_REQUEST, "invalid-key", fault)
            })
        };
        self.keys.iter().enumerate().map(read).collect()
    }
}

/// Returns a level; the problem of one that cannot be read says which.
pub(super) fn read(
    registry: &Registry,
    caller: &Caller,
    at: usize,
    level: &Anchor,
) -> Result<Level, AdminProblem> {
    registry.read(caller, level).map_err(|error| match error {
        RegistryError::NotFound => {
            let detail = format!("/{level} is not registered");
            fault(StatusCode::NOT_FOUND, "not-found", at, detail)
        }
        error => error.into(),
    })
}

/// Returns a problem with one level of a selection.
pub(super) fn fault(
    status: StatusCode,
    code: &'static str,
    at: usize,
    detail: String,
) -> AdminProblem {
    AdminProblem::fault(status, code, Fault::new(pointer(at), code, detail))
}

fn pointer(at: usize) -> String {
    format!("/keys/{at}")
}
