//! The process lock is fair: of three processes that write to one SQLite file, each gets its share.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a failed test is a panic")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use interline_items::fields::Title;
use interline_items::{
    Action, Attribution, Author, Client, ContentWrite, Contents, Fields, Filter, Item, ItemId, ItemWrite, Kind,
    ListQuery, NewToken, PageStart, Rank, Record, SecretHash, Sort, SortBy, SortOrder, Source, Space, SpaceId,
    SpaceOwner, Stamp, Store, TagMatch, Token, TokenId, User, UserId, View,
};
use interline_storage::SqliteStore;
use jiff::Timestamp;
use tokio::runtime::Runtime;

const PROCESSES: u64 = 3;
/// How many notes the processes make together.
const NOTES: u64 = 1_500;
/// How far from its share a process may be.
const TOLERANCE: f64 = 0.2;
/// A time limit by which the notes are made on any machine.
const TIME_LIMIT: Duration = Duration::from_secs(60);

const CHILD: &str = "makes_notes_as_one_of_three_processes";
const FILE: &str = "INTERLINE_TEST_TURNS_FILE";

#[test]
fn three_processes_get_their_shares() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("interline.db");
    Runtime::new().unwrap().block_on(make_user(&file));
    let mut children: Vec<Child> = (0..PROCESSES).map(|_| start(&file)).collect();
    let mut outputs: Vec<_> =
        children.iter_mut().map(|child| BufReader::new(child.stdout.take().expect("its output"))).collect();
    for output in &mut outputs {
        line_with(output, "ready");
    }
    for child in &mut children {
        child.stdin.take().expect("its input").write_all(b"go\n").unwrap();
    }
    let shares: Vec<u64> = outputs.iter_mut().map(|output| line_with(output, "made ").parse().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let total: u64 = shares.iter().sum();
    println!("shares: {shares:?}");
    assert!(total >= NOTES, "{shares:?} after {TIME_LIMIT:?}");
    let fair = total as f64 / PROCESSES as f64;
    assert!(shares.iter().all(|share| (*share as f64 - fair).abs() <= fair * TOLERANCE), "{shares:?}");
}

/// This test binary again, as the process that makes notes.
fn start(file: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", CHILD, "--ignored", "--nocapture"])
        .env(FILE, file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The rest of the next line that has `words`; what the test runner prints is around them.
fn line_with(output: &mut impl BufRead, words: &str) -> String {
    loop {
        let mut line = String::new();
        assert!(output.read_line(&mut line).unwrap() > 0, "the process ended without a word");
        if let Some((_, rest)) = line.split_once(words) {
            return rest.trim_end().to_owned();
        }
    }
}

#[test]
#[ignore = "three_processes_get_their_shares runs it"]
fn makes_notes_as_one_of_three_processes() {
    #[expect(clippy::disallowed_methods, reason = "it is how the process learns of the file")]
    let file = std::env::var(FILE).expect("it is run by the other test");
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(Path::new(&file)).unwrap());
    println!("ready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    println!("made {}", Runtime::new().unwrap().block_on(make_notes(store)));
}

/// Makes notes until all processes have made enough. Returns how many this process made.
async fn make_notes(store: Arc<dyn Store>) -> u64 {
    let user = store.first_user().await.unwrap().expect("a user");
    let space = store.memberships(user.id).await.unwrap()[0].space.id;
    let (made, start) = (Arc::new(AtomicU64::new(0)), Instant::now());
    let makers: Vec<_> = (0..4)
        .map(|_| {
            let (store, made) = (Arc::clone(&store), Arc::clone(&made));
            tokio::spawn(async move {
                while count(&*store, space).await < NOTES && start.elapsed() < TIME_LIMIT {
                    store.commit(creation(user.id, space).into()).await.unwrap();
                    made.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    for maker in makers {
        maker.await.unwrap();
    }
    made.load(Ordering::Relaxed)
}

async fn count(store: &dyn Store, space: SpaceId) -> u64 {
    let filter = Filter {
        spaces: BTreeSet::from([space]),
        kinds: BTreeSet::from([Kind::Note]),
        tags: Vec::new(),
        tag_match: TagMatch::All,
        views: BTreeSet::from([View::Active]),
    };
    let query = ListQuery {
        filter,
        sort: Sort { by: SortBy::CreatedAt, order: SortOrder::Ascending },
        start: PageStart::Offset(0),
        limit: 1,
        contents: Contents::Omit,
    };
    store.list(&query).await.unwrap().total
}

fn creation(user: UserId, space: SpaceId) -> ItemWrite {
    let now = Timestamp::UNIX_EPOCH;
    let item = Item {
        id: ItemId::generate(),
        kind: Kind::Note,
        space,
        fields: Fields { title: Some(Title::from_stored("note".to_owned())), ..Fields::default() },
        functions: None,
        content: None,
        stamp: Stamp { version: 1, revision: 0 },
        created_at: now,
        updated_at: now,
        last_used_at: None,
        archived_at: None,
        deleted_at: None,
        proposal: None,
    };
    let record = Record {
        action: Action::Create,
        changed_fields: Vec::new(),
        at: now,
        source: Source::Cli,
        user,
        token: None,
        import: None,
        attribution: Attribution::by_person(Client::from_stored("test".to_owned(), None)),
        undoes: None,
        lines: None,
        merged_base: None,
        accepted: None,
    };
    ItemWrite { before: None, after: item, content: ContentWrite::Keep, record }
}

async fn make_user(file: &Path) {
    let created_at = Timestamp::UNIX_EPOCH;
    let user = User {
        id: UserId::generate(),
        name: "writer".to_owned(),
        email: None,
        rank: Rank::Admin,
        organization: None,
        created_at,
    };
    let space = Space { id: SpaceId::generate(), owner: SpaceOwner::User(user.id), name: "writer".to_owned() };
    let token = Token {
        author: Author::Person,
        writes: interline_items::Writes::Apply,
        id: TokenId::generate(),
        user: user.id,
        name: "first".to_owned(),
        scopes: BTreeSet::new(),
        kinds: None,
        spaces: None,
        prefix: String::new(),
        created_at,
        expires_at: None,
        last_used_at: None,
    };
    let store = SqliteStore::open(file).unwrap();
    store.create_user(&user, &space, &NewToken { token, secret: SecretHash([0; 32]) }).await.unwrap();
}
