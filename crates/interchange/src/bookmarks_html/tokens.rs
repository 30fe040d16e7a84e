//! A lenient tokenizer of HTML: tags with attributes, and text between them. Linear, and it never fails.

/// A piece of the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Text between tags, as it stands.
    Text(&'a str),
    /// A tag.
    Open(Tag<'a>),
    /// The end of an element; its name as it stands.
    Close(&'a str),
    /// A tag that the file ends in.
    CutOff,
}

/// The beginning of an element.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    attributes: &'a str,
}

impl<'a> Tag<'a> {
    /// The value of an attribute, as it stands; its name in any case.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        Attributes { rest: self.attributes }.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// The attributes of a tag, one after the other.
struct Attributes<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let rest = self.rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/' || c == '=');
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '=').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let Some(value) = after.trim_ascii_start().strip_prefix('=') else {
            self.rest = after;
            return Some((name, ""));
        };
        let value = value.trim_ascii_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, rest) = match quote {
            Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            None => value.split_at(value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len())),
        };
        self.rest = rest;
        Some((name, value))
    }
}

/// The tokens of a file.
pub(super) struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(html: &'a str) -> Tokens<'a> {
        Tokens { rest: html }
    }

    /// A tag, a comment or a declaration at the beginning of what is left. `None` if `<` is text there.
    fn markup(&mut self) -> Option<Option<Token<'a>>> {
        let after = self.rest.strip_prefix('<')?;
        if let Some(comment) = after.strip_prefix("!--") {
            self.rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
            return Some(None);
        }
        let first = after.chars().next();
        if matches!(first, Some('!' | '?')) {
            self.rest = after.split_once('>').map_or("", |(_, rest)| rest);
            return Some(None);
        }
        let is_close = first == Some('/');
        let inside = if is_close { &after[1..] } else { after };
        if !inside.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let Some(end) = tag_end(inside) else {
            self.rest = "";
            return Some(Some(Token::CutOff));
        };
        let (tag, rest) = (&inside[..end], &inside[end + 1..]);
        self.rest = rest;
        let name_end = tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len());
        let (name, attributes) = tag.split_at(name_end);
        Some(Some(if is_close { Token::Close(name) } else { Token::Open(Tag { name, attributes }) }))
    }
}

/// Where the `>` of a tag is, which may not stand in quotes.
fn tag_end(inside: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = b' ';
    for (at, byte) in inside.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            // A quote opens a value only after `=`: `O'Reilly` in a broken tag is no string.
            (None, b'"' | b'\'') if before == b'=' => quote = Some(byte),
            (None, b'>') => return Some(at),
            (None, _) => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    None
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            if self.rest.starts_with('<') {
                match self.markup() {
                    Some(Some(token)) => return Some(token),
                    Some(None) => continue,
                    None => {}
                }
            }
            // The first byte is text, even if it is `<`.
            let first = self.rest.chars().next().map_or(0, char::len_utf8);
            let end = self.rest[first..].find('<').map_or(self.rest.len(), |at| first + at);
            let (text, rest) = self.rest.split_at(end);
            self.rest = rest;
            return Some(Token::Text(text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_leniently() {
        let tokens: Vec<Token<'_>> = Tokens::new("<!DOCTYPE x><!-- <a> -->a < b<A HREF='x>y' b>t</a ><br/>").collect();
        assert_eq!(tokens.len(), 6, "{tokens:?}");
        assert_eq!(tokens[0], Token::Text("a "));
        assert_eq!(tokens[1], Token::Text("< b"));
        let Token::Open(tag) = &tokens[2] else { panic!("{tokens:?}") };
        assert_eq!((tag.name, tag.attribute("href"), tag.attribute("B")), ("A", Some("x>y"), Some("")));
        assert_eq!((&tokens[3], &tokens[4]), (&Token::Text("t"), &Token::Close("a")));
        assert_eq!(Tokens::new("<a href=\"x").last(), Some(Token::CutOff));
        let unquoted: Vec<Token<'_>> = Tokens::new("<a href=x/y tags = a,b>").collect();
        let Token::Open(tag) = &unquoted[0] else { panic!() };
        assert_eq!((tag.attribute("href"), tag.attribute("tags")), (Some("x/y"), Some("a,b")));
    }
}
