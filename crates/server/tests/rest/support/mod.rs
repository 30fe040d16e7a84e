//! What the tests share: a store and a server for each test, clients, and assertions.

#[macro_use]
pub(crate) mod test_store;

pub(crate) mod client;
pub(crate) mod http_endpoint;
pub(crate) mod json_assertion;
pub(crate) mod openapi_document;
pub(crate) mod openapi_schema;
pub(crate) mod raw_connection;
