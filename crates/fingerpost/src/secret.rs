//! Secrets entered by a user: typed without being shown, or from standard input. Never from
//! arguments, which other users of the machine can read.

use std::io::{self, BufRead, IsTerminal, Read};

use fingerpost_registry::Secret;

use crate::failure::Failure;
use crate::limits::MAX_SECRET;

/// Prompts for a secret on a terminal, or reads the first line of standard input.
pub(crate) fn read(prompt: &str) -> Result<Secret, Failure> {
    let typed = if io::stdin().is_terminal() {
        rpassword::prompt_password(format!("{prompt}: ")).map_err(|error| unreadable(&error))?
    } else {
        let mut line = String::new();
        let mut input = io::stdin().lock().take(MAX_SECRET);
        input.read_line(&mut line).map_err(|error| unreadable(&error))?;
        line
    };
    let secret = typed.trim_end_matches(['\r', '\n']);
    if secret.is_empty() {
        return Err(Failure::advise(
            format!("expected a secret ({}), found nothing", prompt.to_lowercase()),
            "type it at the prompt, or give it on standard input",
        ));
    }
    Ok(Secret::new(secret))
}

/// Prompts for a new secret: on a terminal twice, because it is not shown.
pub(crate) fn read_new(prompt: &str) -> Result<Secret, Failure> {
    let first = read(prompt)?;
    if io::stdin().is_terminal() && read(&format!("{prompt} again"))?.expose() != first.expose() {
        return Err(Failure::advise("expected the same twice, found two", "repeat the command"));
    }
    Ok(first)
}

/// Returns a text of 120 random bits that people can type.
pub(crate) fn random() -> Result<Secret, Failure> {
    // Without characters that are easily confused: i and l, o and 0.
    const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz123456789";
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes).map_err(|_| {
        Failure::advise(
            "the operating system gives no random bits",
            "repeat, or restart the machine",
        )
    })?;
    let letters = bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte & 31)]));
    Ok(Secret::new(letters.collect::<String>()))
}

fn unreadable(error: &io::Error) -> Failure {
    Failure::advise(
        format!("cannot read the secret: {error}"),
        "give it on standard input, as one line of text",
    )
}
