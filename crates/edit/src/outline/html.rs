//! HTML blocks in Markdown: how they start, and what ends them.

/// The tags that start a block wherever they stand.
#[rustfmt::skip]
const BLOCK_TAGS: [&str; 62] = [
    "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup",
    "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame",
    "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link",
    "main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul",
];

/// The tags whose content is not text.
const RAW_TAGS: [&str; 4] = ["pre", "script", "style", "textarea"];

/// What ends an HTML block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HtmlEnd {
    /// The line that holds this.
    Marker(&'static str),
    /// The line that holds the closing tag of any of [`RAW_TAGS`].
    RawTag,
    /// A blank line.
    Blank,
}

impl HtmlEnd {
    pub(super) fn is_on(self, line: &str) -> bool {
        match self {
            HtmlEnd::Marker(marker) => line.contains(marker),
            HtmlEnd::RawTag => line.match_indices("</").any(|(at, _)| {
                let name = tag_name(&line[at + 2..]);
                RAW_TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name))
                    && line[at + 2 + name.len()..].starts_with('>')
            }),
            HtmlEnd::Blank => line.trim().is_empty(),
        }
    }
}

/// An HTML block's first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HtmlStart {
    /// May stand right after the text of a paragraph.
    Block(HtmlEnd),
    /// A tag alone on its line; in a paragraph it is text.
    Tag,
}

/// Whether an HTML block starts with `line`, which has no indentation.
pub(super) fn html_start(line: &str) -> Option<HtmlStart> {
    let rest = line.strip_prefix('<')?;
    let ends_with = |marker| Some(HtmlStart::Block(HtmlEnd::Marker(marker)));
    if rest.starts_with("!--") {
        return ends_with("-->");
    }
    if rest.starts_with('?') {
        return ends_with("?>");
    }
    if rest.starts_with("![CDATA[") {
        return ends_with("]]>");
    }
    if let Some(declaration) = rest.strip_prefix('!') {
        return if declaration.starts_with(|c: char| c.is_ascii_alphabetic()) { ends_with(">") } else { None };
    }
    tag_start(rest)
}

/// The same for what follows the `<` of a tag.
fn tag_start(rest: &str) -> Option<HtmlStart> {
    let (inner, closes) = rest.strip_prefix('/').map_or((rest, false), |inner| (inner, true));
    let name = tag_name(inner);
    let after = &inner[name.len()..];
    if name.is_empty() || !(after.is_empty() || after.starts_with([' ', '\t', '>', '/'])) {
        return None;
    }
    let is_one_of = |tags: &[&str]| tags.iter().any(|tag| tag.eq_ignore_ascii_case(name));
    if is_one_of(&BLOCK_TAGS) {
        return Some(HtmlStart::Block(HtmlEnd::Blank));
    }
    if !closes && is_one_of(&RAW_TAGS) {
        return Some(HtmlStart::Block(HtmlEnd::RawTag));
    }
    // The grammar of attributes is not read: one pair of brackets around the whole line is a tag.
    let inside = after.trim_end().strip_suffix('>')?;
    if inside.contains(['<', '>']) { None } else { Some(HtmlStart::Tag) }
}

/// The tag's name that `text` starts with; empty if there is none.
fn tag_name(text: &str) -> &str {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return "";
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(text.len());
    &text[..end]
}
