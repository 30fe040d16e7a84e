//! Generates replace requests at the edges of the rules, by seed.

use interline_edit::{Insert, InsertPosition, Level, LineEndings, Replace};

use super::contents::{content, indent, join, odd_line, soup, statement, word};
use super::damaging;
use super::lines::{cuts_a_word, is_blank_line, lines, split_indent, texts, trimmed};
use super::misremember;
use super::replace::{ReplaceOutcome, replace, without_carriage_return};
use super::rng::Rng;
use super::whole_lines::changed_line::tokens;

/// Everything that one comparison needs.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) content: String,
    pub(crate) old_str: String,
    pub(crate) new_str: String,
    pub(crate) expected_matches: usize,
    pub(crate) loosest: Level,
    pub(crate) line_endings: LineEndings,
}

impl Case {
    pub(crate) fn request(&self) -> Replace<'_> {
        Replace {
            expected_matches: self.expected_matches,
            loosest: self.loosest,
            line_endings: self.line_endings,
            ..Replace::new(&self.old_str, &self.new_str)
        }
    }

    /// An insertion of the same texts, mostly with `old_str` as the anchor; the number decides where.
    pub(crate) fn insertion(&self, choice: u64) -> Insert<'_> {
        let place = match choice % 10 {
            0..=3 => InsertPosition::After(&self.old_str),
            4..=7 => InsertPosition::Before(&self.old_str),
            8 => InsertPosition::Start,
            _ => InsertPosition::End,
        };
        Insert { loosest: self.loosest, line_endings: self.line_endings, ..Insert::new(place, &self.new_str) }
    }
}

/// The case of a seed.
pub(crate) fn case(seed: u64) -> Case {
    let rng = &mut Rng::new(seed);
    if rng.percent(30) {
        let class = rng.below(damaging::CLASSES.len());
        return request_for(rng, |rng| damaging::texts(rng, class));
    }
    request_for(rng, |rng| {
        let content = content(rng);
        let old_str = old_str(rng, &content);
        let new_str = new_str(rng, &old_str, &content);
        [content, old_str, new_str]
    })
}

/// The case of a seed in the class of that number.
pub(crate) fn case_of_class(seed: u64, class: usize) -> Case {
    request_for(&mut Rng::new(seed), |rng| damaging::texts(rng, class))
}

/// A request with the content, `old_str` and `new_str` that `texts` makes.
fn request_for(rng: &mut Rng, texts: impl Fn(&mut Rng) -> [String; 3]) -> Case {
    let [content, old_str, new_str] = texts(rng);
    let loosest = if rng.percent(75) { Level::SpacingNormalized } else { Level::ALL[rng.below(5)] };
    let line_endings = if rng.percent(50) { LineEndings::Literal } else { LineEndings::Match };
    let expected_matches = 1 + rng.weighted(&[82, 13, 5]);
    let mut case = Case { content, old_str, new_str, expected_matches, loosest, line_endings };
    // Several matches are expected by request as well as by chance.
    if rng.percent(50)
        && let ReplaceOutcome::MultipleMatches { total, .. } = replace(&case.content, &case.request())
    {
        case.expected_matches = total;
    }
    case
}

/// A piece of the content, remembered more or less well; rarely something else.
fn old_str(rng: &mut Rng, content: &str) -> String {
    let target = rng.weighted(&[6, 18, 30, 18, 28]);
    if content.is_empty() || rng.percent(3) {
        return soup(rng, 5);
    }
    match rng.weighted(&[10, 6, 2, 14, 4, 64]) {
        0 => return single_line(rng, content),
        1 => return between_newlines(rng, content),
        2 => return weak_line(rng, content),
        3 => return block_in_another_unit(rng, content),
        4 => return cut_words(rng, content),
        _ => {}
    }
    let fragment = target <= 1 && rng.percent(60);
    let mut piece = if fragment { slice(rng, content) } else { line_range(rng, content) };
    let final_newline = piece.ends_with('\n');
    if target == 0 {
        return piece;
    }
    let as_read = piece.ends_with('\r');
    let mut list = texts(without_carriage_return(&piece));
    if final_newline {
        list.pop();
    }
    if rng.percent(if target == 1 { 80 } else { 25 }) {
        misremember::trailing_blanks(rng, &mut list);
    }
    if target >= 4 {
        misremember::spacing(rng, &mut list);
    }
    if target == 3 || target == 4 && rng.percent(40) {
        misremember::typography(rng, &mut list);
    }
    if target >= 2 && rng.percent(if target == 2 { 85 } else { 40 }) {
        misremember::indentation(rng, &mut list);
    }
    if target >= 2 && rng.percent(30) {
        misremember::blank_edges(rng, &mut list);
    }
    if rng.percent(2) {
        let wrong = rng.below(list.len());
        list[wrong].push('b');
    }
    let toggled = final_newline != (target >= 2 && rng.percent(25));
    piece = join(rng, &list, toggled);
    if as_read && !toggled {
        piece.push('\r');
    }
    piece
}

/// A line without its indentation or with less of it, and with another end.
fn single_line(rng: &mut Rng, content: &str) -> String {
    let list: Vec<String> = texts(content).into_iter().filter(|line| !is_blank_line(line)).collect();
    if list.is_empty() {
        return soup(rng, 5);
    }
    let line = &list[rng.below(list.len())];
    let mut given = vec![trimmed(line).to_owned()];
    match rng.below(10) {
        0..=4 => given[0] = split_indent(&given[0]).1.to_owned(),
        5..=8 => misremember::unit(rng, &mut given, &shortest_indent(content)),
        _ => misremember::indentation(rng, &mut given),
    }
    given[0].push_str(rng.pick(&["", "", " ", "\t"]));
    given.join("") + rng.pick(&["", "\n", "\n", "\r\n", "\n\n"])
}

/// Some lines in another unit of indentation.
fn block_in_another_unit(rng: &mut Rng, content: &str) -> String {
    let list = texts(content);
    let first = rng.below(list.len());
    let mut block = list[first..rng.between(list.len().min(first + 2), list.len().min(first + 5))].to_vec();
    misremember::unit(rng, &mut block, &shortest_indent(content));
    let final_newline = rng.percent(70);
    join(rng, &block, final_newline)
}

/// The shortest indentation that the text has; a tab if it has none.
fn shortest_indent(text: &str) -> String {
    let lines = texts(text).into_iter().filter(|line| !is_blank_line(line));
    let indents = lines.map(|line| split_indent(&line).0.to_owned()).filter(|indent| !indent.is_empty());
    indents.min_by_key(String::len).unwrap_or("\t".to_owned())
}

/// Two lines from the middle of a word, or to it.
fn cut_words(rng: &mut Rng, content: &str) -> String {
    let list = texts(content);
    let first = rng.below(list.len());
    let mut passage = list[first..list.len().min(first + 2)].to_vec();
    misremember::trailing_blanks(rng, &mut passage);
    let cuts = |line: &str| -> Vec<usize> {
        (0..line.len()).filter(|&at| line.is_char_boundary(at) && cuts_a_word(line, at)).collect()
    };
    let last = passage.len() - 1;
    if let Some(&at) = cuts(&passage[0]).first()
        && rng.percent(60)
    {
        passage[0].replace_range(..at, "");
    } else if let Some(&at) = cuts(&passage[last]).last() {
        passage[last].truncate(at);
    }
    passage.join("\n") + rng.pick(&["", "", " ", "\n"])
}

/// Lines with the newline before them, perhaps with the one after them.
fn between_newlines(rng: &mut Rng, content: &str) -> String {
    let passage = line_range(rng, content);
    let mut list = texts(&passage);
    misremember::trailing_blanks(rng, &mut list);
    let before = rng.pick(&["\n", "\n", "\r\n", " \n", "\n\n"]);
    before.to_owned() + &list.join("\n")
}

/// A line without a letter or digit, if there is one, with some indentation.
fn weak_line(rng: &mut Rng, content: &str) -> String {
    let is_weak = |line: &String| !is_blank_line(line) && !line.chars().any(char::is_alphanumeric);
    let mut list: Vec<String> = texts(content).into_iter().filter(is_weak).collect();
    list.push("}".to_owned());
    let mut line = vec![list.swap_remove(rng.below(list.len()))];
    misremember::indentation(rng, &mut line);
    line.join("") + rng.pick(&["", "\n", " \n"])
}

/// From one character boundary to another, not too far.
fn slice(rng: &mut Rng, content: &str) -> String {
    let mut bounds: Vec<usize> = content.char_indices().map(|(at, _)| at).collect();
    bounds.push(content.len());
    let first = rng.below(bounds.len() - 1);
    let last = rng.between(first + 1, (bounds.len() - 1).min(first + 12));
    content[bounds[first]..bounds[last]].to_owned()
}

/// Up to four lines, with or without the last ending, or as they are read: with its `\r` alone.
fn line_range(rng: &mut Rng, content: &str) -> String {
    let list = lines(content);
    let mut first = rng.below(list.len());
    // Rather lines with text than without.
    for _ in 0..2 {
        if list[first].text.trim().is_empty() {
            first = rng.below(list.len());
        }
    }
    let last = (first + rng.weighted(&[4, 4, 2, 1])).min(list.len() - 1);
    let as_read = list[last].end() - usize::from(!list[last].ending.is_empty());
    let end = [list[last].end(), list[last].text_end(), as_read][rng.weighted(&[4, 4, 2])];
    content[list[first].start..end].to_owned()
}

/// What the passage shall become: mostly itself with small changes.
fn new_str(rng: &mut Rng, old_str: &str, content: &str) -> String {
    let several = texts(old_str).iter().filter(|line| !is_blank_line(line)).count() == 1 && rng.percent(35);
    if several {
        return several_lines(rng, old_str, content);
    }
    match rng.weighted(&[8, 3, 6, 3, 80]) {
        0 => return String::new(),
        1 => return old_str.to_owned(),
        2 => return soup(rng, 8),
        3 if !content.is_empty() => return slice(rng, content),
        _ => {}
    }
    let mut final_newline = old_str.ends_with('\n');
    let as_read = old_str.ends_with('\r') && rng.percent(60);
    let mut list = texts(if as_read { without_carriage_return(old_str) } else { old_str });
    if final_newline {
        list.pop();
    }
    for _ in 0..rng.between(1, 3) {
        change(rng, &mut list);
    }
    if rng.percent(18) {
        final_newline = !final_newline;
    }
    let mut text = join(rng, &list, final_newline);
    if as_read && !final_newline {
        text.push('\r');
    }
    text
}

/// Several lines for one, indented relative to it or as the content is.
fn several_lines(rng: &mut Rng, old_str: &str, content: &str) -> String {
    let own = texts(old_str).into_iter().find(|line| !is_blank_line(line)).unwrap_or_default();
    let there = texts(content).into_iter().find(|line| line.contains(own.trim())).unwrap_or_default();
    let base = split_indent(if rng.percent(65) { &own } else { &there }).0.to_owned();
    let unit = if rng.percent(50) { unit_of(rng, content) } else { unit_of(rng, &own) };
    let mut list = vec![own];
    if rng.percent(40) {
        retype(rng, &mut list[0]);
    }
    for _ in 0..rng.between(1, 3) {
        let depth = rng.weighted(&[50, 35, 15]);
        list.push(base.clone() + &unit.repeat(depth) + statement(rng));
    }
    if rng.percent(10) {
        list.swap(0, 1);
    }
    let final_newline = old_str.ends_with('\n') != rng.percent(12);
    join(rng, &list, final_newline)
}

/// A step of indentation: mostly the shortest that the text has, or some other.
fn unit_of(rng: &mut Rng, text: &str) -> String {
    if rng.percent(60) { shortest_indent(text) } else { indent(rng).to_owned() }
}

/// Changes a word, a mark or the blanks of the line, and leaves the others.
fn retype(rng: &mut Rng, line: &mut String) {
    let mut list = tokens(line);
    if list.is_empty() {
        return line.push_str(word(rng));
    }
    let at = rng.below(list.len());
    match rng.below(7) {
        0 => _ = list.remove(at),
        1 => list.insert(at, word(rng).to_owned()),
        2 => list.push(" ".to_owned() + word(rng)),
        3 => list.insert(0, rng.pick(&["x ", "x", "- ", "\"", "..."]).to_owned()),
        4 => list.insert(at, rng.pick(&[" - ", "-", "...", "'", "\"", " ", "\t"]).to_owned()),
        _ => list[at] = if is_blank_line(&list[at]) { misremember::blanks(rng) } else { word(rng) }.to_owned(),
    }
    *line = list.concat();
}

fn change(rng: &mut Rng, list: &mut Vec<String>) {
    if list.is_empty() {
        return list.push(soup(rng, 2).replace(['\n', '\r'], ""));
    }
    let at = rng.below(list.len());
    let indent_there = split_indent(&list[at]).0.to_owned();
    match rng.below(14) {
        0 => _ = list.remove(at),
        1 => list.insert(at, list[at].clone()),
        2 => list.insert(at + 1, indent_there + word(rng)),
        3 => list.insert(at, indent_there + indent(rng) + word(rng)),
        4 => list[at] = indent_there + word(rng) + " " + word(rng),
        5 => list[at].push_str(rng.pick(&["a", " ", "'", " - b", "...", "\u{2026}", "\u{A0}b", " \u{2019}"])),
        6 => misremember::blank_edges(rng, list),
        7 => misremember::typography(rng, &mut list[at..=at]),
        8 => list[at] = odd_line(rng, "  "),
        9 => {
            let other = rng.below(list.len());
            list.swap(at, other);
        }
        10 | 11 => {
            let deeper = unit_of(rng, &list.join("\n"));
            list.insert(at + 1, indent_there + &deeper + statement(rng));
        }
        _ => {
            let (_, body) = split_indent(&list[at]);
            let mut body = body.to_owned();
            retype(rng, &mut body);
            list[at] = indent_there + &body;
        }
    }
}
