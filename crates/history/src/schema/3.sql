-- What was read back is summed up in the index alone.
DROP INDEX calls_fetched;
CREATE INDEX calls_fetched
    ON calls (agent, tool, at_ms, fetches, fetched_bytes, original_tokens, truncated_tokens) WHERE fetches > 0;

-- So is what was asked for in a period.
DROP INDEX events_at;
CREATE INDEX events_at ON events (at_ms);
CREATE INDEX events_asked ON events (name, at_ms, subject);
