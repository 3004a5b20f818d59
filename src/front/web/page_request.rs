//! One request for a page: its values, the engine of its repository, and the URLs of other pages.
//! Every URL keeps the choice of the repository.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Page;
use super::query_string::QueryPairs;
use crate::engine::Engine;
use crate::ops::{Call, OpEntry, OpError, Progress, Reply};

/// One request for a page.
pub struct PageRequest {
    /// The engine of the chosen repository.
    pub engine: Arc<Engine>,
    /// The page.
    pub page: &'static Page,
    /// The values of the query string.
    pub pairs: QueryPairs,
    /// Cancelled when the reader leaves.
    cancelled: CancellationToken,
    /// The time of arrival: all operations of a page show one state of the tree, or newer ones.
    arrived_at: Instant,
}

/// The name of the value that chooses a repository.
pub const REPOSITORY: &str = "in";

impl PageRequest {
    /// Parses the query string and chooses the engine. Fails if the repository is not indexed.
    pub fn new(
        engine: &Arc<Engine>,
        page: &'static Page,
        query: &str,
        cancelled: CancellationToken,
    ) -> Result<PageRequest, OpError> {
        let pairs = QueryPairs::parse(query);
        let engine = match pairs.get(REPOSITORY) {
            Some(name) => engine.engine_for_collection(name)?,
            None => engine.clone(),
        };
        Ok(PageRequest { engine, page, pairs, cancelled, arrived_at: Instant::now() })
    }

    /// Returns a value, unless it is blank.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.pairs.get(name)
    }

    /// Returns a value as a number, if it is one.
    pub fn number(&self, name: &str) -> Option<u32> {
        self.get(name)?.trim().parse().ok()
    }

    /// Returns a value without which the page has nothing to show.
    pub fn required_value(&self, name: &str) -> Result<&str, OpError> {
        self.get(name).ok_or_else(|| {
            OpError::bad_argument(format!("this address lacks `{name}`"))
                .hint("search for what you are looking for")
        })
    }

    /// True if the script fetches only a part of the page, such as results while somebody types.
    pub fn wants_part(&self) -> bool {
        self.get("part").is_some()
    }

    /// The URL of another page about the same repository.
    pub fn page_url(&self, path: &str, pairs: &[(&str, &str)]) -> String {
        let mut all = QueryPairs::default();
        for (name, value) in pairs {
            all = all.with_value(name, Some(value));
        }
        all.with_value(REPOSITORY, self.get(REPOSITORY)).to_url(path)
    }

    /// The URL of this page with another value.
    pub fn this_page_with(&self, name: &str, value: Option<&str>) -> String {
        let pairs = self.pairs.with_value("part", None);
        pairs.with_value(name, value).to_url(self.page.path)
    }

    /// The URL of a line of a file.
    pub fn file_url(&self, path: &str, line: u32) -> String {
        let line_text = line.to_string();
        let address = self.page_url("/file", &[("path", path), ("line", &line_text)]);
        format!("{address}#L{line}")
    }

    /// The URL of the symbol at a line.
    pub fn symbol_url(&self, path: &str, line: u32) -> String {
        self.page_url("/symbol", &[("at", &format!("{path}:{line}"))])
    }

    /// The URL of a package.
    pub fn package_url(&self, name: &str, kind: &str) -> String {
        self.page_url("/package", &[("name", name), ("kind", kind)])
    }

    /// Calls an operation and returns its reply.
    pub fn call(&self, op: &OpEntry, arguments: Value) -> Result<Reply, OpError> {
        let call = Call { engine: &self.engine, progress: self, asked_at: self.arrived_at };
        op.call(&call, &arguments)
    }

    /// Calls an operation and returns the object that it replies with.
    pub fn fetch_object<T: Any>(&self, op: &OpEntry, arguments: Value) -> Result<T, OpError> {
        self.call(op, arguments)?.into_object()
    }

    /// Calls an operation and returns the list that it replies with.
    pub fn fetch_list<T: Any>(&self, op: &OpEntry, arguments: Value) -> Result<Vec<T>, OpError> {
        self.call(op, arguments)?.into_list()
    }
}

impl Progress for PageRequest {
    fn report(&self, _stage: &str, _done: usize, _total: Option<usize>) {}

    fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }
}
