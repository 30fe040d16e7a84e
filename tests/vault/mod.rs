//! A vault of 500 notes with every feature of front matter, the same at every call. Tests of several crates take this file by
//! its path: `#[path = "../../../../tests/vault/mod.rs"] mod vault;`.

/// A file of the vault.
pub(crate) struct VaultFile {
    /// Its path in the vault, with `/` between its parts.
    pub(crate) path: String,
    /// What is in it.
    pub(crate) bytes: Vec<u8>,
}

/// How many notes the vault has, beside one attachment and two files that are skipped or hidden.
pub(crate) const NOTES: usize = 500;

/// Front matter, each as an author or a tool writes it; `N` stands for the number of the note.
const FRONT_MATTER: [&str; 25] = [
    "",
    "---\n---\n",
    "---\ntitle: Note N\n---\n",
    "---\ntitle: \"Quoted: N\"\ntags: [project, area/work]\n---\n",
    "---\ntags:\n  - one\n  - Two Words\n  - '#three'\n---\n",
    "---\ntags: alpha, beta gamma, #delta\n---\n",
    "---\ntag: single other\n---\n",
    "---\naliases: [First N, \"Second: N\"]\n---\n",
    "---\naliases:\n- Block N\ncssclasses:\n- wide\n---\n",
    "---\ncreated: 2024-01-31T08:05:00+01:00\nupdated: 2024-02-01\n---\n",
    "---\ndate: 2023-12-24 18:00\nmodified: 2023-12-25T10:00:00Z\n---\n",
    "---\ndescription: >\n  A folded\n  description N\nauthor: Ann\n---\n",
    "---\nsummary: |\n  Line one\n  Line two\nrating: 4.50\n---\n",
    "---\r\ntitle: Windows N\r\nstatus: done\r\n---\r\n",
    "---\n# a comment that stays\ntitle: Commented N # and one that goes\nnested:\n  key: {a: [1, 2]}\n---\n",
    "---\nid: 202401010N\npublish: true\nweight: 0x1F\n---\n",
    "---\ntitle: 2024\ntags: [2024, 1.10]\nempty:\n---\n",
    "---\ntitle: [not, a, title]\ncreated: someday\n---\n",
    "---\n{title: Flow N, tags: [f], other: true}\n---\n",
    "---\nbase: &base N\ncopy: *base\n---\n",
    "---\ntitle: Twice\ntitle: Again\n---\n",
    "---\nprose: with: colons: N\n---\n",
    "---\n- a list\n- N\n---\n",
    "---\ntitle: Ünïcode 日本 👩‍💻 N\nkind: bookmark\nurl: https://example.com/N\nname: x\n---\n",
    "---\nTitle: Capital N\nTags: Upper\nDate: 2022-02-02\n---\n",
];

/// Texts of notes, with what must stay as it is.
const BODIES: [&str; 5] = [
    "\n# Heading N\n\nText with [[Note N]] and [[Other|alias]] and ![[image.png]] and #inline-tag.\n",
    "no line break at the end N",
    "",
    "\r\nWindows lines N\r\n\r\nand more\r\n",
    "---\nnot: front matter N\n---\n\n```\ncode {{ N }}\n```\n",
];

/// The files, in the order of their numbers.
pub(crate) fn files() -> Vec<VaultFile> {
    let folders = ["", "Projects/", "Projects/Über uns/", "Daily notes/2024/", "a.b/c d/"];
    let mut files: Vec<VaultFile> = (0..NOTES)
        .map(|number| {
            let fill = |text: &str| text.replace('N', &format!("{number:03}"));
            let mark = if number % 50 == 7 { "\u{feff}" } else { "" };
            let front_matter = fill(FRONT_MATTER[number % FRONT_MATTER.len()]);
            let body = fill(BODIES[number / FRONT_MATTER.len() % BODIES.len()]);
            VaultFile {
                path: format!("{}Note {number:03}.md", folders[number % folders.len()]),
                bytes: format!("{mark}{front_matter}{body}").into_bytes(),
            }
        })
        .collect();
    let extra: [(&str, &[u8]); 3] =
        [("image.png", b"\x89PNG\r\n"), ("Latin 1.md", b"caf\xe9\n"), (".obsidian/app.json", b"{}")];
    files.extend(extra.map(|(path, bytes)| VaultFile { path: path.to_owned(), bytes: bytes.to_vec() }));
    files
}
