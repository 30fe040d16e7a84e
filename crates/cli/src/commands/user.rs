//! `interline user`.

use interline_items::{Rank, RemoveUser, UserDraft};

use crate::args::{UserAddArgs, UserCommand, UserListArgs, UserRemoveArgs};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::{Form, minute, say, say_json, say_table};
use crate::target::Target;

pub(super) async fn run(command: UserCommand, environment: &Environment) -> Result<(), Failure> {
    match command {
        UserCommand::Add(args) => add(args, environment).await,
        UserCommand::List(args) => list(&args, environment).await,
        UserCommand::Remove(args) => remove(&args, environment).await,
    }
}

async fn add(args: UserAddArgs, environment: &Environment) -> Result<(), Failure> {
    let target = Target::open_for(&args.target, environment).await?;
    let rank = if args.admin { Rank::Admin } else { Rank::Member };
    let new = target.add_user(UserDraft { name: args.name, email: args.email, rank, organization: None }).await?;
    match args.target.form() {
        Form::Json => say_json(&new),
        Form::Text => say(&format!("{}\nIts token, which is not shown again:\n\n    {}", new.user.id, new.token)),
    }
}

async fn list(args: &UserListArgs, environment: &Environment) -> Result<(), Failure> {
    let list = Target::open_for(&args.target, environment).await?.users().await?;
    match args.target.form() {
        Form::Json => say_json(&list),
        Form::Text => {
            let rows = list.users.into_iter().map(|user| {
                let rank = if user.admin { "admin" } else { "member" };
                [user.id, user.name, user.email.unwrap_or_default(), rank.to_owned(), minute(&user.created_at)]
            });
            say_table(["ID", "NAME", "EMAIL", "RANK", "MADE (UTC)"], rows.collect())
        }
    }
}

async fn remove(args: &UserRemoveArgs, environment: &Environment) -> Result<(), Failure> {
    let items = if args.purge { RemoveUser::Purge } else { RemoveUser::IfEmpty };
    Target::open_for(&args.target, environment).await?.remove_user(&args.user, items).await?;
    match args.target.form() {
        Form::Json => Ok(()),
        Form::Text => say(&format!("removed the user {}", args.user)),
    }
}
