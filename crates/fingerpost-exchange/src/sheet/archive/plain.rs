//! Writes a workbook without what its reader does not expect: comments, CDATA sections and entries
//! of sheets that lead nowhere.
//!
//! Programs that write XML by hand have them. [`super::check`] has bounded every part before.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::Hostile;

/// Returns the same workbook, in a temporary file without a name.
pub(super) fn rewritten(file: File, scratch: &Path) -> Result<File, Hostile> {
    let damaged = |error: zip::result::ZipError| {
        Hostile::Refused(format!("the workbook cannot be unpacked: {error}"))
    };
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    let mut writer = ZipWriter::new(BufWriter::new(tempfile::tempfile_in(scratch)?));
    let options =
        SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
    let mut buffer = vec![0; 64 * 1024];
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).map_err(damaged)?;
        let name = part.name().map_err(damaged)?.into_owned();
        writer.start_file(&*name, options).map_err(damaged)?;
        if super::is_media(&name) {
            io::copy(&mut part, &mut writer)?;
            continue;
        }
        let mut plain = Plain { state: State::Text, held: Vec::new() };
        let mut out = Vec::new();
        loop {
            let read = part.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            buffer[..read].iter().for_each(|&byte| plain.step(byte, &mut out));
            writer.write_all(&out)?;
            out.clear();
        }
        writer.write_all(&plain.held)?;
    }
    let mut file = writer.finish().map_err(damaged)?.into_inner().map_err(io::Error::from)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

struct Plain {
    state: State,
    /// What may belong to the end of a section, or to a tag.
    held: Vec<u8>,
}

#[derive(Clone, Copy)]
enum State {
    Text,
    /// In markup that can become any of the others.
    Open,
    Tag,
    Quoted(u8),
    Comment,
    CharacterData,
}

const COMMENT: &[u8] = b"<!--";
const CHARACTER_DATA: &[u8] = b"<![CDATA[";

impl Plain {
    fn step(&mut self, byte: u8, out: &mut Vec<u8>) {
        self.state = match (self.state, byte) {
            (State::Text, b'<') => {
                self.held.push(byte);
                State::Open
            }
            (State::Text, _) => {
                out.push(byte);
                State::Text
            }
            (State::Open, _) => {
                self.held.push(byte);
                let held = &*self.held;
                if held == COMMENT {
                    self.held.clear();
                    State::Comment
                } else if held == CHARACTER_DATA {
                    self.held.clear();
                    State::CharacterData
                } else if COMMENT.starts_with(held) || CHARACTER_DATA.starts_with(held) {
                    State::Open
                } else {
                    self.tag(byte, out)
                }
            }
            (State::Tag, _) => {
                self.held.push(byte);
                self.tag(byte, out)
            }
            (State::Quoted(mark), _) => {
                self.held.push(byte);
                if byte == mark { State::Tag } else { State::Quoted(mark) }
            }
            (State::Comment, _) => self.section(byte, b"-->", State::Comment, |_| {}),
            (State::CharacterData, _) => {
                self.section(byte, b"]]>", State::CharacterData, |byte| match byte {
                    b'&' => out.extend_from_slice(b"&amp;"),
                    b'<' => out.extend_from_slice(b"&lt;"),
                    b'>' => out.extend_from_slice(b"&gt;"),
                    _ => out.push(byte),
                })
            }
        };
    }

    /// Goes on in a tag, the last byte of which is held.
    fn tag(&mut self, byte: u8, out: &mut Vec<u8>) -> State {
        match byte {
            b'"' | b'\'' => State::Quoted(byte),
            b'>' => {
                if !leads_nowhere(&self.held) {
                    out.extend_from_slice(&self.held);
                }
                self.held.clear();
                State::Text
            }
            _ => State::Tag,
        }
    }

    /// Goes on in a section until its end; passes what is in it to `take`.
    fn section(&mut self, byte: u8, end: &[u8], state: State, mut take: impl FnMut(u8)) -> State {
        self.held.push(byte);
        if self.held == end {
            self.held.clear();
            return State::Text;
        }
        if self.held.len() == end.len() {
            take(self.held.remove(0));
        }
        state
    }
}

/// Returns whether a tag is the entry of a sheet without a relationship: `<sheet … r:id=""/>`.
pub(super) fn leads_nowhere(tag: &[u8]) -> bool {
    let name = tag.strip_prefix(b"<").unwrap_or(tag);
    let end = name.iter().position(u8::is_ascii_whitespace).unwrap_or_default();
    let local = name[..end].rsplit(|byte| *byte == b':').next();
    let has = |empty: &[u8]| tag.windows(empty.len()).any(|part| part.eq(empty));
    local == Some(b"sheet".as_slice()) && (has(b":id=\"\"") || has(b":id=''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sections_are_replaced() {
        for (given, expected) in [
            ("<a b='<!--'>x</a>", "<a b='<!--'>x</a>"),
            ("<t>a<!-- - -- <x> -->b</t><!---->", "<t>ab</t>"),
            ("<t><![CDATA[a&b<c>]]]]>d</t>", "<t>a&amp;b&lt;c&gt;]]d</t>"),
            ("<?xml version=\"1.0\"?><!-- x --><a/>", "<?xml version=\"1.0\"?><a/>"),
            (
                "<sheet name=\"A\" r:id=\"\"/><sheet name=\"B\" r:id=\"r1\"/>",
                "<sheet name=\"B\" r:id=\"r1\"/>",
            ),
            ("<sheets><x:sheet r:id=''/></sheets>", "<sheets></sheets>"),
        ] {
            let mut plain = Plain { state: State::Text, held: Vec::new() };
            let mut out = Vec::new();
            given.bytes().for_each(|byte| plain.step(byte, &mut out));
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{given}");
            assert!(plain.held.is_empty());
        }
    }
}
