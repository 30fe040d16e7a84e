//! Bookmark files of every browser, of linkding and Pocket; JSON of Firefox and Karakeep; CSV of Pocket and Raindrop.

use interline_interchange::Format;

use crate::entries::{lines, read};

#[test]
fn chrome() {
    assert_eq!(
        lines(&read(Format::BookmarksHtml, include_bytes!("fixtures/chrome.html")).unwrap()),
        [
            "bookmark https://www.rust-lang.org/ title=\"Rust & friends\" created=1600000000 updated=1700000001",
            "bookmark https://helix-editor.com/?a=1&b=2 title=\"Helix\" tags=dev-tools,editors created=1700000004 \
             updated=1700000004",
            "- Read later: its address is `javascript:…`; only http and https can be bookmarked",
            "bookmark https://example.com/",
        ]
    );
}

#[test]
fn firefox_html() {
    assert_eq!(
        lines(&read(Format::BookmarksHtml, include_bytes!("fixtures/firefox.html")).unwrap()),
        [
            "- Most Visited: its address is `place:…`; only http and https can be bookmarked",
            "bookmark https://blog.mozilla.org/ title=\"The Mozilla Blog\" tags=news,web-dev \
             description=\"What happens at Mozilla <today>\" created=1700000001 updated=1700000002",
            "bookmark https://example.org/bread title=\"Bread\" tags=recipes created=1700000005 updated=1700000006",
            "bookmark https://example.org/bar title=\"Bar\" created=1700000009 updated=1700000009",
            "bookmark https://example.org/unfiled title=\"Unfiled\" created=1700000010 updated=1700000010",
        ]
    );
}

#[test]
fn safari() {
    assert_eq!(
        lines(&read(Format::BookmarksHtml, include_bytes!("fixtures/safari.html")).unwrap()),
        [
            "bookmark https://www.apple.com/ title=\"Apple\"",
            "bookmark https://www.bahn.de/ title=\"Bahn\" tags=reise-urlaub",
            "bookmark https://example.com/long-read title=\"A long read\" tags=reading-list",
        ]
    );
}

#[test]
fn edge_whose_own_folders_count_only_at_the_top() {
    assert_eq!(
        lines(&read(Format::BookmarksHtml, include_bytes!("fixtures/edge.html")).unwrap()),
        [
            "- Settings: its address is `edge:…`; only http and https can be bookmarked",
            "bookmark https://learn.microsoft.com/ title=\"Learn\" created=1700000003 updated=1700000003",
            "bookmark https://intranet.example/ title=\"Intranet\" tags=work,favorites created=1700000006 \
             updated=1700000006",
        ]
    );
}

#[test]
fn linkding() {
    assert_eq!(
        lines(&read(Format::BookmarksHtml, include_bytes!("fixtures/linkding.html")).unwrap()),
        [
            "bookmark https://linkding.link/ title=\"linkding\" tags=self-hosted,tools,toread \
             description=\"A bookmark manager\" content=\"# Notes\\n\\nRuns on a Pi & more\" created=1700000000 \
             updated=1700000001",
            "bookmark https://example.com/old title=\"Old\" created=1700000002 updated=1700000003 archived=yes",
        ]
    );
}

#[test]
fn pocket_html() {
    assert_eq!(
        lines(&read(Format::BookmarksHtml, include_bytes!("fixtures/pocket.html")).unwrap()),
        [
            "bookmark https://example.com/one title=\"One\" tags=reading,to-try created=1700000000 updated=1700000000",
            "bookmark https://example.com/two title=\"Two\" created=1700000001 updated=1700000001 archived=yes",
        ]
    );
}

#[test]
fn a_broken_file_gives_what_it_has() {
    assert_eq!(
        lines(&read(Format::BookmarksHtml, include_bytes!("fixtures/broken.html")).unwrap()),
        [
            "bookmark https://example.com/a title=\"No closer\" created=1700000000 updated=1700000000",
            "bookmark https://example.com/b title=\"5 < 6\" description=\"first\\nsecond\" created=1700000000 \
             updated=1700000000",
            "- No address: it has no address",
            "- FTP: its address is `ftp:…`; only http and https can be bookmarked",
            "- Data: its address is `data:…`; only http and https can be bookmarked",
            "bookmark https://example.com/c title=\"Last\" tags=folder-without-end",
            "- the end of the file: it is cut off in the middle of a tag",
        ]
    );
}

#[test]
fn firefox_json() {
    assert_eq!(
        lines(&read(Format::FirefoxJson, include_bytes!("fixtures/firefox.json")).unwrap()),
        [
            "bookmark https://example.org/bread title=\"Bread\" tags=recipes,baking,to-try description=\"Sourdough\" \
             created=1700000002 updated=1700000003",
            "- Recent Tags: its address is `place:…`; only http and https can be bookmarked",
            "bookmark https://example.org/bar title=\"Bar\" tags=old-tag created=1700000004 updated=1700000004",
        ]
    );
}

#[test]
fn pocket_csv_with_a_broken_quote_and_a_short_row() {
    assert_eq!(
        lines(&read(Format::PocketCsv, include_bytes!("fixtures/pocket.csv")).unwrap()),
        [
            "bookmark https://example.com/one title=\"One, with a comma\" tags=reading,to-try created=1700000000 \
             updated=1700000000",
            "bookmark https://example.com/two created=1700000001 updated=1700000001 archived=yes",
            "- No address: it has no address",
            "- line 5: the row has 1 columns instead of 5; is a quote not closed?",
            "bookmark https://example.com/after title=\"After it\" created=1700000004 updated=1700000004",
            "- line 7: the row has 2 columns instead of 5; is a quote not closed?",
            "bookmark https://example.com/last title=\"Last\" created=1700000005 updated=1700000005",
        ]
    );
}

#[test]
fn raindrop_csv() {
    assert_eq!(
        lines(&read(Format::RaindropCsv, include_bytes!("fixtures/raindrop.csv")).unwrap()),
        [
            "bookmark https://www.rust-lang.org/ title=\"Rust\" tags=dev,languages,rust,systems-programming,favorite \
             description=\"A language\" content=\"My note\\non two lines\" created=1700000000 updated=1700000000",
            "bookmark https://example.com/q title=\"Quoted \\\"title\\\"\" \
             content=\"## Highlights\\n\\nHighlight:Important words\" created=1700000001 updated=1700000001",
        ]
    );
}

#[test]
fn karakeep() {
    assert_eq!(
        lines(&read(Format::KarakeepJson, include_bytes!("fixtures/karakeep.json")).unwrap()),
        [
            "bookmark https://www.rust-lang.org/ title=\"Rust\" tags=dev,to-read content=\"A note of mine\" \
             created=1700000000 updated=1700000000",
            "note text 2023-11-14T22:13:21Z Shopping title=\"Shopping\" content=\"# Shopping\\n\\n- bread\\n\" \
             created=1700000001 updated=1700000001 archived=yes",
            "- Manual: it has no content that is exported",
            "bookmark https://example.com/x title=\"Example\" tags=ai,favourite description=\"About links\" \
             created=1700000003 updated=1700006400",
            "@ scan.pdf",
            "- bookmark 6: it has no content that is exported",
        ]
    );
}
