//! Sends the mails that wait in the outbox of the store. Requests only put them there, and never
//! wait for a mail server.

use std::time::Duration;

use super::{Next, Service, Stop};
use crate::admin_side::RunningApi;
use crate::config::Config;
use crate::failure::Failure;
use crate::mail::Post;

/// How often the outbox is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Sends mails.
pub(crate) struct Mails {
    post: Post,
    api: RunningApi,
}

impl Mails {
    pub(crate) fn new(config: &Config, api: RunningApi) -> Result<Self, Failure> {
        let place = config.public.settings().root().host();
        Ok(Self { post: Post::new(&config.mail, place)?, api })
    }
}

impl Service for Mails {
    fn name(&self) -> &'static str {
        "mails"
    }

    /// Sends what is due. One that cannot be sent is due again later, so it delays no other.
    fn run(&self, stop: &Stop) -> Result<Next, Failure> {
        let Some(api) = self.api.get() else { return Ok(Next::After(LOOK)) };
        let registry = api.current().registry().clone();
        while !stop.wait(Duration::ZERO)
            && let Some(letter) = registry.next_letter().map_err(Failure::new)?
        {
            match self.post.deliver(&letter, registry.now()) {
                Ok(()) => registry.letter_sent(&letter.id).map_err(Failure::new)?,
                Err(error) => {
                    tracing::error!(mail = %letter.id, %error, "a mail was not sent; it is tried again");
                }
            }
        }
        Ok(Next::After(LOOK))
    }
}
