//! Webhooks whose endpoints take a request and never answer it.

use std::io;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::sleep;

use super::Attacker;
use super::connection::Connection;

/// As many as a user may have.
const WEBHOOKS: usize = 50;
/// Between two changes of which they are to be told.
const CHANGE: Duration = Duration::from_millis(50);

/// Makes webhooks that lead here, and changes of which they are told.
pub(super) async fn hang(attacker: Attacker) {
    if let Err(error) = attack(&attacker).await {
        attacker.count(&error.kind().to_string());
    }
}

async fn attack(attacker: &Attacker) -> io::Result<()> {
    let endpoint = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", endpoint.local_addr()?);
    let own = attacker.clone();
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = endpoint.accept().await {
            own.count("delivery that hangs");
            held.push(stream);
        }
    });
    let mut connection = Connection::open(attacker.material.server).await?;
    for number in 0..WEBHOOKS {
        let body = format!(r#"{{"url": "{url}{number}"}}"#);
        let made = connection.exchange(&attacker.request("POST", "/webhooks", &body)).await?;
        attacker.count(&format!("webhook {made}"));
    }
    let change = attacker.request("POST", "/notes", r#"{"title": "a change"}"#);
    loop {
        let made = connection.exchange(&change).await?;
        attacker.count(&made.to_string());
        sleep(CHANGE).await;
    }
}
