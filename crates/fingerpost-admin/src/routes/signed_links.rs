//! Signed links: proof of roles for somebody without an account.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use fingerpost_registry::{NewSignedLink, Operation, SignedLink};

use crate::body;
use crate::credential::Who;
use crate::problem::AdminProblem;
use crate::response::{Conflict, Invalid, ok};
use crate::state::App;

/// Makes a link to a level that shows what some roles may see, until a time.
///
/// It is not stored and cannot be listed; the audit log notes that it was made. It ends at its
/// time, or when the operator removes the secret that signed it.
#[utoipa::path(
    post, path = "/v1/signed-links", operation_id = "signLink", tag = "levels",
    request_body = NewSignedLink,
    responses((status = 200, description = "The link.", body = SignedLink), Conflict, Invalid)
)]
pub(crate) async fn sign(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    request: Request,
) -> Result<Response, AdminProblem> {
    let new: NewSignedLink = body::document(&app, &caller, Operation::SignLink, request).await?;
    let settings = app.config().site().settings.clone();
    let signed = app.call(move |registry| registry.sign_link(&caller, &settings, &new)).await?;
    Ok(ok(&signed))
}
