//! The items that the table of queries searches.

use interline_items::{ItemId, Snapshot, Space, View};
use uuid::Uuid;

use crate::fixtures::samples::{Sample, at, bookmark, description, note, prompt, title};

/// An item of the corpus, and what the table calls it.
pub(super) struct Entry {
    pub(super) label: &'static str,
    pub(super) sample: Snapshot,
}

/// What one is made of; what it has not is empty.
#[derive(Clone, Copy)]
struct Text {
    label: &'static str,
    made: Made,
    description: &'static str,
    content: Option<&'static str>,
    tags: &'static [&'static str],
    view: View,
}

#[derive(Clone, Copy)]
enum Made {
    Note { title: &'static str },
    Bookmark { url: &'static str, title: &'static str },
    Prompt { name: &'static str, title: &'static str },
}

impl Text {
    const fn note(label: &'static str, title: &'static str) -> Text {
        Text { label, made: Made::Note { title }, description: "", content: None, tags: &[], view: View::Active }
    }

    const fn bookmark(label: &'static str, url: &'static str, title: &'static str) -> Text {
        Text { made: Made::Bookmark { url, title }, ..Text::note(label, "") }
    }

    const fn prompt(label: &'static str, name: &'static str, title: &'static str) -> Text {
        Text { made: Made::Prompt { name, title }, ..Text::note(label, "") }
    }

    const fn described(self, description: &'static str) -> Text {
        Text { description, ..self }
    }

    const fn saying(self, content: &'static str) -> Text {
        Text { content: Some(content), ..self }
    }

    const fn tagged(self, tags: &'static [&'static str]) -> Text {
        Text { tags, ..self }
    }

    const fn seen_in(self, view: View) -> Text {
        Text { view, ..self }
    }
}

const TEXTS: &[Text] = &[
    Text::note("react", "React hooks: useState and useEffect")
        .saying("Call useState at the top level.\nNever call useState inside a loop; use_state is Rust.\n")
        .tagged(&["code", "react"]),
    Text::note("node", "Node.js streams")
        .described("Backpressure in node.js")
        .saying("const fs = require('fs');\nfs.createReadStream('a_b.txt');\n")
        .tagged(&["code"]),
    Text::note("cpp", "C++ templates")
        .saying("template<typename T> T max(T a, T b);\nC is not C++ and not C#.\n")
        .tagged(&["code"]),
    Text::note("sql", "LIKE patterns")
        .saying("SELECT * FROM users WHERE user_id = 7 AND name LIKE '100%_\\%';\n")
        .tagged(&["code", "db"]),
    Text::note("percent", "Discounts").saying("Get 50% off, 100% cotton.\r\nNot 5 % but 50%.\r\n").tagged(&["shop"]),
    Text::note("path", "Windows paths").saying("C:\\Users\\ada\\notes.txt and \"C:\\Program Files\""),
    Text::note("running", "Running shoes")
        .described("A runner's guide")
        .saying("She runs every day. He ran yesterday.\n"),
    Text::note("run", "Morning run"),
    Text::note("connect", "Database connections")
        .saying("connect, connected, connecting, connection: pools keep them.\n"),
    Text::note("many", "Echo").saying("edit edit edit\nedit edit edit\nedit edit edit\n"),
    Text::note("editor", "Text editors").saying("An editor edits; editing is an edit.\n"),
    Text::note("cafe", "Café au lait").saying("crème brûlée and nai\u{308}ve résumé").tagged(&["food"]),
    Text::bookmark("menu", "https://cafe.example.org/menu", "Cafe").tagged(&["food"]),
    Text::note("german", "Straßenbahn").saying("Die STRASSE ist groß. Über Öl.\n"),
    Text::note("greek", "ΟΔΟΣ").saying("οδος και ήλιος"),
    Text::note("turkish", "İstanbul").saying("Istanbul'da ılık"),
    Text::note("tokyo", "東京").saying("東京都は日本の首都です。京都ではない。\n"),
    Text::note("kyoto", "京都").saying("寺と神社がある。"),
    Text::note("korean", "한국어").saying("한국 사람은 한국어를 말한다.\n"),
    Text::note("chinese", "中文").saying("我喜欢编程。"),
    Text::note("hebrew", "שלום עולם").saying("שלום"),
    Text::note("arabic", "مرحبا").saying("مرحبا بالعالم"),
    Text::note("emoji", "Launch 🚀").saying("👍🏽 shipped 👩\u{200d}🚀 ❤\u{fe0f}\n"),
    Text::note("heart", "Love ❤").saying("❤❤ 😀"),
    Text::note("empty", "Empty").saying(""),
    Text::note("nothing", "Nothing at all"),
    Text::note("long", "One long line"),
    Text::note("shell", "Shell notes").saying("first line\r\ncargo build --release\r\nthird line\r\n"),
    Text::note("quotes", "Quotations").saying("He said “don’t panic” — twice. It's \"fine\".\n"),
    Text::note("forms", "ﬁne print").saying("oﬃce ① ２０２６ x²"),
    Text::note("numbers", "Numbers").saying("3.14 1,000 007 42 x86 utf8 v2.0.1 2026-11-15\n"),
    Text::bookmark("mail", "https://example.org/~ada?q=a+b&x=1#top", "Ada's page").described("mail ada@example.org"),
    Text::bookmark("rust", "https://www.rust-lang.org/learn", "Learn Rust")
        .described("The book, and exercises")
        .saying("Rust is learned by writing.\n")
        .tagged(&["code", "rust"]),
    Text::bookmark("docs", "https://docs.example.org/api/user_id", ""),
    Text::prompt("review", "code-review", "Review code")
        .described("Find bugs")
        .saying("Review {{ diff }} and find bugs.\n"),
    Text::prompt("summarize", "summarize_text", "").saying("Summarize the text in {{ n }} words.\n"),
    Text::note("archived", "Old running log").saying("ran and ran; running").seen_in(View::Archived),
    Text::note("trashed", "Deleted run").saying("run run run").seen_in(View::Deleted),
    Text::note("or", "This OR that").saying("either or neither; AND not NOT"),
    Text::note("stop", "The who").saying("the a an of to be or not to be"),
    Text::note("hyphen", "E-mail & co-operation").saying("soft\u{ad}hyphen zero\u{200b}width non\u{2011}breaking"),
];

/// The items of the corpus, in a space. Later ones have greater ids, were made later and changed earlier; two were used.
pub(super) fn corpus(space: &Space) -> Vec<Entry> {
    TEXTS
        .iter()
        .enumerate()
        .map(|(index, text)| Entry { label: text.label, sample: sample(space, index, text) })
        .collect()
}

/// What another author has.
pub(super) fn of_another(space: &Space) -> Entry {
    Entry { label: "elsewhere", sample: sample(space, TEXTS.len(), &Text::note("elsewhere", "Running elsewhere")) }
}

fn sample(space: &Space, index: usize, text: &Text) -> Snapshot {
    let titled = |mut sample: Snapshot, text: &str| {
        sample.item.fields.title = (!text.is_empty()).then(|| title(text));
        sample
    };
    let mut sample = match text.made {
        Made::Note { title } => note(space, title),
        Made::Bookmark { url, title } => titled(bookmark(space, url), title),
        Made::Prompt { name, title } => titled(prompt(space, name), title),
    };
    let content = if text.label == "long" { Some(long_line()) } else { text.content.map(str::to_owned) };
    if let Some(content) = content {
        sample = sample.with_content(&content);
    }
    let second = i64::try_from(index).unwrap();
    let item = &mut sample.item;
    item.id = ItemId::from_uuid(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + index as u128));
    item.fields.description = (!text.description.is_empty()).then(|| description(text.description));
    item.created_at = at(second);
    item.updated_at = at(1_000 - second);
    item.last_used_at = match text.label {
        "run" => Some(at(2_005)),
        "many" => Some(at(2_009)),
        _ => None,
    };
    match text.view {
        View::Active => {}
        View::Archived => item.archived_at = Some(at(2_000)),
        View::Deleted => item.deleted_at = Some(at(2_000)),
    }
    sample.with_tags(text.tags)
}

/// A line of 6 kB: a word in the middle, and one at the end that is longer than a word can be.
fn long_line() -> String {
    format!("{}needle {}{}", "lorem ".repeat(500), "ipsum ".repeat(500), "y".repeat(70))
}
