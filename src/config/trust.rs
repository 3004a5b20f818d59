//! The settings of repositories that the user approved, kept in `trusted.toml` under `home`.
//!
//! An approval names the file, the key and the value. If the value changes, or another key is set,
//! it needs a new approval: a pull may bring values that the user has not seen.
//!
//! Nothing outside of `home` is read or written, so a repository cannot approve itself.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml::Value;

use super::{ConfigError, Origin, Refusal};

/// The file under `home`. It can be edited by hand.
const FILE_NAME: &str = "trusted.toml";

const HEADER: &str = "# Settings of repositories that were approved with `ken trust`.\n\n";

/// One approved value.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Approval {
    /// The root of the repository.
    pub root: PathBuf,
    /// The file in it that sets the value.
    pub file: PathBuf,
    pub key: String,
    pub value: Value,
}

/// The approvals for one repository.
#[derive(Clone, Debug, Default)]
pub struct Approvals(Vec<Approval>);

/// The format of the file: one `[[trusted]]` table per approval.
#[derive(Default, Deserialize, Serialize)]
struct TrustFile {
    #[serde(default)]
    trusted: Vec<Approval>,
}

impl Approvals {
    /// True if this very value is approved.
    pub fn has_value(&self, file: &Path, key: &str, value: &Value) -> bool {
        self.0.iter().any(|one| one.file == file && one.key == key && one.value == *value)
    }

    /// True if any value of the key is approved. A refusal then says that the value changed.
    pub fn has_key(&self, file: &Path, key: &str) -> bool {
        self.0.iter().any(|one| one.file == file && one.key == key)
    }
}

/// Returns the approvals for the repository at `root`; none if there is no `home`.
pub fn load_approvals(home: Option<&Path>, root: &Path) -> Result<Approvals, ConfigError> {
    let Some(home) = home else {
        return Ok(Approvals::default());
    };
    let all = load_all_approvals(home)?.into_iter();
    Ok(Approvals(all.filter(|approval| approval.root == root).collect()))
}

/// Returns every approval, sorted by repository. A missing file is an empty list, and a broken one
/// is an error.
pub fn load_all_approvals(home: &Path) -> Result<Vec<Approval>, ConfigError> {
    let path = home.join(FILE_NAME);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(unusable_file_error(&path, error)),
    };
    let file: TrustFile =
        toml::from_str(&text).map_err(|error| unusable_file_error(&path, error.message()))?;
    Ok(file.trusted)
}

/// Approves values that were refused. Replaces earlier approvals of the same keys.
///
/// Values that only the user may set are skipped.
pub fn approve(home: &Path, root: &Path, refused: &[Refusal]) -> Result<(), ConfigError> {
    let mut all = load_all_approvals(home)?;
    for refusal in refused.iter().filter(|refusal| refusal.can_be_trusted()) {
        let key = refusal.setting.key;
        all.retain(|one| one.root != root || one.file != refusal.file || one.key != key);
        all.push(Approval {
            root: root.to_path_buf(),
            file: refusal.file.clone(),
            key: key.to_string(),
            value: refusal.value.clone(),
        });
    }
    write_approvals(home, all)
}

/// Withdraws every approval for the repository at `root` and returns them.
pub fn withdraw(home: &Path, root: &Path) -> Result<Vec<Approval>, ConfigError> {
    let (withdrawn, kept): (Vec<_>, Vec<_>) =
        load_all_approvals(home)?.into_iter().partition(|approval| approval.root == root);
    if !withdrawn.is_empty() {
        write_approvals(home, kept)?;
    }
    Ok(withdrawn)
}

/// Replaces the file as a whole, so that a reader never sees half of it.
///
/// The draft has the process's id in its name, so that two processes do not write into one.
fn write_approvals(home: &Path, mut trusted: Vec<Approval>) -> Result<(), ConfigError> {
    trusted.sort_by(|a, b| (&a.root, &a.file, &a.key).cmp(&(&b.root, &b.file, &b.key)));
    let path = home.join(FILE_NAME);
    let text = toml::to_string(&TrustFile { trusted })
        .map_err(|error| unusable_file_error(&path, error))?;
    let draft = home.join(format!("{FILE_NAME}.{}.draft", std::process::id()));
    std::fs::create_dir_all(home)
        .and_then(|()| std::fs::write(&draft, format!("{HEADER}{text}")))
        .and_then(|()| std::fs::rename(&draft, &path))
        .map_err(|error| {
            let _ = std::fs::remove_file(&draft);
            unusable_file_error(&path, error)
        })
}

/// Returns the error for a file that cannot be read or written.
fn unusable_file_error(path: &Path, message: impl ToString) -> ConfigError {
    let origin = Origin::File(path.to_path_buf());
    ConfigError::Unreadable { origin, message: message.to_string() }
}
