//! Sheets: labels in rows and columns on pages of paper. A page is written as soon as it is full.

use std::io::{self, Write};

use crate::label::Label;
use crate::length::Length;
use crate::limits::MIN_LABEL_MICROMETRES;
use crate::pdf::{self, Document};
use crate::size::Size;

/// Where labels are on a page: as many as fit, in the middle of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SheetLayout {
    paper: Size,
    label: Size,
    /// Between columns, and between rows.
    gap: (Length, Length),
    columns: u32,
    rows: u32,
}

/// The reason a sheet cannot have labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSheet {
    /// The paper is smaller than a label.
    #[error("a label of {label} does not fit on paper of {paper}")]
    Paper {
        /// The size of a label.
        label: Size,
        /// The size of the paper.
        paper: Size,
    },
    /// Labels are too small to hold a symbol.
    #[error(
        "a label of {label} is too small for any symbol; the least is {LEAST_LABEL} × {LEAST_LABEL}"
    )]
    Label {
        /// The size of a label.
        label: Size,
    },
}

impl SheetLayout {
    /// Arranges labels of one size on paper, with gaps between columns and between rows.
    ///
    /// # Errors
    ///
    /// The paper has no room for a label, or a label none for a symbol.
    pub fn new(paper: Size, label: Size, gap: (Length, Length)) -> Result<SheetLayout, NoSheet> {
        if label.width < LEAST_LABEL || label.height < LEAST_LABEL {
            return Err(NoSheet::Label { label });
        }
        let fitting = |paper: Length, label: Length, gap: Length| {
            let (label, gap) = (label.micrometres(), gap.micrometres());
            (paper.micrometres() + gap) / (label + gap)
        };
        let columns = fitting(paper.width, label.width, gap.0);
        let rows = fitting(paper.height, label.height, gap.1);
        if columns == 0 || rows == 0 {
            return Err(NoSheet::Paper { label, paper });
        }
        Ok(SheetLayout { paper, label, gap, columns, rows })
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Returns the size of a label.
    #[must_use]
    pub fn label(&self) -> Size {
        self.label
    }

    /// Returns the width that the text of a label can have.
    #[must_use]
    pub fn text_width(&self) -> Length {
        Length::from_micrometres(self.label.width.micrometres() - 2 * PADDING)
    }

    /// Returns the left side and the top of a label on the page, in points from the bottom left
    /// corner.
    fn position(&self, nth: u32) -> (f64, f64) {
        let (column, row) = (nth % self.columns, nth / self.columns);
        let start = |paper: Length, label: Length, gap: Length, count: u32| {
            let used = count * label.micrometres() + (count - 1) * gap.micrometres();
            f64::from(paper.micrometres() - used) / 2.0
        };
        let left = start(self.paper.width, self.label.width, self.gap.0, self.columns)
            + f64::from(column * (self.label.width.micrometres() + self.gap.0.micrometres()));
        let top = start(self.paper.height, self.label.height, self.gap.1, self.rows)
            + f64::from(row * (self.label.height.micrometres() + self.gap.1.micrometres()));
        let points = |micrometres: f64| micrometres * 72.0 / 25_400.0;
        (points(left), self.paper.height.points() - points(top))
    }
}

/// A label that is larger than those of the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the symbol with its text is {found}, larger than the label of {available}")]
pub struct TooLarge {
    /// The size of the symbol with its text.
    pub found: Size,
    /// The size of a label of the sheet.
    pub available: Size,
}

/// A sheet as a PDF document, of which one page is in memory.
#[derive(Debug)]
pub struct Sheet<W> {
    layout: SheetLayout,
    document: Document<W>,
    content: String,
    /// Labels on the page.
    count: u32,
    labels: u64,
    pages: u64,
}

impl<W: Write> Sheet<W> {
    /// Begins a sheet.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn begin(layout: SheetLayout, out: W) -> io::Result<Sheet<W>> {
        let document = Document::begin(out, "Labels")?;
        Ok(Sheet { layout, document, content: String::new(), count: 0, labels: 0, pages: 0 })
    }

    /// Checks that a label has room on a label of the sheet.
    ///
    /// # Errors
    ///
    /// The label is too large.
    pub fn check(&self, label: &Label) -> Result<(), TooLarge> {
        let (found, available) =
            (Size { width: label.width(), height: label.height() }, self.layout.label);
        if found.width <= available.width && found.height <= available.height {
            return Ok(());
        }
        Err(TooLarge { found, available })
    }

    /// Adds a label in the middle of the next label of the sheet, and writes the page if it is
    /// full.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn add(&mut self, label: &Label) -> io::Result<()> {
        let (left, top) = self.layout.position(self.count);
        let size = self.layout.label;
        let (width, height) = (size.width.points(), size.height.points());
        let left = left + (width - label.width().points()) / 2.0;
        let top = top - (height - label.height().points()) / 2.0;
        pdf::draw(label, left, top, &mut self.content);
        self.count += 1;
        self.labels += 1;
        if self.count == self.layout.columns * self.layout.rows { self.end_page() } else { Ok(()) }
    }

    /// Returns the numbers of labels and of pages so far.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        (self.labels, self.pages + u64::from(self.count > 0))
    }

    /// Writes the last page and the end of the document.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        if self.count > 0 || self.pages == 0 {
            self.end_page()?;
        }
        self.document.finish()
    }

    fn end_page(&mut self) -> io::Result<()> {
        let paper = self.layout.paper;
        self.document.page(paper.width, paper.height, &self.content)?;
        self.content.clear();
        self.count = 0;
        self.pages += 1;
        Ok(())
    }
}

/// The least side of a label: the smallest Data Matrix at the least width of a module.
const LEAST_LABEL: Length = Length::from_micrometres(MIN_LABEL_MICROMETRES);

/// Space beside the text of a label, in micrometres.
const PADDING: u32 = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_in_the_middle_of_the_paper() {
        let gap = (Length::from_micrometres(2_500), Length::default());
        let layout = SheetLayout::new(Size::A4, Size::LABEL, gap).unwrap();
        assert_eq!((layout.columns(), layout.rows()), (3, 7));
        let (left, top) = layout.position(0);
        let millimetres = |points: f64| points * 25.4 / 72.0;
        assert!((millimetres(left) - 7.25).abs() < 1e-9);
        assert!((millimetres(top) - (297.0 - 15.15)).abs() < 1e-9);
        let (left, top) = layout.position(20);
        assert!((millimetres(left) - (7.25 + 2.0 * 66.0)).abs() < 1e-9);
        assert!((millimetres(top) - (297.0 - 15.15 - 6.0 * 38.1)).abs() < 1e-9);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let none = (Length::default(), Length::default());
        let layout = |label: &str| SheetLayout::new(Size::A4, label.parse().unwrap(), none);
        assert!(layout("210x297mm").is_ok());
        assert_eq!(
            layout("211x30mm").unwrap_err().to_string(),
            "a label of 211 × 30 mm does not fit on paper of 210 × 297 mm"
        );
        assert!(matches!(layout("3x30mm"), Err(NoSheet::Label { .. })));
    }
}
