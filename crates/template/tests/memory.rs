//! The memory that hostile templates take while they are rendered. It is the process's, so that this is its only test.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed test is a panic")]

use std::collections::BTreeMap;
use std::{fs, thread};

use interline_template::{LargeStack, STACK_BYTES, render};

/// What a rendering makes and writes, twice, with room for the allocator.
const MAX_KILOBYTES: u64 = 200 * 1024;

struct BigThread;

impl LargeStack for BigThread {}

fn peak_kilobytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.split('\n').find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

#[test]
fn what_a_filter_keeps_while_it_works_is_bounded_too() {
    let work = || {
        for source in [
            "{{ ('\r' * 3 * 10**7)|indent|length }}",
            "{{ ('a\n' * 10**7)|wordwrap|length }}",
            "{{ ('a ' * 10**7)|wordwrap(1)|length }}",
            "{{ ('x' * 3 * 10**7)[::-1]|length }}",
            "{{ ('\n' * 5 * 10**6)|pprint|length }}",
            "{{ (['\x01' * 10**6] * 30) is lower }}",
            "{{ ('%s'|safe) % ('<' * 2 * 10**7) }}",
            "{{ []|sort(attribute=',' * 10**7) }}",
            "{% set l = [cycler('x' * 10**6)] * 3000 %}{{ [cycler(l), cycler(l)]|unique|length }}",
            "{% set l = [joiner('x' * 10**6)] * 3000 %}{{ [joiner(l), joiner(l)]|unique|length }}",
        ] {
            // Some are refused and some are not; either is fine.
            let _ = render(source, &[], &BTreeMap::new(), &BigThread);
            assert!(peak_kilobytes() < MAX_KILOBYTES, "{source:?}: {} kB", peak_kilobytes());
        }
    };
    thread::Builder::new().stack_size(STACK_BYTES).spawn(work).unwrap().join().unwrap();
}
