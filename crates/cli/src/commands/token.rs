//! The command `interline token`: adds, lists, renames and removes tokens.

use interline_items::{Author, Writes};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use crate::args::{TokenAddArgs, TokenCommand, TokenListArgs, TokenRemoveArgs, TokenRenameArgs};
use crate::command_error::CommandError;
use crate::connection::{Connection, NewToken};
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print, print_json, print_table, printable, to_minute};

pub(super) async fn run(command: TokenCommand, environment: &Environment) -> Result<(), CommandError> {
    match command {
        TokenCommand::Add(args) => add(args, environment).await,
        TokenCommand::List(args) => list(&args, environment).await,
        TokenCommand::Rename(args) => rename(&args, environment).await,
        TokenCommand::Remove(args) => remove(&args, environment).await,
    }
}

async fn add(args: TokenAddArgs, environment: &Environment) -> Result<(), CommandError> {
    let now = Timestamp::now();
    let new = NewToken {
        name: args.name,
        scopes: some(args.scope.into_iter().map(|scope| scope.0)),
        kinds: some(args.kind.into_iter().map(|kind| kind.0)),
        expires_at: args.expires.map(|text| expiry(&text, now)).transpose()?,
        user: args.user,
        author: if args.agent { Author::Agent } else { Author::Person },
        writes: if args.propose { Writes::Propose } else { Writes::Apply },
    };
    let new = Connection::open(&args.options, environment, IfMissing::Make).await?.add_token(new).await?;
    match args.options.format() {
        OutputFormat::Json => print_json(&new),
        OutputFormat::Text => {
            let name = printable(&new.about.name);
            print(&format!("Token {name} (shown only once):\n\n    {}\n\nIts id is {}.", new.token, new.about.id))
        }
    }
}

async fn list(args: &TokenListArgs, environment: &Environment) -> Result<(), CommandError> {
    let list =
        Connection::open(&args.options, environment, IfMissing::Refuse).await?.tokens(args.user.as_deref()).await?;
    match args.options.format() {
        OutputFormat::Json => print_json(&list),
        OutputFormat::Text => {
            let rows = list.tokens.into_iter().map(|token| {
                let kinds = token.kinds.map_or("all".to_owned(), |kinds| kinds.join(","));
                let [created, expires, used] = [Some(token.created_at), token.expires_at, token.last_used_at]
                    .map(|time| time.as_deref().map(to_minute).unwrap_or_default());
                let used_by = if token.agent { "agent" } else { "person" };
                let scopes = token.scopes.join(",");
                let used_by = used_by.to_owned();
                [token.id, token.name, token.prefix, used_by, token.writes, scopes, kinds, created, expires, used]
            });
            print_table(
                ["ID", "NAME", "PREFIX", "FOR", "WRITES", "SCOPES", "KINDS", "CREATED (UTC)", "EXPIRES", "LAST USED"],
                rows.collect(),
            )
        }
    }
}

async fn rename(args: &TokenRenameArgs, environment: &Environment) -> Result<(), CommandError> {
    let token = Connection::open(&args.options, environment, IfMissing::Refuse)
        .await?
        .rename_token(&args.id, &args.name)
        .await?;
    match args.options.format() {
        OutputFormat::Json => print_json(&token),
        OutputFormat::Text => {
            let (id, name) = (printable(&token.id.to_string()), printable(&token.name));
            print(&format!("Renamed token {id} to {name}."))
        }
    }
}

async fn remove(args: &TokenRemoveArgs, environment: &Environment) -> Result<(), CommandError> {
    Connection::open(&args.options, environment, IfMissing::Refuse).await?.remove_token(&args.id).await?;
    match args.options.format() {
        OutputFormat::Json => Ok(()),
        OutputFormat::Text => print(&format!("Removed token {}.", args.id)),
    }
}

/// A collection, if it holds anything.
fn some<T, C: FromIterator<T>>(values: impl ExactSizeIterator<Item = T>) -> Option<C> {
    (values.len() > 0).then(|| values.collect())
}

/// The time that `text` names: one itself, or how long from `now` on.
fn expiry(text: &str, now: Timestamp) -> Result<Timestamp, CommandError> {
    let wrong = |what: &str| {
        CommandError::usage(format!("--expires: '{text}' {what}")).hint("write 12h, 30d, 1y, or 2027-01-31T00:00:00Z")
    };
    let time = match (text.parse::<Timestamp>(), text.parse::<Span>()) {
        (Ok(time), _) => time,
        (_, Ok(span)) => {
            let later = now.to_zoned(TimeZone::UTC).checked_add(span);
            later.map_err(|_| wrong("is too far away"))?.timestamp()
        }
        _ => return Err(wrong("is neither a time nor a length of time")),
    };
    if time > now { Ok(time) } else { Err(wrong("is not in the future")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let now = "2026-01-31T12:00:00Z".parse().expect("a time");
        assert_eq!(expiry(text, now).ok().map(|time| time.to_string()).as_deref(), expected, "{text}");
    }

    #[test]
    fn an_expiry_is_a_time_or_a_length_of_time() {
        check("30d", Some("2026-03-02T12:00:00Z"));
        check("12h", Some("2026-02-01T00:00:00Z"));
        check("2 weeks", Some("2026-02-14T12:00:00Z"));
        check("1y", Some("2027-01-31T12:00:00Z"));
        check("2027-01-31T00:00:00Z", Some("2027-01-31T00:00:00Z"));
        check("2027-01-31T01:00:00+01:00", Some("2027-01-31T00:00:00Z"));
    }

    #[test]
    fn an_expiry_that_is_over_or_means_nothing_is_refused() {
        for text in ["", "soon", "30", "-1d", "1d ago", "0d", "2025-01-01T00:00:00Z", "2027-01-31", "99999999y"] {
            check(text, None);
        }
    }
}
