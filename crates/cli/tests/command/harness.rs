//! The test harness: a sandbox with a store in a temporary folder, the output of a command, a running server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder with a store in it. Commands that run in it see nothing of the machine's own settings.
pub(crate) struct Sandbox {
    folder: TempDir,
}

/// The exit code and the output of a command.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A server that runs. It is killed if a test ends before it was stopped.
pub(crate) struct RunningServer {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
    pub(crate) greeting: String,
}

/// A response over HTTP.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    /// The status line and the headers.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        Sandbox { folder: tempfile::tempdir().expect("a folder") }
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn token_file(&self) -> PathBuf {
        self.data_dir().join("token")
    }

    /// The owner's token, from its file.
    pub(crate) fn token(&self) -> String {
        std::fs::read_to_string(self.token_file()).expect("the owner's token").trim().to_owned()
    }

    /// Writes a file beside the store.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it is in the sandbox")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// The command with its arguments, ready to be run on the store of this sandbox.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_interline"));
        command.args(arguments).env_clear().stdin(Stdio::null());
        command.env("USER", "ada").env("HOME", self.folder.path()).env("INTERLINE_DATA_DIR", self.data_dir());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        run(&mut self.command(arguments))
    }

    /// Runs a command that must succeed, and reads the JSON that it prints.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(output.code, Some(0), "{output:?}");
        serde_json::from_str(&output.stdout).expect("JSON")
    }

    pub(crate) fn serve(&self, options: &[&str]) -> RunningServer {
        RunningServer::start(&mut self.command(&[&["serve", "--listen", "127.0.0.1:0"], options].concat()))
    }
}

pub(crate) fn run(command: &mut Command) -> CommandOutput {
    command.output().expect("the command runs").into()
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> CommandOutput {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        CommandOutput { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl CommandOutput {
    /// Asserts that the command was refused with that exit code, and with these words on stderr.
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

impl RunningServer {
    /// Starts a server, and waits until it has printed its greeting with its address.
    pub(crate) fn start(command: &mut Command) -> RunningServer {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the server starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("its stdout"));
        let mut greeting = String::new();
        // The example is the end of the greeting.
        while !greeting.contains("    curl ") || !greeting.ends_with("\n\n") {
            if stdout.read_line(&mut greeting).expect("its stdout") == 0 {
                panic!("it ended: {:?}", CommandOutput::from(child.wait_with_output().expect("its end")));
            }
        }
        let address = greeting.split_whitespace().find_map(|word| word.strip_prefix("http://"));
        let address = address.expect("its address").parse().expect("an address");
        RunningServer { child, stdout, address, greeting }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).expect("it listens")
    }

    pub(crate) fn get(&self, path: &str, token: Option<&str>) -> HttpResponse {
        let bearer = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        self.send(&format!("GET {path} HTTP/1.1\r\n{bearer}"), "")
    }

    pub(crate) fn post(&self, path: &str, token: &str, body: &str) -> HttpResponse {
        let about = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        self.send(&format!("POST {path} HTTP/1.1\r\nAuthorization: Bearer {token}\r\n{about}"), body)
    }

    /// Sends a request, given by its line and headers, each with its line break.
    pub(crate) fn send(&self, head: &str, body: &str) -> HttpResponse {
        let mut stream = self.connect();
        let request = format!("{head}Host: {}\r\nConnection: close\r\n\r\n{body}", self.address);
        stream.write_all(request.as_bytes()).expect("the request is sent");
        HttpResponse::read(&mut stream)
    }

    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("sh").arg("-c").arg(format!("kill -{name} {}", self.child.id())).status();
        assert!(sent.expect("sh").success());
    }

    /// Waits until the server ends; its greeting is not in the output.
    pub(crate) fn finish(mut self) -> CommandOutput {
        let mut stdout = String::new();
        self.stdout.read_to_string(&mut stdout).expect("its stdout");
        let mut stderr = String::new();
        self.child.stderr.take().expect("its stderr").read_to_string(&mut stderr).expect("its stderr");
        CommandOutput { code: self.child.wait().expect("its end").code(), stdout, stderr }
    }

    /// Stops the server as a service manager would.
    #[track_caller]
    pub(crate) fn stop(self) -> CommandOutput {
        self.signal("TERM");
        let output = self.finish();
        assert_eq!(output.code, Some(0), "{output:?}");
        output
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl HttpResponse {
    /// Reads the response from a connection that the server closes.
    pub(crate) fn read(stream: &mut TcpStream) -> HttpResponse {
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).expect("a status").parse().expect("a number");
        HttpResponse { status, head: head.to_owned(), body: body.to_owned() }
    }
}
