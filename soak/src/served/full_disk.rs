//! Trial `full-disk`: fills the disk under load, and makes room again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;
use tempfile::TempDir;

use super::TrialSetup;
use super::client_load::{ClientLoad, Progress, Tally};
use super::client_log::{ClientLog, Mix, Notes};
use super::consistency_check::{Rebuild, check_store};
use super::data_directory::DataDirectory;
use super::process::Served;
use crate::random::Random;

const CLIENTS: usize = 4;
const LINES_PER_CLIENT: usize = 8;
const NOTE_BYTES: &[usize] = &[2_000, 2_000, 20_000, 100_000];
/// How often a client is refused before it believes it.
const REFUSALS: usize = 5;
/// The disk without the rooms that are given back.
const DISK_BYTES: usize = 3_000_000;
/// A file that takes room away, and gives it back when it is removed.
const FILLER_BYTES: usize = 1_000_000;
const BACK: Duration = Duration::from_secs(2);

/// A file system of a few megabytes; it is unmounted when this value goes.
struct SmallDisk(TempDir);

/// The command.
pub(super) fn run(setup: &TrialSetup, allow_skip: bool) -> anyhow::Result<()> {
    let rounds = setup.size(2, 10);
    let disk = match SmallDisk::mount(DISK_BYTES + (rounds + 1) * FILLER_BYTES) {
        Ok(disk) => disk,
        Err(why) if allow_skip => {
            println!("full disk: SKIPPED, {why:#}");
            return Ok(());
        }
        Err(why) => bail!("no small disk can be made: {why:#} (--allow-skip leaves this out)"),
    };
    let fillers: Vec<PathBuf> = (0..rounds).map(|round| disk.path().join(format!("filler-{round}"))).collect();
    for filler in &fillers {
        fs::write(filler, vec![0; FILLER_BYTES])?;
    }
    let data = DataDirectory::at(&disk.path().join("data"))?;
    let served = setup.program.serve(&data)?;
    let mut random = Random::part(setup.seed, 8);
    let notes = Notes::make(&mut served.client(), NOTE_BYTES, CLIENTS, LINES_PER_CLIENT, &mut random)?;
    let mut logs: Vec<ClientLog> = (0..CLIENTS).map(|client| ClientLog::new(client, setup.seed)).collect();
    let mut filling =
        Filling { setup, data, served, notes, known: vec![0; NOTE_BYTES.len()], figures: Figures::default() };
    for filler in &fillers {
        filling.round(&mut logs, filler).with_context(|| format!("the server's log: {}", filling.data.log_tail()))?;
    }
    let Figures { acknowledged, refused, longest, rebuilt } = filling.figures;
    println!(
        "full disk: {rounds} times, {acknowledged} changes acknowledged, {refused} refused with 503 unavailable, reads \
         went on, every client was served {} ms after there was room; 0 lost, {rebuilt} versions rebuilt",
        longest.as_millis()
    );
    Ok(())
}

struct Filling<'a> {
    setup: &'a TrialSetup,
    data: DataDirectory,
    served: Served,
    notes: Notes,
    known: Vec<u64>,
    figures: Figures,
}

#[derive(Default)]
struct Figures {
    acknowledged: usize,
    refused: usize,
    longest: Duration,
    rebuilt: usize,
}

impl Filling<'_> {
    /// Edits until the disk is full, then makes room.
    fn round(&mut self, logs: &mut [ClientLog], filler: &Path) -> anyhow::Result<()> {
        let tally = self.edit(logs, usize::MAX, REFUSALS)?;
        tally.only(&["503 unavailable"])?;
        ensure!(tally.cut_off == 0 && self.served.is_alive()?, "the server ended");
        self.figures.acknowledged += tally.acknowledged.len();
        self.figures.refused += tally.refused.values().sum::<usize>();
        self.reads_go_on()?;

        fs::remove_file(filler)?;
        let since = Instant::now();
        let tally = self.edit(logs, 20, 20)?;
        let first = tally.acknowledged.iter().map(|(at, _)| *at).min().context("no write after there was room")?;
        self.figures.longest = self.figures.longest.max(first - since);
        tally.only(&["503 unavailable"])?;
        ensure!(first - since <= BACK, "no write for {:?} after there was room", first - since);

        let (data, notes) = (&self.data, &self.notes);
        let found = self
            .setup
            .runtime
            .block_on(async { check_store(&*data.open().await?, notes, logs, Rebuild::After(&self.known)).await })?;
        self.data.check()?;
        self.figures.rebuilt += found.rebuilt;
        self.known = found.versions;
        Ok(())
    }

    fn edit(&self, logs: &mut [ClientLog], changes: usize, refusals: usize) -> anyhow::Result<Tally> {
        let progress = Progress::default();
        let crowd = ClientLoad { notes: &self.notes, mix: Mix::Everything, changes, refusals, progress: &progress };
        let (tallies, ()) = crowd.all(logs, &[self.served.address], || Ok(()))?;
        Ok(Tally::sum(tallies))
    }

    fn reads_go_on(&self) -> anyhow::Result<()> {
        let mut client = self.served.client();
        for (plan, id) in self.notes.plans.iter().zip(&self.notes.ids) {
            let read = client.send("GET", &format!("/notes/{id}"), &Value::Null)?;
            ensure!(read.status == 200, "a full disk cannot be read: {read:?}");
            plan.read(read.body["content"].as_str().unwrap_or_default()).map_err(anyhow::Error::msg)?;
        }
        let list = client.send("GET", "/notes", &Value::Null)?;
        ensure!(list.status == 200, "a full disk cannot be listed: {list:?}");
        Ok(())
    }
}

impl SmallDisk {
    fn mount(bytes: usize) -> anyhow::Result<SmallDisk> {
        let folder = tempfile::tempdir()?;
        let size = format!("size={bytes}");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path()).output();
        let mounted = mounted.context("mount does not run")?;
        ensure!(mounted.status.success(), "{}", String::from_utf8_lossy(&mounted.stderr).trim());
        Ok(SmallDisk(folder))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // What still has files open there is about to end: lazily.
        let _ = Command::new("umount").arg("--lazy").arg(self.path()).status();
    }
}
