//! A Digital Link URI that owns its text, for parsers of other notations.

use alloc::string::String;
use alloc::vec::Vec;

use super::parse::{self, Layout, Parser};
use super::{DigitalLink, Warning};
use crate::element::Elements;
use crate::findings::FirstError;
use crate::{Error, Options};

/// The parts of a [`DigitalLink`], with the text they refer to.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct OwnedLink {
    uri: String,
    layout: Layout,
    elements: Elements<'static>,
    path_len: usize,
    alphas: bool,
}

impl OwnedLink {
    /// Parses `uri`, and returns the warnings. Without `associations` these are not checked: the URI is then a name,
    /// not the content of an item's carrier.
    pub(crate) fn read(
        uri: String,
        options: &Options,
        associations: bool,
    ) -> Result<(OwnedLink, Vec<Warning>), Error> {
        let mut link = DigitalLink::unread(&uri, options);
        let mut first = FirstError;
        let mut parser = Parser::new(&mut link, options, &mut first);
        let read = if associations { parser.run(None) } else { parser.run_apart(None) };
        read.map_err(|error| parse::on_characters(&uri, error))?;
        let DigitalLink { layout, elements, path_len, warnings, alphas, .. } = link;
        let elements = elements.into_owned();
        Ok((OwnedLink { uri, layout, elements, path_len, alphas }, warnings))
    }

    pub(crate) fn uri(&self) -> &str {
        &self.uri
    }

    pub(crate) fn into_uri(self) -> String {
        self.uri
    }

    pub(crate) fn elements(&self) -> &Elements<'static> {
        &self.elements
    }

    /// Returns the link as the parser would, without warnings.
    pub(crate) fn link(&self) -> DigitalLink<'_> {
        DigitalLink {
            uri: &self.uri,
            layout: self.layout,
            elements: self.elements.clone(),
            path_len: self.path_len,
            warnings: Vec::new(),
            alphas: self.alphas,
        }
    }
}
