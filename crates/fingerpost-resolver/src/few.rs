//! A list that needs no allocation while it is short. Header fields usually have a handful of members.

use std::ops::Deref;

/// Up to `N` values in place, more on the heap.
#[derive(Clone, Debug)]
pub(crate) struct Few<T, const N: usize> {
    inline: [T; N],
    len: usize,
    /// Holds everything once more than `N` values came; empty before.
    spilled: Vec<T>,
}

impl<T: Copy + Default, const N: usize> Few<T, N> {
    pub(crate) fn new() -> Self {
        Self { inline: [T::default(); N], len: 0, spilled: Vec::new() }
    }

    pub(crate) fn push(&mut self, value: T) {
        if self.len < N {
            self.inline[self.len] = value;
        } else {
            if self.spilled.is_empty() {
                self.spilled.extend_from_slice(&self.inline);
            }
            self.spilled.push(value);
        }
        self.len += 1;
    }

    /// Inserts before the first element for which `before` holds, else at the end.
    pub(crate) fn insert_before(&mut self, value: T, before: impl Fn(&T) -> bool) {
        let at = self.iter().position(before).unwrap_or(self.len);
        self.push(value);
        let all = if self.len <= N { &mut self.inline[..self.len] } else { &mut self.spilled[..] };
        all[at..].rotate_right(1);
    }
}

impl<T, const N: usize> Deref for Few<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        if self.len <= N { &self.inline[..self.len] } else { &self.spilled }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_order_across_the_spill() {
        let mut few: Few<u32, 2> = Few::new();
        for n in 0..5 {
            assert_eq!(few.len(), n as usize);
            few.push(n);
        }
        assert_eq!(&few[..], [0, 1, 2, 3, 4]);
    }

    #[test]
    fn inserts_in_place_and_spilled() {
        let mut few: Few<u32, 3> = Few::new();
        for n in [5, 9, 5, 7, 1] {
            few.insert_before(n, |&m| m < n);
        }
        assert_eq!(&few[..], [9, 7, 5, 5, 1]);
    }
}
