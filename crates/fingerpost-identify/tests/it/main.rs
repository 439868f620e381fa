//! Reading, inspecting and converting texts of every form.

mod agreement;
mod round_trip;
mod sections;
