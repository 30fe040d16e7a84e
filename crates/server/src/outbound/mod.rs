//! Outbound HTTP: webhook delivery, and the model that summarizes.
//!
//! The other end may be slow, wrong or gone, and its address may be a user's attempt to reach what only this machine can
//! reach.

mod model;
mod public_address_client;
mod webhook_delivery;

use async_trait::async_trait;
use interline_items::{Attempt, Delivery, SummaryError, SummaryRequest, SummaryResult, Webhook, WebhookTargets};

use crate::JobSettings;
use model::SummaryModel;
use public_address_client::LazyClient;

/// Outbound HTTP of the job worker.
pub(crate) struct OutboundHttp {
    /// For the addresses of webhooks, which users choose.
    webhook_client: LazyClient,
    targets: WebhookTargets,
    /// At the address that the operator configured.
    model: Option<SummaryModel>,
}

impl OutboundHttp {
    pub(crate) fn new(settings: &JobSettings) -> OutboundHttp {
        let model = |ai| SummaryModel::new(ai, LazyClient::new(settings.tls, WebhookTargets::Any));
        OutboundHttp {
            webhook_client: LazyClient::new(settings.tls, settings.targets),
            targets: settings.targets,
            model: settings.ai.clone().map(model),
        }
    }
}

#[async_trait]
impl interline_items::Outbound for OutboundHttp {
    async fn deliver(&self, webhook: &Webhook, delivery: &Delivery) -> Attempt {
        let attempt = webhook_delivery::deliver(&self.webhook_client, self.targets, webhook, delivery).await;
        count_attempt("interline_deliveries_total", attempt.failure.is_none());
        attempt
    }

    fn model(&self) -> Option<&str> {
        self.model.as_ref().map(SummaryModel::name)
    }

    async fn summarize(&self, text: &SummaryRequest) -> Result<SummaryResult, SummaryError> {
        let Some(model) = &self.model else { return Err(SummaryError::Unreachable("there is no model".to_owned())) };
        let result = model.summarize(text).await;
        count_attempt("interline_enrichments_total", result.is_ok());
        result
    }
}

/// Counts an attempt by how it ended.
fn count_attempt(name: &'static str, is_success: bool) {
    let outcome = if is_success { "success" } else { "failure" };
    metrics::counter!(name, "outcome" => outcome).increment(1);
}

/// An error with all its causes: the message of reqwest's own error alone says little.
fn error_with_causes(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(deeper) = cause {
        text = format!("{text}: {deeper}");
        cause = deeper.source();
    }
    text
}
