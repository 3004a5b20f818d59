//! Plans a build from names, sizes and modification times alone. It opens no file.
//!
//! A file whose size and time are unchanged counts as unchanged, as in git and make. Files modified
//! within a clock tick of the last build are read again, because the time cannot prove anything
//! about them.

use std::path::Path;

use crate::indexing::package_of_file::SortedPackageLookup;
use crate::indexing::{BUILT_NS, CodeRules, PackageDirectories, SECRET_RULES};
use kenning_lang::skip_rules;
use kenning_model::{Problem, RepoPath, Silent};
use kenning_source::{CLOCK_TICK_NS, FoundFile, PruneReason, Survey};
use kenning_store::code::{KnownFile, PreviousIndex, Skip, Stamp, Touch};

const TOO_LARGE: &str = "too large";

/// The work of one build. Every file of the walk is read, skipped, or counted as unchanged.
#[derive(Default)]
pub struct Plan {
    /// The files to read, in the order of their paths.
    pub read: Vec<ReadTask>,
    pub removed: Vec<RepoPath>,
    /// Unchanged files that belong to another package than before. They are not read.
    pub changed_package: Vec<Touch>,
    pub skipped: Vec<Skip>,
    /// True if a file that was indexed is now a secret by its name.
    pub drops_secrets: bool,
    pub unchanged: usize,
    pub unchanged_chunks: usize,
    pub problems: Vec<Problem>,
}

/// A file to read.
pub struct ReadTask {
    pub stamp: Stamp,
    /// The stored hash of the file and its number of chunks; `None` for a new file.
    pub known: Option<([u8; 32], usize)>,
}

/// Compares a walk with the previous index. The result depends on nothing else, so it can be tested
/// without a disk.
pub fn plan_build(
    rules: &CodeRules,
    homes: &PackageDirectories,
    survey: &Survey,
    known: &PreviousIndex,
) -> Plan {
    let built_ns = known.metadata.get(BUILT_NS).and_then(|text| text.parse().ok());
    let judged_by = known.metadata.get(SECRET_RULES);
    let mut planner = Planner {
        rules,
        has_other_secrets: judged_by.is_none_or(|by| *by != rules.secrets.fingerprint()),
        packages: homes.sorted_lookup(),
        built_ns,
        plan: Plan { problems: survey.problems.clone(), ..Plan::default() },
    };
    let problems = rules
        .secrets
        .problems()
        .iter()
        .map(|problem| Problem::new(&RepoPath::default(), problem.clone()));
    planner.plan.problems.extend(problems);
    for (directory, why) in &survey.pruned {
        planner.plan.skipped.push(pruned_skip(directory, *why));
    }
    // All three lists are sorted by path, so one pass over them finds what belongs together.
    let mut files = known.files.iter().peekable();
    let mut skips = known.skips.iter().peekable();
    for found in &survey.files {
        while let Some(gone) = files.next_if(|file| file.stamp.path < found.path) {
            planner.plan.removed.push(gone.stamp.path.clone());
        }
        while skips.next_if(|skip| skip.stamp.path < found.path).is_some() {}
        let file = files.next_if(|file| file.stamp.path == found.path);
        let skip = skips.next_if(|skip| skip.stamp.path == found.path);
        planner.plan_file(found, file, skip);
    }
    let gone = files.map(|file| file.stamp.path.clone());
    planner.plan.removed.extend(gone);
    planner.plan
}

/// Returns the skip for a directory that the walk did not enter.
fn pruned_skip(directory: &RepoPath, why: PruneReason) -> Skip {
    let reason = match why {
        PruneReason::Name => "vendored tree",
        PruneReason::Worktree => "another checkout",
        PruneReason::Link => "symbolic link",
        PruneReason::FileSystem => "another file system",
    };
    let stamp = Stamp { path: directory.clone(), size: 0, modified_ns: 0 };
    new_skip(stamp, reason)
}

fn new_skip(stamp: Stamp, reason: &str) -> Skip {
    Skip { stamp, reason: reason.to_string() }
}

/// The state of one planning pass.
struct Planner<'p> {
    rules: &'p CodeRules,
    packages: SortedPackageLookup<'p>,
    /// The time when the last complete build began; `None` if there is none.
    built_ns: Option<i64>,
    /// True if the rules for secrets differ from those of the last build.
    has_other_secrets: bool,
    plan: Plan,
}

impl Planner<'_> {
    /// Decides about one file: keep, skip, or read.
    fn plan_file(&mut self, found: &FoundFile, known: Option<&KnownFile>, skipped: Option<&Skip>) {
        // A file modified after the build began may have changed within one tick of the clock.
        let is_settled =
            self.built_ns.is_some_and(|built_ns| found.modified_ns < built_ns - CLOCK_TICK_NS);
        // The common case first. A kept file was accepted by name before, and its name is the same.
        if let Some(known) = known
            && is_settled
            && has_same_stamp(&known.stamp, found)
            && found.size <= self.rules.max_file_size
            && !(self.has_other_secrets && self.rules.secrets.depends_on_content(&found.path))
        {
            return self.keep_file(known);
        }
        if let Some(reason) = skip_reason_without_reading(self.rules, found) {
            // A file that was indexed and is now skipped is removed.
            let gone = known.map(|known| known.stamp.path.clone());
            self.plan.drops_secrets |= gone.is_some() && kenning_secrets::is_secret_reason(&reason);
            self.plan.removed.extend(gone);
            return self.plan.skipped.push(new_skip(file_stamp(found), &reason));
        }
        match (known, skipped) {
            (None, Some(skip))
                if is_settled
                    && has_same_stamp(&skip.stamp, found)
                    && self.is_reason_valid(&skip.reason) =>
            {
                self.plan.skipped.push(skip.clone());
            }
            (known, _) => self.plan.read.push(ReadTask {
                stamp: file_stamp(found),
                known: known.map(|known| (known.hash, known.chunks)),
            }),
        }
    }

    /// True if a file that was skipped for this reason would be skipped again. Limits and rules for
    /// secrets may have changed since.
    fn is_reason_valid(&self, reason: &str) -> bool {
        reason != TOO_LARGE
            && !(self.has_other_secrets && kenning_secrets::is_secret_reason(reason))
    }

    /// Counts an unchanged file, and records it if its package changed.
    fn keep_file(&mut self, known: &KnownFile) {
        self.plan.unchanged += 1;
        self.plan.unchanged_chunks += known.chunks;
        let package = self.packages.package_of(&known.stamp.path);
        if package != known.package.as_deref() {
            self.plan
                .changed_package
                .push(Touch { package: package.map(str::to_string), stamp: known.stamp.clone() });
        }
    }
}

fn file_stamp(found: &FoundFile) -> Stamp {
    Stamp { path: found.path.clone(), size: found.size, modified_ns: found.modified_ns }
}

/// True if a file's size and modification time equal those of its stored stamp.
fn has_same_stamp(stamp: &Stamp, found: &FoundFile) -> bool {
    (stamp.size, stamp.modified_ns) == (found.size, found.modified_ns)
}

/// Returns the reason to skip a file that needs no look at its content. Secrets come first, so that
/// their reason is the one reported.
fn skip_reason_without_reading(rules: &CodeRules, found: &FoundFile) -> Option<String> {
    let is_secret = rules.secrets.by_name(&found.path).map(|reason| reason.to_string());
    let by_name = || skip_rules::skip_by_name(&found.path).map(|reason| reason.to_string());
    let is_large = found.size > rules.max_file_size;
    is_secret.or_else(by_name).or_else(|| is_large.then(|| TOO_LARGE.to_string()))
}

/// Counts the files that a build would find changed, gone or new. `stamps` and `skips` must be
/// sorted by path.
///
/// It walks the tree and reads no file, so it may count a file that was only touched.
pub fn count_tree_differences(
    root: &Path,
    rules: &CodeRules,
    stamps: &[Stamp],
    skips: &[Skip],
) -> usize {
    let Ok(survey) = kenning_source::survey_one(
        root,
        crate::indexing::code_walk_filter(rules),
        &rules.bounds,
        &Silent,
    ) else {
        // Without a walk, new files cannot be counted; changed and missing ones can.
        return count_stale_files(root, stamps);
    };
    let mut known = stamps.iter().peekable();
    let mut news = 0;
    for found in &survey.files {
        while known.next_if(|stamp| stamp.path < found.path).is_some() {
            news += 1;
        }
        let is_passed_over = || {
            let place = skips.binary_search_by(|skip| skip.stamp.path.cmp(&found.path));
            let known = place.is_ok_and(|place| has_same_stamp(&skips[place].stamp, found));
            known || skip_reason_without_reading(rules, found).is_some()
        };
        let is_news = match known.next_if(|stamp| stamp.path == found.path) {
            Some(stamp) => !has_same_stamp(stamp, found),
            None => !is_passed_over(),
        };
        news += usize::from(is_news);
    }
    news + known.count()
}

/// Counts the known files that changed or are gone. It does not see new files.
///
/// It costs one `stat` per file. Callers with one file use it to mark a single hit as stale.
pub fn count_stale_files(root: &Path, stamps: &[Stamp]) -> usize {
    use rayon::prelude::*;
    let is_changed = |stamp: &&Stamp| {
        kenning_source::stat(root, &stamp.path)
            .is_none_or(|found| (found.size, found.modified_ns) != (stamp.size, stamp.modified_ns))
    };

    /// Fewer files are checked on this thread, because the pool may be busy with an index run.
    const FEW: usize = 64;
    if stamps.len() < FEW {
        stamps.iter().filter(is_changed).count()
    } else {
        stamps.par_iter().filter(is_changed).count()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use kenning_secrets::SecretRules;

    const BUILT: i64 = 100_000_000_000;
    const OLD: i64 = 1_000_000_000;

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    fn found(name: &str, size: u64, modified_ns: i64) -> FoundFile {
        FoundFile { path: path(name), size, modified_ns }
    }

    fn stamp(name: &str, size: u64, modified_ns: i64) -> Stamp {
        file_stamp(&found(name, size, modified_ns))
    }

    /// The notes of a build that ran under these rules.
    fn notes(rules: &CodeRules) -> BTreeMap<String, String> {
        let built = (BUILT_NS.to_string(), BUILT.to_string());
        [built, (SECRET_RULES.to_string(), rules.secrets.fingerprint())].into()
    }

    /// Lists the outcome of each file: of those that were found, those that were indexed and those that
    /// were skipped.
    fn check(found: &[FoundFile], indexed: &[Stamp], skipped: &[(Stamp, &str)], expected: &str) {
        let known = PreviousIndex {
            files: indexed
                .iter()
                .map(|stamp| KnownFile {
                    stamp: stamp.clone(),
                    hash: [7; 32],
                    package: Some("app".to_string()),
                    chunks: 3,
                })
                .collect(),
            skips: skipped.iter().map(|(stamp, reason)| new_skip(stamp.clone(), reason)).collect(),
            metadata: notes(&CodeRules::default()),
            ..PreviousIndex::default()
        };
        assert_eq!(render(found, &known), expected);
    }

    fn render(found: &[FoundFile], known: &PreviousIndex) -> String {
        let rules = CodeRules { max_file_size: 1000, ..CodeRules::default() };
        let homes = [(RepoPath::default(), "app"), (path("b"), "b")]
            .map(|(path, name)| (path, name.to_string()));
        let survey = Survey {
            files: found.to_vec(),
            pruned: vec![(path("x/vendor"), PruneReason::Name)],
            ..Survey::default()
        };
        let plan = plan_build(&rules, &PackageDirectories::new(homes), &survey, known);
        let read = plan.read.iter().map(|task| match task.known {
            Some((hash, chunks)) => format!("again {} {}x{chunks}", task.stamp.path, hash[0]),
            None => format!("read {}", task.stamp.path),
        });
        let removed = plan.removed.iter().map(|path| format!("remove {path}"));
        let moved = plan
            .changed_package
            .iter()
            .map(|touch| format!("move {} to {:?}", touch.stamp.path, touch.package));
        let skipped = plan
            .skipped
            .iter()
            .filter(|skip| skip.reason != "vendored tree")
            .map(|skip| format!("skip {} {}", skip.stamp.path, skip.reason));
        assert_eq!(plan.unchanged_chunks, plan.unchanged * 3);
        assert!(plan.skipped.iter().any(|skip| skip.reason == "vendored tree"));
        let all = read
            .chain(removed)
            .chain(moved)
            .chain(skipped)
            .chain([format!("keep {}", plan.unchanged)]);
        all.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn what_becomes_of_a_file() {
        let a = |size, modified_ns| found("a.rs", size, modified_ns);
        let was = [stamp("a.rs", 5, OLD)];
        // New, the same, of another size, of another time, gone.
        check(&[a(5, OLD)], &[], &[], "read a.rs, keep 0");
        check(&[a(5, OLD)], &was, &[], "keep 1");
        check(&[a(6, OLD)], &was, &[], "again a.rs 7x3, keep 0");
        check(&[a(5, OLD + 1)], &was, &[], "again a.rs 7x3, keep 0");
        check(&[], &was, &[], "remove a.rs, keep 0");
        // Changed so shortly before the last look that it may have changed again since.
        let fresh = BUILT - CLOCK_TICK_NS;
        let recent = [stamp("a.rs", 5, fresh)];
        check(&[a(5, fresh)], &recent, &[], "again a.rs 7x3, keep 0");
        // Too large now, though it was indexed; and small enough for the rules of today.
        let large = "remove a.rs, skip a.rs too large, keep 0";
        check(&[a(1001, OLD)], &was, &[], large);
        let was = [(stamp("a.rs", 5, OLD), TOO_LARGE)];
        check(&[a(5, OLD)], &[], &was, "read a.rs, keep 0");
        // Skipped for what is in it: only looked at again when it changes.
        let was = [(stamp("a.rs", 5, OLD), "binary")];
        check(&[a(5, OLD)], &[], &was, "skip a.rs binary, keep 0");
        check(&[a(6, OLD)], &[], &was, "read a.rs, keep 0");
        check(&[], &[], &was, "keep 0");
        // Its package came to be.
        let moved = "move b/a.rs to Some(\"b\"), keep 1";
        check(&[found("b/a.rs", 5, OLD)], &[stamp("b/a.rs", 5, OLD)], &[], moved);
    }

    #[test]
    fn lists_are_matched_by_path() {
        let files = ["a", "a.b", "a/b", "a/c", "b"];
        let found: Vec<FoundFile> = files.iter().map(|name| found(name, 5, OLD)).collect();
        let indexed = ["a", "a-", "a/b", "a/bb", "b", "c"].map(|name| stamp(name, 5, OLD));
        let skipped = ["a.b", "a/a", "a/c"].map(|name| (stamp(name, 5, OLD), "binary"));
        check(
            &found,
            &indexed,
            &skipped,
            "remove a-, remove a/bb, remove c, skip a.b binary, skip a/c binary, keep 3",
        );
    }

    #[test]
    fn other_rules_of_secrets_judge_again() {
        let names = ["a.rs", "a.yml", "b.txt", "c.pem", "id_rsa"];
        let found: Vec<FoundFile> = names.iter().map(|name| found(name, 5, OLD)).collect();
        let known = |notes| PreviousIndex {
            files: ["a.rs", "a.yml", "id_rsa"]
                .map(|name| KnownFile {
                    stamp: stamp(name, 5, OLD),
                    hash: [7; 32],
                    package: Some("app".to_string()),
                    chunks: 3,
                })
                .into(),
            skips: [("b.txt", "binary"), ("c.pem", "looks like a secret: private key")]
                .map(|(name, reason)| new_skip(stamp(name, 5, OLD), reason))
                .into(),
            metadata: notes,
            ..PreviousIndex::default()
        };
        // An index of a time without such rules, and one of a user who admits more.
        let before = [(BUILT_NS.to_string(), BUILT.to_string())].into();
        let secrets = SecretRules::new(&["**".to_string()]);
        let admitting = notes(&CodeRules { secrets, ..CodeRules::default() });
        for notes in [before, admitting] {
            assert_eq!(
                render(&found, &known(notes)),
                "again a.yml 7x3, read c.pem, remove id_rsa, skip b.txt binary, \
                 skip id_rsa looks like a secret: private key, keep 1"
            );
        }
        assert_eq!(
            render(&found[..4], &known(notes(&CodeRules::default()))),
            "remove id_rsa, skip b.txt binary, skip c.pem looks like a secret: private key, keep 2"
        );
    }

    #[test]
    fn a_build_that_did_not_end_vouches_for_nothing() {
        let known = PreviousIndex {
            files: vec![KnownFile {
                stamp: stamp("a.rs", 5, OLD),
                hash: [7; 32],
                package: None,
                chunks: 3,
            }],
            ..PreviousIndex::default()
        };
        assert_eq!(render(&[found("a.rs", 5, OLD)], &known), "again a.rs 7x3, keep 0");
    }
}
