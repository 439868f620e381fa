//! The modules of a symbol: dark or light squares in rows.

/// A symbol as rows of modules, without its quiet zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    width: u32,
    dark: Vec<bool>,
}

impl Matrix {
    /// Creates a matrix from rows of this width, one after the other.
    pub(crate) fn new(width: u32, dark: Vec<bool>) -> Matrix {
        Matrix { width, dark }
    }

    /// Returns the number of modules in a row.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn height(&self) -> u32 {
        // Symbols have at most 177 rows.
        (self.dark.len() / self.width.max(1) as usize) as u32
    }

    /// Returns whether a module is dark; everything around the symbol is light.
    #[must_use]
    pub fn is_dark(&self, x: u32, y: u32) -> bool {
        x < self.width && self.dark.get((y * self.width + x) as usize).copied().unwrap_or_default()
    }

    /// Returns the dark modules as runs: the row, the first column, and the number of modules.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        (0..self.height()).flat_map(move |y| {
            let mut x = 0;
            std::iter::from_fn(move || {
                while x < self.width && !self.is_dark(x, y) {
                    x += 1;
                }
                let begin = x;
                while self.is_dark(x, y) {
                    x += 1;
                }
                (x > begin).then_some((y, begin, x - begin))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Matrix;

    #[test]
    fn runs_cover_the_dark_modules() {
        let rows = "##.#....####.#.#";
        let matrix = Matrix::new(4, rows.chars().map(|char| char == '#').collect());
        assert_eq!(matrix.height(), 4);
        let runs: Vec<_> = matrix.runs().collect();
        assert_eq!(runs, [(0, 0, 2), (0, 3, 1), (2, 0, 4), (3, 1, 1), (3, 3, 1)]);
        assert!(!matrix.is_dark(4, 0) && !matrix.is_dark(0, 4));
    }
}
