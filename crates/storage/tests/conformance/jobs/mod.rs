//! The job queue, webhooks and their deliveries.

pub(crate) mod jobs;
pub(crate) mod webhooks;
