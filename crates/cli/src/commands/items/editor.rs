//! An editor of the user's choice on a text in a temporary file. What cannot be saved is never lost: the file stays.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::Command;

use tempfile::NamedTempFile;

use crate::command_error::CommandError;
use crate::environment::Environment;

const DEFAULT_EDITOR: &str = "vi";

/// The command of an editor.
pub(super) struct Editor {
    command: OsString,
}

/// How the name of the file ends: editors tell by it what is in there.
pub(super) struct Ending(String);

impl Ending {
    pub(super) fn of_note() -> Ending {
        Ending(".md".to_owned())
    }

    pub(super) fn of_prompt() -> Ending {
        Ending(".md".to_owned())
    }

    /// That of a file of code.
    pub(super) fn of_path(path: &str) -> Ending {
        let extension = Path::new(path).extension().and_then(OsStr::to_str);
        let is_plain = |text: &&str| text.len() <= 16 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        Ending(extension.filter(is_plain).map_or_else(|| ".txt".to_owned(), |text| format!(".{text}")))
    }
}

/// What an editor has left, and the file that has it.
pub(super) struct EditedText {
    pub(super) text: String,
    file: NamedTempFile,
}

impl EditedText {
    /// Keeps the file, and says so in the error that keeps its text from being saved.
    pub(super) fn kept(self, error: CommandError) -> CommandError {
        keep(self.file, error)
    }
}

fn keep(file: NamedTempFile, error: CommandError) -> CommandError {
    if !file.path().exists() {
        return error.detail("the editor has removed the file with your text");
    }
    match file.keep() {
        Ok((_, path)) => error.detail(format!("your text is in {}", path.display())),
        Err(lost) => error.detail(format!("your text cannot be kept: {}", lost.error)),
    }
}

impl Editor {
    /// The editor that VISUAL or EDITOR names, or else vi where there is a terminal for it.
    pub(super) fn from_environment(environment: &Environment) -> Option<Editor> {
        let chosen = ["VISUAL", "EDITOR"].into_iter().find_map(|name| environment.get(name));
        match chosen {
            Some(command) => Some(Editor { command: command.to_owned() }),
            None if io::stdin().is_terminal() && io::stdout().is_terminal() => {
                Some(Editor { command: DEFAULT_EDITOR.into() })
            }
            None => None,
        }
    }

    /// Opens the editor on a text, and reads what it leaves. A line break at the end that the text had not, which editors
    /// add by themselves, is dropped.
    pub(super) fn edit(&self, text: &str, ending: &Ending) -> Result<EditedText, CommandError> {
        let unusable = |error: io::Error| CommandError::failed(format!("a temporary file cannot be used: {error}"));
        let mut file = tempfile::Builder::new().prefix("interline-").suffix(&ending.0).tempfile().map_err(unusable)?;
        file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(unusable)?;
        // The shell splits the command into its words.
        let mut script = self.command.clone();
        script.push(" \"$1\"");
        let ended = Command::new("sh").arg("-c").arg(&script).arg("sh").arg(file.path()).status();
        let name = self.command.display();
        let failed = match ended {
            Ok(status) if status.success() => None,
            Ok(status) => Some(format!("the editor failed ({name}: {status})")),
            Err(error) => Some(format!("the editor cannot be started ({name}: {error})")),
        };
        if let Some(problem) = failed {
            return Err(keep(
                file,
                CommandError::refused(problem).hint("nothing was saved; VISUAL and EDITOR choose the editor"),
            ));
        }
        let bytes = match fs::read(file.path()) {
            Ok(bytes) => bytes,
            Err(error) => {
                return Err(keep(file, CommandError::refused(format!("the edited file cannot be read: {error}"))));
            }
        };
        let Ok(mut edited) = String::from_utf8(bytes) else {
            return Err(keep(file, CommandError::refused("the edited text is not UTF-8, and was not saved")));
        };
        if !text.is_empty() && !text.ends_with('\n') && edited.ends_with('\n') {
            edited.pop();
            if edited.ends_with('\r') {
                edited.pop();
            }
        }
        Ok(EditedText { text: edited, file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_ends_as_the_path_does() {
        for (path, ending) in
            [("a/b.py", ".py"), ("x.tsx", ".tsx"), ("Makefile", ".txt"), ("a.b c", ".txt"), ("", ".txt")]
        {
            assert_eq!(Ending::of_path(path).0, ending, "{path}");
        }
    }
}
