//! Checks that a content is what its kind demands (text, template, code), and what is derived from it.

use std::sync::Arc;

use interline_python::{Function, SdkName, check};
use interline_template::Template;

use crate::fields::Arguments;
use crate::memory_budget::take_in_all_for_work;
use crate::template::check as check_arguments;
use crate::threads::LargeStack;
use crate::{CodeKind, ContentInfo, ContentRule, Error, Fields, Item, Kind, KindMismatch};

use crate::usecases::{Caller, Interline};

/// Work on a text of more bytes takes long enough to hold up other requests: it runs on a thread of its own.
pub(in crate::usecases) const BIG_BYTES: usize = 64 * 1024;

/// How many times its bytes checking a module takes at the most, of one that is a single statement: see `interline-bench python`.
const CODE_FACTOR: usize = 12;

/// What an item holds of its content besides the text: its figures, and the functions of a workflow.
pub(in crate::usecases) struct CheckedContent {
    content: Option<ContentInfo>,
    functions: Option<Vec<Function>>,
}

impl CheckedContent {
    /// Gives an item what is derived from its content.
    pub(in crate::usecases) fn apply_to(self, item: &mut Item) {
        item.content = self.content;
        item.functions = self.functions;
    }
}

impl Interline {
    /// Checks a content against the rules of its kind, together with the fields.
    pub(in crate::usecases) async fn check_content(
        &self,
        caller: &Caller,
        kind: Kind,
        fields: &Fields,
        content: Option<Arc<str>>,
    ) -> Result<CheckedContent, Error> {
        match kind.rules().content {
            ContentRule::Text | ContentRule::Code(CodeKind::AppFile) => {
                Ok(CheckedContent { content: self.content_info(caller, content).await?, functions: None })
            }
            ContentRule::Template => {
                let arguments = fields.arguments.clone().unwrap_or_default();
                let check = move |stack: &LargeStack| {
                    let text = content.unwrap_or_default();
                    check_template_arguments(&parse_template(&text, stack)?, &arguments)?;
                    Ok(CheckedContent { content: Some(ContentInfo::from_text(&text)), functions: None })
                };
                self.threads.run(caller.work_for(), check).await?
            }
            ContentRule::Code(kind) => {
                take_for_code(content.as_ref().map_or(0, |text| text.len()))?;
                let sdk = Arc::clone(&self.sdk);
                let check = move |stack: &LargeStack| {
                    let text = content.unwrap_or_default();
                    let functions = check_code(kind, &text, &sdk, stack)?;
                    Ok(CheckedContent { content: Some(ContentInfo::from_text(&text)), functions })
                };
                self.threads.run(caller.work_for(), check).await?
            }
        }
    }

    /// The figures of a content: counted here if it is short, on a thread of its own otherwise.
    pub(in crate::usecases) async fn content_info(
        &self,
        caller: &Caller,
        content: Option<Arc<str>>,
    ) -> Result<Option<ContentInfo>, Error> {
        match content {
            None => Ok(None),
            Some(text) if text.len() <= BIG_BYTES => Ok(Some(ContentInfo::from_text(&text))),
            Some(text) => Ok(Some(self.threads.run(caller.work_for(), move |_| ContentInfo::from_text(&text)).await?)),
        }
    }
}

/// Takes the memory for checking so many bytes as code.
pub(in crate::usecases) fn take_for_code(bytes: usize) -> Result<(), Error> {
    take_in_all_for_work(bytes.saturating_mul(CODE_FACTOR))
}

/// Checks that a text is code of a kind, and returns the functions of a workflow (`None` of other code). Every write of
/// code goes through here.
pub(in crate::usecases) fn check_code(
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

/// Parses a template.
pub(in crate::usecases) fn parse_template(text: &str, stack: &LargeStack) -> Result<Template, Error> {
    Template::parse(text, stack).map_err(|error| Error::InvalidTemplate {
        line: error.line,
        detail: error.detail,
        undefined_variables: Vec::new(),
        unused_arguments: Vec::new(),
    })
}

/// Refuses a template whose variables are not exactly these arguments.
pub(in crate::usecases) fn check_template_arguments(template: &Template, arguments: &Arguments) -> Result<(), Error> {
    check_arguments(template, arguments).map_err(|mismatch| Error::InvalidTemplate {
        line: None,
        detail: mismatch.to_string(),
        undefined_variables: mismatch.undefined_variables,
        unused_arguments: mismatch.unused_arguments,
    })
}
