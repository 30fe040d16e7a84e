//! Text as a Jinja2 template that renders to it, and back; variables of other tools as variables of ours.

/// A text that renders to itself: each `{{`, `{%` and `{#` becomes an expression with that text.
pub(crate) fn escape(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            Some(mark) => {
                out.push_str(&expression(mark));
                rest = &rest[2..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Takes [`escape`] back, in one pass: what is put together by it is not looked at again.
pub(crate) fn unescape(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("{{ '") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match MARKS.iter().find(|mark| rest.starts_with(&expression(mark))) {
            Some(mark) => {
                out.push_str(mark);
                rest = &rest[expression(mark).len()..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

const MARKS: [&str; 3] = ["{{", "{%", "{#"];

fn expression(mark: &str) -> String {
    format!("{{{{ '{mark}' }}}}")
}

/// Gives the variables of one prompt their names in Jinja2: `^[a-z][a-z0-9_]*$`, no two alike.
#[derive(Default)]
pub(crate) struct Variables {
    /// The name in the source, and ours, in the order of their appearance.
    names: Vec<(String, String)>,
}

impl Variables {
    /// A text in which `{{name}}` is a variable and nothing else is anything: as a template, with the variables that it
    /// has.
    pub(crate) fn template(&mut self, source: &str) -> (String, Vec<String>) {
        let mut out = String::with_capacity(source.len());
        let mut used: Vec<String> = Vec::new();
        let mut rest = source;
        while let Some(at) = rest.find('{') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some((inner, length)) = variable(rest) {
                let name = self.name(inner);
                out.push_str(&rest[..length].replacen(inner, &name, 1));
                if !used.contains(&name) {
                    used.push(name);
                }
                rest = &rest[length..];
                continue;
            }
            let mark = MARKS.iter().find(|mark| rest.starts_with(**mark));
            out.push_str(&mark.map_or_else(|| "{".to_owned(), |mark| expression(mark)));
            rest = &rest[mark.map_or(1, |mark| mark.len())..];
        }
        out.push_str(rest);
        (out, used)
    }

    /// What was renamed: the name in the source, and ours.
    pub(crate) fn renamed(&self) -> impl Iterator<Item = (&str, &str)> {
        self.names.iter().filter(|(source, name)| source != name).map(|(source, name)| (source.as_str(), name.as_str()))
    }

    fn name(&mut self, source: &str) -> String {
        if let Some((_, name)) = self.names.iter().find(|(known, _)| known == source) {
            return name.clone();
        }
        let snake = snake_case(source);
        let numbered = (2_usize..).map(|number| format!("{snake}_{number}"));
        let is_free = |name: &String| !self.names.iter().any(|(_, used)| used == name);
        let name = std::iter::once(snake.clone()).chain(numbered).find(is_free).unwrap_or(snake);
        self.names.push((source.to_owned(), name.clone()));
        name
    }
}

/// Names that mean something else to Jinja2.
const KEYWORDS: [&str; 13] =
    ["and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "loop", "self", "for"];

/// The longest name of a variable.
const MAX_VARIABLE_BYTES: usize = 90;

/// The name in a variable at the beginning of a text, and the length of it all.
fn variable(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix("{{")?;
    let end = inside.bytes().take(MAX_VARIABLE_BYTES).position(|byte| byte == b'}')?;
    let name = inside[..end].trim();
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_name && inside[end..].starts_with("}}")).then_some((name, end + 4))
}

fn snake_case(source: &str) -> String {
    let (mut name, mut before) = (String::new(), '_');
    for c in source.chars() {
        if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
        before = c;
    }
    let name = name.trim_start_matches('_');
    match name.chars().next() {
        Some('a'..='z') if KEYWORDS.contains(&name) => format!("{name}_value"),
        Some('a'..='z') => name.to_owned(),
        _ => format!("v_{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_template_is_escaped_and_comes_back() {
        for (source, escaped) in [
            ("plain { } text", "plain { } text"),
            ("{{ x }}", "{{ '{{' }} x }}"),
            ("{% if %}{# c #}", "{{ '{%' }} if %}{{ '{#' }} c #}"),
            ("{{{%", "{{ '{{' }}{{ '{%' }}"),
            ("{{ '{{' }}", "{{ '{{' }} '{{ '{{' }}' }}"),
            ("{", "{"),
        ] {
            assert_eq!(escape(source), escaped);
            assert_eq!(unescape(escaped), source);
        }
    }

    #[test]
    fn variables_get_names_of_ours_and_the_rest_is_text() {
        let mut variables = Variables::default();
        let (template, used) = variables
            .template("Hi {{userName}}, {{ user_name }} {{1st}} {{user.name}} {% raw %} {{in}} {{userName}} {{ {");
        assert_eq!(
            template,
            "Hi {{user_name}}, {{ user_name_2 }} {{v_1st}} {{ '{{' }}user.name}} {{ '{%' }} raw %} {{in_value}} \
             {{user_name}} {{ '{{' }} {"
        );
        assert_eq!(used, ["user_name", "user_name_2", "v_1st", "in_value"]);
        assert_eq!(variables.renamed().count(), 4);
    }
}
