//! The blame of an item in responses: from which version each line came.

use interline_items::{Author, Blame, BlameRange, Reason};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{ClientResponse, NamedIdResponse};
use crate::wire::Time;

/// From which version each line of an item came.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Blame)]
pub(crate) struct BlameResponse<'a> {
    /// The version of the item that the lines are of.
    #[schema(value_type = i64, minimum = 1)]
    version: u64,
    /// How many lines there are; the empty one after a final line ending counts. 0 without content.
    #[schema(value_type = i64, minimum = 0)]
    total_lines: usize,
    /// All lines, in order. Neighbours came from different versions.
    ranges: Vec<BlameRangeResponse<'a>>,
}

/// Lines next to each other that came from one version.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BlameRange)]
pub(crate) struct BlameRangeResponse<'a> {
    /// The first line.
    #[schema(value_type = i64, minimum = 1)]
    start_line: usize,
    /// The last line, inclusive.
    #[schema(value_type = i64, minimum = 1)]
    end_line: usize,
    /// The version that they came from.
    #[schema(value_type = i64, minimum = 1)]
    version: u64,
    /// Whose change it was.
    user: NamedIdResponse<'a>,
    /// The token that was used, if one was.
    token: Option<NamedIdResponse<'a>>,
    /// The program that made it, as it calls itself.
    client: ClientResponse<'a>,
    /// Whether an agent made it.
    agent: bool,
    /// Why, in the words of who made it.
    reason: Option<&'a str>,
    /// What one client did in one go; it is read at `/changes/{id}`.
    change_set: Uuid,
    /// When.
    created_at: Time,
}

impl<'a> From<&'a Blame> for BlameResponse<'a> {
    fn from(blame: &'a Blame) -> BlameResponse<'a> {
        BlameResponse {
            version: blame.version,
            total_lines: blame.total_lines,
            ranges: blame.ranges.iter().map(BlameRangeResponse::from).collect(),
        }
    }
}

impl<'a> From<&'a BlameRange> for BlameRangeResponse<'a> {
    fn from(range: &'a BlameRange) -> BlameRangeResponse<'a> {
        let BlameRange { start_line, end_line, record } = range;
        BlameRangeResponse {
            start_line: *start_line,
            end_line: *end_line,
            version: record.stamp.version,
            user: NamedIdResponse::new(&record.user, record.user.id.uuid()),
            token: record.token.as_ref().map(|token| NamedIdResponse::new(token, token.id.uuid())),
            client: ClientResponse::from(&record.attribution.client),
            agent: record.attribution.author == Author::Agent,
            reason: record.attribution.reason.as_ref().map(Reason::as_str),
            change_set: record.attribution.change_set.id.uuid(),
            created_at: Time(record.at),
        }
    }
}
