//! Metrics of requests, connections and certificates, by listener.

use fingerpost_http::{MeterReading, Validity};
use jiff::Timestamp;

use super::Side;
use super::families::{Families, number};

/// Adds the metrics.
pub(super) fn report(families: &mut Families, sides: &[&Side]) {
    let read: Vec<_> = sides.iter().map(|side| (side.name, side.meter.read())).collect();
    report_requests(families, &read);
    report_connections(families, &read);
    report_certificates(families, sides);
}

fn report_requests(families: &mut Families, read: &[(&'static str, MeterReading)]) {
    let mut requests = Vec::new();
    for (listener, reading) in read {
        for answered in &reading.requests {
            let status =
                if answered.status == 0 { "other".to_owned() } else { answered.status.to_string() };
            let labels = [
                ("listener", (*listener).to_owned()),
                ("answer", answered.answer.to_owned()),
                ("status", status),
                ("protocol", answered.protocol.to_owned()),
            ];
            requests.push((labels.to_vec(), number(answered.count)));
        }
    }
    families.counter("requests_total", "Answered requests.", requests);
    families.histogram(
        "request_duration_seconds",
        "Time from the head of a request to that of its answer; sending it to the client is not included.",
        read.iter().map(|(listener, reading)| {
            let within = reading
                .within
                .iter()
                .map(|(bound, count)| (bound.map(|bound| bound.as_secs_f64()), *count));
            (vec![("listener", *listener)], within.collect(), reading.took.as_secs_f64())
        }),
    );
    let of = |value: fn(&MeterReading) -> u64| {
        read.iter()
            .map(move |(listener, reading)| (vec![("listener", *listener)], number(value(reading))))
    };
    families.counter(
        "unreadable_requests_total",
        "Requests that were not HTTP, or far beyond its limits; they are not among the others.",
        of(|reading| reading.unreadable),
    );
    families.counter(
        "tls_handshake_failures_total",
        "TLS handshakes that failed.",
        of(|reading| reading.handshakes_failed),
    );
    families.counter(
        "overloads_total",
        "How often a thread fell behind, so that it answered 503 (limits.shed_after).",
        of(|reading| reading.behind),
    );
}

fn report_connections(families: &mut Families, read: &[(&'static str, MeterReading)]) {
    let of = |value: fn(&fingerpost_http::Connections) -> u64| {
        read.iter().map(move |(listener, reading)| {
            (vec![("listener", *listener)], number(value(&reading.connections)))
        })
    };
    families.gauge("connections", "Open connections.", of(|all| all.open));
    families.gauge(
        "connections_limit",
        "The maximum number of open connections.",
        of(|all| all.limit),
    );
    families.counter(
        "connections_accepted_total",
        "Connections that were accepted.",
        of(|all| all.accepted),
    );
    families.counter(
        "connections_refused_total",
        "Connections that were refused because a limit was reached.",
        of(|all| all.refused),
    );
    let evicted = read.iter().flat_map(|(listener, reading)| {
        let all = reading.connections;
        let labels = move |reason| vec![("listener", *listener), ("reason", reason)];
        [
            (labels("limit"), number(all.evicted)),
            (labels("network_limit"), number(all.evicted_in_network)),
        ]
    });
    families.counter(
        "connections_evicted_total",
        "Idle connections closed for new ones, because all slots or those of one client network were taken.",
        evicted,
    );
    let ended = read.iter().flat_map(|(listener, reading)| {
        let one = move |(limit, count): &(&'static str, u64)| {
            (vec![("listener", *listener), ("limit", *limit)], number(*count))
        };
        reading.ended.iter().map(one).collect::<Vec<_>>()
    });
    families.counter(
        "connections_timed_out_total",
        "Connections that a limit of time ended.",
        ended,
    );
}

fn report_certificates(families: &mut Families, sides: &[&Side]) {
    let valid = |edge: fn(&Validity) -> Timestamp| {
        sides.iter().filter_map(move |side| {
            let validity = side.certificate.as_ref()?.validity()?;
            Some((vec![("listener", side.name)], edge(&validity).as_second() as f64))
        })
    };
    families.gauge(
        "certificate_start_timestamp_seconds",
        "From when the certificate in use is valid.",
        valid(|validity| validity.not_before),
    );
    families.gauge(
        "certificate_expiry_timestamp_seconds",
        "Until when the certificate in use is valid.",
        valid(|validity| validity.not_after),
    );
}
