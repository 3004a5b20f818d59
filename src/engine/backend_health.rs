//! Health checks of the remote backend, if there is one: it is reachable, and it holds the
//! collection that was indexed here. The checks change nothing.

use std::collections::BTreeMap;

use super::health::{Finding, bad, fair, good};
use super::{Engine, EngineError, StoreError};
use kenning_model::RepoPath;
use kenning_store::backends::{Backend, ServerInfo, View};
use kenning_store::code::Reader;
use kenning_store::{Collection, Collections};

const BACKEND: &str = "backend";
const COLLECTION: &str = "collection on the server";

impl Engine {
    pub(super) fn backend_health(&self) -> Vec<Finding> {
        let remote = match self.remote() {
            Ok(Some(remote)) => remote,
            Ok(None) => {
                let says = "embedded: one file for each repository, on this machine";
                return vec![good(BACKEND, says.to_string())];
            }
            Err(error) => return vec![failed(BACKEND, &error)],
        };
        match remote.server_info() {
            Err(error) => vec![failed(BACKEND, &error.into())],
            Ok(presence) => vec![server_health(&presence), self.collection_health(&*remote)],
        }
    }

    fn collection_health(&self, remote: &dyn Backend) -> Finding {
        self.compared(remote).unwrap_or_else(|error| failed(COLLECTION, &error))
    }

    /// Compares the collection on the server with the local index of this repository.
    fn compared(&self, remote: &dyn Backend) -> Result<Finding, EngineError> {
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
            return Ok(fair(COLLECTION, &says, "ken index"));
        };
        let shelf = remote.open(&known.name)?;
        let stored = hashes(&*shelf.view()?)?;
        let database = here.as_ref().map(Collection::code_database);
        let local = database.and_then(|database| Reader::open(&database).ok());
        let Some(local) = local else {
            let says = format!(
                "{:?} has {} files, indexed elsewhere ({}); the graph is not on this machine",
                known.name,
                stored.len(),
                known.root.display()
            );
            return Ok(good(COLLECTION, says));
        };
        let local = hashes(&local.snapshot()?)?;
        Ok(agreement(known, &stored, &local, root))
    }
}

fn server_health(presence: &ServerInfo) -> Finding {
    match presence.silent_urls.as_slice() {
        [] => good(BACKEND, presence.server.clone()),
        silent => {
            let says = format!("{}, but no answer from {}", presence.server, silent.join(", "));
            let remedy = "see to that node, or take its address out of QDRANT_URL; until then \
                          the others are asked";
            fair(BACKEND, &says, remedy)
        }
    }
}

type Hashes = BTreeMap<RepoPath, [u8; 32]>;

fn hashes(view: &dyn View) -> Result<Hashes, StoreError> {
    let files = view.files()?.into_iter();
    Ok(files.map(|file| (file.stamp.path, file.hash)).collect())
}

fn agreement(
    known: &Collection,
    stored: &Hashes,
    local: &Hashes,
    root: &std::path::Path,
) -> Finding {
    let only_here = local.keys().filter(|path| !stored.contains_key(*path));
    let only_there = stored.keys().filter(|path| !local.contains_key(*path));
    let (only_here, only_there) = (only_here.count(), only_there.count());
    let is_other = |(path, hash): &(&RepoPath, &[u8; 32])| {
        local.get(*path).is_some_and(|local| local != *hash)
    };
    let other = stored.iter().filter(is_other).count();
    if only_here + only_there + other == 0 {
        let says = format!("{:?}: {} files, as here", known.name, stored.len());
        return good(COLLECTION, says);
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
    fair(COLLECTION, &says, remedy)
}

/// Builds a finding from an error, with the error's own remedy.
fn failed(check: &'static str, error: &EngineError) -> Finding {
    match error {
        EngineError::Store(StoreError::Server { remedy, .. }) => {
            bad(check, &error.to_string(), remedy)
        }
        EngineError::NoSuchBackend { known, .. } => {
            let remedy = format!("choose one of {}", known.join(", "));
            bad(check, &error.to_string(), &remedy)
        }
        error => bad(check, &error.to_string(), "ken index --force builds it anew"),
    }
}
