//! Reading, inspecting and converting texts of every form.

mod agreement;
#[path = "../../../../testdata/examples.rs"]
mod examples;
mod lost_separators;
mod round_trip;
mod sections;
