//! The commands `interline completions` and `interline man`, from the definitions of the arguments.

use std::fs;
use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::args::{Cli, CompletionsArgs, ManArgs, ShellArg};
use crate::command_error::CommandError;
use crate::output::{print_exactly, print_to_stderr};

pub(super) fn completions(args: &CompletionsArgs) -> Result<(), CommandError> {
    let shell = match args.shell {
        ShellArg::Bash => Shell::Bash,
        ShellArg::Elvish => Shell::Elvish,
        ShellArg::Fish => Shell::Fish,
        ShellArg::Powershell => Shell::PowerShell,
        ShellArg::Zsh => Shell::Zsh,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "interline", &mut script);
    print_exactly(&script)
}

pub(super) fn man(args: &ManArgs) -> Result<(), CommandError> {
    let mut root = Cli::command();
    root.build();
    if let Some(folder) = &args.dir {
        let folder = Path::new(folder);
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        let pages = write_pages(&root, "interline", folder)?;
        print_to_stderr(&format!("{pages} pages in {}", folder.display()));
        return Ok(());
    }
    let (mut command, mut name) = (&root, "interline".to_owned());
    for word in &args.command {
        command = command.find_subcommand(word).ok_or_else(|| {
            CommandError::usage(format!("there is no command {name} {word}")).hint("`interline --help` lists them")
        })?;
        name = format!("{name}-{}", command.get_name());
    }
    print_exactly(&page(command)?)
}

/// Writes the pages of a command and of those below it; how many.
fn write_pages(command: &clap::Command, name: &str, folder: &Path) -> Result<usize, CommandError> {
    let file = folder.join(format!("{name}.1"));
    fs::write(&file, page(command)?).map_err(|error| unwritable(&file, &error))?;
    let mut pages = 1;
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        pages += write_pages(below, &format!("{name}-{}", below.get_name()), folder)?;
    }
    Ok(pages)
}

fn page(command: &clap::Command) -> Result<Vec<u8>, CommandError> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(CommandError::failed)?;
    Ok(page)
}

fn unwritable(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::refused(format!("{}: {error}", path.display()))
}
