//! What a person sees: pages and console in a real browser (Debian's chromium with chromedriver).
//!
//! Where there is no browser each test says so and ends; where `CI` is set that is a failure.
//! Where `KEEP_SCREENSHOTS` is set, a picture of each step goes to `target/screenshots`.
//! Accessibility is judged by axe-core, which npm brings (`package.json` here).

mod approvals;
mod brands;
mod by_mail;
mod console;
mod import;
mod insight;
mod installation;
mod journeys;
mod labels;
mod languages;
mod levels;
mod links;
mod lists;
mod pages;
mod recalls;
mod records;
mod screenshots;
mod searches;
mod session;
mod signed_links;
mod status;
mod successors;
mod undo;
mod webhooks;
