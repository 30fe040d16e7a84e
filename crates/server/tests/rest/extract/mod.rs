//! Bodies and conditions of requests.

mod body;
mod conditions;
