//! How many records a transaction takes while others wait for it: nodes that share a database take
//! turns, and none may have it for long.
//!
//! What a transaction takes depends on the server, the network and the records, so the next one is
//! as long as the last ones suggest.

use std::time::Duration;

use crate::limits::{FIRST_RECORDS, MIN_RECORDS, TRANSACTION_TIME};

/// By how much a transaction can be longer than the last one, or shorter.
const GROWTH: usize = 2;
const CUT: usize = 4;

/// The pace of an import.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pace {
    /// Nobody waits: batches are not divided.
    Free,
    /// So many records at once.
    Shared(usize),
}

impl Pace {
    /// Returns the pace at the begin of an import into a store that nodes share, or into one of
    /// this process.
    pub(crate) fn new(is_shared: bool) -> Self {
        if is_shared { Self::Shared(FIRST_RECORDS) } else { Self::Free }
    }

    /// Returns how many of the next records one transaction takes.
    pub(crate) fn next(self, records: usize) -> usize {
        match self {
            Self::Free => records,
            Self::Shared(most) => records.min(most),
        }
    }

    /// Notes how long a transaction of so many records took. The wait for others counts as well:
    /// where many import, each takes less.
    pub(crate) fn note(&mut self, records: usize, took: Duration) {
        let Self::Shared(most) = self else { return };
        let fitting =
            TRANSACTION_TIME.as_secs_f64() / took.as_secs_f64().max(1e-6) * records as f64;
        let last = *most;
        // A short rest of a batch says little about a long one.
        let highest = if records < last / GROWTH { last } else { last * GROWTH };
        *most = (fitting as usize).clamp(last / CUT, highest).max(MIN_RECORDS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how many records each of some transactions takes, at a time for each record.
    fn paced(pace: &mut Pace, each: Duration, transactions: usize) -> Vec<usize> {
        let mut taken = Vec::new();
        for _ in 0..transactions {
            let records = pace.next(20_000);
            pace.note(records, each * u32::try_from(records).unwrap());
            taken.push(records);
        }
        taken
    }

    #[test]
    fn transactions_become_as_long_as_they_may() {
        let mut pace = Pace::new(true);
        let fast = paced(&mut pace, Duration::from_micros(50), 6);
        assert_eq!(fast, [1000, 2000, 4000, 8000, 10_000, 10_000]);
        let slow = paced(&mut pace, Duration::from_millis(1), 4);
        assert_eq!(slow, [10_000, 2500, 625, 500]);
        let hopeless = paced(&mut pace, Duration::from_secs(1), 4);
        assert_eq!(hopeless, [500, 125, 100, 100]);
    }

    #[test]
    fn a_short_rest_makes_no_transaction_longer() {
        let mut pace = Pace::new(true);
        pace.note(10, Duration::from_micros(1));
        assert_eq!(pace.next(20_000), FIRST_RECORDS);
    }

    #[test]
    fn batches_stay_whole_where_nobody_waits() {
        let mut pace = Pace::new(false);
        pace.note(20_000, Duration::from_secs(60));
        assert_eq!(pace.next(20_000), 20_000);
    }
}
