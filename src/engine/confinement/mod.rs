//! The directories that callers of a server may name. An HTTP server may be called by others than
//! the user who started it: any process of the machine, or everybody who has the token.
//!
//! A confined engine indexes, watches and names only what lies in these directories, and knows no
//! collection of another root. Without confinement, as on the command line, every path is allowed.

use std::borrow::Cow;
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

    /// Writes the user's folders in a message as `KEN_HOME` and `~`, because a caller of a server
    /// need not know the user's name. The allowed directories stay: callers address them.
    pub fn hide_user_folders<'t>(&self, message: &'t str) -> Cow<'t, str> {
        let Some(allowed) = self.confinement.get() else {
            return Cow::Borrowed(message);
        };
        let home = self.config.path("home");
        let folders = [
            (home.as_deref(), "KEN_HOME"),
            (self.config.process_env().home_directory.as_deref(), "~"),
        ];
        let known = folders.into_iter().filter_map(|(folder, name)| Some((folder?, name)));
        let hide = |message: Cow<'t, str>, (folder, name): (&Path, &str)| {
            let folder = folder.to_string_lossy();
            // A root as home would turn every `/` into another text.
            if folder.len() < 2 || !message.contains(&*folder) {
                return message;
            }
            Cow::Owned(replace_folder(&message, &folder, name, allowed))
        };
        known.fold(Cow::Borrowed(message), hide)
    }
}

/// Replaces a folder in a message, unless it is there as the beginning of an allowed directory.
fn replace_folder(message: &str, folder: &str, name: &str, allowed: &[PathBuf]) -> String {
    let mut replaced = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find(folder) {
        let (before, from_folder) = rest.split_at(at);
        replaced.push_str(before);
        let mut kept = allowed.iter().filter_map(|root| root.to_str());
        match kept.find(|root| from_folder.starts_with(root)) {
            Some(root) => {
                replaced.push_str(root);
                rest = &from_folder[root.len()..];
            }
            None => {
                replaced.push_str(name);
                rest = &from_folder[folder.len()..];
            }
        }
    }
    replaced + rest
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
