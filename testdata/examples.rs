//! Runs the commands in the documentation of a crate's examples, and compares what they print. The
//! tests of the toolkit crates include this file as a module.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs each example as its `console` blocks say, and without arguments.
#[test]
fn examples_print_what_they_document() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let mut sources: Vec<PathBuf> = std::fs::read_dir(Path::new(folder).join("examples"))
        .expect("a folder of examples")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    sources.sort();
    assert!(!sources.is_empty(), "{folder} has no examples");
    for source in sources {
        let name = source.file_stem().and_then(|name| name.to_str()).expect("a name");
        let text = std::fs::read_to_string(&source).expect("an example");
        let commands = documented(&text);
        assert!(!commands.is_empty(), "{name} documents no command");
        for (command, expected) in commands {
            let program = program(name);
            let called = format!("cargo run -p {} --example {name}", env!("CARGO_PKG_NAME"));
            assert!(command.contains(&called), "expected {called} in: {command}");
            let command =
                command.replace(&format!("{called} --"), &program).replace(&called, &program);
            assert_eq!(printed(Command::new("sh").args(["-c", &command])), expected, "{command}");
        }
        printed(&mut Command::new(program(name)));
    }
}

/// Returns the commands in the `console` blocks of a documentation comment, each with the lines
/// after it.
fn documented(source: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    let mut is_inside = false;
    for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if line.starts_with("```") {
            is_inside = line == "```console";
        } else if let (true, Some(command)) = (is_inside, line.strip_prefix("$ ")) {
            commands.push((command.to_owned(), String::new()));
        } else if let (true, Some((_, output))) = (is_inside, commands.last_mut()) {
            output.push_str(line);
            output.push('\n');
        }
    }
    commands
}

/// Returns the path of an example, which `cargo test` builds beside the test programs.
fn program(example: &str) -> String {
    let test = std::env::current_exe().expect("the path of the test");
    let profile = test.parent().and_then(Path::parent).expect("a folder above deps");
    let program =
        profile.join("examples").join(example).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        program.exists(),
        "{} is missing: run cargo test without --test, or cargo build --examples",
        program.display()
    );
    program.to_str().expect("a path in UTF-8").to_owned()
}

fn printed(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().expect("the example starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && errors.is_empty(),
        "{command:?}: {}: {errors}",
        output.status
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}
