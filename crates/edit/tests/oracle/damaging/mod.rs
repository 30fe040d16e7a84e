//! Generates requests of the classes in which an edit was once applied and came out damaged, class by class.

pub(crate) mod examples;
mod indentation;
mod rows;
mod typography;

use super::contents::join;
use super::rng::Rng;

/// A document, a passage of it as it is remembered, and what that shall become; all as lines.
pub(crate) struct Passage {
    pub(crate) document: Vec<String>,
    pub(crate) old: Vec<String>,
    pub(crate) new: Vec<String>,
}

/// Makes a passage of a class.
type Generator = fn(&mut Rng) -> Passage;

/// The classes, and how each is made.
pub(crate) const CLASSES: [(&str, Generator); 12] = [
    ("quotes", typography::quotes),
    ("quotes of a plain document", typography::quotes_of_a_plain_document),
    ("dashes and dots", typography::dashes_and_dots),
    ("typographic request", typography::typographic_request),
    ("one dedented line", indentation::one_dedented_line),
    ("part of the indentation", indentation::part_of_the_indentation),
    ("first line lacks its indentation", indentation::first_line_lacks_its_indentation),
    ("tab of unknown width", indentation::tab_of_unknown_width),
    ("another unit", indentation::another_unit),
    ("changed rows", rows::changed_rows),
    ("added rows", rows::added_rows),
    ("columns", rows::columns),
];

/// The texts of a passage: content, `old_str` and `new_str`.
pub(crate) fn texts(rng: &mut Rng, class: usize) -> [String; 3] {
    let Passage { document, old, new } = CLASSES[class].1(rng);
    let ends = rng.percent(75);
    let old_ends = rng.percent(60);
    let new_ends = old_ends != rng.percent(12);
    // Mostly all have the same line endings, or the content alone has `\r\n`.
    let content = join(rng, &document, ends);
    let (mut old, mut new) = (old.join("\n"), new.join("\n"));
    if content.contains("\r\n") && rng.percent(40) {
        (old, new) = (old.replace('\n', "\r\n"), new.replace('\n', "\r\n"));
    }
    let ending = if old.contains("\r\n") { "\r\n" } else { "\n" };
    old.push_str(if old_ends { ending } else { "" });
    new.push_str(if new_ends { ending } else { "" });
    [content, old, new]
}

/// Some lines around a passage, so that it is not the whole document.
fn surround(rng: &mut Rng, passage: Vec<String>, around: &[&str]) -> Vec<String> {
    let before = (0..rng.below(3)).map(|_| rng.pick(around).to_owned());
    let mut document: Vec<String> = before.collect();
    document.extend(passage);
    document.extend((0..rng.below(3)).map(|_| rng.pick(around).to_owned()).collect::<Vec<_>>());
    document
}
