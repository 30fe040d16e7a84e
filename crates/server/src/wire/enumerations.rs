//! The closed sets of values in requests and responses, as named schemas. Each is made of the names that the parser or the
//! writer of the values knows: a value that is added there is described.

use interline_interchange::Format;
use interline_items::{
    AcceptedText as AcceptedBy, Action, CodeKind, Kind, Level, ProposalState as Proposed, ReviewState as Review, Scope,
    Source, Writes,
};
use interline_python::DecoratorKind;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

use super::code::{PARAMETER_KINDS, parameter_kind_name};
use super::error::error_codes;
use super::event::event_names;
use super::users::{ROLES, SPACE_KINDS, role_name};

/// Declares types that stand for closed sets of values where a schema is derived (`value_type = ItemType`), and
/// `enumeration_schemas()`: their schemas, by their names in the description. (Those that only parameters refer to are not
/// found by the derived description.)
macro_rules! enumerations {
    ($($(#[doc = $doc:literal])+ $name:ident = $values:expr;)+) => {
        $(
            $(#[doc = $doc])+
            pub(crate) enum $name {}

            impl utoipa::ToSchema for $name {}

            impl utoipa::PartialSchema for $name {
                fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                    $crate::wire::enumeration_schema(&[$($doc),+], $values)
                }
            }
        )+

        /// The schemas of the sets that are declared here.
        pub(crate) fn enumeration_schemas() -> Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)> {
            vec![$((<$name as utoipa::ToSchema>::name().into_owned(), <$name as utoipa::PartialSchema>::schema()),)+]
        }
    };
}
pub(crate) use enumerations;

/// The schema of a closed set of values.
pub(crate) fn enumeration_schema<V: Into<String>>(doc: &[&str], values: impl IntoIterator<Item = V>) -> RefOr<Schema> {
    let doc: Vec<&str> = doc.iter().map(|line| line.trim()).collect();
    let values = values.into_iter().map(Into::into).collect::<Vec<String>>();
    ObjectBuilder::new().schema_type(Type::String).description(Some(doc.join("\n"))).enum_values(Some(values)).into()
}

enumerations! {
    /// What an item is.
    ItemType = Kind::ALL.map(Kind::name);
    /// What a file of code is.
    EntityType = CodeKind::ALL.map(CodeKind::name);
    /// A format that is imported.
    ImportFormat = Format::ALL.map(Format::name).into_iter().chain(["records"]);
    /// A format that is exported.
    ExportFormatName = ["jsonl", "markdown", "bookmarks-html", "skill"];
    /// A field of an item that a change can be of.
    ItemField = ["title", "description", "tags", "url", "name", "arguments", "path", "front_matter", "content"];
    /// How loosely a passage is or was looked for, strictest first.
    MatchLevel = Level::ALL.map(Level::name);
    /// How a passage was found, strictest first.
    MatchType = interline_items::MatchType::names();
    /// What an edit warns of.
    WarningCode = ["lost_indentation", "joined_lines"];
    /// What becomes of the line endings of a new text: they are written as they are, or become those of the passage.
    LineEndings = interline_items::LineEndings::ALL.map(interline_items::LineEndings::name);
    /// What becomes of a whole content that was written for an older version.
    OnStale = interline_items::OnStale::ALL.iter().map(|on_stale| on_stale.name());
    /// Where whole lines are inserted.
    InsertPosition = ["start", "end"];
    /// A field that is searched inside an item.
    SearchField = interline_items::SearchField::ALL.map(interline_items::SearchField::name);
    /// The field that a snippet is from; `title` stands for the name of a prompt too.
    SnippetField = snippet_fields();
    /// What was done to an item.
    HistoryAction = Action::ALL.iter().map(|action| action.name());
    /// What people have decided about changes.
    ReviewState = Review::ALL.iter().map(|state| state.name());
    /// What became of a proposal.
    ProposalState = Proposed::ALL.iter().map(|state| state.name());
    /// What becomes of the writes of a token: they are applied, or kept as proposals until a person accepts them.
    TokenWrites = Writes::ALL.iter().map(|writes| writes.name());
    /// Whose text an accepted proposal left: that of the proposal, or the reviewer's own.
    AcceptedText = AcceptedBy::ALL.iter().map(|text| text.name());
    /// The door that a change came through.
    ChangeSource = Source::ALL.iter().map(|source| source.name());
    /// What happened to an item, a change set or a proposal.
    EventName = event_names();
    /// What became of a delivery.
    DeliveryState = delivery_states();
    /// What a token allows.
    TokenScope = Scope::ALL.map(Scope::name);
    /// Whose a space is.
    SpaceKind = SPACE_KINDS;
    /// What the caller may do in a space.
    SpaceRole = ROLES.map(role_name);
    /// What makes a function a workflow.
    WorkflowDecorator = DecoratorKind::ALL.map(DecoratorKind::as_str);
    /// How a parameter of a function is given.
    ParameterKind = PARAMETER_KINDS.map(parameter_kind_name);
    /// Whether all is well.
    HealthStatus = ["ok", "degraded"];
    /// The stable code of an error.
    ErrorCode = error_codes();
}

fn snippet_fields() -> [&'static str; 5] {
    use interline_search::SnippetField;
    [SnippetField::Content(1), SnippetField::Description, SnippetField::Title, SnippetField::Url, SnippetField::Path]
        .map(SnippetField::name)
}

fn delivery_states() -> [&'static str; 3] {
    use interline_items::DeliveryState;
    [DeliveryState::Pending(None), DeliveryState::Delivered, DeliveryState::GivenUp].map(DeliveryState::name)
}
