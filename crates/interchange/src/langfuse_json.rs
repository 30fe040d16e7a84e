//! Prompts as Langfuse's API gives them: one object for each version.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::jinja::Variables;
use crate::tags::{TagCollector, shown};
use crate::texts::{clean_description, clean_prompt_name, prompt_name};
use crate::yaml::{flow_list, scalar};
use crate::{
    Entry, Format, MAX_FRONT_MATTER_BYTES, ReadError, Sink, SourceArgument, SourceChange, SourceFields, SourceKind,
    SourceRecord, SourceVersion,
};

/// Reads a list of versions. Those of one name are one prompt: the newest is its present state, the others its history.
pub(crate) fn read_langfuse_json(bytes: &[u8], sink: &mut Sink<'_>) -> Result<ControlFlow<()>, ReadError> {
    let not = |reason: String| ReadError::not(Format::LangfuseJson, reason);
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).map_err(|error| not(error.to_string()))?;
    let Some(list) = export(bytes) else {
        return Err(not("it is neither a list of prompts nor an object with `data` or `prompts`".to_owned()));
    };
    let mut prompts: BTreeMap<usize, Vec<SourcePrompt>> = BTreeMap::new();
    let mut order: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    for (index, raw) in list.iter().enumerate() {
        match parse(raw.get()) {
            Ok(prompt) => {
                let next = order.len();
                let place = *order.entry(prompt.name.clone()).or_insert(next);
                prompts.entry(place).or_default().push(prompt);
            }
            Err((name, reason)) => {
                let source = name.unwrap_or_else(|| format!("prompt {}", index + 1));
                if sink(Entry::skipped(source, reason)).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
    }
    let mut names = HashSet::new();
    Ok(prompts.into_values().try_for_each(|versions| sink(record(versions, &mut names))))
}

fn export(bytes: &[u8]) -> Option<Vec<&RawValue>> {
    #[derive(Deserialize)]
    struct Object<'a> {
        #[serde(borrow, alias = "prompts")]
        data: Vec<&'a RawValue>,
    }
    let object = serde_json::from_slice::<Object<'_>>(bytes).map(|object| object.data);
    let list = object.or_else(|_| serde_json::from_slice(bytes)).ok();
    // One prompt alone, as the API gives it by its name.
    list.or_else(|| {
        Some(vec![serde_json::from_slice::<&RawValue>(bytes).ok().filter(|raw| raw.get().starts_with('{'))?])
    })
}

/// One version of a prompt.
struct SourcePrompt {
    name: String,
    version: i64,
    text: String,
    tags: Vec<String>,
    labels: Vec<String>,
    config: Option<String>,
    message: Option<String>,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
}

/// A version, or its name if it has one and why it is none.
fn parse(json: &str) -> Result<SourcePrompt, (Option<String>, String)> {
    let value: Value = serde_json::from_str(json).map_err(|error| (None, error.to_string()))?;
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let Some(name) = text("name").filter(|name| !name.trim().is_empty()) else {
        return Err((None, "it has no `name`".to_owned()));
    };
    let texts = |key: &str| -> Vec<String> {
        let list = value.get(key).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let prompt = match value.get("prompt") {
        Some(Value::String(prompt)) => Ok(prompt.clone()),
        Some(Value::Array(messages)) => chat(messages),
        _ => Err("it has no `prompt`: the list of prompts is without texts; get each version by its name".to_owned()),
    };
    let time = |key: &str| text(key).and_then(crate::times::parse);
    let config = value.get("config").filter(|config| config.as_object().is_some_and(|object| !object.is_empty()));
    Ok(SourcePrompt {
        name: name.to_owned(),
        version: value.get("version").and_then(Value::as_i64).unwrap_or(1),
        text: prompt.map_err(|reason| (Some(shown(name)), reason))?,
        tags: texts("tags"),
        labels: texts("labels"),
        config: config.map(Value::to_string),
        message: text("commitMessage").map(str::to_owned),
        created_at: time("createdAt"),
        updated_at: time("updatedAt"),
    })
}

/// The messages of a chat as one text, each below a heading with its role; a placeholder is a variable.
fn chat(messages: &[Value]) -> Result<String, String> {
    let mut text = String::new();
    for message in messages {
        let is = |key: &str| message.get(key).and_then(Value::as_str);
        let (heading, content) = match (is("role"), is("content"), is("name")) {
            (Some(role), Some(content), _) => (role, content.to_owned()),
            (None, None, Some(name)) => ("placeholder", format!("{{{{{name}}}}}")),
            _ => return Err("a message of its chat has no `role` and `content` that are texts".to_owned()),
        };
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&format!("## {heading}\n\n{content}"));
    }
    Ok(text)
}

fn record(mut versions: Vec<SourcePrompt>, names: &mut HashSet<String>) -> Entry {
    versions.sort_by_key(|prompt| prompt.version);
    let Some(newest) = versions.last() else { return Entry::skipped("prompt", "it has no version") };
    let source_name = newest.name.clone();
    let mut record = SourceRecord::new(source_name.clone(), SourceKind::Prompt);
    let Some(name) = unique_name(&source_name, names, &mut record.notices) else {
        return Entry::skipped(shown(&source_name), "its name has no letter a-z or digit; rename it in Langfuse");
    };
    let mut variables = Variables::default();
    record.created_at = versions.iter().filter_map(|version| version.created_at).min();
    let count = versions.len();
    for (index, prompt) in versions.iter().enumerate() {
        let is_newest = index + 1 == count;
        let mut notices = Vec::new();
        let (content, used) = variables.template(&prompt.text);
        let mut tags = TagCollector::default();
        prompt.tags.iter().for_each(|tag| tags.add(tag));
        let fields = SourceFields {
            name: Some(name.clone()),
            description: prompt.message.as_deref().map(|message| clean_description(message, &mut notices)),
            tags: tags.finish(&mut notices),
            arguments: Some(used.into_iter().map(argument).collect()),
            front_matter: front_matter(prompt, &mut notices),
            ..SourceFields::default()
        };
        if is_newest {
            record.notices.append(&mut notices);
            record.updated_at = prompt.updated_at.or(prompt.created_at);
            (record.fields, record.content) = (fields, Some(content));
        } else {
            record.history.push(change(index, prompt, SourceVersion { fields, content: Some(content) }));
        }
    }
    record.version = u64::try_from(count).ok();
    let renamed = variables.renamed();
    record.notices.extend(renamed.map(|(source, name)| format!("the variable `{source}` became `{name}`")));
    Entry::Record(Box::new(record))
}

/// Numbers begin at 1 and have no gaps, whatever Langfuse's are.
fn change(index: usize, prompt: &SourcePrompt, state: SourceVersion) -> SourceChange {
    SourceChange {
        version: u64::try_from(index + 1).ok(),
        action: if index == 0 { "create" } else { "update" }.to_owned(),
        changed_fields: vec!["content".to_owned()],
        at: prompt.updated_at.or(prompt.created_at),
        source: None,
        user: None,
        token: None,
        state: Some(state),
    }
}

fn argument(name: String) -> SourceArgument {
    SourceArgument { name, description: None, required: true }
}

/// A name that no other prompt of the file has.
fn unique_name(source: &str, names: &mut HashSet<String>, notices: &mut Vec<String>) -> Option<String> {
    let name = prompt_name(source)?;
    if names.insert(name.clone()) {
        return clean_prompt_name(source, notices);
    }
    let numbered = (2_usize..).map(|number| format!("{name}-{number}"));
    let free = numbered.take(1_000_000).find(|name| names.insert(name.clone()))?;
    notices.push(format!("its name `{}` became `{free}`: another prompt has `{name}`", shown(source)));
    Some(free)
}

/// What has no field: labels and configuration.
fn front_matter(prompt: &SourcePrompt, notices: &mut Vec<String>) -> Option<String> {
    let mut lines = String::new();
    if !prompt.labels.is_empty() {
        lines.push_str(&format!("labels: {}\n", flow_list(&prompt.labels)));
    }
    if let Some(config) = &prompt.config {
        lines.push_str(&format!("config: {}\n", scalar(config)));
    }
    if lines.len() > MAX_FRONT_MATTER_BYTES {
        notices.push(format!("its configuration has {} bytes and was left out", lines.len()));
        return None;
    }
    (!lines.is_empty()).then_some(lines)
}
