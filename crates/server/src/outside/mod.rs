//! The world outside: webhooks that are told what happened, and a model that summarizes. It may be slow, wrong or gone,
//! and it may be somebody's attempt to reach what only this machine can reach.

mod client;
mod model;
mod webhook;

use async_trait::async_trait;
use interline_items::{
    Attempt, Delivery, Outbound, SummaryError, SummaryRequest, SummaryResult, Webhook, WebhookTargets,
};

use crate::JobSettings;
use client::LazyClient;
use model::Model;

/// The world outside, over HTTP.
pub(crate) struct Internet {
    /// For addresses that users gave.
    strangers: LazyClient,
    targets: WebhookTargets,
    /// At the address that the operator gave.
    model: Option<Model>,
}

impl Internet {
    pub(crate) fn new(settings: &JobSettings) -> Internet {
        Internet {
            strangers: LazyClient::new(settings.tls, settings.targets),
            targets: settings.targets,
            model: settings.ai.clone().map(|ai| Model::new(ai, LazyClient::new(settings.tls, WebhookTargets::Any))),
        }
    }
}

#[async_trait]
impl Outbound for Internet {
    async fn deliver(&self, webhook: &Webhook, delivery: &Delivery) -> Attempt {
        let attempt = webhook::deliver(&self.strangers, self.targets, webhook, delivery).await;
        count("interline_deliveries_total", attempt.failure.is_none());
        attempt
    }

    fn model(&self) -> Option<&str> {
        self.model.as_ref().map(Model::name)
    }

    async fn summarize(&self, text: &SummaryRequest) -> Result<SummaryResult, SummaryError> {
        let Some(model) = &self.model else { return Err(SummaryError::Unreachable("there is no model".to_owned())) };
        let said = model.summarize(text).await;
        count("interline_enrichments_total", said.is_ok());
        said
    }
}

/// Counts an attempt by how it ended.
fn count(name: &'static str, is_success: bool) {
    let outcome = if is_success { "success" } else { "failure" };
    metrics::counter!(name, "outcome" => outcome).increment(1);
}

/// An error with what caused it: reqwest's own says little.
fn told(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(deeper) = cause {
        text = format!("{text}: {deeper}");
        cause = deeper.source();
    }
    text
}
