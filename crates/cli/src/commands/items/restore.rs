//! The command `interline restore`: an item comes back from the trash, or goes back to an older version.

use reqwest::Method;

use super::named_item::NamedItem;
use super::report;
use crate::api::Api;
use crate::args::RestoreArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;

pub(crate) async fn run(args: &RestoreArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open_to_write(&args.options, environment, IfMissing::Refuse).await?;
    let named = NamedItem::find(&api, &args.item).await?;
    let request = match args.version {
        Some(version) => named.request(Method::POST, &["history", &version.to_string(), "restore"])?,
        None => named.request(Method::POST, &["restore"])?,
    };
    report(&api, args.options.format(), "Restored", &api.send(request.query("include_content", "false")).await?).await
}
