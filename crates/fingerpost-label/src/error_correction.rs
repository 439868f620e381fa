//! Levels of error correction of QR Code (ISO/IEC 18004, section 7.5).

/// How much of a QR Code may be damaged. Data Matrix has one level for each size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ErrorCorrection {
    /// About 7 %.
    Low,
    /// About 15 %, which suits most packages.
    #[default]
    Medium,
    /// About 25 %.
    Quartile,
    /// About 30 %.
    High,
}

impl ErrorCorrection {
    /// All levels.
    pub const ALL: [ErrorCorrection; 4] = [
        ErrorCorrection::Low,
        ErrorCorrection::Medium,
        ErrorCorrection::Quartile,
        ErrorCorrection::High,
    ];

    /// Returns the letter of the level.
    #[must_use]
    pub fn letter(self) -> &'static str {
        match self {
            ErrorCorrection::Low => "L",
            ErrorCorrection::Medium => "M",
            ErrorCorrection::Quartile => "Q",
            ErrorCorrection::High => "H",
        }
    }
}
