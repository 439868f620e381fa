//! Checks of links against servers of our own, most of them hostile.

mod attacks;
mod rounds;
mod support;
