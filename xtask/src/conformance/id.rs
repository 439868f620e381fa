//! Requirement ids in running text.
//!
//! ```text
//! id     = "RES-" section "-" number            section and number of the GS1-Conformant Resolver Standard
//!        / "ER-" number                         a conflict between its sources
//!        / family "-" group "-" number [letter]
//! family = "GS1" / "EPC" / "URI" / "URN" / "WWW"
//! ```

/// Prefixes of ids.
const FAMILIES: [&str; 7] = ["RES", "ER", "GS1", "EPC", "URI", "URN", "WWW"];

/// Words that look like ids but are not: names of a bar code, a key, or a part of a test's name.
const NO_IDS: [&str; 2] = ["GS1-128", "GS1-8"];

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mention<'t> {
    /// A complete id.
    Id(&'t str),
    /// A word that begins like an id, or has the shape of one, but cannot be a row of any document.
    Malformed(&'t str),
}

impl<'t> Mention<'t> {
    /// Returns the id, if it is one.
    pub(super) fn id(self) -> Option<&'t str> {
        match self {
            Self::Id(id) => Some(id),
            Self::Malformed(_) => None,
        }
    }
}

/// Returns every mention of an id, with its offset.
pub(super) fn mentions(text: &str) -> impl Iterator<Item = (usize, Mention<'_>)> {
    let is_part = |part: char| part.is_ascii_alphanumeric() || "-._".contains(part);
    let mut end = 0;
    text.split(move |part| !is_part(part)).filter_map(move |run| {
        let start = end;
        let after = text[start + run.len()..].chars().next();
        end = start + run.len() + after.map_or(0, char::len_utf8);
        mention(run).map(|found| (start, found))
    })
}

/// Classifies a run of letters, digits, dots and hyphens.
fn mention(run: &str) -> Option<Mention<'_>> {
    let word = run.trim_end_matches(['.', '-']);
    let (family, rest) = word.split_once('-')?;
    if NO_IDS.contains(&word) {
        return None;
    }
    if FAMILIES.contains(&family) {
        if is_rest(family, rest) {
            return Some(Mention::Id(word));
        }
        // `RES-2.4`, `RES-2.4-*` and `URI-CHR-*` refer to several rows.
        let starts_with_digit = rest.starts_with(|first: char| first.is_ascii_digit());
        let several = family == "RES" || run.ends_with('-') || !starts_with_digit;
        return (!several).then_some(Mention::Malformed(word));
    }
    let letters =
        (2..=5).contains(&family.len()) && family.bytes().all(|byte| byte.is_ascii_uppercase());
    (letters && is_group(rest)).then_some(Mention::Malformed(word))
}

/// Returns whether the text after the family and its hyphen completes an id.
fn is_rest(family: &str, rest: &str) -> bool {
    match family {
        "ER" => is_number(rest),
        "RES" => rest.rsplit_once('-').is_some_and(|(section, number)| {
            is_number(number) && section.split('.').all(is_number)
        }),
        _ => is_group(rest),
    }
}

/// Returns whether the text is capitals, a hyphen, a number and optionally a letter.
fn is_group(rest: &str) -> bool {
    rest.split_once('-').is_some_and(|(group, number)| {
        let number = number.strip_suffix(|last: char| last.is_ascii_lowercase()).unwrap_or(number);
        (2..=5).contains(&group.len())
            && group.bytes().all(|byte| byte.is_ascii_uppercase())
            && is_number(number)
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Mention<'_>> {
        mentions(text).map(|(_, mention)| mention).collect()
    }

    #[test]
    fn ids_are_read_in_full() {
        let text = concat!("(RES", "-2.5.10-4, ER", "-12. URN", "-MAP-13a) GS1", "-LC-01:");
        let wanted = [
            concat!("RES", "-2.5.10-4"),
            concat!("ER", "-12"),
            concat!("URN", "-MAP-13a"),
            concat!("GS1", "-LC-01"),
        ];
        assert_eq!(found(text), wanted.map(Mention::Id));
        assert_eq!(mentions(text).map(|(at, _)| at).collect::<Vec<_>>(), [1, 15, 22, 35]);
    }

    #[test]
    fn ids_that_no_document_holds_are_found() {
        for word in [concat!("GS1", "-6.2"), concat!("SEED", "-URI-01"), concat!("EPC", "-4")] {
            assert_eq!(found(word), [Mention::Malformed(word)]);
        }
    }

    #[test]
    fn several_rows_and_other_names_are_no_ids() {
        let text = "RES-2.4-*, RES-3, URI-CHR-*, URI-RES, GS1-128, SGTIN-96, ISO-8859-1, GS1-Conformant, UTF-8";
        assert_eq!(found(text), []);
    }
}
