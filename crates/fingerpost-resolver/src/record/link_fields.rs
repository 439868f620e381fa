//! Members of a link (RES-2.5.1 to RES-2.5.7).

use std::borrow::Cow;

use jiff::Timestamp;

use super::draft::{Draft, Members, link_pointer};
use super::instant;
use super::node::{Node, member};
use crate::entry::{LinkRow, LinkTypeText, RECALL, SUCCESSOR, TextSpan, Window};
use crate::fault::{push_token, shown};
use crate::language::is_language_tag;
use crate::limits::{
    MAX_ACCESS, MAX_CONTEXT_BYTES, MAX_LIST_ITEMS, MAX_MEDIA_TYPE_BYTES, MAX_TITLE_BYTES,
};
use crate::media_type::is_well_formed;
use crate::target;

/// The position that gives the type of a link.
#[derive(Clone, Copy, Debug)]
pub(super) enum GivenType {
    /// In the link's member `linkType`.
    InLink,
    /// Outside the link: links of a linkset are grouped under their type.
    Outside(LinkTypeText),
}

/// A link while it is being read, with its texts added to the builder.
#[derive(Default)]
pub(super) struct Parts {
    link_type: Option<LinkTypeText>,
    href: TextSpan,
    title: TextSpan,
    media_type: TextSpan,
    languages: TextSpan,
    contexts: TextSpan,
    access: TextSpan,
    valid_from: Option<Timestamp>,
    valid_until: Option<Timestamp>,
    is_template: bool,
}

impl Parts {
    /// A link of a type, without members.
    pub(super) fn of(link_type: LinkTypeText) -> Self {
        Self { link_type: Some(link_type), ..Self::default() }
    }
}

/// The position of a link and of its members.
#[derive(Clone, Copy)]
pub(super) struct LinkPosition<'p> {
    collection: &'p str,
    index: usize,
}

impl LinkPosition<'_> {
    fn pointer(self) -> String {
        link_pointer(self.collection, self.index)
    }

    pub(super) fn member(self, name: &str) -> String {
        let mut pointer = self.pointer();
        push_token(&mut pointer, name);
        pointer
    }

    fn item(self, name: &str, index: usize) -> String {
        let mut pointer = self.member(name);
        push_token(&mut pointer, &index.to_string());
        pointer
    }
}

impl Draft<'_, '_> {
    /// Reads one link and adds it, valid or not; returns whether it added two, because the link is
    /// also the default link of the level.
    pub(super) fn read_link(
        &mut self,
        collection: &str,
        index: usize,
        node: &Node<'_>,
        given: &GivenType,
    ) -> bool {
        let position = LinkPosition { collection, index };
        let mut parts = Parts::default();
        let mut is_two = false;
        if let GivenType::Outside(link_type) = given {
            parts.link_type = Some(*link_type);
        }
        if let Node::Object(members) = node {
            let mut known = [None; MEMBERS.len()];
            let mut unknown = Vec::new();
            for (name, value) in members {
                let in_linkset = self.members == Members::OfLinkset;
                match MEMBERS.iter().position(|member| member == name) {
                    Some(_) if in_linkset && matches!(&**name, "linkType" | "default") => {
                        self.ignore_member(position, name);
                    }
                    Some(at) => known[at] = Some(value),
                    // RFC 9264 section 4.2.4: a linkset can have attributes that records do not
                    // have.
                    None if in_linkset && !is_window(name) => {
                        self.ignore_member(position, name);
                    }
                    None => unknown.push((&**name, value)),
                }
            }
            is_two = self.read_default(position, &known);
            // Fixed order, so equal entries are stored as equal bytes.
            let in_order = MEMBERS.into_iter().zip(known);
            let found = in_order.filter_map(|(name, value)| Some((name, value?)));
            for (name, value) in found.chain(unknown) {
                self.read_member(position, name, value, &mut parts);
            }
            if self.members == Members::OfLinkset && parts.title.is_empty() {
                self.read_other_title(position, members, given, &mut parts);
            }
            let has = |name: &str| {
                member(members, name).is_some() || (name == "title" && !parts.title.is_empty())
            };
            self.check_presence(position, matches!(given, GivenType::InLink), has);
            self.check_window(position, &parts);
            self.check_default(position, &mut parts);
        } else {
            let message = format!("expected a link, found {}", node.kind());
            self.findings.fault(position.pointer(), "RES-2.5.1-1", message);
        }
        self.push_link(&parts);
        is_two
    }

    pub(super) fn push_link(&mut self, parts: &Parts) {
        self.builder.push(LinkRow {
            link_type: parts.link_type.unwrap_or(LinkTypeText::Other(TextSpan::default())),
            href: parts.href,
            title: parts.title,
            media_type: parts.media_type,
            languages: parts.languages,
            contexts: parts.contexts,
            access: parts.access,
            is_template: parts.is_template,
            window: Window::new(parts.valid_from, parts.valid_until),
        });
    }

    pub(super) fn read_member(
        &mut self,
        position: LinkPosition<'_>,
        name: &str,
        node: &Node<'_>,
        parts: &mut Parts,
    ) {
        let in_record = self.members == Members::OfRecord;
        match name {
            "linkType" if in_record => {
                let pointer = || position.member(name);
                let text = self.text(node, &pointer, "RES-2.5.2-1");
                parts.link_type = text.map(|text| self.link_type(text, &pointer));
            }
            "href" => self.read_href(position, node, parts),
            "title" if self.members == Members::OfLinkset && is_blank(node) => {}
            "title" => {
                let pointer = || position.member(name);
                if let Some(title) = self.label(node, MAX_TITLE_BYTES, &pointer, "RES-2.5.3-1") {
                    parts.title = self.builder.text(title);
                }
            }
            "type" => self.read_media_type(position, node, parts),
            "hreflang" => self.read_languages(position, node, parts),
            "context" => self.read_contexts(position, node, parts),
            "access" => self.read_access(position, node, parts),
            "validFrom" if in_record => parts.valid_from = self.read_instant(position, name, node),
            "validUntil" if in_record => {
                parts.valid_until = self.read_instant(position, name, node);
            }
            "default" => {} // see read_default
            // Members of earlier releases that have no effect, so they are dropped (ER-7).
            "fwqs" | "public" => {
                if !matches!(node, Node::Bool(_)) {
                    let message = format!("expected true or false, found {}", node.kind());
                    self.findings.fault(position.member(name), "RES-2.5.7-1", message);
                }
            }
            _ => {
                let message = format!("expected no other member, found {}", shown(name));
                self.findings.fault(position.member(name), "RES-2.5.7-1", message);
            }
        }
    }

    fn check_presence(
        &mut self,
        position: LinkPosition<'_>,
        with_type: bool,
        has: impl Fn(&str) -> bool,
    ) {
        let needed = [
            ("linkType", "RES-2.5.2-1", with_type),
            ("href", "RES-2.5.1-1", true),
            ("title", "RES-2.5.3-1", true),
        ];
        for (name, id, _) in needed.into_iter().filter(|(name, _, due)| *due && !has(name)) {
            let message = format!("expected the member {name:?}, found none");
            self.findings.fault(position.pointer(), id, message);
        }
    }

    fn read_href(&mut self, position: LinkPosition<'_>, node: &Node<'_>, parts: &mut Parts) {
        let pointer = || position.member("href");
        let Some(text) = self.text(node, &pointer, "RES-2.5.1-1") else { return };
        let primary_key = self.anchor.as_ref().and_then(crate::Anchor::primary_key);
        // A successor is a Digital Link, usually on this resolver.
        let is_successor = matches!(parts.link_type, Some(LinkTypeText::Other(name)) if self.builder.added(name) == SUCCESSOR);
        let own = self.rules.origin.as_ref();
        let own = own.filter(|_| !is_successor && !self.is_recall_page(text, parts));
        match target::check(text, primary_key, own) {
            Ok(checked) => {
                let key = self.anchor.as_ref().and_then(crate::Anchor::entity);
                if checked.is_template
                    && let Some(key) = key
                    && let Some(ai) = target::without_value(&checked.href, key)
                {
                    let message = format!(
                        "expected a value of this level for each placeholder outside the query, \
                         found none for {{{ai}}}: only requests with ({ai}) get this link"
                    );
                    self.findings.warn(pointer(), "RES-2.5.1-7", message);
                }
                parts.href = self.builder.text(&checked.href);
                parts.is_template = checked.is_template;
            }
            Err(wrong) => self.findings.fault(pointer(), wrong.id, wrong.message),
        }
    }

    /// Returns whether a target is the page of this resolver about a recall of the level.
    fn is_recall_page(&self, href: &str, parts: &Parts) -> bool {
        let is_notice =
            matches!(parts.link_type, Some(LinkTypeText::Term(term)) if term.name() == RECALL);
        let (root, anchor) = (self.rules.root, self.anchor.as_ref());
        is_notice
            && root
                .zip(anchor)
                .and_then(|(root, anchor)| super::recall_page(root, anchor))
                .as_deref()
                == Some(href)
    }

    fn read_media_type(&mut self, position: LinkPosition<'_>, node: &Node<'_>, parts: &mut Parts) {
        let pointer = || position.member("type");
        let Some(text) = self.text(node, &pointer, "RES-2.5.5-2") else { return };
        let message = if text.len() > MAX_MEDIA_TYPE_BYTES || !is_well_formed(text) {
            format!("expected a media type such as text/html, found {}", shown(text))
        } else if !self.rules.vocabulary.media_types().contains(text) {
            format!("expected a media type registered by IANA, found {}", shown(text))
        } else {
            parts.media_type = self.builder.text(text);
            return;
        };
        self.findings.fault(pointer(), "RES-2.5.5-2", message);
    }

    fn read_languages(&mut self, position: LinkPosition<'_>, node: &Node<'_>, parts: &mut Parts) {
        let Some(tags) = self.list(position, "hreflang", node, "RES-2.5.4-3") else { return };
        let mut good = Vec::with_capacity(tags.len());
        for (index, tag) in tags {
            if tag.eq_ignore_ascii_case(UNDETERMINED) {
                let message = "ignored: a language that is not known is stated by no hreflang";
                self.findings.warn(position.item("hreflang", index), "RES-2.5.4-2", message);
            } else if is_language_tag(tag) {
                good.push(tag);
            } else {
                let message =
                    format!("expected a language tag such as de or pt-BR, found {}", shown(tag));
                self.findings.fault(position.item("hreflang", index), "RES-2.5.4-2", message);
            }
        }
        parts.languages = self.builder.list(good);
    }

    fn read_contexts(&mut self, position: LinkPosition<'_>, node: &Node<'_>, parts: &mut Parts) {
        let Some(values) = self.list(position, "context", node, "RES-2.5.6-2") else { return };
        let mut good = Vec::with_capacity(values.len());
        for (index, value) in values {
            let pointer = || position.item("context", index);
            let node = Node::Text(Cow::Borrowed(value));
            if self.label(&node, MAX_CONTEXT_BYTES, &pointer, "RES-2.5.6-1").is_none() {
                continue;
            }
            good.push(value);
            let declared = self.rules.context_values;
            if !declared.is_empty() && !declared.iter().any(|v| v.eq_ignore_ascii_case(value)) {
                let message = format!("expected a declared context value, found {}", shown(value));
                self.findings.warn(pointer(), "RES-2.5.6-3", message);
            }
        }
        parts.contexts = self.builder.list(good);
    }

    /// Reads the roles that may see a link. A faulty list never makes it a link for everyone: the
    /// record is refused.
    fn read_access(&mut self, position: LinkPosition<'_>, node: &Node<'_>, parts: &mut Parts) {
        let Some(names) = self.list(position, "access", node, ACCESS) else { return };
        if names.is_empty() || names.len() > MAX_ACCESS {
            let found = names.len();
            let message = format!(
                "expected 1 to {MAX_ACCESS} roles, found {found}; leave out access for everyone"
            );
            self.findings.fault(position.member("access"), ACCESS, message);
            return;
        }
        let mut good: Vec<&str> = Vec::with_capacity(names.len());
        for (index, name) in names {
            let message = if !self.rules.roles.contains(name) {
                let known = self.rules.roles.known();
                format!("expected {known}, found {}", shown(name))
            } else if good.contains(&name) {
                format!("expected each role once, found {} again", shown(name))
            } else {
                good.push(name);
                continue;
            };
            self.findings.fault(position.item("access", index), ACCESS, message);
        }
        parts.access = self.builder.list(good);
    }

    /// Returns the texts of an array, with their positions.
    fn list<'n>(
        &mut self,
        position: LinkPosition<'_>,
        name: &str,
        node: &'n Node<'_>,
        id: &'static str,
    ) -> Option<Vec<(usize, &'n str)>> {
        let items = match node {
            Node::Array(items) => items.as_slice(),
            Node::Text(_) if self.members == Members::OfLinkset => {
                let message = "expected an array, also for one value, found text";
                self.findings.warn(position.member(name), id, message);
                std::slice::from_ref(node)
            }
            _ => &[],
        };
        if !matches!(node, Node::Array(_)) && items.is_empty() {
            let message = format!("expected an array, also for one value, found {}", node.kind());
            self.findings.fault(position.member(name), id, message);
            return None;
        }
        if items.len() > MAX_LIST_ITEMS {
            let found = items.len();
            let message = format!("expected at most {MAX_LIST_ITEMS} values, found {found}");
            self.findings.fault(position.member(name), id, message);
            return None;
        }
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let text = self.text(item, &|| position.item(name, index), id);
            texts.extend(text.map(|text| (index, text)));
        }
        Some(texts)
    }

    fn read_instant(
        &mut self,
        position: LinkPosition<'_>,
        name: &str,
        node: &Node<'_>,
    ) -> Option<Timestamp> {
        let pointer = || position.member(name);
        let text = self.text(node, &pointer, "RES-2.5.7-2");
        let instant = text.and_then(instant::read);
        self.windows_known &= instant.is_some();
        if let (Some(text), None) = (text, instant) {
            let message = format!(
                "expected an instant from 1970 on such as 2026-05-01T00:00:00Z, found {}",
                shown(text)
            );
            self.findings.fault(pointer(), "RES-2.5.7-2", message);
        }
        instant
    }

    fn check_window(&mut self, position: LinkPosition<'_>, parts: &Parts) {
        if let (Some(from), Some(until)) = (parts.valid_from, parts.valid_until)
            && from >= until
        {
            let message = format!("expected an instant after validFrom {from}, found {until}");
            self.findings.fault(position.member("validUntil"), "RES-2.5.7-2", message);
        }
    }

    fn ignore_member(&mut self, position: LinkPosition<'_>, name: &str) {
        if name != "title*" {
            let message = format!("ignored: records have no member {}", shown(name));
            self.findings.warn(position.member(name), "RES-2.5.7-1", message);
        }
    }

    /// Takes the title of a link of a linkset from `title*` (RFC 9264 section 4.2.4.2), or else
    /// from its type.
    fn read_other_title(
        &mut self,
        position: LinkPosition<'_>,
        members: &[(Cow<'_, str>, Node<'_>)],
        given: &GivenType,
        parts: &mut Parts,
    ) {
        let translated = match member(members, "title*") {
            Some(Node::Array(titles)) => titles.iter().find_map(|title| match title {
                Node::Object(title) => member(title, "value").filter(|node| !is_blank(node)),
                _ => None,
            }),
            _ => None,
        };
        if let Some(node) = translated {
            let pointer = || position.member("title*");
            if let Some(title) = self.label(node, MAX_TITLE_BYTES, &pointer, "RES-2.5.3-1") {
                parts.title = self.builder.text(title);
            }
            return;
        }
        let title = match given {
            GivenType::Outside(LinkTypeText::Term(term)) => term.title().to_owned(),
            GivenType::Outside(LinkTypeText::Other(name)) => self.builder.added(*name).to_owned(),
            GivenType::InLink => return,
        };
        let message =
            format!("expected a title, found none: named {} after its type", shown(&title));
        self.findings.warn(position.pointer(), "RES-2.5.3-1", message);
        parts.title = self.builder.text(&title);
    }

    /// Checks that a default link is for everyone, and has nothing to select it by. Of a linkset,
    /// what is surplus is ignored.
    fn check_default(&mut self, position: LinkPosition<'_>, parts: &mut Parts) {
        let Some(LinkTypeText::Term(term)) = parts.link_type else { return };
        if !parts.access.is_empty() && (term.is_default_link() || term.is_default_variant()) {
            let message = "expected no access, because a default link and its variants are for \
                           everyone (RES-2.5.9-1); restrict links of other types";
            self.findings.fault(position.member("access"), ACCESS, message.to_owned());
        }
        if !term.is_default_link() {
            return;
        }
        let attributes = [
            ("type", parts.media_type),
            ("hreflang", parts.languages),
            ("context", parts.contexts),
        ];
        let in_linkset = self.members == Members::OfLinkset;
        if in_linkset {
            (parts.media_type, parts.languages, parts.contexts) = Default::default();
        }
        for (name, _) in attributes.into_iter().filter(|(_, span)| !span.is_empty()) {
            if in_linkset {
                let message = format!("ignored: a default link has no {name}");
                self.findings.warn(position.member(name), "RES-2.5.8-2", message);
                continue;
            }
            let message = format!("expected a default link without {name}, found one with it");
            self.findings.fault(position.member(name), "RES-2.5.8-2", message);
        }
    }
}

/// Returns whether a member is one of records which must not be ignored: the link would be
/// published at any time.
fn is_window(name: &str) -> bool {
    matches!(name, "validFrom" | "validUntil")
}

fn is_blank(node: &Node<'_>) -> bool {
    matches!(node, Node::Text(text) if text.trim().is_empty())
}

/// The language tag of texts in an unknown language (RFC 5646 section 4.1).
const UNDETERMINED: &str = "und";

/// The rule about extensions of a link, such as who may see it.
const ACCESS: &str = "RES-2.5.7-1";

/// All members that a link can have.
pub(super) const MEMBERS: [&str; 12] = [
    "linkType",
    "href",
    "title",
    "type",
    "hreflang",
    "context",
    "access",
    "validFrom",
    "validUntil",
    "fwqs",
    "public",
    "default",
];
