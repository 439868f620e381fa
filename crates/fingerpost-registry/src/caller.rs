//! The caller of an operation, and its client.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::limits::MAX_USER_AGENT;
use crate::secret::digest;
use crate::{Id, Secret};

/// The caller of an operation. It holds no permissions: every operation reads them again, so
/// revoked ones are no longer valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    pub(crate) actor: Actor,
    pub(crate) name: String,
    /// The session that authenticates a user.
    pub(crate) session: Option<String>,
    /// The number of the secret that authenticates a key, counted from 1.
    pub(crate) secret: Option<u32>,
    pub(crate) client: ClientInfo,
}

impl Caller {
    /// Creates the caller of a command on the machine that holds the data: anyone with write access
    /// to the data directory can do everything.
    ///
    /// ```
    /// use fingerpost_registry::Caller;
    ///
    /// assert_eq!(Caller::local("import").actor().to_string(), "local:import");
    /// ```
    pub fn local(command: &'static str) -> Caller {
        Caller {
            actor: Actor::Local(command.into()),
            name: String::new(),
            session: None,
            secret: None,
            client: ClientInfo::new(Via::CommandLine),
        }
    }

    /// Returns the actor.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// Returns the display name: the name of a user, the label of a key. Can be empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the id of the session that authenticates a user.
    pub fn session_id(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Returns the client address and the way of the request.
    pub fn client(&self) -> &ClientInfo {
        &self.client
    }
}

/// Who did something.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Actor {
    /// A user, by id.
    User(Id),
    /// A key, by id.
    Key(Id),
    /// A command on the machine that holds the data, by name.
    Local(String),
}

impl Actor {
    /// A regular expression (ECMA-262) for the text form of actors.
    #[cfg(feature = "schema")]
    pub(crate) const PATTERN: &str = "^((user|key):[0-9a-z]{26}|local:.*)$";

    /// Parses the output of `Display`.
    pub fn parse(text: &str) -> Option<Actor> {
        let (kind, name) = text.split_once(':')?;
        match kind {
            "user" => Id::parse(name).map(Actor::User),
            "key" => Id::parse(name).map(Actor::Key),
            "local" => Some(Actor::Local(name.to_owned())),
            _ => None,
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Actor::User(id) => write!(f, "user:{id}"),
            Actor::Key(id) => write!(f, "key:{id}"),
            Actor::Local(command) => write!(f, "local:{command}"),
        }
    }
}

impl Serialize for Actor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Actor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Actor, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Actor::parse(&text).ok_or_else(|| serde::de::Error::custom("expected an actor"))
    }
}

/// The client of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientInfo {
    pub(crate) via: Via,
    pub(crate) address: Option<IpAddr>,
    pub(crate) user_agent: Option<String>,
    /// SHA-256 of the token of its device.
    pub(crate) device: Option<String>,
}

impl ClientInfo {
    /// Creates a client without further data.
    pub fn new(via: Via) -> ClientInfo {
        ClientInfo { via, address: None, user_agent: None, device: None }
    }

    /// Sets its address.
    pub fn address(self, address: IpAddr) -> ClientInfo {
        ClientInfo { address: Some(address), ..self }
    }

    /// Sets its user agent, cut at 200 bytes.
    pub fn user_agent(self, user_agent: &str) -> ClientInfo {
        let cut = user_agent.floor_char_boundary(MAX_USER_AGENT);
        ClientInfo { user_agent: Some(user_agent[..cut].to_owned()), ..self }
    }

    /// Sets the token of its device, which an earlier sign-in gave it.
    pub fn device(self, token: &Secret) -> ClientInfo {
        ClientInfo { device: Some(digest(token.expose())), ..self }
    }

    /// Returns the network of one subscriber that its address belongs to: an IPv4 address, or the
    /// first 64 bits of an IPv6 address.
    pub fn network(&self) -> Option<[u8; 8]> {
        self.address.map(|address| match address.to_canonical() {
            IpAddr::V4(address) => {
                let [a, b, c, d] = address.octets();
                [0, 0, 0, 0, a, b, c, d]
            }
            IpAddr::V6(address) => {
                let mut prefix = [0; 8];
                prefix.copy_from_slice(&address.octets()[..8]);
                prefix
            }
        })
    }

    /// Returns the kind of client in a few known words, which do not tell one user from another.
    pub(crate) fn kind(&self) -> String {
        let agent = self.user_agent.as_deref().unwrap_or_default();
        let find = |names: &[(&str, &'static str)]| {
            names.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name)
        };
        match (find(&PROGRAMS), find(&SYSTEMS)) {
            (Some(program), Some(system)) => format!("{program} on {system}"),
            (Some(program), None) => program.to_owned(),
            (None, _) => "another program".to_owned(),
        }
    }

    /// Returns the way of the request.
    pub fn via(&self) -> Via {
        self.via
    }
}

/// The way of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Via {
    /// The admin API.
    Api,
    /// The console in a browser.
    Console,
    /// The command line on the machine of the data.
    CommandLine,
}

impl Via {
    pub(crate) fn parse(text: &str) -> Option<Via> {
        [Via::Api, Via::Console, Via::CommandLine].into_iter().find(|via| via.as_str() == text)
    }

    /// Returns the name in audit records.
    pub fn as_str(self) -> &'static str {
        match self {
            Via::Api => "api",
            Via::Console => "console",
            Via::CommandLine => "command-line",
        }
    }
}

/// Marks of programs in user agents. The first one counts, because browsers also name those that
/// they resemble.
const PROGRAMS: [(&str, &str); 7] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrom", "Chrome"),
    ("Safari/", "Safari"),
    ("fingerpost", "fingerpost"),
    ("curl/", "curl"),
];

/// Marks of operating systems in user agents.
const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];
