//! Members of a level: anchor, description, links.

use super::draft::{Draft, Members};
use super::link_fields::GivenType;
use super::node::{Node, member};
use crate::Anchor;
use crate::entry::{ContextSource, DefaultAnswer, LinkTypeText, TextSpan};
use crate::fault::{push_token, shown};
use crate::language::is_language_tag;
use crate::limits::{MAX_DESCRIPTION_BYTES, MAX_DESCRIPTIONS, MAX_DESCRIPTIONS_BYTES};
use crate::registration::{MAX_LINKS, anchor, link_types};
use crate::vocabulary::Term;

impl<'j> Draft<'_, 'j> {
    /// Reads the document.
    pub(super) fn read_level(&mut self, node: &'j Node<'j>) {
        let Node::Object(members) = node else {
            let message = format!("expected an object, found {}", node.kind());
            self.findings.fault(String::new(), "RES-2.5.7-1", message);
            return;
        };
        // The anchor is read first, because the key determines which placeholders a target may
        // have.
        match member(members, "anchor") {
            Some(node) => self.read_anchor(node),
            None => self.missing_member("anchor", "RES-2.4-1"),
        }
        let is_record = self.members == Members::OfRecord;
        let others = member(members, "itemDescriptions").filter(|_| is_record);
        let others = others.map(|node| self.read_descriptions(node)).unwrap_or_default();
        let current = member(members, "itemDescription");
        self.read_description(current, member(members, "description"), &others);
        for (name, value) in members {
            match name.as_ref() {
                "anchor" | "itemDescription" | "description" => {}
                "itemDescriptions" if is_record => {}
                "defaultLinkType" if is_record => self.read_default_answer(value),
                "contextFrom" if is_record => self.read_context_source(value),
                "links" if is_record => self.read_links("links", value, &GivenType::InLink),
                name if is_record => self.unknown_member(name),
                name => self.read_links_of_type(name, value),
            }
        }
        if is_record && member(members, "links").is_none() {
            self.missing_member("links", "RES-2.5.1-1");
        } else if self.pointers.is_empty() && self.findings.faults.is_empty() {
            let message = "expected at least one link, found none";
            self.findings.fault(String::new(), "RES-2.5.1-1", message);
        }
    }

    fn read_anchor(&mut self, node: &Node<'_>) {
        let pointer = || "/anchor".to_owned();
        let Some(text) = self.text(node, &pointer, "RES-2.4-1") else { return };
        match anchor::read(text, self.rules) {
            Ok(read) => {
                if let Some(advice) = read.advice {
                    self.findings.warn(pointer(), "ER-1", advice);
                }
                // A company prefix covers keys of all types.
                if let Some(key) = read.anchor.primary_key()
                    && !self.rules.primary_keys.contains(key)
                {
                    let message = format!(
                        "expected a primary key that is served here (supported_primary_keys), found ({}): requests for it get 404",
                        key.as_str()
                    );
                    self.findings.warn(pointer(), "RES-2.1-3", message);
                }
                self.anchor = Some(read.anchor);
            }
            Err((id, message)) => self.findings.fault(pointer(), id, message),
        }
    }

    /// Reads `itemDescription`, or `description`, which later releases of the linkset schema prefer
    /// (ER-4).
    fn read_description(
        &mut self,
        current: Option<&Node<'_>>,
        alias: Option<&Node<'_>>,
        others: &[(&str, &str)],
    ) {
        let mut read = |name: &str, node: &Node<'_>| {
            let pointer = || format!("/{name}");
            let text = self.label(node, MAX_DESCRIPTION_BYTES, &pointer, "RES-2.10-12");
            text.map(str::to_owned)
        };
        let current = current.map(|node| read("itemDescription", node));
        let alias = alias.map(|node| read("description", node));
        if let Some(description) = current.iter().chain(&alias).flatten().next()
            && !self.is_generated(description)
        {
            let others = others.iter().flat_map(|(tag, text)| [*tag, *text]);
            self.builder.set_description(std::iter::once(&**description).chain(others));
        } else if !others.is_empty() {
            let message = "expected itemDescription beside itemDescriptions, found none: it is what readers of other languages see";
            self.findings.fault("/itemDescriptions".to_owned(), "RES-2.10-12", message);
        }
        let pointer = || "/description".to_owned();
        match (current, alias) {
            (_, None) => {}
            (Some(Some(current)), Some(Some(alias))) if current != alias => {
                let found = shown(&alias);
                let message = format!("expected the text of itemDescription, found {found}");
                self.findings.fault(pointer(), "ER-4", message);
            }
            (_, Some(_)) => {
                let message = "expected the member \"itemDescription\", found its alias";
                self.findings.warn(pointer(), "ER-4", message);
            }
        }
    }

    /// Reads `itemDescriptions`: a text for each language tag. Returns the valid ones, in the order
    /// of the tags.
    fn read_descriptions<'n>(&mut self, node: &'n Node<'_>) -> Vec<(&'n str, &'n str)> {
        let at = "/itemDescriptions";
        let Node::Object(members) = node else {
            let message =
                format!("expected an object with a text for each language, found {}", node.kind());
            self.findings.fault(at.to_owned(), "RES-2.10-12", message);
            return Vec::new();
        };
        if members.len() > MAX_DESCRIPTIONS {
            let found = members.len();
            let message = format!("expected at most {MAX_DESCRIPTIONS} languages, found {found}");
            self.findings.fault(at.to_owned(), "RES-2.10-12", message);
            return Vec::new();
        }
        let mut texts: Vec<(&str, &str)> = Vec::with_capacity(members.len());
        for (tag, text) in members {
            let pointer = || {
                let mut pointer = at.to_owned();
                push_token(&mut pointer, tag);
                pointer
            };
            let is_known = texts.iter().any(|(known, _)| known.eq_ignore_ascii_case(tag));
            if is_known || !is_language_tag(tag) {
                let expected =
                    if is_known { "each language once" } else { "a language tag such as fr" };
                let message = format!("expected {expected}, found {}", shown(tag));
                self.findings.fault(pointer(), "RES-2.5.4-3", message);
                continue;
            }
            if let Some(text) = self.label(text, MAX_DESCRIPTION_BYTES, &pointer, "RES-2.10-12") {
                texts.push((tag, text));
            }
        }
        let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
        if bytes > MAX_DESCRIPTIONS_BYTES {
            let message = format!(
                "expected at most {MAX_DESCRIPTIONS_BYTES} bytes in all languages together, found {bytes}"
            );
            self.findings.fault(at.to_owned(), "RES-2.10-12", message);
        }
        texts.sort_unstable();
        texts
    }

    /// Returns whether a description is the one that linksets give to levels without one, which
    /// needs no slot in a record.
    fn is_generated(&self, description: &str) -> bool {
        let key = self.anchor.as_ref().filter(|_| self.members == Members::OfLinkset);
        let key = key.and_then(Anchor::entity);
        key.is_some_and(|key| key.to_element_string_text() == description)
    }

    /// Reads what a request without a link type gets at this level.
    fn read_default_answer(&mut self, node: &Node<'_>) {
        let pointer = || "/defaultLinkType".to_owned();
        let Some(text) = self.text(node, &pointer, "RES-2.11-1") else { return };
        let answer = DefaultAnswer::read(text);
        if !self.rules.default_by_record
            && !matches!(answer, Some(DefaultAnswer::Recall | DefaultAnswer::Successor))
        {
            let message = "the operator does not let records choose the default answer (default_link_type_by_record)";
            self.findings.fault(pointer(), "RES-2.11-1", message);
            return;
        }
        match answer {
            Some(answer) => self.builder.set_default_answer(answer),
            None => {
                let message = format!(
                    "expected \"linkset\", \"gs1:defaultLink\", \"gs1:recallStatus\" or \"successor-version\", found {}",
                    shown(text)
                );
                self.findings.fault(pointer(), "RES-2.11-1", message);
            }
        }
    }

    /// Reads where the context of a request comes from that names none.
    fn read_context_source(&mut self, node: &Node<'_>) {
        let pointer = || "/contextFrom".to_owned();
        let Some(text) = self.text(node, &pointer, "RES-2.5.6-1") else { return };
        match ContextSource::read(text) {
            Some(source) => self.builder.set_context_source(source),
            None => {
                let message = format!("expected \"country\" or \"request\", found {}", shown(text));
                self.findings.fault(pointer(), "RES-2.5.6-1", message);
            }
        }
    }

    /// Reads the links under a member of a linkset that is a link type.
    fn read_links_of_type(&mut self, name: &'j str, node: &'j Node<'j>) {
        let mut pointer = String::new();
        push_token(&mut pointer, name);
        let faults = self.findings.faults.len();
        let link_type = self.link_type(name, &|| pointer.clone());
        if self.findings.faults.len() > faults {
            self.leave_out(faults);
            return;
        }
        self.read_links(name, node, &GivenType::Outside(link_type));
    }

    /// Reads an array of links.
    fn read_links(&mut self, collection: &'j str, node: &'j Node<'j>, given: &GivenType) {
        let mut pointer = String::new();
        push_token(&mut pointer, collection);
        let links = match node {
            Node::Array(links) => links.as_slice(),
            // As Resolver CE writes default links.
            Node::Object(link)
                if self.members == Members::OfLinkset && member(link, "href").is_some() =>
            {
                let message = "expected an array of links, found a link";
                self.findings.warn(pointer.clone(), "RFC 9264", message);
                std::slice::from_ref(node)
            }
            _ => {
                let message = format!("expected an array of links, found {}", node.kind());
                let faults = self.findings.faults.len();
                self.findings.fault(pointer, "RES-2.5.1-1", message);
                if self.can_be_left_out(given) {
                    self.leave_out(faults);
                }
                return;
            }
        };
        if self.pointers.len() + links.len() > MAX_LINKS {
            let found = self.pointers.len() + links.len();
            let message = format!("expected at most {MAX_LINKS} links, found {found}");
            self.findings.fault(pointer, "RES-2.5.7-1", message);
            return;
        }
        for (index, link) in links.iter().enumerate() {
            let (mark, faults) = (self.builder.mark(), self.findings.faults.len());
            self.pointers.push((collection, index));
            if self.read_link(collection, index, link, given) {
                self.pointers.push((collection, index));
            }
            if self.findings.faults.len() > faults && self.can_be_left_out(given) {
                self.leave_out(faults);
                self.pointers.pop();
                self.builder.go_back(mark);
            }
        }
    }

    /// Returns whether a link with a fault is left out, instead of refusing the record: in a
    /// linkset, which the importer cannot correct, unless other rules depend on the link.
    fn can_be_left_out(&self, given: &GivenType) -> bool {
        let has_role = |term: &Term| term.is_default_link() || term.is_default_variant();
        self.members == Members::OfLinkset
            && !matches!(given, GivenType::Outside(LinkTypeText::Term(term)) if has_role(term))
    }

    /// Turns the faults from a number on into warnings.
    fn leave_out(&mut self, from: usize) {
        for fault in self.findings.faults.split_off(from) {
            let message = format!("left out of the record: {fault}");
            self.findings.warn(fault.pointer().to_owned(), fault.id(), message);
        }
    }

    /// Checks a link type; the result is empty if it cannot be registered.
    pub(super) fn link_type(&mut self, text: &str, pointer: &dyn Fn() -> String) -> LinkTypeText {
        if let Some(advice) = link_types::ambiguity(text, self.rules.vocabulary) {
            self.findings.warn(pointer(), "RES-2.14-7", advice);
        }
        match link_types::check(text, self.rules.vocabulary) {
            Ok(link_types::Registrable::Term(term)) => {
                if let Some(advice) = link_types::advice(term) {
                    self.findings.warn(pointer(), "RES-2.5.2-2", advice);
                }
                LinkTypeText::Term(term)
            }
            Ok(link_types::Registrable::Other(name)) => {
                LinkTypeText::Other(self.builder.text(&name))
            }
            Err((id, message)) => {
                self.findings.fault(pointer(), id, message);
                LinkTypeText::Other(TextSpan::default())
            }
        }
    }

    fn missing_member(&mut self, name: &str, id: &'static str) {
        let message = format!("expected the member {name:?}, found none");
        self.findings.fault(String::new(), id, message);
    }

    fn unknown_member(&mut self, name: &str) {
        let mut pointer = String::new();
        push_token(&mut pointer, name);
        let message = format!("expected no other member, found {}", shown(name));
        self.findings.fault(pointer, "RES-2.5.7-1", message);
    }
}
