//! Trial `hostile`: sends malformed, huge, slow and broken requests to a server.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::TrialSetup;
use super::client::connect;
use super::process::Served;

/// How long the next honest request may take, whatever else is going on.
const PROMPT: Duration = Duration::from_secs(2);
/// The most memory that the server may have at any time, in KiB: ten of the longest bodies at once, and itself.
const MOST_MEMORY: u64 = 500_000;
/// And when all is over.
const MEMORY_AFTER: u64 = 250_000;
/// Longer than any body may be.
const LONG: usize = 30 * 1024 * 1024;

/// Does something so many times, or as often as it knows how; how often.
type Trial = fn(&Served, usize) -> anyhow::Result<usize>;

/// The command.
pub(super) fn run(setup: &TrialSetup) -> anyhow::Result<()> {
    let data = setup.data_directory()?;
    let mut served = setup.program.serve(&data)?;
    let before = served.memory("VmRSS:")?;
    let trials: [(&str, Trial, usize); 6] = [
        ("malformed requests", malformed, 1),
        ("hostile bodies", bodies, 1),
        ("huge heads", huge_heads, 20),
        ("bodies that end early", cut_off, 500),
        ("slow heads", slow_heads, setup.size(500, 2_000)),
        ("connections opened and dropped", opened_and_dropped, setup.size(2_000, 10_000)),
    ];
    for (name, trial, count) in trials {
        let started = Instant::now();
        let done = trial(&served, count).with_context(|| format!("{name}; the server's log: {}", data.log_tail()))?;
        ensure!(served.is_alive()?, "{name}: the server ended: {}", data.log_tail());
        let answered = is_answered(&served).with_context(|| name.to_owned())?;
        println!(
            "hostile: {done} {name}, {:.1} s; then answered in {} ms, {} MB",
            started.elapsed().as_secs_f64(),
            answered.as_millis(),
            served.memory("VmRSS:")? / 1_000
        );
    }
    let (after, most) = (served.memory("VmRSS:")?, served.memory("VmHWM:")?);
    println!(
        "hostile: memory {} MB before, {} MB after, {} MB at the most",
        before / 1_000,
        after / 1_000,
        most / 1_000
    );
    ensure!(most <= MOST_MEMORY && after <= MEMORY_AFTER, "too much memory: {most} KiB at the most, {after} KiB after");
    Ok(())
}

/// How long an honest write and read take.
fn is_answered(served: &Served) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let mut client = served.client();
    let made = client.send("POST", "/notes", &json!({"title": "honest"}))?;
    ensure!(made.status == 201, "{made:?}");
    let read = client.send("GET", "/notes?limit=1", &Value::Null)?;
    ensure!(read.status == 200, "{read:?}");
    let took = started.elapsed();
    ensure!(took <= PROMPT, "an honest request took {took:?}");
    Ok(took)
}

/// Sends bytes and reads until the server closes. An answer, if there is one, must not be a failure of the server's.
fn refused(served: &Served, bytes: &[u8]) -> anyhow::Result<()> {
    let mut stream = connect(served.address)?;
    // The server may close before it has read everything: that is an answer too.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => return Err(error).context("no answer and no end"),
    }
    let status = String::from_utf8_lossy(&answer).split(' ').nth(1).map(str::to_owned);
    let said: String = String::from_utf8_lossy(bytes).chars().take(80).collect();
    ensure!(status.is_none_or(|status| status.starts_with('4')), "{said:?} was answered with {answer:?}");
    Ok(())
}

fn head(served: &Served, first: &str, headers: &str) -> Vec<u8> {
    format!("{first}\r\nHost: {}\r\n{headers}\r\n", served.address).into_bytes()
}

fn malformed(served: &Served, _: usize) -> anyhow::Result<usize> {
    let json = "Content-Type: application/json\r\n";
    let requests: Vec<Vec<u8>> = vec![
        b"\0\0\0\0\0\0\0\0\r\n\r\n".to_vec(),
        b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        b"GET /notes HTTP/1.1\r\n\r\n".to_vec(),
        head(served, "GET /notes HTTP/9.9", ""),
        head(served, "GET  /notes  HTTP/1.1", ""),
        head(served, "G\u{e9}T /notes HTTP/1.1", ""),
        head(served, "GET /no\0tes HTTP/1.1", ""),
        head(served, "GET /notes/%ff%fe HTTP/1.1", ""),
        head(served, "GET /notes/../../etc/passwd HTTP/1.1", ""),
        head(served, "GET /notes HTTP/1.1", "no colon\r\n"),
        head(served, "GET /notes HTTP/1.1", "Name : space\r\nX: \0\r\n"),
        head(served, "GET /notes HTTP/1.1", "Host: evil.example.org\r\n"),
        head(served, "POST /notes HTTP/1.1", &format!("{json}Content-Length: -1\r\n")),
        head(served, "POST /notes HTTP/1.1", &format!("{json}Content-Length: 99999999999999999999\r\n")),
        head(served, "POST /notes HTTP/1.1", &format!("{json}Content-Length: 5\r\nContent-Length: 6\r\n")),
        head(served, "POST /notes HTTP/1.1", &format!("{json}Content-Length: 4000000000\r\n")),
        [
            head(served, "POST /notes HTTP/1.1", &format!("{json}Transfer-Encoding: chunked\r\n")),
            b"fffffffffffffffff\r\n".to_vec(),
        ]
        .concat(),
        [
            head(served, "POST /notes HTTP/1.1", &format!("{json}Transfer-Encoding: chunked\r\n")),
            b"zz\r\n{}\r\n0\r\n\r\n".to_vec(),
        ]
        .concat(),
        head(served, "POST /notes HTTP/1.1", &format!("{json}Transfer-Encoding: gzip, nonsense\r\n")),
    ];
    for request in &requests {
        refused(served, request)?;
    }
    Ok(requests.len())
}

fn bodies(served: &Served, _: usize) -> anyhow::Result<usize> {
    let deep = |open: &str| open.repeat(1_000_000).into_bytes();
    let long_string = [br#"{"title": ""#.to_vec(), vec![b'x'; LONG]].concat();
    let all = [
        b"{\"title\": \"\xff\xfe\"}".to_vec(),
        br#"{"title": "\ud800"}"#.to_vec(),
        br#"{"title": "\u0000"}"#.to_vec(),
        br#"{"title": 1e999999999}"#.to_vec(),
        b"{".to_vec(),
        deep("["),
        deep(r#"{"title":"#),
        long_string,
        vec![b' '; LONG],
    ];
    for body in &all {
        let headers = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        refused(served, &[head(served, "POST /notes HTTP/1.1", &headers), body.clone()].concat())?;
    }
    Ok(all.len())
}

fn huge_heads(served: &Served, count: usize) -> anyhow::Result<usize> {
    for size in 1..=count {
        let value = "x".repeat(size * 100_000);
        refused(served, &head(served, "GET /notes HTTP/1.1", &format!("X-Long: {value}\r\n")))?;
        refused(served, &head(served, &format!("GET /notes?q={value} HTTP/1.1"), ""))?;
        refused(served, &head(served, "GET /notes HTTP/1.1", &"A: b\r\n".repeat(size * 1_000)))?;
    }
    Ok(3 * count)
}

/// Bodies whose client goes away in the middle.
fn cut_off(served: &Served, count: usize) -> anyhow::Result<usize> {
    let part = vec![b'x'; 100_000];
    for _ in 0..count {
        let mut stream = connect(served.address)?;
        let headers = "Content-Type: application/json\r\nContent-Length: 10000000\r\n";
        stream.write_all(&head(served, "POST /notes HTTP/1.1", headers))?;
        stream.write_all(&part)?;
    }
    Ok(count)
}

/// Clients that hold their connection and hardly say a word, while others are served.
fn slow_heads(served: &Served, count: usize) -> anyhow::Result<usize> {
    let mut held: Vec<TcpStream> = (0..count).map(|_| connect(served.address)).collect::<Result<_, _>>()?;
    for letter in b"GET /notes HTTP/1.1\r\nHost: " {
        for stream in &mut held {
            stream.write_all(&[*letter])?;
        }
    }
    is_answered(served)?;
    Ok(held.len())
}

fn opened_and_dropped(served: &Served, count: usize) -> anyhow::Result<usize> {
    for _ in 0..count {
        connect(served.address)?;
    }
    Ok(count)
}
