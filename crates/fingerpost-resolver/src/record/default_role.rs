//! The member `default` of a link: one line for a page that is the default link, or a variant of
//! it, and has a descriptive type too (RES-2.5.8-3).
//!
//! ```text
//! {"linkType": "gs1:pip", "href": H, "title": T, "hreflang": L, "default": true}
//!   = {"linkType": "gs1:defaultLink", "href": H, "title": T}, {"linkType": "gs1:pip", "href": H, "title": T, "hreflang": L}
//! ```
//!
//! Entries hold both links, so answers, linksets and records that are read back do not depend on
//! how a record was written. The default link comes first, as most people write it: the same record
//! in either form is the same entry, byte for byte.

use super::draft::{Draft, Members};
use super::link_fields::{LinkPosition, MEMBERS, Parts};
use super::node::Node;
use crate::entry::LinkTypeText;
use crate::fault::shown;
use crate::registration::link_types::{self, Registrable};
use crate::vocabulary::{Term, gs1_term};

/// The members of a default link (RES-2.5.8-2); a variant has them all.
const OF_DEFAULT: [&str; 4] = ["href", "title", "validFrom", "validUntil"];

impl Draft<'_, '_> {
    /// Adds the default link, or the variant, that a link is at the same time; returns whether it
    /// is one. `known` are the members of the link, in the order of [`MEMBERS`].
    pub(super) fn read_default(
        &mut self,
        position: LinkPosition<'_>,
        known: &[Option<&Node<'_>>; MEMBERS.len()],
    ) -> bool {
        let given = |wanted: &str| {
            let at = MEMBERS.iter().position(|name| *name == wanted)?;
            known[at]
        };
        let Some(role) = given("default") else { return false };
        let name = match role {
            Node::Bool(false) => return false,
            Node::Bool(true) => "defaultLink",
            Node::Text(text) if text == "variant" => "defaultLinkMulti",
            other => {
                let found = match other {
                    Node::Text(text) => shown(text),
                    other => other.kind().to_owned(),
                };
                let message = format!("expected true or \"variant\", found {found}");
                self.findings.fault(position.member("default"), "RES-2.5.8-3", message);
                return false;
            }
        };
        if let Some(Node::Text(own)) = given("linkType")
            && self.is_default_type(own)
        {
            let message = "expected \"default\" with a descriptive link type such as gs1:pip, found it with one of default links: change the type";
            self.findings.fault(position.member("default"), "RES-2.5.8-3", message);
            return false;
        }
        let Some(term) = gs1_term(name) else { return false };
        self.add_default(position, known, term);
        true
    }

    fn is_default_type(&self, link_type: &str) -> bool {
        let found = link_types::check(link_type, self.rules.vocabulary);
        matches!(found, Ok(Registrable::Term(term)) if term.is_default_link() || term.is_default_variant())
    }

    fn add_default(
        &mut self,
        position: LinkPosition<'_>,
        known: &[Option<&Node<'_>>; MEMBERS.len()],
        term: &'static Term,
    ) {
        debug_assert_eq!(self.members, Members::OfRecord);
        let (faults, warnings) = (self.findings.faults.len(), self.findings.warnings.len());
        let mut parts = Parts::of(LinkTypeText::Term(term));
        for (name, node) in MEMBERS.into_iter().zip(known) {
            let is_wanted = match name {
                "linkType" | "default" => false,
                name => term.is_default_variant() || OF_DEFAULT.contains(&name),
            };
            if let Some(node) = node.filter(|_| is_wanted) {
                self.read_member(position, name, node, &mut parts);
            }
        }
        // The same members are read again for the link itself, with their faults.
        self.findings.faults.truncate(faults);
        self.findings.warnings.truncate(warnings);
        self.push_link(&parts);
    }
}
