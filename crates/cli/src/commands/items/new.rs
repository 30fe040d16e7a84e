//! The command `interline new`: makes a note, a bookmark or a prompt.

use reqwest::Method;
use serde_json::{Map, Value, json};

use super::editor::{Editor, Ending};
use super::report;
use crate::api::{Api, ApiRequest};
use crate::args::{NewBookmarkArgs, NewCommand, NewItemArgs, NewNoteArgs, NewPromptArgs};
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::input;
use crate::local::IfMissing;

pub(crate) async fn run(command: NewCommand, environment: &Environment) -> Result<(), CommandError> {
    match command {
        NewCommand::Note(args) => note(&args, environment).await,
        NewCommand::Bookmark(args) => bookmark(&args, environment).await,
        NewCommand::Prompt(args) => prompt(&args, environment).await,
    }
}

async fn note(args: &NewNoteArgs, environment: &Environment) -> Result<(), CommandError> {
    let mut fields = fields(&args.item, content(&args.item)?);
    fields.insert("title".to_owned(), args.title.as_str().into());
    create("notes", fields, &args.item, environment).await
}

async fn bookmark(args: &NewBookmarkArgs, environment: &Environment) -> Result<(), CommandError> {
    let mut fields = fields(&args.item, content(&args.item)?);
    fields.insert("url".to_owned(), args.address.as_str().into());
    fields.insert("title".to_owned(), args.title.clone().into());
    create("bookmarks", fields, &args.item, environment).await
}

async fn prompt(args: &NewPromptArgs, environment: &Environment) -> Result<(), CommandError> {
    let arguments: Vec<Value> = args.arguments.iter().map(|text| argument(text)).collect();
    let (content, draft) = match content(&args.item)? {
        Some(content) => (content, None),
        None => {
            let draft = open_editor(environment)?;
            (draft.text.clone(), Some(draft))
        }
    };
    let mut fields = fields(&args.item, Some(content));
    fields.insert("name".to_owned(), args.name.as_str().into());
    fields.insert("title".to_owned(), args.title.clone().into());
    fields.insert("arguments".to_owned(), arguments.into());
    let created = create("prompts", fields, &args.item, environment).await;
    created.map_err(|error| match draft {
        Some(draft) => draft.kept(error),
        None => error,
    })
}

/// Opens an editor for the template of a prompt, if there is anybody who could use it.
fn open_editor(environment: &Environment) -> Result<super::editor::EditedText, CommandError> {
    let Some(editor) = Editor::from_environment(environment) else {
        return Err(CommandError::usage("a prompt needs its template").hint("give it with --content, --file or -"));
    };
    let edited = editor.edit("", &Ending::of_prompt())?;
    if edited.text.trim().is_empty() {
        return Err(CommandError::refused("the template is empty, so nothing was made"));
    }
    Ok(edited)
}

/// The content that the arguments give.
fn content(args: &NewItemArgs) -> Result<Option<String>, CommandError> {
    match (&args.content, &args.file, &args.stdin) {
        (Some(text), _, _) => input::typed_or_stdin(text).map(Some),
        (None, Some(file), _) => input::file_or_stdin(file).map(Some),
        (None, None, Some(dash)) => input::typed_or_stdin(dash).map(Some),
        (None, None, None) => Ok(None),
    }
}

fn fields(args: &NewItemArgs, content: Option<String>) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("tags".to_owned(), args.tags.clone().into());
    fields.insert("description".to_owned(), args.description.clone().into());
    fields.insert("content".to_owned(), content.into());
    fields
}

async fn create(
    collection: &str,
    fields: Map<String, Value>,
    args: &NewItemArgs,
    environment: &Environment,
) -> Result<(), CommandError> {
    let api = Api::open_to_write(&args.options, environment, IfMissing::Make).await?;
    let made = api.send(ApiRequest::new(Method::POST, &[collection])?.body(Value::Object(fields))).await?;
    report(&api, args.options.format(), "Created", &made).await
}

/// `name`, `name:description`, each with `!` at its end if the argument must be given.
fn argument(text: &str) -> Value {
    let (text, required) = text.strip_suffix('!').map_or((text, false), |text| (text, true));
    let (name, description) = match text.split_once(':') {
        Some((name, description)) => (name, Some(description.trim()).filter(|text| !text.is_empty())),
        None => (text, None),
    };
    json!({"name": name, "description": description, "required": required})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_has_a_name_and_may_have_more() {
        let check = |text: &str, name: &str, description: Option<&str>, required: bool| {
            assert_eq!(
                argument(text),
                json!({"name": name, "description": description, "required": required}),
                "{text}"
            );
        };
        check("name", "name", None, false);
        check("name!", "name", None, true);
        check("name:whom to greet", "name", Some("whom to greet"), false);
        check("name: at 12:00!", "name", Some("at 12:00"), true);
        check("name:", "name", None, false);
    }
}
