//! The command `interline user`: adds, lists and removes users.

use interline_items::{Rank, RemoveUser, UserDraft};

use crate::args::{UserAddArgs, UserCommand, UserListArgs, UserRemoveArgs};
use crate::command_error::CommandError;
use crate::connection::Connection;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print, print_json, print_table, printable, to_minute};

pub(super) async fn run(command: UserCommand, environment: &Environment) -> Result<(), CommandError> {
    match command {
        UserCommand::Add(args) => add(args, environment).await,
        UserCommand::List(args) => list(&args, environment).await,
        UserCommand::Remove(args) => remove(&args, environment).await,
    }
}

async fn add(args: UserAddArgs, environment: &Environment) -> Result<(), CommandError> {
    let connection = Connection::open(&args.options, environment, IfMissing::Make).await?;
    let rank = if args.admin { Rank::Admin } else { Rank::Member };
    let new = connection.add_user(UserDraft { name: args.name, email: args.email, rank, organization: None }).await?;
    match args.options.format() {
        OutputFormat::Json => print_json(&new),
        OutputFormat::Text => {
            let name = printable(&new.user.name);
            print(&format!(
                "Token for {name} (shown only once):\n\n    {}\n\nThe user's id is {}.",
                new.token, new.user.id
            ))
        }
    }
}

async fn list(args: &UserListArgs, environment: &Environment) -> Result<(), CommandError> {
    let list = Connection::open(&args.options, environment, IfMissing::Refuse).await?.users().await?;
    match args.options.format() {
        OutputFormat::Json => print_json(&list),
        OutputFormat::Text => {
            let rows = list.users.into_iter().map(|user| {
                let role = if user.admin { "admin" } else { "member" };
                [user.id, user.name, user.email.unwrap_or_default(), role.to_owned(), to_minute(&user.created_at)]
            });
            print_table(["ID", "NAME", "EMAIL", "ROLE", "CREATED (UTC)"], rows.collect())
        }
    }
}

async fn remove(args: &UserRemoveArgs, environment: &Environment) -> Result<(), CommandError> {
    let items = if args.purge { RemoveUser::Purge } else { RemoveUser::IfEmpty };
    Connection::open(&args.options, environment, IfMissing::Refuse).await?.remove_user(&args.user, items).await?;
    match args.options.format() {
        OutputFormat::Json => Ok(()),
        OutputFormat::Text => print(&format!("Removed user {}.", args.user)),
    }
}
