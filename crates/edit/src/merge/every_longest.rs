//! The pairs that every longest common subsequence of two sequences has.

/// How far a longest common subsequence is from pairing everything, at the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Band {
    /// Elements of the first sequence that it leaves out.
    pub(super) removed: usize,
    /// Elements of the second sequence that it leaves out.
    pub(super) added: usize,
}

impl Band {
    /// How many elements of the second sequence each element of the first one is compared with.
    fn width(self) -> usize {
        self.removed.saturating_add(self.added).saturating_add(1)
    }
}

/// The pairs of indexes that every longest common subsequence of `a` and `b` has; `None` if finding them takes more
/// comparisons than `cells_left`, from which those that were made are taken.
///
/// The band must hold for one common subsequence; then it holds for every longest one, since they leave out less.
pub(super) fn in_every_longest(
    a: &[u32],
    b: &[u32],
    band: Band,
    cells_left: &mut usize,
) -> Option<Vec<(usize, usize)>> {
    let cells = (a.len() + 1).checked_mul(band.width())?;
    *cells_left = cells_left.checked_sub(cells)?;
    let steps = Steps::shortest(a, b, band);
    // Longest common subsequences differ in their first pair, their second pair, and so on. The one that leaves out elements of
    // `b` as long as it can has, of each of them, the earliest element of `a`; the one that leaves out elements of `a`
    // as long as it can has the latest. A pair that both have is thus the only one.
    let earliest = steps.pairs([Step::SkipB, Step::Pair, Step::SkipA]);
    let latest = steps.pairs([Step::SkipA, Step::Pair, Step::SkipB]);
    Some(earliest.into_iter().zip(latest).filter(|(one, other)| one == other).map(|(pair, _)| pair).collect())
}

/// A step through both sequences.
#[derive(Clone, Copy)]
enum Step {
    SkipA = 1,
    SkipB = 2,
    Pair = 4,
}

/// For each pair of positions the steps that a shortest way to the end of both sequences may take.
struct Steps {
    /// Rows of positions in `a`, of a band's width each; bits of [`Step`]s.
    steps: Vec<u8>,
    band: Band,
    a_len: usize,
    b_len: usize,
}

impl Steps {
    fn shortest(a: &[u32], b: &[u32], band: Band) -> Steps {
        const FAR: u32 = u32::MAX / 2;
        let width = band.width();
        let mut steps = vec![0_u8; (a.len() + 1) * width];
        // By column of the row that comes next in `a`: how many elements are left out from there to the end. It becomes the
        // row of this position from the right to the left.
        let mut costs = vec![FAR; width];
        for i in (0..=a.len()).rev() {
            let row = &mut steps[i * width..][..width];
            for column in (0..width).rev() {
                let Some(j) = (i + column).checked_sub(band.removed).filter(|j| *j <= b.len()) else {
                    costs[column] = FAR;
                    continue;
                };
                if i == a.len() && j == b.len() {
                    costs[column] = 0;
                    continue;
                }
                let skip_a = if i < a.len() && column > 0 { costs[column - 1] + 1 } else { FAR };
                let skip_b = costs.get(column + 1).map_or(FAR, |cost| cost + 1);
                let pair = if i < a.len() && a.get(i) == b.get(j) { costs[column] } else { FAR };
                let least = skip_a.min(skip_b).min(pair).min(FAR);
                for (step, cost) in [(Step::SkipA, skip_a), (Step::SkipB, skip_b), (Step::Pair, pair)] {
                    row[column] |= if cost == least { step as u8 } else { 0 };
                }
                costs[column] = least;
            }
        }
        Steps { steps, band, a_len: a.len(), b_len: b.len() }
    }

    /// The pairs on the way that takes, wherever it can, an earlier one of these steps.
    fn pairs(&self, preferred: [Step; 3]) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        let (mut i, mut j) = (0, 0);
        while (i, j) != (self.a_len, self.b_len) {
            let possible = self.steps[i * self.band.width() + j + self.band.removed - i];
            match preferred.into_iter().find(|step| possible & *step as u8 != 0) {
                Some(Step::SkipA) => i += 1,
                Some(Step::SkipB) => j += 1,
                Some(Step::Pair) => {
                    pairs.push((i, j));
                    (i, j) = (i + 1, j + 1);
                }
                None => break,
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    type Pairs = BTreeSet<(usize, usize)>;

    /// All longest common subsequences from these positions on, by trying everything.
    fn all_longest(a: &[u32], b: &[u32], i: usize, j: usize) -> BTreeSet<Pairs> {
        if i == a.len() || j == b.len() {
            return BTreeSet::from([Pairs::new()]);
        }
        let mut all = all_longest(a, b, i + 1, j);
        all.extend(all_longest(a, b, i, j + 1));
        if a[i] == b[j] {
            let with_pair = |mut rest: Pairs| {
                rest.insert((i, j));
                rest
            };
            all.extend(all_longest(a, b, i + 1, j + 1).into_iter().map(with_pair));
        }
        let longest = all.iter().map(BTreeSet::len).max().unwrap_or(0);
        all.retain(|pairs| pairs.len() == longest);
        all
    }

    fn sequences(length: usize, letters: u32) -> Vec<Vec<u32>> {
        (0..length).fold(vec![Vec::new()], |shorter, _| {
            let longer = |sequence: &Vec<u32>| {
                let sequence = sequence.clone();
                (0..letters).map(move |letter| [sequence.clone(), vec![letter]].concat())
            };
            shorter.iter().flat_map(longer).collect()
        })
    }

    #[test]
    fn pairs_are_those_that_all_longest_common_subsequences_share() {
        for (lengths, letters) in [([4, 4], 3), ([5, 5], 2), ([3, 5], 3), ([5, 2], 3), ([0, 2], 2), ([2, 0], 2)] {
            for a in sequences(lengths[0], letters) {
                for b in sequences(lengths[1], letters) {
                    let all = all_longest(&a, &b, 0, 0);
                    let shared = all.iter().cloned().reduce(|one, other| &one & &other).unwrap();
                    let longest = all.first().unwrap().len();
                    for spare in 0..3 {
                        let left_out = |length: usize| length - longest.saturating_sub(spare);
                        let band = Band { removed: left_out(a.len()), added: left_out(b.len()) };
                        let found = in_every_longest(&a, &b, band, &mut 1_000).unwrap();
                        assert_eq!(found.into_iter().collect::<Pairs>(), shared, "{a:?} {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn comparisons_are_counted() {
        let (mut cells, band) = (100, Band { removed: 1, added: 1 });
        assert_eq!(in_every_longest(&[1, 2], &[1, 3], band, &mut cells), Some(vec![(0, 0)]));
        assert_eq!(cells, 91);
        assert_eq!(in_every_longest(&[1; 40], &[1; 40], band, &mut cells), None);
        let endless = Band { removed: usize::MAX, added: usize::MAX };
        assert_eq!(in_every_longest(&[1], &[1], endless, &mut cells), None);
        assert_eq!(cells, 91);
    }
}
