//! `proposals`: what agents propose is seen, accepted, rejected and withdrawn; `--mcp-writes propose` and tokens that propose.

use serde_json::{Value, json};

use super::store_access::{StoreAccess, at_both};
use crate::harness::{CommandOutput, Sandbox};
use crate::mcp_client::McpClient;

const NO_ID: &str = "01990000-0000-7000-8000-000000000000";
const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
const PROPOSED: &str = "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n";

fn agent(sandbox: &Sandbox) -> McpClient {
    McpClient::connect(sandbox, "content", &["--mcp-writes", "propose"])
}

fn edit(agent: &mut McpClient, note: &str, old: &str, new: &str, reason: &str) -> Value {
    agent.call_tool("edit_content", json!({"id": note, "old_str": old, "new_str": new, "reason": reason}))
}

/// Lets an agent propose to change the first and the last of ten lines of a new note; the ids of the note and the proposal.
fn proposed(place: &StoreAccess) -> (String, String) {
    let note = place.note("Plan", LINES);
    let mut agent = agent(&place.sandbox);
    edit(&mut agent, &note, "1\n2", "one\n2", "words, not digits");
    let answer = edit(&mut agent, &note, "10", "ten", "the last one, too");
    agent.close();
    (note, answer["proposal"]["id"].as_str().expect("an id").to_owned())
}

fn state(place: &StoreAccess, proposal: &str) -> String {
    place.json(&["proposals", proposal])["state"].as_str().expect("a state").to_owned()
}

fn hunk(place: &StoreAccess, proposal: &str, index: usize) -> String {
    place.json(&["proposals", proposal])["hunks"][index]["id"].as_str().expect("an id").to_owned()
}

#[test]
fn what_the_local_agent_proposes_is_applied_when_it_is_accepted() {
    at_both(|place| {
        let note = place.note("Plan", "Monday\n");
        let mut agent = agent(&place.sandbox);
        let answer = edit(&mut agent, &note, "Monday", "Tuesday", "moved");
        assert_eq!((&answer["applied"], &answer["proposal"]["state"]), (&json!(false), &json!("pending")), "{answer}");
        let seen = agent.call_tool("get_item", json!({"id": note}));
        assert_eq!((&seen["content"], &seen["pending"]), (&json!("Tuesday\n"), &json!(true)), "{seen}");
        assert_eq!(place.ok(&["get", &note]), "Monday\n");
        let id = answer["proposal"]["id"].as_str().expect("an id");
        let accepted = place.ok(&["proposals", "accept", id]);
        assert_eq!(accepted, format!("Accepted: Plan (note {note}, version 2).\n"));
        assert_eq!(place.ok(&["get", "@last"]), "Tuesday\n");
        let newest = place.json(&["history", &note])["items"][0].clone();
        assert_eq!((&newest["client"]["name"], &newest["reason"]), (&json!("test"), &json!("moved")), "{newest}");
        assert_eq!(agent.close().code, Some(0));
    });
}

#[test]
fn the_setting_for_the_local_agent_comes_from_the_environment_too_and_a_token_has_its_own() {
    let place = StoreAccess::local();
    let note = place.note("Plan", "Monday\n");
    let token = place.json(&["token", "add", "bot", "--agent", "--scope", "read", "--scope", "write"]);
    for (options, is_applied) in [(&[][..], false), (&["--as", token["id"].as_str().expect("an id")], true)] {
        let arguments = [&["mcp", "content"], options].concat();
        let mut agent = McpClient::spawn(place.sandbox.command(&arguments).env("INTERLINE_MCP_WRITES", "propose"));
        let client_info = json!({"name": "test", "version": "1"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client_info});
        agent.request("initialize", hello);
        agent.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        let answer = edit(&mut agent, &note, "Monday", "Tuesday", "moved");
        assert_eq!(answer.get("proposal").is_none(), is_applied, "{options:?}: {answer}");
        agent.close();
    }
    assert_eq!(place.ok(&["get", &note]), "Tuesday\n");
}

#[test]
fn a_server_without_authentication_holds_back_what_agents_write_and_nothing_else() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&["--auth", "none", "--mcp-writes", "propose"]);
    let place = StoreAccess::local();
    let made = sandbox.json(&["new", "note", "Plan", "--content", "Monday\n", "--url", &served.url()]);
    let note = made["id"].as_str().expect("an id");
    let mut agent = McpClient::connect(&place.sandbox, "content", &["--url", &served.url()]);
    assert_eq!(edit(&mut agent, note, "Monday", "Tuesday", "moved")["applied"], false);
    agent.close();
    assert_eq!(sandbox.run(&["get", note, "--url", &served.url()]).stdout, "Monday\n");
}

#[test]
fn proposals_are_listed_by_who_and_why() {
    at_both(|place| {
        let other = place.note("Other", "x");
        assert_eq!(place.ok(&["proposals"]), "No pending proposals.\n");
        assert_eq!(place.ok(&["proposals", "--state", "all"]), "No proposals.\n");
        let (note, id) = proposed(place);
        let CommandOutput { code, stdout, stderr } = place.run(&["proposals"]);
        let lines: Vec<&str> = stdout.split_terminator('\n').collect();
        assert_eq!(code, Some(0));
        assert!(lines[0].starts_with("ID ") && lines[0].contains("  WHO         STATE    ITEM  REASON"), "{stdout}");
        assert!(lines[1].starts_with(&id) && lines[1].contains("  test (ada)  pending  Plan  "), "{stdout}");
        assert!(stderr.starts_with("hint: ") && stderr.contains("interline proposals accept ID"), "{stderr}");
        assert_eq!(place.json(&["proposals"]), place.rest("/proposals?state=pending"));
        for (arguments, found) in [
            (&["--item", &note[..]][..], 1),
            (&["--item", &other], 0),
            (&["--state", "rejected"], 0),
            (&["--state", "all", "--limit", "1"], 1),
        ] {
            let page = place.json(&[&["proposals"], arguments].concat());
            assert_eq!(page["items"].as_array().map(Vec::len), Some(found), "{arguments:?}: {page}");
        }
        place.run(&["proposals", "--limit", "0"]).refused(1, &["limit"]);
    });
}

#[test]
fn a_proposal_is_shown_with_the_ids_of_its_hunks_and_its_requests() {
    at_both(|place| {
        let (note, id) = proposed(place);
        let details = place.rest(&format!("/proposals/{id}"));
        assert_eq!(place.json(&["proposals", &id]), details);
        let shown = place.ok(&["proposals", &id[..23]]);
        for part in [
            "ada via test 1 (an agent), 20",
            &format!("\nproposal {id}, revision 2, pending\n\nPlan\nnote {note}, made for version 1\n"),
            &format!("\nhunk {}, line 1\n@@ -1,4 +1,4 @@\n-1\n+one\n 2\n", hunk(place, &id, 0)),
            &format!("\nhunk {}, line 10\n", hunk(place, &id, 1)),
            "\n\nmade by 2 requests:\n  20",
            "words, not digits\n",
            "the last one, too\n",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        for name in ["abc", "ffff", "plan", NO_ID] {
            place.run(&["proposals", name]).refused(1, &["error: ", "hint: "]);
        }
        let second = proposed(place).1;
        place.run(&["proposals", &id[..4]]).refused(1, &["2 proposals begin with", &id, &second]);
    });
}

#[test]
fn some_hunks_are_accepted_and_the_rest_stays_pending() {
    at_both(|place| {
        let (note, id) = proposed(place);
        place.run(&["proposals", "accept", &id, "--hunk", "no-such-hunk"]).refused(1, &["no-such-hunk"]);
        let accepted = place.ok(&["proposals", "accept", &id, "--hunk", &hunk(place, &id, 1)]);
        assert!(accepted.starts_with("Accepted: Plan (note "), "{accepted}");
        assert!(accepted.ends_with(&format!("\nThe rest stays pending: proposal {id}, revision 3.\n")), "{accepted}");
        assert_eq!(place.ok(&["get", &note]), "1\n2\n3\n4\n5\n6\n7\n8\n9\nten\n");
        let stale = ["the proposal is at revision 3", &format!("`interline proposals {id}` shows it")];
        place.run(&["proposals", "accept", &id, "--revision", "2"]).refused(1, &stale);
        let answer = place.json(&["proposals", "accept", &id, "--revision", "3"]);
        assert_eq!(answer["proposal"]["state"], "accepted", "{answer}");
        assert_eq!(place.ok(&["get", &note]), PROPOSED);
        place.run(&["proposals", "accept", &id]).refused(1, &["the proposal is accepted already"]);
    });
}

#[test]
fn a_text_of_ones_own_is_accepted_instead() {
    at_both(|place| {
        let (note, id) = proposed(place);
        let file = place.sandbox.write("own.md", "eins\n");
        place.ok(&["proposals", "accept", &id, "--content", file.to_str().expect("UTF-8")]);
        assert_eq!((place.ok(&["get", &note]).as_str(), state(place, &id).as_str()), ("eins\n", "accepted"));
    });
}

#[test]
fn a_rejection_has_a_reason_that_the_agent_is_told_once() {
    at_both(|place| {
        let (note, id) = proposed(place);
        let rejected = place.ok(&["proposals", "reject", &id, "--reason", "digits, please"]);
        assert_eq!(rejected, format!("Rejected proposal {id} (Plan).\n"));
        assert_eq!(place.ok(&["get", &note]), LINES);
        let shown = place.ok(&["proposals", &id]);
        assert!(shown.contains("\nrejected by ada, 20") && shown.contains(": digits, please\n"), "{shown}");
        let mut agent = agent(&place.sandbox);
        let first = edit(&mut agent, &note, "5", "five", "another");
        assert_eq!(first["rejected"]["reason"], "digits, please", "{first}");
        assert_eq!(edit(&mut agent, &note, "6", "six", "another").get("rejected"), None);
        agent.close();
    });
}

#[test]
fn several_are_decided_each_by_itself() {
    at_both(|place| {
        let (first, second, third) = (proposed(place), proposed(place), proposed(place));
        place.ok(&["edit", &second.0, "--old", "10", "--new", "X"]);
        let output = place.run(&["proposals", "accept", &first.1, &second.1, &third.1]);
        assert_eq!(output.code, Some(1));
        let [a, b, c] = [&first.1, &second.1, &third.1];
        assert_eq!(output.stdout, format!("Accepted proposal {a} (Plan).\nAccepted proposal {c} (Plan).\n"));
        let told = [format!("{b} (Plan): error: "), "error: 1 of 3 proposals could not be decided\n".to_owned()];
        assert!(told.iter().all(|part| output.stderr.contains(part)), "{output:?}");
        assert_eq!([a, b, c].map(|id| state(place, id)), ["accepted", "stale", "accepted"]);
        let (fourth, fifth) = (proposed(place).1, proposed(place).1);
        let answer = place.json(&["proposals", "reject", &fourth, &fifth, "--reason", "no"]);
        assert_eq!(answer["items"], json!([{"id": fourth, "state": "rejected"}, {"id": fifth, "state": "rejected"}]));
    });
}

#[test]
fn one_that_others_have_overtaken_is_stale_and_shows_the_places() {
    at_both(|place| {
        let (note, id) = proposed(place);
        place.ok(&["edit", &note, "--old", "10", "--new", "X"]);
        let places = [
            "error: the proposal does not fit the item any more: ",
            "\n  line 10:\n    it proposes:  ten\n    now there is: X\n",
            "hint: nothing was applied, and the proposal is stale",
        ];
        place.run(&["proposals", "accept", &id]).refused(1, &places);
        assert_eq!(state(place, &id), "stale");
        assert_eq!(place.ok(&["get", &note]), "1\n2\n3\n4\n5\n6\n7\n8\n9\nX\n");
        place.run(&["proposals", "accept", &id]).refused(1, &["the proposal is stale already"]);
    });
}

#[test]
fn a_proposal_is_withdrawn() {
    at_both(|place| {
        let (note, id) = proposed(place);
        assert_eq!(place.ok(&["proposals", "withdraw", &id]), format!("Withdrew proposal {id} (Plan).\n"));
        assert_eq!((state(place, &id).as_str(), place.ok(&["get", &note]).as_str()), ("withdrawn", LINES));
        place.run(&["proposals", "withdraw", &id]).refused(1, &["withdrawn already"]);
    });
}

#[test]
fn on_a_terminal_each_pending_one_is_asked_about() {
    at_both(|place| {
        let (left, accepted, rejected) = (proposed(place), proposed(place), proposed(place));
        let stale = proposed(place);
        place.ok(&["edit", &stale.0, "--old", "10", "--new", "X"]);
        // Newest first. What is no answer is asked again.
        let shown = place.on_terminal(&["proposals"], &[("NO_COLOR", "1")], "y\n?\nN\n digits, please \naccept\ns\n");
        assert_eq!(shown.matches("Accept it? [y]es accept, [n]o reject, [s]kip, [q]uit: ").count(), 5, "{shown}");
        for part in ["1 of 4", "4 of 4", "now there is: X", "Why? ", "Rejected.\n", "Accepted: Plan (note "] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(shown.ends_with("1 accepted, 1 rejected, 2 left.\n"), "{shown}");
        let states = [&left, &accepted, &rejected, &stale].map(|(_, id)| state(place, id));
        assert_eq!(states, ["pending", "accepted", "rejected", "stale"]);
        assert_eq!(place.json(&["proposals", &rejected.1])["decision_reason"], "digits, please");
        assert_eq!(place.ok(&["get", &accepted.0]), PROPOSED);
        let shown = place.on_terminal(&["proposals", "--item", &left.0], &[], "q\n");
        assert!(shown.ends_with("0 accepted, 0 rejected, 1 left.\n"), "{shown}");
        assert!(shown.contains("\u{1b}[32m+one\u{1b}[0m"), "{shown}");
    });
}

#[test]
fn a_command_with_a_token_that_proposes_says_so() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let url = served.url();
    let made = sandbox.json(&["new", "note", "Plan", "--content", "Monday\n", "--url", &url]);
    let note = made["id"].as_str().expect("an id");
    let arguments = ["token", "add", "bot", "--propose", "--scope", "read", "--scope", "write", "--url", &url];
    let token = sandbox.json(&arguments)["token"].as_str().expect("a secret").to_owned();
    let with = ["--url", &url, "--token", &token];
    let edited = sandbox.run(&[&["edit", note, "--old", "Monday", "--new", "Tuesday"][..], &with].concat());
    assert_eq!(edited.code, Some(0), "{edited:?}");
    assert!(edited.stdout.starts_with("Plan is not changed yet, a person has to accept proposal "), "{edited:?}");
    let made = sandbox.run(&[&["new", "note", "Other", "--content", "x"][..], &with].concat());
    assert!(made.stdout.starts_with("Proposed note ") && made.stdout.contains(": a person has to "), "{made:?}");
    let own = sandbox.json(&[&["proposals", "--item", note][..], &with].concat());
    let id = own["items"][0]["id"].as_str().expect("an id");
    sandbox.run(&[&["proposals", "accept", id][..], &with].concat()).refused(1, &["error: "]);
    assert_eq!(sandbox.run(&[&["proposals", "withdraw", id][..], &with].concat()).code, Some(0));
}
