//! The reference page and the example file, generated from the declarations of the options.

use std::fmt::Write;

use fingerpost_options::{Key, Section};

use super::{is_reloaded, sections};

/// Width of lines in the example file.
const WIDTH: usize = 110;

/// Returns the tables of `docs/reference/configuration.md`: one section after the other.
pub fn reference() -> String {
    let mut page = String::new();
    for (title, section) in sections() {
        // Writing to a String cannot fail.
        let _ = writeln!(page, "## {title}\n\n{}\n", joined(section.about));
        page.push_str("| key | default | meaning |\n|---|---|---|\n");
        for key in section.keys {
            let default = if key.default.is_empty() {
                "absent".to_owned()
            } else {
                format!("`{}`", key.default)
            };
            let path = section.path(key.name);
            let reloaded = if is_reloaded(&path) { " *Reloaded.*" } else { "" };
            let _ = writeln!(page, "| `{path}` | {default} | {}{reloaded} |", joined(key.doc));
        }
        page.push('\n');
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

/// Returns the settings of `docs/fingerpost.example.toml`: every key, commented out, with its
/// default or an example.
pub fn example() -> String {
    let mut file = String::new();
    // The keys of `admin.oidc` are shown in the example of `admin`.
    for (title, section) in sections().iter().filter(|(_, section)| !section.table.contains('.')) {
        let rule = "-".repeat(WIDTH.saturating_sub(title.len() + 8));
        let _ = writeln!(file, "# ---- {title} {rule}\n");
        if !section.table.is_empty() {
            let _ = writeln!(file, "[{}]\n", section.table);
        }
        for key in section.keys {
            show(&mut file, section, key);
        }
    }
    file.truncate(file.trim_end().len());
    file.push('\n');
    file
}

fn show(file: &mut String, _: &Section, key: &Key) {
    comment(file, &joined(key.doc));
    let value = if key.default.is_empty() {
        file.push_str("# example:\n");
        key.example
    } else {
        key.default
    };
    let _ = writeln!(file, "#{} = {value}\n", key.name);
}

/// Writes a paragraph as lines that begin with `#`.
fn comment(file: &mut String, text: &str) {
    let mut line = String::from("#");
    for word in text.split_whitespace() {
        if line.chars().count() + word.chars().count() >= WIDTH {
            let _ = writeln!(file, "{line}");
            line.truncate(1);
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(file, "{line}");
}

fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}
