//! What a store on object storage asks its server: counted in memory, and summed up for as many artifacts as one likes.
//!
//! `cargo run -p offcut-store --features cloud --example scaling`

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "it prints what it counts, and fails by panicking")]

#[path = "../tests/it/counting.rs"]
mod counting;

use std::sync::Arc;
use std::time::Duration;

use counting::{Asked, Counting};
use object_store::path::Path;
use offcut_store::conformance::{facts, session};
use offcut_store::{ArtifactId, CloudOptions, CloudStore, Facts, Limits, Store, Sweep};

/// The words of an output of some 8 KiB that are not those of every other.
const TERMS: u32 = 300;

/// Dollars for 1,000 requests to S3 Standard: PUT and LIST, GET. Deleting costs nothing.
const PRICES: (f64, f64) = (0.005, 0.0004);

fn store(objects: &Arc<Counting>, limits: Limits) -> CloudStore {
    let options = CloudOptions { limits, ..CloudOptions::default() };
    CloudStore::new(objects.clone(), Path::from("p"), "objects".to_owned(), options).unwrap()
}

fn keep(store: &CloudStore, number: u32) -> ArtifactId {
    // A third of the words are common, a third belong to a kind of output, a third to this one alone.
    let word = |k: u32| match k % 3 {
        0 => k,
        1 => 1_000 + k + 100 * (number % 20),
        _ => 100_000 + number * TERMS + k,
    };
    let mut terms: Vec<u32> = (0..TERMS).map(|k| word(k).wrapping_mul(2_654_435_761)).collect();
    terms.sort_unstable();
    terms.dedup();
    let content = vec![b'x'; 8192];
    let mut draft = store.draft(&session("s")).unwrap();
    draft.write(&content).unwrap();
    draft.commit(Facts { terms: Some(terms), ..facts(&content) }).unwrap().id
}

fn dollars(asked: Asked) -> f64 {
    ((asked.put + asked.list) as f64 * PRICES.0 + asked.get as f64 * PRICES.1) / 1000.0
}

fn tell(what: &str, asked: Asked) {
    let Asked { put, get, list, delete, read } = asked;
    println!("| {what} | {put} | {get} | {list} | {delete} | {:.1} | {:.6} |", read as f64 / 1024.0, dollars(asked));
}

/// What one session of `count` artifacts costs; the last three by a process that was just started.
fn session_of(count: u32) -> Vec<(&'static str, Asked)> {
    let objects = Arc::new(Counting::default());
    let fresh = || store(&objects, Limits::default());
    let writer = fresh();
    writer.probe().unwrap();
    let ids: Vec<ArtifactId> = (0..count).map(|number| keep(&writer, number)).collect();
    // What is merged behind the writer's back has come to an end.
    std::thread::sleep(Duration::from_millis(500));
    let terms = [2, 3, 100_000 + 7 * TERMS + 2].map(|word: u32| word.wrapping_mul(2_654_435_761));
    let mut costs = Vec::new();
    let mut count_of = |what: &'static str, work: &mut dyn FnMut()| {
        objects.requests.take();
        work();
        costs.push((what, objects.requests.take()));
    };
    count_of("commit", &mut || drop(keep(&writer, count)));
    count_of("open, read 4 KiB", &mut || {
        writer.open(&session("s"), ids.last().unwrap()).unwrap().read(0..4096).unwrap();
    });
    count_of("list", &mut || drop(fresh().list(&session("s")).unwrap()));
    count_of("search: find (first time)", &mut || drop(fresh().find(&session("s"), &terms).unwrap()));
    count_of("search: find (merged)", &mut || {
        let found = fresh().find(&session("s"), &terms).unwrap().unwrap();
        assert_eq!((found.holding[2].len(), found.unknown.len()), (1, 0));
    });
    let old = Sweep { older_than: Some(Duration::from_secs(3600)), ..Sweep::default() };
    count_of("sweep by age, nothing old", &mut || {
        fresh().sweep(&old).unwrap();
    });
    count_of("clear", &mut || {
        fresh().clear(&session("s")).unwrap();
    });
    costs
}

fn main() {
    println!("| | PUT | GET | LIST | DELETE | KiB read | dollars |\n| --- | --: | --: | --: | --: | --: | --: |");
    let mut of_a_thousand = Vec::new();
    for count in [100, 1_000, 10_000] {
        println!("| **a session of {count} artifacts** | | | | | | |");
        let costs = session_of(count);
        costs.iter().for_each(|(what, asked)| tell(what, *asked));
        if count == 1_000 {
            of_a_thousand = costs;
        }
    }
    println!("| **10⁷ artifacts in 10⁴ sessions** | | | | | | |");
    for (what, asked) in of_a_thousand {
        // Each session is listed and swept by itself; a search, a commit and a read know theirs.
        let times = if what.starts_with("sweep") || what == "list" || what == "clear" { 10_000 } else { 1 };
        let Asked { put, get, list, delete, read } = asked;
        let all = Asked {
            put: put * times,
            get: get * times,
            list: list * times,
            delete: delete * times,
            read: read * times,
        };
        tell(if times > 1 { what } else { continue }, all);
    }
}
