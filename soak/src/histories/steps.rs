//! Steps of a random history: calls of use cases, and the states that they must lead to.

use anyhow::{Context as _, ensure};
use interline_items::fields::{Limits, Tag};
use interline_items::{
    Action, Caller, EditRequest, ExpectedVersion, FieldChange, InsertAt, Interline, ItemChanges, ItemDraft, ItemRef,
    Kind, PassageChange, TagChanges, TextChange,
};

use super::expected_item::{ExpectedItem, Lifecycle, VersionState};
use crate::random::Random;

const TAGS: [&str; 4] = ["alpha", "beta", "gamma", "delta"];
const WORDS: [&str; 8] = ["quartz", "Straße", "\ttabs", "lantern ", "e\u{301}cole", "音楽", "😀", "ember"];
const ENDINGS: [&str; 4] = ["\n", "\n", "\r\n", "\n\n"];

/// A history that goes on.
pub(super) struct Steps {
    interline: Interline,
    caller: Caller,
    random: Random,
    /// Of the next line: every line begins with a key that no other has.
    next_key: usize,
    pub(super) items: Vec<ExpectedItem>,
}

impl Steps {
    pub(super) fn new(interline: Interline, caller: Caller, seed: u64) -> Steps {
        Steps { interline, caller, random: Random::part(seed, 4), next_key: 0, items: Vec::new() }
    }

    /// Makes an item.
    pub(super) async fn create(&mut self) -> anyhow::Result<()> {
        let state = VersionState { title: self.line(), content: Some(self.text()), ..VersionState::default() };
        let draft =
            ItemDraft { title: Some(state.title.clone()), content: state.content.clone(), ..ItemDraft::default() };
        let id = self.interline.create(&self.caller, Kind::Note, draft).await?.item.id;
        self.items.push(ExpectedItem {
            id,
            versions: vec![state],
            actions: vec![Action::Create],
            life: Lifecycle::Active,
        });
        Ok(())
    }

    /// Does something to an item; which one.
    pub(super) async fn step(&mut self) -> anyhow::Result<usize> {
        let index = self.random.below(self.items.len());
        let choice = self.random.below(100);
        match (self.items[index].life, choice) {
            (Lifecycle::Deleted { .. }, _) => self.turn(index, Action::Restore).await?,
            (_, 0..60) => self.edit(index).await?,
            (_, 60..68) => {
                let text = self.text();
                self.update(index, |state| state.content = Some(text)).await?;
            }
            (_, 68..71) => self.update(index, |state| state.content = None).await?,
            (_, 71..79) => self.change_fields(index).await?,
            (_, 79..85) => self.go_back(index).await?,
            (_, 85..90) => self.rename_tag().await?,
            (_, 90..94) => self.turn(index, Action::Archive).await?,
            (_, 94..98) => self.turn(index, Action::Unarchive).await?,
            _ => self.turn(index, Action::Delete).await?,
        }
        Ok(index)
    }

    fn which(&self, index: usize) -> ItemRef {
        ItemRef::Id(self.items[index].id, Some(Kind::Note))
    }

    /// Edits passages of the content; writes one where there is none.
    async fn edit(&mut self, index: usize) -> anyhow::Result<()> {
        let mut state = self.items[index].newest();
        let before = state.content.clone().unwrap_or_default();
        let Some(line) = self.some_line(&before) else {
            let text = self.text();
            return self.update(index, |state| state.content = Some(text)).await;
        };
        let (change, after) = self.some_edit(&before, &line);
        let edited = self.interline.edit(&self.caller, &self.which(index), EditRequest::new(change)).await?;
        ensure!(edited.after.content.as_deref() == Some(after.as_str()), "an edit gave another text than it should");
        let undo = edited.edit.invert(&before).context("an edit is not one of the text before")?;
        ensure!(
            undo.apply(&after).context("an undo is not one of the text after")? == before,
            "undo is not the inverse"
        );
        state.content = Some(after);
        self.items[index].becomes(state);
        Ok(())
    }

    /// An edit of a text, and the text after it; `old` is a line of the text.
    fn some_edit(&mut self, before: &str, old: &str) -> (TextChange, String) {
        let passage = |old: &str, new: &str| PassageChange {
            old_str: old.to_owned(),
            new_str: new.to_owned(),
            expected_matches: 1,
        };
        let new = if self.random.chance(150) { self.text() } else { self.line() };
        let replaced = before.replacen(old, &new, 1);
        let line = self.line();
        match (self.random.below(5), self.some_line(&replaced)) {
            (0, Some(second)) => {
                let after = replaced.replacen(&second, &line, 1);
                (TextChange::Several(vec![passage(old, &new), passage(&second, &line)]), after)
            }
            (1, _) => {
                let after = before.replacen(old, &(line.clone() + old), 1);
                (TextChange::Insert { at: InsertAt::Before(old.to_owned()), new_str: line }, after)
            }
            (2, _) => {
                let after = before.replacen(old, &(old.to_owned() + &line), 1);
                (TextChange::Insert { at: InsertAt::After(old.to_owned()), new_str: line }, after)
            }
            _ => (TextChange::Replace(passage(old, &new)), replaced),
        }
    }

    /// Fields and whole content, from what they are to what `change` makes of them.
    async fn update(&mut self, index: usize, change: impl FnOnce(&mut VersionState)) -> anyhow::Result<()> {
        let before = self.items[index].newest();
        let mut after = before.clone();
        change(&mut after);
        let changed = |before: &Option<String>, after: &Option<String>| match after {
            after if before == after => FieldChange::Keep,
            Some(text) => FieldChange::Set(text.clone()),
            None => FieldChange::Clear,
        };
        let changes = ItemChanges {
            title: changed(&Some(before.title), &Some(after.title.clone())),
            description: changed(&before.description, &after.description),
            tags: TagChanges::Replace(after.tags.clone()),
            content: changed(&before.content, &after.content),
            ..ItemChanges::default()
        };
        self.interline.update(&self.caller, &self.which(index), ExpectedVersion::Any, changes).await?;
        self.items[index].becomes(after);
        Ok(())
    }

    async fn change_fields(&mut self, index: usize) -> anyhow::Result<()> {
        let (title, description) = (self.line(), self.random.chance(700).then(|| self.line()));
        let tags = TAGS.iter().filter(|_| self.random.chance(500)).map(|tag| (*tag).to_owned()).collect();
        let choice = self.random.below(3);
        self.update(index, |state| match choice {
            0 => state.title = title,
            1 => state.description = description,
            _ => state.tags = tags,
        })
        .await
    }

    /// Makes it what it was in some version.
    async fn go_back(&mut self, index: usize) -> anyhow::Result<()> {
        let earlier = self.random.below(self.items[index].versions.len());
        let earlier = self.items[index].versions[earlier].clone();
        self.update(index, |state| *state = earlier).await
    }

    /// Gives all items that have a tag another one instead.
    async fn rename_tag(&mut self) -> anyhow::Result<()> {
        let (from, to) = (TAGS[self.random.below(TAGS.len())], TAGS[self.random.below(TAGS.len())]);
        let has_it = |item: &&mut ExpectedItem| {
            !matches!(item.life, Lifecycle::Deleted { .. }) && item.newest().tags.iter().any(|tag| tag == from)
        };
        let having: Vec<&mut ExpectedItem> = self.items.iter_mut().filter(has_it).collect();
        if having.is_empty() || from == to {
            return Ok(());
        }
        let limits = Limits::default();
        let [from_tag, to_tag] = [from, to].map(|tag| Tag::parse(tag, &limits));
        let (Ok(from_tag), Ok(to_tag)) = (from_tag, to_tag) else { anyhow::bail!("not a tag") };
        let renamed = self.interline.rename_tag(&self.caller, &from_tag, &to_tag).await?;
        ensure!(renamed == having.len(), "{renamed} items were given another tag, not {}", having.len());
        for item in having {
            let mut state = item.newest();
            let mut tags: Vec<String> = Vec::new();
            for tag in state.tags {
                let tag = if tag == from { to.to_owned() } else { tag };
                if !tags.contains(&tag) {
                    tags.push(tag);
                }
            }
            state.tags = tags;
            item.becomes(state);
        }
        Ok(())
    }

    /// Archives, deletes, or the way back; where that means something.
    async fn turn(&mut self, index: usize, action: Action) -> anyhow::Result<()> {
        let (which, any) = (self.which(index), ExpectedVersion::Any);
        let life = match (action, self.items[index].life) {
            (Action::Archive, Lifecycle::Active) => Lifecycle::Archived,
            (Action::Unarchive, Lifecycle::Archived) => Lifecycle::Active,
            (Action::Delete, Lifecycle::Active) => Lifecycle::Deleted { archived: false },
            (Action::Delete, Lifecycle::Archived) => Lifecycle::Deleted { archived: true },
            (Action::Restore, Lifecycle::Deleted { archived: true }) => Lifecycle::Archived,
            (Action::Restore, Lifecycle::Deleted { archived: false }) => Lifecycle::Active,
            _ => return Ok(()),
        };
        match action {
            Action::Archive => self.interline.archive(&self.caller, &which, any).await?,
            Action::Unarchive => self.interline.unarchive(&self.caller, &which, any).await?,
            Action::Delete => self.interline.delete(&self.caller, &which, any).await?,
            Action::Restore => self.interline.restore(&self.caller, &which, any).await?,
            Action::Create | Action::Update | Action::Undo => return Ok(()),
        };
        self.items[index].life = life;
        self.items[index].actions.push(action);
        Ok(())
    }

    /// A line with a key of its own and without an ending.
    fn line(&mut self) -> String {
        self.next_key += 1;
        let mut line = format!("k{} ", self.next_key);
        for _ in 0..self.random.below(12) {
            line.push_str(WORDS[self.random.below(WORDS.len())]);
            line.push(' ');
        }
        line + "."
    }

    /// Mostly short, sometimes long; with lines of all endings, or empty.
    fn text(&mut self) -> String {
        let lines = *self.random.one_of(&[0, 1, 3, 20, 20, 60, 60, 800]);
        let mut text = String::new();
        for _ in 0..lines {
            text.push_str(&self.line());
            text.push_str(ENDINGS[self.random.below(ENDINGS.len())]);
        }
        text
    }

    /// Some line that begins with a key.
    fn some_line(&mut self, text: &str) -> Option<String> {
        let lines: Vec<&str> = text.split(['\n', '\r']).filter(|line| line.starts_with('k')).collect();
        if lines.is_empty() { None } else { Some((*self.random.one_of(&lines)).to_owned()) }
    }
}
