//! Applies a unified diff, strictly: every context line and every count must be right.

/// The text after the diff of one file; an error says what is wrong with the diff.
///
/// Strict about headers, order, line numbers, counts, context, and `\ No newline at end of file`.
pub(crate) fn apply(before: &str, diff: &str) -> Result<String, String> {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let mut rest = Vec::new();
    for line in diff.split_inclusive('\n') {
        rest.push(line.strip_suffix('\n').ok_or_else(|| format!("the diff ends inside the line {line:?}"))?);
    }
    let mut rest = rest.as_slice();
    if rest.first().is_some_and(|line| line.starts_with("--- ")) {
        if !rest.get(1).is_some_and(|line| line.starts_with("+++ ")) {
            return Err("a header without its second line".to_owned());
        }
        rest = &rest[2..];
    }
    let mut new: Vec<String> = Vec::new();
    let mut done = 0;
    while let Some((header, after_header)) = rest.split_first() {
        let hunk = Hunk::parse(header)?;
        let start = if hunk.old_count == 0 { hunk.old_start } else { hunk.old_start.wrapping_sub(1) };
        if start < done || start > old.len() {
            return Err(format!("{header:?} is out of order or range"));
        }
        new.extend(old[done..start].iter().map(|line| (*line).to_owned()));
        done = start;
        let new_start = if hunk.new_count == 0 { new.len() } else { new.len() + 1 };
        if hunk.new_start != new_start {
            return Err(format!("{header:?} should start at new line {new_start}"));
        }
        rest = hunk.apply(after_header, &old, &mut done, &mut new)?;
    }
    new.extend(old[done..].iter().map(|line| (*line).to_owned()));
    match new.iter().rposition(|line| !line.ends_with('\n')) {
        Some(index) if index + 1 < new.len() => Err("a line without ending is not the last".to_owned()),
        _ => Ok(new.concat()),
    }
}

struct Hunk {
    old_start: usize,
    old_count: usize,
    new_start: usize,
    new_count: usize,
}

impl Hunk {
    fn parse(header: &str) -> Result<Hunk, String> {
        let error = || format!("not a hunk header: {header:?}");
        let ranges = header.strip_prefix("@@ -").and_then(|rest| rest.split_once(" @@")).ok_or_else(error)?.0;
        let (old, new) = ranges.split_once(" +").ok_or_else(error)?;
        let number = |text: &str| text.parse::<usize>().map_err(|_| error());
        let range = |text: &str| -> Result<(usize, usize), String> {
            let (start, count) = text.split_once(',').unwrap_or((text, "1"));
            Ok((number(start)?, number(count)?))
        };

        let ((old_start, old_count), (new_start, new_count)) = (range(old)?, range(new)?);
        Ok(Hunk { old_start, old_count, new_start, new_count })
    }

    /// Applies the body of the hunk; returns the lines after it.
    fn apply<'d, 't>(
        &self,
        mut rest: &'t [&'d str],
        old: &[&str],
        done: &mut usize,
        new: &mut Vec<String>,
    ) -> Result<&'t [&'d str], String> {
        let (mut olds, mut news) = (0, 0);
        let mut changes = false;
        while olds < self.old_count || news < self.new_count {
            let (line, after) = rest.split_first().ok_or("the diff ends inside a hunk")?;
            rest = after;
            let without_newline = rest.first().is_some_and(|line| *line == "\\ No newline at end of file");
            if without_newline {
                rest = &rest[1..];
            }
            let mut chars = line.chars();
            let mark = chars.next();
            let text = chars.as_str().to_owned() + if without_newline { "" } else { "\n" };
            if !matches!(mark, Some(' ' | '-' | '+')) {
                return Err(format!("not a line of a hunk: {line:?}"));
            }
            if mark != Some('+') {
                if old.get(*done) != Some(&text.as_str()) {
                    return Err(format!("{line:?} is not line {} of the text", *done + 1));
                }
                *done += 1;
                olds += 1;
            }
            if mark != Some('-') {
                new.push(text);
                news += 1;
            }
            changes |= mark != Some(' ');
        }
        match (changes, olds == self.old_count && news == self.new_count) {
            (true, true) => Ok(rest),
            (false, _) => Err("a hunk that changes nothing".to_owned()),
            (_, false) => Err("the counts of a hunk are wrong".to_owned()),
        }
    }
}
