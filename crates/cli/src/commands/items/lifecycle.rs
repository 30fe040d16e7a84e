//! The commands `interline archive`, `unarchive` and `rm`.

use reqwest::Method;

use super::named_item::NamedItem;
use super::report;
use crate::api::Api;
use crate::args::{ArchiveArgs, ItemArgs, RemoveArgs, UnarchiveArgs, WriteCommandArgs};
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print};

pub(crate) async fn archive(args: &ArchiveArgs, environment: &Environment) -> Result<(), CommandError> {
    post(&args.item, &args.options, ("archive", "Archived"), environment).await
}

pub(crate) async fn unarchive(args: &UnarchiveArgs, environment: &Environment) -> Result<(), CommandError> {
    post(&args.item, &args.options, ("unarchive", "Unarchived"), environment).await
}

async fn post(
    item: &ItemArgs,
    options: &WriteCommandArgs,
    (action, done): (&str, &str),
    environment: &Environment,
) -> Result<(), CommandError> {
    let api = Api::open_to_write(options, environment, IfMissing::Refuse).await?;
    let named = NamedItem::find(&api, item).await?;
    let request = named.request(Method::POST, &[action])?.query("include_content", "false");
    report(&api, options.format(), done, &api.send(request).await?).await
}

pub(crate) async fn remove(args: &RemoveArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open_to_write(&args.options, environment, IfMissing::Refuse).await?;
    let named = NamedItem::find(&api, &args.item).await?;
    let request = named.request(Method::DELETE, &[])?;
    api.send(request.maybe_query("permanent", args.permanent.then_some("true"))).await?;
    if !args.permanent {
        api.last.set(&named.id);
    }
    match args.options.format() {
        OutputFormat::Json => {}
        OutputFormat::Text if args.permanent => print(&format!("Removed {} for ever.", named.id))?,
        OutputFormat::Text => {
            print(&format!("Moved {} to the trash; `interline restore {}` brings it back.", named.id, named.id))?;
        }
    }
    api.finish().await;
    Ok(())
}
