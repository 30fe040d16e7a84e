//! The machine: its name, and what it gives this process, memory and open files.

use std::path::Path;

/// The most that the budget takes unless it is set, and the part of the machine's memory, as its divisor.
const MOST_BUDGET: u64 = 512 * 1024 * 1024;
const BUDGET_PART: u64 = 4;
/// The least that makes sense.
const LEAST_BUDGET: u64 = 64 * 1024 * 1024;
/// How many descriptors are kept for the database, connections that are not connections of clients, and files.
const RESERVED_FILES: usize = 256;

/// The name of this machine, for people.
pub(crate) fn host_name() -> String {
    let asked = std::process::Command::new("uname").arg("-n").output().ok();
    let name = asked.and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    match name.trim() {
        "" => "this machine".to_owned(),
        name => name.to_owned(),
    }
}

/// The memory budget unless it is set: a quarter of the memory that the machine or its control group has, at most 512 MB.
pub(crate) fn default_memory_budget() -> usize {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    budget_of(memory_limit(&read))
}

fn budget_of(memory: Option<u64>) -> usize {
    let part = memory.map_or(MOST_BUDGET, |memory| (memory / BUDGET_PART).clamp(LEAST_BUDGET, MOST_BUDGET));
    usize::try_from(part).unwrap_or(usize::MAX)
}

/// The smallest of the machine's memory and the limits of the control groups that this process is in.
fn memory_limit(read: &impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let machine = read(Path::new("/proc/meminfo")).and_then(|text| total_memory(&text));
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    machine.into_iter().chain(groups.split('\n').filter_map(|line| group_limit(line, read))).min()
}

/// `MemTotal` of `/proc/meminfo`, in bytes.
fn total_memory(text: &str) -> Option<u64> {
    kilobytes(text, "MemTotal:")
}

/// The memory of this process that is backed by no file, in bytes.
pub(crate) fn anonymous_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    usize::try_from(kilobytes(&status, "RssAnon:")?).ok()
}

/// The number of kB behind a name, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.split('\n').find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The limit of a control group, given by its line in `/proc/self/cgroup`, and of the groups around it.
fn group_limit(line: &str, read: &impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, group) = (parts.next()?, parts.next()?);
    let (root, file) = match controllers {
        "" => ("/sys/fs/cgroup", "memory.max"),
        names if names.split(',').any(|name| name == "memory") => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
        _ => return None,
    };
    let root = Path::new(root);
    let own = root.join(group.trim_start_matches('/'));
    // In a container the path may be that of the host: then the root is the container's group.
    let around = own.ancestors().take_while(|path| path.starts_with(root));
    around.filter_map(|path| read(&path.join(file))?.trim().parse().ok()).min()
}

/// How many connections this process can have at a time with the files that it may open.
pub(crate) fn connections_within(most: usize) -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    open_files(&limits).map_or(most, |files| most.min(connections_of(files)))
}

/// All but those that are kept for others, which are at most half.
fn connections_of(files: usize) -> usize {
    (files - RESERVED_FILES.min(files / 2)).max(1)
}

/// The soft limit of open files in `/proc/self/limits`; `None` where there is none.
fn open_files(limits: &str) -> Option<usize> {
    limits.split('\n').find_map(|line| line.strip_prefix("Max open files"))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_limit(files: &[(&str, &str)], expected: Option<u64>) {
        let read =
            |path: &Path| files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned());
        assert_eq!(memory_limit(&read), expected, "{files:?}");
    }

    #[test]
    fn memory_is_the_least_of_machine_and_groups() {
        let machine = ("/proc/meminfo", "MemTotal:       2048 kB\nMemFree: 1 kB\n");
        check_limit(&[machine], Some(2 << 20));
        check_limit(&[], None);
        let version_2 = ("/proc/self/cgroup", "0::/system.slice/interline.service\n");
        let unlimited = ("/sys/fs/cgroup/system.slice/interline.service/memory.max", "max\n");
        let around = ("/sys/fs/cgroup/system.slice/memory.max", "4096\n");
        check_limit(&[machine, version_2, unlimited], Some(2 << 20));
        check_limit(&[machine, version_2, unlimited, around], Some(4096));
        check_limit(&[version_2, ("/sys/fs/cgroup/memory.max", "8192\n")], Some(8192));
        let version_1 = ("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/1\n");
        let limit = ("/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "1048576\n");
        check_limit(&[machine, version_1, limit], Some(1 << 20));
        check_limit(&[machine, ("/proc/self/cgroup", "nonsense\n4:memory\n")], Some(2 << 20));
    }

    #[test]
    fn memory_of_the_process_is_what_no_file_backs() {
        let status = "Name:\tinterline\nVmRSS:\t   30720 kB\nRssAnon:\t   20480 kB\nRssFile:\t   10240 kB\n";
        assert_eq!(kilobytes(status, "RssAnon:"), Some(20 << 20));
        assert_eq!(kilobytes("RssAnon: many kB", "RssAnon:"), None);
        #[cfg(target_os = "linux")]
        assert!(anonymous_memory().is_some_and(|bytes| bytes > 0));
    }

    #[test]
    fn the_budget_is_a_quarter_within_bounds() {
        const GIGABYTE: u64 = 1 << 30;
        assert_eq!(budget_of(Some(GIGABYTE)), 256 << 20);
        assert_eq!(budget_of(Some(24 * GIGABYTE)), 512 << 20);
        assert_eq!(budget_of(Some(1)), 64 << 20);
        assert_eq!(budget_of(None), 512 << 20);
    }

    #[test]
    fn connections_leave_files_to_the_database() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max processes             100                  100                  processes \n\
                      Max open files            256                  4096                 files     \n";
        assert_eq!(open_files(limits), Some(256));
        assert_eq!(open_files("Max open files            unlimited            unlimited            files"), None);
        assert_eq!([1, 256, 1_024, 65_536].map(connections_of), [1, 128, 768, 65_280]);
    }
}
