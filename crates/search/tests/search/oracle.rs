//! What a search finds, said as plainly as it can be: every text is read, character by character. It is written from
//! the contract, and shares nothing with the code that it is compared with; the suite of the storages uses it too.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// The texts of an item that are searched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    pub(crate) title: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) content: Option<String>,
}

/// One thing that is looked for, folded.
#[derive(Clone, Debug, PartialEq)]
enum Term {
    Word(String),
    Text(String),
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Wanted(Term),
    Unwanted(Term),
    Or,
}

/// What a query asks for: alternatives of parts.
#[derive(Clone, Debug)]
pub(crate) struct Query(Vec<Vec<Part>>);

/// A query that says only what is not wanted, or says too much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Refused;

impl Query {
    /// What a query asks for; `None` if that is nothing.
    pub(crate) fn parse(query: &str) -> Result<Option<Query>, Refused> {
        let parts = parts(query);
        if query.chars().count() > 1_000 || parts.iter().filter(|part| **part != Part::Or).count() > 50 {
            return Err(Refused);
        }
        let mut alternatives: Vec<Vec<Part>> = vec![Vec::new()];
        for (index, part) in parts.iter().enumerate() {
            let current = alternatives.last_mut().unwrap();
            let has_sides = !current.is_empty() && parts.get(index + 1).is_some_and(|next| *next != Part::Or);
            let part = match part {
                Part::Or if has_sides => {
                    alternatives.push(Vec::new());
                    continue;
                }
                Part::Or => Part::Wanted(Term::Word("or".to_owned())),
                other => other.clone(),
            };
            // Said twice is said once.
            if !current.contains(&part) {
                current.push(part);
            }
        }
        if alternatives == [Vec::new()] {
            return Ok(None);
        }
        let wants = |part: &Part| matches!(part, Part::Wanted(_));
        if alternatives.iter().all(|parts| parts.iter().any(wants)) {
            Ok(Some(Query(alternatives)))
        } else {
            Err(Refused)
        }
    }

    /// How well an item matches, if it does.
    pub(crate) fn score(&self, item: &Texts) -> Option<u32> {
        let item = Folded::of(item);
        let scores: Vec<u32> = self.0.iter().filter_map(|parts| score(parts, &item)).collect();
        (!scores.is_empty()).then(|| scores.iter().sum())
    }

    /// Whether an item has anything of what is wanted.
    pub(crate) fn shows_any(&self, item: &Texts) -> bool {
        let item = Folded::of(item);
        let mut parts = self.0.iter().flatten();
        parts.any(|part| matches!(part, Part::Wanted(term) if item.weight(term).is_some()))
    }
}

/// How well an item matches all of these parts.
fn score(parts: &[Part], item: &Folded) -> Option<u32> {
    let mut sum = 0;
    for part in parts {
        match part {
            Part::Wanted(term) => sum += item.weight(term)?,
            Part::Unwanted(term) if item.weight(term).is_some() => return None,
            Part::Unwanted(_) | Part::Or => {}
        }
    }
    Some(sum)
}

fn parts(query: &str) -> Vec<Part> {
    let chars: Vec<char> = query.chars().collect();
    let at = |index: usize| chars.get(index).copied();
    let is_blank = |index: usize| at(index).is_none_or(char::is_whitespace);
    let (mut parts, mut index) = (Vec::new(), 0);
    while index < chars.len() {
        if is_blank(index) {
            index += 1;
            continue;
        }
        let is_unwanted = at(index) == Some('-') && at(index + 1) != Some('-') && !is_blank(index + 1);
        index += usize::from(is_unwanted);
        let is_quoted = at(index) == Some('"');
        let mut text = String::new();
        if is_quoted {
            index += 1;
            while index < chars.len() && at(index) != Some('"') {
                index += usize::from(at(index) == Some('\\') && at(index + 1) == Some('"'));
                text.extend(at(index));
                index += 1;
            }
            index += 1;
        } else {
            while !is_blank(index) {
                text.extend(at(index));
                index += 1;
            }
        }
        let folded = fold(&text).trim().to_owned();
        let term = if !is_quoted && is_word(&folded) { Term::Word(folded.clone()) } else { Term::Text(folded.clone()) };
        match (is_quoted, is_unwanted, text.as_str()) {
            (false, false, "OR") => parts.push(Part::Or),
            _ if folded.is_empty() => {}
            (_, true, _) => parts.push(Part::Unwanted(term)),
            (_, false, _) => parts.push(Part::Wanted(term)),
        }
    }
    parts
}

/// The texts of an item as they are compared.
struct Folded {
    title: Option<String>,
    name: Option<String>,
    description: Option<String>,
    url: Option<String>,
    path: Option<String>,
    content: Option<String>,
}

impl Folded {
    fn of(item: &Texts) -> Folded {
        let fold = |text: &Option<String>| text.as_deref().map(fold);
        Folded {
            title: fold(&item.title),
            name: fold(&item.name),
            description: fold(&item.description),
            url: fold(&item.url),
            path: fold(&item.path),
            content: fold(&item.content),
        }
    }

    fn weight(&self, term: &Term) -> Option<u32> {
        let (word, text) = match term {
            Term::Word(word) => (self.weight_of_word(word), word),
            Term::Text(text) => (0, text),
        };
        let weight = if word > 0 { word } else { self.weight_of_text(text) };
        (weight > 0).then_some(weight)
    }

    fn weight_of_word(&self, word: &str) -> u32 {
        let content = match forms(&self.content, word) {
            0 => 0,
            1 => 4,
            2..=3 => 6,
            4..=7 => 8,
            _ => 10,
        };
        let there = |field: &Option<String>, weight: u32| if forms(field, word) > 0 { weight } else { 0 };
        let heads = there(&self.title, 64) + there(&self.name, 64);
        let others = heads + there(&self.description, 24) + there(&self.url, 4) + there(&self.path, 4);
        (others + content).min(255)
    }

    fn weight_of_text(&self, text: &str) -> u32 {
        let has = |field: &Option<String>| field.as_ref().is_some_and(|field| field.contains(text));
        let there = |is_there: bool, weight: u32| if is_there { weight } else { 0 };
        there(has(&self.title) || has(&self.name), 32)
            + there(has(&self.description), 12)
            + there(has(&self.url) || has(&self.path) || has(&self.content), 2)
    }
}

/// How many words of a folded field have the stem of a word.
fn forms(field: &Option<String>, word: &str) -> usize {
    let Some(field) = field else { return 0 };
    let (words, stem_of_word) = (field.split(|char: char| !char.is_alphanumeric()), stem(word));
    words.filter(|other| is_word(other) && stem(other) == stem_of_word).count()
}

fn is_word(folded: &str) -> bool {
    !folded.is_empty() && folded.chars().count() <= 64 && folded.chars().all(char::is_alphanumeric)
}

/// Words of other letters than those of English have no forms.
fn stem(word: &str) -> String {
    let is_english = word.chars().all(|char| char.is_ascii_lowercase());
    if is_english { Stemmer::create(Algorithm::English).stem(word).into_owned() } else { word.to_owned() }
}

/// A text as it is compared.
pub(crate) fn fold(text: &str) -> String {
    let chars: String = text.chars().map(fold_char).collect();
    let mut folded = String::new();
    for char in chars.chars() {
        match char.is_whitespace() {
            true if folded.ends_with(' ') => {}
            true => folded.push(' '),
            false => folded.push(char),
        }
    }
    folded
}

fn fold_char(char: char) -> String {
    let parts: String = char.to_string().nfkd().collect();
    let is_letter_of_its_own = parts.chars().any(|part| canonical_combining_class(part) != 0 && !is_ignored(part));
    let parts = if is_letter_of_its_own || matches!(char, '가'..='힣') { char.to_string() } else { parts };
    let lower = parts.chars().flat_map(char::to_lowercase).filter(|part| !is_ignored(*part));
    lower.map(plain).collect()
}

/// Letters and signs that are written in several ways.
fn plain(char: char) -> String {
    match char {
        'ß' => "ss".to_owned(),
        'ς' => "σ".to_owned(),
        '‘' | '’' | '‚' | '‛' => "'".to_owned(),
        '“' | '”' | '„' | '‟' => "\"".to_owned(),
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => "-".to_owned(),
        _ => char.to_string(),
    }
}

fn is_ignored(char: char) -> bool {
    matches!(u32::from(char), 0x300..=0x36f | 0xad | 0x200b | 0xfeff | 0xfe00..=0xfe0f)
}
