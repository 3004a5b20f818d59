//! Health checks of the remote backend, if there is one: it is reachable, and it holds the
//! collection that was indexed here. The checks change nothing.
//!
//! It compares hashes of files, because the number of files alone would hide a stale replica.
//! Errors keep the remedy that the store gave them.

use std::collections::BTreeMap;

use super::health::{HealthFinding, bad_finding, fair_finding, good_finding};
use super::{Engine, EngineError, StoreError};
use kenning_model::RepoPath;
use kenning_store::backends::{Backend, ServerInfo, View};
use kenning_store::code::Reader;
use kenning_store::{Collection, Collections};

/// The names of the two checks, as `ken doctor` prints them.
const BACKEND: &str = "backend";
const COLLECTION: &str = "collection on the server";

impl Engine {
    /// Without a remote backend there is one finding that says so. An unreachable server makes the
    /// second check pointless.
    pub(super) fn backend_health(&self) -> Vec<HealthFinding> {
        let remote = match self.remote_backend() {
            Ok(Some(remote)) => remote,
            Ok(None) => {
                let says = "embedded: one file for each repository, on this machine";
                return vec![good_finding(BACKEND, says.to_string())];
            }
            Err(error) => return vec![error_finding(BACKEND, &error)],
        };
        match remote.server_info() {
            Err(error) => vec![error_finding(BACKEND, &error.into())],
            Ok(presence) => vec![server_health(&presence), self.collection_health(&*remote)],
        }
    }

    /// Compares the collection, and turns an error into a finding.
    fn collection_health(&self, remote: &dyn Backend) -> HealthFinding {
        self.compare_collections(remote).unwrap_or_else(|error| error_finding(COLLECTION, &error))
    }

    /// Compares the collection on the server with the local index of this repository.
    ///
    /// A collection that only the server has is fine: another machine indexed it.
    fn compare_collections(&self, remote: &dyn Backend) -> Result<HealthFinding, EngineError> {
        let there = self.known_collections()?;
        let root = self.config.root();
        let here = self.collections().and_then(|all: Collections| all.find_by_root(root));
        let is_meant = |one: &&Collection| match &here {
            Some(here) => one.name == here.name,
            None => one.root == root,
        };
        let Some(known) = there.iter().find(is_meant) else {
            let says = match there.len() {
                0 => "the server holds none yet".to_string(),
                count => format!("none of the {count} on the server is of this repository"),
            };
            return Ok(fair_finding(COLLECTION, &says, "ken index"));
        };
        let reader = remote.open(&known.name)?;
        let stored = file_hashes(&*reader.view()?)?;
        let database = here.as_ref().map(Collection::code_database);
        let local_reader = database.and_then(|database| Reader::open(&database).ok());
        let Some(local_reader) = local_reader else {
            let says = format!(
                "{:?} has {} files, indexed elsewhere ({}); the graph is not on this machine",
                known.name,
                stored.len(),
                known.root.display()
            );
            return Ok(good_finding(COLLECTION, says));
        };
        let local = file_hashes(&local_reader.snapshot()?)?;
        Ok(compare_hashes(known, &stored, &local, root))
    }
}

/// Reports the nodes of a cluster that do not answer.
fn server_health(presence: &ServerInfo) -> HealthFinding {
    match presence.silent_urls.as_slice() {
        [] => good_finding(BACKEND, presence.server.clone()),
        silent => {
            let says = format!("{}, but no answer from {}", presence.server, silent.join(", "));
            let remedy = "see to that node, or take its address out of QDRANT_URL; until then \
                          the others are asked";
            fair_finding(BACKEND, &says, remedy)
        }
    }
}

/// The content hash of each indexed file.
type FileHashes = BTreeMap<RepoPath, [u8; 32]>;

/// Reads the hash of every file. A large collection costs one listing.
fn file_hashes(view: &dyn View) -> Result<FileHashes, StoreError> {
    let files = view.files()?.into_iter();
    Ok(files.map(|file| (file.stamp.path, file.hash)).collect())
}

/// Counts the files that differ, in both directions. A difference is not an error, as another
/// machine may be indexing.
fn compare_hashes(
    known: &Collection,
    stored: &FileHashes,
    local: &FileHashes,
    root: &std::path::Path,
) -> HealthFinding {
    let only_here = local.keys().filter(|path| !stored.contains_key(*path));
    let only_there = stored.keys().filter(|path| !local.contains_key(*path));
    let (only_here, only_there) = (only_here.count(), only_there.count());
    let is_other = |(path, hash): &(&RepoPath, &[u8; 32])| {
        local.get(*path).is_some_and(|local| local != *hash)
    };
    let other = stored.iter().filter(is_other).count();
    if only_here + only_there + other == 0 {
        let says = format!("{:?}: {} files, as here", known.name, stored.len());
        return good_finding(COLLECTION, says);
    }
    let mut says = format!(
        "{:?} and the file on this machine differ: {other} files are other, {only_here} are only \
         here, {only_there} only there",
        known.name
    );
    if known.root != root {
        says.push_str(&format!("; it was indexed last from {}", known.root.display()));
    }
    let remedy = "ken index tells the server what it lacks; if another machine indexes it, \
                  nothing is to be done";
    fair_finding(COLLECTION, &says, remedy)
}

/// Builds a finding from an error, with the error's own remedy.
fn error_finding(check: &'static str, error: &EngineError) -> HealthFinding {
    match error {
        EngineError::Store(StoreError::Server { remedy, .. }) => {
            bad_finding(check, &error.to_string(), remedy)
        }
        EngineError::NoSuchBackend { known, .. } => {
            let remedy = format!("choose one of {}", known.join(", "));
            bad_finding(check, &error.to_string(), &remedy)
        }
        error => bad_finding(check, &error.to_string(), "ken index --force rebuilds it"),
    }
}
