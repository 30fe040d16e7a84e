//! The command `interline events`: follows the events of the local store or of a remote server.

use std::collections::BTreeSet;
use std::time::Duration;

use interline_items::{EventCursor, ItemId, Kind, ListenFrom, ListenRequest};
use uuid::Uuid;

use crate::args::EventsArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::{IfMissing, LocalStore};
use crate::output::{self, OutputFormat, Reader};
use crate::remote::RemoteServer;
use crate::settings::StoreAddress;
use crate::wire::{EventMessage, EventSubjectMessage};

/// The pause before the command connects again to a server that it lost: at first, and at the most.
const RETRY_PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));
/// How often the listener's view of what the owner may see is refreshed.
const REFRESH_INTERVAL: Duration = Duration::from_secs(5);

pub(super) async fn run(args: &EventsArgs, environment: &Environment) -> Result<(), CommandError> {
    match StoreAddress::from_args(&args.options.address, environment)? {
        StoreAddress::Local(store) => {
            let filter = filter(args)?;
            follow_store(&LocalStore::open(&store, IfMissing::Refuse).await?, filter, args.options.format()).await
        }
        StoreAddress::Server { url, token } => follow_server(&RemoteServer::new(url, token)?, args).await,
    }
}

/// Which events of the local store to print. A remote server checks the arguments itself.
fn filter(args: &EventsArgs) -> Result<ListenRequest, CommandError> {
    let id = |text: &String| {
        let id =
            Uuid::try_parse(text).map_err(|_| CommandError::usage(format!("--id: {text} is not the id of an item")))?;
        Ok(ItemId::from_uuid(id))
    };
    let from = match args.since.as_deref() {
        None => ListenFrom::Now,
        Some("0") => ListenFrom::Oldest,
        Some(text) => ListenFrom::After(EventCursor::parse(text).ok_or_else(|| {
            CommandError::usage(format!("--since: {text} is not a cursor"))
                .hint("write one that --json has shown, or 0")
        })?),
    };
    let ids = args.ids.iter().map(id).collect::<Result<_, CommandError>>()?;
    Ok(ListenRequest {
        from,
        kinds: Some(kinds(args)).filter(|kinds| !kinds.is_empty()),
        ids: Some(ids).filter(|_| !args.ids.is_empty()),
    })
}

fn kinds(args: &EventsArgs) -> BTreeSet<Kind> {
    args.kinds.iter().map(|kind| kind.0).collect()
}

/// Prints the events of the local store until the reader of stdout is gone.
async fn follow_store(store: &LocalStore, filter: ListenRequest, format: OutputFormat) -> Result<(), CommandError> {
    let mut listener = store.listen(filter).await?;
    let mut refresh = tokio::time::interval(REFRESH_INTERVAL);
    loop {
        tokio::select! {
            event = listener.next() => match print_event(&EventMessage::from_event(&event?), format)? {
                Reader::There => {}
                Reader::Gone => return Ok(()),
            },
            _ = refresh.tick() => store.refresh(&mut listener).await?,
        }
    }
}

/// Prints the events of a remote server until the reader of stdout is gone. After a lost connection it goes on after the
/// last event.
async fn follow_server(server: &RemoteServer, args: &EventsArgs) -> Result<(), CommandError> {
    let mut since = args.since.clone();
    let mut events = server.listen(since.as_deref(), &kinds(args), &args.ids).await?;
    loop {
        // The cursor to go on from if the connection is lost before the first event.
        let mut start_cursor = events.start_cursor.take();
        while let Some(event) = events.next().await {
            match print_event(&event, args.options.format())? {
                Reader::There => since = Some(event.cursor),
                Reader::Gone => return Ok(()),
            }
        }
        output::print_to_stderr("note: the connection to the server was lost; reconnecting");
        let mut pause = RETRY_PAUSES.0;
        events = loop {
            tokio::time::sleep(pause).await;
            pause = RETRY_PAUSES.1.min(pause * 2);
            match server.listen(since.as_deref().or(start_cursor.as_deref()), &kinds(args), &args.ids).await {
                Ok(events) => break events,
                Err(error) if error.is_refusal() => {
                    if since.is_some() || start_cursor.take().is_none() {
                        return Err(error);
                    }
                    output::print_to_stderr(
                        "note: some events of the meantime may be missing: the server no longer keeps them",
                    );
                }
                Err(_) => {}
            }
        };
    }
}

fn print_event(event: &EventMessage, format: OutputFormat) -> Result<Reader, CommandError> {
    match format {
        OutputFormat::Json => output::print_if_read(&serde_json::to_string(event).map_err(CommandError::failed)?),
        OutputFormat::Text => output::print_if_read(&line(event)),
    }
}

/// An event as a line for people.
fn line(event: &EventMessage) -> String {
    let time: String = event.at.chars().take("2026-01-31T12:00:00".len()).collect();
    let (time, source) = (time.replace('T', " "), &event.source);
    let line = match &event.subject {
        EventSubjectMessage::Item { kind, id, version, changed_fields } => {
            let what = event.event.strip_prefix("item.").unwrap_or(&event.event);
            let line = format!("{time}  {what:<10}  {kind:<8}  {id}  version {version}  by {source}");
            if changed_fields.is_empty() { line } else { format!("{line}  ({})", changed_fields.join(", ")) }
        }
        EventSubjectMessage::Proposal { kind, id, proposal, revision } => {
            let what = event.event.strip_prefix("proposal.").unwrap_or(&event.event);
            format!(
                "{time}  {what:<10}  {:<8}  {proposal}  revision {revision} for {kind} {id}  by {source}",
                "proposal"
            )
        }
        EventSubjectMessage::ChangeSet { change_set } => {
            let what = event.event.strip_prefix("change.").unwrap_or(&event.event);
            format!("{time}  {what:<10}  {:<8}  {change_set}  by {source}", "changes")
        }
    };
    output::printable(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line() {
        let mut event = EventMessage {
            cursor: "c".to_owned(),
            event: "item.updated".to_owned(),
            subject: item(&["title", "content"]),
            source: "rest".to_owned(),
            at: "2026-01-31T12:34:56.789012Z".to_owned(),
        };
        let expected = "2026-01-31 12:34:56  updated     note      0190  version 3  by rest  (title, content)";
        assert_eq!(line(&event), expected);
        event.subject = item(&[]);
        event.source = "\u{1b}[31m".to_owned();
        assert_eq!(line(&event), "2026-01-31 12:34:56  updated     note      0190  version 3  by \u{fffd}[31m");
        let subject = EventSubjectMessage::ChangeSet { change_set: "0191".to_owned() };
        let event = EventMessage { event: "change.kept".to_owned(), subject, source: "rest".to_owned(), ..event };
        assert_eq!(line(&event), "2026-01-31 12:34:56  kept        changes   0191  by rest");
    }

    #[test]
    fn an_event_is_read_as_it_is_sent() {
        for (text, subject) in [
            (
                r#"{"cursor": "c", "event": "item.created", "type": "note", "id": "0190", "version": 3, "changed_fields": ["title"],
                    "source": "rest", "at": "t", "change_set": "0191", "user": {"id": "u", "name": "ada"}}"#,
                item(&["title"]),
            ),
            (
                r#"{"cursor": "c", "event": "change.undone", "source": "rest", "at": "t", "change_set": "0191"}"#,
                EventSubjectMessage::ChangeSet { change_set: "0191".to_owned() },
            ),
        ] {
            assert_eq!(serde_json::from_str::<EventMessage>(text).unwrap().subject, subject);
        }
    }

    fn item(fields: &[&str]) -> EventSubjectMessage {
        EventSubjectMessage::Item {
            kind: "note".to_owned(),
            id: "0190".to_owned(),
            version: 3,
            changed_fields: fields.iter().map(|field| (*field).to_owned()).collect(),
        }
    }
}
