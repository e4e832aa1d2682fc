//! An output that comes in chunks.

use std::io::{ErrorKind, Write};
use std::sync::Mutex;

use offcut::Offcut;
use self_cell::self_cell;

use crate::call::{Answer, CallFacts, answer};
use crate::failure::Failure;

/// The library's intake, until it is finished.
type Open<'o> = Option<offcut::Intake<'o>>;

self_cell!(
    /// An intake with the object that it borrows from.
    struct Taking {
        owner: Offcut,
        #[not_covariant]
        dependent: Open,
    }
);

/// Takes one output in. After `finish` it takes nothing more.
pub struct Intake {
    taking: Mutex<Taking>,
}

impl Intake {
    pub(crate) fn begin(offcut: &Offcut, facts: CallFacts) -> Result<Intake, Failure> {
        let (outcome, call) = (facts.outcome(), facts.call()?);
        let taking = Taking::try_new(offcut.clone(), |offcut| {
            let mut intake = offcut.intake(call)?;
            intake.ended(outcome);
            Ok::<_, Failure>(Some(intake))
        })?;
        Ok(Intake { taking: Mutex::new(taking) })
    }

    /// Takes a chunk in; says whether there is room for more.
    pub fn write(&self, chunk: &[u8]) -> Result<bool, Failure> {
        let mut taking = self.taking.lock().map_err(|_| broken())?;
        taking.with_dependent_mut(|_, open| {
            let intake = open.as_mut().ok_or_else(closed)?;
            match intake.write_all(chunk) {
                Ok(()) => {
                    intake.save_progress();
                    Ok(!intake.is_full())
                }
                Err(error) if error.kind() == ErrorKind::FileTooLarge => Ok(false),
                Err(error) => Err(Failure::new("output", error.to_string())),
            }
        })
    }

    /// Bytes taken in so far.
    pub fn taken(&self) -> Result<u64, Failure> {
        let taking = self.taking.lock().map_err(|_| broken())?;
        taking.with_dependent(|_, open| open.as_ref().map(|intake| intake.taken()).ok_or_else(closed))
    }

    /// The end of the output: the reply's text and its report.
    pub fn finish(&self) -> Result<Answer, Failure> {
        let mut taking = self.taking.lock().map_err(|_| broken())?;
        let reply = taking.with_dependent_mut(|_, open| open.take().map(|intake| intake.finish()));
        answer(reply.ok_or_else(closed)?)
    }
}

fn closed() -> Failure {
    Failure::new("closed", "the stream is closed: start another with `stream()`")
}

fn broken() -> Failure {
    Failure::new("closed", "the stream stopped in the middle of a write: start another with `stream()`")
}
