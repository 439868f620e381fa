//! Reports as a file in the format Parquet: the columns of [`InsightRow::TITLES`], texts as strings
//! that may be missing, the count as a 64-bit number.

use thiserror::Error;

use crate::InsightReport;
#[cfg(doc)]
use crate::InsightRow;

impl InsightReport {
    /// Returns the rows as a Parquet file with one row group, uncompressed.
    ///
    /// Fails in a build without the feature `parquet`.
    pub fn to_parquet(&self) -> Result<Vec<u8>, FileError> {
        file::write(self)
    }
}

/// Why there is no file.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct FileError(String);

#[cfg(not(feature = "parquet"))]
mod file {
    use super::FileError;
    use crate::InsightReport;

    pub(super) fn write(_: &InsightReport) -> Result<Vec<u8>, FileError> {
        let text = "this build cannot write Parquet: packages of fingerpost can, and a build with `--features parquet`; or take CSV";
        Err(FileError(text.to_owned()))
    }
}

#[cfg(feature = "parquet")]
mod file {
    use std::sync::Arc;

    use parquet::basic::{LogicalType, Repetition, Type as Physical};
    use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
    use parquet::errors::ParquetError;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::types::Type;

    use super::FileError;
    use crate::{InsightReport, InsightRow};

    pub(super) fn write(report: &InsightReport) -> Result<Vec<u8>, FileError> {
        rows(&report.rows).map_err(|error| FileError(error.to_string()))
    }

    fn rows(rows: &[InsightRow]) -> Result<Vec<u8>, ParquetError> {
        let mut file = SerializedFileWriter::new(
            Vec::new(),
            Arc::new(schema()?),
            Arc::new(WriterProperties::builder().build()),
        )?;
        let texts: Vec<_> = rows.iter().map(InsightRow::texts).collect();
        let mut group = file.next_row_group()?;
        for column in 0..InsightRow::TITLES.len() - 1 {
            let cells = || texts.iter().map(|row| row[column].as_deref());
            let values: Vec<ByteArray> = cells().flatten().map(ByteArray::from).collect();
            let levels: Vec<i16> = cells().map(|cell| i16::from(cell.is_some())).collect();
            if let Some(mut writer) = group.next_column()? {
                writer.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
                writer.close()?;
            }
        }
        let counts = rows.iter().map(|row| i64::try_from(row.count).unwrap_or(i64::MAX));
        let counts: Vec<i64> = counts.collect();
        if let Some(mut writer) = group.next_column()? {
            writer.typed::<Int64Type>().write_batch(&counts, None, None)?;
            writer.close()?;
        }
        group.close()?;
        file.into_inner()
    }

    fn schema() -> Result<Type, ParquetError> {
        let [texts @ .., count] = InsightRow::TITLES;
        let text = |title: &str| {
            Type::primitive_type_builder(title, Physical::BYTE_ARRAY)
                .with_logical_type(Some(LogicalType::String))
                .with_repetition(Repetition::OPTIONAL)
                .build()
        };
        let count = Type::primitive_type_builder(count, Physical::INT64)
            .with_repetition(Repetition::REQUIRED)
            .build();
        let columns = texts.into_iter().map(text).chain([count]);
        let columns = columns.map(|column| column.map(Arc::new)).collect::<Result<_, _>>()?;
        Type::group_type_builder("scans").with_fields(columns).build()
    }
}

#[cfg(all(test, feature = "parquet"))]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::*;
    use crate::{AnswerKind, InsightRow};

    /// 35.2: a report as Parquet has the rows of the report.
    #[test]
    fn a_report_is_a_parquet_file() {
        let row = InsightRow {
            period: Some("2026-11-27".to_owned()),
            key: Some("01/09506000134352".to_owned()),
            link_type: Some("https://ref.gs1.org/voc/pip".to_owned()),
            kind: Some(AnswerKind::Redirect),
            language: None,
            country: "BE".parse().ok(),
            count: 42,
        };
        let other = InsightRow { language: Some("d\u{e9}".to_owned()), count: 7, ..row.clone() };
        let rows = vec![row, other];
        for rows in [Vec::new(), rows] {
            let report = InsightReport { rows: rows.clone(), hidden: 0, threshold: 5 };
            let file = bytes::Bytes::from(report.to_parquet().unwrap());
            let reader = SerializedFileReader::new(file).unwrap();
            let found: Vec<Vec<String>> = reader
                .get_row_iter(None)
                .unwrap()
                .map(|row| {
                    let row = row.unwrap();
                    row.get_column_iter().map(|(_, field)| field.to_string()).collect()
                })
                .collect();
            let cell = |text: Option<String>| match text {
                Some(text) => format!("{text:?}"),
                None => "null".to_owned(),
            };
            let expected = rows.iter().map(|row| {
                row.texts().map(cell).into_iter().chain([row.count.to_string()]).collect()
            });
            assert_eq!(found, expected.collect::<Vec<Vec<_>>>());
        }
    }
}
