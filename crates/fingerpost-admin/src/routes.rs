//! The routes. Each handler has its own description; together these form the description of the
//! API.

#![allow(unused_qualifications, reason = "utoipa's attribute qualifies the types that it is given")]

mod accounts;
mod audit;
mod batch;
mod change_sets;
mod check;
mod explain;
mod export;
mod feed;
mod history;
mod imports;
mod insight;
mod invitations;
mod keys;
mod label;
mod levels;
mod links;
mod oidc;
mod outlet;
mod proposals;
mod recalls;
mod search;
mod selection;
mod service;
mod session;
mod sessions;
mod sheet;
mod signed_links;
mod vocabulary;
mod webhooks;

pub(crate) use service::{documents, html, json, style};

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::App;

/// The routes that need no credential.
pub(crate) fn open() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(service::health))
        .routes(routes!(service::ready))
        .routes(routes!(service::openapi))
        .routes(routes!(service::docs))
        .routes(routes!(session::current, session::sign_in, session::sign_out))
        .routes(routes!(oidc::start))
        .routes(routes!(oidc::callback))
        .routes(routes!(invitations::accept))
        .routes(routes!(invitations::request_reset))
        .routes(routes!(invitations::finish_reset))
}

/// The routes that need a credential.
pub(crate) fn protected() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(levels::list))
        .routes(routes!(levels::count))
        .routes(routes!(levels::deleted))
        .routes(routes!(levels::read, levels::put, levels::patch, levels::delete))
        .routes(routes!(history::history))
        .routes(routes!(history::state))
        .routes(routes!(history::differences))
        .routes(routes!(history::restore))
        .routes(routes!(history::changes))
        .routes(routes!(change_sets::list))
        .routes(routes!(change_sets::read))
        .routes(routes!(change_sets::undo))
        .routes(routes!(history::count))
        .routes(routes!(feed::head))
        .routes(routes!(feed::changes))
        .routes(routes!(feed::records))
        .routes(routes!(feed::digest))
        .routes(routes!(batch::batch))
        .routes(routes!(recalls::list, recalls::recall))
        .routes(routes!(recalls::end))
        .routes(routes!(imports::import))
        .routes(routes!(export::export, export::export_selection))
        .routes(routes!(export::template))
        .routes(routes!(explain::explain))
        .routes(routes!(check::check))
        .routes(routes!(search::search))
        .routes(routes!(label::label))
        .routes(routes!(links::list))
        .routes(routes!(insight::read))
        .routes(routes!(sheet::sheet))
        .routes(routes!(signed_links::sign))
        .routes(routes!(vocabulary::vocabulary))
        .routes(routes!(service::configuration))
        .routes(routes!(service::metrics))
        .routes(routes!(service::status))
        .routes(routes!(accounts::organisations, accounts::create_organisation))
        .routes(routes!(
            accounts::organisation,
            accounts::update_organisation,
            accounts::delete_organisation
        ))
        .routes(routes!(accounts::usage))
        .routes(routes!(accounts::suspend, accounts::reinstate))
        .routes(routes!(accounts::set_brand, accounts::remove_brand))
        .routes(routes!(invitations::list, invitations::invite))
        .routes(routes!(invitations::revoke))
        .routes(routes!(invitations::resend))
        .routes(routes!(keys::keys, keys::create))
        .routes(routes!(keys::key, keys::revoke))
        .routes(routes!(keys::rotate))
        .routes(routes!(accounts::users, accounts::create_user))
        .routes(routes!(accounts::user, accounts::update_user, accounts::erase_user))
        .routes(routes!(accounts::confirm_user))
        .routes(routes!(webhooks::list, webhooks::create))
        .routes(routes!(webhooks::read, webhooks::update, webhooks::delete))
        .routes(routes!(webhooks::rotate))
        .routes(routes!(webhooks::test))
        .routes(routes!(webhooks::replay))
        .routes(routes!(webhooks::deliveries))
        .routes(routes!(proposals::list))
        .routes(routes!(proposals::read))
        .routes(routes!(proposals::approve))
        .routes(routes!(proposals::reject))
        .routes(routes!(audit::records))
        .routes(routes!(audit::verify))
        .routes(routes!(session::change_password))
        .routes(routes!(session::accept_terms))
        .routes(routes!(sessions::list, sessions::end_others))
        .routes(routes!(sessions::end))
        .routes(routes!(sessions::begin_totp, sessions::confirm_totp))
        .routes(routes!(sessions::remove_totp))
        .routes(routes!(sessions::reset_totp))
}
