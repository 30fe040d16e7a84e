//! `interline mcp install`: the configuration file of each client before and after it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use crate::harness::{CommandOutput, Sandbox, run};
use crate::mcp_client::McpClient;

/// A client: its name, its file below the home directory (`CONFIG` is the system's configuration directory), a file that
/// is there before, and one that is broken.
struct Client {
    name: &'static str,
    file: &'static str,
    other: &'static str,
    broken: &'static str,
}

const SERVERS: &str = "{\n  \"mcpServers\": {\n    \"z\": {\"command\": \"y\"}\n  },\n  \"a\": 1\n}\n";
const CLIENTS: [Client; 5] = [
    Client { name: "claude-code", file: ".claude.json", other: SERVERS, broken: "{" },
    Client { name: "claude-desktop", file: "CONFIG/Claude/claude_desktop_config.json", other: SERVERS, broken: "{" },
    Client { name: "cursor", file: ".cursor/mcp.json", other: SERVERS, broken: "[]" },
    Client {
        name: "vscode",
        file: "CONFIG/Code/User/mcp.json",
        other: "{\n\t\"servers\": {\n\t\t\"z\": {\"command\": \"y\"}\n\t},\n\t\"inputs\": []\n}",
        broken: "{ // mine\n",
    },
    Client {
        name: "codex",
        file: ".codex/config.toml",
        other: "model = 'x' # mine\n\n[mcp_servers.z]\ncommand = 'y'\n",
        broken: "model = ",
    },
];

impl Client {
    fn path(&self, sandbox: &Sandbox) -> PathBuf {
        let root = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
        let home = sandbox.data_dir().with_file_name("");
        home.join(self.file.replace("CONFIG", root))
    }

    fn install(&self, sandbox: &Sandbox, arguments: &[&str]) -> CommandOutput {
        sandbox.run(&[&["mcp", "install", "--client", self.name], arguments].concat())
    }

    /// The servers of a file: name, command, arguments.
    fn servers(&self, text: &str) -> Vec<(String, String, Vec<String>)> {
        let file: serde_json::Value = match self.name {
            "codex" => toml::from_str(text).expect("TOML"),
            _ => serde_json::from_str(text).expect("JSON"),
        };
        let key = match self.name {
            "codex" => "mcp_servers",
            "vscode" => "servers",
            _ => "mcpServers",
        };
        let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
        let servers = file[key].as_object().expect("servers").iter();
        servers
            .map(|(name, server)| {
                let args = server["args"].as_array().map(|args| args.iter().map(text).collect());
                (name.clone(), text(&server["command"]), args.unwrap_or_default())
            })
            .collect()
    }
}

#[test]
fn a_new_file_has_the_servers_and_is_the_users_alone() {
    for client in CLIENTS {
        let sandbox = Sandbox::new();
        let output = client.install(&sandbox, &[]);
        let path = client.path(&sandbox);
        let shown = path.display();
        assert_eq!(output.code, Some(0), "{output:?}");
        assert!(output.stderr.starts_with("note: made a new store in "), "{output:?}");
        let added = ["content", "prompts", "code"].map(|name| format!("interline-{name} was added to {shown}\n"));
        let restart = output.stdout.strip_prefix(&added.concat()).expect("a line for each server");
        assert!(restart.starts_with("Restart ") && restart.ends_with(" to load them.\n"), "{output:?}");
        let text = fs::read_to_string(&path).expect("the file");
        let program = env!("CARGO_BIN_EXE_interline").to_owned();
        let tokens = sandbox.json(&["token", "list"])["tokens"].clone();
        let token = &tokens[1];
        assert!(token["name"].as_str().is_some_and(|name| name.contains(" on ")), "{tokens}");
        assert_eq!((&token["agent"], &token["scopes"]), (&true.into(), &serde_json::json!(["read", "write"])));
        let id = token["id"].as_str().expect("an id");
        let server = |name: &str| {
            let args = ["mcp", name, "--as", id].map(str::to_owned).to_vec();
            (format!("interline-{name}"), program.clone(), args)
        };
        assert_eq!(client.servers(&text), [server("code"), server("content"), server("prompts")], "{text}");
        assert_eq!(fs::metadata(&path).expect("the file").permissions().mode() & 0o777, 0o600);
        assert!(!text.contains("il_"), "no secret is written");

        let printed = client.install(&sandbox, &["--print"]);
        assert_eq!((printed.code, printed.stdout), (Some(0), text), "{}", client.name);
        let elsewhere = Sandbox::new();
        let printed = client.install(&elsewhere, &["--print"]);
        assert!(printed.code == Some(0) && !printed.stdout.contains("--as"), "{printed:?}");
        assert!(!elsewhere.data_dir().exists(), "what is only printed makes no store");
    }
}

#[test]
fn what_is_there_stays_and_a_second_time_changes_nothing() {
    for client in CLIENTS {
        let sandbox = Sandbox::new();
        let path = client.path(&sandbox);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, client.other).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permissions");
        assert_eq!(client.install(&sandbox, &["content"]).code, Some(0));
        let text = fs::read_to_string(&path).expect("the file");
        // Without what is new it is what it was.
        let common = client.other.bytes().zip(text.bytes()).take_while(|(old, new)| old == new).count();
        assert!(text.ends_with(&client.other[common..]), "{text}");
        let names: Vec<_> = client.servers(&text).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["interline-content", "z"], "{text}");
        assert_eq!(fs::metadata(&path).expect("the file").permissions().mode() & 0o777, 0o640);

        let again = client.install(&sandbox, &["content"]);
        assert_eq!(again.stdout, format!("interline-content is already in {}\n", path.display()));
        assert_eq!(fs::read_to_string(&path).expect("the file"), text);

        let elsewhere = sandbox.data_dir().with_file_name("elsewhere");
        let elsewhere = elsewhere.to_str().expect("UTF-8");
        let moved = client.install(&sandbox, &["content", "--data-dir", elsewhere]);
        assert!(moved.stdout.starts_with("interline-content was changed in "), "{moved:?}");
        let (_, _, args) = client.servers(&fs::read_to_string(&path).expect("the file")).swap_remove(0);
        assert_eq!(args[..5], ["mcp", "content", "--data-dir", elsewhere, "--as"]);
    }
}

#[test]
fn comments_and_trailing_commas_stay() {
    for client in CLIENTS.iter().filter(|client| client.name != "codex") {
        let sandbox = Sandbox::new();
        let path = client.path(&sandbox);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let key = if client.name == "vscode" { "servers" } else { "mcpServers" };
        let before = format!("// mine\n{{\n  \"{key}\": {{\n    \"z\": {{\"command\": \"y\"}}, // of z\n");
        let after = "\n  }, /* the rest */\n}\n";
        fs::write(&path, format!("{before}{}", &after[1..])).expect("a file");
        let added = client.install(&sandbox, &["content"]);
        assert!(added.stdout.starts_with("interline-content was added to "), "{added:?}");
        let text = fs::read_to_string(&path).expect("the file");
        let new = text.strip_prefix(&*before).and_then(|rest| rest.strip_suffix(after)).expect("the rest is as it was");
        let new = new.strip_suffix(',').expect("a trailing comma, as before");
        assert_eq!(client.servers(&format!("{{\"{key}\": {{{new}}}}}")).len(), 1, "{new}");
        let again = client.install(&sandbox, &["content"]);
        assert_eq!(again.stdout, format!("interline-content is already in {}\n", path.display()));
    }
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    for client in CLIENTS {
        let sandbox = Sandbox::new();
        let path = client.path(&sandbox);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        for broken in [client.broken.as_bytes(), b"\xff"] {
            fs::write(&path, broken).expect("a file");
            client.install(&sandbox, &[]).refused(1, &[&path.display().to_string(), "\nhint: ", "--print"]);
            assert_eq!(fs::read(&path).expect("the file"), broken);
            assert_eq!(client.install(&sandbox, &["--print"]).code, Some(0));
        }
        let files = fs::read_dir(path.parent().expect("a folder")).expect("a folder");
        assert!(files.flatten().all(|file| !file.file_name().as_encoded_bytes().starts_with(b".interline")));
    }
}

/// The id of the token that the entries of a client have.
fn token_of(client: &Client, sandbox: &Sandbox) -> String {
    let text = fs::read_to_string(client.path(sandbox)).expect("the file");
    client.servers(&text)[0].2.last().expect("an argument").clone()
}

#[test]
fn a_client_keeps_its_token_until_it_is_removed_and_acts_with_it() {
    let sandbox = Sandbox::new();
    let [code, _, cursor, ..] = CLIENTS;
    for client in [&code, &cursor, &code] {
        assert_eq!(client.install(&sandbox, &[]).code, Some(0));
    }
    assert_eq!(sandbox.json(&["token", "list"])["tokens"].as_array().map(Vec::len), Some(3), "one for each client");
    let token = token_of(&code, &sandbox);
    assert_ne!(token, token_of(&cursor, &sandbox));

    let mut agent = McpClient::connect(&sandbox, "content", &["--as", &token]);
    let note = agent.call_tool("create_note", serde_json::json!({"title": "Plan", "content": "one"}));
    let set = sandbox.json(&["changes", "--state", "unreviewed"])["items"][0].clone();
    assert_eq!((&set["token"]["id"], &set["items"][0]["id"]), (&token.as_str().into(), &note["id"]), "{set}");
    assert!(set["token"]["name"].as_str().is_some_and(|name| name.starts_with("Claude Code on ")), "{set}");
    assert_eq!(sandbox.run(&["token", "remove", &token]).code, Some(0));
    let refused = agent.request("tools/call", serde_json::json!({"name": "list_tags", "arguments": {}}));
    assert!(refused.to_string().contains("unauthorized"), "{refused}");
    agent.close();

    let removed = sandbox.run(&["mcp", "content", "--as", &token]);
    removed.refused(1, &["removed", "hint: `interline mcp install"]);
    assert_eq!(code.install(&sandbox, &[]).code, Some(0));
    assert_ne!(token_of(&code, &sandbox), token, "a new one");
    let person = sandbox.json(&["token", "list"])["tokens"][0]["id"].as_str().expect("an id").to_owned();
    sandbox.run(&["mcp", "content", "--as", &person]).refused(1, &["a person's", "hint: "]);
    let server = ["mcp", "content", "--as", &person];
    run(sandbox.command(&server).env("INTERLINE_URL", "http://127.0.0.1:1")).refused(2, &["--as", "hint: "]);
}

#[test]
fn a_client_that_proposes_goes_on_proposing() {
    let sandbox = Sandbox::new();
    let [code, ..] = CLIENTS;
    assert_eq!(code.install(&sandbox, &[]).code, Some(0));
    let applying = token_of(&code, &sandbox);
    assert_eq!(code.install(&sandbox, &["--propose"]).code, Some(0));
    let proposing = token_of(&code, &sandbox);
    assert_ne!(applying, proposing);
    assert_eq!(code.install(&sandbox, &[]).code, Some(0));
    assert_eq!(token_of(&code, &sandbox), proposing, "nothing becomes freer by being installed again");
    let mut agent = McpClient::connect(&sandbox, "content", &["--as", &proposing]);
    let note = agent.call_tool("create_note", serde_json::json!({"title": "Plan", "content": "one"}));
    assert_eq!(note["applied"], false, "{note}");
    agent.close();
    let install = ["mcp", "install", "--client", "cursor", "--propose"];
    run(sandbox.command(&install).env("INTERLINE_URL", "http://127.0.0.1:1")).refused(2, &["--propose", "hint: "]);
}

#[test]
fn options_are_passed_on_as_typed_and_the_environment_is_not() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["mcp", "install", "--client", "codex", "content", "--print"]);
    command.args(["--url", "https://notes.example.org"]).env("INTERLINE_TOKEN", "il_secret");
    let printed = run(&mut command);
    assert!(
        printed.stdout.ends_with("args = [\"mcp\",\"content\",\"--url\",\"https://notes.example.org\"]\n"),
        "{printed:?}"
    );
    command.args(["--token", "il_typed"]);
    assert!(run(&mut command).stdout.contains("\"--token\",\"il_typed\""));

    let relative = sandbox.run(&["mcp", "install", "--client", "cursor", "--print", "--data-dir", "notes"]);
    let here = std::path::absolute("notes").expect("a path");
    assert!(relative.stdout.contains(here.to_str().expect("UTF-8")), "{relative:?}");

    let client = ["mcp", "install", "--client"];
    for wrong in [&["emacs"][..], &["cursor", "page"], &["cursor", "--url", "nonsense"], &["cursor", "--database", "x"]]
    {
        sandbox.run(&[&client, wrong].concat()).refused(2, &[]);
    }
    sandbox.run(&["mcp", "install"]).refused(2, &["--client"]);
    run(sandbox.command(&["mcp", "install", "--client", "cursor"]).env_remove("HOME")).refused(2, &["HOME"]);
}

#[test]
fn the_variables_of_clients_count_and_links_stay_links() {
    let sandbox = Sandbox::new();
    let folder = sandbox.data_dir().with_file_name("own");
    let table = [("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"), ("codex", "CODEX_HOME", "config.toml")];
    for (client, variable, file) in table {
        let mut command = sandbox.command(&["mcp", "install", "--client", client]);
        assert_eq!(run(command.env(variable, &folder)).code, Some(0));
        assert!(folder.join(file).exists());
    }
    let (file, link) = (folder.join("kept.json"), sandbox.data_dir().with_file_name(".claude.json"));
    fs::write(&file, "{}").expect("a file");
    symlink(&file, &link).expect("a link");
    assert_eq!(sandbox.run(&["mcp", "install", "--client", "claude-code"]).code, Some(0));
    assert!(link.is_symlink());
    assert!(fs::read_to_string(&file).expect("the file").contains("interline-content"));
}
