//! What was saved, net: tokens that were left out, less what models read back, and what the proxy's requests cost.

use std::collections::BTreeMap;

use rusqlite::params;
use serde::Serialize;

use crate::history::{History, HistoryError};
use crate::statistics::{Extractions, Period, named};
use crate::tallies::{NANO, TallyName};

/// Bytes of a token, about: what was read back is known in bytes.
pub const TOKEN_BYTES: u64 = 4;

/// What calls saved, and what that cost later.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Balance {
    /// Outputs that became replies.
    pub calls: u64,
    /// Replies from which something was left out.
    pub truncated: u64,
    /// Tokens of the outputs.
    pub original_tokens: u64,
    /// Tokens that the replies have less than the outputs.
    pub not_sent_tokens: u64,
    /// How often models read something back of what was left out.
    pub fetches: u64,
    /// Tokens of what they read back, about.
    pub fetched_tokens: u64,
    /// `not_sent_tokens` less `fetched_tokens`; below zero where leaving it out cost more than it saved.
    pub net_tokens: i64,
    /// Calls of which more was read back than was left out.
    pub costlier_calls: u64,
}

/// What the proxy's requests cost by the price model, with what the provider's cache reads and writes.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct RequestBalance {
    /// Requests that were passed on.
    pub requests: u64,
    /// Tokens that they had less than they came with.
    pub taken_out_tokens: u64,
    /// Dollars, had nothing been changed.
    pub cost_before: f64,
    /// Dollars, as they were sent.
    pub cost_after: f64,
    /// Requests that cost more than they would have: shortening an old result empties the cache behind it once.
    pub costlier_requests: u64,
}

/// What was saved in a period.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct Savings {
    /// The first moment of what was counted, in milliseconds since 1970.
    pub from_ms: Option<u64>,
    /// The last moment of what was counted.
    pub to_ms: Option<u64>,
    /// All calls.
    pub total: Balance,
    /// By coding agent.
    pub by_agent: BTreeMap<String, Balance>,
    /// By tool.
    pub by_tool: BTreeMap<String, Balance>,
    /// Requests that the proxy passed on. Their results are among the calls, once for each request that carries them.
    pub requests: RequestBalance,
    /// Questions that artifacts were asked: what other models read instead.
    pub extractions: Extractions,
}

impl Balance {
    fn merge(&mut self, other: &Balance) {
        self.calls += other.calls;
        self.truncated += other.truncated;
        self.original_tokens += other.original_tokens;
        self.not_sent_tokens += other.not_sent_tokens;
        self.fetches += other.fetches;
        self.fetched_tokens += other.fetched_tokens;
        self.costlier_calls += other.costlier_calls;
        self.net_tokens = signed(self.not_sent_tokens) - signed(self.fetched_tokens);
    }
}

impl Savings {
    fn add(&mut self, agent: &str, tool: &str, balance: &Balance) {
        self.total.merge(balance);
        self.by_agent.entry(named(agent.to_owned())).or_default().merge(balance);
        self.by_tool.entry(named(tool.to_owned())).or_default().merge(balance);
    }
}

impl History {
    /// What was saved in a period. What was read back of a call counts when the call does; it is known for as long as
    /// single calls are kept.
    ///
    /// Costs what [`History::figures`] does, and the calls of which something was read back.
    pub fn savings(&self, period: Period) -> Result<Savings, HistoryError> {
        let mut savings = Savings::default();
        let tallies = self.each_sum(period, |_, group, sums| {
            savings.add(
                &group.agent,
                &group.tool,
                &Balance {
                    calls: sums.calls,
                    truncated: sums.truncated,
                    original_tokens: sums.original_tokens,
                    not_sent_tokens: sums.original_tokens.saturating_sub(sums.truncated_tokens),
                    ..Balance::default()
                },
            );
            let reach = |known: Option<u64>, ms: u64, choose: fn(u64, u64) -> u64| {
                Some(known.map_or(ms, |known| choose(known, ms)))
            };
            savings.from_ms = reach(savings.from_ms, sums.first_ms, u64::min);
            savings.to_ms = reach(savings.to_ms, sums.last_ms, u64::max);
        })?;
        self.add_fetches(period, &mut savings)?;
        for tally in &tallies {
            let requests = &mut savings.requests;
            match tally.name {
                TallyName::Request => {
                    requests.requests += tally.count;
                    requests.taken_out_tokens += tally.amount;
                }
                TallyName::RequestCostBefore => requests.cost_before += tally.amount as f64 / NANO,
                TallyName::RequestCostAfter => requests.cost_after += tally.amount as f64 / NANO,
                TallyName::CostlierRequest => requests.costlier_requests += tally.count,
                _ => savings.extractions.add(tally),
            }
        }
        Ok(savings)
    }

    fn add_fetches(&self, period: Period, savings: &mut Savings) -> Result<(), HistoryError> {
        let mut find = self.connection.prepare_cached(
            "SELECT agent, tool, sum(fetches), sum(fetched_bytes / ?1),
                 count(*) FILTER (WHERE fetched_bytes / ?1 > original_tokens - truncated_tokens)
             FROM calls WHERE fetches > 0 AND at_ms >= ?2 GROUP BY agent, tool",
        )?;
        let mut rows = find.query(params![TOKEN_BYTES, period.since_ms])?;
        while let Some(row) = rows.next()? {
            let (agent, tool): (String, String) = (row.get(0)?, row.get(1)?);
            let balance = Balance {
                fetches: row.get(2)?,
                fetched_tokens: row.get(3)?,
                costlier_calls: row.get(4)?,
                ..Balance::default()
            };
            savings.add(&agent, &tool, &balance);
        }
        Ok(())
    }
}

fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}
