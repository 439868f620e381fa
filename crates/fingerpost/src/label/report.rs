//! The report about a label: text for people, or one JSON object.

use std::io::{self, Write};
use std::path::Path;

use fingerpost_label::{Advice, Content, Label, LabelWarning, Length, Shorter, Size};
use serde_json::{Value, json};

use super::PictureFormat;
use crate::output::{NOTE, STRONG, printable};
use crate::shared_args::ReportFormat;
use crate::uri_report::warn;

/// A label and where it was written.
pub(super) struct Report<'a> {
    pub(super) label: &'a Label,
    pub(super) content: &'a Content,
    pub(super) advice: &'a Advice,
    pub(super) path: &'a Path,
    pub(super) format: PictureFormat,
    pub(super) dpi: u32,
}

impl Report<'_> {
    /// Writes the report.
    pub(super) fn write(&self, format: ReportFormat, out: &mut impl Write) -> io::Result<()> {
        match format {
            ReportFormat::Text => self.text(out),
            ReportFormat::Json => writeln!(out, "{}", self.json()),
        }
    }

    /// Returns the width of a module as it is drawn.
    fn module(&self) -> Length {
        match self.format {
            PictureFormat::Png => self.label.module_width(self.dpi),
            PictureFormat::Svg | PictureFormat::Pdf => self.label.x_dimension(),
        }
    }

    /// Returns the distance that the label can be scanned from, as it is drawn.
    fn distance(&self) -> Option<Length> {
        let drawn = self.label.clone().with_x_dimension(self.module());
        Advice::scanning_distance(&drawn)
    }

    fn text(&self, out: &mut impl Write) -> io::Result<()> {
        let (label, symbol) = (self.label, self.label.symbol());
        let rows = match symbol.kind().is_linear() {
            true => String::new(),
            false => format!(" × {}", symbol.rows()),
        };
        let name = printable(&self.path.to_string_lossy());
        let version = symbol.version().map(|version| format!(" version {version}"));
        let level = symbol.error_correction();
        let level = level.map(|level| format!(", error correction {}", level.letter()));
        writeln!(
            out,
            "{STRONG}{name}{STRONG:#}: {}{}, {}{rows} modules of {}{}",
            symbol.kind().name(),
            version.unwrap_or_default(),
            symbol.modules(),
            self.module(),
            level.unwrap_or_default(),
        )?;
        writeln!(out, "  content    {}", printable(symbol.data()))?;
        if !label.lines().is_empty() {
            writeln!(out, "  text       {}", printable(&self.content.elements().join(" ")))?;
        }
        // Text in pixels has another width, so only the symbol has a size there.
        let quiet = self.module().times(symbol.kind().quiet_zone().left);
        let Size { width, height } = label.symbol_size(self.module());
        writeln!(out, "  symbol     {width} × {height} with its quiet zone of {quiet}")?;
        if let Some(beside) = label.symbol_beside() {
            let (name, data) = (beside.kind().name(), printable(beside.data()));
            writeln!(out, "  beside     {name}: {data}")?;
        }
        if self.format != PictureFormat::Png && !label.lines().is_empty() {
            writeln!(out, "  label      {} × {}", label.width(), label.height())?;
        }
        if let Some(distance) = self.distance() {
            writeln!(
                out,
                "  scanned    from about {} (rule of thumb: ten times the width of the symbol)",
                rounded(distance)
            )?;
        }
        for Shorter { form, data, modules, width } in &self.advice.shorter {
            writeln!(
                out,
                "{NOTE}note{NOTE:#}: --address {} makes it smaller, {modules} × {modules} modules and {width}: {}",
                form.code(),
                printable(data)
            )?;
        }
        for LabelWarning { code, message, help } in &self.advice.warnings {
            warn(code, &printable(message), out)?;
            writeln!(out, "  {NOTE}help{NOTE:#}: {}", printable(help))?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let (label, symbol) = (self.label, self.label.symbol());
        let shorter = |one: &Shorter| {
            json!({
                "address": one.form.code(),
                "content": one.data,
                "modules": one.modules,
                "symbol_width_mm": one.width.millimetres(),
            })
        };
        let warning = |one: &LabelWarning| json!({"code": one.code, "message": one.message, "help": one.help});
        let module = self.module();
        let mut value = json!({
            "valid": true,
            "file": self.path.to_string_lossy(),
            "symbol": symbol.kind().code(),
            "content": symbol.data(),
            "scan_data": symbol.scan_data(),
            "text": self.content.elements(),
            "columns": symbol.modules(),
            "rows": symbol.rows(),
            "x_dimension_mm": module.millimetres(),
            "quiet_zone_mm": module.times(symbol.kind().quiet_zone().left).millimetres(),
            "symbol_width_mm": label.symbol_size(module).width.millimetres(),
            "symbol_height_mm": label.symbol_size(module).height.millimetres(),
            "scanning_distance_mm": self.distance().map(Length::millimetres),
            "shorter": self.advice.shorter.iter().map(shorter).collect::<Vec<_>>(),
            "warnings": self.advice.warnings.iter().map(warning).collect::<Vec<_>>(),
        });
        if let Some(beside) = label.symbol_beside() {
            value["beside"] = json!({
                "symbol": beside.kind().code(),
                "content": beside.data(),
                "scan_data": beside.scan_data(),
            });
        }
        if let (Some(version), Some(level)) = (symbol.version(), symbol.error_correction()) {
            value["version"] = version.into();
            value["error_correction"] = level.letter().into();
        }
        match self.format {
            PictureFormat::Png => {
                value["dpi"] = self.dpi.into();
                value["module_pixels"] = label.module_pixels(self.dpi).into();
            }
            PictureFormat::Svg | PictureFormat::Pdf => {
                value["width_mm"] = label.width().millimetres().into();
                value["height_mm"] = label.height().millimetres().into();
            }
        }
        value
    }
}

/// Returns a distance for people: whole centimetres, or metres with one decimal.
fn rounded(distance: Length) -> String {
    let centimetres = distance.millimetres() / 10.0;
    if centimetres < 99.5 {
        format!("{centimetres:.0} cm")
    } else {
        format!("{:.1} m", centimetres / 100.0)
    }
}
