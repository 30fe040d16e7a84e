//! Small sources, right and wrong, in `cases/`: what each is, and that CPython agrees where it is new enough.
//!
//! A case begins with a line `=== accept` or `=== refuse`. `since 3.12` says which Python knows the syntax; older ones
//! are not asked. `escaped` says that `\r`, `\t`, `\f`, `\0`, `\u{…}` and `\\` in it are escapes, and that its last
//! newline is not part of it.

use super::check;
use super::cpython::{Judge, Minor};

struct Case {
    accepted: bool,
    since: Minor,
    source: String,
}

#[test]
fn small_sources_are_judged_as_cpython_does() {
    let mut judge = Judge::start();
    let cases: Vec<Case> = [
        include_str!("cases/statements.txt"),
        include_str!("cases/names.txt"),
        include_str!("cases/expressions.txt"),
        include_str!("cases/lexical.txt"),
        include_str!("cases/newer.txt"),
    ]
    .into_iter()
    .flat_map(cases)
    .collect();
    assert!(cases.len() >= 150, "{} cases", cases.len());

    let mut wrong = Vec::new();
    let mut judged = 0;
    for case in &cases {
        let ours = check(&case.source);
        if ours.is_ok() != case.accepted {
            wrong.push(format!("{:?} should be {}: {ours:?}", case.source, said(case.accepted)));
        }
        if judge.minor < case.since {
            continue;
        }
        let verdict = judge.source(&case.source);
        judged += 1;
        if verdict.accepted != Some(case.accepted) {
            let theirs = verdict.accepted.map(said);
            wrong.push(format!("{:?} is {theirs:?} by CPython: {}", case.source, verdict.why));
        }
    }
    println!("{} cases, {judged} judged by Python 3.{}", cases.len(), judge.minor);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn said(accepted: bool) -> &'static str {
    if accepted { "accepted" } else { "refused" }
}

fn cases(file: &str) -> Vec<Case> {
    file.split("=== ").skip(1).map(case).collect()
}

fn case(text: &str) -> Case {
    let (header, source) = text.split_once('\n').unwrap();
    let mut words = header.split(' ');
    let accepted = match words.next() {
        Some("accept") => true,
        Some("refuse") => false,
        other => panic!("{other:?} is no verdict"),
    };
    let mut case = Case { accepted, since: 0, source: source.to_owned() };
    while let Some(word) = words.next() {
        match word {
            "since" => case.since = words.next().unwrap().strip_prefix("3.").unwrap().parse().unwrap(),
            "escaped" => case.source = unescaped(source.strip_suffix('\n').unwrap()),
            other => panic!("{other:?} is not known"),
        }
    }
    case
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(char) = rest.next() {
        if char != '\\' {
            plain.push(char);
            continue;
        }
        match rest.next().unwrap() {
            'r' => plain.push('\r'),
            't' => plain.push('\t'),
            'f' => plain.push('\u{c}'),
            '0' => plain.push('\0'),
            '\\' => plain.push('\\'),
            'u' => {
                let hex: String = rest.by_ref().skip(1).take_while(|char| *char != '}').collect();
                plain.push(char::from_u32(u32::from_str_radix(&hex, 16).unwrap()).unwrap());
            }
            other => panic!("\\{other} is no escape"),
        }
    }
    plain
}
