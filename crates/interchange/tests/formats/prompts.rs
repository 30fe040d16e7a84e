//! Prompts of Langfuse, and `SKILL.md` files.

use interline_interchange::{Entry, FileTimes, Format, SourceKind, read_file, write_skill};

use crate::entries::{lines, read, record};

#[test]
fn langfuse_versions_are_history_and_variables_are_renamed() {
    let entries = read(Format::LangfuseJson, include_bytes!("fixtures/langfuse.json")).unwrap();
    assert_eq!(
        lines(&entries),
        [
            "- only-meta: it has no `prompt`: the list of prompts is without texts; get each version by its name",
            "- prompt 6: it has no `name`",
            "prompt movieCritic name=movie-critic tags=film-club description=\"Ask for an audience\" \
             content=\"Review {{movie_title}} for {{ audience }}. Write {{ '{%' }} raw %} as it is.\" \
             created=1704067200 updated=1704240000",
            "prompt movie-critic name=movie-critic-2 content=\"## system\\n\\nYou are {{role}}.\\n\\n## placeholder\\n\\n\
             {{chat_history}}\\n\\n## user\\n\\n{{question}}\" created=1706745600 updated=1706745600",
            "- 日本: its name has no letter a-z or digit; rename it in Langfuse",
        ]
    );
    let Entry::Record(critic) = &entries[2] else { panic!() };
    assert_eq!(critic.version, Some(2));
    assert_eq!(critic.history.len(), 1);
    let first = &critic.history[0];
    assert_eq!((first.version, first.action.as_str()), (Some(1), "create"));
    assert_eq!(first.at.map(|time| time.to_string()).as_deref(), Some("2024-01-01T00:00:00Z"));
    assert_eq!(first.state.as_ref().unwrap().content.as_deref(), Some("Review {{movie_title}}."));
    let arguments: Vec<&str> =
        critic.fields.arguments.as_ref().unwrap().iter().map(|argument| argument.name.as_str()).collect();
    assert_eq!(arguments, ["movie_title", "audience"]);
    assert_eq!(
        critic.notices,
        ["its name `movieCritic` became `movie-critic`", "the variable `movieTitle` became `movie_title`"]
    );
    assert_eq!(
        critic.fields.front_matter.as_deref(),
        Some("labels: [production, latest]\nconfig: \"{\\\"model\\\":\\\"gpt-4o\\\",\\\"temperature\\\":0.2}\"\n")
    );
}

const SKILL: &str = "---\nname: pdf-forms\ndescription: Fill in PDF forms. Use when a form is given.\nlicense: MIT\n\
                     allowed-tools: [Bash, Read]\nmetadata:\n  version: 1.0\n---\n\n# Forms\n\nUse {{field}} and {% x %}.\n";

#[test]
fn a_skill_is_a_prompt_and_comes_back_byte_for_byte() {
    let read = record(read_file(Format::Skill, "pdf-forms/SKILL.md", SKILL.as_bytes(), FileTimes::default()));
    assert_eq!(read.kind, SourceKind::Prompt);
    assert_eq!(read.fields.name.as_deref(), Some("pdf-forms"));
    assert_eq!(read.fields.description.as_deref(), Some("Fill in PDF forms. Use when a form is given."));
    assert_eq!(
        read.fields.front_matter.as_deref(),
        Some("license: MIT\nallowed-tools: [Bash, Read]\nmetadata:\n  version: 1.0\n")
    );
    assert_eq!(read.content.as_deref(), Some("\n# Forms\n\nUse {{ '{{' }}field}} and {{ '{%' }} x %}.\n"));
    assert_eq!(write_skill(&read), SKILL);
}

#[test]
fn other_files_of_skills_are_told() {
    let times = FileTimes::default();
    for (path, bytes, line) in [
        ("a/SKILL.md", "no front matter", "- a/SKILL.md: it has no front matter with a `name` and a `description`"),
        ("a/SKILL.md", "---\n- x\n---\n", "- a/SKILL.md: its front matter is no mapping of keys to values"),
        (
            "My Skill/SKILL.md",
            "---\ndescription: d\n---\n",
            "prompt My Skill/SKILL.md name=my-skill description=\"d\" content=\"\"",
        ),
        ("a/scripts/run.py", "", "@ a/scripts/run.py"),
        ("a/reference.md", "", "@ a/reference.md"),
        ("SKILL.md", "---\nname: 日本\n---\n", "- SKILL.md: its `name` has no letter a-z or digit"),
    ] {
        assert_eq!(lines(&[read_file(Format::Skill, path, bytes.as_bytes(), times)]), [line]);
    }
}
