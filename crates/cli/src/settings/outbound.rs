//! The settings of outbound HTTP: the addresses that webhooks may have, and the AI endpoint that summarizes.

use interline_items::{JobPolicy, WebhookTargets};
use interline_server::{AiKey, AiSettings};
use reqwest::Url;

use super::layers::{Layers, Setting, variable};
use crate::args::ServeArgs;
use crate::command_error::CommandError;

/// Half of the places in which a server delivers.
const MAX_DELIVERIES_PER_USER: usize = 32;

/// The settings of outbound HTTP.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OutboundSettings {
    pub(crate) targets: WebhookTargets,
    pub(crate) deliveries_per_user: usize,
    pub(crate) ai: Option<AiSettings>,
}

impl OutboundSettings {
    pub(super) fn from_args(args: &ServeArgs, layers: &Layers<'_>) -> Result<OutboundSettings, CommandError> {
        let typed = args.webhook_targets.as_deref();
        let targets = layers.find("webhook-targets", typed, |file| file.webhook_targets.as_deref());
        let typed = args.deliveries_per_user.as_deref();
        let deliveries = layers.find("deliveries-per-user", typed, |file| file.deliveries_per_user.as_deref());
        let default = JobPolicy::default().deliveries_per_user;
        Ok(OutboundSettings {
            targets: targets.map_or(Ok(WebhookTargets::default()), |setting| parse_webhook_targets(&setting))?,
            deliveries_per_user: deliveries
                .map_or(Ok(default), |setting| parse_count(&setting, MAX_DELIVERIES_PER_USER))?,
            ai: parse_ai(args, layers)?,
        })
    }
}

/// A number from 1 to `most`.
pub(super) fn parse_count(setting: &Setting, most: usize) -> Result<usize, CommandError> {
    match setting.text()?.parse() {
        Ok(count) if (1..=most).contains(&count) => Ok(count),
        Ok(_) | Err(_) => Err(setting
            .invalid("is not a number in the allowed range")
            .hint(format!("write a number from 1 to {most}"))),
    }
}

fn parse_webhook_targets(setting: &Setting) -> Result<WebhookTargets, CommandError> {
    match setting.text()? {
        "public" => Ok(WebhookTargets::Public),
        "any" => Ok(WebhookTargets::Any),
        _ => Err(setting.invalid("is not a choice of webhook targets").hint("write public or any")),
    }
}

fn parse_ai(args: &ServeArgs, layers: &Layers<'_>) -> Result<Option<AiSettings>, CommandError> {
    let url = layers.find("ai-url", args.ai_url.as_deref(), |file| file.ai_url.as_deref());
    let model = layers.find("ai-model", args.ai_model.as_deref(), |file| file.ai_model.as_deref());
    match (url, model) {
        (None, None) => Ok(None),
        (Some(url), Some(model)) => {
            let endpoint = Url::parse(url.text()?).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            let endpoint = endpoint.ok_or_else(|| {
                url.invalid("is not an endpoint's address").hint("write one such as https://api.example.com/v1")
            })?;
            Ok(Some(AiSettings { url: endpoint.into(), model: model.text()?.to_owned(), key: parse_ai_key(layers)? }))
        }
        (Some(setting), None) => {
            Err(CommandError::usage(format!("{}: the endpoint needs the name of a model, too", setting.origin))
                .hint("name one with --ai-model"))
        }
        (None, Some(setting)) => {
            Err(CommandError::usage(format!("{}: the model needs the address of its endpoint, too", setting.origin))
                .hint("name one with --ai-url"))
        }
    }
}

/// The key that the AI endpoint is sent. Only the environment may hold it: what is typed, every user of the machine can
/// read.
fn parse_ai_key(layers: &Layers<'_>) -> Result<Option<AiKey>, CommandError> {
    let name = variable("ai-key");
    let Some(value) = layers.environment.get(&name) else { return Ok(None) };
    match value.to_str().map(str::trim) {
        Some(key) if !key.is_empty() && key.chars().all(|c| c.is_ascii_graphic()) => {
            Ok(Some(AiKey::new(key.to_owned())))
        }
        _ => Err(CommandError::usage(format!("{name}: not a key")).hint("a key is one word of ASCII characters")),
    }
}
