//! Mails: their texts in the language of the reader, the message, and where it is delivered: at an
//! SMTP server, in a folder, or in the log.

mod smtp;
mod texts;

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use data_encoding::{BASE64, BASE64_MIME};
use fingerpost_registry::Letter;
use jiff::Timestamp;

use crate::config::MailOptions;
use crate::failure::Failure;
use crate::limits::MAX_ENCODED_WORD;

/// Where mails are delivered.
pub(crate) struct Post {
    from: String,
    /// The host of the resolver, which mails name.
    place: String,
    to: Delivery,
}

enum Delivery {
    Smtp(smtp::Smtp),
    Folder(PathBuf),
    Log,
}

impl Post {
    /// Creates a post from the configuration. Nothing is sent yet.
    pub(crate) fn new(options: &MailOptions, place: &str) -> Result<Self, Failure> {
        let to = match (&options.server, &options.folder) {
            (Some(server), _) => Delivery::Smtp(smtp::Smtp::new(server, options)?),
            (None, Some(folder)) => Delivery::Folder(folder.clone()),
            (None, None) => Delivery::Log,
        };
        let from = options.from.clone().unwrap_or_else(|| "fingerpost@localhost".to_owned());
        Ok(Self { from, place: place.to_owned(), to })
    }

    /// Delivers a mail. The error names neither the address nor the link.
    pub(crate) fn deliver(&self, letter: &Letter, now: Timestamp) -> io::Result<()> {
        let (subject, text) = texts::of(letter, &self.place);
        let message = || message(&self.from, letter, &subject, &text, now);
        match &self.to {
            Delivery::Smtp(smtp) => smtp.send(&self.from, &letter.to, &message()),
            Delivery::Folder(folder) => save(folder, letter, &message(), now),
            Delivery::Log => {
                let to = &letter.to;
                tracing::warn!(to, subject, "no mail server is configured; the mail is:\n{text}");
                Ok(())
            }
        }
    }
}

/// Returns a message (RFC 5322, RFC 2045): plain text in UTF-8. Addresses are ASCII without control
/// characters, and everything else is encoded, so nothing in it can be another header.
fn message(from: &str, letter: &Letter, subject: &str, text: &str, now: Timestamp) -> String {
    let host = from.rsplit('@').next().unwrap_or_default();
    let date = now.strftime("%a, %d %b %Y %H:%M:%S +0000");
    let id = format_args!("{}.{}@{host}", letter.id, now.as_millisecond()).to_string();
    let mut message = format!(
        "From: <{from}>\r\nTo: <{}>\r\nSubject: {}\r\nDate: {date}\r\nMessage-ID: <{id}>\r\n\
         Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n\
         Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n",
        letter.to,
        encoded_words(subject)
    );
    message.push_str(&BASE64_MIME.encode(text.replace('\n', "\r\n").as_bytes()));
    message
}

/// Returns a text as words of at most 75 characters in ASCII (RFC 2047).
fn encoded_words(text: &str) -> String {
    let mut words = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(rest.floor_char_boundary(MAX_ENCODED_WORD));
        let space = if words.is_empty() { "" } else { "\r\n " };
        // Writing to a text does not fail.
        let _ = write!(words, "{space}=?utf-8?B?{}?=", BASE64.encode(word.as_bytes()));
        rest = after;
    }
    words
}

/// Writes a message to a new file that only the server can read: it lets its reader in.
fn save(folder: &Path, letter: &Letter, message: &str, now: Timestamp) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let name = format!("{}-{}", letter.id, now.as_millisecond());
    let (part, whole) = (folder.join(format!("{name}.part")), folder.join(format!("{name}.eml")));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part)?;
    file.write_all(message.as_bytes())?;
    file.sync_all()?;
    fs::rename(part, whole)
}

#[cfg(test)]
mod tests {
    use fingerpost_registry::{Id, LetterSubject, Secret};

    use super::*;

    #[test]
    fn a_message_has_only_its_own_headers() {
        let place = "Ö\r\nBcc: eve@example.org ".repeat(5);
        let letter = Letter {
            id: Id::random(),
            to: "ada@example.org".to_owned(),
            language: "xx".to_owned(),
            about: LetterSubject::Invitation(Some(place)),
            link: Secret::new("https://admin.example.org/console/#/invitation/fpi_1"),
            expires: Timestamp::UNIX_EPOCH,
        };
        let (subject, text) = texts::of(&letter, "id.example.org");
        let message = message("from@example.org", &letter, &subject, &text, Timestamp::UNIX_EPOCH);
        assert!(message.is_ascii() && message.split("\r\n").all(|line| line.len() <= 78));
        let (head, body) = message.split_once("\r\n\r\n").unwrap();
        let names: Vec<_> = head.split("\r\n").filter(|line| !line.starts_with(' ')).collect();
        assert_eq!(names.len(), 9, "{head}");
        assert!(head.contains("Date: Thu, 01 Jan 1970 00:00:00 +0000"), "{head}");
        let text = String::from_utf8(BASE64_MIME.decode(body.as_bytes()).unwrap()).unwrap();
        assert!(text.contains("\r\nhttps://admin.example.org/console/#/invitation/fpi_1\r\n"));
    }
}
