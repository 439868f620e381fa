//! The address of a database: a URL as `psql` takes it, with a schema and the way to encrypt.
//!
//! ```text
//! postgres://USER:PASSWORD@HOST:PORT[,HOST:PORT…]/DATABASE?schema=NAME&sslmode=MODE&sslrootcert=FILE
//! ```
//!
//! Three parameters are ours; the client reads the others as libpq does:
//!
//! | parameter | meaning |
//! |---|---|
//! | `schema` | the schema that holds all tables of the store; `fingerpost` by default |
//! | `sslmode` | `disable`, or `verify-full` (also written `require`): TLS with a verified certificate. Default: `disable` for a Unix socket and this machine, `verify-full` for all others |
//! | `sslrootcert` | a PEM file with the certificates of the authorities to trust, instead of those of the operating system |
//!
//! With several hosts, the first that accepts writes is used, so that a promoted replica is found.

use std::fmt;
use std::path::PathBuf;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::limits::{
    CONNECT, KEEPALIVE_IDLE, KEEPALIVE_INTERVAL, KEEPALIVE_PROBES, MAX_SCHEMA, UNACKNOWLEDGED,
};
use crate::password::{self, Login};

/// The schema of the tables, unless the address names another one.
const SCHEMA: &str = "fingerpost";
/// The port of a server, unless the address names another one.
pub(crate) const PORT: u16 = 5432;

/// The address of the database of a store.
#[derive(Clone)]
pub struct DatabaseAddress {
    config: Config,
    /// The same for each host alone.
    hosts: Vec<(String, Config)>,
    schema: String,
    encryption: Encryption,
}

/// How a connection is encrypted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Encryption {
    Never,
    /// Verifies the certificate of the server with those in the file, or with those of the
    /// operating system.
    Verified(Option<PathBuf>),
}

/// An address that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidAddress(String);

impl DatabaseAddress {
    /// Parses the URL of a database.
    pub fn parse(url: &str) -> Result<Self, InvalidAddress> {
        let fault = |text: String| Err(InvalidAddress(text));
        if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
            return fault("expected `postgres://…`".to_owned());
        }
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut schema, mut mode, mut roots) = (SCHEMA.to_owned(), None, None);
        let mut rest = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("schema", name)) => schema = name.to_owned(),
                Some(("sslmode", name)) => mode = Some(name.to_owned()),
                Some(("sslrootcert", file)) => roots = Some(PathBuf::from(decoded(file)?)),
                _ => rest.push(pair),
            }
        }
        if !is_name(&schema) {
            return fault(format!(
                "expected `schema` to be 1 to {MAX_SCHEMA} lower-case letters, digits and `_`, beginning with a letter, \
                 found `{}`",
                schema.escape_debug()
            ));
        }
        let mut config: Config = match format!("{base}?{}", rest.join("&")).parse() {
            Ok(config) => config,
            Err(error) => return fault(crate::fault::describe(&error)),
        };
        if config.get_hosts().is_empty() {
            return fault("expected the name of a host after `postgres://`".to_owned());
        }
        let encryption = match mode.as_deref() {
            Some("disable") => Encryption::Never,
            Some("verify-full" | "require") => Encryption::Verified(roots),
            None if config.get_hosts().iter().all(is_here) && roots.is_none() => Encryption::Never,
            None => Encryption::Verified(roots),
            Some(other) => {
                return fault(format!(
                    "expected `sslmode` to be `verify-full` or `disable`, found `{}`",
                    other.escape_debug()
                ));
            }
        };
        config.ssl_mode(match encryption {
            Encryption::Never => SslMode::Disable,
            Encryption::Verified(_) => SslMode::Require,
        });
        complete(&mut config);
        let hosts = hosts(&config);
        Ok(Self { config, hosts, schema, encryption })
    }

    /// Whether the address has a password.
    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    /// Sets the password, unless the address has one.
    pub fn with_password(mut self, password: &str) -> Self {
        if !self.has_password() {
            for (_, config) in &mut self.hosts {
                config.password(password);
            }
        }
        self
    }

    /// Looks up the password of each host in the text of a password file of libpq, unless the
    /// address has one.
    pub fn with_password_file(mut self, file: &str) -> Self {
        if self.has_password() {
            return self;
        }
        let user = self.config.get_user().unwrap_or_default();
        let database = self.config.get_dbname().unwrap_or(user);
        for (_, config) in &mut self.hosts {
            let host = match config.get_hosts() {
                [Host::Tcp(name)] => name.clone(),
                _ => "localhost".to_owned(), // a Unix socket, as libpq has it
            };
            let port = config.get_ports().first().copied().unwrap_or(PORT);
            let login = Login { host: &host, port, database, user };
            if let Some(password) = password::find(file, &login) {
                config.password(password);
            }
        }
        self
    }

    /// Returns how to connect to each host, with its name.
    pub(crate) fn hosts(&self) -> &[(String, Config)] {
        &self.hosts
    }

    pub(crate) fn schema(&self) -> &str {
        &self.schema
    }

    pub(crate) fn encryption(&self) -> &Encryption {
        &self.encryption
    }
}

/// Adds time limits and other settings that the address leaves open.
fn complete(config: &mut Config) {
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(UNACKNOWLEDGED);
    }
    config.keepalives(true).keepalives_idle(KEEPALIVE_IDLE);
    config.keepalives_interval(KEEPALIVE_INTERVAL).keepalives_retries(KEEPALIVE_PROBES);
    if config.get_application_name().is_none() {
        config.application_name("fingerpost");
    }
}

/// Returns the configuration of each host alone, with the name of the host. The client could try
/// all of them, but a host that accepts a connection and does not answer would keep it from the
/// next one.
fn hosts(all: &Config) -> Vec<(String, Config)> {
    let (names, addresses, ports) = (all.get_hosts(), all.get_hostaddrs(), all.get_ports());
    let one = |at: usize| {
        let mut config = Config::new();
        match &names[at] {
            Host::Tcp(name) => drop(config.host(name)),
            #[cfg(unix)]
            Host::Unix(path) => drop(config.host_path(path)),
        }
        addresses.get(at).map(|address| config.hostaddr(*address));
        ports.get(at).or(ports.first()).map(|port| config.port(*port));
        all.get_user().map(|user| config.user(user));
        all.get_password().map(|password| config.password(password));
        all.get_dbname().map(|name| config.dbname(name));
        all.get_options().map(|options| config.options(options));
        all.get_application_name().map(|name| config.application_name(name));
        all.get_connect_timeout().map(|limit| config.connect_timeout(*limit));
        all.get_tcp_user_timeout().map(|limit| config.tcp_user_timeout(*limit));
        config.keepalives(all.get_keepalives()).keepalives_idle(all.get_keepalives_idle());
        all.get_keepalives_interval().map(|interval| config.keepalives_interval(interval));
        all.get_keepalives_retries().map(|retries| config.keepalives_retries(retries));
        config.ssl_mode(all.get_ssl_mode()).ssl_negotiation(all.get_ssl_negotiation());
        config.channel_binding(all.get_channel_binding());
        (shown(&names[at], ports.get(at).or(ports.first()).copied()), config)
    };
    (0..names.len()).map(one).collect()
}

/// Returns a host with its port as text.
fn shown(host: &Host, port: Option<u16>) -> String {
    let name = match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    };
    port.map_or_else(|| name.clone(), |port| format!("{name}:{port}"))
}

/// Whether connections to a host stay on this machine.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => ["localhost", "127.0.0.1", "::1"].contains(&name.as_str()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

fn is_name(name: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.len() <= MAX_SCHEMA
        && name.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
        && name.bytes().all(is_inner)
}

/// Decodes `%` escapes.
fn decoded(text: &str) -> Result<String, InvalidAddress> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let digits = rest.split_first_chunk::<2>();
        let byte = digits
            .and_then(|(digits, _)| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        let Some(byte) = byte else {
            return Err(InvalidAddress("expected two hexadecimal digits after `%`".to_owned()));
        };
        bytes.push(byte);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).map_err(|_| InvalidAddress("expected UTF-8 after `%`".to_owned()))
}

/// Writes the address without user and password, as it is shown in messages.
impl fmt::Display for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        let hosts: Vec<&str> = self.hosts.iter().map(|(host, _)| host.as_str()).collect();
        f.write_str(&hosts.join(","))?;
        write!(f, "/{}", self.config.get_dbname().unwrap_or_default())?;
        if self.schema == SCHEMA { Ok(()) } else { write!(f, "?schema={}", self.schema) }
    }
}

impl fmt::Debug for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

impl fmt::Display for InvalidAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the address of the database is invalid: {}", self.0)
    }
}

impl std::error::Error for InvalidAddress {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address =
            DatabaseAddress::parse("postgres://ada:secret@db.example.com:6432/links?schema=a1")
                .unwrap();
        assert_eq!(address.to_string(), "postgres://db.example.com:6432/links?schema=a1");
        assert!(!format!("{address:?}").contains("secret"));
        let two = DatabaseAddress::parse("postgresql://ada:secret@one,two:5433/links").unwrap();
        assert_eq!(two.to_string(), "postgres://one:5432,two:5433/links");
    }

    #[test]
    fn a_password_comes_from_the_address_or_else_from_elsewhere() {
        let passwords = |address: &DatabaseAddress| -> Vec<Option<String>> {
            let of =
                |config: &Config| Some(String::from_utf8(config.get_password()?.to_vec()).unwrap());
            address.hosts().iter().map(|(_, config)| of(config)).collect()
        };
        let some = |text: &str| Some(text.to_owned());
        let file = "one:5432:links:ada:first\n*:5433:links:ada:second\n";
        let without = DatabaseAddress::parse("postgres://ada@one,two:5433/links").unwrap();
        let _ = passwords(&without);
        assert!(!without.has_password());
        assert_eq!(passwords(&without.clone().with_password("p")), [some("p"), some("p")]);
        let one =
            DatabaseAddress::parse("postgres://ada@one/links").unwrap().with_password_file(file);
        assert_eq!(passwords(&one), [some("first")]);
        let other = DatabaseAddress::parse("postgres://ada@two:5433/links")
            .unwrap()
            .with_password_file(file);
        assert_eq!(passwords(&other), [some("second")]);
        let own = DatabaseAddress::parse("postgres://ada:own@one/links").unwrap();
        assert!(own.has_password());
        let own = own.with_password("p").with_password_file(file);
        assert_eq!(passwords(&own), [some("own")]);
    }

    #[test]
    fn connections_to_other_machines_are_encrypted() {
        let encryption = |url| DatabaseAddress::parse(url).unwrap().encryption().clone();
        assert_eq!(encryption("postgres://localhost/a"), Encryption::Never);
        assert_eq!(encryption("postgres://%2Frun%2Fpg/a"), Encryption::Never);
        assert_eq!(encryption("postgres://db.example.com/a"), Encryption::Verified(None));
        assert_eq!(encryption("postgres://localhost,db/a"), Encryption::Verified(None));
        assert_eq!(encryption("postgres://db/a?sslmode=disable"), Encryption::Never);
        let file = Encryption::Verified(Some("/etc/my ca.pem".into()));
        assert_eq!(encryption("postgres://db/a?sslrootcert=/etc/my%20ca.pem"), file);
        let config = DatabaseAddress::parse("postgres://db/a").unwrap();
        assert_eq!(config.config.get_ssl_mode(), SslMode::Require);
        let both = DatabaseAddress::parse("postgres://ada:secret@one:1,two:2/a").unwrap();
        for (host, config) in both.hosts() {
            assert_eq!(config.get_ssl_mode(), SslMode::Require, "{host}");
            assert_eq!(config.get_password(), Some(&b"secret"[..]));
            assert_eq!(format!("two:{}", config.get_ports()[0]) == "two:2", host == "two:2");
        }
    }

    #[test]
    fn an_invalid_address_is_refused_with_the_reason() {
        let refused = |url: &str| DatabaseAddress::parse(url).unwrap_err().to_string();
        for (url, part) in [
            ("mysql://db/a", "expected `postgres://…`"),
            ("postgres:///a", "the name of a host"),
            ("postgres://db/a?schema=A", "`schema`"),
            ("postgres://db/a?schema=", "`schema`"),
            ("postgres://db/a?schema=x%22", "`schema`"),
            ("postgres://db/a?sslmode=prefer", "found `prefer`"),
            ("postgres://db/a?sslrootcert=%2", "two hexadecimal digits"),
            ("postgres://u:secret@db:port/a", "port"),
            ("postgres://db/a?nonsense=1", "nonsense"),
        ] {
            let text = refused(url);
            assert!(text.contains(part), "{url}: {text}");
            assert!(!text.contains("secret"), "{text}");
        }
    }
}
