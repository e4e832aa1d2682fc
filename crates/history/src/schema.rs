//! The tables, and how an older file becomes a newer one.

use rusqlite::{Connection, TransactionBehavior};

use crate::sums;

/// Each step takes the file from the version before to the next one; `user_version` says how many were taken. A step
/// that was released is never changed.
const MIGRATIONS: [&str; 3] =
    [include_str!("schema/1.sql"), include_str!("schema/2.sql"), include_str!("schema/3.sql")];

/// The step behind which sums by the day are made from those by the hour.
const WITH_DAYS: usize = 1;

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
    for (number, step) in MIGRATIONS.iter().enumerate().skip(now) {
        transaction.execute_batch(step)?;
        if number == WITH_DAYS {
            sums::fill_days(&transaction)?;
        }
    }
    transaction.pragma_update(None, "user_version", MIGRATIONS.len())?;
    transaction.commit()
}
