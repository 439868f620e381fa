//! Finds test code in Rust source text, and the item that contains a position.
//!
//! Not a parser: it only distinguishes code from comments and literals, and matches braces. That is
//! sufficient to find `#[cfg(test)]` modules and the functions in them, and it works on source that
//! does not compile.

use std::ops::Range;

/// A Rust file, with a copy in which comments and literals are blank, so that braces and keywords
/// in it are code.
pub(crate) struct RustSource {
    code: Vec<u8>,
    functions: Vec<Function>,
}

struct Function {
    name: String,
    /// From the first comment or attribute above the function to its closing brace.
    whole: Range<usize>,
}

impl RustSource {
    pub(crate) fn new(text: &str) -> Self {
        let code = blank(text.as_bytes());
        let functions = functions(text, &code);
        Self { code, functions }
    }

    /// Returns the name of the innermost function whose body, attributes or leading comments
    /// contain the offset.
    pub(crate) fn function_at(&self, offset: usize) -> Option<&str> {
        let holding = self.functions.iter().filter(|function| function.whole.contains(&offset));
        holding.min_by_key(|function| function.whole.len()).map(|function| function.name.as_str())
    }

    /// Returns the code without comments, literals and the bodies of modules marked `#[cfg(test)]`.
    pub(crate) fn product_code(&self) -> String {
        let mut code = self.code.clone();
        for body in self.test_modules() {
            code[body].fill(b' ');
        }
        String::from_utf8_lossy(&code).into_owned()
    }

    /// Returns the bodies of the modules marked `#[cfg(test)]`.
    pub(crate) fn test_modules(&self) -> Vec<Range<usize>> {
        self.marked_modules().filter_map(|(_, body)| body).collect()
    }

    /// Returns the names of the modules marked `#[cfg(test)]` that are separate files.
    pub(crate) fn test_module_files(&self) -> Vec<String> {
        let files = self.marked_modules().filter(|(_, body)| body.is_none());
        files.map(|(name, _)| name).collect()
    }

    /// Returns the name and, unless it is a separate file, the body of each module after
    /// `#[cfg(test)]`.
    fn marked_modules(&self) -> impl Iterator<Item = (String, Option<Range<usize>>)> {
        offsets(&self.code, b"#[cfg(test)]").filter_map(|start| {
            let mut at = start + b"#[cfg(test)]".len();
            loop {
                at += spaces(&self.code[at..]);
                // Further attributes may precede the module.
                if !self.code[at..].starts_with(b"#[") {
                    break;
                }
                at = closing(&self.code, at + 1, b'[', b']')? + 1;
            }
            let rest = self.code[at..].strip_prefix(b"mod ")?;
            let name = word(rest);
            at += b"mod ".len() + name.len();
            at += spaces(&self.code[at..]);
            match self.code.get(at)? {
                b';' => Some((name, None)),
                b'{' => Some((name, Some(at..closing(&self.code, at, b'{', b'}')?))),
                _ => None,
            }
        })
    }
}

/// Returns every function with a body, and the comments and attributes directly above it.
fn functions(text: &str, code: &[u8]) -> Vec<Function> {
    let keyword = offsets(code, b"fn ").filter(|&at| at == 0 || !is_word(code[at - 1]));
    keyword
        .filter_map(|at| {
            let name = word(&code[at + 3..]);
            if name.is_empty() {
                return None;
            }
            let end = closing(code, body(code, at)?, b'{', b'}')?;
            Some(Function { name, whole: leading(text, code, at)..end })
        })
        .collect()
}

/// Returns the offset of the opening brace of the function at `at`; `None` for a declaration
/// without a body.
fn body(code: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (offset, byte) in code.iter().enumerate().skip(at) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'{' if depth == 0 => return Some(offset),
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Returns the beginning of the comments and attributes directly above the item at `at`.
fn leading(text: &str, code: &[u8], at: usize) -> usize {
    let mut start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    while start > 0 {
        let above = text[..start - 1].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[above..start].trim();
        let comment = !line.is_empty() && code[above..start].trim_ascii().is_empty();
        if !comment && !line.starts_with("#[") {
            break;
        }
        start = above;
    }
    start
}

/// Returns a copy of the same length in which comments and the insides of literals are spaces.
fn blank(text: &[u8]) -> Vec<u8> {
    let mut code = text.to_vec();
    let mut at = 0;
    while at < text.len() {
        let end = at + skipped(text, at);
        if end == at {
            at += 1;
            continue;
        }
        for byte in &mut code[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end;
    }
    code
}

/// Returns the length of the comment or literal that begins at `at`; 0 if there is none.
pub(crate) fn skipped(text: &[u8], at: usize) -> usize {
    let rest = &text[at..];
    let word_before = at > 0 && is_word(text[at - 1]);
    match rest {
        [b'/', b'/', ..] => rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => block_comment(rest),
        [b'"', ..] => quoted(rest, b'"'),
        [b'r', b'"' | b'#', ..] if !word_before => raw_string(&rest[1..]).map_or(0, |end| end + 1),
        [b'b', b'r', b'"' | b'#', ..] if !word_before => {
            raw_string(&rest[2..]).map_or(0, |end| end + 2)
        }
        // A quote begins a character, or a lifetime, which has no closing quote.
        [b'\'', b'\\', ..] => quoted(rest, b'\''),
        [b'\'', ..] => {
            let character = rest.iter().skip(1).take(5).position(|&byte| byte == b'\'');
            character.filter(|&end| end > 0 && !lifetime(rest, end)).map_or(0, |end| end + 2)
        }
        _ => 0,
    }
}

/// Returns whether the text between two quotes is too long for one character: `'a, 'b` are
/// lifetimes.
fn lifetime(rest: &[u8], end: usize) -> bool {
    std::str::from_utf8(&rest[1..=end]).map_or(true, |inner| inner.chars().count() != 1)
}

fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Returns the length of `#"…"#` with any number of `#`; `None` if this is not a raw string.
fn raw_string(rest: &[u8]) -> Option<usize> {
    let hashes = rest.iter().take_while(|&&byte| byte == b'#').count();
    if rest.get(hashes) != Some(&b'"') {
        return None;
    }
    let mut end = vec![b'"'];
    end.resize(hashes + 1, b'#');
    let inner = &rest[hashes + 1..];
    let length = inner.windows(end.len()).position(|window| window == end.as_slice())?;
    Some(hashes + 1 + length + end.len())
}

/// Returns the offset of the bracket that closes the one at `open`.
fn closing(code: &[u8], open: usize, opening: u8, closing: u8) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, &byte) in code.iter().enumerate().skip(open) {
        if byte == opening {
            depth += 1;
        } else if byte == closing {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// Returns every offset of `wanted`.
fn offsets<'c>(code: &'c [u8], wanted: &'c [u8]) -> impl Iterator<Item = usize> + 'c {
    let windows = code.windows(wanted.len()).enumerate();
    windows.filter(move |(_, window)| *window == wanted).map(|(at, _)| at)
}

fn word(code: &[u8]) -> String {
    code.iter().take_while(|&&byte| is_word(byte)).map(|&byte| char::from(byte)).collect()
}

fn spaces(code: &[u8]) -> usize {
    code.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r##"
fn product() { let a: &'static str = "}"; let b = '}'; let c = r#"}"#; /* } */ }

#[cfg(test)]
#[rustfmt::skip]
mod tests {
    // above one
    #[test]
    fn one() { if true { inside_one() } } // after one

    const TABLE: &[&str] = &["in table"];

    fn two<'a>(text: &'a str, _: [u8; 2]) -> &'a str { text /* inside_two */ }
}

#[cfg(test)]
mod battery;
"##;

    fn function_of(marker: &str) -> Option<String> {
        let source = RustSource::new(SOURCE);
        let offset = SOURCE.find(marker).expect("the source holds the marker");
        source.function_at(offset).map(str::to_owned)
    }

    #[test]
    fn places_belong_to_the_function_around_or_below_them() {
        assert_eq!(function_of("inside_one").as_deref(), Some("one"));
        assert_eq!(function_of("above one").as_deref(), Some("one"));
        assert_eq!(function_of("inside_two").as_deref(), Some("two"));
        assert_eq!(function_of("in table"), None);
        assert_eq!(function_of("let c").as_deref(), Some("product"));
    }

    #[test]
    fn test_modules_are_found_inline_and_as_files() {
        let source = RustSource::new(SOURCE);
        let modules = source.test_modules();
        assert_eq!(modules.len(), 1);
        assert!(SOURCE[modules[0].clone()].contains("inside_two"));
        assert!(!SOURCE[modules[0].clone()].contains("product"));
        assert_eq!(source.test_module_files(), ["battery"]);
    }
}
