//! Webhook delivery: an event as a POST to a webhook, signed as the Standard Webhooks specification says.

use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use interline_items::{Attempt, DELIVERY_TIME, Delivery, Webhook, WebhookTargets, WebhookUrl};
use jiff::{SignedDuration, Timestamp};
use reqwest::header::CONTENT_TYPE;
use sha2::Sha256;

use super::error_with_causes;
use super::public_address_client::LazyClient;
use crate::wire::DeliveredEvent;

/// Sends an event to a webhook, once.
pub(super) async fn deliver(
    client: &LazyClient,
    targets: WebhookTargets,
    webhook: &Webhook,
    delivery: &Delivery,
) -> Attempt {
    let (at, began) = (Timestamp::now(), Instant::now());
    let status = post(client, targets, webhook, delivery, at).await;
    let took = SignedDuration::try_from(began.elapsed()).unwrap_or_default();
    let (status, failure) = match status {
        Ok(status) => (Some(status), failure_of_status(status)),
        Err(failure) => (None, Some(failure)),
    };
    Attempt { at, took, status, failure }
}

/// The status that the webhook endpoint answered with. The body of its response is not read, however long it is.
async fn post(
    client: &LazyClient,
    targets: WebhookTargets,
    webhook: &Webhook,
    delivery: &Delivery,
    at: Timestamp,
) -> Result<u16, String> {
    // The rule may be stricter than when the webhook was created, and an IP address never reaches the resolver.
    let url = WebhookUrl::parse(webhook.url.as_str(), targets).map_err(|error| error.message)?;
    let id = format!("{}.{}", webhook.id, delivery.number);
    let body = serde_json::to_string(&DeliveredEvent::new(webhook, delivery)).map_err(|error| error.to_string())?;
    let signature = signature(&webhook.secret.key(), &id, at, &body)?;
    let request = client
        .get()
        .await?
        .post(url.as_str())
        .timeout(DELIVERY_TIME)
        .header(CONTENT_TYPE, "application/json")
        .header("webhook-id", id)
        .header("webhook-timestamp", at.as_second().to_string())
        .header("webhook-signature", signature)
        .body(body);
    match request.send().await {
        Ok(response) => Ok(response.status().as_u16()),
        Err(error) if error.is_timeout() => Err(format!("no answer within {} seconds", DELIVERY_TIME.as_secs())),
        Err(error) => Err(error_with_causes(&error.without_url())),
    }
}

/// Why a status means that the endpoint did not take the message.
fn failure_of_status(status: u16) -> Option<String> {
    match status {
        200..=299 => None,
        300..=399 => Some(format!("answered {status}: redirects are not followed, give the address itself")),
        _ => Some(format!("answered {status}")),
    }
}

/// `v1,` and the HMAC-SHA256 of id, time and body.
fn signature(key: &[u8], id: &str, at: Timestamp, body: &str) -> Result<String, String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|error| error.to_string())?;
    mac.update(format!("{id}.{}.{body}", at.as_second()).as_bytes());
    Ok(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification.
    #[test]
    fn a_message_is_signed_as_others_verify_it() {
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let at = Timestamp::from_second(1_614_265_330).unwrap();
        let signed = signature(&key, "msg_p5jXN8AQM9LWM0D4loKWxJek", at, r#"{"test": 2432232314}"#).unwrap();
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
