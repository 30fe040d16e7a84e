//! Character references of HTML, read and written.

/// Those that bookmark files have; browsers write the first five and numbers.
const NAMED: [(&str, char); 32] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("hellip", '…'),
    ("mdash", '—'),
    ("ndash", '–'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("bull", '•'),
    ("middot", '·'),
    ("euro", '€'),
    ("deg", '°'),
    ("times", '×'),
    ("auml", 'ä'),
    ("ouml", 'ö'),
    ("uuml", 'ü'),
    ("Auml", 'Ä'),
    ("Ouml", 'Ö'),
    ("Uuml", 'Ü'),
    ("szlig", 'ß'),
    ("eacute", 'é'),
    ("egrave", 'è'),
];

/// The longest reference, without `&` and `;`.
const MAX_LEN: usize = 10;

/// A text with its references replaced; what is none stays.
pub(super) fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.bytes().take(MAX_LEN + 1).position(|byte| byte == b';');
        match end.and_then(|end| Some((reference(&rest[..end])?, end))) {
            Some((c, end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}

fn reference(name: &str) -> Option<char> {
    let Some(number) = name.strip_prefix('#') else {
        return NAMED.iter().find(|(known, _)| *known == name).map(|(_, c)| *c);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?).filter(|c| *c != '\0')
}

/// A text that stands for itself in HTML and in an attribute; blanks at its ends and line breaks are written as numbers, so
/// that they are not taken for layout.
pub(super) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
    for (at, c) in text.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() || (c.is_whitespace() && (at == 0 || at == last)) => {
                out.push_str(&format!("&#{};", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_replaced_and_others_stay() {
        for (text, decoded) in [
            ("a &amp; b", "a & b"),
            ("&lt;&#39;&#x27;&quot;", "<''\""),
            ("&amp;lt;", "&lt;"),
            ("&unknown; & &;", "&unknown; & &;"),
            ("&#0;&#xD800;&#99999999999;", "&#0;&#xD800;&#99999999999;"),
            ("R&D; ä&ö", "R&D; ä&ö"),
            ("&ääääääääää;", "&ääääääääää;"),
        ] {
            assert_eq!(decode(text), decoded);
        }
        for text in ["", " a\r\n ", "<b>\"'&amp;", "\u{85}\u{2028}x "] {
            assert_eq!(decode(encode(text).trim()), text);
        }
    }
}
