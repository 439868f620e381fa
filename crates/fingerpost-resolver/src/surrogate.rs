//! Surrogate keys: names by which a cache in front finds the answers that a change affects. Each
//! answer carries those of its key, of all levels above it, and of the company prefixes that the
//! key can have, because records and rules of organisations apply to these; a change purges one.

use fingerpost_gs1::EntityKey;

use crate::{Anchor, CompanyPrefix};

/// Returns the surrogate keys of answers about a key, most granular level first, each followed by
/// the separator except the last one. They are the canonical texts of anchors, and contain neither
/// spaces nor commas.
///
/// ```
/// use fingerpost_gs1::EntityKey;
/// use fingerpost_resolver::surrogate_keys;
///
/// let key = EntityKey::parse("/01/09506000134352/10/A")?;
/// let keys = surrogate_keys(&key, ' ');
/// assert!(keys.starts_with("01/09506000134352/10/A 01/09506000134352 gcp/9506 gcp/95060 "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn surrogate_keys(key: &EntityKey, separator: char) -> String {
    let mut keys = String::with_capacity(256);
    for level in key.levels() {
        if !keys.is_empty() {
            keys.push(separator);
        }
        push(&level, &mut keys);
    }
    let part = key.company_prefix_part().unwrap_or_default();
    let digits = part.bytes().take_while(u8::is_ascii_digit).count();
    for length in CompanyPrefix::LENGTHS.take_while(|length| *length <= digits) {
        keys.push(separator);
        keys.push_str(Anchor::COMPANY_PREFIX);
        keys.push('/');
        keys.push_str(&part[..length]);
    }
    keys
}

/// Returns the surrogate key that all answers carry which a change at an anchor affects. For a set
/// of values it is that of the primary key.
pub fn surrogate_key(changed: &Anchor) -> String {
    let mut key = String::new();
    push(changed.entity().map_or_else(|| changed.key_level(), EntityKey::as_str), &mut key);
    key
}

/// Adds a text without the separators of any header.
fn push(text: &str, keys: &mut String) {
    for char in text.chars() {
        match char {
            ',' => keys.push_str("%2C"),
            char => keys.push(char),
        }
    }
}

#[cfg(test)]
mod tests {
    use fingerpost_gs1::EntityKey;

    use super::*;

    /// 37.2: what a change purges is a key of each answer that the change affects.
    #[test]
    fn answers_carry_the_key_of_every_anchor_that_covers_them() {
        let key = EntityKey::parse("/01/09506000134352/22/2A/10/A100/21/7").unwrap();
        let keys = surrogate_keys(&key, ' ');
        let carried: Vec<&str> = keys.split(' ').collect();
        let product = Anchor::parse("01/09506000134352").unwrap();
        let prefix = Anchor::parse("gcp/9506000").unwrap();
        for anchor in [
            Anchor::parse("01/09506000134352/21/7").unwrap(),
            Anchor::parse("01/09506000134352/22/2A/10/A100").unwrap(),
            Anchor::parse("01/09506000134352/-range/22/2A/10/4/A100/A199").unwrap(),
            Anchor::parse("01/09506000134352/-any/10").unwrap(),
            Anchor::suspension(&product),
            Anchor::country_switch(&prefix),
            product,
            Anchor::parse("gcp/9506").unwrap(),
            prefix,
        ] {
            assert!(carried.contains(&surrogate_key(&anchor).as_str()), "{anchor}: {keys}");
        }
        for other in ["gcp/9507000", "01/09506000134369", "01/09506000134352/22/2B"] {
            let other = surrogate_key(&Anchor::parse(other).unwrap());
            assert!(!carried.contains(&other.as_str()), "{other}");
        }
    }

    #[test]
    fn separators_of_headers_are_not_part_of_a_key() {
        let key = EntityKey::parse("/01/09506000134352/10/A,B%20C")
            .unwrap_or_else(|_| EntityKey::parse("/01/09506000134352/10/A,B").unwrap());
        for separator in [' ', ','] {
            let keys = surrogate_keys(&key, separator);
            assert!(
                keys.split(separator).all(|key| key.starts_with("01/") || key.starts_with("gcp/"))
            );
            assert!(!surrogate_key(&Anchor::from(&key)).contains([' ', ',']));
        }
    }
}
