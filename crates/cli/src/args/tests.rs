use std::fs;
use std::path::Path;

use clap::CommandFactory as _;

use super::*;
use crate::settings;

/// The help of a command and of those below it.
fn reference(command: &mut clap::Command, path: &str, text: &mut String) {
    let help = command.clone().bin_name(path).term_width(100).render_long_help().to_string();
    let lines: Vec<&str> = help.split('\n').map(str::trim_end).collect();
    text.push_str(&format!("$ {path} --help\n{}\n", lines.join("\n")));
    for below in command.get_subcommands_mut().filter(|below| below.get_name() != "help") {
        let path = format!("{path} {}", below.get_name());
        reference(below, &path, text);
    }
}

/// A difference is a change of the contract with everybody's scripts: it goes into the changelog.
#[test]
fn the_reference_is_what_was_agreed() {
    let mut text = String::new();
    let mut command = Cli::command();
    command.build();
    reference(&mut command, "interline", &mut text);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("reference.txt");
    let agreed = fs::read_to_string(&path).unwrap_or_default();
    if text != agreed {
        let new = path.with_extension("txt.new");
        fs::write(&new, &text).expect("the new reference is written");
        panic!("{} is another: compare, and move it over if the change is meant", new.display());
    }
}

#[test]
fn the_definitions_are_sound() {
    Cli::command().debug_assert();
}

/// What the environment or a file can set says so in its help.
#[test]
fn every_setting_names_its_variable() {
    let mut command = Cli::command();
    command.build();
    let serve = command.find_subcommand("serve").expect("serve");
    let list = command.find_subcommand("user").and_then(|user| user.find_subcommand("list")).expect("user list");
    for argument in serve.get_arguments().chain(list.get_arguments()) {
        let name = argument.get_long().expect("settings are options");
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        assert!(["help", "json"].contains(&name) || help.contains(&settings::variable(name)), "--{name}: {help}");
    }
}
