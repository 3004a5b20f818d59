//! Translates a filter into conditions that servers can evaluate (predicate pushdown). Servers know
//! no globs. A glob that means a file, a directory or an extension becomes that condition. Any
//! other glob is matched here against all paths, by the rules of the embedded store.

use super::remote_api::{FileRow, PathCondition, Selection};
use crate::StoreError;
use crate::code::{Filter, compile_globs};

/// Translates everything but the text conditions. `files` returns all files of the collection; it
/// is called only if a glob needs them.
pub fn translate_filter<F: AsRef<[FileRow]>>(
    filter: &Filter,
    files: impl FnOnce() -> Result<F, StoreError>,
) -> Result<Selection, StoreError> {
    Ok(Selection {
        paths: path_conditions(&filter.globs, files)?,
        languages: filter.languages.clone(),
        packages: filter.packages.clone(),
        // Servers know only the kind that a chunk is named after, not the kinds of its other
        // symbols.
        kinds: [&filter.chunk_kinds[..], &filter.defining].concat(),
        tests: filter.tests,
        symbols: filter.symbols.clone(),
        scopes: filter.scopes.clone(),
        start_lines: filter.start_lines.clone(),
        end_lines: filter.end_lines.clone(),
        exported: filter.exported,
        only: None,
    })
}

/// Returns the conditions on paths, as alternatives; `None` if every path matches.
fn path_conditions<F: AsRef<[FileRow]>>(
    globs: &[String],
    files: impl FnOnce() -> Result<F, StoreError>,
) -> Result<Option<Vec<PathCondition>>, StoreError> {
    let set = compile_globs(globs)?;
    let is_everything = globs.iter().any(|glob| glob == "**" || glob == "**/*");
    let Some(set) = set.filter(|_| !is_everything) else {
        return Ok(None);
    };
    let plain: Option<Vec<PathCondition>> =
        globs.iter().map(|glob| parse_plain_glob(glob)).collect();
    if let Some(mut places) = plain {
        places.sort();
        places.dedup();
        return Ok(Some(places));
    }
    let files = files()?;
    let paths = files.as_ref().iter().map(|file| &file.path);
    // A path may have the very signs that make a glob: `app/[id]/page.tsx`.
    let is_meant = |path: &&String| set.is_match(path) || globs.contains(path);
    Ok(Some(paths.filter(is_meant).cloned().map(PathCondition::File).collect()))
}

/// Parses a glob that means just a file, a directory or an ending; `None` for any other.
fn parse_plain_glob(glob: &str) -> Option<PathCondition> {
    let is_literal =
        |text: &str| !text.is_empty() && !text.contains(['*', '?', '[', ']', '{', '}', '\\', '!']);
    if is_literal(glob) {
        return Some(PathCondition::File(glob.to_string()));
    }
    let is_directory = |text: &str| is_literal(text) && !text.ends_with('/');
    if let Some(directory) = glob.strip_suffix("/**") {
        return is_directory(directory).then(|| PathCondition::Under(directory.to_string()));
    }
    let (directory, ending) = glob.split_once("**/*.")?;
    let is_ending = is_literal(ending) && !ending.contains('/');
    let directory = match directory {
        "" => None,
        directory => Some(directory.strip_suffix('/').filter(|one| is_directory(one))?),
    };
    is_ending.then(|| PathCondition::Ending(directory.map(str::to_string), ending.to_string()))
}

/// Returns the directories that a file lies in, outermost first. Stored as an array, so that "below
/// a directory" is an exact match.
pub fn directories(path: &str) -> Vec<&str> {
    let ends = path.match_indices('/').map(|(at, _)| at);
    ends.map(|end| &path[..end]).collect()
}

/// Returns all extensions of a file's name: for `a.d.ts`, `d.ts` and `ts`.
pub fn endings(path: &str) -> Vec<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.match_indices('.').map(|(at, _)| &name[at + 1..]).collect()
}

impl PathCondition {
    /// True if the condition holds for a path. Must agree with the servers' evaluation.
    pub fn matches_path(&self, path: &str) -> bool {
        let is_under = |directory: &str| {
            let rest = path.strip_prefix(directory);
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        match self {
            PathCondition::File(file) => file == path,
            PathCondition::Under(directory) => is_under(directory),
            PathCondition::Ending(directory, ending) => {
                directory.as_deref().is_none_or(is_under) && endings(path).contains(&&**ending)
            }
        }
    }
}

impl Selection {
    /// True if a chunk of the file may match, as far as the file's row tells.
    pub fn may_match(&self, file: &FileRow) -> bool {
        let is_named = |names: &[String], name: Option<&str>| {
            names.is_empty() || name.is_some_and(|name| names.iter().any(|one| one == name))
        };
        let places = self.paths.as_ref();
        is_named(&self.languages, Some(&file.language))
            && is_named(&self.packages, file.package.as_deref())
            && places.is_none_or(|places| places.iter().any(|place| place.matches_path(&file.path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: &[&str] = &[
        "a.rs",
        ".rs",
        "src/a.rs",
        "src/b/c.d.ts",
        "src/b.rs/x",
        "srcs/a.rs",
        "app/[id]/page.tsx",
        "b/src/a.ts",
    ];

    fn rows() -> Vec<FileRow> {
        let row = |path: &&str| FileRow {
            version: String::new(),
            path: path.to_string(),
            size: 0,
            modified_ns: 0,
            hash: [0; 32],
            language: "rust".to_string(),
            is_test: false,
            package: None,
            chunks: 1,
            symbols: 0,
        };
        PATHS.iter().map(row).collect()
    }

    #[test]
    fn places_mean_what_globs_mean() {
        for glob in [
            "a.rs",
            "src/**",
            "**/*.rs",
            "**/*.ts",
            "**/*.d.ts",
            "src/**/*.ts",
            "src/*.rs",
            "*.rs",
            "{a,b}/**",
            "app/[id]/page.tsx",
            "**",
            "**/src/**",
            "nothing/**",
            "src/b/**",
            "**/*",
        ] {
            let filter = Filter { globs: vec![glob.to_string()], ..Filter::default() };
            let selection = translate_filter(&filter, || Ok(rows())).unwrap();
            let set = compile_globs(&filter.globs).unwrap().unwrap();
            for row in rows() {
                let expected = set.is_match(&row.path) || row.path == glob;
                assert_eq!(selection.may_match(&row), expected, "{glob} {}", row.path);
            }
        }
    }

    #[test]
    fn a_bad_glob_is_refused() {
        let filter = Filter { globs: vec!["a{".to_string()], ..Filter::default() };
        let refused = translate_filter(&filter, || Ok(rows())).unwrap_err();
        assert!(refused.is_refusal(), "{refused}");
    }

    #[test]
    fn common_globs_need_no_list_of_files() {
        let filter = Filter {
            globs: ["src/**", "**/*.rs", "Cargo.toml"].map(str::to_string).to_vec(),
            ..Filter::default()
        };
        let none: fn() -> Result<Vec<FileRow>, StoreError> = || panic!("not needed");
        assert!(translate_filter(&filter, none).is_ok());
    }
}
