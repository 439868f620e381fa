//! Computes the ranges of canonical texts that a list covers.

use fingerpost_gs1::{Ai, EntityKey};
use fingerpost_resolver::Anchor;
use fingerpost_store::View;

use super::Filter;
use crate::ownership::organisation;
use crate::rights::{Access, Grant};
use crate::roles::Verb;
use crate::{CompanyPrefix, Organisation, RegistryError};

/// Returns the prefixes of the texts of a list: disjoint and in order. All levels that match and
/// that the caller can read begin with one of them; so may other levels.
pub(crate) fn of(
    view: &View<'_>,
    access: &Access,
    filter: &Filter,
) -> Result<Vec<String>, RegistryError> {
    let mut readable = Vec::new();
    for grant in access.grants.iter().filter(|grant| grant.verbs.contains(&Verb::Read)) {
        readable.extend(of_grant(view, grant)?);
    }
    let wanted = [
        filter.under.as_ref().map(|under| vec![under.as_str().to_owned()]),
        filter.company_prefix.as_ref().map(|prefix| of_digits(prefix.as_str(), filter.key_type)),
        filter.key_type.map(|ai| vec![format!("{ai}/")]),
    ];
    let ranges = wanted
        .into_iter()
        .flatten()
        .fold(readable, |ranges, wanted| both(&disjoint(ranges), &wanted));
    Ok(disjoint(ranges))
}

/// Returns whether a text begins with one of these prefixes, which are disjoint and in order.
pub(crate) fn cover(ranges: &[String], text: &str) -> bool {
    let after = ranges.partition_point(|range| range.as_str() <= text);
    after.checked_sub(1).is_some_and(|before| text.starts_with(ranges[before].as_str()))
}

/// Returns the first of these prefixes after a text.
pub(crate) fn next<'r>(ranges: &'r [String], text: &str) -> Option<&'r str> {
    ranges.get(ranges.partition_point(|range| range.as_str() <= text)).map(String::as_str)
}

/// Returns the beginnings of the canonical texts of all levels below these company prefixes: their
/// keys of every type, whatever digit precedes the prefix, and the records of the prefixes
/// themselves. They are disjoint and in order. Levels that begin with one of them can be without a
/// company prefix, such as those of a GTIN-8.
///
/// ```
/// use fingerpost_registry::{CompanyPrefix, company_prefix_ranges};
///
/// let ranges = company_prefix_ranges(&[CompanyPrefix::parse("9506000")?]);
/// for range in ["00/39506000", "01/09506000", "414/9506000", "gcp/9506000"] {
///     assert!(ranges.contains(&range.to_owned()), "{range}");
/// }
/// # Ok::<(), fingerpost_registry::NotAPrefix>(())
/// ```
pub fn company_prefix_ranges(prefixes: &[CompanyPrefix]) -> Vec<String> {
    disjoint(prefixes.iter().flat_map(|prefix| of_digits(prefix.as_str(), None)).collect())
}

/// Returns the beginnings of the texts of what a copy for these company prefixes holds: those of
/// [`company_prefix_ranges`], and of the records of company prefixes with the same first four
/// digits, because a record of a shorter prefix applies to them too, and all entries that the
/// registry writes about organisations. Everything if there are no prefixes.
pub fn copied_ranges(prefixes: &[CompanyPrefix]) -> Vec<String> {
    let shortest = *CompanyPrefix::LENGTHS.start();
    let companies = prefixes
        .iter()
        .map(|prefix| format!("{}/{}", Anchor::COMPANY_PREFIX, &prefix.as_str()[..shortest]));
    let all = prefixes.is_empty().then(String::new);
    let of_registry =
        [Anchor::suspensions(), Anchor::country_switches(), Anchor::brands(), Anchor::logos()];
    let companies = companies.chain(of_registry.map(str::to_owned));
    disjoint(companies.chain(company_prefix_ranges(prefixes)).chain(all).collect())
}

fn of_grant(view: &View<'_>, grant: &Grant) -> Result<Vec<String>, RegistryError> {
    let scope = match grant.organisation {
        None => vec![String::new()],
        Some(id) => {
            let Some(organisation) = organisation(view, Some(id))? else { return Ok(Vec::new()) };
            owned(&organisation)
        }
    };
    Ok(match &grant.prefix {
        Some(digits) => both(&disjoint(scope), &of_digits(digits, None)),
        None => scope,
    })
}

/// Returns the prefixes of the levels of an organisation, disjoint and in order; some of these
/// levels may be single keys of others.
pub(crate) fn of_organisation(organisation: &Organisation) -> Vec<String> {
    disjoint(owned(organisation))
}

fn owned(organisation: &Organisation) -> Vec<String> {
    let keys = organisation.keys.iter().map(|key| key.as_str().to_owned());
    let prefixes = organisation.prefixes.iter();
    keys.chain(prefixes.flat_map(|prefix| of_digits(prefix.as_str(), None))).collect()
}

/// Returns the prefixes of keys whose company prefix begins with these digits.
fn of_digits(digits: &str, key_type: Option<Ai>) -> Vec<String> {
    let company = || format!("{}/{digits}", Anchor::COMPANY_PREFIX);
    let mut ranges: Vec<String> = key_type.is_none().then(company).into_iter().collect();
    let types = EntityKey::company_prefix_offsets();
    for (ai, offset) in types.filter(|(ai, _)| key_type.is_none_or(|wanted| wanted == *ai)) {
        // At most one digit precedes the company prefix.
        match offset {
            0 => ranges.push(format!("{ai}/{digits}")),
            _ => ranges.extend((0..=9).map(|digit| format!("{ai}/{digit}{digits}"))),
        }
    }
    ranges
}

/// Returns the prefixes of texts that begin with a prefix of each list.
fn both(one: &[String], other: &[String]) -> Vec<String> {
    let mut ranges = Vec::new();
    for other in other {
        // The ranges are disjoint, so `other` begins with at most one of them: the last one that is
        // not after it.
        let at = one.partition_point(|range| range.as_str() <= other.as_str());
        let outer = at.checked_sub(1).map(|before| &one[before]);
        if outer.is_some_and(|outer| other.starts_with(outer.as_str())) {
            ranges.push(other.clone());
        }
        let inner = one[at..].iter().take_while(|range| range.starts_with(other.as_str()));
        ranges.extend(inner.cloned());
    }
    ranges
}

/// Sorts prefixes and removes those within another one.
fn disjoint(mut ranges: Vec<String>) -> Vec<String> {
    ranges.sort_unstable();
    ranges.dedup_by(|later, kept| later.starts_with(kept.as_str()));
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn ranges_are_cut_with_each_other() {
        let one = disjoint(strings(&["01/09", "01/0950", "414/95", "01/19"]));
        assert_eq!(one, strings(&["01/09", "01/19", "414/95"]));
        assert_eq!(both(&one, &strings(&["01/"])), strings(&["01/09", "01/19"]));
        assert_eq!(both(&one, &strings(&["01/0950"])), strings(&["01/0950"]));
        assert_eq!(both(&one, &strings(&["00/", "8004/"])), strings(&[]));
        assert_eq!(both(&strings(&[""]), &one), one);
    }

    #[test]
    fn digits_are_found_in_every_key_type() {
        let ranges = of_digits("9506000", None);
        for range in ["00/39506000", "01/09506000", "01/99506000", "8003/09506000", "414/9506000"] {
            assert!(ranges.contains(&range.to_owned()), "{range}");
        }
        assert_eq!(of_digits("9506000", Some(Ai::GLN)), ["414/9506000"]);
    }
}
