//! Builds the contents of an entry from checked texts.

use super::{Contents, ContextSource, DefaultAnswer, LIST_SEPARATOR, LinkRow, TextSpan};

/// A builder that collects texts and rows. Equal texts are stored once.
#[derive(Debug, Default)]
pub(crate) struct ContentsBuilder {
    text: String,
    spans: Vec<TextSpan>,
    rows: Vec<LinkRow>,
    description: TextSpan,
    default_answer: Option<DefaultAnswer>,
    context_source: Option<ContextSource>,
}

/// What a builder has collected at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    text: usize,
    spans: usize,
    rows: usize,
}

impl ContentsBuilder {
    pub(crate) fn new() -> ContentsBuilder {
        ContentsBuilder {
            text: String::with_capacity(512),
            spans: Vec::with_capacity(16),
            rows: Vec::with_capacity(8),
            description: TextSpan::default(),
            default_answer: None,
            context_source: None,
        }
    }

    pub(crate) fn set_default_answer(&mut self, answer: DefaultAnswer) {
        self.default_answer = Some(answer);
    }

    pub(crate) fn set_context_source(&mut self, source: ContextSource) {
        self.context_source = Some(source);
    }

    /// Sets the description, followed by pairs of a language tag and a text.
    pub(crate) fn set_description<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        self.description = self.list(texts);
    }

    /// Returns a mark, to which [`ContentsBuilder::go_back`] returns.
    pub(crate) fn mark(&self) -> Mark {
        Mark { text: self.text.len(), spans: self.spans.len(), rows: self.rows.len() }
    }

    /// Removes everything that was added after a mark.
    pub(crate) fn go_back(&mut self, mark: Mark) {
        self.text.truncate(mark.text);
        self.spans.truncate(mark.spans);
        self.rows.truncate(mark.rows);
    }

    pub(crate) fn push(&mut self, row: LinkRow) {
        self.rows.push(row);
    }

    /// Returns a text that was added.
    pub(crate) fn added(&self, span: TextSpan) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Adds a text; an empty one counts as no text.
    pub(crate) fn text(&mut self, text: &str) -> TextSpan {
        self.list(std::iter::once(text))
    }

    /// Adds a list of texts.
    pub(crate) fn list<'t>(&mut self, items: impl IntoIterator<Item = &'t str>) -> TextSpan {
        let start = self.text.len();
        for item in items {
            if self.text.len() > start {
                self.text.push(LIST_SEPARATOR);
            }
            self.text.push_str(item);
        }
        let added = &self.text[start..];
        if added.is_empty() {
            return TextSpan::default();
        }
        let known = self
            .spans
            .iter()
            .copied()
            .find(|span| self.text.get(span.start as usize..span.end as usize) == Some(added));
        if let Some(known) = known {
            self.text.truncate(start);
            return known;
        }
        // A record is far smaller than 4 GiB (`MAX_RECORD_BYTES`), and encoding it for a URL no
        // more than triples it.
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = TextSpan { start: offset(start), end: offset(self.text.len()) };
        self.spans.push(span);
        span
    }

    pub(crate) fn finish(self) -> Contents {
        let Self { text, description, rows, default_answer, context_source, .. } = self;
        Contents::new(text.into(), description, rows.into(), default_answer)
            .with_context_source(context_source)
    }
}
