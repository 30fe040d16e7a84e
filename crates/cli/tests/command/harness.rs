//! Running the command: a place for a store, what came of a command, a server that runs.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder in which a store is made, and nothing of the machine's own settings.
pub(crate) struct Place {
    folder: TempDir,
}

/// What came of a command.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A server that runs. It is killed if a test ends before it was stopped.
pub(crate) struct Served {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
    pub(crate) greeting: String,
}

/// An answer over HTTP.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place { folder: tempfile::tempdir().expect("a folder") }
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn token_file(&self) -> PathBuf {
        self.data_dir().join("token")
    }

    /// The owner's token, which is kept here.
    pub(crate) fn token(&self) -> String {
        std::fs::read_to_string(self.token_file()).expect("the owner's token").trim().to_owned()
    }

    /// Writes a file beside the store.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// The command with its arguments, ready to be run on the store of this place.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_interline"));
        command.args(arguments).env_clear().stdin(Stdio::null());
        command.env("USER", "ada").env("HOME", self.folder.path()).env("INTERLINE_DATA_DIR", self.data_dir());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        finish(&mut self.command(arguments))
    }

    /// Runs a command that must succeed, and reads the JSON that it prints.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let outcome = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        serde_json::from_str(&outcome.stdout).expect("JSON")
    }

    pub(crate) fn serve(&self, options: &[&str]) -> Served {
        Served::start(&mut self.command(&[&["serve", "--listen", "127.0.0.1:0"], options].concat()))
    }
}

pub(crate) fn finish(command: &mut Command) -> Outcome {
    command.output().expect("the command runs").into()
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Outcome {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Outcome { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Outcome {
    /// Refused with that code, and with these words in what it says.
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, says: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.stdout, "", "a refusal is on stderr alone");
        assert!(self.stderr.starts_with("error: "), "{self:?}");
        for part in says {
            assert!(self.stderr.contains(part), "{part:?} in {self:?}");
        }
    }
}

impl Served {
    /// Starts a server, and waits until it has said where it is.
    pub(crate) fn start(command: &mut Command) -> Served {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the server starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("its stdout"));
        let mut greeting = String::new();
        // The example is the last thing that it says.
        while !greeting.contains("    curl ") || !greeting.ends_with("\n\n") {
            if stdout.read_line(&mut greeting).expect("its stdout") == 0 {
                panic!("it ended: {:?}", Outcome::from(child.wait_with_output().expect("its end")));
            }
        }
        let address = greeting.split_whitespace().find_map(|word| word.strip_prefix("http://"));
        let address = address.expect("its address").parse().expect("an address");
        Served { child, stdout, address, greeting }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).expect("it listens")
    }

    pub(crate) fn get(&self, path: &str, token: Option<&str>) -> Answer {
        let bearer = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        self.send(&format!("GET {path} HTTP/1.1\r\n{bearer}"), "")
    }

    pub(crate) fn post(&self, path: &str, token: &str, body: &str) -> Answer {
        let about = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        self.send(&format!("POST {path} HTTP/1.1\r\nAuthorization: Bearer {token}\r\n{about}"), body)
    }

    fn send(&self, head: &str, body: &str) -> Answer {
        let mut stream = self.connect();
        let request = format!("{head}Host: {}\r\nConnection: close\r\n\r\n{body}", self.address);
        stream.write_all(request.as_bytes()).expect("the request is sent");
        Answer::read(&mut stream)
    }

    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("sh").arg("-c").arg(format!("kill -{name} {}", self.child.id())).status();
        assert!(sent.expect("sh").success());
    }

    /// Waits for its end; its greeting is not in what it says.
    pub(crate) fn finish(mut self) -> Outcome {
        let mut stdout = String::new();
        self.stdout.read_to_string(&mut stdout).expect("its stdout");
        let mut stderr = String::new();
        self.child.stderr.take().expect("its stderr").read_to_string(&mut stderr).expect("its stderr");
        Outcome { code: self.child.wait().expect("its end").code(), stdout, stderr }
    }

    /// Ends it as a service manager would.
    #[track_caller]
    pub(crate) fn stop(self) -> Outcome {
        self.signal("TERM");
        let outcome = self.finish();
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        outcome
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    /// Reads what is left of a connection that the server closes.
    pub(crate) fn read(stream: &mut TcpStream) -> Answer {
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).expect("a status").parse().expect("a number");
        Answer { status, body: body.to_owned() }
    }
}
