//! Group `mcp`: the MCP server on standard input and output, its latency and the bytes of an edit.

use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::process::{binary, starts};
use crate::measure::middle;
use crate::store::BenchFolder;
use crate::table::{JUDGED, JudgedRow, Table, millis, times};

const CALLS: u64 = 500;
/// What one edit of a long note may take, sent and received.
const MAX_EDIT_BYTES: usize = 2_048;

pub(super) fn run(rows: &str) -> Result<(), Box<dyn Error>> {
    let (bench_folder, binary) = (BenchFolder::in_user_cache()?, binary()?);
    let folder = bench_folder.temporary()?;
    let mut table = Table::new(rows, "## MCP over stdio", JUDGED);
    let name = "start of `interline mcp content` to the first answer, p50";
    starts(&mut table, name, Duration::from_millis(60), || {
        let begin = Instant::now();
        Agent::start(&binary, folder.path())?;
        Ok(begin.elapsed())
    })?;
    let mut agent = Agent::start(&binary, folder.path())?;
    let small = agent.note(&"a line of some thirty characters\n".repeat(62))?;
    calls(&mut table, "get_item of a note of 2 KB, p50", |_| agent.call("get_item", &json!({"id": small})))?;
    let small = agent.note(&format!("number 0\n{}", "a line of some thirty characters\n".repeat(62)))?;
    calls(&mut table, "edit_content of a note of 2 KB, p50", |number| {
        let (old_str, new_str) = (format!("number {number}\n"), format!("number {}\n", number + 1));
        agent.call("edit_content", &json!({"id": small, "old_str": old_str, "new_str": new_str}))
    })?;
    edit_of_a_long_note(&mut table, &mut agent)
}

fn calls(
    table: &mut Table<'_>,
    name: &str,
    mut call: impl FnMut(u64) -> Result<Value, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    if !table.wants(name) {
        return Ok(());
    }
    let bar = Duration::from_millis(2);
    let mut seconds = Vec::new();
    for number in 0..CALLS {
        let begin = Instant::now();
        call(number)?;
        seconds.push(begin.elapsed().as_secs_f64());
    }
    let median = Duration::from_secs_f64(middle(seconds));
    let (figure, bar, passes) = (millis(median), format!("≤ {}", millis(bar)), median <= bar);
    Ok(table.judged(name, JudgedRow { figure, beside: String::new(), ratio: String::new(), bar, passes })?)
}

/// The bytes of one edit beside those of reading the note and writing it back.
fn edit_of_a_long_note(table: &mut Table<'_>, agent: &mut Agent) -> Result<(), Box<dyn Error>> {
    let name = "bytes of an edit of a note of 200 KB / reading and rewriting it";
    if !table.wants(name) {
        return Ok(());
    }
    let line = |number| format!("line {number} has a text of about fifty characters\n");
    let content: String = (0..4_500).map(line).collect();
    let id = agent.note(&content)?;
    let before = agent.bytes;
    agent.call("edit_content", &json!({"id": id, "old_str": line(2_718), "new_str": "another line\n"}))?;
    let edit = agent.bytes - before;
    let before = agent.bytes;
    let mut start = Some(1);
    while let Some(line) = start {
        let read = agent.call("get_item", &json!({"id": id, "start_line": line}))?;
        let end = read["content_metadata"]["end_line"].as_u64().ok_or("no end of the lines")?;
        start = read["truncated"].as_bool().map(|_| end + 1);
    }
    agent.call("rewrite_content", &json!({"id": id, "content": content, "expected_version": 2}))?;
    let whole = agent.bytes - before;
    let row = JudgedRow {
        figure: format!("{edit} B"),
        beside: format!("{whole} B"),
        ratio: times(edit as f64 / whole as f64),
        bar: format!("≤ {MAX_EDIT_BYTES} B"),
        passes: edit <= MAX_EDIT_BYTES,
    };
    Ok(table.judged(name, row)?)
}

/// A server that was started, and who talks to it. Dropping it ends it.
struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
    /// Sent and received.
    bytes: usize,
}

impl Agent {
    /// Starts it, and waits for its first answer.
    fn start(binary: &Path, data: &Path) -> Result<Agent, Box<dyn Error>> {
        let mut child = Command::new(binary)
            .args(["mcp", "content", "--log", "warn", "--data-dir"])
            .arg(data)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().ok_or("it has no output")?);
        let mut agent = Agent { child, input, output, next_id: 0, bytes: 0 };
        let client = json!({"name": "bench", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        agent.request("initialize", &params)?;
        agent.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(agent)
    }

    fn say(&mut self, message: &Value) -> Result<(), Box<dyn Error>> {
        let line = format!("{message}\n");
        self.bytes += line.len();
        Ok(self.input.as_mut().ok_or("it has no input")?.write_all(line.as_bytes())?)
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, Box<dyn Error>> {
        self.next_id += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}))?;
        let mut line = String::new();
        self.bytes += self.output.read_line(&mut line)?;
        let mut answer: Value = serde_json::from_str(&line)?;
        if answer["id"] != self.next_id {
            return Err(format!("{method}: {line}").into());
        }
        Ok(answer["result"].take())
    }

    /// What a tool gives, which must not be a refusal.
    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Box<dyn Error>> {
        let mut result = self.request("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        match result["isError"].as_bool() {
            Some(false) => Ok(result["structuredContent"].take()),
            _ => Err(format!("{tool}: {result}").into()),
        }
    }

    fn note(&mut self, content: &str) -> Result<String, Box<dyn Error>> {
        let note = self.call("create_note", &json!({"title": "A note", "content": content}))?;
        Ok(note["id"].as_str().ok_or("no id")?.to_owned())
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // Without input it ends by itself, and leaves its store tidy.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
