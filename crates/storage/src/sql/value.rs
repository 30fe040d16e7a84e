//! Values of the parameters of statements.

use std::borrow::Cow;

use interline_items::{AppId, ChangeSetId, ItemId, OrganizationId, ProposalId, SpaceId, TokenId, UserId, WebhookId};
use jiff::Timestamp;
use uuid::Uuid;

/// The value of a parameter. Times are microseconds since 1970.
#[derive(Clone, Debug)]
pub(crate) enum Value<'a> {
    Null,
    Integer(i64),
    Text(Cow<'a, str>),
    Bytes(&'a [u8]),
    /// Sixteen bytes for SQLite, a `uuid` for PostgreSQL.
    Uuid(Uuid),
}

/// Values of a statement's parameters, `?1` first: anything that is `Into<Value>`.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::sql::Value::from($value)),*] };
}
pub(crate) use values;

impl From<i64> for Value<'_> {
    fn from(integer: i64) -> Self {
        Value::Integer(integer)
    }
}

/// Databases keep signed numbers. No count of theirs comes near the largest, so that a greater number, which a client may
/// send as the version of something, finds nothing.
impl From<u64> for Value<'_> {
    fn from(count: u64) -> Self {
        Value::Integer(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value<'_> {
    fn from(count: usize) -> Self {
        Value::Integer(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<u32> for Value<'_> {
    fn from(count: u32) -> Self {
        Value::Integer(count.into())
    }
}

impl From<u16> for Value<'_> {
    fn from(count: u16) -> Self {
        Value::Integer(count.into())
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(time: Timestamp) -> Self {
        Value::Integer(time.as_microsecond())
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Value::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Text(Cow::Owned(text))
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Value<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Value::Bytes(bytes)
    }
}

impl From<Uuid> for Value<'_> {
    fn from(id: Uuid) -> Self {
        Value::Uuid(id)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl<'a> From<&'a Option<String>> for Value<'a> {
    fn from(text: &'a Option<String>) -> Self {
        text.as_deref().into()
    }
}

macro_rules! ids {
    ($($id:ty),*) => {$(
        impl From<$id> for Value<'_> {
            fn from(id: $id) -> Self {
                Value::Uuid(id.uuid())
            }
        }
    )*};
}

ids!(AppId, ChangeSetId, ItemId, OrganizationId, ProposalId, SpaceId, TokenId, UserId, WebhookId);
