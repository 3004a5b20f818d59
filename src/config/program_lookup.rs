//! Lookup of programs in `PATH`, as a shell does it, except those inside a checkout.
//!
//! It only finds programs; callers start them. The lookup follows links, because a link is the
//! easiest way out of a check by path.

use std::fs;
use std::path::{Path, PathBuf};

use super::ProcessEnv;

impl ProcessEnv {
    /// Returns the absolute path of a program outside of every checkout around `directory`.
    ///
    /// A relative entry of `PATH`, or one inside of the checkout (`node_modules/.bin`), would let
    /// the repository decide what runs. A checkout that holds the user's home is the user's own.
    pub fn program(&self, name: &str, directory: &Path) -> Option<PathBuf> {
        // A submodule lies in another checkout, which is other people's work too.
        let candidates = directory
            .ancestors()
            .filter(|ancestor| ancestor.join(".git").exists())
            .chain([directory])
            .filter_map(|path| fs::canonicalize(path).ok());
        let home = self.home_directory.as_ref().and_then(|home| fs::canonicalize(home).ok());
        let is_users =
            |checkout: &PathBuf| home.as_ref().is_some_and(|home| home.starts_with(checkout));
        let checkouts: Vec<PathBuf> = candidates.filter(|checkout| !is_users(checkout)).collect();
        let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ".bat"] } else { &[""] };
        std::env::split_paths(&self.search_path)
            .filter(|folder| folder.is_absolute())
            .flat_map(|folder| endings.iter().map(move |end| folder.join(format!("{name}{end}"))))
            .filter(|program| is_executable(program))
            .find(|program| !checkouts.iter().any(|checkout| is_inside(program, checkout)))
    }
}

/// True if the folder in `PATH` or the program itself lies inside the checkout, after links. A path
/// that cannot be resolved counts as inside.
fn is_inside(program: &Path, checkout: &Path) -> bool {
    let folder = program.parent().and_then(|folder| fs::canonicalize(folder).ok());
    let target = fs::canonicalize(program).ok();
    [folder, target].iter().any(|path| path.as_ref().is_none_or(|path| path.starts_with(checkout)))
}

/// True if it is a file with an execute bit, whoever it is for.
#[cfg(unix)]
fn is_executable(program: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    fs::metadata(program)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(program: &Path) -> bool {
    program.is_file()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn program(folder: &Path) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        let path = folder.join("git");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn a_program_inside_of_the_checkout_is_never_run() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().canonicalize().unwrap();
        let checkout = place.join("checkout");
        let planted = program(&checkout.join("node_modules/.bin"));
        fs::create_dir_all(checkout.join(".git")).unwrap();
        fs::create_dir_all(checkout.join("packages/web")).unwrap();
        let real = program(&place.join("bin"));
        // A link to a folder inside, and a folder outside with a link to the program.
        symlink(checkout.join("node_modules/.bin"), place.join("linked")).unwrap();
        fs::create_dir(place.join("shims")).unwrap();
        symlink(&planted, place.join("shims/git")).unwrap();
        fs::create_dir_all(place.join("plain")).unwrap();
        fs::write(place.join("plain/git"), "not a program").unwrap();

        let check = |folders: &[&Path], expected: Option<&Path>| {
            let search_path = std::env::join_paths(folders).unwrap();
            let process_env = ProcessEnv { search_path, ..ProcessEnv::default() };
            for directory in ["checkout", "checkout/packages/web"] {
                let found = process_env.program("git", &place.join(directory));
                assert_eq!(found.as_deref(), expected, "{folders:?}");
            }
        };
        let bin = place.join("bin");
        check(&[&bin], Some(&real));
        let relative = [".", "", "bin"].map(PathBuf::from);
        let inside = ["linked", "shims", "plain", "missing", "checkout/node_modules/.bin"];
        for folder in relative.into_iter().chain(inside.map(|name| place.join(name))) {
            check(&[&folder], None);
            check(&[&folder, &bin], Some(&real));
        }
    }

    #[test]
    fn programs_in_the_users_home_are_the_users() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().canonicalize().unwrap();
        let own = program(&home.join("bin"));
        fs::create_dir(home.join(".git")).unwrap();
        let process_env = ProcessEnv {
            search_path: home.join("bin").into(),
            home_directory: Some(home.clone()),
            ..ProcessEnv::default()
        };
        assert_eq!(process_env.program("git", &home), Some(own));
    }
}
