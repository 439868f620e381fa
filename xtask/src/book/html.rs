//! Links and ids of a page of HTML. Not a parser: it only distinguishes tags from text, comments
//! and scripts.

use std::collections::BTreeSet;

/// What a page links to and loads, and what can be linked to in it.
pub(super) struct Page {
    pub(super) links: BTreeSet<String>,
    pub(super) anchors: BTreeSet<String>,
}

impl Page {
    pub(super) fn of(text: &str) -> Self {
        let mut page = Self { links: BTreeSet::new(), anchors: BTreeSet::new() };
        let mut rest = text;
        while let Some(start) = rest.find('<') {
            rest = &rest[start..];
            let end = match rest {
                comment if comment.starts_with("<!--") => "-->",
                _ => ">",
            };
            let Some(length) = rest.find(end) else { break };
            let tag = &rest[..length];
            rest = &rest[length + end.len()..];
            if end == "-->" {
                continue;
            }
            for name in [" href=\"", " src=\""] {
                page.links.extend(value(tag, name));
            }
            page.anchors.extend(value(tag, " id=\""));
            if tag.starts_with("<script") {
                rest = rest.find("</script").map_or("", |at| &rest[at..]);
            }
        }
        page
    }
}

/// Returns the value of an attribute.
fn value(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(name)?;
    let (value, _) = rest.split_once('"')?;
    Some(value.replace("&amp;", "&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tags_have_links_and_ids() {
        let page = Page::of(
            "<a id=\"x\" href=\"a?b&amp;c\">d</a><!-- <a href=\"e\"> --><script src=\"f\">\
             if (1 < 2) '<a href=\"g\">'</script><code>&lt;a href=\"h\"&gt;</code><img src=\"i\">",
        );
        assert_eq!(page.links, BTreeSet::from(["a?b&c", "f", "i"].map(str::to_owned)));
        assert_eq!(page.anchors, BTreeSet::from(["x".to_owned()]));
    }
}
