//! Faults that a check found: lists them up to a limit, and counts the rest.

/// Maximum number of listed faults; a store that lost a database has millions.
const SPELT_OUT: usize = 1000;

/// The faults that a check found.
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
