//! What attackers need on the server: large items of their own.

use std::fmt::Write as _;
use std::net::SocketAddr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::client::Client;
use super::accounts::{sent, text};
use crate::random::Random;

/// The largest content, and what a larger file of code has.
const LARGE: usize = 8 * 1024 * 1024;
const LARGE_CODE: usize = 4 * 1024 * 1024;
const CODE_FILES: usize = 4;
/// Notes for lists with contents, and the tag that all of them have.
const LISTED_NOTES: usize = 100;
const LISTED_BYTES: usize = 200_000;
pub(super) const LISTED_TAG: &str = "listed";

/// Within the limits of templates, and close to one of them each: the slowest of twenty that were tried.
const TEMPLATES: &[&str] = &[
    // Bytes that are made.
    "{% for i in range(4) %}{{ range(90000)|map('string')|list|sort|unique|list|length }}{% endfor %}",
    // Instructions.
    "{% for a in range(1000) %}{% for b in range(600) %}{% endfor %}{% endfor %}",
    // Steps.
    "{% set text = 'a' * 1000000 %}{% for i in range(100) %}{{ text.find('b') }}{% endfor %}",
    // Bytes that are written.
    "{% for i in range(15) %}{{ 'x' * 1000000 }}{% endfor %}",
];

/// Where the server is, whose token is used, and what is there.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Material {
    pub(super) server: SocketAddr,
    pub(super) token: String,
    /// A note of 8 MB with a million and more places at which an expression may begin,
    pub(super) repetitive_note: String,
    /// one whose lines are alike,
    pub(super) similar_lines_note: String,
    /// and one with two versions that have little in common.
    pub(super) rewritten_note: String,
    pub(super) prompts: Vec<String>,
    /// An app with large files.
    pub(super) app: String,
}

impl Material {
    /// Makes all of it.
    pub(super) fn make(server: SocketAddr, token: &str, client: &mut Client) -> anyhow::Result<Material> {
        let mut note = |content: String| -> anyhow::Result<String> {
            let body = json!({"title": "material", "content": content});
            text(&sent(client, "POST", "/notes", &body)?.body, "id")
        };
        let repetitive_note = note(repetitive(LARGE))?;
        let similar_lines_note = note(similar_lines(0..LARGE / SIMILAR_LINE_BYTES))?;
        let mut random = Random::part(15, 0);
        let rewritten_note = note(short_lines(&mut random))?;
        let (path, rewritten) = (format!("/notes/{rewritten_note}"), json!({"content": short_lines(&mut random)}));
        sent(client, "PATCH", &path, &rewritten)?;
        for number in 0..LISTED_NOTES {
            let content = similar_lines(0..LISTED_BYTES / SIMILAR_LINE_BYTES);
            let body = json!({"title": format!("listed {number}"), "content": content, "tags": [LISTED_TAG]});
            sent(client, "POST", "/notes", &body)?;
        }
        let mut prompts = Vec::new();
        for (number, template) in TEMPLATES.iter().enumerate() {
            let body = json!({"name": format!("heavy-{number}"), "content": template, "arguments": []});
            prompts.push(text(&sent(client, "POST", "/prompts", &body)?.body, "id")?);
        }
        let app = text(&sent(client, "POST", "/apps", &json!({"name": "large", "slug": "large"}))?.body, "id")?;
        for number in 0..CODE_FILES {
            let file = json!({"entity_type": "app_file", "app_id": app, "path": format!("large{number}.txt"),
                "content": repetitive(LARGE_CODE)});
            sent(client, "POST", "/code/replace", &file)?;
        }
        let token = token.to_owned();
        Ok(Material { server, token, repetitive_note, similar_lines_note, rewritten_note, prompts, app })
    }
}

/// Removes the webhooks that attackers left: nobody listens at their addresses any more.
pub(super) fn remove_webhooks(client: &mut Client) -> anyhow::Result<()> {
    let list = sent(client, "GET", "/webhooks", &Value::Null)?.body;
    for webhook in list["webhooks"].as_array().into_iter().flatten() {
        sent(client, "DELETE", &format!("/webhooks/{}", text(webhook, "id")?), &Value::Null)?;
    }
    Ok(())
}

/// `aaaaaaaaab` again and again.
fn repetitive(bytes: usize) -> String {
    "aaaaaaaaab".repeat(bytes / 10)
}

const SIMILAR_LINE_BYTES: usize = 46;

/// Lines that differ in a number.
pub(super) fn similar_lines(numbers: std::ops::Range<usize>) -> String {
    let mut lines = String::with_capacity(numbers.len() * SIMILAR_LINE_BYTES);
    for number in numbers {
        // Writing to a string does not fail.
        let _ = writeln!(lines, "    let value_{number:08} = compute(one, two);");
    }
    lines
}

/// 8 MB of lines of one letter each.
fn short_lines(random: &mut Random) -> String {
    std::iter::repeat_with(|| ["a\n", "b\n", "c\n", "d\n"][random.below(4)]).take(LARGE / 2).collect()
}
