//! `SKILL.md` files of agents: a prompt each. Their text is no template, so what Jinja2 would take for one is escaped.

use crate::front_matter::{FrontMatter, split, text};
use crate::markdown::{argument_list, arguments, keep_rest, utf8};
use crate::texts::{clean_description, clean_prompt_name};
use crate::yaml::scalar;
use crate::{Entry, FileTimes, SourceKind, SourceRecord};

/// The key of a skill whose text is a template, because it was a prompt of ours.
const TEMPLATE: &str = "interline_template";
const ARGUMENTS: &str = "interline_arguments";

/// Reads one `SKILL.md`; `path` names the folder, which is the skill's name if front matter has none.
pub(crate) fn read_skill(path: &str, bytes: &[u8], times: FileTimes) -> Entry {
    let source = match utf8(bytes) {
        Ok(source) => source,
        Err(reason) => return Entry::skipped(path, reason),
    };
    let parts = split(source);
    let Some(yaml) = parts.yaml else {
        return Entry::skipped(path, "it has no front matter with a `name` and a `description`");
    };
    let mut front_matter = match FrontMatter::parse(yaml) {
        Ok(front_matter) => front_matter,
        Err(reason) => return Entry::skipped(path, format!("its front matter {reason}")),
    };
    let mut record = SourceRecord::new(path, SourceKind::Prompt);
    let folder = path.rsplit('/').nth(1).map(str::to_owned);
    let Some(name) = front_matter.take(&["name"], text).or(folder) else {
        return Entry::skipped(path, "it has no `name`");
    };
    let Some(name) = clean_prompt_name(&name, &mut record.notices) else {
        return Entry::skipped(path, "its `name` has no letter a-z or digit");
    };
    record.fields.name = Some(name);
    let description = front_matter.take(&["description"], text);
    record.fields.description = description.map(|text| clean_description(&text, &mut record.notices));
    record.fields.arguments = Some(front_matter.take(&[ARGUMENTS], arguments).unwrap_or_default());
    let is_template = front_matter.take(&[TEMPLATE], text).is_some();
    record.content = Some(if is_template { parts.body.to_owned() } else { escape(parts.body) });
    if !keep_rest(&mut record, &mut front_matter) {
        return Entry::skipped(path, record.notices.pop().unwrap_or_default());
    }
    record.created_at = [times.created, times.modified].into_iter().flatten().min();
    record.updated_at = times.modified;
    Entry::Record(Box::new(record))
}

/// A prompt as the text of a `SKILL.md`; its folder has the prompt's name. It carries name, description, arguments, content and
/// front matter; a template keeps its variables, and says that it is one.
pub fn write_skill(record: &SourceRecord) -> String {
    let fields = &record.fields;
    let content = record.content.as_deref().unwrap_or_default();
    let plain = unescape(content);
    let is_template = escape(&plain) != content;
    let mut file = "---\n".to_owned();
    let mut put = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            file.push_str(&format!("{key}: {value}\n"));
        }
    };
    put("name", fields.name.as_deref().map(scalar));
    put("description", fields.description.as_deref().map(scalar));
    put(TEMPLATE, is_template.then(|| "jinja2".to_owned()));
    let arguments = fields.arguments.as_deref().filter(|arguments| !arguments.is_empty());
    put(ARGUMENTS, arguments.map(argument_list));
    file.push_str(&own_lines(fields.front_matter.as_deref().unwrap_or_default()));
    file.push_str("---\n");
    file.push_str(if is_template { content } else { &plain });
    file
}

/// The author's own front matter, where it can stand beside our keys; else as one text.
fn own_lines(raw: &str) -> String {
    let keys = [
        "name",
        "description",
        TEMPLATE,
        ARGUMENTS,
        "interline_front_matter",
        "interline_name",
        "interline_description",
    ];
    let stands = FrontMatter::parse(raw).is_ok_and(|own| {
        let ours = keys.iter().any(|key| own.has(key));
        !ours && own.is_lines()
    });
    let fits = raw.is_empty()
        || raw.ends_with('\n') && !raw.trim().is_empty() && split(&format!("---\n{raw}---\n")).body.is_empty();
    if stands && fits { raw.to_owned() } else { format!("interline_front_matter: {}\n", crate::yaml::quoted(raw)) }
}

/// A text that renders to itself: each `{{`, `{%` and `{#` becomes an expression with that text.
fn escape(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            Some(mark) => {
                out.push_str(&expression(mark));
                rest = &rest[2..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Takes [`escape`] back, in one pass: what is put together by it is not looked at again.
fn unescape(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("{{ '") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match MARKS.iter().find(|mark| rest.starts_with(&expression(mark))) {
            Some(mark) => {
                out.push_str(mark);
                rest = &rest[expression(mark).len()..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

const MARKS: [&str; 3] = ["{{", "{%", "{#"];

fn expression(mark: &str) -> String {
    format!("{{{{ '{mark}' }}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_template_is_escaped_and_comes_back() {
        for (source, escaped) in [
            ("plain { } text", "plain { } text"),
            ("{{ x }}", "{{ '{{' }} x }}"),
            ("{% if %}{# c #}", "{{ '{%' }} if %}{{ '{#' }} c #}"),
            ("{{{%", "{{ '{{' }}{{ '{%' }}"),
            ("{{ '{{' }}", "{{ '{{' }} '{{ '{{' }}' }}"),
            ("{", "{"),
        ] {
            assert_eq!(escape(source), escaped);
            assert_eq!(unescape(escaped), source);
        }
    }
}
