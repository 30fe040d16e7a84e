//! Server processes of the program.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};

use super::client::Client;
use super::data_directory::DataDirectory;

/// The arguments of a server whose every request, and so every listener of a trial, is the owner's,
const OWNER_ONLY: &[&str] = &["--auth", "none", "--log", "warn", "--listeners-per-user", "4096"];
/// and of one that many users share.
const USERS: &[&str] = &["--auth", "token", "--log", "info"];

/// A program that can serve.
#[derive(Clone, Debug)]
pub(crate) struct Program(PathBuf);

/// A process that serves; it is killed when this value goes.
pub(crate) struct Served {
    child: Child,
    /// Kept open: a server that cannot print would be another test.
    stdout: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

impl Program {
    /// That at a path, or the one beside this command: one build makes both.
    pub(crate) fn find(given: Option<PathBuf>) -> anyhow::Result<Program> {
        let path = match given {
            Some(path) => path,
            None => std::env::current_exe()?.with_file_name("interline"),
        };
        ensure!(path.is_file(), "no program at {}: `cargo build -p interline` makes it", path.display());
        Ok(Program(path))
    }

    /// Starts a server and waits until it has said where it is.
    pub(crate) fn serve(&self, data: &DataDirectory) -> anyhow::Result<Served> {
        self.serve_with(data, &[])
    }

    /// The same with further arguments.
    pub(crate) fn serve_with(&self, data: &DataDirectory, arguments: &[&str]) -> anyhow::Result<Served> {
        self.serve_for(data, OWNER_ONLY, arguments)
    }

    /// A server for users with tokens, which logs what servers usually log.
    pub(crate) fn serve_users(&self, data: &DataDirectory, arguments: &[&str]) -> anyhow::Result<Served> {
        self.serve_for(data, USERS, arguments)
    }

    fn serve_for(&self, data: &DataDirectory, clients: &[&str], arguments: &[&str]) -> anyhow::Result<Served> {
        let mut child = self.spawn_for(data, clients, arguments)?;
        let stdout = child.stdout.take().context("its stdout")?;
        let mut served = Served { child, stdout: BufReader::new(stdout), address: SocketAddr::from(([0, 0, 0, 0], 0)) };
        let mut line = String::new();
        while served.stdout.read_line(&mut line)? > 0 {
            if let Some(address) = line.split_whitespace().find_map(|word| word.strip_prefix("http://")) {
                served.address = address.parse()?;
                return Ok(served);
            }
            line.clear();
        }
        bail!("the server does not start: {}", data.log_tail())
    }

    /// Starts one and does not wait.
    pub(crate) fn spawn(&self, data: &DataDirectory) -> anyhow::Result<Child> {
        self.spawn_for(data, OWNER_ONLY, &[])
    }

    fn spawn_for(&self, data: &DataDirectory, clients: &[&str], arguments: &[&str]) -> anyhow::Result<Child> {
        let log = File::options().create(true).append(true).open(data.log_file())?;
        let mut command = Command::new(&self.0);
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(clients).args(arguments);
        command.env_clear().env("USER", "soak").env("HOME", data.folder()).envs(data.variables());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        command.spawn().with_context(|| format!("{} does not start", self.0.display()))
    }
}

impl Served {
    pub(crate) fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    pub(crate) fn is_alive(&mut self) -> anyhow::Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }

    /// A line of what the kernel knows about the process, in KiB: `VmRSS`, or `VmHWM` for the most there ever was.
    pub(crate) fn memory(&self, line: &str) -> anyhow::Result<u64> {
        self.kilobytes("status", line)
    }

    /// The memory that is the process's own, in KiB: not that of files.
    pub(crate) fn anonymous_memory(&self) -> anyhow::Result<u64> {
        self.kilobytes("smaps_rollup", "Anonymous:")
    }

    fn kilobytes(&self, file: &str, line: &str) -> anyhow::Result<u64> {
        let told = fs::read_to_string(Path::new("/proc").join(self.child.id().to_string()).join(file))?;
        let value = told.split('\n').find_map(|text| text.strip_prefix(line)).context("no such line")?;
        let number = value.split_whitespace().find_map(|word| word.parse().ok());
        number.context("no number")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lets time pass: what is awaited is a moment, not an event.
pub(crate) fn wait(time: Duration) {
    let until = Instant::now() + time;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::park_timeout(left);
    }
}
