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

/// Whether the token may be the document's where it stood: blanks, quotes, dashes, an ellipsis.
fn has_forms(token: &str) -> bool {
    is_run_of_blanks(token) || matches!(plain(token).as_str(), "'" | "\"" | "-" | "...")
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
}

/// The body of a changed line that replaces the line `old`, which is `document` in the document.
pub(crate) fn write(level: Level, old: &str, document: &str, new: &str) -> ChangedLine {
    let (old, document, mut new) = (tokens(old), tokens(document), tokens(new));
    let reading = |list: &[String]| -> Vec<String> { list.iter().map(|token| read(level, token)).collect() };
    let mut runs = BTreeSet::new();
    // Dots beside an ellipsis may be cut differently: then nothing can be told.
    if reading(&old) == reading(&document) {
        let pairs = line_pairs::pair(&reading(&old), &reading(&new));
        for (index, stood) in pairs.iter().enumerate() {
            let Some(stood) = *stood else { continue };
            if stays(&pairs, &new, old.len(), index, &document[stood]) {
                new[index].clone_from(&document[stood]);
            }
            if is_run_of_blanks(&document[stood]) && new[index] == document[stood] {
                runs.insert(document[..stood].iter().filter(|token| is_run_of_blanks(token)).count());
            }
        }
    }
    ChangedLine { body: new.concat(), runs }
}

/// Whether the token of the new line at `index`, which is paired, is written as `document` has it.
fn stays(pairs: &[Option<usize>], new: &[String], old_count: usize, index: usize, document: &str) -> bool {
    let both = has_neighbour(pairs, new, old_count, index, 1) && has_neighbour(pairs, new, old_count, index, -1);
    let one = is_paired_beside(pairs, index, 1) || is_paired_beside(pairs, index, -1);
    let means_something = is_run_of_blanks(document) && has_other_blank(document);
    has_forms(&new[index]) && both || means_something && one
}

/// Whether the token `distance` further on in the new line is the one as far on in the old line.
fn is_paired_beside(pairs: &[Option<usize>], index: usize, distance: isize) -> bool {
    let stood = pairs[index].and_then(|stood| stood.checked_add_signed(distance));
    let beside = index.checked_add_signed(distance).and_then(|beside| pairs.get(beside).copied().flatten());
    beside.is_some() && beside == stood
}

/// Whether the next token that is not blanks, or the edge of the body, is the same in both lines.
fn has_neighbour(pairs: &[Option<usize>], new: &[String], old_count: usize, index: usize, step: isize) -> bool {
    let mut distance = step;
    loop {
        let at = index.checked_add_signed(distance).filter(|&at| at < new.len());
        let stood = pairs[index].and_then(|stood| stood.checked_add_signed(distance)).filter(|&at| at < old_count);
        match (at, stood) {
            (None, None) => return true,
            (Some(at), Some(stood)) if pairs[at] == Some(stood) => {
                if !is_run_of_blanks(&new[at]) {
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
