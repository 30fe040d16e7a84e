//! Bytes that no tool wrote: every reader answers, and in bounded time.

use std::io::Cursor;
use std::ops::ControlFlow;

use interline_interchange::{Entry, FileTimes, Format, ReadLimits, Shape, read_archive, read_document, read_file};

fn feed(format: Format, bytes: &[u8]) {
    let limits = ReadLimits::default();
    let sink = &mut |_: Entry| ControlFlow::Continue(());
    let _ = read_document(format, bytes, &limits, sink);
    if matches!(format.shape(), Shape::Files | Shape::Archive) {
        let _ = read_archive(format, Cursor::new(bytes), &limits, sink);
        let _ = read_file(format, "a/SKILL.md", bytes, FileTimes::default());
    }
}

#[test]
fn odd_bytes_are_answered_by_every_reader() {
    let deep_json = "[".repeat(100_000);
    let deep_firefox = "{\"children\":[".repeat(20_000);
    let bomb = {
        let mut bomb = "---\na: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (one, other) in ('a'..'y').zip('b'..='y') {
            bomb += &format!("{other}: &{other} [*{one}, *{one}, *{one}, *{one}, *{one}, *{one}, *{one}, *{one}]\n");
        }
        bomb + "tags: *y\ntitle: *y\n---\nbody\n"
    };
    let inputs: [&[u8]; 16] = [
        b"",
        b"\n",
        b"\xff\xfe\x41\x00",
        b"\xc3\x28",
        b"\0\0\0\0",
        b"\xef\xbb\xbf",
        b"---\n---\n",
        b"---\n\xff\n---\n",
        b"<",
        b"<a href=\"",
        b"[]",
        b"{\"data\":null}",
        b"{\"bookmarks\":{}}",
        deep_json.as_bytes(),
        deep_firefox.as_bytes(),
        bomb.as_bytes(),
    ];
    for format in Format::ALL {
        for input in inputs {
            feed(format, input);
        }
    }
}

#[test]
fn every_beginning_of_every_fixture_is_answered() {
    for (format, bytes) in [
        (Format::BookmarksHtml, &include_bytes!("fixtures/firefox.html")[..]),
        (Format::BookmarksHtml, include_bytes!("fixtures/linkding.html")),
        (Format::FirefoxJson, include_bytes!("fixtures/firefox.json")),
        (Format::PocketCsv, include_bytes!("fixtures/pocket.csv")),
        (Format::RaindropCsv, include_bytes!("fixtures/raindrop.csv")),
        (Format::KarakeepJson, include_bytes!("fixtures/karakeep.json")),
        (Format::LangfuseJson, include_bytes!("fixtures/langfuse.json")),
    ] {
        for end in 0..bytes.len() {
            feed(format, &bytes[..end]);
        }
    }
}

#[test]
fn ten_megabytes_without_a_line_break_are_read_in_linear_time() {
    const SIZE: usize = 10 * 1024 * 1024;
    for piece in [
        "x",
        "<a ",
        "<a href=\"",
        "<dl>",
        "&",
        "&amp;",
        "\"",
        "\",",
        "{{",
        "{{a",
        "[",
        "# ",
        "<!--",
        "%20",
        "\u{feff}",
        "{\"a\":",
    ] {
        let text = piece.repeat(SIZE / piece.len());
        for format in Format::ALL {
            feed(format, text.as_bytes());
        }
    }
}

#[test]
fn shapes_that_could_cost_the_square_of_their_size_do_not() {
    let broken_csv = format!("url,title\n{}", "\"x\n".repeat(300_000));
    feed(Format::PocketCsv, broken_csv.as_bytes());
    let nested =
        "<dl><dt><h3>x</h3>".repeat(100_000) + &"<dt><a href=\"https://a.b/\" tags=\"x,y\">t</a>".repeat(100_000);
    feed(Format::BookmarksHtml, nested.as_bytes());
    let same_names: Vec<String> = (0..20_000)
        .map(|n| format!("{{\"name\":\"a{}\",\"version\":{n},\"prompt\":\"x\"}}", "-".repeat(n % 2_000)))
        .collect();
    feed(Format::LangfuseJson, format!("[{}]", same_names.join(",")).as_bytes());
    let variables: String = (0..20_000).map(|n| format!("{{{{v{n}}}}}")).collect();
    feed(Format::LangfuseJson, format!("[{{\"name\":\"a\",\"version\":1,\"prompt\":\"{variables}\"}}]").as_bytes());
    for yaml in ["a: &a x\nb: *a\n", "? ", "- ", "[[", "k: {", "\"a\": \"", "a: |\n", "# c\n", "\ta: b\n", "'"] {
        let text = format!("---\n{}\n---\nbody", yaml.repeat(60_000 / yaml.len()));
        feed(Format::Markdown, text.as_bytes());
        feed(Format::Skill, text.as_bytes());
    }
}
