//! An output that comes in chunks.

use std::sync::Arc;

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;

use crate::engine::Work;
use crate::operation::{Source, bytes};

/// Takes one output in. After `finish` it takes nothing more.
#[napi]
pub struct Intake {
    intake: Arc<offcut_binding::Intake>,
}

impl Intake {
    pub(crate) fn of(intake: offcut_binding::Intake) -> Intake {
        Intake { intake: Arc::new(intake) }
    }
}

#[napi]
impl Intake {
    /// Takes a chunk in, in the thread pool; the text is `full` when there is no room for more.
    #[napi(ts_return_type = "Promise<Told>")]
    pub fn write(&self, chunk: Source) -> AsyncTask<Work> {
        let intake = self.intake.clone();
        Work::start(move || {
            let room = intake.write(bytes(&chunk));
            room.map(|room| (if room { "" } else { "full" }.to_owned(), String::new())).into()
        })
    }

    /// Ends the output, in the thread pool; returns the reply and its report.
    #[napi(ts_return_type = "Promise<Told>")]
    pub fn finish(&self) -> AsyncTask<Work> {
        let intake = self.intake.clone();
        Work::start(move || intake.finish().into())
    }
}
