//! The checks of values and of what goes together, after GS1-VAL-01 to -05 and GS1-ASC-01 to -05.

use fingerpost_gs1::{CharacterSet, Linter};

use super::{Fault, Mode, TABLE, fault, row_of};

const CSET82: &str = "!\"%&'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_\
                      abcdefghijklmnopqrstuvwxyz";
const CSET39: &str = "#-/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Section 1.2, from step 3 on.
pub(crate) fn check_components(ai: &str, value: &[u8], mode: Mode) -> Result<(), Fault> {
    let at_fault = |code: &str, start: usize, length: usize| {
        Err(Fault { code: code.to_owned(), ai: Some(ai.to_owned()), at: Some((start, length)) })
    };
    let mut at = 0;
    for (set, min, max, optional, linters) in &row_of(ai, mode).components {
        let left = value.len() - at;
        if *optional && left == 0 {
            continue;
        }
        let part = &value[at..at + left.min(*max)];
        if part.len() < *min {
            return fault("VALUE_LENGTH", Some(ai));
        }
        let (members, code) = match set {
            CharacterSet::Digits => ("0123456789", "L_NON_DIGIT_CHARACTER"),
            CharacterSet::Cset82 => (CSET82, "L_INVALID_CSET82_CHARACTER"),
            CharacterSet::Cset39 => (CSET39, "L_INVALID_CSET39_CHARACTER"),
            CharacterSet::Cset64 => ("", ""),
        };
        if members.is_empty() {
            if let Err(found) = Linter::Cset64.check(part) {
                return at_fault(found.error().code(), at + found.start(), found.length());
            }
        } else if let Some(bad) = part.iter().position(|b| !members.as_bytes().contains(b)) {
            return at_fault(code, at + bad, 1);
        }
        for linter in linters {
            if let Err(found) = linter.check(part) {
                return at_fault(found.error().code(), at + found.start(), found.length());
            }
        }
        at += part.len();
    }
    if at < value.len() { fault("VALUE_TOO_LONG", Some(ai)) } else { Ok(()) }
}

/// `310n` and the like.
fn fits(pattern: &str, ai: &str) -> bool {
    pattern.len() == ai.len() && pattern.chars().zip(ai.chars()).all(|(p, c)| p == 'n' || p == c)
}

/// Section 1.3. Repetitions cannot occur in a URI.
pub(crate) fn check_associations(all: &[(String, Vec<u8>)], mode: Mode) -> Result<(), Fault> {
    let mut sorted: Vec<&(String, Vec<u8>)> = all.iter().collect();
    sorted.sort();
    let others =
        |own: &str, pattern: &str| all.iter().any(|(ai, _)| ai != own && fits(pattern, ai));
    for (ai, _) in &sorted {
        if row_of(ai, mode).excludes.iter().any(|pattern| others(ai, pattern)) {
            return fault("AI_PAIR_FORBIDDEN", Some(ai));
        }
    }
    for (ai, _) in sorted.iter().filter(|_| !mode.no_requisites) {
        let satisfied = |groups: &Vec<Vec<String>>| {
            groups.iter().any(|group| group.iter().all(|pattern| others(ai, pattern)))
        };
        // ER-1: the path grammar wins.
        let is_qualifier = all.iter().filter_map(|(key, _)| row_of(key, mode).qualifiers.as_ref());
        let is_qualifier = is_qualifier.flatten().any(|sequence| sequence.contains(ai));
        if !is_qualifier && !row_of(ai, mode).requires.iter().all(satisfied) {
            return fault("AI_REQUIREMENT_MISSING", Some(ai));
        }
    }
    if all.iter().any(|(ai, _)| ai == "8030") {
        for (ai, value) in &sorted {
            if ["253", "255", "8003"].contains(&ai.as_str()) && value.len() <= TABLE[ai].min {
                return fault("SERIAL_REQUIRED", Some(ai));
            }
        }
    }
    Ok(())
}
