//! Reading what is a file, and refusing what is none.

use super::*;

fn check(path: &Path, links: SymlinkPolicy, limit: u64, expected: Result<&str, &str>) {
    let read = read_file(path, links, limit)
        .map(|read| String::from_utf8(read.bytes).unwrap())
        .map_err(|error| error.to_string());
    assert_eq!(read.as_deref().map_err(String::as_str), expected, "{}", path.display());
}

#[test]
fn a_regular_file_is_read_up_to_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "four").unwrap();
    check(&file, SymlinkPolicy::Refuse, 4, Ok("four"));
    check(&file, SymlinkPolicy::Follow, u64::MAX, Ok("four"));
    check(&file, SymlinkPolicy::Refuse, 3, Err("4 bytes, above the limit of 3"));
    check(folder.path(), SymlinkPolicy::Follow, 9, Err("a folder, not a regular file"));
    let gone = read_file(&folder.path().join("gone"), SymlinkPolicy::Follow, 9).unwrap_err();
    assert!(gone.is_absent());
    let below = read_file(&file.join("below"), SymlinkPolicy::Follow, 9).unwrap_err();
    assert!(below.is_absent());
    assert_eq!(read_text(&folder.path().join("gone"), 9).unwrap(), None);
    assert_eq!(read_text(&file, 9).unwrap().as_deref(), Some("four"));
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_and_never_waited_for() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let made = std::process::Command::new("mkfifo").arg(at("pipe")).status();
    assert!(made.unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    std::fs::write(at("file"), "text").unwrap();
    for (name, target) in [
        ("to-file", "file"),
        ("to-pipe", "pipe"),
        ("to-zero", "/dev/zero"),
        ("to-null", "/dev/null"),
    ] {
        symlink(target, at(name)).unwrap();
    }
    check(&at("to-file"), SymlinkPolicy::Follow, 9, Ok("text"));
    check(&at("to-file"), SymlinkPolicy::Refuse, 9, Err("a symbolic link, not a regular file"));
    for links in [SymlinkPolicy::Follow, SymlinkPolicy::Refuse] {
        check(&at("pipe"), links, 9, Err("a pipe, not a regular file"));
        check(&at("socket"), links, 9, Err("a socket, not a regular file"));
    }
    check(&at("to-pipe"), SymlinkPolicy::Follow, 9, Err("a pipe, not a regular file"));
    check(&at("to-zero"), SymlinkPolicy::Follow, 9, Err("a device, not a regular file"));
    check(&at("to-null"), SymlinkPolicy::Follow, 9, Err("a device, not a regular file"));
}

/// The open file is looked at too: what was a file when it was looked at may be a pipe when it is opened.
#[cfg(unix)]
#[test]
fn a_pipe_or_link_put_in_its_place_is_opened_without_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let opened = open(&pipe, SymlinkPolicy::Refuse).unwrap();
    let refused = super::check_regular(&opened.metadata().unwrap(), 9).unwrap_err();
    assert_eq!(refused.to_string(), "a pipe, not a regular file");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("/etc/hostname", &link).unwrap();
    let refused = open(&link, SymlinkPolicy::Refuse).unwrap_err();
    assert_eq!(refused.to_string(), "a symbolic link, not a regular file");
}

/// These say that they have no bytes, and may have any number.
#[cfg(target_os = "linux")]
#[test]
fn files_of_the_kernel_are_refused() {
    for path in ["/proc/self/status", "/proc/kmsg", "/proc/self/mem"] {
        match read_file(Path::new(path), SymlinkPolicy::Follow, 1 << 20) {
            Err(ReadError::Pseudo(name)) => assert_eq!(name, "proc"),
            // Not everybody may open each of them.
            Err(ReadError::Io(error)) => assert!(error.raw_os_error().is_some()),
            other => panic!("{path}: {other:?}"),
        }
    }
}
