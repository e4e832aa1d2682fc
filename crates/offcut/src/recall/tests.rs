//! Reading back, compared with the obvious way on a text in memory.

mod compliance;
mod errors;
mod matches;
mod nodes;
mod pages;
mod ranges;

use std::sync::{Arc, Mutex};

use offcut_core::extent::Meter;
use offcut_store::{Facts, MemoryStore, Store};

use crate::Offcut;
use crate::event::{Event, Observer, Record};
use crate::options::{LimitOption, Options};

/// An Offcut whose session keeps one text.
struct Kept {
    offcut: Offcut,
    id: String,
    events: Arc<Events>,
}

#[derive(Debug, Default)]
struct Events(Mutex<Vec<Event>>);

impl Observer for Events {
    fn observe(&self, record: &Record) {
        self.0.lock().unwrap().push(record.event.clone());
    }
}

impl Kept {
    fn new(text: &str) -> Kept {
        Kept::with_limit(text, 50_000)
    }

    fn with_limit(text: &str, limit: i64) -> Kept {
        let mut meter = Meter::default();
        meter.push(text);
        let (extent, index) = meter.finish();
        Kept::of(text.as_bytes(), Facts { extent, index, ..Facts::default() }, limit)
    }

    fn of(content: &[u8], facts: Facts, limit: i64) -> Kept {
        let store = MemoryStore::new();
        let mut draft = store.draft(&"own".parse().unwrap()).unwrap();
        draft.write(content).unwrap();
        let info = draft.commit(facts).unwrap();
        let events = Arc::new(Events::default());
        let options = Options { retrieval_limit: Some(LimitOption::Number(limit)), ..Options::default() };
        let offcut = Offcut::builder()
            .options(options)
            .session("own")
            .store_in(Arc::new(store))
            .observer(events.clone())
            .build()
            .unwrap();
        Kept { offcut, id: info.id.to_string(), events }
    }

    fn handle(&self) -> String {
        self.offcut.recall().handle(&self.id.parse().unwrap())
    }

    fn events(&self) -> Vec<(String, String)> {
        let told = self.events.0.lock().unwrap();
        let told = told.iter().filter_map(|event| match event {
            Event::Retrieval { range, outcome, .. } => Some((range.clone(), outcome.clone())),
            Event::Refusal { .. } => None,
            other => panic!("{other:?}"),
        });
        told.collect()
    }
}
