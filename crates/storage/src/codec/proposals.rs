//! What a proposal keeps as JSON text: its requests; and what a version keeps of the proposal that it applies.

use interline_items::{AcceptedProposal, AcceptedText, NamedId, ProposalId, ProposalRequest, Reason, Record, UserId};
use jiff::Timestamp;
use uuid::Uuid;

use super::{CodecError, names};

const REQUESTS: &str = "requests";
const ACCEPTED: &str = "accepted";

/// The time in microseconds, the action, the changed fields and the reason.
type Request = (i64, String, Vec<String>, Option<String>);
/// The proposal, the user who accepted it, the user's name, and whose text it is.
type Accepted = (String, String, Option<String>, String);

/// Encodes the requests that made a proposal.
pub(crate) fn encode_requests(requests: &[ProposalRequest]) -> String {
    let encode = |request: &ProposalRequest| -> Request {
        let ProposalRequest { at, action, changed_fields, reason } = request;
        let reason = reason.as_ref().map(|reason| reason.as_str().to_owned());
        (at.as_microsecond(), action.name().to_owned(), changed_fields.clone(), reason)
    };
    // Texts and numbers: there is nothing that could fail.
    serde_json::to_string(&requests.iter().map(encode).collect::<Vec<_>>()).unwrap_or_default()
}

/// The requests of an encoded text.
pub(crate) fn decode_requests(text: &str) -> Result<Vec<ProposalRequest>, CodecError> {
    let requests: Vec<Request> = serde_json::from_str(text).map_err(|_| super::json::malformed(REQUESTS))?;
    let decode = |(at, action, changed_fields, reason): Request| {
        Ok(ProposalRequest {
            at: Timestamp::from_microsecond(at).map_err(|_| super::json::malformed(REQUESTS))?,
            action: names::parse_action(&action)?,
            changed_fields,
            reason: reason.map(Reason::from_stored),
        })
    };
    requests.into_iter().map(decode).collect()
}

/// Encodes the proposal that a change applies; `None` of another change.
pub(crate) fn encode_accepted(record: &Record) -> Option<String> {
    let AcceptedProposal { proposal, by, text } = record.accepted.as_ref()?;
    let accepted: Accepted = (proposal.to_string(), by.id.to_string(), by.name.clone(), text.name().to_owned());
    serde_json::to_string(&accepted).ok()
}

/// The applied proposal of an encoded text.
pub(crate) fn decode_accepted(text: &str) -> Result<AcceptedProposal, CodecError> {
    let malformed = || super::json::malformed(ACCEPTED);
    let (proposal, user, name, text): Accepted = serde_json::from_str(text).map_err(|_| malformed())?;
    let id = |text: &str| Uuid::try_parse(text).map_err(|_| malformed());
    Ok(AcceptedProposal {
        proposal: ProposalId::from_uuid(id(&proposal)?),
        by: NamedId { id: UserId::from_uuid(id(&user)?), name },
        text: AcceptedText::from_name(&text).ok_or_else(malformed)?,
    })
}

#[cfg(test)]
mod tests {
    use interline_items::Action;

    use super::*;

    #[test]
    fn requests_come_back_as_they_were() {
        let at = Timestamp::from_microsecond(1_700_000_000_000_001).unwrap();
        let request = |reason: Option<&str>| ProposalRequest {
            at,
            action: Action::Update,
            changed_fields: vec!["title".to_owned(), "content".to_owned()],
            reason: reason.and_then(|reason| Reason::parse(reason).unwrap()),
        };
        let requests = vec![request(None), request(Some("a \"quoted\" reason"))];
        assert_eq!(decode_requests(&encode_requests(&requests)).unwrap(), requests);
        for damaged in ["", "[1]", "[[0,\"dance\",[],null]]"] {
            assert!(decode_requests(damaged).is_err(), "{damaged}");
        }
        for damaged in ["", "[]", "[\"x\",\"y\",null,\"proposed\"]"] {
            assert!(decode_accepted(damaged).is_err(), "{damaged}");
        }
    }
}
