//! SVG (Scalable Vector Graphics 1.1): one path for all dark modules, and texts in a common font.

use std::fmt::Write as _;

use crate::label::{FONT_SIZE, Label, line_width};
use crate::length::decimal;

impl Label {
    /// Returns the label as an SVG document whose size is in millimetres.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let (width, height) = (self.width().millimetres(), self.height().millimetres());
        let (width, height) = (decimal(width, 3), decimal(height, 3));
        let title = escaped(&self.title());
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}mm\" height=\"{height}mm\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\">\n<title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
        );
        let quiet = self.quiet_zone().millimetres();
        let (left, x) = (self.symbol_left() + quiet, self.x_dimension().millimetres());
        let place = format!(
            "translate({} {}) scale({})",
            decimal(left, 4),
            decimal(quiet, 3),
            decimal(x, 3)
        );
        let _ = write!(svg, "<path transform=\"{place}\" shape-rendering=\"crispEdges\" d=\"");
        for (y, x, length) in self.symbol().matrix().runs() {
            // Writing to a string does not fail.
            let _ = write!(svg, "M{x} {y}h{length}v1h-{length}z");
        }
        svg.push_str("\"/>\n");
        for (nth, line) in self.lines().iter().enumerate() {
            // The width makes other fonts as wide as the one that the layout is for.
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" font-family=\"{FONTS}\" font-size=\"{}\" textLength=\"{}\" \
                 lengthAdjust=\"spacingAndGlyphs\">{}</text>",
                decimal((self.width().millimetres() - line_width(line)) / 2.0, 3),
                decimal(self.baseline(nth), 3),
                decimal(FONT_SIZE, 3),
                decimal(line_width(line), 3),
                escaped(line),
            );
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Returns the kind of symbol and its content for people.
    pub(crate) fn title(&self) -> String {
        let data = self.symbol().data().replace('\u{1d}', " ");
        format!("{}: {data}", self.symbol().kind().name())
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            char if char.is_control() => out.push(' '),
            char => out.push(char),
        }
    }
    out
}

/// Fonts with the widths of Helvetica, and any other.
const FONTS: &str = "Helvetica, Arial, 'Liberation Sans', sans-serif";
