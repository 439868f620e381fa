//! A request in the form that the decision needs: the entity, and the preferences of the client.
//!
//! GS1-Conformant Resolver 1.2.0 sections 2.4 (path) and 2.6 (query and headers). The path can make
//! a request invalid; the query and the headers never can (RES-2.4-15, RES-2.6.2-5, ER-12).

use std::borrow::Cow;

use fingerpost_gs1::{EntityKey, percent};
use fingerpost_uri::urn::{Mode, Urn};

use crate::compressed::Compression;
use crate::{Refusal, ResolutionRequest, Settings, path};

/// A valid request.
#[derive(Clone, Debug)]
pub(crate) struct EntityRequest<'a> {
    entity: EntityKey,
    /// The path as received, without the stem and one trailing slash; empty if the request
    /// identifies its entity in another way.
    path: &'a [u8],
    query: Option<&'a [u8]>,
    link_type: Parameter<'a>,
    context: Parameter<'a>,
    accept: &'a [u8],
    accept_language: &'a [u8],
    /// Whether a locator is requested, so that `Accept` chooses among links and never asks for the
    /// linkset.
    wants_locator: bool,
    /// The uncompressed request that a compressed path stands for; `None` for nearly every
    /// request.
    twin: Option<Box<Twin>>,
}

/// The uncompressed request that a compressed one stands for (RES-2.3-8).
#[derive(Clone, Debug)]
struct Twin {
    compression: Compression,
    query: Option<Vec<u8>>,
    /// The number of bytes of `query` that came from the path.
    added: usize,
}

impl<'a> EntityRequest<'a> {
    /// Reads and checks a request.
    pub(crate) fn parse(
        settings: &Settings,
        asked: &ResolutionRequest<'a>,
    ) -> Result<Self, Refusal> {
        let (path, query) = asked.parts();
        let path::ParsedPath { entity, path, decompressed } = path::parse(settings, path)?;
        let (link_type, context) = read_query(query.unwrap_or_default());
        let request = Self {
            entity,
            path,
            query,
            link_type,
            context,
            accept: asked.accept,
            accept_language: asked.accept_language,
            wants_locator: false,
            twin: None,
        };
        Ok(match decompressed {
            None => request,
            Some(decompressed) => request.uncompressed(*decompressed),
        })
    }

    /// Creates a request for a key that was requested by `operand`, a name or a locator. Its
    /// parameters are those of a GS1 Digital Link: the query of a locator and the q-component
    /// of a name are passed on to the target (RFC 8141 section 2.3.2), the directives of a name
    /// are for the resolver only (URN draft of 2012, section 2.3).
    pub(crate) fn by_name(
        entity: EntityKey,
        asked: &ResolutionRequest<'a>,
        operand: &'a str,
    ) -> Self {
        let name = Urn::parse(operand, Mode::Auto).ok();
        let query = match name {
            Some(name) => name.query_component().map(|component| component.as_str().as_bytes()),
            None => query_of(operand),
        };
        let (link_type, context) = match name.filter(|name| name.mode() == Mode::Draft) {
            Some(name) => {
                let read = |keyword| match name.directives().effective(keyword) {
                    Some(value) => Parameter::read(value.as_bytes()),
                    None => Parameter::Absent,
                };
                (read("linkType"), read("context"))
            }
            None => read_query(query.unwrap_or_default()),
        };
        Self {
            entity,
            path: b"",
            query,
            link_type,
            context,
            accept: asked.accept,
            accept_language: asked.accept_language,
            wants_locator: false,
            twin: None,
        }
    }

    /// Returns the request for the linkset of the same entity.
    pub(crate) fn for_linkset(self) -> Self {
        Self { link_type: Parameter::Text(Cow::Borrowed("linkset")), ..self }
    }

    /// Returns the request for a locator of the same entity, whatever else `Accept` may ask for.
    pub(crate) fn for_locator(self) -> Self {
        Self { wants_locator: true, ..self }
    }

    /// Returns the same request for another key.
    pub(crate) fn about(mut self, entity: EntityKey) -> Self {
        self.entity = entity;
        self
    }

    /// Sets the context of a request that names none.
    pub(crate) fn set_context(&mut self, context: String) {
        self.context = Parameter::Text(Cow::Owned(context));
    }

    /// Returns the equivalent uncompressed request: the query in the path goes before the query of
    /// the request (RES-2.3-7).
    #[cold]
    fn uncompressed(mut self, from: path::Decompressed) -> Self {
        let added = from.query.map(String::into_bytes);
        let len = added.as_ref().map_or(0, Vec::len);
        let query = match (added, self.query.filter(|own| !own.is_empty())) {
            (Some(added), Some(own)) => Some([&added, b"&".as_slice(), own].concat()),
            (Some(added), None) => Some(added),
            (None, _) => self.query.map(<[u8]>::to_vec),
        };
        let (link_type, context) = read_query(query.as_deref().unwrap_or_default());
        (self.link_type, self.context) = (link_type.into_owned(), context.into_owned());
        let compression = from.compression;
        self.twin = Some(Box::new(Twin { compression, query, added: len }));
        self
    }

    /// Returns the entity that the request asks about.
    pub(crate) fn entity(&self) -> &EntityKey {
        &self.entity
    }

    /// Returns the path as received, without the stem and one trailing slash, or the canonical path
    /// if the request was compressed (RES-2.3-5) or made by name.
    pub(crate) fn path(&self) -> Cow<'_, [u8]> {
        if self.twin.is_none() && !self.path.is_empty() {
            return Cow::Borrowed(self.path);
        }
        Cow::Owned(format!("/{}", self.entity).into_bytes())
    }

    /// Returns the query as received, after what a compressed path held besides the entity
    /// (RES-2.3-7).
    pub(crate) fn query(&self) -> Option<&[u8]> {
        match &self.twin {
            None => self.query,
            Some(twin) => twin.query.as_deref(),
        }
    }

    /// Returns, for a compressed request, its compression, the path as received without the stem
    /// and one trailing slash, and the part of the query that was in the path.
    pub(crate) fn compressed(&self) -> Option<(Compression, &'a [u8], &[u8])> {
        let twin = self.twin.as_ref()?;
        let query = twin.query.as_deref().unwrap_or_default();
        Some((twin.compression, self.path, &query[..twin.added]))
    }

    /// Returns the decoded value of `linkType`, if one was given that can be decoded.
    pub(crate) fn link_type(&self) -> Option<&str> {
        self.link_type.text()
    }

    /// Returns the decoded value of `context`, if one was given that can be decoded.
    pub(crate) fn context(&self) -> Option<&str> {
        self.context.text()
    }

    /// Returns whether `Accept` and the operator's default answer may ask for the linkset.
    pub(crate) fn may_be_linkset(&self) -> bool {
        !self.wants_locator
    }

    pub(crate) fn link_type_parameter(&self) -> &Parameter<'a> {
        &self.link_type
    }

    pub(crate) fn context_parameter(&self) -> &Parameter<'a> {
        &self.context
    }

    pub(crate) fn accept(&self) -> &'a [u8] {
        self.accept
    }

    pub(crate) fn accept_language(&self) -> &'a [u8] {
        self.accept_language
    }
}

/// A query parameter that affects the decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Parameter<'a> {
    /// Not given, or given with an empty value.
    Absent,
    /// Given and decoded.
    Text(Cow<'a, str>),
    /// Given, but not decodable: a link type or context that no link has.
    Unreadable,
}

impl Parameter<'_> {
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Absent | Self::Unreadable => None,
        }
    }

    fn into_owned<'o>(self) -> Parameter<'o> {
        match self {
            Self::Absent => Parameter::Absent,
            Self::Text(text) => Parameter::Text(Cow::Owned(text.into_owned())),
            Self::Unreadable => Parameter::Unreadable,
        }
    }

    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    fn read(value: &[u8]) -> Parameter<'_> {
        if value.is_empty() {
            return Parameter::Absent;
        }
        if !value.contains(&b'%') {
            return std::str::from_utf8(value)
                .map_or(Parameter::Unreadable, |text| Parameter::Text(Cow::Borrowed(text)));
        }
        let mut decoded = Vec::new();
        match percent::decode(value, &mut decoded)
            .ok()
            .and_then(|()| String::from_utf8(decoded).ok())
        {
            Some(text) => Parameter::Text(Cow::Owned(text)),
            None => Parameter::Unreadable,
        }
    }
}

/// Returns the query of a URI.
fn query_of(uri: &str) -> Option<&[u8]> {
    let uri = uri.split('#').next().unwrap_or_default();
    uri.split_once('?').map(|(_, query)| query.as_bytes())
}

/// Reads `linkType` and `context` from a query (RES-2.6.2-5): names ignore ASCII case, the last
/// repeat wins, an empty value is no value, `&` and `;` separate, values are decoded once and `+`
/// stays `+`.
fn read_query(query: &[u8]) -> (Parameter<'_>, Parameter<'_>) {
    let (mut link_type, mut context) = (Parameter::Absent, Parameter::Absent);
    if query.is_empty() {
        return (link_type, context);
    }
    for piece in query.split(is_separator) {
        let (name, value) = name_and_value(piece);
        let Parameter::Text(name) = name else { continue };
        if name.eq_ignore_ascii_case(LINK_TYPE) {
            link_type = Parameter::read(value);
        } else if name.eq_ignore_ascii_case(CONTEXT) {
            context = Parameter::read(value);
        }
    }
    (link_type, context)
}

/// Returns a query without `linkType` and `context`, everything else as it is.
pub(crate) fn without_preferences(query: &[u8]) -> Vec<u8> {
    let is_preference = |piece: &[u8]| match name_and_value(piece).0.text() {
        Some(name) => name.eq_ignore_ascii_case(LINK_TYPE) || name.eq_ignore_ascii_case(CONTEXT),
        None => false,
    };
    let mut kept = Vec::with_capacity(query.len());
    let mut begins_at = 0;
    for piece in query.split(is_separator) {
        let end = begins_at + piece.len();
        if !is_preference(piece) {
            // With the separator before it, unless nothing is before it.
            let start = if kept.is_empty() { begins_at } else { begins_at.saturating_sub(1) };
            kept.extend_from_slice(&query[start..end]);
        }
        begins_at = end + 1;
    }
    kept
}

fn is_separator(byte: &u8) -> bool {
    matches!(byte, b'&' | b';')
}

fn name_and_value(piece: &[u8]) -> (Parameter<'_>, &[u8]) {
    let end = piece.iter().position(|&b| b == b'=').unwrap_or(piece.len());
    (Parameter::read(&piece[..end]), piece.get(end + 1..).unwrap_or_default())
}

const LINK_TYPE: &str = "linkType";
const CONTEXT: &str = "context";

#[cfg(test)]
mod tests {
    use super::without_preferences;

    // RES-2.12-1
    #[test]
    fn attributes_stay_as_they_are() {
        for (query, expected) in [
            ("", ""),
            ("a=1&a=2&&b=", "a=1&a=2&&b="),
            ("linkType=gs1:pip", ""),
            ("linkType=gs1:pip&17=261231;3103=2", "17=261231;3103=2"),
            ("17=261231;LINKTYPE=x&%63ontext=CH&b", "17=261231&b"),
            ("17=261231&context=CH", "17=261231"),
            ("%ZZ&linktypes=1", "%ZZ&linktypes=1"),
        ] {
            let kept = without_preferences(query.as_bytes());
            assert_eq!(String::from_utf8_lossy(&kept), expected, "{query}");
        }
    }
}
