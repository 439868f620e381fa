//! `robots.txt` (RFC 9309).
//!
//! ```text
//! group = 1*( "user-agent:" token ) *( ( "allow:" / "disallow:" ) pattern / "crawl-delay:" seconds )
//! ```
//!
//! The rules of all groups for the checker apply; without any, those for `*`. The longest pattern
//! that matches decides, and `allow` among equally long ones (section 2.2.2). `*` in a pattern
//! stands for any characters, `$` at its end for the end of the path.

use std::time::Duration;

use crate::limits::{MAX_CRAWL_DELAY, MAX_ROBOTS_RULES};

/// The product token of the checker.
pub(crate) const TOKEN: &str = "fingerpost-linkcheck";

/// The rules of a host for the checker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Robots {
    rules: Vec<Rule>,
    delay: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    allows: bool,
    pattern: String,
}

impl Robots {
    /// Returns rules that forbid everything, for a host whose `robots.txt` cannot be read.
    pub(crate) fn nothing() -> Self {
        let rule = Rule { allows: false, pattern: "/".to_owned() };
        Self { rules: vec![rule], ..Self::default() }
    }

    /// Reads the rules; lines that cannot be read are ignored.
    pub(crate) fn parse(text: &str) -> Self {
        let (mut own, mut any) = (None::<Self>, Self::default());
        let (mut is_own, mut is_any, mut in_agents) = (false, false, false);
        for line in text.trim_start_matches('\u{feff}').split(['\n', '\r']) {
            let line = line.split('#').next().unwrap_or_default();
            let Some((name, value)) = line.split_once(':') else { continue };
            let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
            if name == "user-agent" {
                if !in_agents {
                    (is_own, is_any, in_agents) = (false, false, true);
                }
                is_own |= value.eq_ignore_ascii_case(TOKEN);
                is_any |= value == "*";
                if is_own {
                    own.get_or_insert_default();
                }
                continue;
            }
            in_agents = false;
            if is_own {
                own.get_or_insert_default().add(&name, value);
            }
            if is_any {
                any.add(&name, value);
            }
        }
        own.unwrap_or(any)
    }

    fn add(&mut self, name: &str, value: &str) {
        match name {
            "allow" | "disallow" if !value.is_empty() && self.rules.len() < MAX_ROBOTS_RULES => {
                self.rules.push(Rule { allows: name == "allow", pattern: value.to_owned() });
            }
            "crawl-delay" => {
                let seconds =
                    value.parse().ok().and_then(|it| Duration::try_from_secs_f64(it).ok());
                self.delay = seconds.unwrap_or_default().min(MAX_CRAWL_DELAY);
            }
            _ => {}
        }
    }

    /// Returns whether a path with its query may be requested.
    pub(crate) fn allows(&self, path: &str) -> bool {
        let matching = self.rules.iter().filter(|rule| matches(&rule.pattern, path));
        matching.max_by_key(|rule| (rule.pattern.len(), rule.allows)).is_none_or(|rule| rule.allows)
    }

    /// Returns the pause that the host asks for between two requests.
    pub(crate) fn delay(&self) -> Duration {
        self.delay
    }
}

/// Returns whether a pattern matches the beginning of a path. Taking the first place of each piece
/// leaves the most room for the next ones.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, to_end) = pattern.strip_suffix('$').map_or((pattern, false), |it| (it, true));
    let mut pieces = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let mut ends = !pattern.contains('*') && rest.is_empty();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        if to_end && pieces.peek().is_none() {
            ends = rest.ends_with(piece);
            break;
        }
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    !to_end || ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rule_decides() {
        for (rules, path, expected) in [
            ("", "/a", true),
            ("User-agent: *\nDisallow: /", "/a", false),
            ("User-agent: *\nDisallow:", "/a", true),
            ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true),
            ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/c", false),
            ("User-agent: *\nAllow: /a\nDisallow: /a", "/a", true),
            ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", false),
            ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?z", true),
            ("User-agent: *\nDisallow: /a$", "/a", false),
            ("User-agent: *\nDisallow: /a$", "/ab", true),
            ("User-agent: *\nDisallow: /*q=*x", "/?q=1&x", false),
            // A group for the checker replaces that for all.
            (
                "User-agent: *\nDisallow: /\n\nUser-agent: Fingerpost-LinkCheck\nDisallow: /b",
                "/a",
                true,
            ),
            ("User-agent: fingerpost-linkcheck\nUser-agent: other\nDisallow: /", "/a", false),
            ("User-agent: other\nDisallow: /", "/a", true),
            (
                "User-agent: fingerpost-linkcheck\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: fingerpost-linkcheck\nDisallow: /b",
                "/b",
                false,
            ),
            ("disallow: /", "/a", true),
            ("\u{feff}USER-AGENT : * # all\r\nDISALLOW : /a # this\r\n", "/a", false),
        ] {
            assert_eq!(Robots::parse(rules).allows(path), expected, "{rules:?} {path}");
        }
        assert!(!Robots::nothing().allows("/"));
    }

    #[test]
    fn a_delay_is_bounded() {
        for (text, seconds) in [("2", 2), ("1e9", 10), ("-1", 0), ("NaN", 0), ("x", 0)] {
            let robots = Robots::parse(&format!("User-agent: *\nCrawl-delay: {text}"));
            assert_eq!(robots.delay(), Duration::from_secs(seconds), "{text}");
        }
    }

    #[test]
    fn many_rules_and_stars_cost_little() {
        let rule = format!("Disallow: /{}x\n", "*a".repeat(500));
        let robots = Robots::parse(&format!("User-agent: *\n{}", rule.repeat(3_000)));
        assert_eq!(robots.rules.len(), MAX_ROBOTS_RULES);
        assert!(robots.allows(&format!("/{}", "a".repeat(499))));
    }
}
