//! The directories that callers of a server may name. An HTTP server may be called by others than
//! the user who started it: any process of the machine, or everybody who has the token.
//!
//! A confined engine indexes, watches and names only what lies in these directories, and knows no
//! collection of another root. Without confinement, as on the command line, every path is allowed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Engine, EngineError};
use kenning_source as source;

impl Engine {
    /// Confines this engine to its own root and to `roots`. The first call counts.
    pub fn confine(&self, roots: &[PathBuf]) {
        let own = std::iter::once(self.base_directory());
        let all = own.chain(roots.iter().map(PathBuf::as_path));
        let real = all.map(|root| source::real_path(root).unwrap_or_else(|_| root.to_path_buf()));
        let _ = self.confinement.set(real.collect::<Vec<_>>().into());
    }

    /// Applies the confinement of this engine to another one.
    pub(super) fn confine_like_this(&self, other: &Engine) {
        if let Some(roots) = self.confinement.get() {
            let _ = other.confinement.set(roots.clone());
        }
    }

    /// The allowed directories; `None` if every path is allowed.
    pub(super) fn allowed_directories(&self) -> Option<Arc<[PathBuf]>> {
        self.confinement.get().cloned()
    }

    /// Fails if a path from a caller leads out of the allowed directories, by itself or by a link.
    ///
    /// The error repeats only what the caller knows. It does not say where the path leads, or if
    /// anything exists there.
    pub fn check_confinement(&self, path: &Path) -> Result<(), EngineError> {
        let Some(roots) = self.confinement.get() else {
            return Ok(());
        };
        let real = source::resolve_without_trust(&self.base_directory().join(path));
        let is_inside = |real: &PathBuf| roots.iter().any(|root| real.starts_with(root));
        if real.as_ref().is_some_and(is_inside) {
            Ok(())
        } else {
            Err(EngineError::OutsideOfRoots { given: path.to_path_buf() })
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
