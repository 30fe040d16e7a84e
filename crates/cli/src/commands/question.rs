//! Questions to people at a terminal about one thing after the other.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use crate::command_error::CommandError;
use crate::output::print;
use crate::screen::{Screen, Style};

/// A question that is answered by a word or its first letter.
pub(super) struct Question {
    /// What is asked, without the choice.
    pub(super) text: &'static str,
    /// What *yes* does, which is an answer, too.
    pub(super) yes: &'static str,
    /// What *no* does, which is an answer, too.
    pub(super) no: &'static str,
}

/// What a person answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    No,
    /// It is left for later.
    Skip,
    /// This one and all that follow are left for later.
    Quit,
}

/// Whether there is a person to ask: a terminal at both ends.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

impl Question {
    /// Asks until it is answered; the end of the input is an answer, too.
    pub(super) fn ask(&self, screen: &Screen) -> Result<Answer, CommandError> {
        let Question { text, yes, no } = self;
        loop {
            let Some(line) = ask_line(screen, &format!("{text} [y]es {yes}, [n]o {no}, [s]kip, [q]uit: "))? else {
                return Ok(Answer::Quit);
            };
            if let Some(answer) = self.answer(&line) {
                return Ok(answer);
            }
        }
    }

    fn answer(&self, line: &str) -> Option<Answer> {
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Some(Answer::Yes),
            "n" | "no" => Some(Answer::No),
            "s" | "skip" => Some(Answer::Skip),
            "q" | "quit" => Some(Answer::Quit),
            word if word == self.yes => Some(Answer::Yes),
            word if word == self.no => Some(Answer::No),
            _ => None,
        }
    }
}

/// The line that is typed after a text; `None` at the end of the input.
pub(super) fn ask_line(screen: &Screen, text: &str) -> Result<Option<String>, CommandError> {
    let failed = |error: io::Error| CommandError::failed(format!("the terminal cannot be used: {error}"));
    let mut stdout = io::stdout().lock();
    write!(stdout, "{}", screen.paint(Style::Bold, text)).and_then(|()| stdout.flush()).map_err(failed)?;
    drop(stdout);
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line).map_err(failed)? == 0 {
        print("")?;
        return Ok(None);
    }
    Ok(Some(line.trim().to_owned()))
}
