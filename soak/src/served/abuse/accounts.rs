//! The users of the trial: one who works calmly, and one who attacks.

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::super::client::{Answer, Client};

/// The tokens of the two users.
pub(super) struct Accounts {
    pub(super) bystander: String,
    pub(super) attacker: String,
}

impl Accounts {
    /// Makes both, as the owner. The attacker belongs to an organization, whose code it may write.
    pub(super) fn make(owner: &mut Client) -> anyhow::Result<Accounts> {
        let organization = sent(owner, "POST", "/organizations", &json!({"name": "attackers"}))?;
        let attacker = json!({"name": "attacker", "organization_id": organization.body["id"]});
        let token = |made: &Answer| text(&made.body, "token");
        Ok(Accounts {
            attacker: token(&sent(owner, "POST", "/users", &attacker)?)?,
            bystander: token(&sent(owner, "POST", "/users", &json!({"name": "bystander"}))?)?,
        })
    }
}

/// The answer to a request that must succeed.
pub(super) fn sent(client: &mut Client, method: &str, path: &str, body: &Value) -> anyhow::Result<Answer> {
    let answer = client.send(method, path, body).with_context(|| format!("{method} {path}"))?;
    ensure!((200..300).contains(&answer.status), "{method} {path}: {} {:.500}", answer.status, answer.body.to_string());
    Ok(answer)
}

/// A text of an object.
pub(super) fn text(object: &Value, name: &str) -> anyhow::Result<String> {
    Ok(object[name].as_str().with_context(|| format!("no {name}"))?.to_owned())
}
