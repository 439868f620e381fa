//! Writes a workbook without what its reader does not expect: comments, CDATA sections, odd
//! dimensions and entries of sheets that lead nowhere.
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
        let mut plain = Plain::default();
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

#[derive(Default)]
struct Plain {
    state: State,
    /// What may belong to the end of a section, or to a tag.
    held: Vec<u8>,
    /// The local name of a start tag that was left out: its end tag is left out too.
    left_out: Option<Vec<u8>>,
}

#[derive(Clone, Copy, Default)]
enum State {
    #[default]
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
                if is_unexpected(&self.held) {
                    let is_empty = self.held.ends_with(b"/>");
                    self.left_out = (!is_empty).then(|| local_name(&self.held).to_vec());
                } else if self.held.starts_with(b"</")
                    && self.left_out.as_deref() == Some(local_name(&self.held))
                {
                    self.left_out = None;
                } else {
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

/// Returns whether a tag is one that the reader of workbooks does not understand: the entry of a
/// sheet without a relationship, `<sheet … r:id=""/>`, or the dimension of a sheet in another form
/// than `A1:D9`, which ECMA-376 (18.3.1.35) makes optional and no reader needs.
pub(super) fn is_unexpected(tag: &[u8]) -> bool {
    let has = |empty: &[u8]| tag.windows(empty.len()).any(|part| part.eq(empty));
    match local_name(tag) {
        b"sheet" => has(b":id=\"\"") || has(b":id=''"),
        b"dimension" if !tag.starts_with(b"</") => !has_usual_reference(tag),
        _ => false,
    }
}

/// Returns the name of a start or end tag without its prefix.
fn local_name(tag: &[u8]) -> &[u8] {
    let name = tag.strip_prefix(b"<").unwrap_or(tag);
    let name = name.strip_prefix(b"/").unwrap_or(name);
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
    let name = name.split(ends).next().unwrap_or_default();
    name.rsplit(|byte| *byte == b':').next().unwrap_or_default()
}

/// Returns whether a tag has a reference to one cell or to the corners of an area.
fn has_usual_reference(tag: &[u8]) -> bool {
    let Some(at) = tag.windows(6).position(|part| part == b" ref=\"" || part == b" ref='") else {
        return false;
    };
    let reference = tag[at + 6..].split(|byte| matches!(byte, b'"' | b'\'')).next();
    let corners: Option<Vec<Corner<'_>>> =
        reference.unwrap_or_default().split(|byte| *byte == b':').map(Corner::read).collect();
    match corners.as_deref() {
        Some([_]) => true,
        // The reader subtracts the first corner from the second.
        Some([first, last]) => first.column <= last.column && first.row <= last.row,
        _ => false,
    }
}

/// A corner of an area, `A1`. Each part is its length and its text, in the order of numbers.
struct Corner<'t> {
    column: (usize, &'t [u8]),
    row: (usize, &'t [u8]),
}

impl<'t> Corner<'t> {
    fn read(cell: &'t [u8]) -> Option<Corner<'t>> {
        let letters = cell.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let (column, row) = cell.split_at(letters);
        let is_usual = (1..=3).contains(&letters)
            && (1..=7).contains(&row.len())
            && row[0] != b'0'
            && row.iter().all(u8::is_ascii_digit);
        is_usual.then_some(Corner { column: (letters, column), row: (row.len(), row) })
    }
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
            (
                "<s><sheet r:id=''></sheet><sheet r:id='1'></sheet></s>",
                "<s><sheet r:id='1'></sheet></s>",
            ),
            // IN-13: only the usual form of the dimension is kept.
            ("<w><dimension ref='A1:D9'/></w>", "<w><dimension ref='A1:D9'/></w>"),
            (
                "<w><dimension ref=\"B2\"></dimension></w>",
                "<w><dimension ref=\"B2\"></dimension></w>",
            ),
            ("<w><x:dimension ref='1:2'></x:dimension></w>", "<w></w>"),
            (
                "<w><dimension/><dimension ref=''/><dimension ref='A1:B2:C3'/><dimension ref='D9:A1'/></w>",
                "<w></w>",
            ),
        ] {
            let mut plain = Plain::default();
            let mut out = Vec::new();
            given.bytes().for_each(|byte| plain.step(byte, &mut out));
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{given}");
            assert!(plain.held.is_empty());
        }
    }
}
