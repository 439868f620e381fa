//! What mdBook needs to know of these pages: it calls `cargo xtask book preprocess` with the book
//! as JSON, and reads it back.
//!
//! Pages link to files of the repository outside of `docs/`, which a book does not have: such a
//! link becomes the name of the file, or a link to the repository if `FINGERPOST_REPOSITORY` is the
//! address of its files. Fences carry attributes for `cargo xtask guides`, which no reader needs. A
//! link to `README.md` leads to `index.html`, which is what mdBook makes of it.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::markdown::{is_fence, links};
use super::{is_elsewhere, plain};

/// Answers mdBook: whether a renderer is supported, or the book with changed chapters.
pub(crate) fn run(words: &[&str]) -> Result<(), String> {
    match words {
        ["supports", "html"] => Ok(()),
        ["supports", renderer] => Err(format!("book: no support for the renderer {renderer}")),
        _ => {
            let input = serde_json::from_reader(io::stdin());
            let (_, mut book): (Value, Value) =
                input.map_err(|error| format!("book: expected what mdBook sends: {error}"))?;
            let repository = std::env::var("FINGERPOST_REPOSITORY").ok();
            change(&mut book, repository.as_deref());
            println!("{book}");
            Ok(())
        }
    }
}

/// Changes every chapter below a value.
fn change(value: &mut Value, repository: Option<&str>) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| change(value, repository)),
        Value::Object(members) => {
            let path = members.get("source_path").and_then(Value::as_str).map(PathBuf::from);
            if let (Some(path), Some(Value::String(content))) = (path, members.get_mut("content")) {
                *content = chapter(&path, content, repository);
            }
            members.values_mut().for_each(|value| change(value, repository));
        }
        _ => {}
    }
}

/// Returns the text of a chapter for the book. `path` is its position below `docs/`.
fn chapter(path: &Path, content: &str, repository: Option<&str>) -> String {
    let mut text = String::with_capacity(content.len());
    let mut is_code = false;
    for line in content.split_inclusive('\n') {
        if is_fence(line) {
            is_code = !is_code;
            let language = line.trim_end().split(' ').find(|word| !word.is_empty());
            let indent = line.len() - line.trim_start().len();
            text.push_str(&line[..indent]);
            text.push_str(language.unwrap_or_default());
            text.push('\n');
        } else if is_code {
            text.push_str(line);
        } else {
            text.push_str(&prose(path, line, repository));
        }
    }
    text
}

fn prose(path: &Path, line: &str, repository: Option<&str>) -> String {
    let mut changed = line.to_owned();
    let mut found = links(line);
    found.sort_by_key(|link| link.span.start);
    for link in found.into_iter().rev() {
        if is_elsewhere(link.target) || link.target.starts_with('#') {
            continue;
        }
        // As if the book lay in a folder `docs` of the repository.
        let position = Path::new("docs").join(path.parent().unwrap_or(path)).join(link.target);
        let position = plain(&position);
        let replacement = match (position.strip_prefix("docs"), link.text, repository) {
            (Ok(_), Some(text), _) if link.target.contains("README.md") => {
                format!("[{text}]({})", link.target.replace("README.md", "index.md"))
            }
            (Ok(_), ..) => continue,
            (Err(_), Some(text), Some(repository)) => {
                format!("[{text}]({}/{})", repository.trim_end_matches('/'), position.display())
            }
            (Err(_), Some(text), None) => {
                let name = format!("`{}`", position.display());
                if text == name { name } else { format!("{text} ({name})") }
            }
            (Err(_), None, _) => continue,
        };
        changed.replace_range(link.span, &replacement);
    }
    changed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn links_that_leave_the_book_become_names_or_links_to_the_repository() {
        let text =
            "See [`data/texts`](../../data/texts), [nginx](../../data/x) and [b](../c/d.md#e).\n";
        let path = Path::new("operations/a.md");
        assert_eq!(
            chapter(path, text, None),
            "See `data/texts`, nginx (`data/x`) and [b](../c/d.md#e).\n"
        );
        assert_eq!(
            chapter(path, text, Some("https://host.example/files/")),
            "See [`data/texts`](https://host.example/files/data/texts), \
             [nginx](https://host.example/files/data/x) and [b](../c/d.md#e).\n"
        );
    }

    #[test]
    fn fences_lose_their_attributes_and_keep_their_content() {
        let text = "1. a\n\n   ```sh input=\"x y\"\n   echo [a](../../b)\n   ```\n";
        assert_eq!(chapter(Path::new("a.md"), text, None), text.replace(" input=\"x y\"", ""));
    }

    #[test]
    fn chapters_are_changed_wherever_they_are() {
        let mut book = json!({"items": [{"Chapter": {
            "content": "[a](requirements/README.md)", "source_path": "README.md",
            "sub_items": [{"Chapter": {"content": "[`x`](../../x)", "source_path": "b/c.md"}}],
        }}]});
        change(&mut book, None);
        let chapter = &book["items"][0]["Chapter"];
        assert_eq!(chapter["content"], "[a](requirements/index.md)");
        assert_eq!(chapter["sub_items"][0]["Chapter"]["content"], "`x`");
    }
}
