//! What every store keeps: a suite that runs against any of them.
//!
//! `store_conformance!(|limits| store)` in a module of tests makes one test a case, with the same names for each store;
//! [`run`] runs all of them in one go.
//!
//! ```
//! use std::sync::Arc;
//! use offcut_store::{Clock, MemoryStore};
//! offcut_store::conformance::run(&|limits| Arc::new(MemoryStore::with_limits(limits, Clock::system())));
//! ```

#![allow(clippy::unwrap_used, reason = "a check fails by panicking")]

mod drafts;
mod quotas;
mod sessions;
mod terms;
mod together;

use std::sync::Arc;

use offcut_core::extent::{Extent, Meter};

use crate::artifact::{ArtifactInfo, Facts, Source};
use crate::id::SessionId;
use crate::limits::Limits;
use crate::store::Store;

/// Makes an empty store of the kind under test, with these limits.
pub type Make<'a> = &'a dyn Fn(Limits) -> Arc<dyn Store>;

/// One promise: its name, and the check that panics if a store breaks it.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The promise, as the name of a test.
    pub name: &'static str,
    /// The check.
    pub check: fn(Make<'_>),
}

macro_rules! cases {
    ($dollar:tt $($module:ident::$name:ident,)*) => {
        /// All the promises.
        pub const CASES: &[Case] = &[$(Case { name: stringify!($name), check: $module::$name },)*];

        /// Makes one test of each promise; takes an expression of the type `Fn(Limits) -> Arc<dyn Store>`.
        ///
        /// `if CONDITION, …` runs them only where the condition holds, such as that a server is there.
        #[macro_export]
        macro_rules! store_conformance {
            (if $dollar condition:expr, $dollar make:expr) => {
                $(
                    #[test]
                    fn $name() {
                        if $dollar condition {
                            $crate::conformance::run_case(stringify!($name), &$dollar make);
                        }
                    }
                )*
            };
            ($dollar make:expr) => {
                $(
                    #[test]
                    fn $name() {
                        $crate::conformance::run_case(stringify!($name), &$dollar make);
                    }
                )*
            };
        }
    };
}

cases! { $
    drafts::a_committed_draft_reads_back_whole,
    drafts::any_range_reads_exactly_its_bytes,
    drafts::what_was_written_can_be_read_before_and_after_the_commit,
    drafts::a_content_that_comes_as_a_whole_is_kept_as_one_that_comes_in_parts,
    drafts::the_hash_is_that_of_the_content_for_any_chunking,
    drafts::the_facts_come_back_as_they_were_given,
    drafts::the_line_index_comes_back_with_one_checkpoint_a_block,
    drafts::binary_content_comes_back_as_it_came,
    drafts::a_draft_is_invisible_until_it_is_committed,
    drafts::a_dropped_draft_leaves_nothing,
    drafts::a_draft_is_committed_once,
    drafts::a_commit_with_the_wrong_size_is_refused_and_leaves_nothing,
    drafts::a_harmful_file_name_is_refused,
    drafts::a_draft_can_be_read_after_its_commit_failed,
    sessions::an_unknown_id_is_not_found,
    sessions::another_sessions_artifact_cannot_be_told_from_an_unknown_one,
    sessions::a_listing_is_oldest_first_and_of_one_session,
    sessions::a_removed_artifact_is_gone_and_the_others_stay,
    sessions::a_cleared_session_is_empty_and_the_others_stay,
    sessions::sessions_are_listed_by_name_with_their_sizes,
    sessions::an_abandoned_session_is_swept_and_one_in_use_is_not,
    sessions::a_session_that_was_never_attached_is_not_abandoned,
    sessions::the_last_lease_to_end_clears_the_session,
    sessions::old_artifacts_are_swept_by_age,
    sessions::an_empty_store_has_nothing_and_says_so,
    terms::what_was_committed_is_found_by_its_terms,
    terms::what_is_gone_is_not_found_and_what_has_no_terms_is_unknown,
    sessions::an_abandoned_session_with_a_young_artifact_is_left_where_that_is_asked,
    sessions::a_note_is_left_once_and_read_by_everybody,
    sessions::what_was_put_aside_comes_back_and_goes_with_its_artifact,
    quotas::an_artifact_of_the_largest_size_is_refused_and_one_byte_less_is_not,
    quotas::the_oldest_artifacts_make_room_and_are_remembered_as_evicted,
    quotas::a_session_stays_within_its_bytes,
    quotas::a_full_session_rejects_if_it_was_told_to,
    quotas::an_artifact_larger_than_the_whole_quota_evicts_nothing,
    quotas::artifacts_are_created_no_faster_than_allowed,
    quotas::a_quota_is_for_each_session,
    quotas::what_was_evicted_is_forgotten_with_its_session,
    together::ten_parallel_writers_do_not_collide,
    together::a_thousand_artifacts_from_many_threads_are_all_there,
    together::a_reader_sees_a_whole_artifact_or_none,
    together::a_sweep_leaves_writers_alone,
}

/// Runs every case against a fresh store; panics at the first that fails.
pub fn run(make: Make<'_>) {
    for case in CASES {
        (case.check)(make);
    }
}

/// Runs the case of this name.
pub fn run_case(name: &str, make: Make<'_>) {
    let case = CASES.iter().find(|case| case.name == name);
    assert!(case.is_some(), "no case is called {name}");
    if let Some(case) = case {
        (case.check)(make);
    }
}

/// A session's name, for tests.
///
/// # Panics
///
/// If the name is not valid.
pub fn session(name: &str) -> SessionId {
    name.parse().expect("a valid name")
}

/// The facts of a content, measured if it is text.
pub fn facts(content: &[u8]) -> Facts {
    let source = Source { tool: "bash".to_owned(), arguments: r#"{"command":"make"}"#.to_owned() };
    let summary = "a summary — with “quotes”".to_owned();
    let facts = Facts { source, media_type: "text/plain".into(), kind: "log".into(), summary, ..Facts::default() };
    match std::str::from_utf8(content) {
        Ok(text) => {
            let mut meter = Meter::default();
            meter.push(text);
            let (extent, index) = meter.finish();
            Facts { tokens: extent.estimated_tokens(), extent, index, ..facts }
        }
        Err(_) => Facts { extent: Extent { bytes: content.len() as u64, ..Extent::default() }, binary: true, ..facts },
    }
}

/// Stores a content in one write.
///
/// # Panics
///
/// If the store refuses it.
pub fn keep(store: &dyn Store, session: &SessionId, content: &[u8]) -> ArtifactInfo {
    let mut draft = store.draft(session).expect("a draft");
    draft.write(content).expect("a write");
    draft.commit(facts(content)).expect("a commit")
}

/// A text of exactly this size, the same each time, with lines and characters of every width.
pub fn sample(bytes: usize) -> Vec<u8> {
    let mut text = String::with_capacity(bytes + 64);
    let mut line = 0u64;
    while text.len() < bytes {
        let hash = line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        text.push_str(&format!("line {line} é世🙂 {hash:x}{}", if line.is_multiple_of(5) { "\r\n" } else { "\n" }));
        line += 1;
    }
    let end = (0..=bytes).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    text.truncate(end);
    let missing = bytes - text.len();
    text.push_str(&".".repeat(missing));
    text.into_bytes()
}
