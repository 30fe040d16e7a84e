use super::*;

fn written(offset: u64, bytes: &[u8]) -> Event {
    Event::Written(FileName::Log, offset, bytes.into())
}

/// The file after the events: when what is in doubt is lost, and for many choices.
fn after(events: &[Event], write_back: WriteBack) -> (Option<Vec<u8>>, Vec<Option<Vec<u8>>>) {
    let mut platter = Platter::new(write_back, 1);
    events.iter().for_each(|event| platter.live(event));
    let file = |unsynced| platter.image(unsynced).file(FileName::Log).map(<[u8]>::to_vec);
    (file(Unsynced::Lost), (0..500).map(|seed| file(Unsynced::Chosen(seed))).collect())
}

#[test]
fn what_was_synced_is_there_whatever_is_chosen() {
    let events = [Event::Created(FileName::Log), written(0, b"kept"), Event::Synced(FileName::Log), written(4, b"new")];
    let (certain, chosen) = after(&events, WriteBack::AtSyncs);
    assert_eq!(certain.as_deref(), Some(&b"kept"[..]));
    assert!(chosen.iter().all(|file| file.as_ref().is_some_and(|bytes| bytes.starts_with(b"kept"))));
    assert!(chosen.iter().any(|file| file.as_ref().is_some_and(|bytes| bytes == b"keptnew")));
    assert!(chosen.iter().any(|file| file.as_ref().is_some_and(|bytes| bytes == b"kept")));
}

#[test]
fn a_file_that_was_never_synced_may_be_missing() {
    let (certain, chosen) = after(&[Event::Created(FileName::Log), written(0, b"text")], WriteBack::AtSyncs);
    assert_eq!(certain, None);
    assert!(chosen.contains(&None) && chosen.contains(&Some(b"text".to_vec())));
}

#[test]
fn writes_tear_at_sectors_and_come_in_any_order() {
    let (first, second) = (vec![1; 2 * SECTOR], vec![2; SECTOR]);
    let events = [
        Event::Created(FileName::Log),
        Event::Synced(FileName::Log),
        written(256, &first),
        written(2 * SECTOR as u64 + 256, &second),
    ];
    let (_, chosen) = after(&events, WriteBack::AtSyncs);
    let of = |wanted: &dyn Fn(&[u8]) -> bool| chosen.iter().flatten().any(|bytes| wanted(bytes));
    assert!(of(&|bytes| bytes.len() > 3 * SECTOR && bytes[256] == 0 && bytes[3 * SECTOR] == 2), "only the second");
    assert!(of(&|bytes| bytes.len() > SECTOR && bytes[511] == 0 && bytes[512] == 1), "without its first sector");
    for bytes in chosen.iter().flatten().filter(|bytes| bytes.len() > 2 * SECTOR) {
        assert!(bytes[256..512].iter().all(|byte| *byte == bytes[256]), "a sector is whole");
    }
}

#[test]
fn a_deleted_file_may_be_back_until_the_directory_is_synced() {
    let before = [Event::Created(FileName::Log), written(0, b"old"), Event::Synced(FileName::Log)];
    let with = |durability| [&before[..], &[Event::Deleted(FileName::Log, durability)]].concat();
    let (_, chosen) = after(&with(Durability::InDoubt), WriteBack::AtSyncs);
    assert!(chosen.contains(&None) && chosen.contains(&Some(b"old".to_vec())));
    let synced = [&with(Durability::InDoubt)[..], &[Event::DirectorySynced]].concat();
    for events in [with(Durability::Certain), synced] {
        let (certain, chosen) = after(&events, WriteBack::AtSyncs);
        assert!(certain.is_none() && chosen.iter().all(Option::is_none));
    }
}

#[test]
fn what_a_failed_sync_lost_no_later_one_brings_back() {
    let events = |seed: u8| {
        [
            Event::Created(FileName::Log),
            Event::Synced(FileName::Log),
            written(0, &[seed]),
            Event::SyncFailed(FileName::Log),
            Event::Synced(FileName::Log),
        ]
    };
    let left: Vec<Option<Vec<u8>>> = (1..=100)
        .map(|seed| {
            let events = events(seed);
            let mut platter = Platter::new(WriteBack::AtSyncs, seed.into());
            events.iter().for_each(|event| platter.live(event));
            platter.image(Unsynced::Lost).file(FileName::Log).map(<[u8]>::to_vec)
        })
        .collect();
    assert!(left.contains(&Some(Vec::new())), "lost for good");
    assert!(left.iter().flatten().any(|bytes| !bytes.is_empty()), "written before it failed");
}

#[test]
fn what_is_old_is_written_back_without_a_sync() {
    let events = [Event::Created(FileName::Log), written(0, b"old"), written(3, b"new")];
    let (certain, chosen) = after(&events, WriteBack::InTime { doubtful: 1 });
    assert_eq!(certain.as_deref(), Some(&b"old"[..]));
    assert!(chosen.contains(&Some(b"old".to_vec())) && chosen.contains(&Some(b"oldnew".to_vec())));
}
