//! Proposals that nobody decided about for too long.

use jiff::SignedDuration;

use crate::usecases::{Interline, now};
use crate::{
    Batch, Error, ProposalDecision, ProposalNews, ProposalState, ProposalSummary, ProposalWrite, Source, StoreError,
};

use super::decide::decision_record;
use super::propose::announcement;

/// How long a proposal waits for a decision.
const PENDING_FOR: SignedDuration = SignedDuration::from_hours(24 * 30);
/// How long a decided proposal is kept.
const KEPT_FOR: SignedDuration = SignedDuration::from_hours(24 * 90);
/// How many are looked up at a time.
const STEP: usize = 100;

impl Interline {
    /// Makes the proposals stale that nobody decided about for 30 days, and removes those that were decided 90 days ago; how many
    /// were removed.
    pub(in crate::usecases) async fn expire_proposals(&self) -> Result<u64, Error> {
        let mut failed = None;
        loop {
            let old = self.store.old_proposals(now() - PENDING_FOR, STEP).await?;
            let mut expired = 0;
            for proposal in &old {
                // One that fails keeps none of the others from growing too old.
                match self.expire(proposal).await {
                    Ok(is_stale) => expired += usize::from(is_stale),
                    Err(error) => failed = Some(error),
                }
            }
            // Another process that does the same, or a person who decides, takes care of the rest.
            if old.len() < STEP || expired == 0 {
                break;
            }
        }
        let forgotten = self.store.forget_proposals(now() - KEPT_FOR).await?;
        failed.map_or(Ok(forgotten), Err)
    }

    /// Makes a proposal stale, unless it changed meanwhile; whether it is stale now.
    async fn expire(&self, summary: &ProposalSummary) -> Result<bool, Error> {
        let owner = self.trusted(self.owner().await?.id, Source::Cli).await?;
        let record = decision_record(&owner);
        let decision = ProposalDecision { by: None, at: record.at, reason: None };
        let write = ProposalWrite::Decide {
            proposal: summary.reference(),
            item: summary.item,
            state: ProposalState::Stale,
            decision,
        };
        let event = announcement(summary, ProposalNews::Stale, record);
        let batch = Batch { proposals: vec![write], announcements: vec![event], ..Batch::default() };
        match self.store.commit(batch).await {
            Ok(()) => Ok(true),
            Err(StoreError::Stale(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
