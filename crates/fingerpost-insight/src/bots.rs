//! Tells programs from people by their user agent: the rule is `data/bots.txt`.

use crate::limits::MAX_USER_AGENT;

/// Texts of which the user agent of a program contains one, in lower case.
const LIST: &str = include_str!("../../../data/bots.txt");

/// Returns whether a user agent is that of a program: it contains a text of `data/bots.txt` within
/// its first 512 bytes, or is empty.
pub fn is_bot(user_agent: &[u8]) -> bool {
    let agent = &user_agent[..user_agent.len().min(MAX_USER_AGENT)];
    let agent = agent.to_ascii_lowercase();
    let contains = |text: &str| agent.windows(text.len()).any(|part| part == text.as_bytes());
    agent.is_empty() || patterns().any(contains)
}

fn patterns() -> impl Iterator<Item = &'static str> {
    LIST.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 35.2: bots by a published rule are counted apart.
    #[test]
    fn programs_are_told_from_phones() {
        for agent in [
            "",
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "curl/8.5.0",
            "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/120.0",
        ] {
            assert!(is_bot(agent.as_bytes()), "{agent}");
        }
        for agent in [
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
            "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Mobile Safari/537.36",
        ] {
            assert!(!is_bot(agent.as_bytes()), "{agent}");
        }
        assert!(patterns().count() > 10);
        assert!(
            patterns().all(|text| text.len() > 2 && !text.bytes().any(|b| b.is_ascii_uppercase()))
        );
    }
}
