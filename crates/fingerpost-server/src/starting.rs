//! The first step of a start: sockets of the process manager, configuration, log, and the limit of
//! open files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fingerpost_http::Shutdown;
use jiff::Timestamp;

use crate::config::{self, Config, Overrides};
use crate::descriptors::Descriptors;
use crate::failure::Failure;
use crate::log::Log;
use crate::services::Supervisor;
use crate::services::process_manager::{Manager, StartTimeout, take_sockets};

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct Start {
    /// The configuration file.
    pub file: Option<PathBuf>,
    /// The flags of the command line.
    pub flags: Overrides,
    /// Whether this is a demo: on a temporary directory, beside other servers.
    pub is_demo: bool,
    /// Receives what the terminal shows.
    pub notice: fn(Notice<'_>),
}

/// What a server reports while it starts, and later.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'n> {
    /// The last server on this data directory was killed or crashed, so every page of the store is
    /// checked first.
    CheckingAfterCrash(&'n Path),
    /// The admin side answers at this address, after its database could be opened.
    AdminListening(&'n str),
}

/// A server that has read its configuration.
pub struct Starting {
    pub(crate) started: Timestamp,
    pub(crate) start: Start,
    pub(crate) config: Config,
    pub(crate) manager: Arc<Manager>,
    /// Asks the process manager for more time, until it is dropped: when the server answers.
    pub(crate) start_timeout: Supervisor,
    pub(crate) descriptors: Descriptors,
    pub(crate) log: Log,
}

impl Starting {
    /// Reads the configuration and starts the log.
    pub fn new(mut start: Start, now: Timestamp) -> Result<Self, Failure> {
        take_sockets(&mut start.flags)?;
        let config = config::load_with(start.file.as_deref(), &start.flags)?;
        let log = Log::start(&config.log)?;
        let manager = Arc::new(Manager::of_environment());
        let mut start_timeout = Supervisor::new(&Shutdown::new());
        start_timeout.start(Arc::new(StartTimeout(Arc::clone(&manager))))?;
        let descriptors = Descriptors::raise(&config);
        Ok(Self { started: now, start, config, manager, start_timeout, descriptors, log })
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the warnings to show.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        self.config.warnings().chain(self.descriptors.warning())
    }
}
