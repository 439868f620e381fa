//! `fingerpost label`: what to print on a package. `fingerpost-label` draws; this module reads the input and writes files and reports.

mod one;
mod report;
mod sheet;

use std::process::ExitCode;

use fingerpost_gs1::DigitalLink;
use fingerpost_label::{Address, LabelOptions, SymbolKind, X_DIMENSION_TARGET};
use fingerpost_public::DEFAULT_RESOLVER_ROOT;
use fingerpost_uri::hide_password;

use crate::args::label::Label;
use crate::failure::Failure;
use crate::output::printable;
use fingerpost_server::config::{self, Config};

/// Runs `fingerpost label`.
pub(crate) fn run(args: &Label) -> Result<ExitCode, Failure> {
    let config = config::load(args.config.as_deref())?;
    if let Some(root) = &args.root {
        DigitalLink::check_stem(root).map_err(|error| {
            let root = printable(&hide_password(root));
            Failure::advise(
                format!("cannot use `{root}` as --root: {error}"),
                "give it as https://id.example.org, perhaps with a path",
            )
        })?;
    }
    let wanted = Wanted::new(args, &config);
    match (&args.sheets.sheet, &args.sheets.from, &args.input) {
        (Some(sheet), Some(from), _) => sheet::run(&wanted, &config, sheet, from),
        (_, _, Some(input)) => one::run(&wanted, input),
        _ => Err(Failure::advise(
            "expected an identifier, found none",
            "give INPUT, or --sheet with --from",
        )),
    }
}

/// The labels that are wanted.
struct Wanted<'a> {
    args: &'a Label,
    kind: SymbolKind,
    options: LabelOptions,
    /// The root of the resolver, if it is configured.
    own_root: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    fn new(args: &'a Label, config: &'a Config) -> Self {
        let own_root =
            (!config.public.root_is_default()).then(|| config.public.settings().root().as_str());
        let options = LabelOptions {
            x_dimension: args.x_dimension.unwrap_or(X_DIMENSION_TARGET),
            has_text: !args.no_text,
            text_width: None,
            error_correction: args.error_correction.into(),
        };
        Self { args, kind: args.symbol.into(), options, own_root }
    }

    /// Returns the root of identifiers that are no addresses themselves.
    fn root(&self) -> &'a str {
        self.args.root.as_deref().or(self.own_root).unwrap_or(DEFAULT_RESOLVER_ROOT)
    }

    /// Returns the address of a label. That of an input is kept, unless another one is given.
    fn address(&self, is_address: bool) -> Address<'a> {
        let root = if is_address { self.args.root.as_deref() } else { Some(self.root()) };
        Address { root, form: self.args.address.into() }
    }
}
