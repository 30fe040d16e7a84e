//! A refused edit for people: the places it could mean, the passages nearest to it, and the change that it offers.

use serde_json::Value;

use super::text;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::screen::printable_lines;

/// How long a command line is that is worth repeating to its user.
const MAX_COMMAND: usize = 2_000;

/// Fields of the API, and the options that they are given by.
const OPTIONS: [(&str, &str); 2] = [("`old_str`", "`--old`"), ("`new_str`", "`--new`")];

/// The error with what its response knows: one passage may be the one that was meant.
pub(super) fn explained(error: CommandError, environment: &Environment) -> CommandError {
    if error.response("content_empty").is_some() {
        return error.hint("`interline edit ITEM` alone opens it in an editor, where its first text can be written");
    }
    let codes = ["no_match", "lost_indentation", "multiple_matches", "conflict"];
    let Some(response) = codes.into_iter().find_map(|code| error.response(code)).cloned() else { return error };
    let mut error = error.reworded(&OPTIONS);
    for near in response["nearest"].as_array().into_iter().flatten() {
        let alike = (near["similarity"].as_f64().unwrap_or(0.0) * 100.0).round();
        error = error.detail(format!("\n{}, {alike} % alike:\n{}", lines_of(near), indented(text(near, "diff"))));
    }
    for place in response["matches"].as_array().into_iter().flatten() {
        error = error.detail(format!("\nline {}:\n{}", place["line"], indented(text(place, "context"))));
    }
    if let Some(diff) = response["diff"].as_str().filter(|diff| !diff.is_empty()) {
        error = error.detail(format!("\nwhat changed meanwhile:\n{}", indented(diff)));
    }
    let merged = &response["merged"];
    match merged["id"].as_str() {
        Some(id) => {
            let offer =
                format!("\nprobably this is meant, in {}:\n{}", lines_of(merged), indented(text(merged, "diff")));
            error.detail(offer).hint(format!("if it is, run\n  {}", command_with_offer(environment.arguments(), id)))
        }
        None => error,
    }
}

fn lines_of(passage: &Value) -> String {
    match (&passage["line"], &passage["end_line"]) {
        (first, last) if first == last || last.is_null() => format!("line {first}"),
        (first, last) => format!("lines {first}-{last}"),
    }
}

fn indented(text: &str) -> String {
    let text = printable_lines(text);
    text.trim_end_matches('\n')
        .split('\n')
        .map(|line| format!("    {line}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The command that was typed, with the offer that it accepts.
fn command_with_offer(arguments: &[String], id: &str) -> String {
    let quoted: Vec<String> = arguments.iter().map(|argument| shell_quoted(argument)).collect();
    let command = format!("interline {} --merged {id}", quoted.join(" "));
    if command.len() <= MAX_COMMAND { command } else { format!("the same command with --merged {id}") }
}

/// An argument as a shell takes it.
fn shell_quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@=,+%".contains(c);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_an_offer_can_be_pasted() {
        let typed = ["edit", "@last", "--old", "it's\na $HOME", "--new", ""].map(str::to_owned);
        let expected = "interline edit @last --old 'it'\\''s\na $HOME' --new '' --merged abc";
        assert_eq!(command_with_offer(&typed, "abc"), expected);
        let long = ["edit".to_owned(), "x".repeat(5_000)];
        assert_eq!(command_with_offer(&long, "abc"), "the same command with --merged abc");
    }
}
