//! Passages of which some lines lack their indentation, or a part of it.

use super::super::contents::statement;
use super::super::misremember;
use super::super::rng::Rng;
use super::Passage;

const UNITS: [&str; 5] = ["    ", "    ", "  ", "\t", "\t"];
const OPENERS: [&str; 6] = ["if a {", "def f():", "class A {", "go(a, [", "for b:", "fn f() {"];
const CLOSERS: [&str; 5] = ["}", "}", ")", "});", "]"];
const TOP_LEVEL: [&str; 10] = [
    "def g():",
    "fn g() {",
    "class B {",
    "import b",
    "x = 1",
    "// end",
    "@a",
    "if __name__ == 'a':",
    "export b",
    "end",
];

/// Nested blocks in one unit: openers down to a depth, statements, closers.
struct Blocks {
    unit: &'static str,
    lines: Vec<String>,
    /// The statements' depth, and where they are.
    depth: usize,
    first: usize,
    count: usize,
}

fn blocks(rng: &mut Rng) -> Blocks {
    let unit = rng.pick(&UNITS);
    let depth = rng.weighted(&[0, 50, 40, 10]);
    let mut lines: Vec<String> = Vec::new();
    if rng.percent(50) {
        lines.push(rng.pick(&TOP_LEVEL).to_owned());
    }
    for outer in 0..depth {
        lines.push(unit.repeat(outer) + rng.pick(&OPENERS));
    }
    let (first, count) = (lines.len(), rng.between(1, 4));
    for _ in 0..count {
        let deeper = usize::from(rng.percent(15));
        lines.push(unit.repeat(depth + deeper) + statement(rng));
    }
    for outer in (0..depth).rev() {
        if rng.percent(70) {
            lines.push(unit.repeat(outer) + rng.pick(&CLOSERS));
        }
    }
    if rng.percent(40) {
        lines.push(rng.pick(&TOP_LEVEL).to_owned());
    }
    Blocks { unit, lines, depth, first, count }
}

/// A line, perhaps as another statement with the same indentation.
fn changed(rng: &mut Rng, line: &str) -> String {
    let indent = super::super::lines::split_indent(line).0;
    if rng.percent(40) { indent.to_owned() + statement(rng) } else { line.to_owned() }
}

/// Lines that close blocks which the passage does not open, and lines after them: relative to the passage, or as the
/// document has them.
fn closers_and_more(rng: &mut Rng, unit: &str, depth: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let absolute = rng.percent(60);
    for outer in (0..rng.between(1, depth)).rev() {
        let indent = if absolute { outer } else { 0 };
        lines.push(unit.repeat(indent) + rng.pick(&CLOSERS));
    }
    for _ in 0..rng.below(3) {
        match rng.below(4) {
            0 => lines.push(String::new()),
            1 => lines.extend([rng.pick(&TOP_LEVEL).to_owned(), unit.to_owned() + statement(rng)]),
            _ => lines.push(rng.pick(&TOP_LEVEL).to_owned()),
        }
    }
    lines
}

/// One line without its indentation, and new lines that close its block, or follow it, or are at the top level.
pub(crate) fn one_dedented_line(rng: &mut Rng) -> Passage {
    let mut blocks = blocks(rng);
    let at = blocks.first + rng.below(blocks.count);
    let old = blocks.lines[at].trim_start().to_owned();
    let mut new = vec![changed(rng, &old)];
    let base = if rng.percent(30) { blocks.unit.repeat(blocks.depth) } else { String::new() };
    for _ in 0..rng.below(3) {
        let deeper = blocks.unit.repeat(rng.weighted(&[60, 30, 10]));
        new.push(base.clone() + &deeper + statement(rng));
    }
    if rng.percent(40) {
        new.extend(closers_and_more(rng, blocks.unit, blocks.depth));
    } else if rng.percent(50) {
        new.extend([String::new(), rng.pick(&TOP_LEVEL).to_owned()]);
    }
    // Mostly other blanks at the end, for else it is there as it stands.
    let mut old = vec![old];
    match rng.below(4) {
        0 => {}
        1 => old[0].push_str(misremember::blanks(rng)),
        2 => old.insert(0, String::new()),
        _ => blocks.lines[at].push_str(misremember::blanks(rng)),
    }
    Passage { document: blocks.lines, old, new }
}

/// The line without the first `count` blanks of its indentation, as many as it has.
fn without_blanks(line: &str, count: usize) -> String {
    let blanks = line.chars().take_while(|&c| c == ' ' || c == '\t').count();
    line.chars().skip(count.min(blanks)).collect()
}

/// Lines that all lack the same part of their indentation, or not quite.
pub(crate) fn part_of_the_indentation(rng: &mut Rng) -> Passage {
    let mut blocks = blocks(rng);
    let first = blocks.first + rng.below(blocks.count);
    let last = rng.between(first, (first + 2).min(blocks.lines.len() - 1));
    let there = blocks.lines[first..=last].to_vec();
    let lacking = rng.between(1, blocks.unit.len() * blocks.depth);
    let old: Vec<String> = there.iter().map(|line| without_blanks(line, lacking)).collect();
    let mut new = old.clone();
    let at = rng.below(new.len());
    new[at] = changed(rng, &new[at]);
    for _ in 0..rng.weighted(&[25, 45, 30]) {
        let whole = rng.percent(45);
        let lacking = if whole { 0 } else { lacking };
        let depth = blocks.depth + rng.weighted(&[60, 30, 10]);
        new.insert(at + 1, without_blanks(&blocks.unit.repeat(depth), lacking) + statement(rng));
    }
    if rng.percent(20) {
        new.extend(closers_and_more(rng, blocks.unit, blocks.depth));
    }
    if rng.percent(20) {
        misremember::trailing_blanks(rng, &mut blocks.lines[first..=last]);
    }
    Passage { document: blocks.lines, old, new }
}

/// Several lines that are as they stand, but for the indentation of the first.
pub(crate) fn first_line_lacks_its_indentation(rng: &mut Rng) -> Passage {
    let mut blocks = blocks(rng);
    let first = rng.between(blocks.first.saturating_sub(1), blocks.first + blocks.count - 1);
    let last = rng.between(first, (first + 3).min(blocks.lines.len() - 1));
    let mut old = blocks.lines[first..=last].to_vec();
    let all = rng.percent(80);
    old[0] = if all { old[0].trim_start().to_owned() } else { without_blanks(&old[0], 1) };
    let mut new = old.clone();
    for _ in 0..rng.between(1, 2) {
        let at = rng.below(new.len());
        match rng.below(4) {
            0 => new[at] = changed(rng, &new[at]),
            1 => _ = (new.len() > 1).then(|| new.remove(at)),
            2 => new.insert(at, new[at].clone()),
            _ => {
                let depth = if rng.percent(75) { blocks.depth + rng.below(2) } else { 0 };
                let at = if rng.percent(15) { 0 } else { at + 1 };
                new.insert(at, blocks.unit.repeat(depth) + statement(rng));
            }
        }
    }
    if rng.percent(50) {
        let remembered = rng.percent(50);
        misremember::trailing_blanks(rng, if remembered { &mut old } else { &mut blocks.lines[first..=last] });
    }
    Passage { document: blocks.lines, old, new }
}

/// Lines with a tab where the document has spaces, and blanks for alignment: nothing tells the width of the tab.
pub(crate) fn tab_of_unknown_width(rng: &mut Rng) -> Passage {
    let there = " ".repeat([4, 6, 8][rng.below(3)]);
    let aligned = " ".repeat(rng.between(5, 7));
    let bodies = ["go(a,", rng.pick(&["b)", "c)"])];
    let document = vec![format!("{there}{}", bodies[0]), format!("{there}{aligned}{}", bodies[1])];
    let old = vec![format!("\t{}", bodies[0]), format!("\t{aligned}{}", bodies[1])];
    let mut new = old.clone();
    match rng.below(3) {
        0 => new[1].push(';'),
        1 => new.push(format!("\t{}", statement(rng))),
        _ => new.push(format!("\t\t{}", statement(rng))),
    }
    Passage { document, old, new }
}

/// A line in another unit than the document's, and lines that are deeper or shallower by that unit.
pub(crate) fn another_unit(rng: &mut Rng) -> Passage {
    let blocks = blocks(rng);
    let at = blocks.first + rng.below(blocks.count);
    let line = &blocks.lines[at];
    let depth = (line.len() - line.trim_start().len()) / blocks.unit.len();
    let unit = rng.pick(&["  ", "  ", "    ", "        "]);
    let old = unit.repeat(depth) + line.trim_start();
    let mut new = vec![changed(rng, &old)];
    for _ in 0..rng.between(1, 2) {
        let depth = if rng.percent(80) { depth + 1 } else { depth - 1 };
        new.push(unit.repeat(depth) + statement(rng));
    }
    Passage { document: blocks.lines, old: vec![old], new }
}
