//! A request and an answer, independent of any HTTP library.

/// A request to send.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// `GET`, `HEAD`, …
    pub method: String,
    /// Raw request target: path and query.
    pub target: String,
    /// Exactly the headers to send; none is added.
    pub headers: Vec<(String, String)>,
}

impl Ask {
    /// Creates a GET request without headers.
    pub fn get(target: &str) -> Self {
        Self { method: "GET".to_owned(), target: target.to_owned(), headers: Vec::new() }
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// A received answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Header lines in order.
    pub headers: Vec<(String, String)>,
    /// The body, with any transfer coding removed.
    pub body: Vec<u8>,
}

impl Answer {
    /// Returns all lines of a header joined by commas; `None` if there are none.
    pub fn header(&self, name: &str) -> Option<String> {
        let lines = self.headers.iter().filter(|(found, _)| found.eq_ignore_ascii_case(name));
        let values: Vec<&str> = lines.map(|(_, value)| value.as_str()).collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    /// Returns the body as text, with invalid UTF-8 replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Parses the body as JSON.
    pub fn json(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(&self.body).ok()
    }
}
