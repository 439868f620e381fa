//! Compares the generated table with GS1's Barcode Syntax Dictionary and names each difference. The
//! file is not ours to publish: `.ci/compare` says where it is expected.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fingerpost_gs1::{Ai, AiEntry, AiPattern, CharacterSet, ValueComponent};

/// GS1-AI-01: the row grammar `AI-range flags components attributes # title`.
#[test]
#[ignore = "needs GS1's syntax dictionary: run .ci/compare"]
fn compared_with_the_published_dictionary() {
    let folder = std::env::var("FINGERPOST_REFERENCES").expect("set by .ci/compare");
    let path = Path::new(&folder).join("gs1-syntax-dictionary.txt");
    let text = fs::read_to_string(&path).expect("the dictionary");
    let theirs: BTreeMap<String, String> = text.lines().flat_map(expand).collect();
    let ours: BTreeMap<String, String> =
        Ai::all().map(|(ai, entry)| (ai.to_string(), normal_form(entry))).collect();
    let mut differences = Vec::new();
    for (ai, row) in &theirs {
        match ours.get(ai) {
            None => differences.push(format!("({ai}) is only in the dictionary: {row}")),
            Some(own) if own != row => {
                differences.push(format!("({ai})\n  dictionary: {row}\n  ours:       {own}"));
            }
            Some(_) => {}
        }
    }
    let only_ours = ours.keys().filter(|ai| !theirs.contains_key(*ai));
    differences.extend(only_ours.map(|ai| format!("({ai}) is only in our table")));
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert_eq!(theirs.len(), 541);
    println!("compared {} Application Identifiers with {}", theirs.len(), path.display());
}

/// The Application Identifiers of a line, each with the rest of the line in normal form.
fn expand(line: &str) -> Vec<(String, String)> {
    let (row, title) = line.split_once('#').unwrap_or((line, ""));
    let mut words = row.split_whitespace();
    let Some(range) = words.next() else {
        return Vec::new();
    };
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let mut flags = String::new();
    let (mut components, mut attributes) = (Vec::new(), Vec::new());
    for word in words {
        if word.chars().all(|flag| "*?!\"$%&'()+,-./:;<=>@[\\]^_`{|}~".contains(flag)) {
            flags.push_str(word);
        } else if word.contains('=') || word == "dlpkey" {
            attributes.push(word.to_owned());
        } else {
            components.push(word.to_owned());
        }
    }
    attributes.sort();
    let form = format!(
        "{}{} {} {} # {}",
        if flags.contains('*') { "*" } else { "" },
        if flags.contains('?') { "?" } else { "" },
        components.join(" "),
        attributes.join(" "),
        title.trim()
    );
    let number = |text: &str| text.parse::<u32>().expect("an Application Identifier is digits");
    let width = first.len();
    let ais = number(first)..=number(last);
    ais.map(|ai| (format!("{ai:0width$}"), form.clone())).collect()
}

/// One of our rows, written the way the dictionary writes it.
fn normal_form(entry: &AiEntry) -> String {
    let components: Vec<String> = entry.components().iter().map(component).collect();
    let join = |patterns: &[AiPattern], separator: &str| {
        patterns.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
    };
    let mut attributes = Vec::new();
    for requirement in entry.requires() {
        let groups: Vec<String> = requirement.iter().map(|group| join(group, "+")).collect();
        attributes.push(format!("req={}", groups.join(",")));
    }
    if !entry.excludes().is_empty() {
        attributes.push(format!("ex={}", join(entry.excludes(), ",")));
    }
    if let Some(sequences) = entry.qualifier_sequences() {
        let sequences: Vec<String> = sequences
            .iter()
            .map(|sequence| sequence.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
            .collect();
        let value = if sequences.is_empty() { "" } else { "=" };
        attributes.push(format!("dlpkey{value}{}", sequences.join("|")));
    }
    attributes.sort();
    format!(
        "{}{} {} {} # {}",
        if entry.is_predefined_length() { "*" } else { "" },
        if entry.is_attribute() { "?" } else { "" },
        components.join(" "),
        attributes.join(" "),
        entry.title()
    )
}

fn component(component: &ValueComponent) -> String {
    let set = match component.character_set() {
        CharacterSet::Digits => "N",
        CharacterSet::Cset82 => "X",
        CharacterSet::Cset39 => "Y",
        CharacterSet::Cset64 => "Z",
    };
    let (min, max) = (component.min_length(), component.max_length());
    let length = if min == max { max.to_string() } else { format!("..{max}") };
    let linters: String =
        component.linters().iter().map(|linter| format!(",{}", linter.name())).collect();
    let (open, close) = if component.is_optional() { ("[", "]") } else { ("", "") };
    format!("{open}{set}{length}{close}{linters}")
}
