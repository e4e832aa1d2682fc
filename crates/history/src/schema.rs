//! The tables, and how an older file becomes a newer one.

use rusqlite::{Connection, TransactionBehavior};

/// Each step takes the file from the version before to the next one; `user_version` says how many were taken. A step
/// that was released is never changed.
const MIGRATIONS: [&str; 1] = [include_str!("schema/1.sql")];

/// Brings the file to the newest version. A file of a later version is an error: its tables are not ours to read.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let version = |connection: &Connection| connection.query_row("PRAGMA user_version", [], |row| row.get(0));
    let now: usize = version(connection)?;
    if now == MIGRATIONS.len() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been quicker.
    let now: usize = version(&transaction)?;
    if now > MIGRATIONS.len() {
        return Err(rusqlite::Error::InvalidParameterName(format!("the schema has version {now}")));
    }
    for step in MIGRATIONS.iter().skip(now) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", MIGRATIONS.len())?;
    transaction.commit()
}
