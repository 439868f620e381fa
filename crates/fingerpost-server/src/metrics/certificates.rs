//! Metrics of the certificate that an authority issues.

use fingerpost_acme::Keeper;

use super::families::Families;
use super::number;

/// Adds the metrics.
pub(super) fn tell(families: &mut Families, keeper: &Keeper) {
    let (counts, state) = (keeper.counts(), keeper.state());
    families.counter(
        "certificate_orders_total",
        "Attempts to get a certificate from the authority, by result.",
        [
            (vec![("result", "issued")], number(counts.issued)),
            (vec![("result", "failed")], number(counts.failed)),
        ],
    );
    families.one(
        "certificate_failed_orders",
        "Attempts that failed since the last one that succeeded, also before the start.",
        f64::from(state.failures),
    );
    if let Some(next) = state.next_attempt {
        families.one(
            "certificate_next_order_timestamp_seconds",
            "When the next attempt begins.",
            next.as_second() as f64,
        );
    }
}
