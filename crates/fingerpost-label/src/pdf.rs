//! PDF 1.4 (ISO 32000-1): pages written one after the other, so that a document of any length needs
//! the memory of one page and a few bytes for the position of each.

use std::fmt::Write as _;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::label::Label;
use crate::length::{Length, decimal};
use crate::limits::MAX_PDF_OFFSET;
use crate::part::Bar;

impl Label {
    /// Returns the label as a PDF document with one page of its size.
    #[must_use]
    pub fn to_pdf(&self) -> Vec<u8> {
        let mut content = String::new();
        draw(self, 0.0, self.height().points(), &mut content);
        let written = Document::begin(Vec::new(), &self.title()).and_then(|mut document| {
            document.page(self.width(), self.height(), &content)?;
            document.finish()
        });
        // Writing to memory does not fail.
        written.unwrap_or_default()
    }
}

/// Appends the operators that draw a label whose top left corner is at this position, in points
/// from the bottom left corner of the page.
pub(crate) fn draw(label: &Label, left: f64, top: f64, content: &mut String) {
    let points = |micrometres: f64| micrometres * 72.0 / 25_400.0;
    let (width, height) = (number(label.width().points()), number(label.height().points()));
    let bottom = number(top - label.height().points());
    // Writing to a string does not fail.
    let _ = writeln!(content, "q 1 g {} {bottom} {width} {height} re f Q", number(left));
    for (part, positioned) in label.positioned() {
        let (column, module) =
            (number(points(positioned.column)), number(points(positioned.module)));
        let (x, y) = (number(left + points(positioned.left)), number(top - points(positioned.top)));
        // From here on, units are columns and modules, and rows count downwards.
        let _ = writeln!(content, "q 0 g {column} 0 0 -{module} {x} {y} cm");
        for Bar { left, top, width, height } in part.bars() {
            let _ = writeln!(content, "{left} {top} {width} {height} re");
        }
        content.push_str("f Q\n");
    }
    for line in label.positioned_lines() {
        let _ = writeln!(
            content,
            "BT 0 g /F1 {} Tf {} {} Td {} Tj ET",
            number(points(line.size)),
            number(left + points(line.left)),
            number(top - points(line.baseline)),
            string(&line.text)
        );
    }
}

/// Returns a number with an error of less than a nanometre.
fn number(points: f64) -> String {
    decimal(points, 6)
}

/// Returns a literal string; characters other than ASCII become question marks.
fn string(text: &str) -> String {
    let mut out = String::from("(");
    for char in text.chars() {
        match char {
            '(' | ')' | '\\' => out.extend(['\\', char]),
            ' '..='~' => out.push(char),
            _ => out.push('?'),
        }
    }
    out.push(')');
    out
}

/// A document that is written to `out` as its pages come.
#[derive(Debug)]
pub(crate) struct Document<W> {
    out: W,
    written: u64,
    /// Where each object begins, by its number less 1.
    objects: Vec<u64>,
}

impl<W: Write> Document<W> {
    /// Writes the beginning.
    pub(crate) fn begin(out: W, title: &str) -> io::Result<Self> {
        let mut document = Self { out, written: 0, objects: vec![0; FIRST_PAGE - 1] };
        // Bytes above 127 in a comment say that the file is not text.
        document.write(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")?;
        document.object(
            FONT,
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        )?;
        document.object(INFORMATION, &format!("<< /Title {} >>", string(title)))?;
        Ok(document)
    }

    /// Writes a page.
    pub(crate) fn page(&mut self, width: Length, height: Length, content: &str) -> io::Result<()> {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        packed.write_all(content.as_bytes())?;
        let packed = packed.finish()?;
        let number = self.objects.len() + 1;
        self.objects.push(self.written);
        let length = packed.len();
        self.write(
            format!("{number} 0 obj\n<< /Length {length} /Filter /FlateDecode >>\nstream\n")
                .as_bytes(),
        )?;
        self.write(&packed)?;
        self.write(b"\nendstream\nendobj\n")?;
        let page = number + 1;
        self.objects.push(0);
        let size = format!("{} {}", self::number(width.points()), self::number(height.points()));
        self.object(
            page,
            &format!(
                "<< /Type /Page /Parent {PAGES} 0 R /MediaBox [0 0 {size}] /Contents {number} 0 R \
                 /Resources << /Font << /F1 {FONT} 0 R >> >> >>"
            ),
        )
    }

    /// Writes the end.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        let pages: Vec<usize> = (FIRST_PAGE + 1..=self.objects.len()).step_by(2).collect();
        self.objects[PAGES - 1] = self.written;
        self.write(
            format!("{PAGES} 0 obj\n<< /Type /Pages /Count {} /Kids [", pages.len()).as_bytes(),
        )?;
        for page in pages {
            self.write(format!("{page} 0 R\n").as_bytes())?;
        }
        self.write(b"] >>\nendobj\n")?;
        self.object(CATALOGUE, &format!("<< /Type /Catalog /Pages {PAGES} 0 R >>"))?;
        let (start, objects) = (self.written, std::mem::take(&mut self.objects));
        self.write(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).as_bytes())?;
        for position in &objects {
            if *position > MAX_PDF_OFFSET {
                return Err(io::Error::other(
                    "a PDF document has at most 10 GB; make several sheets",
                ));
            }
            self.write(format!("{position:010} 00000 n \n").as_bytes())?;
        }
        let trailer = format!(
            "trailer\n<< /Size {} /Root {CATALOGUE} 0 R /Info {INFORMATION} 0 R >>\nstartxref\n{start}\n%%EOF\n",
            objects.len() + 1
        );
        self.write(trailer.as_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn object(&mut self, number: usize, body: &str) -> io::Result<()> {
        self.objects[number - 1] = self.written;
        self.write(format!("{number} 0 obj\n{body}\nendobj\n").as_bytes())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }
}

const CATALOGUE: usize = 1;
const PAGES: usize = 2;
const FONT: usize = 3;
const INFORMATION: usize = 4;
/// The content of the first page; the page itself follows it.
const FIRST_PAGE: usize = 5;
