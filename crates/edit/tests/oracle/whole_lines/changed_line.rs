//! The oracle of a changed line at the levels that read typography and spacing: the document's characters stay where
//! they stood, and blanks that mean something are not lost.

use std::collections::BTreeSet;

use interline_edit::Level;

use super::super::characters::{plain, plain_char};
use super::super::line_pairs;
use super::super::lines::{is_blank, is_word};

/// The tokens of a body: words, runs of blanks, three dots or an ellipsis, any other character.
pub(crate) fn tokens(body: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = body;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ if is_blank(first) => rest.find(|c| !is_blank(c)).unwrap_or(rest.len()),
            '.' if rest.starts_with("...") => 3,
            other => other.len_utf8(),
        };
        tokens.push(rest[..length].to_owned());
        rest = &rest[length..];
    }
    tokens
}

fn is_run_of_blanks(token: &str) -> bool {
    token.chars().all(is_blank)
}

/// The token as the level reads it.
fn read(level: Level, token: &str) -> String {
    if is_run_of_blanks(token) && level == Level::SpacingNormalized { " ".to_owned() } else { plain(token) }
}

/// Whether a run of blanks has another blank than a space.
pub(crate) fn has_other_blank(run: &str) -> bool {
    run.chars().any(|c| c != ' ')
}

/// A changed line as it is written.
pub(crate) struct ChangedLine {
    pub(crate) body: String,
    /// The runs of blanks of the document's line that are in it, by their number in that line.
    pub(crate) runs: BTreeSet<usize>,
    /// Whether every run of blanks in it is one of the line that it replaces.
    pub(crate) has_no_other_runs: bool,
}

/// The tokens of a changed line and of the line that it replaces.
struct Tokens {
    old: Vec<String>,
    /// The line of `old` in the document.
    document: Vec<String>,
    new: Vec<String>,
    /// For every token of `new` the one of `old` that it is.
    pairs: Vec<Option<usize>>,
}

/// The body of a changed line that replaces the line `old`, which is `document` in the document.
pub(crate) fn write(level: Level, old: &str, document: &str, new: &str) -> ChangedLine {
    let (old, document, new) = (tokens(old), tokens(document), tokens(new));
    let reading = |list: &[String]| -> Vec<String> { list.iter().map(|token| read(level, token)).collect() };
    let pairs = line_pairs::pair(&reading(&old), &reading(&new));
    // Dots beside an ellipsis may be cut differently: then nothing can be told.
    let can_be_told = reading(&old) == reading(&document);
    let line = Tokens { old, document, new, pairs };
    let kept = if can_be_told { kept_tokens(&line) } else { BTreeSet::new() };
    let mut written = line.new.clone();
    let mut runs = BTreeSet::new();
    for (index, stood) in line.pairs.iter().enumerate() {
        let Some(stood) = *stood else { continue };
        if kept.contains(&index) {
            written[index].clone_from(&line.document[stood]);
        }
        if can_be_told && is_run_of_blanks(&line.document[stood]) && written[index] == line.document[stood] {
            runs.insert(line.document[..stood].iter().filter(|token| is_run_of_blanks(token)).count());
        }
    }
    let has_no_other_runs = (0..line.new.len()).all(|at| !is_run_of_blanks(&line.new[at]) || line.pairs[at].is_some());
    ChangedLine { body: written.concat(), runs, has_no_other_runs }
}

/// The tokens of the new line that are written as the document has them.
fn kept_tokens(line: &Tokens) -> BTreeSet<usize> {
    let mut kept: BTreeSet<usize> = (0..line.new.len()).filter(|&index| is_kept(line, index)).collect();
    for family in ["'", "\""] {
        let (old, new) = (quotes(&line.old, family), quotes(&line.new, family));
        kept.extend(if old.len().is_multiple_of(2) {
            kept_pairs(line, &old, &new)
        } else {
            kept_group(line, &old, &new)
        });
    }
    kept
}

/// Whether a token that is no quote of a pair is written as the document has it.
fn is_kept(line: &Tokens, index: usize) -> bool {
    let Some(stood) = line.pairs[index] else { return false };
    let document = &line.document[stood];
    match plain(document).as_str() {
        _ if is_run_of_blanks(document) && !has_other_blank(document) => stays(line, index),
        _ if is_run_of_blanks(document) => {
            let is_typographic = plain(document) != *document;
            (stays_to(line, index, -1) || stays_to(line, index, 1)) && (!is_typographic || is_alike(line, index))
        }
        "-" | "..." => stays(line, index) && is_alike(line, index),
        "'" => is_apostrophe(&line.old, stood) && stays(line, index),
        _ => false,
    }
}

/// Where the quotes of the family are, apostrophes aside.
fn quotes(tokens: &[String], family: &str) -> Vec<usize> {
    (0..tokens.len()).filter(|&at| plain(&tokens[at]) == family && !is_apostrophe(tokens, at)).collect()
}

/// The quotes of the new line that are pairs of the old line, and stay so.
fn kept_pairs(line: &Tokens, old: &[usize], new: &[usize]) -> Vec<usize> {
    let mut kept = Vec::new();
    if !new.len().is_multiple_of(2) {
        return kept;
    }
    for there in new.chunks(2) {
        let stood = [line.pairs[there[0]], line.pairs[there[1]]];
        let is_pair = old.chunks(2).any(|pair| stood == [Some(pair[0]), Some(pair[1])]);
        if is_pair && there.iter().any(|&at| stays(line, at)) && is_alike(line, there[0]) {
            kept.extend(there);
        }
    }
    kept
}

/// The quotes of the new line if they are the odd number of quotes of the old line.
fn kept_group(line: &Tokens, old: &[usize], new: &[usize]) -> Vec<usize> {
    let stood: Vec<Option<usize>> = new.iter().map(|&at| line.pairs[at]).collect();
    let same = stood == old.iter().map(|&at| Some(at)).collect::<Vec<_>>();
    let all = same && new.iter().all(|&at| stays(line, at)) && is_alike(line, new[0]);
    if all { new.to_vec() } else { Vec::new() }
}

/// Whether the token is a single quote between two words.
fn is_apostrophe(tokens: &[String], at: usize) -> bool {
    let is_word_at = |at: Option<usize>| at.and_then(|at| tokens.get(at)).is_some_and(|token| is_a_word(token));
    plain(&tokens[at]) == "'" && is_word_at(at.checked_sub(1)) && is_word_at(at.checked_add(1))
}

fn is_a_word(token: &str) -> bool {
    token.chars().all(is_word)
}

/// Whether the old and the new line are alike up to this token of the new line: they begin alike, and nothing that gives a
/// line structure comes or goes before it.
fn is_alike(line: &Tokens, index: usize) -> bool {
    let Some(stood) = line.pairs[index] else { return false };
    let begins_alike = line.pairs[0] == Some(0) || is_a_word(&line.old[0]) && line.pairs[0].is_none();
    let comes = (0..index).any(|at| line.pairs[at].is_none() && gives_structure(&line.new, at));
    let goes = (0..stood).any(|at| !line.pairs.contains(&Some(at)) && gives_structure(&line.document, at));
    begins_alike && !comes && !goes
}

fn gives_structure(tokens: &[String], at: usize) -> bool {
    let token = &tokens[at];
    let is_typographic_dash = plain(token) == "-" && token != "-";
    !is_a_word(token)
        && !is_run_of_blanks(token)
        && ![".", ",", "\u{2026}"].contains(&token.as_str())
        && !is_typographic_dash
        && !is_apostrophe(tokens, at)
}

fn stays(line: &Tokens, index: usize) -> bool {
    stays_to(line, index, -1) && stays_to(line, index, 1)
}

/// Whether the next token that is not blanks, or the edge of the body, is the same in both lines.
fn stays_to(line: &Tokens, index: usize, step: isize) -> bool {
    let mut distance = step;
    loop {
        let at = index.checked_add_signed(distance).filter(|&at| at < line.new.len());
        let stood =
            line.pairs[index].and_then(|stood| stood.checked_add_signed(distance)).filter(|&at| at < line.old.len());
        match (at, stood) {
            (None, None) => return true,
            (Some(at), Some(stood)) if line.pairs[at] == Some(stood) => {
                if !is_run_of_blanks(&line.new[at]) {
                    return true;
                }
            }
            _ => return false,
        }
        distance += step;
    }
}

/// Whether blanks of the document's line that `old` had otherwise would be lost: `kept` are those that are written.
pub(crate) fn loses_blanks(level: Level, old: &str, document: &str, kept: &BTreeSet<usize>) -> bool {
    let runs =
        |body: &str| -> Vec<String> { tokens(body).into_iter().filter(|token| is_run_of_blanks(token)).collect() };
    let quoted = quoted_runs(document);
    runs(old).iter().zip(runs(document)).enumerate().any(|(number, (old, there))| {
        let lost = has_other_blank(&there) && !kept.contains(&number);
        let in_quotes = level == Level::SpacingNormalized && quoted.contains(&number);
        *old != there && (lost || in_quotes)
    })
}

/// The numbers of the runs of blanks that stand inside quotes.
fn quoted_runs(body: &str) -> BTreeSet<usize> {
    let mut result = BTreeSet::new();
    let mut open: Option<String> = None;
    let mut before = None;
    let mut skip = false;
    let mut run = 0;
    for c in body.chars() {
        let starts_a_run = is_blank(c) && !before.is_some_and(is_blank);
        if starts_a_run && open.is_some() {
            result.insert(run);
        }
        run += usize::from(starts_a_run);
        let form = plain_char(c);
        match &open {
            Some(_) if skip => skip = false,
            Some(_) if c == '\\' => skip = true,
            Some(quote) if form == *quote => open = None,
            Some(_) => {}
            None if form == "\"" || form == "`" => open = Some(form),
            None if form == "'" && !before.is_some_and(is_word) => open = Some(form),
            None => {}
        }
        before = Some(c);
    }
    result
}
