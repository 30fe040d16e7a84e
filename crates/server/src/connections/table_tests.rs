//! Tests of the table: who gets a place, and who gives one up.

use http_body_util::BodyExt as _;

use super::*;
use crate::connections::{AnswerBody, CloseRequest};

const LOOPBACK: &str = "127.0.0.1";

fn table(places: usize, per_address: usize) -> ConnectionTable {
    let trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
    ConnectionTable::new(ConnectionLimits { places, per_address, trusted_proxies })
}

async fn admit(table: &ConnectionTable, address: &str) -> Option<ConnectionPermit> {
    table.admit(address.parse().unwrap()).await
}

/// A connection as a server has it: it is closed as soon as it is asked to.
fn close_when_asked(place: ConnectionPermit) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move {
        place.connection().is_asked_to_close().await;
    })
}

async fn idle_for(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn the_longest_idle_without_a_token_gives_way_first() {
    let table = table(4, 1);
    let mut held = Vec::new();
    for number in 0..4 {
        let place = admit(&table, LOOPBACK).await.unwrap();
        if number == 0 {
            place.connection().authenticated(UserId::generate());
        }
        held.push(close_when_asked(place));
        idle_for(1).await;
    }
    for gone in [1, 2, 3] {
        let place = admit(&table, LOOPBACK).await.expect("an idle one gives way");
        assert_eq!(held.iter().map(tokio::task::JoinHandle::is_finished).filter(|gone| *gone).count(), gone);
        assert!(held[gone].is_finished(), "the longest idle without a token first");
        // Of another user each time: nobody has more than half of the places.
        place.connection().authenticated(UserId::generate());
        held.push(close_when_asked(place));
        idle_for(1).await;
    }
    assert!(admit(&table, LOOPBACK).await.is_some(), "then an idle one with a token");
    assert_eq!(held.iter().filter(|connection| connection.is_finished()).count(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_request_without_a_token_has_a_second_to_show_one() {
    let table = table(1, 1);
    let place = admit(&table, LOOPBACK).await.unwrap();
    let request = place.connection().begin_request();
    let held = close_when_asked(place);
    let started = Instant::now();
    assert!(admit(&table, LOOPBACK).await.is_none(), "it may be on its way to be authenticated");
    assert!(started.elapsed() <= PLACE_TIMEOUT + PLACE_PAUSE, "closed quickly: {:?}", started.elapsed());
    idle_for(1).await;
    assert!(admit(&table, LOOPBACK).await.is_some());
    assert!(held.is_finished());
    drop(request);
}

#[tokio::test(start_paused = true)]
async fn the_user_with_the_most_connections_gives_way() {
    let table = table(5, 1);
    let (greedy, modest) = (UserId::generate(), UserId::generate());
    let mut held = Vec::new();
    for user in [modest, greedy, greedy, greedy, greedy] {
        let place = admit(&table, LOOPBACK).await.unwrap();
        place.connection().authenticated(user);
        let request = place.connection().begin_request();
        held.push((close_when_asked(place), Some(request)));
        idle_for(1).await;
    }
    held[0].1 = None;
    idle_for(5).await;
    held[3].1 = None;
    let place = admit(&table, LOOPBACK).await.expect("an idle one of the user with the most");
    assert!(held[3].0.is_finished() && !held[0].0.is_finished());
    place.connection().authenticated(modest);
    let request = place.connection().begin_request();
    let place = admit(&table, LOOPBACK).await.expect("one who has more than half is cut in the middle of requests");
    assert!(held[1].0.is_finished() && !held[0].0.is_finished(), "the one on which nothing happened the longest");
    drop((place, request));
}

/// Which of these connections are closed.
fn closed(held: &[tokio::task::JoinHandle<()>]) -> Vec<usize> {
    (0..held.len()).filter(|&number| held[number].is_finished()).collect()
}

#[tokio::test(start_paused = true)]
async fn requests_beyond_half_are_cut_only_when_nobody_without_a_token_is_left() {
    let table = table(8, 1);
    let greedy = UserId::generate();
    let (mut held, mut requests) = (Vec::new(), Vec::new());
    // Six of the user, two of them idle; one without a token that is idle, and one that is not.
    for number in 0..8 {
        let place = admit(&table, LOOPBACK).await.unwrap();
        if number < 6 {
            place.connection().authenticated(greedy);
        }
        if ![2, 5, 6].contains(&number) {
            requests.push(place.connection().begin_request());
        }
        held.push(close_when_asked(place));
        idle_for(1).await;
    }
    idle_for(1).await;
    for (gone, why) in [
        (&[6][..], "idle without a token"),
        (&[2, 6], "idle and beyond half"),
        (&[2, 5, 6], "the same"),
        (&[2, 5, 6, 7], "without a token, though there was time to show one"),
    ] {
        let place = admit(&table, LOOPBACK).await.expect(why);
        assert_eq!(closed(&held), gone, "{why}");
        // Nobody has more than half of the places but the one user, and all are busy.
        place.connection().authenticated(UserId::generate());
        requests.push(place.connection().begin_request());
        held.push(close_when_asked(place));
    }
    assert!(admit(&table, LOOPBACK).await.is_none(), "half is left to who had more");
    drop(requests);
}

#[tokio::test(start_paused = true)]
async fn room_ahead_is_made_by_idle_connections_only() {
    let table = table(128, 128);
    let greedy = UserId::generate();
    let (mut held, mut requests) = (Vec::new(), Vec::new());
    for number in 0..127 {
        let place = admit(&table, LOOPBACK).await.unwrap();
        place.connection().authenticated(greedy);
        if number % 64 > 0 {
            requests.push(place.connection().begin_request());
        }
        held.push(close_when_asked(place));
        tokio::task::yield_now().await;
    }
    assert_eq!(closed(&held), [0, 64], "none with a request in flight");
    drop(requests);
}

#[tokio::test(start_paused = true)]
async fn the_user_with_the_most_idle_connections_gives_way() {
    let table = table(6, 1);
    let (busy, idle) = (UserId::generate(), UserId::generate());
    let (mut held, mut requests) = (Vec::new(), Vec::new());
    for user in [busy, busy, busy, idle, idle, UserId::generate()] {
        let place = admit(&table, LOOPBACK).await.unwrap();
        place.connection().authenticated(user);
        requests.push(place.connection().begin_request());
        held.push(close_when_asked(place));
        idle_for(1).await;
    }
    // One of three of the one, and both of the other.
    let last = requests.remove(4);
    drop((requests.remove(3), requests.remove(0)));
    idle_for(1).await;
    drop(last);
    assert!(admit(&table, LOOPBACK).await.is_some());
    let finished: Vec<_> = held.iter().map(tokio::task::JoinHandle::is_finished).collect();
    assert_eq!(finished, [false, false, false, true, false, false], "the longest idle of who has two");
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_of_a_proxy_is_nobodys_and_closes_gracefully() {
    let table = table(3, 1);
    let user = UserId::generate();
    let mut held = Vec::new();
    for _ in 0..2 {
        let place = admit(&table, "10.0.0.1").await.unwrap();
        let request = place.connection().begin_request();
        place.connection().authenticated(user);
        assert_eq!(place.connection().user(), Some(user));
        drop(request);
        assert_eq!(place.connection().user(), None, "the next request on it is another user's");
        let connection = Arc::clone(place.connection());
        held.push(tokio::spawn(async move {
            let how = connection.is_asked_to_close().await;
            drop(place);
            how
        }));
        idle_for(1).await;
    }
    let client = close_when_asked(admit(&table, LOOPBACK).await.unwrap());
    let place = admit(&table, LOOPBACK).await.expect("the idle client without a token");
    assert!(client.is_finished() && held.iter().all(|proxy| !proxy.is_finished()));
    let request = place.connection().begin_request();
    assert!(admit(&table, LOOPBACK).await.is_some(), "then an idle one of the proxy");
    assert_eq!(held.remove(0).await.unwrap(), CloseRequest::Gracefully);
    drop((place, request));
}

#[tokio::test(start_paused = true)]
async fn requests_over_a_proxy_count_for_their_user() {
    let table = table(4, 1);
    let greedy = UserId::generate();
    let (mut held, mut requests) = (Vec::new(), Vec::new());
    for _ in 0..4 {
        let place = admit(&table, "10.0.0.1").await.unwrap();
        requests.push(place.connection().begin_request());
        place.connection().authenticated(greedy);
        held.push(close_when_asked(place));
        idle_for(1).await;
    }
    for gone in [&[0][..], &[0, 1]] {
        let place = admit(&table, "10.0.0.1").await.expect("who has more than half gives way");
        assert_eq!(closed(&held), gone);
        requests.push(place.connection().begin_request());
        place.connection().authenticated(UserId::generate());
        held.push(close_when_asked(place));
    }
    assert!(admit(&table, "10.0.0.1").await.is_none(), "half is left");
    drop(requests);
}

#[tokio::test(start_paused = true)]
async fn one_address_has_its_part_and_loopback_and_proxies_all() {
    let table = table(8, 2);
    for address in [LOOPBACK, "::1", "::ffff:127.0.0.1", "10.1.2.3"] {
        let held: Vec<_> = [admit(&table, address).await, admit(&table, address).await, admit(&table, address).await]
            .into_iter()
            .collect::<Option<_>>()
            .unwrap_or_else(|| panic!("{address}"));
        assert_eq!(held.len(), 3);
    }
    let one = admit(&table, "192.0.2.1").await.unwrap();
    let other = admit(&table, "192.0.2.1").await.unwrap();
    let (request, busy) = (one.connection().begin_request(), other.connection().begin_request());
    assert!(admit(&table, "192.0.2.1").await.is_none());
    assert!(admit(&table, "192.0.2.2").await.is_some());
    let six = [admit(&table, "2001:db8::1").await.unwrap(), admit(&table, "2001:db8::2").await.unwrap()];
    let asked = six.each_ref().map(|place| place.connection().begin_request());
    assert!(admit(&table, "2001:db8::3").await.is_none(), "an IPv6 client has all addresses of its network");
    assert!(admit(&table, "2001:db8:0:1::1").await.is_some());
    drop((six, asked));
    drop(request);
    let held = close_when_asked(one);
    assert!(admit(&table, "192.0.2.1").await.is_some(), "an idle one of the same address gives way");
    tokio::task::yield_now().await;
    assert!(held.is_finished());
    drop((other, busy));
}

#[tokio::test(start_paused = true)]
async fn forwarded_requests_count_for_their_address() {
    let table = table(8, 2);
    let client: IpAddr = "203.0.113.9".parse().unwrap();
    let one = table.begin_forwarded(client).expect("the first");
    let other = table.begin_forwarded(client).expect("the second");
    assert_eq!(table.begin_forwarded(client).map(|_| ()).unwrap_err().cause, OverloadCause::Caller);
    table.begin_forwarded("203.0.113.10".parse().unwrap()).expect("another address");
    drop(one);
    table.begin_forwarded(client).expect("one has ended");
    drop(other);
    assert!(table.lock().by_address.is_empty());
    let loopback: IpAddr = LOOPBACK.parse().unwrap();
    let proxy = [admit(&table, LOOPBACK).await, admit(&table, LOOPBACK).await, admit(&table, "10.0.0.1").await];
    let held = [table.begin_forwarded(loopback).unwrap(), table.begin_forwarded(loopback).unwrap()];
    assert!(table.begin_forwarded(loopback).is_err(), "a client may have written that address itself");
    drop((held, proxy));
    assert!(table.lock().by_address.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_forwarded_request_counts_until_its_answer_is_sent() {
    let table = table(8, 1);
    let (place, client) = (admit(&table, "10.0.0.1").await.unwrap(), "203.0.113.9".parse().unwrap());
    let mut response = axum::http::Response::new(axum::body::Body::from("slow"));
    response.extensions_mut().insert(Arc::new(table.begin_forwarded(client).unwrap()));
    let mut answer = AnswerBody::in_response(response, place.connection().begin_request());
    let frame = answer.body_mut().frame().await.unwrap().unwrap();
    drop(answer);
    assert!(table.begin_forwarded(client).is_err(), "its last bytes are on their way");
    drop(frame);
    assert!(table.begin_forwarded(client).is_ok());
}

#[tokio::test(start_paused = true)]
async fn the_fewer_places_the_shorter_the_idle_time() {
    assert_eq!(longest_idle(0, 4_096), LONGEST_IDLE);
    assert_eq!(longest_idle(2_048, 4_096), LONGEST_IDLE);
    assert_eq!(longest_idle(3_072, 4_096), LONGEST_IDLE / 2);
    assert_eq!(longest_idle(4_096, 4_096), SHORTEST_IDLE);

    let table = table(4, 4);
    let idle = close_when_asked(admit(&table, LOOPBACK).await.unwrap());
    idle_for(40).await;
    table.close_idle();
    tokio::task::yield_now().await;
    assert!(!idle.is_finished());
    let others = [admit(&table, LOOPBACK).await, admit(&table, LOOPBACK).await];
    table.close_idle();
    tokio::task::yield_now().await;
    assert!(idle.is_finished(), "a quarter of the places is left");
    drop(others);
}

#[tokio::test(start_paused = true)]
async fn what_speaks_another_protocol_keeps_its_place_and_is_not_closed() {
    let table = table(1, 1);
    let place = admit(&table, LOOPBACK).await.unwrap();
    place.connection().authenticated(UserId::generate());
    place.connection().leave_http();
    idle_for(100).await;
    table.close_idle();
    assert!(admit(&table, LOOPBACK).await.is_none());
    assert!(!place.connection().is_closing());
    drop(place);
    assert!(admit(&table, LOOPBACK).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn room_is_made_before_the_last_places_are_taken() {
    let table = table(128, 128);
    let mut held = Vec::new();
    for _ in 0..128 {
        held.push(close_when_asked(admit(&table, LOOPBACK).await.unwrap()));
        tokio::task::yield_now().await;
    }
    let closed = held.iter().filter(|connection| connection.is_finished()).count();
    assert!((4..=8).contains(&closed), "{closed}");
    assert!(table.0.places.available_permits() >= 2);
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_not_idle_while_its_answer_goes_on() {
    let table = table(4, 4);
    let place = admit(&table, LOOPBACK).await.unwrap();
    let connection = Arc::clone(place.connection());
    let in_flight = connection.begin_request();
    let stream = AnswerBody::in_response(axum::http::Response::default(), in_flight);
    let closing = close_when_asked(place);
    idle_for(200).await;
    table.close_idle();
    assert!(!connection.is_idle() && !closing.is_finished(), "a stream of notifications has no end of its own");
    drop(stream);
    idle_for(200).await;
    table.close_idle();
    closing.await.unwrap();
}
