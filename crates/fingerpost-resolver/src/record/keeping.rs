//! Adds what a record says to what is registered, so that an import of a few columns does not
//! remove the rest.

use super::write::{LinkDocument, RecordDocument, to_text};
use crate::Entry;
use crate::entry::{ContextSource, DefaultAnswer};

/// Returns the record that an entry has after a new one was added to it: the new description and
/// links, and everything that they do not replace.
///
/// A new link replaces those with its type, languages, media type, contexts and validity. If there
/// are none, and it has neither languages nor media type nor contexts, it replaces the only link
/// with its type and validity, and takes these from it. A title that `is_usual` (the title of links
/// without one) does not replace another title.
///
/// ```
/// use fingerpost_resolver::{Rules, Vocabulary, read_record, record_with_rest};
///
/// let vocabulary = Vocabulary::builtin();
/// let rules = Rules::new(&vocabulary);
/// let current = br#"{"anchor": "/01/09520123456788", "itemDescription": "Tea", "links": [
///     {"linkType": "gs1:pip", "href": "https://example.com/a", "title": "Tea", "hreflang": ["en"]},
///     {"linkType": "gs1:hasRetailers", "href": "https://example.com/shops", "title": "Shops"}]}"#;
/// let new = br#"{"anchor": "/01/09520123456788", "links": [
///     {"linkType": "gs1:pip", "href": "https://example.com/b", "title": "Product"}]}"#;
/// let current = read_record(current, &rules)?.entry;
/// let new = read_record(new, &rules)?.entry;
/// let record = record_with_rest(&current, &new, |title| title == "Product");
/// let entry = read_record(record.as_bytes(), &rules)?.entry;
/// let links: Vec<_> = entry.links().map(|link| (link.href(), link.title())).collect();
/// assert_eq!(links, [("https://example.com/b", "Tea"), ("https://example.com/shops", "Shops")]);
/// assert_eq!(entry.item_description(), Some("Tea"));
/// # Ok::<(), fingerpost_resolver::Refused>(())
/// ```
pub fn record_with_rest(current: &Entry, new: &Entry, is_usual: impl Fn(&str) -> bool) -> String {
    let mut record = RecordDocument::new(new);
    record.item_description = record.item_description.or_else(|| current.item_description());
    for (tag, text) in current.item_descriptions() {
        record.item_descriptions.entry(tag).or_insert(text);
    }
    let answer = current.default_answer().map(DefaultAnswer::as_str);
    record.default_link_type = record.default_link_type.or(answer);
    let source = current.context_source().map(ContextSource::as_str);
    record.context_from = record.context_from.or(source);
    let mut added: Vec<Option<LinkDocument<'_>>> = record.links.drain(..).map(Some).collect();
    let old: Vec<LinkDocument<'_>> = current.links().map(LinkDocument::new).collect();
    let given: Vec<LinkDocument<'_>> = new.links().map(LinkDocument::new).collect();
    for link in &old {
        let by = replacing(link, &old, &given);
        if by.is_empty() {
            record.links.push(link.clone());
        }
        for place in by {
            let Some(new) = added[place].take() else { continue };
            record.links.push(completed(new, link, &is_usual));
        }
    }
    record.links.extend(added.into_iter().flatten());
    to_text(&record)
}

/// Returns the new links that replace a link.
fn replacing(
    link: &LinkDocument<'_>,
    old: &[LinkDocument<'_>],
    new: &[LinkDocument<'_>],
) -> Vec<usize> {
    let places = |wanted: &dyn Fn(&LinkDocument<'_>) -> bool| -> Vec<usize> {
        (0..new.len()).filter(|place| wanted(&new[*place])).collect()
    };
    let exact = places(&|one| is_same_time(one, link) && details(one) == details(link));
    let is_only = old.iter().filter(|one| is_same_time(one, link)).count() == 1;
    if !exact.is_empty() || !is_only {
        return exact;
    }
    let bare = places(&|one| is_same_time(one, link) && is_bare(one));
    if bare.len() == 1 { bare } else { Vec::new() }
}

/// Returns whether links have the same type and validity, and are for the same roles: a link for
/// everyone never replaces a restricted one, nor the other way round.
fn is_same_time(one: &LinkDocument<'_>, other: &LinkDocument<'_>) -> bool {
    one.link_type == other.link_type
        && one.access == other.access
        && (one.valid_from, one.valid_until) == (other.valid_from, other.valid_until)
}

/// Returns what selects a link among those of its type.
fn details<'l>(link: &'l LinkDocument<'_>) -> (Vec<&'l str>, Vec<&'l str>, Option<&'l str>) {
    let sorted = |list: &[&'l str]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        list
    };
    (sorted(&link.hreflang), sorted(&link.context), link.media_type)
}

fn is_bare(link: &LinkDocument<'_>) -> bool {
    link.hreflang.is_empty() && link.context.is_empty() && link.media_type.is_none()
}

/// Returns a new link with what it takes from the one that it replaces.
fn completed<'e>(
    new: LinkDocument<'e>,
    old: &LinkDocument<'e>,
    is_usual: &impl Fn(&str) -> bool,
) -> LinkDocument<'e> {
    let title = if is_usual(new.title) { old.title } else { new.title };
    match is_bare(&new) {
        true => LinkDocument { href: new.href, title, ..old.clone() },
        false => LinkDocument { title, ..new },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rules, Vocabulary, read_record};

    fn merged(current: &str, new: &str) -> Vec<String> {
        let vocabulary = Vocabulary::builtin();
        let entry = |links: &str| {
            let record = format!(r#"{{"anchor":"/01/09520123456788/10/A","links":[{links}]}}"#);
            read_record(record.as_bytes(), &Rules::new(&vocabulary)).unwrap().entry
        };
        let record = record_with_rest(&entry(current), &entry(new), |title| title == "usual");
        let merged = read_record(record.as_bytes(), &Rules::new(&vocabulary)).unwrap().entry;
        let shown = merged.links().map(|link| {
            let languages: Vec<_> = link.languages().collect();
            format!("{} {} {}", link.href(), link.title(), languages.join("+"))
        });
        shown.collect()
    }

    fn link(href: &str, title: &str, more: &str) -> String {
        format!(
            r#"{{"linkType":"gs1:pip","href":"https://a.example/{href}","title":"{title}"{more}}}"#
        )
    }

    /// PE-17: what an import with an address for each product must not remove.
    #[test]
    fn a_new_link_replaces_its_own_kind_only() {
        let french = r#","hreflang":["fr"]"#;
        let english = r#","hreflang":["en"]"#;
        let campaign = r#","validFrom":"2026-01-01T00:00:00Z","validUntil":"2026-02-01T00:00:00Z""#;
        let old = [link("a", "Tea", ""), link("f", "Thé", french), link("c", "Sale", campaign)];
        assert_eq!(
            merged(&old.join(","), &link("b", "usual", "")),
            ["https://a.example/b Tea ", "https://a.example/f Thé fr", "https://a.example/c Sale "]
        );
        // The only link of its type keeps its language; of two, neither is guessed.
        assert_eq!(
            merged(&link("e", "Tea", english), &link("b", "New", "")),
            ["https://a.example/b New en"]
        );
        let two = [link("e", "Tea", english), link("f", "Thé", french)];
        assert_eq!(
            merged(&two.join(","), &link("b", "New", "")),
            [
                "https://a.example/e Tea en",
                "https://a.example/f Thé fr",
                "https://a.example/b New "
            ]
        );
        // Another language is another link.
        assert_eq!(
            merged(&link("a", "Tea", ""), &link("f", "Thé", french)),
            ["https://a.example/a Tea ", "https://a.example/f Thé fr"]
        );
    }
}
