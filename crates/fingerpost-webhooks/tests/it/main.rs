//! Tests of the delivery of events, against receivers of our own.

mod attacks;
mod deliveries;
mod retries;
mod support;
