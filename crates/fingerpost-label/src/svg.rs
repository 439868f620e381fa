//! SVG (Scalable Vector Graphics 1.1): one path for all dark modules of a symbol, and texts in a
//! common font.

use std::fmt::Write as _;

use crate::label::Label;
use crate::length::decimal;
use crate::part::Bar;

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
        for (part, positioned) in self.positioned() {
            let (column, module) =
                (millimetres(positioned.column, 4), millimetres(positioned.module, 4));
            let scale = if column == module { column } else { format!("{column} {module}") };
            let _ = write!(
                svg,
                "<path transform=\"translate({} {}) scale({scale})\" shape-rendering=\"crispEdges\" d=\"",
                millimetres(positioned.left, 4),
                millimetres(positioned.top, 3),
            );
            for Bar { left, top, width, height } in part.bars() {
                // Writing to a string does not fail.
                let _ = write!(svg, "M{left} {top}h{width}v{height}h-{width}z");
            }
            svg.push_str("\"/>\n");
        }
        for line in self.positioned_lines() {
            // The width makes other fonts as wide as the one that the layout is for.
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" font-family=\"{FONTS}\" font-size=\"{}\" textLength=\"{}\" \
                 lengthAdjust=\"spacingAndGlyphs\">{}</text>",
                millimetres(line.left, 3),
                millimetres(line.baseline, 3),
                millimetres(line.size, 3),
                millimetres(line.width, 3),
                escaped(&line.text),
            );
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Returns the kinds of symbols and their contents for people.
    pub(crate) fn title(&self) -> String {
        let titles = self.parts().iter().map(|part| {
            let data = part.symbol.data().replace('\u{1d}', " ");
            format!("{}: {data}", part.symbol.kind().name())
        });
        titles.collect::<Vec<_>>().join("; ")
    }
}

fn millimetres(micrometres: f64, decimals: usize) -> String {
    decimal(micrometres / 1000.0, decimals)
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
