//! Triples beside `git merge-file`: how often a merge is clean where git conflicts, and whether clean texts are the same.

use std::collections::BTreeMap;
use std::ops::Range;

use interline_edit::merge;

use crate::generate::{Alphabet, Triple, triple};
use crate::git::{self, GitMerge};
use crate::real_texts::RealTexts;
use crate::{laws, number_from_environment};

/// How many triples one run of git merges.
const TRIPLES_PER_RUN: u64 = 5_000;

/// What came out of many triples.
#[derive(Default)]
struct Tally {
    triples: u64,
    git_clean: u64,
    both_clean: u64,
    /// Clean where git conflicts, or clean with another text.
    bolder: Vec<String>,
}

impl Tally {
    fn compare(triples: &[Triple]) -> Tally {
        let mut tally = Tally::default();
        for (triple, by_git) in triples.iter().zip(git::merge_all(triples)) {
            let Triple { base, ours, theirs } = triple;
            let merged = merge(base, ours, theirs).ok().map(|edit| edit.apply(theirs).unwrap());
            tally.triples += 1;
            tally.git_clean += u64::from(by_git != GitMerge::Conflict);
            match (merged, by_git) {
                (None, _) => {}
                (Some(merged), GitMerge::Clean(text)) if text == merged => tally.both_clean += 1,
                (Some(merged), by_git) => tally.bolder.push(format!("{triple:?}\n  {merged:?}\n  git: {by_git:?}")),
            }
        }
        tally
    }

    fn add(&mut self, other: Tally) {
        self.triples += other.triples;
        self.git_clean += other.git_clean;
        self.both_clean += other.both_clean;
        self.bolder.extend(other.bolder);
    }

    fn print(&self, name: &str) {
        println!(
            "{name}: {} triples, {} clean for git, {} for both, {} bolder than git",
            self.triples,
            self.git_clean,
            self.both_clean,
            self.bolder.len()
        );
        self.bolder.iter().for_each(|case| println!("  {case}"));
    }

    /// That so many of a thousand of git's clean merges are clean for us too: refusing everything is no merge.
    fn assert_useful(&self, least_per_mille: u64) {
        assert!(self.both_clean * 1_000 >= self.git_clean * least_per_mille, "too few clean merges");
    }
}

/// Compares the triples of all seeds, on two threads when there are many.
fn for_all_seeds(seeds: Range<u64>, compare: impl Fn(Range<u64>) -> Tally + Sync) -> Tally {
    let runs: Vec<Range<u64>> = seeds
        .clone()
        .step_by(usize::try_from(TRIPLES_PER_RUN).unwrap())
        .map(|first| first..seeds.end.min(first + TRIPLES_PER_RUN))
        .collect();
    let threads = runs.len().min(2);
    std::thread::scope(|scope| {
        let (runs, compare) = (&runs, &compare);
        let work = move |thread: usize| runs.iter().skip(thread).step_by(threads).map(|run| compare(run.clone()));
        let workers: Vec<_> =
            (0..threads).map(|thread| scope.spawn(move || work(thread).collect::<Vec<_>>())).collect();
        let mut all = Tally::default();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).for_each(|tally| all.add(tally));
        all
    })
}

/// The triples of an alphabet: every third seed makes one.
fn generated(seeds: Range<u64>, alphabet: Alphabet) -> Vec<Triple> {
    let is_of_alphabet = |seed: &u64| Alphabet::ALL[usize::try_from(seed % 3).unwrap()] == alphabet;
    seeds.filter(is_of_alphabet).map(|seed| triple(seed, alphabet)).collect()
}

#[test]
fn generated_triples_merge_as_git_says() {
    let first = number_from_environment("INTERLINE_MERGE_FIRST", 0);
    let count = number_from_environment("INTERLINE_MERGE_TRIPLES", 5_000);
    let mut tallies: BTreeMap<Alphabet, Tally> = BTreeMap::new();
    for alphabet in Alphabet::ALL {
        let compare = |seeds| {
            let triples = generated(seeds, alphabet);
            // None of them loses an insertion, those that git refuses included.
            triples.iter().for_each(|triple| _ = laws::merging(&triple.base, &triple.ours, &triple.theirs));
            Tally::compare(&triples)
        };
        tallies.insert(alphabet, for_all_seeds(first..first + count, compare));
    }
    for (alphabet, tally) in &tallies {
        tally.print(&format!("{alphabet:?}"));
    }
    for (alphabet, tally) in tallies {
        match alphabet {
            Alphabet::Unique => {
                assert_eq!(tally.bolder.len(), 0, "with unique lines git is never stricter");
                tally.assert_useful(800);
            }
            Alphabet::Repeated(_) => {
                let bolder = u64::try_from(tally.bolder.len()).unwrap();
                assert!(bolder * 1_000 <= tally.triples * 2, "git is stricter in more than 0.2 % of the triples");
                tally.assert_useful(100);
            }
        }
    }
}

#[test]
fn triples_of_real_texts_merge_as_git_says() {
    let first = number_from_environment("INTERLINE_MERGE_FIRST", 0);
    let count = number_from_environment("INTERLINE_MERGE_REAL", 1_000);
    let texts = RealTexts::read();
    let tally = for_all_seeds(first..first + count, |seeds| {
        let mut tally = Tally::default();
        // Real texts are long: fewer of them at a time.
        let seeds: Vec<u64> = seeds.collect();
        for some in seeds.chunks(250) {
            let triples: Vec<Triple> = some.iter().map(|seed| texts.triple(*seed)).collect();
            for Triple { base, ours, theirs } in &triples {
                laws::an_unchanged_side_gives_the_other(base, ours, theirs);
                let conflicts = merge(base, ours, theirs).err().unwrap_or_default();
                assert!(conflicts.iter().all(|conflict| conflict.ours.text != conflict.theirs.text));
            }
            tally.add(Tally::compare(&triples));
        }
        tally
    });
    tally.print("real texts");
    assert_eq!(tally.bolder.len(), 0, "git is never stricter");
    tally.assert_useful(900);
}

#[test]
fn git_checkout_merges_as_git_merge_file_does() {
    let triples: Vec<Triple> = Alphabet::ALL.iter().flat_map(|alphabet| generated(0..200, *alphabet)).collect();
    let one_by_one: Vec<GitMerge> = triples.iter().map(git::merge_file).collect();
    assert_eq!(git::merge_all(&triples), one_by_one);
}
