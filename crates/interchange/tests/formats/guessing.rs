//! Formats told from names and first bytes.

use interline_interchange::{Format, Shape, is_hidden_path};

#[test]
fn each_fixture_is_known_by_its_beginning() {
    for (name, bytes, format) in [
        ("bookmarks.html", &include_bytes!("fixtures/chrome.html")[..], Format::BookmarksHtml),
        ("bookmarks.html", include_bytes!("fixtures/firefox.html"), Format::BookmarksHtml),
        ("Safari Bookmarks.html", include_bytes!("fixtures/safari.html"), Format::BookmarksHtml),
        ("favorites.html", include_bytes!("fixtures/edge.html"), Format::BookmarksHtml),
        ("ril_export.html", include_bytes!("fixtures/pocket.html"), Format::BookmarksHtml),
        ("bookmarks.json", include_bytes!("fixtures/firefox.json"), Format::FirefoxJson),
        ("part_000000.csv", include_bytes!("fixtures/pocket.csv"), Format::PocketCsv),
        ("raindrop.csv", include_bytes!("fixtures/raindrop.csv"), Format::RaindropCsv),
        ("karakeep.json", include_bytes!("fixtures/karakeep.json"), Format::KarakeepJson),
        ("prompts.json", include_bytes!("fixtures/langfuse.json"), Format::LangfuseJson),
        ("export.jsonl", b"{\"interline\":\"export\",\"version\":1}\n", Format::JsonLines),
        ("x/SKILL.md", b"---\n", Format::Skill),
        ("Note.md", b"", Format::Markdown),
        ("vault.zip", b"PK\x03\x04", Format::Markdown),
        ("Export-0a1b.zip", b"PK\x03\x04", Format::Notion),
    ] {
        assert_eq!(Format::guess(name, bytes), Some(format), "{name}");
        let bytes = [b"\xef\xbb\xbf", bytes].concat();
        if !name.ends_with(".zip") {
            assert_eq!(Format::guess(name, &bytes), Some(format), "{name} with a byte order mark");
        }
    }
    for (name, bytes) in
        [("x.bin", &b"\x00\x01"[..]), ("x.html", b"<html><p>"), ("x.csv", b"a,b\n"), ("x.json", b"{}"), ("x", b"")]
    {
        assert_eq!(Format::guess(name, bytes), None, "{name}");
    }
}

#[test]
fn names_are_stable_and_lead_back() {
    let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    assert_eq!(
        names,
        [
            "markdown",
            "notion",
            "bookmarks-html",
            "firefox-json",
            "pocket-csv",
            "raindrop-csv",
            "karakeep-json",
            "langfuse-json",
            "skill",
            "jsonl"
        ]
    );
    for format in Format::ALL {
        assert_eq!(Format::parse(format.name()), Some(format));
    }
    assert_eq!(Format::parse("Markdown"), None);
    assert_eq!(Format::Notion.shape(), Shape::Archive);
}

#[test]
fn settings_of_tools_are_hidden() {
    for (path, hidden) in
        [("a/b.md", false), (".obsidian/x", true), ("a/.trash/b.md", true), ("../a", false), ("__MACOSX/a", true)]
    {
        assert_eq!(is_hidden_path(path), hidden, "{path}");
    }
}
