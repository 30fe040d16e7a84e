//! An agent that starts a server and talks to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::running::{Outcome, Place};

/// A server on standard input and output, and who talks to it.
pub(crate) struct Talk {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Talk {
    /// Starts a server of the store in a place, with options, and introduces itself.
    pub(crate) fn with(place: &Place, server: &str, options: &[&str]) -> Talk {
        let mut talk = Talk::silent(&mut place.command(&[&["mcp", server], options].concat()));
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let told = talk.request("initialize", params);
        assert_eq!(told["result"]["serverInfo"]["name"], format!("interline-{server}"), "{told}");
        talk.say(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        talk
    }

    /// Starts a server and says nothing.
    pub(crate) fn silent(command: &mut Command) -> Talk {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let input = child.stdin.take().expect("its stdin");
        let output = BufReader::new(child.stdout.take().expect("its stdout"));
        Talk { child, input, output, next_id: 1 }
    }

    pub(crate) fn say(&mut self, message: &[u8]) {
        self.input.write_all(&[message, b"\n"].concat()).expect("it reads");
    }

    /// The next message, which must be one: nothing else may be on its stdout.
    pub(crate) fn hear(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).expect("its stdout"), 0, "it ended");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// Asks for something and does not wait: the id of the request.
    #[expect(clippy::needless_pass_by_value, reason = "tests write it where they need it")]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.say(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string().as_bytes());
        id
    }

    /// The answer to a request; what is told meanwhile without being asked for is not listened to.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        loop {
            let message = self.hear();
            if message.get("method").is_none() {
                assert_eq!(message["id"], id, "{message}");
                return message;
            }
        }
    }

    /// What a tool gives.
    #[expect(clippy::needless_pass_by_value, reason = "tests write it where they need it")]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answer["result"]["structuredContent"].clone()
    }

    /// The most memory that it has had, in MiB.
    pub(crate) fn peak_mib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("its status");
        let peak = status.split('\n').find_map(|line| line.strip_prefix("VmHWM:")).expect("its memory");
        peak.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
    }

    /// Says no more and never reads: waits for its end.
    pub(crate) fn leave_unread(self) -> Option<i32> {
        let Talk { mut child, input, output, .. } = self;
        drop(input);
        let code = child.wait().expect("its end").code();
        drop(output);
        code
    }

    /// Leaves, and waits for its end.
    pub(crate) fn end(mut self) -> Outcome {
        drop(self.input);
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.output.read_to_string(&mut stdout).expect("its stdout");
        self.child.stderr.take().expect("its stderr").read_to_string(&mut stderr).expect("its stderr");
        Outcome { code: self.child.wait().expect("its end").code(), stdout, stderr }
    }
}
