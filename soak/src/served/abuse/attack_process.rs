//! The process in which attackers run, at the lowest priority: what they take from the bystander, they take as clients.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context as _, ensure};
use clap::ValueEnum as _;

use super::attackers::{Attack, READY};

/// Answers that attackers got, by attack and outcome.
pub(super) type Outcomes = BTreeMap<String, BTreeMap<String, u64>>;

/// A process that attacks until it is stopped or this value goes. It also ends by itself when its input ends, and so does
/// not outlive the trial.
pub(super) struct AttackProcess {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl AttackProcess {
    /// Starts one, with so many connections for each attack that makes requests, and waits until it begins.
    pub(super) fn start(material: &Path, attacks: &[Attack], connections: usize) -> anyhow::Result<AttackProcess> {
        let mut command = Command::new("nice");
        command.args(["-n", "19"]).arg(std::env::current_exe()?).arg("attack");
        command.arg("--material").arg(material).arg("--connections").arg(connections.to_string());
        command.args(attacks.iter().filter_map(|attack| Some(attack.to_possible_value()?.get_name().to_owned())));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("`nice` does not run")?;
        let stdout = child.stdout.take().context("its stdout")?;
        let mut process = AttackProcess { child, stdout: BufReader::new(stdout) };
        let mut line = String::new();
        while line.trim_end() != READY {
            line.clear();
            ensure!(process.stdout.read_line(&mut line)? > 0, "the attackers do not start");
        }
        Ok(process)
    }

    /// Ends it; the answers that attackers got.
    pub(super) fn stop(mut self) -> anyhow::Result<Outcomes> {
        drop(self.child.stdin.take());
        let mut outcomes = String::new();
        self.stdout.read_to_string(&mut outcomes)?;
        serde_json::from_str(&outcomes).context("the attackers ended without a report")
    }
}

impl Drop for AttackProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
