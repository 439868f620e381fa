//! The options of the counters.

use fingerpost_options::{Count, Period, options};

options! {
    /// Counts of scans, without anything about the visitor. See [Insight](../operations/insight.md); `fingerpost privacy-statement`
    /// prints what is kept.
    pub struct InsightOptions {
        /// Count scans by level, link type, kind of answer, language and hour.
        enabled: bool = false;
        /// Time between two writes of the counts to the store, at most a minute. What is counted after the last one is lost if the
        /// process is killed.
        write_every: Period<1000> = "1m";
        /// Counts below this number are not shown, nor part of files.
        threshold: Count = 5;
        /// Days for which counts are kept by hour. Then they are added up by day.
        hourly_days: Count = 31;
        /// Days for which counts are kept by day. Then they are added up by month.
        daily_days: Count = 400;
        /// Months for which counts are kept by month. Then they are deleted.
        monthly_months: Count = 60;
    }
}
