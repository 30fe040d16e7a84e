//! A search ends soon after its caller says so, whatever the expression and the text.

use std::time::{Duration, Instant};

use interline_edit::{Case, Pattern, PatternError, SearchInterrupted, SearchOptions, find_first, search, search_lines};

const TEXT_BYTES: usize = 8 << 20;

/// What the specification allows past a deadline. A release build takes some 5 ms.
const MAX_PAUSE: Duration = Duration::from_millis(100);

/// After how much time each search is told to stop.
const DEADLINE: Duration = Duration::from_millis(25);

/// A search asks at least once for so many bytes.
const BYTES_PER_QUESTION: usize = 4 << 20;

/// The time that this thread has run: that of others on a busy machine is not ours.
fn thread_time() -> Duration {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match times.split(' ').next().and_then(|nanos| nanos.parse().ok()) {
        Some(nanos) => Duration::from_nanos(nanos),
        None => wall_time(),
    }
}

fn wall_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// A caller with a deadline, who notes how long it waits between two questions.
struct Caller {
    start: Duration,
    last: Duration,
    longest_pause: Duration,
    questions: usize,
}

impl Caller {
    fn new() -> Caller {
        let now = thread_time();
        Caller { start: now, last: now, longest_pause: Duration::ZERO, questions: 0 }
    }

    fn note(&mut self) -> Duration {
        let now = thread_time();
        self.longest_pause = self.longest_pause.max(now - self.last);
        self.last = now;
        now - self.start
    }

    fn has_time(&mut self) -> bool {
        self.questions += 1;
        self.note() < DEADLINE
    }
}

fn texts() -> Vec<(&'static str, String)> {
    let mut seed = 1_u64;
    let mut next = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed >> 40
    };
    let random = (0..TEXT_BYTES).map(|_| if next() % 2 == 0 { 'a' } else { 'b' }).collect();
    vec![
        ("words of nine a and a b", "aaaaaaaaab".repeat(TEXT_BYTES / 10)),
        ("one long line", "a".repeat(TEXT_BYTES)),
        ("all newlines", "\n".repeat(TEXT_BYTES)),
        ("beyond ASCII", "éa ß\u{444}b ".repeat(TEXT_BYTES / 10)),
        ("a and b at random", random),
    ]
}

/// Each is within the limits of size.
fn expressions() -> Vec<String> {
    let alternatives: String = (0..1_500).map(|number| format!("a{number:03}|")).collect();
    let mut all: Vec<String> = [
        "[a-z]{0,999}[a-z]{0,999}$",
        "(?s).*x$",
        "(?s)(.{0,1000}){1,3}x$",
        "(a|aa)+$",
        r"(a|aa)+\z",
        r"\b(a|é)+\b$",
        r"\w{0,64}\b\w{0,10}$",
        r"\w{0,100}x$",
        "[ab]*a[ab]{20}c",
        "[ab]*a[ab]{200}c",
        "(?i)[a-zé]{0,300}z",
        r"(?:\b|a){0,900}$",
        r"(?:\w{0,20}\b){0,5}z",
        "(?:(?:a{0,50}){0,50}){0,16}$",
        r"(\w|\w\w){1,20}z$",
        r"\pL{0,60}[а-я]{5}q",
        "[ab]{40000}",
        ".*[^A-Z]|[A-Z]",
        "(?:)",
        r"\B",
        "^|$",
    ]
    .map(str::to_owned)
    .to_vec();
    all.push(alternatives + "zz$");
    all
}

#[test]
fn a_search_for_any_expression_ends_soon_after_its_deadline() {
    let options = SearchOptions { context_lines: 2, limit: 100 };
    let texts = texts();
    for expression in expressions() {
        let shown: String = expression.chars().take(40).collect();
        let pattern = Pattern::regex(&expression, Case::Sensitive).unwrap_or_else(|error| panic!("{shown}: {error}"));
        for (name, text) in &texts {
            let mut caller = Caller::new();
            let mut is_stopped = false;
            let result = search(text, &pattern, &options, &mut || {
                assert!(!is_stopped, "{shown} on {name}: asked again");
                is_stopped = !caller.has_time();
                !is_stopped
            });
            caller.note();
            assert!(caller.longest_pause < MAX_PAUSE, "{shown} on {name}: {:?}", caller.longest_pause);
            match result {
                Ok(_) => assert!(caller.questions >= text.len() / BYTES_PER_QUESTION, "{shown} on {name}"),
                Err(SearchInterrupted) => assert!(is_stopped, "{shown} on {name}"),
            }
        }
    }
}

/// The first question is asked before much is done, and the first no is heard, in every way to search.
#[test]
fn a_search_that_may_not_go_on_ends_at_its_first_question() {
    let options = SearchOptions { context_lines: 0, limit: 10 };
    let text = format!("{}x", "aaaaaaaaab".repeat(TEXT_BYTES / 10));
    let patterns = [
        Pattern::regex("[a-z]{0,999}[a-z]{0,999}$", Case::Sensitive),
        Pattern::regex("(?s).*b$", Case::Sensitive),
        Pattern::regex("x", Case::Sensitive),
        Pattern::regex(r"x\b", Case::Insensitive),
        Pattern::literal("x", Case::Sensitive),
        Pattern::literal("X", Case::Insensitive),
        Pattern::literal(&"A".repeat(1_000), Case::Insensitive),
        Pattern::literal(&"a".repeat(1_000), Case::Sensitive),
    ];
    for pattern in patterns {
        let pattern = pattern.unwrap();
        let mut caller = Caller::new();
        assert_eq!(find_first(&text, &pattern, &mut || false), Err(SearchInterrupted));
        assert_eq!(search(&text, &pattern, &options, &mut || false), Err(SearchInterrupted));
        assert_eq!(search_lines(&text, &pattern, &options, &mut || false), Err(SearchInterrupted));
        caller.note();
        assert!(caller.longest_pause < 3 * MAX_PAUSE, "{:?}", caller.longest_pause);
    }
}

/// A million matches on one line are found one after the other, not each from the start of the line or to its end.
#[test]
fn many_matches_on_one_line_are_linear() {
    let options = SearchOptions { context_lines: 2, limit: 10 };
    let text = "foo é1 ".repeat(1 << 20);
    for expression in ["fo+", r"\bfoo\b", r"\w+", r"é\d", r"[^ ]+ [^ ]+", r"(?s)f.{1,300}?1"] {
        let pattern = Pattern::regex(expression, Case::Sensitive).unwrap();
        let found = search(&text, &pattern, &options, &mut || true).unwrap();
        assert!(found.total >= 1 << 20, "{expression}: {}", found.total);
    }
}

#[test]
fn an_expression_that_takes_long_to_compile_is_refused() {
    let slow = [
        format!("(?i){}", r"\PL".repeat(2_000)),
        format!("(?i)[{}]", r"\w\pL\PN".repeat(900)),
        format!("(?i:{})", r"[\w--\d]".repeat(900)),
        r"[\w~~\pL]".repeat(900),
        r"\w".repeat(4_000),
        format!("(?i){}", format!("{}é{}", "[".repeat(80), "]".repeat(80)).repeat(40)),
    ];
    for expression in slow {
        let shown: String = expression.chars().take(40).collect();
        let start = thread_time();
        let refused = Pattern::regex(&expression, Case::Sensitive).unwrap_err();
        assert_eq!(refused, PatternError::TooLarge, "{shown}");
        assert!(thread_time() - start < MAX_PAUSE, "{shown}");
    }
    let insensitive = r"\pL{2}[\w.+-]+@[^\d]*|[a-z0-9]+|".repeat(10) + &"[a-z0-9]{1,8}-".repeat(500);
    assert!(Pattern::regex(&insensitive, Case::Insensitive).is_ok());
}
