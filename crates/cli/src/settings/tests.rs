use std::fs;

use clap::Parser as _;

use super::*;
use crate::args::{Cli, Command, UserCommand};

fn serve_args(options: &[&str]) -> ServeArgs {
    match Cli::try_parse_from(["interline", "serve"].iter().chain(options)).expect("options of serve").command {
        Command::Serve(args) => *args,
        other => panic!("{other:?}"),
    }
}

fn address_args(options: &[&str]) -> StoreAddressArgs {
    match Cli::try_parse_from(["interline", "user", "list"].iter().chain(options)).expect("options of list").command {
        Command::User(UserCommand::List(args)) => args.options.address,
        other => panic!("{other:?}"),
    }
}

fn serve<const N: usize>(options: &[&str], variables: [(&str, &str); N]) -> Result<ServeSettings, CommandError> {
    let mut environment = Environment::from(variables);
    environment.default_home("/home/ada");
    ServeSettings::from_args(&serve_args(options), &environment)
}

/// A configuration file with that text, in a folder of its own.
fn file(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("interline.toml");
    fs::write(&path, text).expect("a file");
    let path = path.to_str().expect("UTF-8").to_owned();
    (folder, path)
}

/// Checks a setting by what is left when the places that it may come from go one by one.
#[track_caller]
fn check_order(name: &'static str, values: [&str; 4], read: impl Fn(&ServeSettings) -> String) {
    let [option, variable, key, default] = values;
    let quoted =
        if name.starts_with("allowed") || name == "trusted-proxy" { format!("[{key:?}]") } else { format!("{key:?}") };
    let (_folder, path) = file(&format!("{} = {quoted}", name.replace('-', "_")));
    let (typed, set) = (format!("--{name}={option}"), layers::variable(name));
    let options: [&[&str]; 4] = [&[&typed, "--config", &path], &["--config", &path], &["--config", &path], &[]];
    let environments = [[(set.as_str(), variable)], [(set.as_str(), variable)], [("X", "")], [("X", "")]];
    for ((options, environment), expected) in options.into_iter().zip(environments).zip(values) {
        let settings = serve(options, environment).expect("settings");
        assert_eq!(read(&settings), expected, "--{name} by {options:?} {environment:?}");
    }
    let by_variable = serve(&[], [("INTERLINE_CONFIG", path.as_str())]).expect("settings");
    assert_eq!(read(&by_variable), key, "the variable names the file");
    assert_eq!(default, read(&serve(&[], [(set.as_str(), "")]).expect("settings")), "an empty variable is none");
}

#[test]
fn option_then_environment_then_file_then_default() {
    check_order("webhook-targets", ["any", "public", "any", "public"], |settings| {
        match settings.outbound.targets {
            interline_items::WebhookTargets::Public => "public",
            interline_items::WebhookTargets::Any => "any",
        }
        .to_owned()
    });
    // Typed, `propose` would need --auth none.
    check_order("mcp-writes", ["apply", "propose", "propose", "apply"], |settings| {
        settings.mcp_writes.name().to_owned()
    });
    check_order("listen", ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3", "127.0.0.1:4680"], |settings| {
        settings.listen.to_string()
    });
    check_order("data-dir", ["/a", "/b", "/c", "/home/ada/.local/share/interline"], |settings| {
        settings.store.data_dir.display().to_string()
    });
    check_order("rate-limit", ["1/2", "3/4", "off", "6000/1200"], |settings| {
        let text = |limits: RateLimits| format!("{}/{}", limits.reads_per_minute, limits.writes_per_minute);
        settings.rate_limits.map_or("off".to_owned(), text)
    });
    check_order("log", ["debug", "trace", "warn", "info"], |settings| settings.log.to_string());
    check_order("allowed-host", ["a.example", "b.example", "c.example", ""], |settings| {
        settings.allowed_hosts.join(",")
    });
    check_order("allowed-origin", ["https://a", "https://b", "http://c:8080", ""], |settings| {
        settings.allowed_origins.join(",")
    });
    let megabytes = |settings: &ServeSettings| {
        settings.bounds.memory_budget.map_or("".to_owned(), |bytes| (bytes >> 20).to_string())
    };
    check_order("memory-budget", ["100", "200", "300", ""], megabytes);
    check_order("max-connections-per-address", ["1", "2", "3", ""], |settings| {
        settings.bounds.max_connections_per_address.map_or("".to_owned(), |number| number.to_string())
    });
    check_order("trusted-proxy", ["10.0.0.0/8", "192.0.2.7/32", "2001:db8::/32", ""], |settings| {
        settings.bounds.trusted_proxies.iter().map(ToString::to_string).collect()
    });
    check_order("postgres-connections", ["16", "20", "300", ""], |settings| {
        settings.store.postgres_connections.map_or("".to_owned(), |connections| connections.to_string())
    });
    let databases = ["postgres://a", "postgres://b", "postgresql://c", "/home/ada/.local/share/interline/interline.db"];
    check_order("database", databases, |settings| match &settings.store.database {
        Database::Postgres(url) => url.clone(),
        Database::Sqlite(path) => path.display().to_string(),
    });
}

#[test]
fn words_come_from_every_place_too() {
    let (_folder, path) = file("auth = \"none\"\nlog_format = \"json\"");
    let read = |settings: ServeSettings| (settings.auth, settings.log_format);
    let by_file = serve(&["--config", &path], []).map(read).expect("settings");
    assert_eq!(by_file, (AuthMode::None, OutputFormat::Json));
    let set = [("INTERLINE_AUTH", "token"), ("INTERLINE_LOG_FORMAT", "text")];
    assert_eq!(serve(&["--config", &path], set).map(read).expect("settings"), (AuthMode::Token, OutputFormat::Text));
    let typed = ["--auth", "none", "--log-format", "json", "--config", &path];
    assert_eq!(serve(&typed, set).map(read).expect("settings"), (AuthMode::None, OutputFormat::Json));
    assert_eq!(serve(&[], []).map(read).expect("settings"), (AuthMode::Token, OutputFormat::Text));
}

#[test]
fn lists_are_repeated_or_separated_by_commas() {
    let typed = serve(&["--allowed-host", "a", "--allowed-host", "B.example"], [("INTERLINE_ALLOWED_HOST", "c")]);
    assert_eq!(typed.expect("settings").allowed_hosts, ["a", "B.example"]);
    let set = serve(&[], [("INTERLINE_ALLOWED_ORIGIN", "https://a, https://b ,")]);
    assert_eq!(set.expect("settings").allowed_origins, ["https://a", "https://b"]);
}

#[test]
fn what_a_file_says_is_about_where_the_file_is() {
    let (folder, path) = file("data_dir = \"data\"");
    let settings = serve(&["--config", &path], []).expect("settings");
    assert_eq!(settings.store.data_dir, folder.path().join("data"));
    let typed = serve(&["--config", &path, "--data-dir", "here"], []).expect("settings");
    assert_eq!(typed.store.data_dir, std::path::absolute("here").expect("a path"));
}

#[test]
fn data_is_kept_where_the_system_says() {
    let xdg = serve(&[], [("XDG_DATA_HOME", "/xdg")]).expect("settings");
    assert_eq!(xdg.store.data_dir, Path::new("/xdg/interline"));
    let relative = serve(&[], [("XDG_DATA_HOME", "xdg")]).expect("settings");
    assert_eq!(relative.store.data_dir, Path::new("/home/ada/.local/share/interline"));
    let nowhere = ServeSettings::from_args(&serve_args(&[]), &Environment::from([])).expect_err("no home");
    assert!(nowhere.to_string().contains("--data-dir"), "{nowhere}");
}

#[test]
fn the_owner_is_called_as_the_systems_user() {
    let name = |variables: [(&str, &str); 2]| serve(&[], variables).expect("settings").store.owner_name;
    assert_eq!(name([("USER", "ada"), ("LOGNAME", "grace")]), "ada");
    assert_eq!(name([("USER", ""), ("LOGNAME", "grace")]), "grace");
    assert_eq!(name([("A", ""), ("B", "")]), "owner");
}

#[track_caller]
fn refused(options: &[&str], says: &[&str]) {
    let error = serve(options, []).expect_err("wrong").to_string();
    for part in says {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn wrong_values_are_refused_with_where_they_came_from() {
    refused(&["--listen", "localhost"], &["--listen: 'localhost'", "127.0.0.1:4680"]);
    refused(&["--auth", "basic"], &["--auth: 'basic'", "token or none"]);
    refused(&["--log-format", "xml"], &["--log-format: 'xml'"]);
    refused(&["--log", "a=b=c"], &["--log: 'a=b=c'"]);
    refused(&["--data-dir", ""], &["--data-dir"]);
    for rate in ["", "0/1", "1", "1/-1", "on", "1/2/3"] {
        refused(&["--rate-limit", rate], &["--rate-limit", "6000/1200"]);
    }
    for origin in ["*", "null", "example.org", "https://a/path", "https://user@a", "file:///a"] {
        refused(&["--allowed-origin", origin], &["--allowed-origin", "https://notes.example.org"]);
    }
    for host in ["", "https://a", "a/b", "a b", "me@a", "a:80", "*.example.org"] {
        refused(&["--allowed-host", host], &["--allowed-host", "notes.example.org"]);
    }
    for budget in ["", "0", "15", "1GB", "512 KB", "9999999999999999999"] {
        refused(&["--memory-budget", budget], &["--memory-budget", "512MB"]);
    }
    assert_eq!(serve(&["--memory-budget", "512MB"], []).expect("settings").bounds.memory_budget, Some(512 << 20));
    for number in ["0", "many"] {
        refused(&["--max-connections-per-address", number], &["--max-connections-per-address", "1 or more"]);
    }
    for number in ["0", "15", "10001", "all"] {
        refused(&["--postgres-connections", number], &["--postgres-connections", "from 16 to 10000"]);
    }
    for range in ["", "proxy", "10.0.0.0/33", "10.0.0"] {
        refused(&["--trusted-proxy", range], &["--trusted-proxy", "10.0.0.0/8"]);
    }
    let set = serve(&[], [("INTERLINE_LISTEN", "x")]).expect_err("wrong").to_string();
    assert!(set.contains("INTERLINE_LISTEN: 'x'"), "{set}");
    let (_folder, path) = file("rate_limit = \"x\"");
    refused(&["--config", &path], &["`rate_limit` in ", &path]);
    refused(&["--config", "/nowhere/interline.toml"], &["/nowhere/interline.toml"]);
}

#[test]
fn a_password_is_not_shown() {
    let error = serve(&["--database", "mysql://ada:secret@host/db"], []).expect_err("wrong").to_string();
    assert!(!error.contains("secret") && error.contains("postgres://"), "{error}");
}

#[test]
fn without_authentication_only_this_machine_is_served() {
    for address in ["0.0.0.0:1", "[::]:1", "192.168.0.1:1", "[::ffff:10.0.0.1]:1"] {
        refused(&["--auth", "none", "--listen", address], &["loopback", "--auth token"]);
    }
    for address in ["127.0.0.1:1", "127.1.2.3:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
        let settings = serve(&["--auth", "none", "--listen", address], []).expect("a loopback address");
        assert_eq!((settings.auth, settings.rate_limits), (AuthMode::None, None));
    }
}

#[test]
fn a_name_is_listened_on_at_its_addresses() {
    let named = serve(&["--auth", "none", "--listen", "localhost:4999"], []).expect("this machine").listen;
    assert_eq!((named.name(), named.is_loopback()), (Some("localhost"), true));
    assert!(named.addresses().iter().all(|address| address.port() == 4999), "{named}");
    assert!(named.to_string().starts_with("localhost (") && named.to_string().contains(":4999"), "{named}");
    for wrong in ["localhost:", "localhost:x", "localhost:99999", ":4680", "4680", "http://localhost:4680", "a b:1"] {
        refused(&["--listen", wrong], &["--listen: '", "is not an address with a port", "localhost:4680"]);
    }
    refused(&["--listen", "a..b:4680"], &["the name a..b has no address here", "localhost:4680"]);
}

#[test]
fn every_address_of_a_name_must_be_of_this_machine_without_authentication() {
    let address = |text: &str| text.parse().expect("an address");
    let loopback = ListenAddress::of_name("here", vec![address("127.0.1.1:1"), address("[::1]:1")]);
    let mixed = ListenAddress::of_name("here", vec![address("127.0.0.1:1"), address("192.0.2.1:1")]);
    assert!(loopback.is_loopback() && !mixed.is_loopback());
}

/// The server that a command works on and the token that it shows, or nothing for the local store.
fn server<const N: usize>(options: &[&str], variables: [(&str, &str); N]) -> Option<(String, Option<String>)> {
    let mut environment = Environment::from(variables);
    environment.default_home("/nowhere");
    match StoreAddress::from_args(&address_args(options), &environment).expect("settings") {
        StoreAddress::Local(_) => None,
        StoreAddress::Server { url, token } => Some((url.to_string(), token)),
    }
}

#[test]
fn commands_work_on_a_server_when_one_is_named() {
    let token = Some("il_x".to_owned());
    assert_eq!(server(&[], []), None);
    assert_eq!(server(&["--url", "http://a", "--token", "il_x"], []), Some(("http://a/".to_owned(), token.clone())));
    let set = [("INTERLINE_URL", "https://a/notes"), ("INTERLINE_TOKEN", "il_x")];
    assert_eq!(server(&[], set), Some(("https://a/notes/".to_owned(), token.clone())));
    let (_folder, path) = file("url = \"https://a\"\ntoken = \"il_x\"");
    assert_eq!(server(&["--config", &path], []), Some(("https://a/".to_owned(), token)));
}

#[test]
fn a_server_or_token_that_means_nothing_is_refused() {
    let refused = |options: &[&str]| {
        let error = StoreAddress::from_args(&address_args(options), &Environment::from([])).expect_err("wrong");
        error.to_string()
    };
    for url in ["a", "ftp://a", "http://", "http://a?b=c", "http://a#b"] {
        assert!(refused(&["--url", url]).starts_with("error: --url: "), "{url}");
    }
    for token in ["", " ", "il_secret il_secret", "il_sécret"] {
        let error = refused(&["--url", "http://a", "--token", token]);
        assert!(error.starts_with("error: --token: ") && !error.contains("secret"), "{error}");
    }
}

#[test]
fn a_store_that_is_typed_is_meant() {
    assert_eq!(server(&["--data-dir", "/d"], [("INTERLINE_URL", "http://a")]), None);
    let (_folder, path) = file("url = \"https://a\"");
    assert_eq!(server(&["--database", "postgres://a", "--config", &path], []), None);
    let both = Cli::try_parse_from(["interline", "user", "list", "--url", "http://a", "--data-dir", "/d"]);
    assert_eq!(both.expect_err("one or the other").exit_code(), 2);
}

#[test]
fn the_owners_token_is_for_this_machine_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("token"), "il_owner\n").expect("a file");
    let variables = [("INTERLINE_DATA_DIR", folder.path().to_str().expect("UTF-8"))];
    let printable = |url| server(&["--url", url], variables).expect("a server").1;
    for url in ["http://127.0.0.1:4680", "http://localhost:1", "http://[::1]:1"] {
        assert_eq!(printable(url).as_deref(), Some("il_owner"), "{url}");
    }
    for url in ["http://192.168.0.1", "https://localhost.example.org", "http://127.0.0.1.example.org"] {
        assert_eq!(printable(url), None, "{url}");
    }
}

#[test]
fn a_model_is_an_address_a_name_and_a_key_of_the_environment() {
    let options = ["--ai-url", "https://example.com/v1", "--ai-model", "small"];
    let ai = serve(&options, [("INTERLINE_AI_KEY", " sk-1 ")]).expect("settings").outbound.ai.expect("a model");
    assert_eq!((ai.url.as_str(), ai.model.as_str()), ("https://example.com/v1", "small"));
    assert_eq!(ai.key, Some(interline_server::AiKey::new("sk-1".to_owned())));
    let by_variables = [("INTERLINE_AI_URL", "http://127.0.0.1:1/"), ("INTERLINE_AI_MODEL", "m")];
    let ai = serve(&[], by_variables).expect("settings").outbound.ai.expect("a model");
    assert_eq!((ai.url.as_str(), ai.key), ("http://127.0.0.1:1/", None));
    assert_eq!(serve(&[], [("INTERLINE_AI_KEY", "sk-1")]).expect("settings").outbound.ai, None);
    let error = serve(&options, [("INTERLINE_AI_KEY", "s k")]).expect_err("no key").to_string();
    assert!(error.contains("INTERLINE_AI_KEY") && !error.contains("s k"), "{error}");
}
