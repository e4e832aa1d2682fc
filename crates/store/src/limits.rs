//! How much a session may keep, and what happens when it is more.

use std::time::Duration;

use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};

/// How much may be kept. Nothing is limited by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// The smallest size of one artifact that is refused, in bytes of content.
    pub max_artifact_bytes: Option<u64>,
    /// How much the artifacts of a session may take where they are stored.
    pub session_bytes: Option<u64>,
    /// How many artifacts a session may have.
    pub session_artifacts: Option<u64>,
    /// What happens when a session is full.
    pub when_full: WhenFull,
    /// How quickly a session may create artifacts.
    pub rate: Option<Rate>,
}

/// What happens when a session is full.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WhenFull {
    /// The oldest artifacts make room, and are remembered as evicted.
    #[default]
    Evict,
    /// The new artifact is refused.
    Reject,
}

/// How quickly artifacts may be created: at most so many in any window of this length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How many.
    pub artifacts: u64,
    /// The length of the window.
    pub per: Duration,
}

/// An artifact as far as limits are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArtifactSize {
    pub(crate) id: ArtifactId,
    pub(crate) stored_bytes: u64,
    pub(crate) created_ms: u64,
}

impl Limits {
    /// Refuses a content that has grown to `bytes`, if that is too large.
    pub(crate) fn check_size(&self, bytes: u64) -> Result<(), StoreError> {
        match self.max_artifact_bytes {
            Some(max) if bytes >= max => Err(StoreError::TooLarge { size: bytes, max }),
            _ => Ok(()),
        }
    }

    /// Whether anything but the size of one artifact is limited.
    pub(crate) fn need_a_count(&self) -> bool {
        self.session_bytes.is_some() || self.session_artifacts.is_some() || self.rate.is_some()
    }

    /// Which of `kept` (oldest first) must go so that `new` may come; an error if it may not. `times` are those of all
    /// artifacts that were created, whether they are still there or not.
    pub(crate) fn make_room<'e>(
        &self,
        session: &SessionId,
        kept: impl Iterator<Item = &'e ArtifactSize> + Clone,
        times: &[u64],
        new: &ArtifactSize,
    ) -> Result<Vec<ArtifactId>, StoreError> {
        self.check_rate(times, new.created_ms)?;
        let full = |unit, max| StoreError::QuotaExceeded { session: session.clone(), unit, max };
        let (max_bytes, max_count) =
            (self.session_bytes.unwrap_or(u64::MAX), self.session_artifacts.unwrap_or(u64::MAX));
        if new.stored_bytes > max_bytes {
            return Err(full("bytes", max_bytes));
        }
        if max_count == 0 {
            return Err(full("artifacts", max_count));
        }
        let mut count = kept.clone().count() as u64 + 1;
        let mut bytes = kept.clone().fold(new.stored_bytes, |sum, entry| sum.saturating_add(entry.stored_bytes));
        let mut evicted = Vec::new();
        for entry in kept {
            if count <= max_count && bytes <= max_bytes {
                break;
            }
            if self.when_full == WhenFull::Reject {
                return Err(if count > max_count { full("artifacts", max_count) } else { full("bytes", max_bytes) });
            }
            count -= 1;
            bytes = bytes.saturating_sub(entry.stored_bytes);
            evicted.push(entry.id.clone());
        }
        Ok(evicted)
    }

    /// Whether there is room for `new` beside so many artifacts of so many bytes in all, created at `times`.
    pub(crate) fn have_room(&self, artifacts: u64, bytes: u64, times: &[u64], new: &ArtifactSize) -> bool {
        artifacts < self.session_artifacts.unwrap_or(u64::MAX)
            && bytes.saturating_add(new.stored_bytes) <= self.session_bytes.unwrap_or(u64::MAX)
            && self.check_rate(times, new.created_ms).is_ok()
    }

    /// Forgets the times that no later check asks for.
    pub(crate) fn forget_old(&self, times: &mut Vec<u64>, now: u64) {
        match self.rate {
            Some(rate) => times.retain(|at| now.saturating_sub(*at) < window(rate)),
            None => times.clear(),
        }
    }

    /// Times after `now` (the clock was set back) do not count: they would close the session until then.
    fn check_rate(&self, times: &[u64], now: u64) -> Result<(), StoreError> {
        let Some(rate) = self.rate else { return Ok(()) };
        let window = window(rate);
        let recent = times.iter().copied().filter(|&at| at <= now && now - at < window);
        let (count, oldest) = recent.fold((0u64, now), |(count, oldest), at| (count + 1, oldest.min(at)));
        if count < rate.artifacts {
            return Ok(());
        }
        let wait_ms = oldest.saturating_add(window).saturating_sub(now);
        Err(StoreError::RateLimited { max: rate.artifacts, seconds: rate.per.as_secs(), wait_ms })
    }
}

/// The window of a rate, in milliseconds.
fn window(rate: Rate) -> u64 {
    u64::try_from(rate.per.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(at: u64, stored_bytes: u64) -> ArtifactSize {
        ArtifactSize { id: ArtifactId::from_parts(at, &[at as u8; 8]), stored_bytes, created_ms: at }
    }

    /// Which of `kept` go, by their times, or the error's code.
    fn check(limits: Limits, kept: &[(u64, u64)], new: (u64, u64)) -> Result<Vec<u64>, &'static str> {
        let kept: Vec<ArtifactSize> = kept.iter().map(|&(at, bytes)| entry(at, bytes)).collect();
        let times: Vec<u64> = kept.iter().map(|entry| entry.created_ms).collect();
        let made = limits.make_room(&"s".parse().unwrap(), kept.iter(), &times, &entry(new.0, new.1));
        made.map(|ids| ids.iter().map(ArtifactId::unix_millis).collect()).map_err(|error| error.code())
    }

    #[test]
    fn the_oldest_go_until_there_is_room_and_exactly_full_is_fine() {
        let count = Limits { session_artifacts: Some(2), ..Limits::default() };
        assert_eq!(check(count, &[(1, 5)], (2, 5)), Ok(vec![]));
        assert_eq!(check(count, &[(1, 5), (2, 5), (3, 5)], (4, 5)), Ok(vec![1, 2]));
        let bytes = Limits { session_bytes: Some(10), ..Limits::default() };
        assert_eq!(check(bytes, &[(1, 3), (2, 3)], (3, 4)), Ok(vec![]));
        assert_eq!(check(bytes, &[(1, 3), (2, 3)], (3, 5)), Ok(vec![1]));
        assert_eq!(check(bytes, &[(1, 3), (2, 3)], (3, 10)), Ok(vec![1, 2]));
        assert_eq!(check(bytes, &[(1, 3)], (3, 11)), Err("quota_exceeded"));
        assert_eq!(check(Limits { session_artifacts: Some(0), ..count }, &[], (1, 0)), Err("quota_exceeded"));
        assert_eq!(check(Limits::default(), &[(1, u64::MAX)], (2, u64::MAX)), Ok(vec![]));
    }

    #[test]
    fn a_session_that_rejects_evicts_nothing() {
        let limits = Limits { session_artifacts: Some(2), session_bytes: Some(10), ..Limits::default() };
        let limits = Limits { when_full: WhenFull::Reject, ..limits };
        assert_eq!(check(limits, &[(1, 5)], (2, 5)), Ok(vec![]));
        assert_eq!(check(limits, &[(1, 5)], (2, 6)), Err("quota_exceeded"));
        assert_eq!(check(limits, &[(1, 1), (2, 1)], (3, 1)), Err("quota_exceeded"));
    }

    #[test]
    fn the_rate_counts_a_sliding_window_and_forgives_a_clock_that_was_set_back() {
        let rate = Rate { artifacts: 2, per: Duration::from_millis(100) };
        let limits = Limits { rate: Some(rate), ..Limits::default() };
        assert_eq!(check(limits, &[(1000, 1)], (1050, 1)), Ok(vec![]));
        assert_eq!(check(limits, &[(1000, 1), (1050, 1)], (1099, 1)), Err("rate_limited"));
        assert_eq!(check(limits, &[(1000, 1), (1050, 1)], (1100, 1)), Ok(vec![]));
        assert_eq!(check(limits, &[(9000, 1), (9001, 1)], (1000, 1)), Ok(vec![]));
    }

    #[test]
    fn the_largest_size_itself_is_refused() {
        let limits = Limits { max_artifact_bytes: Some(10), ..Limits::default() };
        assert!(limits.check_size(9).is_ok());
        assert_eq!(
            limits.check_size(10).unwrap_err().to_string(),
            "an artifact of 10 bytes exceeds the maximum of 10 bytes"
        );
    }
}
