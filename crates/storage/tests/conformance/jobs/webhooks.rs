//! Webhooks, and the deliveries that a change enqueues for them.

use interline_items::{
    Attempt, ClaimJobs, Delivery, DeliveryState, EventKind, FindDueJobs, Job, JobEnd, JobKey, JobKind, Kind,
    RemoveUser, Store, UserId, Webhook, WebhookId, WebhookSecret, WebhookStop, WebhookUrl,
};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{at, note, prompt};
use crate::fixtures::test_store::TestStore;

on_both!(
    a_webhook_is_read_as_it_was_written,
    a_webhook_is_changed_stopped_and_removed,
    a_change_leaves_a_delivery_for_each_webhook_of_its_space,
    a_webhook_is_told_of_its_kinds_alone,
    a_refused_change_leaves_nothing,
    deliveries_come_in_order_and_those_set_aside_last,
    what_was_delivered_or_given_up_stays_so,
    what_is_pending_for_one_that_stops_is_given_up,
    webhooks_go_with_their_user_and_their_space,
    old_deliveries_are_forgotten_unless_they_are_pending,
);

fn webhook(author: &Author, url: &str) -> Webhook {
    Webhook {
        id: WebhookId::generate(),
        space: author.space.id,
        user: author.user.id,
        url: WebhookUrl::from_stored(url.to_owned()),
        secret: WebhookSecret::from_stored("whsec_c2VjcmV0".to_owned()),
        kinds: None,
        created_at: at(1),
        started_at: at(1),
        delivered_at: None,
        stopped: None,
    }
}

async fn add(store: &dyn Store, author: &Author, url: &str) -> Webhook {
    let webhook = webhook(author, url);
    store.create_webhook(&webhook).await.unwrap();
    webhook
}

async fn deliveries(store: &dyn Store, webhook: &Webhook) -> Vec<Delivery> {
    store.deliveries(webhook.id, None, 100).await.unwrap()
}

async fn claim(store: &dyn Store, seconds: i64) -> Vec<Job> {
    let (task, now, from) = (JobKind::Deliver, at(seconds), UserId::from_uuid(Uuid::nil()));
    let due = store.due_jobs(FindDueJobs { task, now, from, users: 10, per_user: 10 }).await.unwrap();
    let subjects = due.iter().flat_map(|found| &found.jobs).map(|key| key.subject()).collect();
    store.claim_jobs(ClaimJobs { task, subjects, now, leased_until: at(seconds + 30) }).await.unwrap()
}

fn attempt(seconds: i64, failure: Option<&str>) -> Attempt {
    Attempt {
        at: at(seconds),
        took: SignedDuration::from_micros(1_500),
        status: Some(if failure.is_some() { 500 } else { 204 }),
        failure: failure.map(str::to_owned),
    }
}

async fn a_webhook_is_read_as_it_was_written(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    let first = add(store, &ada, "https://example.com/1").await;
    let second = Webhook {
        kinds: Some([Kind::Note, Kind::Workflow].into()),
        created_at: at(2),
        started_at: at(3),
        delivered_at: Some(at(4)),
        stopped: Some(WebhookStop { at: at(5), reason: "tired".to_owned() }),
        ..webhook(&ada, "https://example.com/2")
    };
    store.create_webhook(&second).await.unwrap();
    let his = add(store, &ben, "https://example.com/3").await;
    assert_eq!(store.webhooks(ada.user.id).await.unwrap(), [first.clone(), second.clone()]);
    assert_eq!(store.webhooks(ben.user.id).await.unwrap(), [his]);
    assert_eq!(store.webhook(first.id).await.unwrap(), Some(first));
    assert_eq!(store.webhook(second.id).await.unwrap(), Some(second));
    assert_eq!(store.webhook(WebhookId::generate()).await.unwrap(), None);
    assert_eq!(store.webhooks_in(ada.space.id).await.unwrap(), 2);
}

async fn a_webhook_is_changed_stopped_and_removed(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let made = add(store, &ada, "https://example.com/1").await;
    let changed = Webhook {
        url: WebhookUrl::from_stored("https://example.com/new".to_owned()),
        kinds: Some([Kind::Prompt].into()),
        started_at: at(9),
        ..made.clone()
    };
    assert!(store.update_webhook(&changed).await.unwrap());
    assert_eq!(store.webhook(made.id).await.unwrap(), Some(changed.clone()));
    let stopped = WebhookStop { at: at(10), reason: "gone".to_owned() };
    // What was tried was another address, or it was started since.
    store.stop_webhook(&made, &stopped).await.unwrap();
    assert_eq!(store.webhook(made.id).await.unwrap(), Some(changed.clone()));
    store.stop_webhook(&changed, &stopped).await.unwrap();
    // The first reason stays.
    store.stop_webhook(&changed, &WebhookStop { at: at(11), reason: "again".to_owned() }).await.unwrap();
    assert_eq!(store.webhook(made.id).await.unwrap(), Some(Webhook { stopped: Some(stopped), ..changed.clone() }));
    assert!(store.delete_webhook(made.id).await.unwrap());
    assert!(!store.delete_webhook(made.id).await.unwrap());
    assert!(!store.update_webhook(&changed).await.unwrap());
    assert_eq!(store.webhook(made.id).await.unwrap(), None);
}

async fn a_change_leaves_a_delivery_for_each_webhook_of_its_space(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    let hers = [add(store, &ada, "https://example.com/1").await, add(store, &ada, "https://example.com/2").await];
    let his = add(store, &ben, "https://example.com/3").await;
    let stopped = Webhook {
        stopped: Some(WebhookStop { at: at(1), reason: String::new() }),
        ..webhook(&ada, "https://example.com/4")
    };
    store.create_webhook(&stopped).await.unwrap();
    let made = ada.create(store, note(&ada.space, "Plan")).await;
    ada.change(store, &made, ada.retitling(&made, "New")).await.unwrap();
    let events = store.events(&[(ada.space.id, 0)].into(), 10).await.unwrap();
    for webhook in &hers {
        let queued = deliveries(store, webhook).await;
        assert_eq!(queued.iter().rev().map(|delivery| delivery.event.clone()).collect::<Vec<_>>(), events);
        assert!(queued.iter().all(|delivery| delivery.state == DeliveryState::Pending(None) && delivery.attempts == 0));
        assert_eq!(store.next_delivery(webhook.id).await.unwrap(), queued.last().cloned());
        let before = store.deliveries(webhook.id, Some(queued[0].number), 100).await.unwrap();
        assert_eq!(before, queued[1..]);
        assert_eq!(store.deliveries(webhook.id, None, 1).await.unwrap(), queued[..1]);
    }
    assert_eq!(deliveries(store, &his).await, []);
    assert_eq!(deliveries(store, &stopped).await, []);
    // One job for each, however much there is to tell.
    let mut works: Vec<JobKey> = claim(store, 1_000).await.iter().map(|job| job.key).collect();
    works.sort_by_key(|work| work.subject());
    assert_eq!(works, hers.map(|webhook| JobKey::Deliver(webhook.id)));
}

async fn a_webhook_is_told_of_its_kinds_alone(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let prompts = Webhook { kinds: Some([Kind::Prompt].into()), ..webhook(&ada, "https://example.com/") };
    store.create_webhook(&prompts).await.unwrap();
    ada.create(store, note(&ada.space, "Plan")).await;
    assert_eq!(claim(store, 1_000).await, []);
    let made = ada.create(store, prompt(&ada.space, "hello")).await;
    let queued = deliveries(store, &prompts).await;
    assert_eq!(queued.len(), 1);
    let event = queued[0].event.item_event().unwrap();
    assert_eq!((event.item, event.event_kind), (made.item.id, EventKind::Created));
}

async fn a_refused_change_leaves_nothing(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let made = ada.create(store, note(&ada.space, "Plan")).await;
    let webhook = add(store, &ada, "https://example.com/").await;
    let good = ada.creation(&note(&ada.space, "Other"));
    store.commit([good, ada.creation(&made)].into_iter().collect()).await.unwrap_err();
    assert_eq!(deliveries(store, &webhook).await, []);
    assert_eq!(claim(store, 1_000).await, []);
}

async fn deliveries_come_in_order_and_those_set_aside_last(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let webhook = add(store, &ada, "https://example.com/").await;
    for title in ["one", "two", "three"] {
        ada.create(store, note(&ada.space, title)).await;
    }
    let all: Vec<u64> = deliveries(store, &webhook).await.iter().rev().map(|delivery| delivery.number).collect();
    let next = async || store.next_delivery(webhook.id).await.unwrap();
    let failed = attempt(1, Some("no"));
    store.record_attempt(webhook.id, all[0], &failed, DeliveryState::Pending(None)).await.unwrap();
    let first = next().await.unwrap();
    assert_eq!((first.number, first.attempts, first.last), (all[0], 1, Some(failed.clone())));
    for (number, until) in [(all[0], 20), (all[1], 10)] {
        let aside = DeliveryState::Pending(Some(at(until)));
        store.record_attempt(webhook.id, number, &failed, aside).await.unwrap();
    }
    let mut order = Vec::new();
    while let Some(delivery) = next().await {
        order.push(delivery.number);
        let taken = attempt(30, None);
        store.record_attempt(webhook.id, delivery.number, &taken, DeliveryState::Delivered).await.unwrap();
    }
    assert_eq!(order, [all[2], all[1], all[0]]);
    let delivered_at = store.webhook(webhook.id).await.unwrap().unwrap().delivered_at;
    assert_eq!(delivered_at, Some(at(30)));
}

async fn what_was_delivered_or_given_up_stays_so(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let webhook = add(store, &ada, "https://example.com/").await;
    ada.create(store, note(&ada.space, "one")).await;
    ada.create(store, note(&ada.space, "two")).await;
    for state in [DeliveryState::Delivered, DeliveryState::GivenUp] {
        let number = store.next_delivery(webhook.id).await.unwrap().unwrap().number;
        store.record_attempt(webhook.id, number, &attempt(1, None), state).await.unwrap();
        // Somebody else tried it too.
        let late = DeliveryState::Pending(None);
        store.record_attempt(webhook.id, number, &attempt(2, Some("late")), late).await.unwrap();
    }
    let states: Vec<DeliveryState> = deliveries(store, &webhook).await.iter().map(|delivery| delivery.state).collect();
    assert_eq!(states, [DeliveryState::GivenUp, DeliveryState::Delivered]);
}

async fn what_is_pending_for_one_that_stops_is_given_up(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let webhooks = [add(store, &ada, "https://example.com/1").await, add(store, &ada, "https://example.com/2").await];
    ada.create(store, note(&ada.space, "one")).await;
    let stopped = WebhookStop { at: at(5), reason: "enough".to_owned() };
    store.stop_webhook(&webhooks[0], &stopped).await.unwrap();
    store.update_webhook(&Webhook { stopped: Some(stopped), ..webhooks[1].clone() }).await.unwrap();
    ada.create(store, note(&ada.space, "two")).await;
    for webhook in &webhooks {
        let queued = deliveries(store, webhook).await;
        assert_eq!(queued.iter().map(|delivery| delivery.state).collect::<Vec<_>>(), [DeliveryState::GivenUp]);
        assert_eq!(store.next_delivery(webhook.id).await.unwrap(), None);
    }
}

async fn webhooks_go_with_their_user_and_their_space(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    let hers = add(store, &ada, "https://example.com/1").await;
    let of_her_space = Webhook { user: ben.user.id, ..webhook(&ada, "https://example.com/2") };
    store.create_webhook(&of_her_space).await.unwrap();
    let her_other = Webhook { space: ben.space.id, ..webhook(&ada, "https://example.com/3") };
    store.create_webhook(&her_other).await.unwrap();
    let his = add(store, &ben, "https://example.com/4").await;
    ada.create(store, note(&ada.space, "Plan")).await;
    store.remove_user(ada.user.id, RemoveUser::Purge, at(9)).await.unwrap();
    for gone in [hers, of_her_space, her_other] {
        assert_eq!(store.webhook(gone.id).await.unwrap(), None);
        assert_eq!(deliveries(store, &gone).await, []);
    }
    assert_eq!(store.webhooks(ben.user.id).await.unwrap(), [his]);
}

async fn old_deliveries_are_forgotten_unless_they_are_pending(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let webhook = add(store, &ada, "https://example.com/").await;
    for title in ["one", "two", "three"] {
        ada.create(store, note(&ada.space, title)).await;
    }
    for state in [DeliveryState::Delivered, DeliveryState::GivenUp] {
        let number = store.next_delivery(webhook.id).await.unwrap().unwrap().number;
        store.record_attempt(webhook.id, number, &attempt(1, None), state).await.unwrap();
    }
    let figures = store.job_metrics().await.unwrap();
    let deliver = figures.iter().find(|figures| figures.task == JobKind::Deliver).unwrap();
    let oldest = deliveries(store, &webhook).await[0].event.at;
    assert_eq!((deliver.waiting, deliver.oldest, deliver.given_up), (1, Some(oldest), 1));
    assert_eq!(store.forget_jobs(oldest - SignedDuration::from_hours(1)).await.unwrap(), 0);
    assert_eq!(store.forget_jobs(oldest + SignedDuration::from_hours(1)).await.unwrap(), 2);
    assert_eq!(deliveries(store, &webhook).await.len(), 1);
    // Its job is there too.
    let jobs = claim(store, 1_000_000).await;
    assert_eq!(jobs.len(), 1);
    assert!(store.end_job(&jobs[0], JobEnd::Done, at(1_000_000)).await.unwrap());
    assert_eq!(store.next_job(JobKind::Deliver, Timestamp::MIN).await.unwrap(), None);
}
