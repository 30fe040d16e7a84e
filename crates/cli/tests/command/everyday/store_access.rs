//! Where everyday commands run: on the local store, or against a server. Tests of them run at both.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::harness::{CommandOutput, RunningServer, Sandbox, run};

/// A store, reached directly or through a server.
pub(crate) struct StoreAccess {
    pub(crate) sandbox: Sandbox,
    served: Option<RunningServer>,
}

/// Runs a test on the local store, and then against a server.
pub(crate) fn at_both(test: impl Fn(&StoreAccess)) {
    test(&StoreAccess { sandbox: Sandbox::new(), served: None });
    let sandbox = Sandbox::new();
    let served = Some(sandbox.serve(&[]));
    test(&StoreAccess { sandbox, served });
}

impl StoreAccess {
    pub(crate) fn local() -> StoreAccess {
        StoreAccess { sandbox: Sandbox::new(), served: None }
    }

    pub(crate) fn is_served(&self) -> bool {
        self.served.is_some()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(arguments);
        if let Some(served) = &self.served {
            command.env("INTERLINE_URL", served.url());
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        run(&mut self.command(arguments))
    }

    /// Runs a command that must succeed; what it prints.
    #[track_caller]
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.code, Some(0), "{arguments:?}: {output:?}");
        output.stdout
    }

    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.ok(&[arguments, &["--json"]].concat())).expect("JSON")
    }

    /// Makes a note; its id.
    #[track_caller]
    pub(crate) fn note(&self, title: &str, content: &str) -> String {
        let made = self.json(&["new", "note", title, "--content", content]);
        made["id"].as_str().expect("an id").to_owned()
    }

    /// Runs a command with a text as its input.
    pub(crate) fn with_input(&self, arguments: &[&str], input: &[u8]) -> CommandOutput {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command runs");
        // A command that does not read its input may have ended.
        let _ = child.stdin.take().expect("its stdin").write_all(input);
        child.wait_with_output().expect("its end").into()
    }

    /// Runs a command with an editor that is a small shell script; `$1` is the file.
    pub(crate) fn with_editor(&self, arguments: &[&str], script: &str) -> CommandOutput {
        let editor = self.sandbox.write("editor.sh", script);
        run(self.command(arguments).env("EDITOR", format!("sh {}", editor.display())).env("PATH", "/usr/bin:/bin"))
    }

    /// What a command shows on a terminal on which a text is typed, by Python's module for terminals.
    pub(crate) fn on_terminal(&self, arguments: &[&str], variables: &[(&str, &str)], typed: &str) -> String {
        let script = "import os, pty, sys\n\
            data = b''\n\
            pid, fd = pty.fork()\n\
            if pid == 0: os.execv(sys.argv[2], sys.argv[2:])\n\
            os.write(fd, sys.argv[1].encode())\n\
            try:\n    while True:\n        part = os.read(fd, 65536)\n        if not part: break\n        data += part\n\
            except OSError: pass\n\
            os.waitpid(pid, 0)\n\
            sys.stdout.buffer.write(data)\n";
        let run = self.command(arguments);
        let mut command = Command::new("/usr/bin/python3");
        command.arg("-c").arg(script).arg(typed).arg(run.get_program()).args(run.get_args()).env_clear();
        command.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("PATH", "/usr/bin:/bin").env("TERM", "xterm").env("PAGER", "cat").envs(variables.iter().copied());
        let output = command.output().expect("python3 runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("UTF-8").replace("\r\n", "\n")
    }

    /// What the API of a server on this store answers.
    #[track_caller]
    pub(crate) fn rest(&self, path: &str) -> Value {
        let token = self.sandbox.token();
        let answer = match &self.served {
            Some(served) => served.get(path, Some(&token)),
            None => self.sandbox.serve(&[]).get(path, Some(&token)),
        };
        assert_eq!(answer.status, 200, "{answer:?}");
        serde_json::from_str(&answer.body).expect("JSON")
    }
}
