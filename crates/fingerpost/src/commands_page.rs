//! `docs/reference/commands.md`, generated from the argument definitions; and a check that the
//! examples of the help texts are valid.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, Command, CommandFactory};

use crate::command_line::Cli;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/commands.md");

/// What begins the generated part of the page.
const BEGINS: &str = "\n| command |";

/// Returns the part of the page below its introduction: a table of all commands, and a section for
/// each.
fn reference() -> String {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    let (mut table, mut sections) = (String::new(), String::new());
    table.push_str("| command | purpose |\n|---|---|\n");
    for command in root.get_subcommands_mut() {
        add(command, &mut table, &mut sections);
    }
    format!("{table}{sections}")
}

/// Adds a command and those below it.
fn add(command: &mut Command, table: &mut String, sections: &mut String) {
    let name = command.get_bin_name().unwrap_or_default().to_owned();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let anchor = name.replace(' ', "-");
    // Writing to a string cannot fail.
    let _ = writeln!(table, "| [`{name}`](#{anchor}) | {} |", cell(&about));
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let _ = write!(sections, "\n## {name}\n\n{about}.\n\n```text\n{}\n```\n", unindented(usage));
    let mut arguments: Vec<&Arg> =
        command.get_arguments().filter(|arg| !is_help(arg) && !arg.is_global_set()).collect();
    // Positional arguments first, in their order; then options in the order of the help.
    arguments.sort_by_key(|arg| arg.get_index().unwrap_or(usize::MAX));
    if !arguments.is_empty() {
        sections.push_str("\n| argument or option | meaning |\n|---|---|\n");
    }
    for arg in arguments {
        let _ = writeln!(sections, "| {} | {} |", names(arg), meaning(arg));
    }
    if let Some(more) = command.get_after_help() {
        let _ = write!(sections, "\n```text\n{}\n```\n", more.to_string().trim_end());
    }
    for below in command.get_subcommands_mut() {
        add(below, table, sections);
    }
}

fn is_help(arg: &Arg) -> bool {
    ["help", "version"].contains(&arg.get_id().as_str())
}

/// Returns the lines of a usage with a common margin.
fn unindented(usage: &str) -> String {
    usage.lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

/// Returns an argument as it is written, with the names of its values.
fn names(arg: &Arg) -> String {
    let values: Vec<_> = arg
        .get_value_names()
        .unwrap_or_default()
        .iter()
        .map(|name| if arg.is_positional() { format!("<{name}>") } else { name.to_string() })
        .collect();
    let values = if arg.get_action().takes_values() { values.join(" ") } else { String::new() };
    let mut names: Vec<_> = arg.get_short().map(|short| format!("-{short}")).into_iter().collect();
    names.extend(arg.get_long().map(|long| format!("--{long}")));
    let written = names
        .iter()
        .map(|name| format!("`{}`", format!("{name} {values}").trim_end()))
        .collect::<Vec<_>>()
        .join(", ");
    if written.is_empty() { format!("`{values}`") } else { written }
}

/// Returns the help of an argument with its possible values, its default and its environment
/// variable.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_help().or(arg.get_long_help()).map(ToString::to_string).unwrap_or_default();
    let mut meaning = cell(&help);
    let takes = arg.get_action().takes_values();
    let possible: Vec<_> = arg
        .get_possible_values()
        .into_iter()
        .filter(|value| takes && !value.is_hide_set())
        .collect();
    if !possible.is_empty() {
        let explained = possible.iter().any(|value| value.get_help().is_some());
        let values = possible.iter().map(|value| {
            let name = format!("`{}`", value.get_name());
            match value.get_help() {
                Some(help) => format!("{name}: {}", cell(&help.to_string())),
                None => name,
            }
        });
        let values: Vec<_> = values.collect();
        let _ = write!(meaning, ". One of {}", values.join(if explained { "; " } else { ", " }));
    }
    let defaults: Vec<_> =
        arg.get_default_values().iter().map(|value| format!("`{}`", value.display())).collect();
    if takes && !defaults.is_empty() {
        let _ = write!(meaning, ". Default: {}", defaults.join(", "));
    }
    if let Some(variable) = arg.get_env() {
        let _ = write!(meaning, ". Environment variable: `{}`", variable.display());
    }
    meaning
}

/// Returns a text for a cell of a table.
fn cell(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace('|', "\\|").replace('<', "\\<")
}

#[test]
fn the_reference_of_commands_is_that_of_the_definitions() {
    let current = fs::read_to_string(PATH).expect("docs/reference/commands.md");
    let (by_hand, _) = current.split_at(current.find(BEGINS).map_or(current.len(), |at| at + 1));
    let expected = format!("{by_hand}{}", reference());
    if std::env::var_os("GENERATE").is_some() {
        fs::write(PATH, &expected).expect("written");
    } else {
        assert!(
            current == expected,
            "docs/reference/commands.md is stale: run this test with GENERATE=1"
        );
    }
}

/// Returns the commands of a help text: lines that begin with two spaces and the name, without what
/// explains or redirects them.
fn examples(help: &str) -> Vec<String> {
    let mut joined = String::new();
    for line in help.lines() {
        let line = if joined.ends_with(' ') { line.trim_start() } else { line };
        match line.strip_suffix('\\') {
            // The next line continues this one.
            Some(line) => joined.extend([line.trim_end(), " "]),
            None => joined.extend([line, "\n"]),
        }
    }
    let mut commands = Vec::new();
    for line in joined.lines().filter_map(|line| line.strip_prefix("  ")) {
        for part in line.split(" | ") {
            let mut part = part.trim();
            // An explanation stands behind at least two spaces.
            part = part.split("  ").next().unwrap_or_default();
            part = part.split(" > ").next().unwrap_or_default();
            part = part.split(" < ").next().unwrap_or_default();
            // A value that is cut off is none.
            if part.starts_with("fingerpost ") && !part.contains('…') {
                commands.push(part.trim().to_owned());
            }
        }
    }
    commands
}

/// Splits a command as a shell does, as far as the examples need it.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let (mut quote, mut is_word) = (None, false);
    for char in command.chars() {
        match (quote, char) {
            (None, ' ') => {
                if is_word {
                    words.push(std::mem::take(&mut word));
                }
                is_word = false;
            }
            (None, '\'' | '"') => (quote, is_word) = (Some(char), true),
            (Some(open), close) if open == close => quote = None,
            (_, char) => {
                word.push(char);
                is_word = true;
            }
        }
    }
    if is_word {
        words.push(word);
    }
    words
}

#[test]
fn examples_in_help_texts_are_valid_commands() {
    fn collect(command: &Command, found: &mut Vec<String>) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        found.extend(examples(&help));
        command.get_subcommands().for_each(|below| collect(below, found));
    }
    let mut found = Vec::new();
    collect(&Cli::command(), &mut found);
    assert!(found.len() > 80, "{found:#?}");
    for example in found {
        // A command substitution is one word.
        let example = example.replace("$(date +%F)", "2026-05-01");
        let result = Cli::command().try_get_matches_from(words(&example));
        assert!(result.is_ok(), "{example}: {}", result.unwrap_err());
    }
}

/// Returns the commands that a page names in its prose: between backticks, beginning with the name
/// of the program.
fn named(page: &str) -> Vec<Vec<String>> {
    let mut is_code = false;
    let mut commands = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            let code = line.split('`').skip(1).step_by(2);
            commands.extend(code.filter(|code| code.starts_with("fingerpost ")).map(words));
        }
    }
    commands
}

/// Commands in prose are often parts of one, so that only the names of commands and options are
/// compared.
#[test]
fn commands_that_pages_name_exist() {
    fn check(root: &Command, words: &[String]) -> Result<(), String> {
        let mut command = root;
        for word in words.iter().skip(1).filter(|word| *word != "…") {
            if word == "help" {
                break;
            }
            if let Some(option) = word.strip_prefix("--") {
                let name = option.split('=').next().unwrap_or_default();
                let is_known = |arg: &Arg| arg.get_long() == Some(name);
                if !["help", "version"].contains(&name) && !command.get_arguments().any(is_known) {
                    return Err(format!("no option --{name}"));
                }
            } else if let Some(below) = command.find_subcommand(word) {
                command = below;
            } else if command.has_subcommands() && command.get_positionals().next().is_none() {
                return Err(format!("no command {word}"));
            }
        }
        Ok(())
    }
    fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                pages(&path, found);
            } else if path.extension().is_some_and(|kind| kind == "md") {
                found.push(path);
            }
        }
    }
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = vec![repository.join("README.md")];
    pages(&repository.join("docs"), &mut found);
    let root = Cli::command();
    let mut count = 0;
    let mut faults = Vec::new();
    for page in found {
        for words in named(&fs::read_to_string(&page).expect("a page")) {
            count += 1;
            if let Err(fault) = check(&root, &words) {
                faults.push(format!("{}: {}: {fault}", page.display(), words.join(" ")));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(count > 100, "{count}");
}
