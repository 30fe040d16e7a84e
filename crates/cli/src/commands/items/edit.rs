//! The command `interline edit`: replaces a passage, or opens an editor on the whole content.

use interline_items::Kind;
use reqwest::Method;
use serde_json::{Value, json};

use super::editor::{EditedText, Editor, Ending};
use super::named_item::NamedItem;
use super::refusal::explained;
use super::{report, text, title};
use crate::api::Api;
use crate::args::EditArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::input;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print, print_json, print_to_stderr, printable};
use crate::screen::Screen;

pub(crate) async fn run(args: &EditArgs, environment: &Environment) -> Result<(), CommandError> {
    if args.has_change() { replace(args, environment).await } else { open(args, environment).await }
}

async fn replace(args: &EditArgs, environment: &Environment) -> Result<(), CommandError> {
    let read_old = || match (&args.old, &args.old_file) {
        (Some(text), _) => Ok(text.clone()),
        (None, Some(file)) => input::file_or_stdin(file),
        (None, None) => Err(CommandError::usage("--new says what a passage becomes; which one is missing")
            .hint("give it with --old or --old-file")),
    };
    let read_new = || match (&args.new, &args.new_file) {
        (Some(text), _) => Ok(text.clone()),
        (None, Some(file)) => input::file_or_stdin(file),
        (None, None) => Err(CommandError::usage("what the passage becomes is missing")
            .hint("give it with --new or --new-file; --new '' deletes the passage")),
    };
    let is_stdin = |file: &Option<std::ffi::OsString>| file.as_deref().is_some_and(|file| file == "-");
    if is_stdin(&args.old_file) && is_stdin(&args.new_file) {
        return Err(CommandError::usage("--old-file and --new-file cannot both be stdin"));
    }
    let mut body = json!({"old_str": read_old()?, "new_str": read_new()?, "dry_run": args.dry_run});
    let options = [
        ("expected_matches", args.expected_matches.map(Value::from)),
        ("expected_version", args.expected_version.map(Value::from)),
        ("match", args.loosest.as_deref().map(Value::from)),
        ("merged", args.merged.as_deref().map(Value::from)),
    ];
    for (name, value) in options {
        if let Some(value) = value {
            body[name] = value;
        }
    }
    let api = Api::open_to_write(&args.options, environment, IfMissing::Refuse).await?;
    let named = NamedItem::find(&api, &args.item).await?;
    let request = named.request(Method::PATCH, &["str-replace"])?.query("include_content", "false").body(body);
    let answer = api.send(request).await.map_err(|error| explained(error, environment))?;
    show_edit(&api, args.options.format(), &answer, environment)?;
    api.finish().await;
    Ok(())
}

/// Shows what an edit did or would do, and remembers the item.
pub(super) fn show_edit(
    api: &Api,
    format: OutputFormat,
    answer: &Value,
    environment: &Environment,
) -> Result<(), CommandError> {
    let is_dry_run = answer["dry_run"] == true;
    if !is_dry_run {
        api.last.set(text(answer, "id"));
    }
    if format == OutputFormat::Json {
        return print_json(answer);
    }
    for warning in answer["warnings"].as_array().into_iter().flatten() {
        print_to_stderr(&format!("warning: line {}: {}", warning["line"], printable(text(warning, "message"))));
    }
    if answer["diff_truncated"] == true {
        print_to_stderr("note: the diff is longer than what is shown");
    }
    let screen = Screen::of_stdout(environment);
    let what = printable(title(answer));
    let done = match super::proposed(answer) {
        Some(waits) => format!("{what} is not changed yet, {waits}:"),
        None if is_dry_run => format!("{what} would change (nothing was written):"),
        None => format!("{what} is at version {}:", answer["version"]),
    };
    match text(answer, "diff") {
        "" => print(&format!("{what} stays as it is, at version {}.", answer["version"])),
        diff => screen.show(&format!("{done}\n{}", screen.diff(diff))),
    }
}

/// Opens an editor on the content, and saves what it leaves.
async fn open(args: &EditArgs, environment: &Environment) -> Result<(), CommandError> {
    let editor = Editor::from_environment(environment).ok_or_else(|| {
        CommandError::usage("there is no editor").hint("name one in VISUAL or EDITOR, or give --old and --new")
    })?;
    let typed = [args.merged.is_some(), args.expected_matches.is_some(), args.loosest.is_some(), args.dry_run];
    if typed.contains(&true) {
        return Err(CommandError::usage("these options are about a passage").hint("give it with --old and --new"));
    }
    let api = Api::open_to_write(&args.options, environment, IfMissing::Refuse).await?;
    let named = NamedItem::find(&api, &args.item).await?;
    let item = api.send(named.request(Method::GET, &[])?).await?;
    if args.expected_version.is_some_and(|expected| item["version"] != expected) {
        return Err(CommandError::refused(format!("the item is at version {}", item["version"]))
            .hint("leave --expected-version out, or look at `interline history`"));
    }
    let edited = editor.edit(text(&item, "content"), &ending(&item))?;
    if edited.text == text(&item, "content") {
        return match args.options.format() {
            OutputFormat::Json => print_json(&item),
            OutputFormat::Text => print(&format!("{} is unchanged.", printable(title(&item)))),
        };
    }
    match save(&api, &named, &item, &edited).await {
        Ok(saved) => report(&api, args.options.format(), "Saved", &saved).await,
        Err(error) => Err(edited.kept(error)),
    }
}

/// How the name of the file ends that an editor opens.
fn ending(item: &Value) -> Ending {
    match Kind::ALL.into_iter().find(|kind| text(item, "type") == kind.name()) {
        Some(Kind::Note | Kind::Bookmark) | None => Ending::of_note(),
        Some(Kind::Prompt) => Ending::of_prompt(),
        Some(Kind::AppFile | Kind::Workflow | Kind::Module) => Ending::of_path(text(item, "path")),
    }
}

/// Writes the whole content, for the version that was read. Where others have changed it since, the store merges both changes.
async fn save(api: &Api, named: &NamedItem, read: &Value, edited: &EditedText) -> Result<Value, CommandError> {
    let body = json!({"content": edited.text, "expected_version": read["version"], "on_stale": "merge"});
    let request = named.request(Method::PATCH, &[])?.query("include_content", "false").body(body);
    api.send(request).await.map_err(conflicting_lines)
}

/// The error with the lines that both sides changed, if that is why nothing was saved.
fn conflicting_lines(error: CommandError) -> CommandError {
    let conflicts = error.response("conflict").and_then(|response| response["conflicts"].as_array());
    let Some(conflicts) = conflicts.filter(|conflicts| !conflicts.is_empty()) else { return error };
    let lines = |side: &Value| format!("{}-{}", side["start_line"], side["end_line"]);
    let line = |conflict: &Value| {
        format!("  your lines {}, their lines {}", lines(&conflict["ours"]), lines(&conflict["theirs"]))
    };
    let lines: Vec<String> = conflicts.iter().map(line).collect();
    CommandError::refused("others changed the same lines meanwhile, and nothing was saved:").detail(lines.join("\n"))
}
