//! An entry while it is being read: what has been found so far, valid or not.

use fingerpost_gs1::EntityKey;

use super::node::Node;
use crate::Anchor;
use crate::entry::{Contents, ContentsBuilder, DefaultAnswer, Entry, Link};
use crate::fault::{Findings, push_token, shown};
use crate::registration::{Accepted, Refused, Rules, across_links, size};
use crate::target::Origin;

/// The members that a document may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    /// A record: `anchor`, `itemDescription`, `links`.
    OfRecord,
    /// A context object of a linkset: `anchor`, `itemDescription`, and one member for each type.
    OfLinkset,
}

/// Collects a level from a document, with all its faults.
///
/// A faulty link also keeps its index in the contents, with its faulty texts left empty, because
/// the rules across links should not complain about links that are present but misspelt.
#[derive(Debug)]
pub(crate) struct Draft<'r, 'j> {
    pub(super) rules: &'r Rules<'r>,
    pub(super) members: Members,
    pub(super) findings: Findings,
    pub(super) anchor: Option<Anchor>,
    pub(super) builder: ContentsBuilder,
    /// The position of each link: the member that holds its array, and its index there.
    pub(super) pointers: Vec<(&'j str, usize)>,
    /// Whether every window is known. If not, rules about instants cannot be checked.
    pub(super) windows_known: bool,
}

impl<'r, 'j> Draft<'r, 'j> {
    /// Reads a document.
    pub(crate) fn read(node: &'j Node<'j>, members: Members, rules: &'r Rules<'r>) -> Self {
        let mut draft = Draft {
            rules,
            members,
            findings: Findings::default(),
            anchor: None,
            builder: ContentsBuilder::new(),
            pointers: Vec::with_capacity(8),
            windows_known: true,
        };
        draft.read_level(node);
        draft
    }

    /// Checks the rules across links and returns the result.
    pub(crate) fn finish(self) -> Result<Accepted, Refused> {
        let Draft { mut findings, pointers, builder, anchor, windows_known, rules, .. } = self;
        let contents = builder.finish();
        if let Some(message) = answer_fault(anchor.as_ref(), &contents, rules.origin.as_ref()) {
            findings.fault("/defaultLinkType".to_owned(), "RES-2.11-1", message);
        }
        size::check(anchor.as_ref(), &contents, &mut findings);
        if windows_known {
            let pointer = |index: usize| pointers.get(index).map_or(String::new(), to_pointer);
            across_links::check(&contents, &pointer, &mut findings);
        }
        let Findings { faults, warnings } = findings;
        match anchor {
            Some(anchor) if faults.is_empty() => {
                Ok(Accepted { entry: Entry::new(anchor, contents), warnings })
            }
            _ => Err(Refused { faults, warnings }),
        }
    }

    /// Returns the text of a node; reports a fault if it is not text.
    pub(super) fn text<'n>(
        &mut self,
        node: &'n Node<'_>,
        pointer: &dyn Fn() -> String,
        id: &'static str,
    ) -> Option<&'n str> {
        if let Node::Text(text) = node {
            return Some(text);
        }
        self.findings.fault(pointer(), id, format!("expected text, found {}", node.kind()));
        None
    }

    /// Returns a human-readable text: not blank, no control characters, not too long.
    pub(super) fn label<'n>(
        &mut self,
        node: &'n Node<'_>,
        max_bytes: usize,
        pointer: &dyn Fn() -> String,
        id: &'static str,
    ) -> Option<&'n str> {
        let text = self.text(node, pointer, id)?;
        let Some(wrong) = label_fault(text, max_bytes) else { return Some(text) };
        self.findings.fault(pointer(), id, wrong);
        None
    }
}

/// Returns what is missing for the default answer of a record.
fn answer_fault(
    anchor: Option<&Anchor>,
    contents: &Contents,
    origin: Option<&Origin>,
) -> Option<&'static str> {
    let mut links = contents.links();
    let is_bare = |anchor: &Anchor| anchor.entity().is_some_and(EntityKey::is_key_level);
    let own = anchor.map(|anchor| ["/", anchor.as_str()].concat());
    let is_itself = |link: Link<'_>| own.as_ref().is_some_and(|own| link.href().ends_with(own));
    match contents.default_answer? {
        DefaultAnswer::Recall if !links.any(|link| link.is_recall() && !link.has_access()) => Some(
            "expected a link of type gs1:recallStatus, the notice that requests get, found none",
        ),
        DefaultAnswer::Successor
            if !links.any(|link| link.is_successor() && !link.has_access()) =>
        {
            Some(
                "expected a link of type successor-version to the Digital Link of the successor, found none",
            )
        }
        DefaultAnswer::Successor
            if contents.links().any(|link| link.is_successor() && is_itself(link)) =>
        {
            Some("expected the Digital Link of another item as successor, found that of this one")
        }
        // In another spelling it could lead back here, unnoticed by those who look for circles.
        DefaultAnswer::Successor
            if contents.links().any(|link| {
                link.is_successor() && origin.is_some_and(|own| own.is_disguised(link.href()))
            }) =>
        {
            Some(
                "expected a successor on this resolver as the resolver root and a key without qualifiers, found another spelling",
            )
        }
        DefaultAnswer::Successor if !anchor.is_none_or(is_bare) => {
            Some("expected \"successor-version\" for a key without qualifiers only")
        }
        _ => None,
    }
}

/// Returns the fault of a human-readable text.
fn label_fault(text: &str, max_bytes: usize) -> Option<String> {
    Some(if text.trim().is_empty() {
        format!("expected text, found {} with nothing to read", shown(text))
    } else if text.len() > max_bytes {
        format!("expected at most {max_bytes} bytes, found {}", text.len())
    } else if has_control(text) {
        format!("expected no control characters, found {}", shown(text))
    } else {
        return None;
    })
}

/// Returns whether a text has a control character; ASCII is searched by bytes, which is faster.
fn has_control(text: &str) -> bool {
    if text.is_ascii() {
        text.bytes().any(|byte| byte.is_ascii_control())
    } else {
        text.contains(char::is_control)
    }
}

fn to_pointer(from: &(&str, usize)) -> String {
    link_pointer(from.0, from.1)
}

/// Returns the pointer to a link.
pub(super) fn link_pointer(collection: &str, index: usize) -> String {
    let mut pointer = String::new();
    push_token(&mut pointer, collection);
    push_token(&mut pointer, &index.to_string());
    pointer
}
