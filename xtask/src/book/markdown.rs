//! Links and headings of a Markdown page: as much of CommonMark as the pages of this repository
//! use.

use std::collections::BTreeSet;

/// What a page links to, and what can be linked to in it.
pub(super) struct Page {
    /// The line, from 1, and the target of each link and picture.
    pub(super) links: Vec<(usize, String)>,
    /// The ids of its headings, as code hosts and mdBook form them.
    pub(super) anchors: BTreeSet<String>,
}

impl Page {
    pub(super) fn of(text: &str) -> Self {
        let mut page = Self { links: Vec::new(), anchors: BTreeSet::new() };
        let mut is_code = false;
        for (index, line) in text.lines().enumerate() {
            if is_fence(line) {
                is_code = !is_code;
                continue;
            }
            if is_code {
                continue;
            }
            let line_links = links(line);
            page.links.extend(line_links.into_iter().map(|link| (index + 1, link.target.into())));
            let begin = line.trim_start_matches('#');
            if begin.len() < line.len()
                && let Some(heading) = begin.strip_prefix(' ')
            {
                let id = anchor(heading);
                // A repeated heading gets a number.
                let mut unique = id.clone();
                let mut number = 0;
                while !page.anchors.insert(unique.clone()) {
                    number += 1;
                    unique = format!("{id}-{number}");
                }
            }
        }
        page
    }
}

/// Returns whether a line begins or ends a fenced block.
pub(super) fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// A link in a line: `[text](target)`, with or without `!` before it, or the `src` or `href` of an
/// HTML element.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link<'l> {
    /// The text in brackets, if it begins in this line.
    pub(super) text: Option<&'l str>,
    pub(super) target: &'l str,
    /// From the opening bracket, or from `](`, to the closing parenthesis.
    pub(super) span: std::ops::Range<usize>,
}

/// Returns the links of a line, without those that are quoted as code.
pub(super) fn links(line: &str) -> Vec<Link<'_>> {
    let mut links = Vec::new();
    let code = code_spans(line);
    let is_code = |at: usize| code.iter().any(|span| span.contains(&at));
    for (at, _) in line.match_indices("](") {
        if is_code(at) {
            continue;
        }
        let Some(length) = line[at + 2..].find(')') else { continue };
        let end = at + 2 + length;
        let start = opening(line, at);
        links.push(Link {
            text: start.map(|start| &line[start + 1..at]),
            target: line[at + 2..end].split(' ').next().unwrap_or_default(),
            span: start.unwrap_or(at)..end + 1,
        });
    }
    for attribute in [" src=\"", " href=\""] {
        for (at, _) in line.match_indices(attribute).filter(|(at, _)| !is_code(*at)) {
            let start = at + attribute.len();
            let Some(length) = line[start..].find('"') else { continue };
            let target = &line[start..start + length];
            links.push(Link { text: None, target, span: at..start + length + 1 });
        }
    }
    links
}

/// Returns the position of the bracket that the one at `end` closes.
fn opening(line: &str, end: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, char) in line[..end].char_indices().rev() {
        match char {
            ']' => depth += 1,
            '[' if depth == 0 => return Some(at),
            '[' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the parts of a line between backticks.
fn code_spans(line: &str) -> Vec<std::ops::Range<usize>> {
    let mut spans = Vec::new();
    let mut rest = 0;
    while let Some(start) = line[rest..].find('`').map(|at| rest + at) {
        let ticks = line[start..].bytes().take_while(|&byte| byte == b'`').count();
        let fence = &line[start..start + ticks];
        let Some(length) = line[start + ticks..].find(fence) else { break };
        let end = start + ticks + length + ticks;
        spans.push(start..end);
        rest = end;
    }
    spans
}

/// Returns the id of a heading: its text in lower case, spaces as hyphens, without punctuation.
fn anchor(heading: &str) -> String {
    let mut text = heading.trim().to_owned();
    for link in links(heading).into_iter().rev() {
        if let Some(inner) = link.text {
            text.replace_range(link.span, inner);
        }
    }
    text.chars()
        .filter_map(|char| match char {
            ' ' => Some('-'),
            '-' | '_' => Some(char),
            char if char.is_alphanumeric() => Some(char),
            _ => None,
        })
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_but_not_in_code() {
        let line = "A [`b`](c.md) and ![d](e.png), `[f](g)`, [h [i]](j#k)";
        let found: Vec<_> = links(line).into_iter().map(|link| (link.text, link.target)).collect();
        assert_eq!(found, [(Some("`b`"), "c.md"), (Some("d"), "e.png"), (Some("h [i]"), "j#k")]);
        let page = Page::of("```sh\n[a](b)\n```\n<img src=\"c.png\" width=\"9\">\nd](e)\n");
        assert_eq!(page.links, [(4, "c.png".to_owned()), (5, "e".to_owned())]);
    }

    #[test]
    fn headings_have_ids() {
        let text = "# A `b-c` D?\n## [Links](x.md), too\n```sh\n# no heading\n```\n## A b-c d\n";
        let expected = ["a-b-c-d", "a-b-c-d-1", "links-too"].map(str::to_owned);
        assert_eq!(Page::of(text).anchors, BTreeSet::from(expected));
    }
}
