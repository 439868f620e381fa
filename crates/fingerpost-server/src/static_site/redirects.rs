//! Redirects in the files that the configurations include: text of records, quoted for each server.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A target that both configurations can hold: printable ASCII without quotes, backslashes, braces
/// and white space.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target(String);

impl Target {
    /// Percent-encodes characters that a URI cannot contain; control characters and text beyond
    /// ASCII have no form.
    pub(super) fn new(text: &str) -> Option<Self> {
        let mut target = String::with_capacity(text.len());
        for byte in text.bytes() {
            match byte {
                b' ' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => {
                    target.push_str(&format!("%{byte:02X}"));
                }
                0x21..=0x7e => target.push(char::from(byte)),
                _ => return None,
            }
        }
        Some(Self(target))
    }

    /// Returns the target as a quoted value of nginx, in which `$` begins a variable.
    fn nginx(&self) -> String {
        format!("\"{}\"", self.0.replace('$', "${fp_dollar}"))
    }

    /// Returns the target as a quoted token of Caddy, in which only braces have a meaning.
    fn caddy(&self) -> String {
        format!("\"{}\"", self.0)
    }
}

/// Whether a link type can be part of a key.
pub(super) fn is_plain_type(link_type: &str) -> bool {
    link_type.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":/._#-".contains(&byte))
}

/// The files with redirects.
pub(super) struct Redirects {
    nginx: [BufWriter<File>; 2],
    caddy: [BufWriter<File>; 2],
    pub(super) count: u64,
    /// The length of the longest key.
    longest: usize,
}

impl Redirects {
    /// Creates the files.
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        let create = |server: &str| -> io::Result<[BufWriter<File>; 2]> {
            fs::create_dir_all(folder.join(server))?;
            let file =
                |name: &str| File::create_new(folder.join(server).join(name)).map(BufWriter::new);
            Ok([file("types.map")?, file("languages.map")?])
        };
        Ok(Self { nginx: create("nginx")?, caddy: create("caddy")?, count: 0, longest: 0 })
    }

    /// Writes a redirect. The path has characters of file names only, and the language those of a
    /// language tag.
    pub(super) fn write(
        &mut self,
        path: &str,
        link_type: &str,
        language: &str,
        target: &Target,
    ) -> io::Result<()> {
        let file = usize::from(!language.is_empty());
        let key = match language {
            "" => format!("{path}|{link_type}"),
            language => format!("{path}|{link_type}|{language}"),
        };
        writeln!(self.nginx[file], "{} {};", nginx_key(&key, path), target.nginx())?;
        writeln!(self.caddy[file], "\"{key}\" {}", target.caddy())?;
        self.count += 1;
        self.longest = self.longest.max(key.len() + 1);
        Ok(())
    }

    /// Writes what waits in buffers.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.nginx.iter_mut().chain(&mut self.caddy).try_for_each(Write::flush)
    }

    /// Returns the size of the hash tables of nginx, and of a bucket, which holds the longest key
    /// and the address of its value.
    pub(super) fn nginx_sizes(&self) -> (u64, usize) {
        let size = self.count.saturating_mul(2).clamp(2048, 1 << 30);
        (size, (self.longest + 64).next_power_of_two().max(128))
    }
}

/// Returns a key of a `map` of nginx. It ignores case, so the case of the path is its first letter;
/// paths with both cases are regular expressions.
fn nginx_key(key: &str, path: &str) -> String {
    let has = |is: fn(&u8) -> bool| path.as_bytes().iter().any(is);
    match (has(u8::is_ascii_uppercase), has(u8::is_ascii_lowercase)) {
        (true, true) => {
            let mut pattern = String::new();
            for char in key.chars() {
                if !char.is_ascii_alphanumeric() && !"/-_%~!',;=:@&".contains(char) {
                    pattern.push('\\');
                }
                pattern.push(char);
            }
            format!("\"~^M{pattern}$\"")
        }
        (false, true) => format!("\"L{key}\""),
        (_, false) => format!("\"U{key}\""),
    }
}

/// Returns a regular expression for all spellings of a link type in a query.
pub(super) fn type_pattern(link_type: &str) -> String {
    let spelled = |text: &str| {
        let mut pattern = String::new();
        for char in text.chars() {
            match char {
                ':' => pattern.push_str("(?:%3[Aa]|:)"),
                '/' => pattern.push_str("(?:%2[Ff]|/)"),
                '#' => pattern.push_str("(?:%23|#)"),
                '.' => pattern.push_str("\\."),
                other => pattern.push(other),
            }
        }
        pattern
    };
    match link_type.strip_prefix("gs1:") {
        Some(name) => {
            let (short, hosts) = (spelled("gs1:"), spelled("://"));
            let path = spelled("/voc/");
            format!("^(?:{short}|https?{hosts}(?:ref\\.|www\\.)?gs1\\.org{path}){name}$")
        }
        None => format!("^{}$", spelled(link_type)),
    }
}

/// Returns a regular expression for a header field that begins with a language.
pub(super) fn language_pattern(language: &str) -> String {
    format!("^ *{language}(?:[^a-z0-9]|$)")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Issue 33, point 4: nothing stored can inject into a configuration.
    #[test]
    fn targets_cannot_end_their_quotes_or_name_variables() {
        let target = Target::new("https://a/\"; return 200 \\ `{env.HOME}` $host #x").unwrap();
        assert_eq!(
            target.nginx(),
            "\"https://a/%22;%20return%20200%20%5C%20%60%7Benv.HOME%7D%60%20${fp_dollar}host%20#x\""
        );
        assert!(!target.caddy()[1..target.caddy().len() - 1].contains(['"', '{', '}', '`', '\\']));
        for wrong in ["https://a/\n", "https://a/\r\nb", "https://a/\u{7f}", "https://ä"] {
            assert_eq!(Target::new(wrong), None, "{wrong:?}");
        }
        assert!(is_plain_type("gs1:pip") && is_plain_type("https://a.example/b#c-d"));
        for wrong in ["a\"", "a b", "a;", "a{", "a$", "a\\", "a|", "ä"] {
            assert!(!is_plain_type(wrong), "{wrong}");
        }
    }

    /// A `map` of nginx ignores case, a lot does not.
    #[test]
    fn keys_of_nginx_distinguish_case() {
        let key = |path: &str| nginx_key(&format!("{path}|gs1:pip"), path);
        assert_eq!(key("/01/1/10/AB%2F"), "\"U/01/1/10/AB%2F|gs1:pip\"");
        assert_eq!(key("/01/1/10/ab"), "\"L/01/1/10/ab|gs1:pip\"");
        assert_eq!(key("/01/1/10/a.B$"), "\"~^M/01/1/10/a\\.B\\$\\|gs1:pip$\"");
        assert_eq!(key("/01/1/10/a$"), "\"L/01/1/10/a$|gs1:pip\"");
    }
}
