//! Forgetting what is too old, so that the file stays within its bounds. Sums stay.

use rusqlite::{Connection, TransactionBehavior};

use crate::history::{History, HistoryError};
use crate::sums::{self, Grain, HOUR_MS};

/// How often the history is swept, in milliseconds.
const EVERY_MS: u64 = HOUR_MS;

/// The share of the rows that goes at a time while the file is too large: one in eight.
const SHARE: u64 = 8;

impl History {
    /// Sweeps where the last time was an hour ago.
    pub(crate) fn sweep_now_and_then(&mut self) -> Result<(), HistoryError> {
        let now_ms = offcut::clock::now_ms();
        let swept: u64 = self.connection.query_row("SELECT at_ms FROM swept", [], |row| row.get(0))?;
        if now_ms.saturating_sub(swept) < EVERY_MS {
            return Ok(());
        }
        self.sweep(now_ms)
    }

    /// Forgets the calls that are older than the bounds allow at `now_ms`, and as many more as it takes for the file
    /// to fit; what they came to stays in the sums.
    pub fn sweep(&mut self, now_ms: u64) -> Result<(), HistoryError> {
        let oldest_ms = now_ms.saturating_sub(self.bounds.days.saturating_mul(24 * HOUR_MS));
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute("UPDATE swept SET at_ms = ?", [now_ms])?;
        transaction.execute("DELETE FROM calls WHERE at_ms < ?", [oldest_ms])?;
        transaction.execute("DELETE FROM events WHERE at_ms < ?", [oldest_ms])?;
        fold(&transaction, oldest_ms / HOUR_MS)?;
        transaction.commit()?;
        while used_bytes(&self.connection)? > self.bounds.bytes {
            let mut gone = 0;
            for table in ["calls", "events"] {
                let delete = format!(
                    "DELETE FROM {table} WHERE id <= (SELECT min(id) + (max(id) - min(id)) / {SHARE} FROM {table})"
                );
                gone += self.connection.execute(&delete, [])?;
            }
            if gone == 0 {
                break;
            }
        }
        // Each step gives one page back.
        let mut shrink = self.connection.prepare("PRAGMA incremental_vacuum")?;
        let mut rows = shrink.query([])?;
        while rows.next()?.is_some() {}
        Ok(())
    }
}

/// The bytes of the file that hold something.
fn used_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let number = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, u64>(0));
    let pages = number("PRAGMA page_count")?.saturating_sub(number("PRAGMA freelist_count")?);
    Ok(pages * number("PRAGMA page_size")?)
}

/// Adds the sums of the hours before `oldest`, and of the days before its day, to those of hour and day 0.
fn fold(connection: &Connection, oldest: u64) -> rusqlite::Result<()> {
    sums::fold(connection, Grain::Hour, oldest)?;
    sums::fold(connection, Grain::Day, oldest / 24)?;
    connection.execute(
        "INSERT INTO tallies (hour, name, first, second, third, first_ms, last_ms, count, amount)
         SELECT 0, name, first, second, third, min(first_ms), max(last_ms), sum(count), sum(amount) FROM tallies
         WHERE hour > 0 AND hour < ? GROUP BY name, first, second, third
         ON CONFLICT DO UPDATE SET first_ms = min(first_ms, excluded.first_ms),
             last_ms = max(last_ms, excluded.last_ms),
             count = count + excluded.count, amount = amount + excluded.amount",
        [oldest],
    )?;
    connection.execute("DELETE FROM tallies WHERE hour > 0 AND hour < ?", [oldest])?;
    Ok(())
}
