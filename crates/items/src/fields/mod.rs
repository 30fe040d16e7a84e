//! Parsed types of fields: title, tag, url, path, content and others. An invalid value cannot exist.
//!
//! Each type has a `parse` that is the only way in from outside: it checks every rule of the field against the
//! [`Limits`], and says in its [`FieldError`] what is wrong and what would be right. Storages give back what was parsed
//! before with `from_stored`. Lengths are counted in Unicode scalar values, those of content in bytes of UTF-8.

mod app_slug;
mod arguments;
mod code_path;
mod content;
mod description;
mod front_matter;
mod hidden;
mod limits;
mod prompt_name;
mod sort_key;
mod tag;
mod text;
mod title;
mod url;

pub use app_slug::AppSlug;
pub use arguments::{Argument, Arguments};
pub use code_path::CodePath;
pub use content::{Content, ContentError};
pub use description::Description;
pub use front_matter::FrontMatter;
pub(crate) use hidden::{Hidden, is_blank, refuse_hidden, refuse_other_form};
pub use limits::Limits;
pub use prompt_name::PromptName;
pub use sort_key::sort_key;
pub use tag::{Tag, Tags};
pub use text::{FieldError, refuse_nul};
pub use title::Title;
pub use url::Url;
