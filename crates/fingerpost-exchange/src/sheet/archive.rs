//! Measures a workbook before it is read: a ZIP archive can claim any sizes, and unpack a kilobyte
//! to terabytes.
//!
//! Every part is unpacked once without being kept, and its XML scanned for what its reader would
//! hold in memory:
//!
//! ```text
//! part = *( tag / text / "<?" … "?>" / "<!--" … "-->" / "<![CDATA[" … "]]>" )   ; DOCTYPE is refused
//! tag  = "<" … ">"                          ; in quotation marks, ">" does not end it
//! ```
//!
//! Sheets are read cell by cell, so they may be large; a tag, a text and a cell in them may not.
//! Other parts are held in memory.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use zip::ZipArchive;

mod plain;

use crate::limits::{
    MAX_PART_BYTES, MAX_PART_TAGS, MAX_PARTS, MAX_SHARED_TEXTS, MAX_TAG_BYTES, MAX_TOKEN_BYTES,
    MAX_UNPACKED_BYTES, MAX_WORKBOOK_BYTES,
};

/// Why a workbook is not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Hostile {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0}")]
    Refused(String),
}

/// Copies a workbook to a temporary file without a name, which can be read in any order.
pub(crate) fn spool(input: &mut dyn Read, scratch: &Path) -> Result<File, Hostile> {
    spool_within(input, scratch, MAX_WORKBOOK_BYTES)
}

fn spool_within(input: &mut dyn Read, scratch: &Path, max_bytes: u64) -> Result<File, Hostile> {
    let mut file = tempfile::tempfile_in(scratch)?;
    let (mut buffer, mut length, mut parts) = (vec![0; 64 * 1024], 0, 0);
    let mut tail = Vec::new();
    loop {
        let read = input.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        length += read as u64;
        if length > max_bytes {
            return refused(format!(
                "the workbook is larger than the limit of {max_bytes} bytes: save the sheet as CSV"
            ));
        }
        // Each part has an entry of the directory, which begins so. The number in the archive can
        // lie.
        tail.extend_from_slice(&buffer[..read]);
        parts += tail.windows(4).filter(|bytes| bytes == b"PK\x01\x02").count();
        if parts > MAX_PARTS {
            return refused(format!("the workbook has more than the limit of {MAX_PARTS} parts"));
        }
        tail.drain(..tail.len().saturating_sub(3));
        file.write_all(&buffer[..read])?;
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// Unpacks every part once and checks what its reader would hold. Returns a workbook that the
/// reader understands: without comments, CDATA sections, odd dimensions and entries of
/// sheets that lead nowhere.
pub(crate) fn check(file: File, scratch: &Path) -> Result<File, Hostile> {
    if has_sections(&file)? { plain::rewritten(file, scratch) } else { Ok(file) }
}

/// Checks every part; returns whether one has what the reader of workbooks does not expect.
fn has_sections(file: &File) -> Result<bool, Hostile> {
    let damaged = |error: zip::result::ZipError| {
        Hostile::Refused(format!("the workbook cannot be unpacked: {error}"))
    };
    let mut archive = ZipArchive::new(BufReader::new(file.try_clone()?)).map_err(damaged)?;
    let (mut buffer, mut total) = (vec![0; 64 * 1024], 0);
    let mut has_sections = false;
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).map_err(damaged)?;
        let name = part.name().map_err(damaged)?.into_owned();
        let mut scan = Scan::new(&name);
        loop {
            let unpacking =
                |error| Hostile::Refused(format!("part {name:?} cannot be unpacked: {error}"));
            let read = part.read(&mut buffer).map_err(unpacking)?;
            if read == 0 {
                break;
            }
            total += read as u64;
            if total > MAX_UNPACKED_BYTES {
                return refused(format!(
                    "the workbook unpacks to more than the limit of {MAX_UNPACKED_BYTES} bytes"
                ));
            }
            scan.take(&buffer[..read])
                .map_err(|problem| Hostile::Refused(format!("part {name:?} {problem}")))?;
        }
        has_sections |= scan.has_sections;
    }
    Ok(has_sections)
}

fn refused<T>(message: String) -> Result<T, Hostile> {
    Err(Hostile::Refused(message))
}

/// A scan of one part.
#[derive(Debug)]
struct Scan {
    is_sheet: bool,
    is_xml: bool,
    state: State,
    bytes: u64,
    tags: u64,
    /// Bytes of the current tag or text.
    token: usize,
    /// The beginning of the current tag.
    tag: Vec<u8>,
    /// Bytes since the beginning of the current cell.
    cell: Option<usize>,
    /// Whether there are comments, CDATA sections, odd dimensions, or entries of sheets that lead
    /// nowhere.
    has_sections: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Text,
    /// After `<`.
    Open,
    Tag,
    Quoted(u8),
    /// `<? … ?>`; whether the last byte is `?`.
    Instruction(bool),
    /// After `<!`.
    Section,
    /// In a section that ends with two of these bytes and `>`; how many of them came last.
    In(u8, u8),
}

impl Scan {
    fn new(name: &str) -> Scan {
        let name = name.to_ascii_lowercase().replace('\\', "/");
        let in_sheets = name.trim_start_matches('/').strip_prefix("xl/worksheets/");
        Scan {
            is_sheet: in_sheets
                .is_some_and(|name| name.starts_with("sheet") && !name.contains('/')),
            // Pictures are not read.
            is_xml: !is_media(&name),
            has_sections: false,
            state: State::Text,
            bytes: 0,
            tags: 0,
            token: 0,
            tag: Vec::new(),
            cell: None,
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.bytes += bytes.len() as u64;
        if !self.is_sheet && self.bytes > MAX_PART_BYTES {
            return Err(format!(
                "unpacks to more than the limit of {MAX_PART_BYTES} bytes: save the sheet as CSV"
            ));
        }
        if self.is_xml {
            bytes.iter().try_for_each(|byte| self.step(*byte))?;
        }
        Ok(())
    }

    fn step(&mut self, byte: u8) -> Result<(), String> {
        self.token += 1;
        self.cell = self.cell.map(|bytes| bytes + 1);
        if self.token.max(self.cell.unwrap_or_default()) > MAX_TOKEN_BYTES {
            return Err(format!(
                "has a cell, a tag or a text larger than the limit of {MAX_TOKEN_BYTES} bytes"
            ));
        }
        if matches!(self.state, State::Open | State::Tag | State::Quoted(_))
            && self.tag.len() < MAX_TAG_BYTES
        {
            self.tag.push(byte);
        }
        self.state = match (self.state, byte) {
            (State::Text, b'<') => {
                self.tag.clear();
                self.begin(State::Open)
            }
            (State::Open, b'!') => State::Section,
            (State::Section, b'-') => self.section(b'-'),
            (State::Section, b'[') => self.section(b']'),
            (State::Section, _) => {
                return Err("has a DOCTYPE, which workbooks do not need".to_owned());
            }
            (State::In(_, 2), b'>') => self.begin(State::Text),
            (State::In(end, last), _) if byte == end => State::In(end, (last + 1).min(2)),
            (State::In(end, _), _) => State::In(end, 0),
            (State::Open, b'?') => State::Instruction(false),
            (State::Open | State::Tag, b'>') => {
                self.tag()?;
                self.begin(State::Text)
            }
            (State::Tag, b'"' | b'\'') => State::Quoted(byte),
            (State::Open, _) => State::Tag,
            (State::Quoted(mark), _) if mark == byte => State::Tag,
            (State::Instruction(true), b'>') => self.begin(State::Text),
            (State::Instruction(_), _) => State::Instruction(byte == b'?'),
            (state, _) => state,
        };
        Ok(())
    }

    /// Begins a section. The first characters of `<!-->` are those of its beginning.
    fn section(&mut self, end: u8) -> State {
        self.has_sections = true;
        State::In(end, 0)
    }

    fn begin(&mut self, state: State) -> State {
        self.token = 0;
        state
    }

    /// Checks a complete tag.
    fn tag(&mut self) -> Result<(), String> {
        self.tags += 1;
        if !self.is_sheet && self.tags > MAX_PART_TAGS {
            return Err(format!(
                "has more than the limit of {MAX_PART_TAGS} tags: save the sheet as CSV"
            ));
        }
        let is_end = self.tag.first() == Some(&b'/');
        let tag = &self.tag[usize::from(is_end)..];
        let name = tag
            .split(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'))
            .next()
            .unwrap_or_default();
        let local = name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
        match local {
            b"c" => self.cell = (!is_end && !self.tag.ends_with(b"/>")).then_some(0),
            // What is held in memory is in other parts.
            b"si" | b"sheet" | b"xf" | b"numFmt" | b"definedName" | b"Relationship"
                if self.is_sheet =>
            {
                return Err(format!(
                    "has the element {:?}, which sheets do not have",
                    String::from_utf8_lossy(local)
                ));
            }
            _ if plain::is_unexpected(tag) => self.has_sections = true,
            // Its reader makes room for so many texts at once.
            b"sst"
                if self.tag.len() == MAX_TAG_BYTES
                    || largest_number(&self.tag) > MAX_SHARED_TEXTS =>
            {
                return Err(format!(
                    "has more than the limit of {MAX_SHARED_TEXTS} texts: save the sheet as CSV"
                ));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns whether a part is a picture, which is not read.
fn is_media(name: &str) -> bool {
    name.starts_with("xl/media/")
}

/// Returns the largest number in decimal digits.
fn largest_number(text: &[u8]) -> u64 {
    let runs = text.split(|byte| !byte.is_ascii_digit());
    runs.map(|run| {
        run.iter().fold(0_u64, |number, digit| {
            number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
        })
    })
    .max()
    .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn scan(name: &str, parts: &[&[u8]]) -> Result<(), String> {
        let mut scan = Scan::new(name);
        parts.iter().try_for_each(|part| scan.take(part))
    }

    const SHEET: &str = "xl/worksheets/sheet1.xml";

    #[test]
    fn ordinary_parts_pass() {
        let sheet = br#"<?xml version="1.0"?><worksheet><sheetPr/><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c/></row></sheetData></worksheet>"#;
        assert_eq!(scan(SHEET, &[sheet]), Ok(()));
        assert_eq!(
            scan(
                "xl/sharedStrings.xml",
                &[br#"<sst count="9" uniqueCount="3"><si><t a=">">x</t></si></sst>"#]
            ),
            Ok(())
        );
        assert_eq!(scan("xl/media/image1.png", &[&[b'<'; 100], b"!"]), Ok(()));
    }

    #[test]
    fn cells_tags_and_texts_are_bounded() {
        let run = vec![b'x'; MAX_TOKEN_BYTES + 1];
        let runs: Vec<u8> = b"<r><t>xxxxxxxx</t></r>".repeat(MAX_TOKEN_BYTES / 20);
        for parts in [
            [&b"<c><v>"[..], &run],
            [b"<row a=\"", &run],
            [b"<?", &run],
            // Many tags in one cell, which its reader joins.
            [b"<c r=\"A1\" t=\"inlineStr\"><is>", &runs],
        ] {
            assert!(scan(SHEET, &parts).unwrap_err().contains("larger than the limit"));
        }
        let cells = b"<c><v>12345678</v></c>".repeat(MAX_TOKEN_BYTES / 20);
        assert_eq!(scan(SHEET, &[&cells]), Ok(()), "many cells");
    }

    #[test]
    fn what_is_held_in_memory_is_bounded() {
        for count in ["99999999999", "2000001"] {
            let sst = format!("<x:sst uniqueCount='{count}'>");
            assert!(scan("xl/sharedStrings.xml", &[sst.as_bytes()]).unwrap_err().contains("texts"));
        }
        assert!(scan(SHEET, &[b"<sst/><si>"]).is_err());
        assert!(scan("xl/styles.xml", &[b"<!DOCTYPE a>"]).unwrap_err().contains("DOCTYPE"));
        let run = vec![b'-'; MAX_TOKEN_BYTES + 1];
        assert!(scan("xl/styles.xml", &[b"<a><!--x", &run]).unwrap_err().contains("larger"));
        // A tag in a section is no tag.
        assert_eq!(scan(SHEET, &[b"<a><!-- <si> --><![CDATA[<si>]]></a>"]), Ok(()));
        // Not a sheet, although it is among them.
        let mut part = Scan::new("xl/worksheets/sharedStrings.xml");
        part.bytes = MAX_PART_BYTES;
        assert!(part.take(b"<si/>").unwrap_err().contains("unpacks"));
        part.is_sheet = true;
        assert_eq!(part.take(b"<c/>"), Ok(()));
    }

    fn packed(parts: &[(&str, u64)]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in parts {
            let options = zip::write::SimpleFileOptions::default().large_file(true);
            zip.start_file(*name, options).unwrap();
            io::copy(&mut io::repeat(b' ').take(*bytes), &mut zip).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn a_zip_bomb_is_refused_before_it_is_read() {
        let bomb = packed(&[("xl/sharedStrings.xml", MAX_PART_BYTES + 1)]);
        assert!(bomb.len() < 200_000, "{}", bomb.len());
        let file = spool(&mut Cursor::new(bomb), &std::env::temp_dir()).unwrap();
        let refused = check(file, &std::env::temp_dir()).unwrap_err().to_string();
        assert!(refused.contains("limit"), "{refused}");
        let many: Vec<(String, u64)> = (0..=MAX_PARTS).map(|n| (n.to_string(), 0)).collect();
        let many: Vec<(&str, u64)> =
            many.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
        let refused =
            spool(&mut Cursor::new(packed(&many)), &std::env::temp_dir()).unwrap_err().to_string();
        assert!(refused.contains("4096 parts"), "{refused}");
    }

    #[test]
    fn a_large_workbook_is_refused() {
        let mut endless = io::repeat(b'P');
        assert!(
            spool_within(&mut endless, &std::env::temp_dir(), 1 << 20)
                .unwrap_err()
                .to_string()
                .contains("save the sheet as CSV")
        );
    }
}
