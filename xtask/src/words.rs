//! `cargo xtask words`: finds wording that is hard to read, and suggests the usual words.
//!
//! Checks Markdown, TOML, HTML and JavaScript, and the comments and strings of Rust. A line with
//! `words: quoted` in a comment exempts itself and the line below it; name the source of the words
//! in the comment.

use std::collections::BTreeMap;

use crate::rust_source::skipped;
use crate::workspace::{git, read, root, verdict};

/// Paths with text by others, or not in English.
const OTHERS: &[&str] =
    &["docs/reference/conformance", "fuzz/corpus/", "fuzz/Cargo.lock", "xtask/src/words.rs"];

const KINDS: &[&str] = &["rs", "md", "toml", "html", "js"];

const MARKER: &str = "words: quoted";

/// Phrases to avoid, each with the usual wording. `|` separates alternatives for one word, `*` is
/// any word.
const RIDDLES: &[(&str, &str)] = &[
    ("mend|mends|mended|mending", "fix"),
    ("tell|tells|told|telling of", "name the thing: describes, reports, mentions"),
    ("what became|becomes of", "the result of"),
    ("go|goes|went by", "uses, follows"),
    ("of now", "current"),
    ("on the spot", "temporary, immediately"),
    ("anew", "again"),
    ("whoever", "anyone who, the user who"),
    ("from where they|he|she|it", "the source of"),
    ("so that it happens", "say the outcome: is applied once"),
    ("is no * at all", "is not a …"),
    ("that counts", "valid, that applies"),
    ("expected fewer|more|sooner", "name the limit: too many …, too slow"),
    ("expected the right to", "you do not have permission to"),
    ("as their|its kind demands", "name the rule"),
    ("to be made known", "new"),
    ("for trying", "for testing"),
    ("to be had", "available"),
    ("at hand", "available"),
    ("for ever", "forever, indefinitely"),
    ("is|are told to the log", "is logged"),
    ("tells|tell the rest", "describes the other …"),
    ("understood|found are", "write the subject first"),
    ("people and keys", "users and API keys"),
    ("persons", "users, people"),
    ("somebody was faster", "the record has changed since"),
    ("from end to end", "completely"),
    ("likewise", "in the same way, too"),
    ("on trial", "as a test"),
    ("stand|stands on", "depends on"),
    ("without end", "endlessly, endless"),
    ("many things", "name the things"),
    ("attempt|attempts came to", "the results of"),
    ("write|writes|wrote|written down", "stores, records"),
];

pub(crate) fn run() -> Result<(), String> {
    let riddles = Riddle::by_first_word();
    let mut findings = Vec::new();
    let mut count = 0;
    for path in tracked()? {
        let kind = path.rsplit('.').next().unwrap_or_default();
        let starts = |list: &[&str]| list.iter().any(|beginning| path.starts_with(beginning));
        if !KINDS.contains(&kind) || starts(OTHERS) {
            continue;
        }
        let text = read(&root().join(&path))?;
        count += 1;
        findings.extend(
            findings_of(&text, kind == "rs", &riddles)
                .into_iter()
                .map(|found| format!("{path}:{found}")),
        );
    }
    verdict("words", &findings)?;
    println!("words: {count} files in plain English");
    Ok(())
}

/// Returns the paths of the files under version control, relative to the workspace.
fn tracked() -> Result<Vec<String>, String> {
    let listed = git(&["ls-files", "--cached", "--others", "--exclude-standard"])?;
    // A file that is deleted but not yet committed is listed too.
    let paths = listed.lines().filter(|path| root().join(path).exists());
    Ok(paths.map(str::to_owned).collect())
}

/// Returns each finding as `line: "phrase", better: …`.
fn findings_of(text: &str, is_rust: bool, riddles: &BTreeMap<&str, Vec<Riddle>>) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let quoted = |line: usize| {
        let above = line.checked_sub(2).map(|above| lines[above]);
        [Some(lines[line - 1]), above].into_iter().flatten().any(|text| text.contains(MARKER))
    };
    let mut findings = Vec::new();
    let words = if is_rust { rust_words(text) } else { words(text, 1) };
    for at in 0..words.len() {
        for riddle in
            [words[at].text.as_str(), "*"].iter().filter_map(|first| riddles.get(first)).flatten()
        {
            let Some(phrase) = riddle.at(&words[at..]) else { continue };
            findings.push((words[at].line, format!("\"{phrase}\", better: {}", riddle.better)));
        }
    }
    if is_rust {
        findings.extend(questions(&lines));
    }
    findings.sort();
    findings
        .into_iter()
        .filter(|&(line, _)| !quoted(line))
        .map(|(line, found)| format!("{line}: {found}"))
        .collect()
}

/// Returns documentation that begins with a question.
fn questions<'l>(lines: &'l [&str]) -> impl Iterator<Item = (usize, String)> + 'l {
    lines.iter().enumerate().filter_map(|(index, line)| {
        let is_doc = |line: &str| line.trim_start().starts_with("///");
        let first = index == 0 || !is_doc(lines[index - 1]);
        (first && is_doc(line) && line.ends_with('?'))
            .then(|| (index + 1, format!("\"{}\", better: Whether …", line.trim())))
    })
}

/// One word of a text, in lower case; punctuation that ends a phrase is a word without letters.
struct Word {
    text: String,
    line: usize,
}

/// Splits a text whose first line has the number `line` into words.
fn words(text: &str, mut line: usize) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut open = false;
    for character in text.chars() {
        if character == '\n' {
            line += 1;
        }
        if character.is_alphanumeric() || matches!(character, '_' | '\'' | '’' | '-') {
            if !open {
                words.push(Word { text: String::new(), line });
            }
            open = true;
            let word = words.last_mut().expect("a word was pushed when it opened");
            word.text.extend(character.to_lowercase());
            continue;
        }
        open = false;
        if matches!(
            character,
            '.' | ',' | ';' | ':' | '!' | '?' | '(' | ')' | '|' | '"' | '`' | '='
        ) {
            words.push(Word { text: String::new(), line });
        }
    }
    words
}

/// Returns the words of the comments and literals of Rust source. Comments on consecutive lines are
/// one text.
fn rust_words(text: &str) -> Vec<Word> {
    let bytes = text.as_bytes();
    let (mut at, mut line) = (0, 1);
    let mut found = Vec::new();
    while at < bytes.len() {
        let length = skipped(bytes, at);
        if length == 0 {
            if !bytes[at].is_ascii_whitespace() {
                found.push(Word { text: String::new(), line });
            }
            line += usize::from(bytes[at] == b'\n');
            at += 1;
            continue;
        }
        let piece = &text[at..at + length];
        found.extend(words(piece, line));
        line += piece.matches('\n').count();
        at += length;
    }
    found
}

/// A phrase to avoid, as the alternatives for each of its words.
struct Riddle {
    words: Vec<Vec<&'static str>>,
    better: &'static str,
}

impl Riddle {
    /// Returns the riddles by the words with which they can begin; those that can begin with any
    /// word are under `*`.
    fn by_first_word() -> BTreeMap<&'static str, Vec<Self>> {
        let mut riddles: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (phrase, better) in RIDDLES {
            let words = || phrase.split(' ').map(|word| word.split('|').collect()).collect();
            for first in phrase.split(' ').take(1).flat_map(|word| word.split('|')) {
                riddles.entry(first).or_default().push(Self { words: words(), better });
            }
        }
        riddles
    }

    /// Returns the phrase at the beginning of the words, if it is this one.
    fn at(&self, words: &[Word]) -> Option<String> {
        let held = words.get(..self.words.len())?;
        let fits = held.iter().zip(&self.words).all(|(word, wanted)| {
            !word.text.is_empty() && (wanted == &["*"] || wanted.contains(&word.text.as_str()))
        });
        let texts: Vec<&str> = held.iter().map(|word| word.text.as_str()).collect();
        fits.then(|| texts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings_of(text: &str, is_rust: bool) -> Vec<String> {
        super::findings_of(text, is_rust, &Riddle::by_first_word())
    }

    #[test]
    fn a_phrase_is_found_over_line_breaks_and_named_with_its_line() {
        let found = findings_of("one\nsays what\nbecame of it", false);
        assert_eq!(found, ["2: \"what became of\", better: the result of"]);
    }

    #[test]
    fn punctuation_ends_a_phrase() {
        assert_eq!(findings_of("the best of. Now it runs", false), Vec::<String>::new());
        assert_eq!(findings_of("it is no, not at all", false), Vec::<String>::new());
    }

    #[test]
    fn comments_and_strings_of_rust_are_read_and_names_are_not() {
        assert_eq!(findings_of("fn mend() { anew.mend() }", true), Vec::<String>::new());
        assert_eq!(findings_of("/// The state of\n/// now.\nfn state() {}", true).len(), 1);
        assert_eq!(findings_of("const HELP: &str = \"mend it\";", true).len(), 1);
    }

    #[test]
    fn a_question_is_no_documentation() {
        assert_eq!(findings_of("/// Is it one?\nis: bool,", true).len(), 1);
        assert_eq!(findings_of("/// Checks it.\n///\n/// Why?\nfn check() {}", true).len(), 0);
    }

    #[test]
    fn a_marker_excuses_its_line_and_the_next() {
        let text = "<!-- words: quoted (RFC 2141) -->\nwhoever\nwhoever";
        assert_eq!(findings_of(text, false).len(), 1);
    }
}
