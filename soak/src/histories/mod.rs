//! Random histories on both storages: every version is rebuilt byte for byte, and what was undone is as before.

mod empty_store;
mod expected_item;
mod steps;

use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use interline_items::fields::Limits;
use interline_items::{Interline, Source, Store};
use tokio::runtime::Builder;

use crate::Form;
use empty_store::EmptyStore;
use expected_item::ExpectedItem;
use steps::Steps;

/// How many items a sequence has.
const ITEMS: usize = 4;

/// The command. `postgres` is the URL of a server that databases may be made on.
pub(crate) fn run(form: Form, seed: u64, postgres: Option<&str>) -> anyhow::Result<()> {
    let postgres = postgres.context("no PostgreSQL to test on: run it by tests/with-postgres")?;
    let (sequences, steps) = match form {
        Form::Short => (2, 120),
        Form::Long => (40, 500),
    };
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    for storage in ["SQLite", "PostgreSQL"] {
        let started = Instant::now();
        let mut rebuilt = 0;
        for sequence in 0..sequences {
            let seed = seed.wrapping_add(sequence);
            let outcome = runtime.block_on(async {
                let store = match storage {
                    "SQLite" => EmptyStore::sqlite()?,
                    _ => EmptyStore::postgres(postgres, seed).await?,
                };
                let outcome = one(&store, seed, steps).await;
                store.clear().await?;
                outcome
            });
            rebuilt += outcome.with_context(|| format!("{storage}, sequence of seed {seed}"))?;
        }
        println!(
            "histories, {storage}: {sequences} sequences of {steps} steps, {rebuilt} versions rebuilt, all as remembered, \
             {:.1} s",
            started.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

/// One sequence; how many versions were rebuilt.
async fn one(store: &EmptyStore, seed: u64, steps: usize) -> anyhow::Result<usize> {
    let store = store.open().await?;
    let interline = Interline::new(Arc::clone(&store), Limits::default());
    interline.first_start("soak").await?;
    let caller = interline.trusted(interline.owner().await?.id, Source::Rest).await?;
    let mut sequence = Steps::new(interline, caller, seed);
    for _ in 0..ITEMS {
        sequence.create().await?;
    }
    let mut rebuilt = 0;
    for number in 0..steps {
        let touched = sequence.step().await.with_context(|| format!("step {number}"))?;
        let item = &sequence.items[touched];
        rebuilt += item.newest_is_undone(&*store).await.with_context(|| format!("after step {number}"))?;
    }
    rebuilt += check_all(&*store, &sequence.items).await?;
    let items = std::mem::take(&mut sequence.items);
    drop((sequence, store));
    let opened_again = store.open().await?;
    Ok(rebuilt + check_all(&*opened_again, &items).await.context("opened again")?)
}

async fn check_all(store: &dyn Store, items: &[ExpectedItem]) -> anyhow::Result<usize> {
    let mut rebuilt = 0;
    for item in items {
        rebuilt += item.check(store).await?;
    }
    Ok(rebuilt)
}
