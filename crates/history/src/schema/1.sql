-- How far each file of the event log was taken in. A file that was put aside keeps its inode; one that has got the
-- inode of another begins with another line.
CREATE TABLE sources (
    inode  INTEGER NOT NULL,
    opening TEXT NOT NULL,
    taken  INTEGER NOT NULL,
    PRIMARY KEY (inode, opening)
) WITHOUT ROWID;

-- One row a reply.
CREATE TABLE calls (
    id               INTEGER PRIMARY KEY,
    at_ms            INTEGER NOT NULL,
    session          TEXT NOT NULL,
    agent            TEXT NOT NULL,
    tool             TEXT NOT NULL,
    kind             TEXT NOT NULL,
    strategy         TEXT NOT NULL,
    original_size    INTEGER NOT NULL,
    truncated_size   INTEGER NOT NULL,
    original_tokens  INTEGER NOT NULL,
    truncated_tokens INTEGER NOT NULL,
    was_truncated    INTEGER NOT NULL,
    degraded         INTEGER NOT NULL,
    redacted         INTEGER NOT NULL,
    duration_us      INTEGER NOT NULL,
    artifact_id      TEXT,
    -- The bytes of the artifact that it created, where it created one.
    created_bytes    INTEGER,
    -- JSON: secrets by kind, and the first and last line of each range that is shown.
    redactions       TEXT,
    kept             TEXT
);
CREATE INDEX calls_at ON calls (at_ms);
CREATE INDEX calls_tool ON calls (tool);
CREATE INDEX calls_size ON calls (original_size);
CREATE INDEX calls_duration ON calls (duration_us);
CREATE INDEX calls_artifact ON calls (artifact_id) WHERE artifact_id IS NOT NULL;
CREATE INDEX calls_degraded ON calls (id) WHERE degraded > 0;
CREATE INDEX calls_redacted ON calls (id) WHERE redacted > 0;
CREATE INDEX calls_truncated ON calls (id) WHERE was_truncated;

-- One row for everything else: retrievals, questions, artifacts, refusals, outputs over the maximum size.
CREATE TABLE events (
    id      INTEGER PRIMARY KEY,
    at_ms   INTEGER NOT NULL,
    name    TEXT NOT NULL,
    -- The artifact that it is about.
    subject TEXT NOT NULL,
    -- The whole event as JSON.
    record  TEXT NOT NULL
);
CREATE INDEX events_at ON events (at_ms);
CREATE INDEX events_name ON events (name, subject);

-- Artifacts whose reply, which knows their kind, is still to come.
CREATE TABLE awaited (
    artifact_id TEXT PRIMARY KEY,
    bytes       INTEGER NOT NULL
) WITHOUT ROWID;

-- Sums of calls by the hour (hours since 1970). Hour 0 holds what is older than the history reaches by the hour.
CREATE TABLE hours (
    hour             INTEGER NOT NULL,
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
    PRIMARY KEY (hour, tool, kind, strategy, agent)
) WITHOUT ROWID;

-- Counts of everything else by the hour, under up to three labels.
CREATE TABLE tallies (
    hour     INTEGER NOT NULL,
    name     TEXT NOT NULL,
    first    TEXT NOT NULL,
    second   TEXT NOT NULL,
    third    TEXT NOT NULL,
    first_ms INTEGER NOT NULL,
    last_ms  INTEGER NOT NULL,
    count    INTEGER NOT NULL,
    amount   INTEGER NOT NULL,
    PRIMARY KEY (hour, name, first, second, third)
) WITHOUT ROWID;

-- When the history was last swept.
CREATE TABLE swept (at_ms INTEGER NOT NULL);
INSERT INTO swept VALUES (0);
