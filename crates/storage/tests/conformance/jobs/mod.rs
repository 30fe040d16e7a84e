//! The job queue, webhooks and their deliveries.

pub(crate) mod queue;
pub(crate) mod webhooks;
