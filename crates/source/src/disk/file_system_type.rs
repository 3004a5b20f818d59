//! File systems: distinguishes them, and detects pseudo file systems. The kernel generates their
//! entries on reading: some never end, some block forever, some have side effects.

use std::fs::{File, Metadata};
use std::path::Path;

/// The identity of a file system. Where the system does not report it, all are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSystemId(u64);

#[cfg(unix)]
pub fn device(metadata: &Metadata) -> FileSystemId {
    use std::os::unix::fs::MetadataExt;
    FileSystemId(metadata.dev())
}

#[cfg(not(unix))]
pub fn device(_metadata: &Metadata) -> FileSystemId {
    FileSystemId(0)
}

/// The name of the pseudo file system that `path` is on; `None` if it is on an ordinary one.
#[cfg(target_os = "linux")]
pub fn pseudo_file_system(path: &Path) -> Option<String> {
    let kind = rustix::fs::statfs(path).ok()?.f_type;
    if let Some(name) = name_by_magic(kind as u64) {
        return Some(name.to_string());
    }
    if !SHARED_MAGIC.contains(&(kind as u32)) {
        return None;
    }
    let device = std::fs::metadata(path).ok().map(|metadata| device(&metadata))?;
    let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    if let Some(name) = name_by_mount_table(&table, device) {
        return Some(name.to_string());
    }
    // In a container the devices are in an ordinary file system in memory, which has nothing else.
    let found = |path: &str| std::fs::metadata(path).ok().map(|metadata| self::device(&metadata));
    let is_devices = found("/dev") == Some(device) && found("/") != Some(device);
    is_devices.then(|| "dev".to_string())
}

#[cfg(not(target_os = "linux"))]
pub fn pseudo_file_system(_path: &Path) -> Option<String> {
    None
}

/// The same for an open file, by what its file system says of itself alone.
#[cfg(target_os = "linux")]
pub(super) fn pseudo_file_system_of(file: &File) -> Option<String> {
    let kind = rustix::fs::fstatfs(file).ok()?.f_type;
    name_by_magic(kind as u64).map(str::to_string)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn pseudo_file_system_of(_file: &File) -> Option<String> {
    None
}

/// From `linux/magic.h`, and from the sources of those that it leaves out.
#[cfg(target_os = "linux")]
const PSEUDO: [(u32, &str); 25] = [
    (0x0000_9fa0, "proc"),
    (0x6265_6572, "sysfs"),
    (0x6462_6720, "debugfs"),
    (0x7472_6163, "tracefs"),
    (0x0027_e0eb, "cgroup"),
    (0x6367_7270, "cgroup2"),
    (0x7363_6673, "securityfs"),
    (0xf97c_ff8c, "selinuxfs"),
    (0x4341_5d53, "smackfs"),
    (0x5a3c_69f0, "apparmorfs"),
    (0x6165_676c, "pstore"),
    (0xde5e_81e4, "efivarfs"),
    (0x6265_6570, "configfs"),
    (0x0000_1cd1, "devpts"),
    (0x4249_4e4d, "binfmt_misc"),
    (0xcafe_4a11, "bpf"),
    (0x1980_0202, "mqueue"),
    (0x6e73_6673, "nsfs"),
    (0x534f_434b, "sockfs"),
    (0x5049_5045, "pipefs"),
    (0x0904_1934, "anon_inodefs"),
    (0x6573_5543, "fusectl"),
    (0x6759_6969, "rpc_pipefs"),
    (0x0765_5821, "resctrl"),
    (0x0000_0187, "autofs"),
];

/// Several file systems share these: in memory (devtmpfs is one), and those of programs (FUSE).
#[cfg(target_os = "linux")]
const SHARED_MAGIC: [u32; 3] = [0x0102_1994, 0x8584_58f6, 0x6573_5546];

/// Names in the mount table of pseudo file systems that the magic number does not identify.
#[cfg(target_os = "linux")]
const PSEUDO_NAMES: [&str; 4] = ["devtmpfs", "fuse.gvfsd-fuse", "fuse.portal", "fuse.lxcfs"];

/// Returns the name of a pseudo file system by the magic number that `statfs` reports.
#[cfg(target_os = "linux")]
fn name_by_magic(kind: u64) -> Option<&'static str> {
    // On some machines the number is signed and has more bits.
    let kind = kind as u32;
    PSEUDO.iter().find(|(magic, _)| *magic == kind).map(|(_, name)| *name)
}

/// Looks a device up in `/proc/self/mountinfo`: `36 35 0:5 / /dev rw master:1 - devtmpfs udev rw`.
#[cfg(target_os = "linux")]
fn name_by_mount_table(table: &str, device: FileSystemId) -> Option<&'static str> {
    let number = format!("{}:{}", rustix::fs::major(device.0), rustix::fs::minor(device.0));
    let lines = table.lines().filter(|line| line.split(' ').nth(2) == Some(&number));
    let mut names = lines.filter_map(|line| line.split(" - ").nth(1)?.split(' ').next());
    let found = names.next()?;
    PSEUDO_NAMES.into_iter().find(|name| *name == found)
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pseudo_file_systems_are_known() {
        for (path, expected) in [("/proc", Some("proc")), ("/proc/self/fd", Some("proc"))] {
            assert_eq!(pseudo_file_system(Path::new(path)).as_deref(), expected, "{path}");
        }
        assert!(pseudo_file_system(Path::new("/dev")).is_some());
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(pseudo_file_system(folder.path()), None);
        assert_eq!(pseudo_file_system(&folder.path().join("gone")), None);
    }

    #[test]
    fn the_table_of_mounts_tells_what_numbers_do_not() {
        let table = "24 1 0:5 / /dev rw,nosuid shared:2 - devtmpfs udev rw\n\
                     25 1 0:50 / /run/user/1/doc rw - fuse.portal portal rw\n\
                     26 1 0:51 / /mnt/far rw - fuse.sshfs far: rw\n";
        let device = |minor: u32| FileSystemId(rustix::fs::makedev(0, minor));
        assert_eq!(name_by_mount_table(table, device(5)), Some("devtmpfs"));
        assert_eq!(name_by_mount_table(table, device(50)), Some("fuse.portal"));
        assert_eq!(name_by_mount_table(table, device(51)), None);
        assert_eq!(name_by_mount_table(table, device(7)), None);
    }
}
