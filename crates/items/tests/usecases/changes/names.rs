//! Names of change sets: they are kept as long as their records, in whatever space these are.

use interline_items::{AttributionRequest, ExpectedVersion, ReplaceFile, Upkeep};

use super::new_set;
use crate::code::{Cast, workflow_of};
use crate::world::code;

#[tokio::test]
async fn the_name_of_a_set_in_an_organization_is_kept_as_long_as_its_records() {
    let cast = Cast::new().await;
    let set = new_set();
    let caller = cast.caller("acme").await;
    let naming = AttributionRequest { change_set: Some(set), ..AttributionRequest::default() };
    cast.interline().attribute(&caller, naming).await.unwrap();
    let content = "@workflow\ndef flow():\n    return 2\n".to_owned();
    let file = workflow_of(cast.acme, "acme.py");
    let change = ReplaceFile { file, content, expected: ExpectedVersion::Any, on_stale: None };
    cast.interline().replace_file(&caller, change).await.unwrap();
    assert_eq!(code(cast.interline().change_set(&caller, set, None).await), "ok");
    let two_days = 2 * 24 * 3_600 * 1_000_000_i64;
    let database = rusqlite::Connection::open(cast.world.file()).unwrap();
    for table in ["changed_items", "change_set_names"] {
        let column = if table == "changed_items" { "change_set" } else { "id" };
        let statement = format!("UPDATE {table} SET set_begun = set_begun - {two_days} WHERE {column} = ?1");
        database.execute(&statement, [set.uuid().into_bytes()]).unwrap();
    }
    cast.interline().run_upkeep(Upkeep::default()).await.unwrap();
    assert_eq!(code(cast.interline().change_set(&caller, set, None).await), "ok", "its records are there");
}
