//! The store that a node follows, which `store.url` names: another fingerpost or a database.

mod feed;

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fingerpost_follow::{Changes, FeedAnswer, Head, Source, SourceError, StoreSource};
use fingerpost_registry::{CompanyPrefix, Secret, copied_ranges};
use fingerpost_store::copy::{CopyPage, LevelRange, Position, Selection, SpanDigest};
use fingerpost_store::{Revision, Store, StoreError};

use crate::client::Trust;
use crate::config::SourceOptions;
use crate::database;
use crate::failure::Failure;
use crate::limits::MAX_KEY_FILE;
pub use feed::FeedSource;

/// The kind of store that a node follows.
pub enum Followed {
    /// Another fingerpost: this node only reads.
    Feed(Arc<FeedSource>),
    /// A store in a database, on which the admin side of this node works.
    Database(Arc<Database>),
}

impl Followed {
    /// Returns what the options name; `None` if the data directory holds the store itself. That
    /// directory, if it is known, also has temporary files.
    pub fn of(options: &SourceOptions, data: Option<&Path>) -> Result<Option<Self>, Failure> {
        let Some(url) = options.url.as_deref() else { return Ok(None) };
        let prefixes = prefixes(options)?;
        if database::is_address(url) {
            let address = database::parse(url)?;
            let selection = Selection::of(copied_ranges(&prefixes));
            let data = data.map(Path::to_owned);
            let open = move || database::store(&address, data.as_deref());
            return Ok(Some(Self::Database(Arc::new(Database::new(open, selection)))));
        }
        if !url.starts_with("https://") && !url.starts_with("http://") {
            return Err(Failure::advise(
                format!("store.url: expected https:// or postgres://, found `{}`", shown(url)),
                "name the admin listener of another fingerpost, such as https://admin.example.org",
            ));
        }
        let key = options.key_file.as_deref().map(read_key).transpose()?.ok_or_else(|| {
            Failure::advise(
                "store.key_file is missing",
                "create a key there with `fingerpost admin key --label NODE`, and name the file that holds it",
            )
        })?;
        let trust = Trust { ca: options.ca_file.as_deref(), insecure: options.insecure };
        let feed = FeedSource::new(url, key, trust, &prefixes).map_err(by_options)?;
        Ok(Some(Self::Feed(Arc::new(feed))))
    }

    /// Returns the source of the copy.
    pub fn source(&self) -> Arc<dyn Source> {
        match self {
            Self::Feed(feed) => Arc::clone(feed) as Arc<dyn Source>,
            Self::Database(database) => Arc::clone(database) as Arc<dyn Source>,
        }
    }
}

/// Names options in place of the flags of the commands that speak to an admin listener.
fn by_options(failure: Failure) -> Failure {
    let named = |text: String| {
        text.replace("--insecure", "store.insecure = true").replace("--ca", "store.ca_file")
    };
    Failure { what: named(failure.what), next: failure.next.map(named) }
}

/// Returns an address without its password.
fn shown(url: &str) -> String {
    fingerpost_uri::hide_password(url).to_string()
}

fn prefixes(options: &SourceOptions) -> Result<Vec<CompanyPrefix>, Failure> {
    let parsed = options.company_prefixes.iter().map(|digits| CompanyPrefix::parse(digits));
    parsed.collect::<Result<_, _>>().map_err(|error| {
        Failure::advise(
            format!("store.company_prefixes: {error}"),
            "list prefixes such as [\"9506000\"], or none for everything",
        )
    })
}

fn read_key(file: &Path) -> Result<Secret, Failure> {
    let failed = |what: String| {
        Failure::advise(
            format!("store.key_file `{}`: {what}", file.display()),
            "write the key that `fingerpost admin key` prints into this file, readable by the server only",
        )
    };
    let text = std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
    let key = text.trim();
    if key.is_empty() || key.len() > MAX_KEY_FILE || key.contains(char::is_whitespace) {
        return Err(failed("expected one key".to_owned()));
    }
    Ok(Secret::new(key))
}

/// A store in a database, which is opened when it answers for the first time: the node starts
/// without it.
pub struct Database {
    open: Box<dyn Fn() -> Result<Store, StoreError> + Send + Sync>,
    selection: Selection,
    store: OnceLock<Arc<Store>>,
}

impl Database {
    /// Creates a database that `open` opens.
    pub fn new(
        open: impl Fn() -> Result<Store, StoreError> + Send + Sync + 'static,
        selection: Selection,
    ) -> Self {
        Self { open: Box::new(open), selection, store: OnceLock::new() }
    }

    /// Returns the store; opens it if that was not possible before.
    pub fn store(&self) -> Result<Arc<Store>, StoreError> {
        if let Some(store) = self.store.get() {
            return Ok(Arc::clone(store));
        }
        let opened = Arc::new((self.open)()?);
        Ok(Arc::clone(self.store.get_or_init(|| opened)))
    }

    fn source(&self) -> Result<StoreSource, SourceError> {
        Ok(StoreSource::new(self.store()?, self.selection.clone()))
    }
}

impl Source for Database {
    fn name(&self) -> String {
        self.store.get().map_or("the database".to_owned(), |store| store.location().to_owned())
    }

    fn selection(&self) -> &Selection {
        &self.selection
    }

    fn head(&self) -> Result<Head, SourceError> {
        self.source()?.head()
    }

    fn changes(
        &self,
        after: &Position,
        seen: &Position,
    ) -> Result<FeedAnswer<Changes>, SourceError> {
        self.source()?.changes(after, seen)
    }

    fn page(
        &self,
        span: &LevelRange,
        seen: &Position,
    ) -> Result<FeedAnswer<CopyPage>, SourceError> {
        self.source()?.page(span, seen)
    }

    fn digest(
        &self,
        span: &LevelRange,
        seen: &Position,
    ) -> Result<FeedAnswer<SpanDigest>, SourceError> {
        self.source()?.digest(span, seen)
    }

    fn is_reached(&self, position: &Position) -> bool {
        self.store.get().is_some_and(|store| store.is_reached(position))
    }

    fn wait(&self, seen: Revision, timeout: Duration) -> Result<Revision, SourceError> {
        self.source()?.wait(seen, timeout)
    }
}

#[cfg(test)]
mod tests;
