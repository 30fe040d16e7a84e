//! Whether a content is what its kind demands, and what is to be known of it.

use std::sync::Arc;

use interline_python::{Function, SdkName, check};
use interline_template::Template;

use crate::fields::Arguments;
use crate::template::check as check_arguments;
use crate::threads::LargeStack;
use crate::{CodeKind, ContentInfo, ContentRule, Error, Fields, Item, Kind, KindMismatch};

use super::Interline;

/// Work on a text of more bytes takes long enough to hold up others.
pub(super) const BIG_BYTES: usize = 64 * 1024;

/// What follows from a content.
pub(super) struct Examined {
    content: Option<ContentInfo>,
    functions: Option<Vec<Function>>,
}

impl Examined {
    /// Has an item say it.
    pub(super) fn put_into(self, item: &mut Item) {
        item.content = self.content;
        item.functions = self.functions;
    }
}

impl Interline {
    /// What is to be known of a content, if it is what its kind demands, together with the fields.
    pub(super) async fn examined(
        &self,
        kind: Kind,
        fields: &Fields,
        content: Option<Arc<str>>,
    ) -> Result<Examined, Error> {
        match kind.rules().content {
            ContentRule::Text | ContentRule::Code(CodeKind::AppFile) => {
                Ok(Examined { content: self.measured(content).await?, functions: None })
            }
            ContentRule::Template => {
                let arguments = fields.arguments.clone().unwrap_or_default();
                let examine = move |stack: &LargeStack| {
                    let text = content.unwrap_or_default();
                    fit_arguments(&parse_template(&text, stack)?, &arguments)?;
                    Ok(Examined { content: Some(ContentInfo::of(&text)), functions: None })
                };
                self.threads.run(examine).await?
            }
            ContentRule::Code(kind) => {
                let sdk = Arc::clone(&self.sdk);
                let examine = move |stack: &LargeStack| {
                    let text = content.unwrap_or_default();
                    let functions = check_code(kind, &text, &sdk, stack)?;
                    Ok(Examined { content: Some(ContentInfo::of(&text)), functions })
                };
                self.threads.run(examine).await?
            }
        }
    }

    /// What is to be known of a content.
    pub(super) async fn measured(&self, content: Option<Arc<str>>) -> Result<Option<ContentInfo>, Error> {
        match content {
            None => Ok(None),
            Some(text) if text.len() <= BIG_BYTES => Ok(Some(ContentInfo::of(&text))),
            Some(text) => Ok(Some(self.threads.run(move |_| ContentInfo::of(&text)).await?)),
        }
    }
}

/// The functions of a workflow, `None` of other code; an error if the text is not code of that kind. Every way of writing
/// code comes through here.
pub(super) fn check_code(
    kind: CodeKind,
    text: &str,
    sdk: &SdkName,
    stack: &LargeStack,
) -> Result<Option<Vec<Function>>, Error> {
    let functions = match kind {
        CodeKind::AppFile => return Ok(None),
        CodeKind::Workflow | CodeKind::Module => check(text, sdk, stack).map_err(Error::InvalidCode)?.functions,
    };
    match (kind, functions.first()) {
        (CodeKind::Workflow, None) => {
            let (declared, detected) = (CodeKind::Workflow, CodeKind::Module);
            Err(Error::EntityTypeMismatch(KindMismatch { declared, detected, decorator: None }))
        }
        (CodeKind::Module, Some(function)) => {
            let (declared, detected) = (CodeKind::Module, CodeKind::Workflow);
            let decorator = Some(function.decorator);
            Err(Error::EntityTypeMismatch(KindMismatch { declared, detected, decorator }))
        }
        (CodeKind::Workflow, Some(_)) => Ok(Some(functions)),
        (CodeKind::Module | CodeKind::AppFile, _) => Ok(None),
    }
}

/// The template that a text is.
pub(super) fn parse_template(text: &str, stack: &LargeStack) -> Result<Template, Error> {
    Template::parse(text, stack).map_err(|error| Error::InvalidTemplate {
        line: error.line,
        detail: error.detail,
        undefined_variables: Vec::new(),
        unused_arguments: Vec::new(),
    })
}

/// Refuses a template that has not exactly these arguments.
pub(super) fn fit_arguments(template: &Template, arguments: &Arguments) -> Result<(), Error> {
    check_arguments(template, arguments).map_err(|mismatch| Error::InvalidTemplate {
        line: None,
        detail: mismatch.to_string(),
        undefined_variables: mismatch.undefined_variables,
        unused_arguments: mismatch.unused_arguments,
    })
}
