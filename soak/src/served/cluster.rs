//! A PostgreSQL server of the trial's own, which it may stop and restart.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use tempfile::TempDir;

/// A cluster; it is stopped when this value goes.
pub(crate) struct Cluster {
    programs: PathBuf,
    folder: TempDir,
    port: u16,
}

/// How a server is told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Transactions are rolled back, everything is written.
    Fast,
    /// At once, as in a crash.
    Immediate,
}

impl Cluster {
    /// Makes one and starts it.
    pub(crate) fn start() -> anyhow::Result<Cluster> {
        let programs = newest_programs()?;
        let folder = tempfile::tempdir()?;
        // Free now; where it is not any more when the server starts, that fails.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let cluster = Cluster { programs, folder, port };
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(cluster.folder.path()))?;
        }
        let data = cluster.data();
        let made = ["--pgdata", &data, "--username", "tester", "--auth", "trust", "--encoding", "UTF8", "--locale=C"];
        run(cluster.command("initdb").args(made))?;
        cluster.up()?;
        Ok(cluster)
    }

    /// Where databases may be made.
    pub(crate) fn url(&self) -> String {
        format!("postgres://tester@127.0.0.1:{}/postgres", self.port)
    }

    /// Stops it and starts it again; since when it is back.
    pub(crate) fn restart(&self, how: Stop, down: Duration) -> anyhow::Result<Instant> {
        let mode = match how {
            Stop::Fast => "fast",
            Stop::Immediate => "immediate",
        };
        run(self.command("pg_ctl").args(["--pgdata", &self.data(), "--wait", "--silent", "--mode", mode, "stop"]))?;
        super::process::wait(down);
        self.up()?;
        Ok(Instant::now())
    }

    fn up(&self) -> anyhow::Result<()> {
        let folder = self.folder.path().display();
        let options = format!("-h 127.0.0.1 -p {} -k {folder} -c max_connections=100", self.port);
        let log = format!("{folder}/log");
        let data = self.data();
        run(self.command("pg_ctl").args(["--pgdata", &data, "--wait", "--silent", "--log", &log]).args([
            "--options",
            &options,
            "start",
        ]))
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    /// A program of PostgreSQL, which refuses to run as root.
    fn command(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir("/");
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The folder goes next, and with it all that could be saved.
        let _ = run(self.command("pg_ctl").args(["--pgdata", &self.data(), "--silent", "--mode", "immediate", "stop"]));
    }
}

/// Runs a command that must succeed. A server that it leaves behind must not hold on to this command's output.
fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let status = status.with_context(|| format!("{command:?} does not run"))?;
    ensure!(status.success(), "{command:?}: {status}");
    Ok(())
}

fn newest_programs() -> anyhow::Result<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").context("no PostgreSQL in /usr/lib/postgresql")?;
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(Result::ok)
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    versions.sort_unstable();
    let newest = versions.pop().context("no PostgreSQL in /usr/lib/postgresql")?.1;
    ensure!(newest.join("pg_ctl").is_file(), "no pg_ctl in {}", newest.display());
    Ok(newest)
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(Path::new("/proc/self")).is_ok_and(|own| own.uid() == 0)
}
