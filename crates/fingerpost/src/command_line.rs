//! The command line: every command with its purpose. The file of a command has its arguments.
//!
//! Man pages, shell completions and docs/reference/commands.md are generated from these
//! definitions.

use std::process::ExitCode;

use anstream::ColorChoice;
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};

use crate::client::problem::conclude;
use crate::failure::Failure;
use crate::shared_args::ReportFormat;
use crate::{
    admin, audit, backup, check, client, compact, compare, completions, configuration, conform,
    convert, doctor, escrow, explain, export, follow, fsck, import, init, insight, label, links,
    man, migrate, privacy_statement, restore, serve, uri, urn, verify,
};

/// The command line of fingerpost.
#[derive(Debug, Parser)]
#[command(
    name = "fingerpost",
    version,
    about = "A GS1-Conformant Resolver: serve, load, check and explain GS1 Digital Link identifiers",
    max_term_width = 100,
    after_help = "Try it: fingerpost serve --demo"
)]
pub(crate) struct Cli {
    /// Use of colours
    #[arg(long, global = true, value_enum, default_value_t = When::Auto)]
    pub(crate) color: When,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When output has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Also in files and pipes
    Always,
    /// Not at all
    Never,
}

impl When {
    /// Applies to all that is printed from now on.
    pub(crate) fn apply(self) {
        let choice = match self {
            When::Auto => ColorChoice::Auto,
            When::Always => ColorChoice::Always,
            When::Never => ColorChoice::Never,
        };
        choice.write_global();
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a commented configuration and a first record
    Init(init::Init),
    /// Answer GS1 Digital Link requests over HTTP or HTTPS
    Serve(serve::Serve),
    /// Load link records into a data directory
    Import(import::Import),
    /// Write all link records to standard output
    Export(export::Export),
    /// Sign in to an admin listener and store an API key
    Login(client::login::Login),
    /// Sign out of an admin listener and delete the stored key
    Logout(client::logout::Logout),
    /// Show the record of a level, using the admin listener
    Get(client::get::Get),
    /// Register records, using the admin listener
    Put(client::put::Put),
    /// Delete the record of a level, using the admin listener
    Delete(client::delete::Delete),
    /// List records, using the admin listener
    List(client::list::List),
    /// Show the changes of a level, with author and time
    History(client::history::History),
    /// Restore an earlier revision of a level
    Revert(client::revert::Revert),
    /// Send scans of products, lots or items to a recall notice
    Recall(client::recall::Recall),
    /// Let a new key answer for an old one
    Succeed(client::succeed::Succeed),
    /// Make a link that shows what some roles may see, until a time
    SignLink(client::sign_link::SignLink),
    /// Create accounts and API keys in a data directory
    Admin(admin::Admin),
    /// Verify or export the audit log of a data directory
    Audit(audit::Audit),
    /// Back up a data directory to one file, also while it is served
    Backup(backup::Backup),
    /// Restore a data directory from a backup
    Restore(restore::Restore),
    /// Write or restore what another operator needs to answer the same
    Escrow(escrow::Escrow),
    /// Check everything in a data directory
    Fsck(fsck::Fsck),
    /// Check configuration, certificates, machine, store and backups
    Doctor(doctor::Doctor),
    /// Copy the store that this node follows, or compare the copy with it
    Follow(follow::Follow),
    /// Check whether the targets of links can be reached
    Links(links::Links),
    /// Print counts of scans by product, link type, language and time
    Insight(insight::InsightArgs),
    /// Print what a server keeps about scans, as a text for visitors
    PrivacyStatement(privacy_statement::PrivacyStatement),
    /// Rewrite a data directory without the remains of deleted data
    Compact(compact::Compact),
    /// Move a store from a data directory to PostgreSQL, or back
    Migrate(migrate::Migrate),
    /// Identify and validate an identifier, and list every fault
    Check(check::Check),
    /// Check whether a server is a GS1-Conformant Resolver
    Conform(conform::Conform),
    /// Compare the answers of two resolvers, before one replaces the other
    Compare(compare::Compare),
    /// Verify the signature of an answer or of a kept linkset
    Verify(verify::Verify),
    /// Convert an identifier: Digital Link, element string, EPC URN or bits
    Convert(convert::Convert),
    /// Draw the symbol of an identifier for a package, or sheets of labels
    Label(Box<label::Label>),
    /// Explain step by step how a request is answered, without a server
    Explain(explain::Explain),
    /// Parse, build, resolve, normalise and compare URIs, and find them in text
    Uri(uri::Uri),
    /// Parse, build and compare URNs, and convert them to GS1 keys
    Urn(urn::Urn),
    /// Print all settings with their defaults, as a commented configuration file
    Configuration,
    /// Print a completion script for a shell
    Completions(completions::Completions),
    /// Print the manual page, or write all manual pages to a folder
    Man(man::Man),
}

/// Runs a command.
pub(crate) fn execute(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Init(args) => init::run(&args),
        Command::Serve(args) => serve::run(args),
        Command::Import(args) => import::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Login(args) => conclude(client::login::run(&args), ReportFormat::Text),
        Command::Logout(args) => client::logout::run(&args),
        Command::Get(args) => conclude(client::get::run(&args), args.connection.format),
        Command::Put(args) => conclude(client::put::run(&args), args.connection.format),
        Command::Delete(args) => conclude(client::delete::run(&args), args.connection.format),
        Command::List(args) => conclude(client::list::run(&args), args.connection.format),
        Command::History(args) => conclude(client::history::run(&args), args.connection.format),
        Command::Revert(args) => conclude(client::revert::run(&args), args.connection.format),
        Command::Recall(args) => conclude(client::recall::run(&args), args.connection.format),
        Command::Succeed(args) => conclude(client::succeed::run(&args), args.connection.format),
        Command::SignLink(args) => conclude(client::sign_link::run(&args), args.connection.format),
        Command::Admin(args) => admin::run(&args.command),
        Command::Audit(args) => audit::run(&args.command),
        Command::Backup(args) => backup::run(&args),
        Command::Restore(args) => restore::run(&args),
        Command::Escrow(args) => escrow::run(&args.command),
        Command::Fsck(args) => fsck::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Follow(args) => follow::run(&args),
        Command::Links(args) => links::run(&args.command),
        Command::Insight(args) => insight::run(&args),
        Command::PrivacyStatement(args) => privacy_statement::run(&args),
        Command::Compact(args) => compact::run(&args),
        Command::Migrate(args) => migrate::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Conform(args) => conform::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Label(args) => label::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Uri(args) => uri::run(&args.command),
        Command::Urn(args) => urn::run(&args.command),
        Command::Configuration => configuration::run(),
        Command::Completions(args) => completions::run(&args, Cli::command()),
        Command::Man(args) => man::run(&args, Cli::command()),
    }
}
