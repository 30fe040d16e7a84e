//! The log: a stderr or stdout that cannot be written fails nothing.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::Sandbox;

/// Longer than a server takes to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server whose stdout or stderr may be broken, so that its address is chosen by the test.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(sandbox: &Sandbox, stdout: Stdio, stderr: Stdio) -> Served {
        let address = free_address();
        let mut command = sandbox.command(&["serve", "--listen", &address]);
        Served::spawn(command.stdout(stdout).stderr(stderr), address)
    }

    fn spawn(command: &mut Command, address: String) -> Served {
        let mut served = Served { child: command.spawn().expect("the server starts"), address };
        let start = Instant::now();
        while TcpStream::connect(&served.address).is_err() {
            assert_eq!(served.child.try_wait().expect("its state"), None, "it has ended");
            assert!(start.elapsed() < PATIENCE, "it does not listen");
        }
        // It listens before it has opened its store, and answers after.
        assert_eq!(served.request("GET /health", "", "").0, 200);
        served
    }

    /// The status and the body of the answer to a request.
    fn request(&self, line: &str, token: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let head = format!(
            "{line} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all((head + body).as_bytes()).expect("it is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it is answered");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        (head.split(' ').nth(1).expect("a status").parse().expect("a number"), body.to_owned())
    }

    /// Refusals, which are logged, and a write; then the end.
    #[track_caller]
    fn works_and_ends(mut self, sandbox: &Sandbox, how: &str) -> String {
        let token = sandbox.token();
        for _ in 0..50 {
            let (status, body) = self.request("GET /notes?limit=0", &token, "");
            assert_eq!(status, 422, "{how}: {body}");
        }
        assert_eq!(self.request("GET /notes", "il_wrong", "").0, 401, "{how}");
        assert_eq!(self.request("POST /notes", &token, r#"{"title": "kept"}"#).0, 201, "{how}");
        let metrics = self.request("GET /metrics", &token, "").1;
        let ended = Command::new("sh").arg("-c").arg(format!("kill -TERM {}", self.child.id())).status();
        assert!(ended.expect("sh").success());
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("its state") {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "{how}: it does not end");
        };
        assert_eq!(status.code(), Some(0), "{how}");
        metrics
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_address() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").to_string()
}

fn full() -> Stdio {
    OpenOptions::new().write(true).open("/dev/full").expect("/dev/full").into()
}

/// A pipe whose reader has gone.
fn unread() -> Stdio {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

/// How many lines `/metrics` says were lost.
fn lost(metrics: &str) -> u64 {
    let lines = metrics.split('\n').filter(|line| line.starts_with("interline_log_lines_lost_total"));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

#[test]
fn a_stderr_that_cannot_be_written_fails_no_request() {
    for (stderr, how) in [(full(), "a full disk"), (unread(), "a pipe without a reader")] {
        let sandbox = Sandbox::new();
        let metrics = Served::start(&sandbox, Stdio::null(), stderr).works_and_ends(&sandbox, how);
        // The metrics are there before the writing thread is done.
        assert!(lost(&metrics) > 0, "{how}: {metrics}");
    }
}

#[test]
fn descriptors_that_are_closed_fail_no_request() {
    let sandbox = Sandbox::new();
    let address = free_address();
    let program = sandbox.command(&[]).get_program().to_owned();
    let mut command = Command::new("sh");
    command.arg("-c").arg(r#"exec "$0" serve --listen "$1" >&- 2>&-"#).arg(program).arg(&address);
    command.env_clear().env("USER", "ada").env("INTERLINE_DATA_DIR", sandbox.data_dir()).stdin(Stdio::null());
    Served::spawn(&mut command, address).works_and_ends(&sandbox, "closed descriptors");
}

#[test]
fn a_stdout_that_cannot_be_written_stops_nothing() {
    for (stdout, how) in [(full(), "a full disk"), (unread(), "a pipe without a reader")] {
        let sandbox = Sandbox::new();
        Served::start(&sandbox, stdout, Stdio::null()).works_and_ends(&sandbox, how);
    }
}

#[test]
fn who_shows_no_token_has_no_lines_of_their_own() {
    let sandbox = Sandbox::new();
    let (path, log) = (sandbox.data_dir().join("log"), |path| std::fs::read_to_string(path).expect("the log"));
    std::fs::create_dir_all(sandbox.data_dir()).expect("a directory");
    let served = Served::start(&sandbox, Stdio::null(), File::create(&path).expect("a file").into());
    let long = "x".repeat(5_000);
    for line in ["GET /nothing", "DELETE /health", "BREW /pot"].repeat(10) {
        let status = served.request(&format!("{line}?{long}"), "", "").0;
        assert!([404, 405].contains(&status), "{line}: {status}");
        assert_eq!(served.request(&format!("GET /{long}"), "", "").0, 404);
    }
    // The line of a user comes at the end, and has not all of the path.
    assert_eq!(served.request(&format!("GET /notes/{long}"), &sandbox.token(), "").0 / 100, 4);
    let start = Instant::now();
    while !(log(&path).contains("were refused") && log(&path).contains("route=/notes/{id}")) {
        assert!(start.elapsed() < PATIENCE, "{}", log(&path));
    }
    let lines = log(&path);
    let (summaries, others): (Vec<_>, Vec<_>) =
        lines.split_terminator('\n').partition(|line| line.contains("were refused before they were authenticated"));
    assert!(summaries[0].contains("first_status=404") && summaries[0].contains("first_path=\"/nothing\""), "{lines}");
    assert!(
        others.iter().all(|line| !["/nothing", "BREW", "DELETE"].iter().any(|part| line.contains(part))),
        "{lines}"
    );
    assert!(lines.split_terminator('\n').all(|line| line.len() < 1_000), "{lines}");
}

/// More lines than the pipe and the queue have room for, and a reader that reads none of them.
#[test]
fn a_pipe_that_nobody_reads_holds_nothing_up() {
    let sandbox = Sandbox::new();
    let (reader, writer) = io::pipe().expect("a pipe");
    fill(writer.try_clone().expect("the pipe"));
    let served = Served::start(&sandbox, Stdio::null(), writer.into());
    served.works_and_ends(&sandbox, "a pipe that nobody reads");
    drop(reader);
}

/// Fills a pipe to the last byte, so that the next write waits.
fn fill(pipe: io::PipeWriter) {
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut file = File::from(std::os::fd::OwnedFd::from(pipe));
        while file.write_all(&[b'x'; 512]).is_ok() && done.send(()).is_ok() {}
    });
    // A pipe has room for 64 KiB; the thread is left waiting at the end of it.
    while is_done.recv_timeout(Duration::from_millis(500)).is_ok() {}
}
