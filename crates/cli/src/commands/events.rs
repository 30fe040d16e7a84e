//! `interline events`.

use std::collections::BTreeSet;
use std::time::Duration;

use interline_items::{EventCursor, ItemId, Kind, ListenFrom, ListenRequest};
use uuid::Uuid;

use crate::args::EventsArgs;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::local::Local;
use crate::output::{self, Form, Reader};
use crate::remote::Server;
use crate::settings::TargetSettings;
use crate::shapes::EventShape;

/// How soon after each other a server is asked again that was lost, at first and at the most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));
/// How often it is looked what the owner may see.
const RENEWAL: Duration = Duration::from_secs(5);

pub(super) async fn run(args: &EventsArgs, environment: &Environment) -> Result<(), Failure> {
    match TargetSettings::of(&args.target.place, environment)? {
        TargetSettings::Local(store) => {
            let wanted = wanted(args)?;
            follow_store(&Local::open(&store).await?, wanted, args.target.form()).await
        }
        TargetSettings::Server { url, token } => follow_server(&Server::at(url, token)?, args).await,
    }
}

/// What is to be heard, where no server says what is wrong with it.
fn wanted(args: &EventsArgs) -> Result<ListenRequest, Failure> {
    let id = |text: &String| {
        let id = Uuid::try_parse(text).map_err(|_| Failure::usage(format!("--id: {text} is not the id of an item")))?;
        Ok(ItemId::from_uuid(id))
    };
    let from = match args.since.as_deref() {
        None => ListenFrom::Now,
        Some("0") => ListenFrom::Oldest,
        Some(text) => ListenFrom::After(EventCursor::parse(text).ok_or_else(|| {
            Failure::usage(format!("--since: {text} is not a cursor")).hint("write one that --json has shown, or 0")
        })?),
    };
    let ids = args.ids.iter().map(id).collect::<Result<_, Failure>>()?;
    Ok(ListenRequest {
        from,
        kinds: Some(kinds(args)).filter(|kinds| !kinds.is_empty()),
        ids: Some(ids).filter(|_| !args.ids.is_empty()),
    })
}

fn kinds(args: &EventsArgs) -> BTreeSet<Kind> {
    args.kinds.iter().map(|kind| kind.0).collect()
}

/// Tells what happens in the local store until nobody reads it any more.
async fn follow_store(store: &Local, wanted: ListenRequest, form: Form) -> Result<(), Failure> {
    let mut listener = store.listen(wanted).await?;
    let mut renewal = tokio::time::interval(RENEWAL);
    loop {
        tokio::select! {
            heard = listener.next() => match tell(&EventShape::of(&heard?), form)? {
                Reader::There => {}
                Reader::Gone => return Ok(()),
            },
            _ = renewal.tick() => store.renew(&mut listener).await?,
        }
    }
}

/// Tells what happens at a server until nobody reads it any more. Where the connection is lost, it goes on after the last
/// event.
async fn follow_server(server: &Server, args: &EventsArgs) -> Result<(), Failure> {
    let mut since = args.since.clone();
    let mut events = server.listen(since.as_deref(), &kinds(args), &args.ids).await?;
    loop {
        // Where it goes on if the connection is lost before anything is heard.
        let mut begin = events.begin.take();
        while let Some(event) = events.next().await {
            match tell(&event, args.target.form())? {
                Reader::There => since = Some(event.cursor),
                Reader::Gone => return Ok(()),
            }
        }
        output::complain("note: the connection to the server was lost; trying again");
        let mut pause = PAUSES.0;
        events = loop {
            tokio::time::sleep(pause).await;
            pause = PAUSES.1.min(pause * 2);
            match server.listen(since.as_deref().or(begin.as_deref()), &kinds(args), &args.ids).await {
                Ok(events) => break events,
                Err(failure) if failure.is_refusal() => {
                    if since.is_some() || begin.take().is_none() {
                        return Err(failure);
                    }
                    output::complain("note: what happened since it began to listen may not be kept any more");
                }
                Err(_) => {}
            }
        };
    }
}

fn tell(event: &EventShape, form: Form) -> Result<Reader, Failure> {
    match form {
        Form::Json => output::tell(&serde_json::to_string(event).map_err(Failure::failed)?),
        Form::Text => output::tell(&line(event)),
    }
}

/// An event for people.
fn line(event: &EventShape) -> String {
    let what = event.event.strip_prefix("item.").unwrap_or(&event.event);
    let time: String = event.at.chars().take("2026-01-31T12:00:00".len()).collect();
    let mut line = format!(
        "{}  {what:<10}  {:<8}  {}  version {}  by {}",
        time.replace('T', " "),
        event.kind,
        event.id,
        event.version,
        event.source
    );
    if !event.changed_fields.is_empty() {
        line = format!("{line}  ({})", event.changed_fields.join(", "));
    }
    output::shown(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line() {
        let mut event = EventShape {
            cursor: "c".to_owned(),
            event: "item.updated".to_owned(),
            kind: "note".to_owned(),
            id: "0190".to_owned(),
            version: 3,
            changed_fields: vec!["title".to_owned(), "content".to_owned()],
            source: "rest".to_owned(),
            at: "2026-01-31T12:34:56.789012Z".to_owned(),
        };
        let expected = "2026-01-31 12:34:56  updated     note      0190  version 3  by rest  (title, content)";
        assert_eq!(line(&event), expected);
        event.changed_fields.clear();
        event.source = "\u{1b}[31m".to_owned();
        assert_eq!(line(&event), "2026-01-31 12:34:56  updated     note      0190  version 3  by \u{fffd}[31m");
    }
}
