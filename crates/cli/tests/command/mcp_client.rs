//! An MCP client that starts `interline mcp` and exchanges messages with it on standard input and output.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::harness::{CommandOutput, Sandbox};

/// An MCP client and the server process that it started.
pub(crate) struct McpClient {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl McpClient {
    /// Starts a server on the store of a sandbox, with options, and initializes the session.
    pub(crate) fn connect(sandbox: &Sandbox, server: &str, options: &[&str]) -> McpClient {
        let mut client = McpClient::spawn(&mut sandbox.command(&[&["mcp", server], options].concat()));
        let client_info = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client_info});
        let response = client.request("initialize", params);
        assert_eq!(response["result"]["serverInfo"]["name"], format!("interline-{server}"), "{response}");
        client.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        client
    }

    /// Starts a server and sends nothing.
    pub(crate) fn spawn(command: &mut Command) -> McpClient {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let input = child.stdin.take().expect("its stdin");
        let output = BufReader::new(child.stdout.take().expect("its stdout"));
        McpClient { child, input, output, next_id: 1 }
    }

    pub(crate) fn send(&mut self, message: &[u8]) {
        self.input.write_all(&[message, b"\n"].concat()).expect("it reads");
    }

    /// The next line of the server's stdout, which must be a message: nothing else may be there.
    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).expect("its stdout"), 0, "it ended");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// Sends a request and does not wait for its response; returns the id of the request.
    #[expect(clippy::needless_pass_by_value, reason = "tests write it where they need it")]
    pub(crate) fn send_request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string().as_bytes());
        id
    }

    /// The response to a request; notifications that arrive meanwhile are skipped.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        loop {
            let message = self.receive();
            if message.get("method").is_none() {
                assert_eq!(message["id"], id, "{message}");
                return message;
            }
        }
    }

    /// The structured result of a tool.
    #[expect(clippy::needless_pass_by_value, reason = "tests write it where they need it")]
    pub(crate) fn call_tool(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answer["result"]["structuredContent"].clone()
    }

    /// The peak of the server's resident memory, in MiB.
    pub(crate) fn peak_mib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("its status");
        let peak = status.split('\n').find_map(|line| line.strip_prefix("VmHWM:")).expect("its memory");
        peak.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
    }

    /// Closes the server's stdin, never reads its stdout, and waits until the server ends.
    pub(crate) fn close_without_reading(self) -> Option<i32> {
        let McpClient { mut child, input, output, .. } = self;
        drop(input);
        let code = child.wait().expect("its end").code();
        drop(output);
        code
    }

    /// Closes the server's stdin, and waits until the server ends.
    pub(crate) fn close(mut self) -> CommandOutput {
        drop(self.input);
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.output.read_to_string(&mut stdout).expect("its stdout");
        self.child.stderr.take().expect("its stderr").read_to_string(&mut stderr).expect("its stderr");
        CommandOutput { code: self.child.wait().expect("its end").code(), stdout, stderr }
    }
}
