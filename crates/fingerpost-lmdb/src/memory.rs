//! How much memory the pages of a file can take: that of the machine, or what a control group of
//! this process grants (cgroup v1 and v2, which containers and services have).

use std::fs;
use std::path::{Path, PathBuf};

/// Returns how many bytes of files this process can have in memory; `None` where the operating
/// system does not say.
pub(crate) fn for_files() -> Option<u64> {
    let read = |path: &Path| fs::read_to_string(path).ok();
    let machine = machine(&read(Path::new("/proc/meminfo"))?)?;
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let mounts = read(Path::new("/proc/self/mountinfo")).unwrap_or_default();
    let limits = limit_files(&groups, &mounts).into_iter().filter_map(|file| {
        read(&file)?.trim().parse().ok() // `max` is no limit
    });
    Some(limits.fold(machine, u64::min))
}

/// Returns the bytes of memory in the text of `/proc/meminfo`.
fn machine(text: &str) -> Option<u64> {
    let kibibytes = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(kibibytes.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Returns the files with the limits of the groups of this process, and of the groups that contain
/// them, from the texts of `/proc/self/cgroup` and `/proc/self/mountinfo`.
fn limit_files(groups: &str, mounts: &str) -> Vec<PathBuf> {
    let has = |list: &str, name: &str| list.split(',').any(|item| item == name);
    let mut files = Vec::new();
    for mount in mounts.lines() {
        let Some((mount, kind)) = mount.split_once(" - ") else { continue };
        let mut fields = mount.split(' ').skip(3);
        let (Some(root), Some(folder)) = (fields.next(), fields.next()) else { continue };
        let (controllers, name) = match kind.split(' ').collect::<Vec<_>>()[..] {
            ["cgroup2", ..] => ("", "memory.max"),
            ["cgroup", .., options] if has(options, "memory") => {
                ("memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        // A container can have only a part of the hierarchy.
        let group = groups.lines().find_map(|line| {
            let (found, group) = line.split_once(':')?.1.split_once(':')?;
            has(found, controllers).then(|| Path::new(group).strip_prefix(root).ok())?
        });
        let group = group.unwrap_or(Path::new(""));
        files.extend(group.ancestors().map(|group| Path::new(folder).join(group).join(name)));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_the_machine_is_read_in_bytes() {
        let text = "MemTotal:       24598764 kB\nMemFree:          233544 kB\n";
        assert_eq!(machine(text), Some(24_598_764 * 1024));
        assert_eq!(machine("MemFree: 1 kB\n"), None);
    }

    #[test]
    fn a_group_and_those_that_contain_it_limit_memory() {
        let files = |groups, mounts| -> Vec<_> {
            let files = limit_files(groups, mounts).into_iter();
            files.map(|file| file.to_str().unwrap().to_owned()).collect()
        };
        let unified = "29 23 0:26 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
        assert_eq!(
            files("0::/system.slice/fingerpost.service\n", unified),
            [
                "/sys/fs/cgroup/system.slice/fingerpost.service/memory.max",
                "/sys/fs/cgroup/system.slice/memory.max",
                "/sys/fs/cgroup/memory.max",
            ]
        );
        assert_eq!(files("0::/\n", unified), ["/sys/fs/cgroup/memory.max"]);
        // A container of the first version, whose own group is the root of what it has.
        let separate = "31 30 0:27 /docker/1f /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n\
                        32 30 0:28 /docker/1f /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
        let groups = "5:cpu,cpuacct:/docker/1f\n4:memory:/docker/1f/part\n0::/\n";
        let limits = [
            "/sys/fs/cgroup/memory/part/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        ];
        assert_eq!(files(groups, separate), limits);
        assert_eq!(files("4:memory:/elsewhere\n", separate), limits[1..]);
        for (groups, mounts) in [("", ""), ("nonsense\n1\n", "1 - \n - cgroup\nnonsense\n")] {
            assert_eq!(files(groups, mounts), <[&str; 0]>::default());
        }
    }
}
