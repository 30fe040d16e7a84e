//! The text that `interline serve` prints at its start.

use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::first_start::Owner;
use crate::settings::{AuthMode, Database, ServeSettings, StoreSettings};

/// The address, the owner's token if it is new, the line that connects an agent, and a request to try.
pub(super) fn text(address: SocketAddr, settings: &ServeSettings, owner: &Owner, environment: &Environment) -> String {
    let token_file = settings.store.token_file();
    let mut text = format!("Interline listens on http://{address}\n");
    if let Some(secret) = &owner.new_secret {
        let file = token_file.display();
        let _ = write!(text, "\nOwner token (shown only now; saved in {file}):\n\n    {}\n", secret.as_str());
    }
    let here = Here { address, auth: settings.auth, token_file: Some(token_file).filter(|file| file.exists()) };
    let install = here.install_line(&settings.store, environment);
    let _ = write!(text, "\nConnect an agent (or --client claude-desktop, cursor, vscode, codex):\n\n    {install}\n");
    let _ = write!(text, "\nTry it:\n\n    {}\n", here.example());
    text
}

/// How this server is reached from this machine.
struct Here {
    address: SocketAddr,
    auth: AuthMode,
    /// The file with the owner's token. It is where the first start was: not on every machine that shares a database.
    token_file: Option<PathBuf>,
}

impl Here {
    fn url(&self) -> String {
        format!("http://{}", SocketAddr::new(reachable(self.address.ip()), self.address.port()))
    }

    /// A token in a shell, without showing it.
    fn token(&self) -> String {
        match &self.token_file {
            Some(file) => format!("$(cat {})", shell_quoted(file)),
            None => "$INTERLINE_TOKEN".to_owned(),
        }
    }

    /// A request that can be pasted into a shell.
    fn example(&self) -> String {
        let url = self.url();
        match self.auth {
            AuthMode::None => format!("curl {url}/notes"),
            AuthMode::Token => format!("curl -H \"Authorization: Bearer {}\" {url}/notes", self.token()),
        }
    }

    /// The command that connects an agent to this store: to its file, or to this server, where the URL of its database, which
    /// may hold a password, would have to be written into the configuration of a client.
    fn install_line(&self, store: &StoreSettings, environment: &Environment) -> String {
        let mut line = format!("{} mcp install --client claude-code", program(environment));
        match (&store.database, self.auth) {
            (Database::Sqlite(_), _) => {
                let default = environment.data_home().map(|home| home.join("interline"));
                if store.config_file.is_some() || default.as_ref() != Some(&store.data_dir) {
                    let _ = write!(line, " --data-dir {}", shell_quoted(&store.data_dir));
                }
                // Limits of fields are there.
                if let Some(file) = &store.config_file {
                    let _ = write!(line, " --config {}", shell_quoted(file));
                }
            }
            (Database::Postgres(_), AuthMode::None) => {
                let _ = write!(line, " --url {}", self.url());
            }
            (Database::Postgres(_), AuthMode::Token) => {
                let _ = write!(line, " --url {} --token \"{}\"", self.url(), self.token());
            }
        }
        line
    }
}

/// What to type for this program: its name where the shell finds it, otherwise its path.
fn program(environment: &Environment) -> String {
    const NAME: &str = "interline";
    let Ok(this) = std::env::current_exe().and_then(|path| path.canonicalize()) else { return NAME.to_owned() };
    let folders = environment.get("PATH").map(|path| std::env::split_paths(path).collect::<Vec<_>>());
    let found = folders.unwrap_or_default().into_iter().map(|folder| folder.join(NAME)).find(|path| path.is_file());
    if found.and_then(|path| path.canonicalize().ok()).as_ref() == Some(&this) {
        NAME.to_owned()
    } else {
        shell_quoted(&this)
    }
}

/// An address that reaches this server, where `listened` may stand for every address of the machine.
fn reachable(listened: IpAddr) -> IpAddr {
    match listened {
        IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        address => address,
    }
}

/// A path as one word of a shell.
fn shell_quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,@%:=".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use interline_items::fields::Limits;
    use interline_python::SdkName;

    use super::*;

    fn here(address: &str, auth: AuthMode, file: &str) -> Here {
        let token_file = Some(file).filter(|file| !file.is_empty()).map(PathBuf::from);
        Here { address: address.parse().expect("an address"), auth, token_file }
    }

    #[test]
    fn the_example_can_be_pasted() {
        for (address, auth, file, expected) in [
            ("127.0.0.1:4680", AuthMode::None, "/d/token", "curl http://127.0.0.1:4680/notes"),
            (
                "0.0.0.0:80",
                AuthMode::Token,
                "/my data/it's/token",
                r#"curl -H "Authorization: Bearer $(cat '/my data/it'\''s/token')" http://127.0.0.1:80/notes"#,
            ),
            (
                "[::]:80",
                AuthMode::Token,
                "/d/token",
                r#"curl -H "Authorization: Bearer $(cat /d/token)" http://[::1]:80/notes"#,
            ),
        ] {
            assert_eq!(here(address, auth, file).example(), expected);
        }
    }

    #[track_caller]
    fn check_install(database: Database, data_dir: &str, config_file: Option<&str>, here: &Here, options: &str) {
        let store = StoreSettings {
            data_dir: data_dir.into(),
            database,
            config_file: config_file.map(PathBuf::from),
            postgres_connections: None,
            limits: Limits::default(),
            sdk_name: SdkName::parse("sdk").expect("a name"),
            owner_name: "ada".to_owned(),
        };
        let line = here.install_line(&store, &Environment::from([("HOME", "/home/ada")]));
        let (program, rest) = line.split_once(" mcp install").expect("the command");
        assert!(program.contains('/'), "a program that the shell does not find has its path: {program}");
        assert_eq!(rest, format!(" --client claude-code{options}"));
    }

    #[test]
    fn the_line_that_connects_an_agent_leads_to_this_store() {
        let file = || Database::Sqlite(PathBuf::from("/x/interline.db"));
        let server = || Database::Postgres("postgres://ada:secret@db/x".to_owned());
        let (token, none) = (here("0.0.0.0:80", AuthMode::Token, "/d/token"), here("[::1]:80", AuthMode::None, ""));
        check_install(file(), "/home/ada/.local/share/interline", None, &token, "");
        check_install(file(), "/my data", None, &token, " --data-dir '/my data'");
        check_install(file(), "/d", Some("/etc/il.toml"), &token, " --data-dir /d --config /etc/il.toml");
        let with_token = " --url http://127.0.0.1:80 --token \"$(cat /d/token)\"";
        check_install(server(), "/d", Some("/etc/il.toml"), &token, with_token);
        check_install(server(), "/d", None, &none, " --url http://[::1]:80");
        let elsewhere = here("127.0.0.1:80", AuthMode::Token, "");
        check_install(server(), "/d", None, &elsewhere, " --url http://127.0.0.1:80 --token \"$INTERLINE_TOKEN\"");
    }
}
