//! Accounts of the admin side at start: a note if there are none yet, and the account of the demo.

use std::io::Write;
use std::path::Path;

use data_encoding::BASE64;
use fingerpost_registry::{
    Caller, Membership, NewBrand, NewOrganisation, NewUser, Registry, RegistryError, Role, Secret,
};

use crate::admin::refused;
use crate::failure::Failure;
use crate::output::NOTE;
use crate::secret;

/// The account that a demo creates, with a password for this run.
pub(super) struct DemoAccount {
    pub(super) login: &'static str,
    pub(super) password: Secret,
}

/// Company prefix of the sample records: the one that GS1 reserves for examples.
const DEMO_PREFIX: &str = "9520123";

/// The logo of the company that makes the sample products.
const DEMO_LOGO: &[u8] = include_bytes!("../../demo/logo.svg");

/// Creates the account of the demo, and the organisation that owns the sample records.
pub(super) fn create_demo(registry: &Registry) -> Result<DemoAccount, Failure> {
    let account = DemoAccount { login: "demo", password: secret::random()? };
    let caller = Caller::local("demo");
    let organisation = NewOrganisation {
        name: "Example Teas".to_owned(),
        prefixes: vec![DEMO_PREFIX.to_owned()],
        ..NewOrganisation::default()
    };
    let user = NewUser {
        login: account.login.to_owned(),
        name: "Demo".to_owned(),
        password: Some(account.password.clone()),
        memberships: vec![Membership { organisation: None, role: Role::Admin }],
    };
    let brand = NewBrand {
        name: Some("Alpine Herbs".to_owned()),
        accent: Some("#2f6b52".to_owned()),
        logo: Some(Some(BASE64.encode(DEMO_LOGO))),
        ..NewBrand::default()
    };
    let organisation = registry.create_organisation(&caller, organisation).map_err(refused)?;
    registry.set_brand(&caller, &organisation.id, brand).map_err(refused)?;
    registry.create_user(&caller, user).map_err(refused)?;
    Ok(account)
}

/// Prints the command that creates the first account, if there is no account.
pub(super) fn note_missing(registry: &Registry, data: &Path) -> Result<(), Failure> {
    let is_missing = || -> Result<bool, RegistryError> {
        let caller = Caller::local("serve");
        Ok(registry.users(&caller, None, 1)?.items.is_empty()
            && registry.keys(&caller, None, None, 1)?.items.is_empty())
    };
    if is_missing().map_err(refused)? {
        let _ = writeln!(
            anstream::stderr(),
            "{NOTE}note{NOTE:#}: nobody can sign in at the admin side yet: `fingerpost admin create --data {} \
             --login NAME` makes the first account, also while the server runs",
            data.display()
        );
    }
    Ok(())
}
