//! The server as a whole: connections, memory, shutdown, requests at the same time, and stores that fail.

mod concurrent_requests;
mod connections;
mod memory;
mod read_your_writes;
mod shutdown;
mod store_failures;
