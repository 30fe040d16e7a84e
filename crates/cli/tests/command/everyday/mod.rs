//! The everyday commands, on the local store and against a server.

mod changes;
mod docs;
mod documents;
mod edit;
mod interrupted;
mod items;
mod lifecycle;
mod proposals;
mod store_access;
mod transfer;
