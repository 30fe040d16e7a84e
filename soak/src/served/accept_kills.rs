//! Trial `accept-kills`: kills a server while it accepts a proposal: the version is there and the proposal accepted, or neither.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::TrialSetup;
use super::client::Client;
use super::process::{Served, wait};
use crate::random::Random;

const WORDS: [&str; 2] = ["one", "two"];
/// An accept takes some milliseconds: the server is killed within this time.
const LONGEST_LIFE: Duration = Duration::from_millis(12);
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Default)]
struct AcceptKillStats {
    kills: usize,
    answered: usize,
    accepted_unanswered: usize,
    pending: usize,
}

/// The tokens of a person, and of an agent whose writes are kept as proposals.
struct Tokens {
    person: String,
    agent: String,
}

/// The command.
pub(super) fn run(setup: &TrialSetup, kills: Option<usize>) -> anyhow::Result<()> {
    let kills = kills.unwrap_or(setup.size(6, 200));
    let started = Instant::now();
    let data = setup.data_directory()?;
    let mut random = Random::part(setup.seed, 1);
    let mut figures = AcceptKillStats::default();
    let mut served = setup.program.serve_users(&data, &[])?;
    let person = data.owner_token()?;
    let mut client = Client::with_token(served.address, &person, PATIENCE);
    let made = client.send("POST", "/tokens", &json!({"name": "agent", "agent": true, "writes": "propose"}))?;
    let agent = made.body["token"].as_str().context("a token")?.to_owned();
    let tokens = Tokens { person, agent };
    let made = client.send("POST", "/notes", &json!({"title": "Plan", "content": WORDS[0]}))?;
    let note = format!("/notes/{}", made.body["id"].as_str().context("an id")?);
    let mut applied = 0;
    while figures.kills < kills {
        let new = WORDS[(applied + 1) % 2];
        let proposal = propose(&served, &tokens, &note, new)?;
        let life = LONGEST_LIFE * u32::try_from(random.below(1_000)).unwrap_or(0) / 1_000;
        let answered = accept_and_kill(&mut served, &tokens, &proposal, life)?;
        figures.kills += 1;
        setup.runtime.block_on(data.wait_until_idle())?;
        served = setup.program.serve_users(&data, &[])?;
        data.check()?;
        let mut client = Client::with_token(served.address, &tokens.person, PATIENCE);
        let state = client.send("GET", &format!("/proposals/{proposal}"), &Value::Null)?.body["state"].clone();
        let read = client.send("GET", &note, &Value::Null)?;
        let is_applied = read.version() == Some(applied as u64 + 2) && read.body["content"] == new;
        let is_left = read.version() == Some(applied as u64 + 1) && read.body["content"] == WORDS[applied % 2];
        ensure!(is_applied || is_left, "a text or version that nobody made: {read:?}");
        ensure!(is_applied == (state == "accepted"), "half done: the proposal is {state}, the note {read:?}");
        match (answered, is_applied) {
            (true, false) => anyhow::bail!("an accept that was answered is lost: {}", data.log_tail()),
            (true, true) => figures.answered += 1,
            (false, true) => figures.accepted_unanswered += 1,
            (false, false) => figures.pending += 1,
        }
        // What is pending can be accepted, and what is accepted is so once.
        let again = client.send("POST", &format!("/proposals/{proposal}/accept"), &json!({"revision": 1}))?;
        ensure!(again.status == if is_applied { 409 } else { 200 }, "asked again: {again:?}");
        applied += 1;
    }
    println!(
        "accept-kills on {:?}: {} kills; the accept was answered {} times, done without an answer {} times, not done {} times, \
         never half; {:.1} s",
        setup.on,
        figures.kills,
        figures.answered,
        figures.accepted_unanswered,
        figures.pending,
        started.elapsed().as_secs_f64()
    );
    ensure!(kills < 20 || figures.pending > 0, "the server was never killed before the accept was done");
    Ok(())
}

/// Proposes another text of the note; the proposal.
fn propose(served: &Served, tokens: &Tokens, note: &str, new: &str) -> anyhow::Result<String> {
    let mut agent = Client::with_token(served.address, &tokens.agent, PATIENCE);
    let answer = agent.send("PATCH", note, &json!({"content": new}))?;
    ensure!(answer.status == 202, "it is not kept as a proposal: {answer:?}");
    Ok(answer.body["proposal"]["id"].as_str().context("a proposal")?.to_owned())
}

/// Asks for the accept, and kills the server after some time; whether it was answered.
fn accept_and_kill(served: &mut Served, tokens: &Tokens, proposal: &str, life: Duration) -> anyhow::Result<bool> {
    let mut client = Client::with_token(served.address, &tokens.person, PATIENCE);
    let path = format!("/proposals/{proposal}/accept");
    let asking = std::thread::spawn(move || {
        client.send("POST", &path, &json!({"revision": 1})).is_ok_and(|answer| answer.status == 200)
    });
    wait(life);
    served.kill()?;
    asking.join().map_err(|_| anyhow::anyhow!("the client panicked"))
}
