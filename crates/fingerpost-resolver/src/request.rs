//! A request in the form that the decision needs: the entity, and the preferences of the client.
//!
//! GS1-Conformant Resolver 1.2.0 sections 2.4 (path) and 2.6 (query and headers). The path can make a
//! request invalid; the query and the headers never can (RES-2.4-15, RES-2.6.2-5, ER-12).

use std::borrow::Cow;

use fingerpost_gs1::{EntityKey, percent};

use crate::compressed::Compression;
use crate::{Asked, Refusal, Settings, path};

/// A valid request.
#[derive(Clone, Debug)]
pub(crate) struct EntityRequest<'a> {
    entity: EntityKey,
    /// The path as received, without the stem and one trailing slash; empty if the request identifies its entity in another way.
    path: &'a [u8],
    query: Option<&'a [u8]>,
    link_type: Parameter<'a>,
    context: Parameter<'a>,
    accept: &'a [u8],
    accept_language: &'a [u8],
    /// The uncompressed request that a compressed path stands for; `None` for nearly every request.
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
    ///
    /// # Errors
    ///
    /// The reason the path is not a Digital Link that this resolver serves.
    pub(crate) fn parse(settings: &Settings, asked: &Asked<'a>) -> Result<Self, Refusal> {
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
            twin: None,
        };
        Ok(match decompressed {
            None => request,
            Some(decompressed) => request.uncompressed(*decompressed),
        })
    }

    /// Creates a request for a key that was requested by name: for its linkset in the form that the client accepts, or for its
    /// default link, which does not depend on `Accept` (RFC 2169 section 3).
    pub(crate) fn by_name(entity: EntityKey, asked: &Asked<'a>, wants_linkset: bool) -> Self {
        let link_type = if wants_linkset {
            Parameter::Text(Cow::Borrowed("linkset"))
        } else {
            Parameter::Absent
        };
        Self {
            entity,
            path: b"",
            query: None,
            link_type,
            context: Parameter::Absent,
            accept: if wants_linkset { asked.accept } else { b"" },
            accept_language: asked.accept_language,
            twin: None,
        }
    }

    /// Returns the same request for another key.
    pub(crate) fn about(mut self, entity: EntityKey) -> Self {
        self.entity = entity;
        self
    }

    /// Returns the equivalent uncompressed request: the query in the path goes before the query of the request (RES-2.3-7).
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

    /// Returns the path as received, without the stem and one trailing slash, or the canonical path if the request was
    /// compressed (RES-2.3-5) or made by name.
    pub(crate) fn path(&self) -> Cow<'_, [u8]> {
        if self.twin.is_none() && !self.path.is_empty() {
            return Cow::Borrowed(self.path);
        }
        Cow::Owned(format!("/{}", self.entity).into_bytes())
    }

    /// Returns the query as received, after what a compressed path held besides the entity (RES-2.3-7).
    pub(crate) fn query(&self) -> Option<&[u8]> {
        match &self.twin {
            None => self.query,
            Some(twin) => twin.query.as_deref(),
        }
    }

    /// Returns, for a compressed request, its compression, the path as received without the stem and one trailing slash, and
    /// the part of the query that was in the path.
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

/// Reads `linkType` and `context` from a query (RES-2.6.2-5): names ignore ASCII case, the last repeat wins, an empty value is
/// no value, `&` and `;` separate, values are decoded once and `+` stays `+`.
fn read_query(query: &[u8]) -> (Parameter<'_>, Parameter<'_>) {
    let (mut link_type, mut context) = (Parameter::Absent, Parameter::Absent);
    if query.is_empty() {
        return (link_type, context);
    }
    for piece in query.split(|&b| b == b'&' || b == b';') {
        let end = piece.iter().position(|&b| b == b'=').unwrap_or(piece.len());
        let value = piece.get(end + 1..).unwrap_or_default();
        let Parameter::Text(name) = Parameter::read(&piece[..end]) else { continue };
        if name.eq_ignore_ascii_case("linkType") {
            link_type = Parameter::read(value);
        } else if name.eq_ignore_ascii_case("context") {
            context = Parameter::read(value);
        }
    }
    (link_type, context)
}
