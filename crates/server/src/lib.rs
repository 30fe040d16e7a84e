//! The doors of the store: the REST API.
