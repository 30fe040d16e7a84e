//! What is done after changes: where webhooks may lead, and which model summarizes.

use interline_items::Targets;
use interline_server::{AiKey, AiSettings};
use reqwest::Url;

use super::layers::{Given, Layers, variable};
use crate::args::ServeArgs;
use crate::failure::Failure;

/// What is done after changes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AfterChange {
    pub(crate) targets: Targets,
    pub(crate) ai: Option<AiSettings>,
}

impl AfterChange {
    pub(super) fn of(args: &ServeArgs, layers: &Layers<'_>) -> Result<AfterChange, Failure> {
        let typed = args.webhook_targets.as_deref();
        let targets = layers.find("webhook-targets", typed, |file| file.webhook_targets.as_deref());
        Ok(AfterChange {
            targets: targets.map_or(Ok(Targets::default()), |given| targets_of(&given))?,
            ai: ai(args, layers)?,
        })
    }
}

fn targets_of(given: &Given) -> Result<Targets, Failure> {
    match given.text()? {
        "public" => Ok(Targets::Public),
        "any" => Ok(Targets::Any),
        _ => Err(given.wrong("does not say where webhooks may lead").hint("write public or any")),
    }
}

fn ai(args: &ServeArgs, layers: &Layers<'_>) -> Result<Option<AiSettings>, Failure> {
    let url = layers.find("ai-url", args.ai_url.as_deref(), |file| file.ai_url.as_deref());
    let model = layers.find("ai-model", args.ai_model.as_deref(), |file| file.ai_model.as_deref());
    match (url, model) {
        (None, None) => Ok(None),
        (Some(url), Some(model)) => {
            let endpoint = Url::parse(url.text()?).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            let endpoint = endpoint.ok_or_else(|| {
                url.wrong("is not an endpoint's address").hint("write one such as https://api.example.com/v1")
            })?;
            Ok(Some(AiSettings { url: endpoint.into(), model: model.text()?.to_owned(), key: key(layers)? }))
        }
        (Some(given), None) => Err(Failure::usage(format!("{}: an endpoint has several models", given.origin))
            .hint("name one with --ai-model")),
        (None, Some(given)) => {
            Err(Failure::usage(format!("{}: there is no endpoint that has the model", given.origin))
                .hint("name one with --ai-url"))
        }
    }
}

/// What the endpoint is shown. The environment alone may hold it: what is typed, everybody on the machine can read.
fn key(layers: &Layers<'_>) -> Result<Option<AiKey>, Failure> {
    let name = variable("ai-key");
    let Some(value) = layers.environment.get(&name) else { return Ok(None) };
    match value.to_str().map(str::trim) {
        Some(key) if !key.is_empty() && key.chars().all(|c| c.is_ascii_graphic()) => {
            Ok(Some(AiKey::new(key.to_owned())))
        }
        _ => Err(Failure::usage(format!("{name}: not a key")).hint("a key is one word of ASCII characters")),
    }
}
