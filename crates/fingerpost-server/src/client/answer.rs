//! Answers of a server.

use serde::Deserialize;
use ureq::http::Response;

use crate::failure::Failure;

/// The answer to a request.
#[derive(Debug)]
pub struct ApiAnswer {
    response: Response<()>,
    body: Vec<u8>,
}

impl ApiAnswer {
    /// Creates an answer whose body has been read.
    pub fn new(response: Response<()>, body: Vec<u8>) -> Self {
        Self { response, body }
    }

    /// Returns whether the request succeeded.
    pub fn is_success(&self) -> bool {
        self.response.status().is_success()
    }

    /// Returns the status code.
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Returns a header whose value is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// Returns the name and value of each cookie that is set.
    pub fn cookies(&self) -> String {
        let values = self.response.headers().get_all("set-cookie").iter();
        let cookies = values.filter_map(|value| value.to_str().ok()?.split(';').next());
        cookies.collect::<Vec<_>>().join("; ")
    }

    /// Returns the bytes of the body.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Parses the body as JSON.
    pub fn json<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Failure> {
        serde_json::from_slice(&self.body).map_err(|error| {
            Failure::advise(
                format!("expected the answer of an admin listener, found something else ({error})"),
                "check the address: the public side listens elsewhere; or update this program",
            )
        })
    }
}
