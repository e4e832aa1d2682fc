-- Sums of calls by the day (days since 1970), so that a long past is read in few rows. Day 0 holds what is older than
-- the history reaches by the day. Filled from the hours by the code that takes this step.
CREATE TABLE days (
    day              INTEGER NOT NULL,
    tool             TEXT NOT NULL,
    kind             TEXT NOT NULL,
    strategy         TEXT NOT NULL,
    agent            TEXT NOT NULL,
    first_ms         INTEGER NOT NULL,
    last_ms          INTEGER NOT NULL,
    calls            INTEGER NOT NULL,
    truncated        INTEGER NOT NULL,
    original_size    INTEGER NOT NULL,
    truncated_size   INTEGER NOT NULL,
    original_tokens  INTEGER NOT NULL,
    truncated_tokens INTEGER NOT NULL,
    redactions       INTEGER NOT NULL,
    degraded         INTEGER NOT NULL,
    artifacts        INTEGER NOT NULL,
    artifact_bytes   INTEGER NOT NULL,
    duration_us      INTEGER NOT NULL,
    durations        BLOB NOT NULL,
    sizes            BLOB NOT NULL,
    PRIMARY KEY (day, tool, kind, strategy, agent)
) WITHOUT ROWID;

-- The latest events of a name.
CREATE INDEX events_latest ON events (name);

-- The largest and the slowest calls of a tool.
CREATE INDEX calls_tool_size ON calls (tool, original_size);
CREATE INDEX calls_tool_duration ON calls (tool, duration_us);

-- The few calls that are degraded or had secrets, by size and duration.
CREATE INDEX calls_degraded_size ON calls (original_size) WHERE degraded > 0;
CREATE INDEX calls_degraded_duration ON calls (duration_us) WHERE degraded > 0;
CREATE INDEX calls_redacted_size ON calls (original_size) WHERE redacted > 0;
CREATE INDEX calls_redacted_duration ON calls (duration_us) WHERE redacted > 0;

-- What models read back later of what a call left out.
ALTER TABLE calls ADD COLUMN fetches INTEGER NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN fetched_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE calls SET (fetches, fetched_bytes) = (
    SELECT count(*), coalesce(sum(json_extract(record, '$.bytes')), 0) FROM events
    WHERE name = 'retrieval' AND subject = calls.artifact_id AND json_extract(record, '$.by') = 'model')
WHERE id IN (SELECT max(id) FROM calls WHERE artifact_id IN (SELECT subject FROM events WHERE name = 'retrieval')
             GROUP BY artifact_id);
CREATE INDEX calls_fetched ON calls (at_ms) WHERE fetches > 0;

-- What was asked for in a period is counted in the index alone.
DROP INDEX events_at;
CREATE INDEX events_at ON events (at_ms, name, subject);
