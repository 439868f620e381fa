//! Faults that a check found: spelt out up to a bound, counted beyond.

/// Faults that are spelt out; a store that lost a database has millions.
const SPELT_OUT: usize = 1000;

/// What a check found wrong.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Faults {
    pub(crate) texts: Vec<String>,
    pub(crate) count: u64,
}

impl Faults {
    pub(crate) fn add(&mut self, text: String) {
        if self.texts.len() < SPELT_OUT {
            self.texts.push(text);
        }
        self.count += 1;
    }
}
