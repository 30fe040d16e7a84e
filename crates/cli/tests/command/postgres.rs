//! A store in PostgreSQL, on the server that `INTERLINE_TEST_POSTGRES` names.

use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio_postgres::NoTls;

use crate::harness::{CommandOutput, Sandbox};

/// The URL of a server that databases may be made on.
fn server() -> String {
    #[expect(clippy::disallowed_methods, reason = "the variable is how a test learns of the server")]
    let server = std::env::var("INTERLINE_TEST_POSTGRES");
    server
        .expect("INTERLINE_TEST_POSTGRES names no server to test on: run ./test, or tests/with-postgres and a command")
}

fn on_server(statement: &str) {
    on_database(&server(), statement);
}

fn on_database(url: &str, statement: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a connection");
        let driver = tokio::spawn(connection);
        client.batch_execute(statement).await.expect("a statement");
        drop(client);
        driver.await.expect("the connection's task").expect("the connection's end");
    });
}

/// A database of its own, dropped at the end.
struct Database(String);

impl Database {
    fn new() -> Database {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("interline_command_{}_{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        on_server(&format!("CREATE DATABASE {name}"));
        Database(name)
    }

    fn url(&self) -> String {
        let server = server();
        let (prefix, _) = server.rsplit_once('/').expect("the URL ends with a database");
        format!("{prefix}/{}", self.0)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        on_server(&format!("DROP DATABASE {} WITH (FORCE)", self.0));
    }
}

/// Machines share the database, not the data directory.
#[test]
fn machines_that_start_together_make_one_owner_in_postgresql() {
    let database = Database::new();
    let sandboxes = [(); 4].map(|()| Sandbox::new());
    let running = sandboxes.each_ref().map(|sandbox| {
        let mut command = sandbox.command(&["token", "add", "laptop", "--json"]);
        command.env("INTERLINE_DATABASE", database.url()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    });
    let outputs = running.map(|child| CommandOutput::from(child.wait_with_output().expect("it ends")));
    assert!(outputs.iter().all(|output| output.code == Some(0)), "{outputs:?}");
    assert_eq!(outputs.iter().filter(|output| output.stderr.contains("made a new store")).count(), 1, "{outputs:?}");
    let owners: Vec<&Sandbox> = sandboxes.iter().filter(|sandbox| sandbox.token_file().exists()).collect();
    let [owner] = owners.as_slice() else { panic!("one machine keeps the token, not {}", owners.len()) };

    let other = Sandbox::new();
    let served = other.serve(&["--database", &database.url()]);
    assert!(!served.greeting.contains("il_"), "{}", served.greeting);
    assert!(served.greeting.contains("Bearer $INTERLINE_TOKEN\""), "no token is kept here: {}", served.greeting);
    let answer = served.get("/users/me", Some(&owner.token()));
    assert_eq!(answer.status, 200, "{answer:?}");
    served.stop();
    assert!(!other.data_dir().join("interline.db").exists(), "nothing is kept beside it");
}

/// `host:port` of the server, and its URL with other parts.
fn url_with(user: &str, password: &str, database: &str) -> (String, String) {
    let server = server();
    let (_, rest) = server.rsplit_once('@').expect("the URL has a user");
    let (address, _) = rest.split_once('/').expect("the URL has a database");
    (address.to_owned(), format!("postgres://{user}:{password}@{address}/{database}"))
}

/// The user and the password of the server's URL.
fn login() -> (String, String) {
    let server = server();
    let (login, _) = server.rsplit_once('@').expect("the URL has a user");
    let (user, password) = login.trim_start_matches("postgres://").split_once(':').expect("and a password");
    (user.to_owned(), password.to_owned())
}

/// Every command that opens the store says the same: one line for the error and one for the hint.
#[track_caller]
fn refused_with(url: &str, message: &str, hint: &str) {
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["user", "list"], &["check"], &["mcp", "content"]] {
        let sandbox = Sandbox::new();
        let output = sandbox.run(&[command, &["--database", url]].concat());
        output.refused(3, &[]);
        assert_eq!(output.stderr, format!("error: {message}\nhint: {hint}\n"), "{command:?}");
    }
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("its address");
    let hint = "check that it runs, and host and port of the database's URL";
    let message = format!("PostgreSQL at {free} cannot be reached: Connection refused");
    refused_with(&format!("postgres://ada:s3cret@{free}/notes"), &message, hint);
}

#[test]
fn a_wrong_password_is_told_and_not_shown() {
    let (user, _) = login();
    let (address, url) = url_with(&user, "s3cret", "postgres");
    let message = format!("PostgreSQL at {address}: password authentication failed for user \"{user}\"");
    let hint = "correct user and password in the database's URL (an @ in a password is written %40)";
    refused_with(&url, &message, hint);
}

#[test]
fn a_database_that_is_not_there_is_named() {
    let (user, password) = login();
    let (address, url) = url_with(&user, &password, "nothing_here");
    let hint = "make it with `createdb nothing_here`, or correct its name at the end of the database's URL";
    refused_with(&url, &format!("PostgreSQL at {address} has no database \"nothing_here\""), hint);
}

#[test]
fn a_server_without_tls_is_told() {
    let (user, password) = login();
    let (address, url) = url_with(&user, &password, "postgres");
    let message = format!("PostgreSQL at {address} does not speak TLS, and sslmode=require asks for it");
    let hint = "switch TLS on at the server (ssl = on), or leave sslmode out where the network is safe";
    refused_with(&format!("{url}?sslmode=require"), &message, hint);
}

#[test]
fn a_url_that_cannot_be_read_shows_nothing_of_the_password() {
    let hint = "write it as postgres://user:password@host:5432/database, with %40 for an @ in the password";
    // The first `@` ends the password for whoever reads the URL: the rest of it would be quoted.
    for url in ["s@3?cret@127.0.0.1/notes", "s@3cret@127.0.0.1/notes", "s@3/cret@127.0.0.1/notes"] {
        refused_with(&format!("postgres://ada:{url}"), "the database's URL cannot be read", hint);
    }
    let unknown = "the database's URL cannot be read: unknown option `sslroot`";
    refused_with("postgres://ada:s3cret@127.0.0.1/notes?sslroot=x", unknown, hint);
}

#[test]
fn a_user_who_may_not_make_tables_is_told_how() {
    let database = Database::new();
    let user = format!("{}_user", database.0);
    on_server(&format!("CREATE USER {user} PASSWORD 'pw'"));
    let (address, url) = url_with(&user, "pw", &database.0);
    let output = Sandbox::new().run(&["user", "add", "grace", "--database", &url]);
    on_server(&format!("DROP USER {user}"));
    let name = &database.0;
    output.refused(3, &[&format!("user \"{user}\" may not do this in database \"{name}\" of {address}: ")]);
    output.refused(3, &[&format!("\nhint: let the user own it: ALTER DATABASE \"{name}\" OWNER TO \"{user}\"\n")]);
}

#[test]
fn a_command_that_reads_makes_no_store_in_postgresql() {
    let (database, sandbox) = (Database::new(), Sandbox::new());
    let place = format!("there is no store in database \"{}\" of PostgreSQL at 127.0.0.1:", database.0);
    for command in [&["user", "list"][..], &["token", "list"], &["check"], &["events"]] {
        let output = sandbox.run(&[command, &["--database", &database.url()]].concat());
        output.refused(1, &[&place, "hint: say where it is with --data-dir or --database"]);
    }
    // The table is still to be made.
    on_database(&database.url(), "CREATE TABLE items (x int)");
    assert!(!sandbox.data_dir().exists());
}
