//! Tests of the watch over real directories. Nobody sleeps: each waits for the batch itself.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};

use super::*;

const PATIENCE: Duration = Duration::from_secs(60);

struct Watched {
    watch: Watch,
    batches: Receiver<Batch>,
}

fn watch(targets: Vec<WatchTarget>, means: WatchMethod) -> Watched {
    let settings = WatchSettings {
        debounce: Duration::from_millis(10),
        poll_every: Duration::from_millis(10),
        method: means,
    };
    let (sender, batches) = channel();
    let watch = Watch::start(targets, settings, move |batch| {
        let _ = sender.send(batch);
        None
    });
    Watched { watch: watch.unwrap(), batches }
}

impl Watched {
    /// Waits until `path`, or a directory that it lies in, is told as changed.
    fn wait_for(&self, path: &Path) {
        loop {
            let batch = self
                .batches
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|_| panic!("{path:?} was never told"));
            assert!(batch.paths.is_sorted(), "{batch:?}");
            if batch.paths.iter().any(|told| path.starts_with(told)) {
                return;
            }
        }
    }
}

fn real(directory: &tempfile::TempDir) -> PathBuf {
    directory.path().canonicalize().unwrap()
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The same story for both means.
fn check_life_of_a_tree(means: WatchMethod) {
    let directory = tempfile::tempdir().unwrap();
    let root = real(&directory).join("not/yet/there");
    let watched = watch(vec![WatchTarget::tree(&root)], means);
    let file = root.join("deep/down/file");
    write(&file, "one");
    watched.wait_for(&file);
    write(&file, "another");
    watched.wait_for(&file);
    write(&root.join("deep/down/beside"), "");
    watched.wait_for(&root.join("deep/down/beside"));
    std::fs::remove_file(&file).unwrap();
    watched.wait_for(&file);
    // A root that is deleted and made again is watched again, whatever happened in between.
    for round in 0..3 {
        std::fs::remove_dir_all(&root).unwrap();
        write(&file, &format!("round {round}"));
        watched.wait_for(&file);
        write(&root.join("deep/down/more"), &format!("round {round}"));
        watched.wait_for(&root.join("deep/down/more"));
    }
    std::fs::remove_dir_all(real(&directory).join("not")).unwrap();
    watched.wait_for(&file);
    write(&file, "again");
    watched.wait_for(&file);
}

#[test]
fn a_tree_by_events() {
    check_life_of_a_tree(WatchMethod::Events);
}

#[test]
fn a_tree_by_looking() {
    check_life_of_a_tree(WatchMethod::Polling);
}

#[test]
fn looking_is_said_aloud() {
    let directory = tempfile::tempdir().unwrap();
    let target = vec![WatchTarget::tree(real(&directory))];
    let reason = "asked for".to_string();
    let mode = watch(target, WatchMethod::Polling).watch.mode();
    assert_eq!(mode, Mode::Polling { reason });
}

#[test]
fn when_events_run_out_changes_are_still_seen() {
    let directory = tempfile::tempdir().unwrap();
    let root = real(&directory);
    let watched = watch(vec![WatchTarget::tree(&root)], WatchMethod::Events);
    let exhausted = notify::Error::new(ErrorKind::MaxFilesWatch);
    let sender = &watched.watch.messages;
    sender.send(Message::Events(Err(vec![exhausted]))).unwrap();
    let batch = watched.batches.recv_timeout(PATIENCE).unwrap();
    assert!(batch.is_incomplete);
    assert!(matches!(watched.watch.mode(), Mode::Polling { .. }));
    write(&root.join("file"), "x");
    watched.wait_for(&root.join("file"));
}

#[test]
fn targets_can_be_replaced() {
    for means in [WatchMethod::Events, WatchMethod::Polling] {
        let directory = tempfile::tempdir().unwrap();
        let root = real(&directory);
        write(&root.join("a/file"), "");
        write(&root.join("b/file"), "");
        let watched = watch(vec![WatchTarget::tree(root.join("a"))], means);
        watched.watch.replace(vec![WatchTarget::tree(root.join("b"))]);
        // A new folder is reported, because earlier changes in it were not seen.
        watched.wait_for(&root.join("b/file"));
        write(&root.join("b/file"), "changed");
        watched.wait_for(&root.join("b/file"));
    }
}

/// A consumer that reads changed files must not be woken by its own reading.
#[test]
fn reading_is_no_change() {
    let directory = tempfile::tempdir().unwrap();
    let root = real(&directory);
    write(&root.join("file"), "x");
    let watched = watch(vec![WatchTarget::tree(&root)], WatchMethod::Events);
    for _ in 0..50 {
        std::fs::read(root.join("file")).unwrap();
        std::fs::read_dir(&root).unwrap().count();
    }
    write(&root.join("last"), "");
    let batch = watched.batches.recv_timeout(PATIENCE).unwrap();
    assert_eq!(batch.paths, [root.join("last")]);
}

#[test]
fn a_folder_ends_at_its_entries() {
    let directory = tempfile::tempdir().unwrap();
    let root = real(&directory);
    write(&root.join("sub/file"), "");
    let watched = watch(vec![WatchTarget::folder(&root)], WatchMethod::Events);
    write(&root.join("sub/file"), "changed");
    write(&root.join("here"), "");
    let batch = watched.batches.recv_timeout(PATIENCE).unwrap();
    assert_eq!(batch.paths, [root.join("here")]);
}
