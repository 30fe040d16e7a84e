//! Attribution in request bodies: `reason` and `change_set`, which every body of a write may have beside its own fields.

use std::fmt;
use std::marker::PhantomData;

use interline_items::fields::FieldError;
use interline_items::{AttributionRequest, ChangeSetId, Error, Reason};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error as _, IntoDeserializer as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use uuid::Uuid;

/// Names of the fields that say why a write is made, and which change set it belongs to.
pub(crate) const REASON: &str = "reason";
pub(crate) const CHANGE_SET: &str = "change_set";

/// A `T` that is written as an object, which may have the fields of an attribution beside those of `T`.
#[derive(Debug)]
pub(crate) struct Attributed<T> {
    pub(crate) value: T,
    pub(crate) attribution: BodyAttribution,
}

/// The fields of an attribution in a body.
#[derive(Debug, Default)]
pub(crate) struct BodyAttribution {
    reason: Option<String>,
    change_set: Option<String>,
}

impl BodyAttribution {
    /// What the body says about its writes; `None` if that is nothing.
    pub(crate) fn into_request(self) -> Result<Option<AttributionRequest>, Error> {
        let BodyAttribution { reason, change_set } = self;
        if reason.is_none() && change_set.is_none() {
            return Ok(None);
        }
        let reason = reason.as_deref().map_or(Ok(None), parse_reason)?;
        let change_set = change_set.as_deref().map(parse_change_set).transpose()?;
        Ok(Some(AttributionRequest { reason, change_set, ..AttributionRequest::default() }))
    }
}

/// Parses a reason.
pub(crate) fn parse_reason(text: &str) -> Result<Option<Reason>, Error> {
    Reason::parse(text).map_err(|error| Error::ValidationFailed(vec![error]))
}

/// Parses the name of a change set.
pub(crate) fn parse_change_set(text: &str) -> Result<ChangeSetId, Error> {
    let refused = |_| Error::ValidationFailed(vec![FieldError::new(CHANGE_SET, "must be a UUID")]);
    Uuid::try_parse(text).map(ChangeSetId::from_uuid).map_err(refused)
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Attributed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Attributed<T>, D::Error> {
        deserializer.deserialize_map(AttributedVisitor(PhantomData))
    }
}

struct AttributedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for AttributedVisitor<T> {
    type Value = Attributed<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Attributed<T>, A::Error> {
        let mut attribution = BodyAttribution::default();
        let others = OtherMembers { members, attribution: &mut attribution };
        let value = T::deserialize(MapAccessDeserializer::new(others))?;
        Ok(Attributed { value, attribution })
    }
}

/// The members of an object, of which those of an attribution are taken out.
struct OtherMembers<'a, A> {
    members: A,
    attribution: &'a mut BodyAttribution,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for OtherMembers<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.members.next_key::<String>()? {
            let taken = match key.as_str() {
                REASON => (&mut self.attribution.reason, REASON),
                CHANGE_SET => (&mut self.attribution.change_set, CHANGE_SET),
                _ => return seed.deserialize(key.into_deserializer()).map(Some),
            };
            if taken.0.replace(self.members.next_value()?).is_some() {
                return Err(A::Error::duplicate_field(taken.1));
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.members.next_value_seed(seed)
    }
}
