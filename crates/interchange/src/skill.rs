//! `SKILL.md` files of agents: a prompt each. Their text is no template, so what Jinja2 would take for one is escaped.

use crate::front_matter::{FrontMatter, OWN_PREFIX, WHOLE, split, text};
use crate::jinja::{escape, unescape};
use crate::markdown::{argument_list, arguments, keep_rest, utf8};
use crate::texts::{clean_description, clean_prompt_name};
use crate::yaml::{quoted, scalar};
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
    let content = record.content.as_deref().unwrap_or_default();
    let plain = unescape(content);
    let body = if escape(&plain) == content { Body::Text } else { Body::Template };
    let raw = record.fields.front_matter.as_deref().unwrap_or_default();
    let mut file = head(record, body, raw);
    if !is_read_back(record, &file) {
        file = head(record, body, &format!("{OWN_PREFIX}{WHOLE}: {}\n", quoted(raw)));
    }
    file.push_str(match body {
        Body::Text => &plain,
        Body::Template => content,
    });
    file
}

/// What the text of a skill is.
#[derive(Clone, Copy)]
enum Body {
    Text,
    Template,
}

fn head(record: &SourceRecord, body: Body, rest: &str) -> String {
    let fields = &record.fields;
    let mut head = "---\n".to_owned();
    let mut put = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            head.push_str(&format!("{key}: {value}\n"));
        }
    };
    put("name", fields.name.as_deref().map(scalar));
    put("description", fields.description.as_deref().map(scalar));
    put(TEMPLATE, matches!(body, Body::Template).then(|| "jinja2".to_owned()));
    let arguments = fields.arguments.as_deref().filter(|arguments| !arguments.is_empty());
    put(ARGUMENTS, arguments.map(argument_list));
    head.push_str(rest);
    head.push_str("---\n");
    head
}

/// Whether reading a head gives what it was made of. What an author wrote as front matter can be any text.
fn is_read_back(record: &SourceRecord, head: &str) -> bool {
    let Entry::Record(read) = read_skill("x/SKILL.md", head.as_bytes(), FileTimes::default()) else { return false };
    let raw = record.fields.front_matter.as_deref().filter(|raw| !raw.is_empty());
    read.content.as_deref() == Some("")
        && read.fields.front_matter.as_deref() == raw
        && (read.fields.name == record.fields.name)
        && (read.fields.description == record.fields.description)
}
