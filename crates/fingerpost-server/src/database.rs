//! Stores in databases.

use std::path::{Path, PathBuf};
use std::{env, io};

use fingerpost_postgres::{DatabaseAddress, Postgres, PostgresOptions};
use fingerpost_store::{Store, StoreError, stored_record};

use crate::failure::Failure;

/// The beginnings of addresses of databases.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// Returns whether a text is meant as the address of a database.
pub fn is_address(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// Parses the address of a database. A password that it lacks comes from `PGPASSWORD`, or from the
/// file `PGPASSFILE` or `~/.pgpass`, as in programs of PostgreSQL.
pub fn parse(text: &str) -> Result<DatabaseAddress, Failure> {
    let address = DatabaseAddress::parse(text).map_err(|error| {
        Failure::advise(error, "write postgres://USER:PASSWORD@HOST/DATABASE?schema=NAME")
    })?;
    if address.has_password() {
        return Ok(address);
    }
    if let Some(password) = env::var("PGPASSWORD").ok().filter(|password| !password.is_empty()) {
        return Ok(address.with_password(&password));
    }
    let named = env::var_os("PGPASSFILE").filter(|file| !file.is_empty()).map(PathBuf::from);
    let is_named = named.is_some();
    let usual = || Some(PathBuf::from(env::var_os("HOME")?).join(".pgpass"));
    let Some(file) = named.or_else(usual) else { return Ok(address) };
    match read_passwords(&file) {
        Ok(text) => Ok(address.with_password_file(&text)),
        Err(_) if !is_named => Ok(address),
        Err(error) => Err(Failure::advise(
            format!("PGPASSFILE: cannot use `{}`: {error}", file.display()),
            "write HOST:PORT:DATABASE:USER:PASSWORD into it, and let only its owner read it (chmod 600)",
        )),
    }
}

/// Returns the text of a file with passwords, which only its owner can read.
fn read_passwords(file: &Path) -> io::Result<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            return Err(io::Error::other("others can read it"));
        }
    }
    std::fs::read_to_string(file)
}

/// Connects to a database, and creates its tables if they are missing.
pub fn engine(address: &DatabaseAddress) -> Result<Postgres, StoreError> {
    Ok(Postgres::open(address, PostgresOptions::default().describe(stored_record))?)
}

/// Opens the store in a database, with temporary files in a directory if one is named; creates the
/// store if the database has none.
pub fn store(address: &DatabaseAddress, scratch: Option<&Path>) -> Result<Store, StoreError> {
    let store = Store::over(engine(address)?)?;
    Ok(match scratch {
        Some(dir) => store.with_scratch(dir.to_owned()),
        None => store,
    })
}
