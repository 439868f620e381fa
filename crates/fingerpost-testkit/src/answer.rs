//! A request and an answer, free of any HTTP library.

/// What is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// `GET`, `HEAD`, …
    pub method: String,
    /// Raw request target: path and query.
    pub target: String,
    /// Exactly these headers; none is added.
    pub headers: Vec<(String, String)>,
}

impl Ask {
    /// A GET without headers.
    #[must_use]
    pub fn get(target: &str) -> Self {
        Self { method: "GET".to_owned(), target: target.to_owned(), headers: Vec::new() }
    }

    /// The same with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// What comes back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Header lines in order.
    pub headers: Vec<(String, String)>,
    /// The body, undone of any transfer coding.
    pub body: Vec<u8>,
}

impl Answer {
    /// All lines of a header joined by commas; `None` if there is none.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        let lines = self.headers.iter().filter(|(found, _)| found.eq_ignore_ascii_case(name));
        let values: Vec<&str> = lines.map(|(_, value)| value.as_str()).collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    /// The body as text, what is not UTF-8 replaced.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(&self.body).ok()
    }
}
