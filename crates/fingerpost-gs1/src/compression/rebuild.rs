//! Converts the content of a compressed text to a URI, which is then parsed like every Digital Link
//! URI.

use alloc::string::String;
use alloc::vec::Vec;

use super::read::{Content, Pair};
use crate::digital_link::sequence;
use crate::{Ai, Span, percent};

/// A reconstructed URI, and the sources of its parts.
pub(super) struct Rebuilt {
    pub(super) uri: String,
    /// The number of bytes at the start that are those of the input.
    pub(super) head: usize,
    /// The offset from which the bytes are those of the input's end.
    pub(super) tail: usize,
    /// A second primary key, if the roles of the keys had to be guessed.
    pub(super) other_key: Option<Span>,
}

/// Builds the URI. `head` is the part before the compressed text, without the slash between them;
/// with a `key` it ends with that pair. `tail` is query and fragment of the input.
///
/// Attributes are in the order of the canonical form, because the order of the compressed text
/// depends on the compressor.
pub(super) fn rebuild(head: &str, key: Option<Ai>, content: &Content, tail: &str) -> Rebuilt {
    let keys = content.pairs.iter().filter(|pair| pair.ai.is_primary_key());
    let other_key = if key.is_none() { keys.clone().nth(1).map(|pair| pair.span) } else { None };
    let path = match key {
        Some(key) => qualifiers(key, &content.pairs).0,
        None => roles(keys.map(|pair| pair.ai), &content.pairs),
    };
    let mut uri = String::from(head);
    let of = |ai: Ai| content.pairs.iter().find(|pair| pair.ai == ai);
    for pair in path.iter().filter_map(|&ai| of(ai)) {
        uri.push('/');
        push(&mut uri, pair.ai.as_str(), '/', &pair.value);
    }
    let mut separator = '?';
    let mut attributes: Vec<&Pair> =
        content.pairs.iter().filter(|pair| !path.contains(&pair.ai)).collect();
    attributes.sort_by_key(|pair| pair.ai);
    let attributes = attributes.iter().map(|pair| (pair.ai.as_str(), &pair.value));
    let extensions = content.extensions.iter().map(|pair| (pair.key.as_str(), &pair.value));
    for (key, value) in attributes.chain(extensions) {
        uri.push(separator);
        push(&mut uri, key, '=', value);
        separator = '&';
    }
    let rest = match tail.strip_prefix('?') {
        Some(query) => {
            uri.push(separator);
            query
        }
        None => tail,
    };
    let tail = uri.len();
    uri.push_str(rest);
    Rebuilt { uri, head: head.len(), tail, other_key }
}

fn push(uri: &mut String, key: &str, between: char, value: &str) {
    uri.push_str(key);
    uri.push(between);
    percent::encode_value(value.as_bytes(), uri);
}

/// Returns the key and its qualifiers: the first key in reading order with which all other elements
/// can be attributes; if there is none, the first key.
fn roles(keys: impl Iterator<Item = Ai> + Clone, pairs: &[Pair]) -> Vec<Ai> {
    let mut first = None;
    for key in keys {
        let (mut path, fits) = qualifiers(key, pairs);
        path.insert(0, key);
        if fits {
            return path;
        }
        first.get_or_insert(path);
    }
    first.unwrap_or_default()
}

/// Selects the qualifiers of `key`: of the sequences with which all other elements can be
/// attributes, the one with the most members present. False if there is none; in that case the
/// longest.
fn qualifiers(key: Ai, pairs: &[Pair]) -> (Vec<Ai>, bool) {
    let has = |ai: &Ai| pairs.iter().any(|pair| pair.ai == *ai);
    let members = |sequence: &[Ai]| -> Vec<Ai> { sequence.iter().copied().filter(has).collect() };
    let rest_fits = |path: &Vec<Ai>| {
        let rest = pairs.iter().filter(|pair| pair.ai != key && !path.contains(&pair.ai));
        rest.filter_map(|pair| pair.ai.entry()).all(crate::AiEntry::is_attribute)
    };
    let sequences = sequence::sequences(key).iter().map(|sequence| members(sequence));
    let fitting = sequences.chain(core::iter::once(Vec::new())).filter(rest_fits);
    // `max_by_key` returns the last of several sequences of equal length; the standard requires the
    // first.
    let longest = fitting.reduce(|best, next| if next.len() > best.len() { next } else { best });
    match longest {
        Some(path) => (path, true),
        None => {
            let longest = sequence::longest(key, &core::iter::empty(), |ai| has(&ai));
            (longest.map(members).unwrap_or_default(), false)
        }
    }
}
