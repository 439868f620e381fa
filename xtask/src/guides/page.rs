//! The fenced blocks of a Markdown page, and their purposes.
//!
//! The first word after the fence is the language, as usual. The rest is for the runner:
//!
//! | info string | meaning |
//! |---|---|
//! | `sh` | commands; each has to succeed |
//! | `sh input="…"` | the same, with this line typed where a command asks |
//! | `sh background` | a server: runs until the end of the page; waits until it listens |
//! | `sh skip="reason"` | is not run, and says why |
//! | `console` | commands after `$ `, each with its output; `…` matches anything |
//! | `console status=1` | the same, ending with this status |
//! | `json title=FILE` | saved as `FILE`; any language |
//! | `sh needs="/path/*/file"` | any of these; without such a file, the page is not run, which is reported |

/// One fenced block.
pub(super) struct Block {
    /// The line of the fence, from 1.
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) role: Role,
    /// The pattern of a file without which the page cannot run.
    pub(super) needs: Option<String>,
}

/// The action of the runner for a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Role {
    Save { file: String },
    Run { input: String },
    Background,
    Compare { steps: Vec<Step>, status: u8 },
    Skip { reason: String },
    Show,
}

/// A command of a `console` block and the output shown for it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) command: String,
    pub(super) output: Vec<String>,
}

/// Returns the blocks of a page in order.
pub(super) fn blocks(page: &str) -> Result<Vec<Block>, String> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((index, fence)) = lines.next() {
        let Some(info) = fence.trim_start().strip_prefix("```") else { continue };
        let indent = fence.len() - fence.trim_start().len();
        let line = index + 1;
        let mut text = String::new();
        loop {
            let Some((_, inner)) = lines.next() else {
                return Err(format!("{line}: the block does not end"));
            };
            if inner.trim() == "```" {
                break;
            }
            text.push_str(inner.get(indent..).unwrap_or_default());
            text.push('\n');
        }
        let (role, needs) = role(info, &text).map_err(|error| format!("{line}: {error}"))?;
        blocks.push(Block { line, text, role, needs });
    }
    Ok(blocks)
}

/// Returns the role of a block, and the file that it needs.
fn role(info: &str, text: &str) -> Result<(Role, Option<String>), String> {
    let (language, rest) = info.split_once(' ').unwrap_or((info, ""));
    if language.is_empty() {
        return Err("the fence names no language: write sh, console, json, toml, text …".to_owned());
    }
    if ["bash", "shell", "zsh", "fish", "shellsession", "sh-session"].contains(&language) {
        return Err(format!("write sh or console instead of {language}, so that the block is run"));
    }
    if !["sh", "console"].contains(&language) && text.lines().any(|line| line.starts_with("$ ")) {
        return Err(format!(
            "a block of {language} with a command: write console, so that it is run"
        ));
    }
    let attributes = attributes(rest)?;
    let value =
        |name: &str| attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    for (key, _) in &attributes {
        if !["title", "skip", "input", "background", "status", "needs"].contains(&key.as_str()) {
            return Err(format!("unknown attribute `{key}`"));
        }
    }
    let role = if let Some(reason) = value("skip") {
        Role::Skip { reason }
    } else if let Some(file) = value("title") {
        Role::Save { file }
    } else {
        match language {
            "sh" if value("background").is_some() => Role::Background,
            "sh" => Role::Run { input: value("input").unwrap_or_default() },
            "console" => {
                let status = value("status").unwrap_or_else(|| "0".to_owned());
                let status =
                    status.parse().map_err(|_| format!("status {status} is not a number"))?;
                Role::Compare { steps: steps(text)?, status }
            }
            _ => Role::Show,
        }
    };
    Ok((role, value("needs")))
}

/// Splits `key=value`, `key="some words"` and `key`, separated by spaces.
fn attributes(mut rest: &str) -> Result<Vec<(String, String)>, String> {
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(attributes);
        }
        let end = rest.find([' ', '=']).unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        let (value, after) = match after.strip_prefix('=') {
            None => ("", after),
            Some(quoted) if quoted.starts_with('"') => quoted[1..]
                .split_once('"')
                .ok_or_else(|| format!("the value of `{key}` does not end"))?,
            Some(bare) => bare.split_at(bare.find(' ').unwrap_or(bare.len())),
        };
        attributes.push((key.to_owned(), value.to_owned()));
        rest = after;
    }
}

/// Returns the commands of a console block. A line that ends with `\` continues on the next.
fn steps(text: &str) -> Result<Vec<Step>, String> {
    let mut steps: Vec<Step> = Vec::new();
    let mut continues = false;
    for line in text.lines() {
        let command = line.strip_prefix("$ ").or_else(|| continues.then_some(line));
        match (command, steps.last_mut()) {
            (Some(more), Some(step)) if continues => {
                step.command.push('\n');
                step.command.push_str(more);
            }
            (Some(command), _) => {
                steps.push(Step { command: command.to_owned(), output: Vec::new() });
            }
            (None, Some(step)) => step.output.push(line.to_owned()),
            (None, None) => return Err("a console block begins with `$ `".to_owned()),
        }
        continues = command.is_some_and(|command| command.ends_with('\\'));
    }
    Ok(steps)
}

/// Returns whether printed lines match those of a page, where `…` matches any text and a line `…`
/// any lines.
pub(super) fn fits(shown: &[String], printed: &[&str]) -> bool {
    match shown {
        [] => printed.is_empty(),
        [all, rest @ ..] if all.trim() == "…" => {
            (0..=printed.len()).any(|taken| fits(rest, &printed[taken..]))
        }
        [line, rest @ ..] => printed.split_first().is_some_and(|(first, others)| {
            line_fits(line.trim_end(), first.trim_end()) && fits(rest, others)
        }),
    }
}

fn line_fits(shown: &str, printed: &str) -> bool {
    match shown.split_once('…') {
        None => shown == printed,
        Some((before, after)) => printed.strip_prefix(before).is_some_and(|rest| {
            (0..=rest.len())
                .filter(|&at| rest.is_char_boundary(at))
                .any(|at| line_fits(after, &rest[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(page: &str) -> Block {
        let mut blocks = blocks(page).expect("the page is well formed");
        assert_eq!(blocks.len(), 1);
        blocks.remove(0)
    }

    #[test]
    fn a_block_in_a_list_loses_its_indentation() {
        let block = only("1. First:\n\n   ```sh\n   echo a\n     b\n   ```\n");
        assert_eq!((block.line, block.text.as_str()), (3, "echo a\n  b\n"));
    }

    #[test]
    fn attributes_say_what_a_block_is_for() {
        let save = only("```json title=products.json\n{}\n```");
        assert_eq!(save.role, Role::Save { file: "products.json".to_owned() });
        let skip = only("```sh skip=\"takes an hour\"\nsleep 3600\n```");
        assert_eq!(skip.role, Role::Skip { reason: "takes an hour".to_owned() });
        assert_eq!(only("```toml\n```").role, Role::Show);
        let needs = only("```sh needs=\"/usr/lib/*/initdb\"\ninitdb\n```");
        assert_eq!(needs.needs.as_deref(), Some("/usr/lib/*/initdb"));
        assert_eq!(needs.role, Role::Run { input: String::new() });
    }

    #[test]
    fn a_block_without_language_and_a_mistyped_attribute_are_refused() {
        assert!(blocks("```\necho\n```").is_err());
        assert!(blocks("```sh titel=a\necho\n```").is_err());
        assert!(blocks("```sh\necho\n").is_err());
    }

    #[test]
    fn commands_that_would_not_run_are_refused() {
        for page in ["```bash\necho\n```", "```shell\necho\n```", "```text\n$ echo\n```"] {
            assert!(blocks(page).is_err(), "{page}");
        }
        assert_eq!(only("```text\n  fingerpost serve\n```").role, Role::Show);
    }

    #[test]
    fn console_commands_have_their_output() {
        let block = only("```console\n$ echo a \\\n    b\na b\n$ true\n```");
        let Role::Compare { steps, status: 0 } = block.role else {
            panic!("expected a comparison")
        };
        assert_eq!(steps[0].command, "echo a \\\n    b");
        assert_eq!(steps[0].output, ["a b"]);
        assert_eq!(steps[1].output, Vec::<String>::new());
    }

    #[test]
    fn an_ellipsis_stands_for_anything_and_nothing_else_does() {
        let shown = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        assert!(fits(&shown("head: 4:…\n…\nend"), &["head: 4:5f0c", "one", "two", "end"]));
        assert!(!fits(&shown("head: 4:…"), &["head: 5:5f0c"]));
        assert!(!fits(&shown("one"), &["one", "two"]));
        assert!(!fits(&shown("one\ntwo"), &["one"]));
    }
}
