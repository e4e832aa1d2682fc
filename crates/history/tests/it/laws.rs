//! Whatever is wrong with the file, there is an answer, and no reply is the worse for it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use offcut_history::{FILE, History, Period};

use crate::testkit::{Place, reply};

fn calls(place: &Place) -> u64 {
    place.history().statistics(Period::default(), None).unwrap().total.calls
}

#[test]
fn a_damaged_file_is_put_aside_and_made_anew_from_the_log() {
    let place = Place::new();
    place.add([reply(1, "bash", 100, 100, 5)]);
    fs::write(place.path().join(FILE), "this is no database, and it is long enough to be taken for one\n".repeat(99))
        .unwrap();
    assert_eq!(calls(&place), 1);
    assert!(place.path().join("history.sqlite.damaged").exists());
}

#[test]
fn a_file_of_a_later_version_and_a_link_are_left_alone() {
    let place = Place::new();
    place.add([reply(1, "bash", 100, 100, 5)]);
    let target = place.path().join("target");
    fs::write(&target, "mine").unwrap();
    symlink(&target, place.path().join(FILE)).unwrap();
    assert_eq!(calls(&place), 1);
    assert_eq!(place.history().path(), None);
    assert_eq!(fs::read_to_string(&target).unwrap(), "mine");

    let place = Place::new();
    place.add([reply(1, "bash", 100, 100, 5)]);
    drop(place.history());
    rusqlite::Connection::open(place.path().join(FILE)).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert_eq!((calls(&place), place.history().path()), (1, None));
}

#[test]
fn a_missing_directory_stays_missing_and_has_no_history() {
    let place = Place::new();
    let directory = place.path().join("none");
    let mut history = History::open(&directory).unwrap();
    history.refresh().unwrap();
    assert_eq!(history.statistics(Period::default(), None).unwrap().from_ms, None);
    assert!(!directory.exists());
}

#[test]
fn it_is_its_owner_s_alone() {
    let place = Place::new();
    place.add([reply(1, "bash", 100, 100, 5)]);
    let _history = place.history();
    for name in [FILE, "history.sqlite-wal"] {
        let mode = fs::metadata(place.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn while_another_process_writes_what_is_known_is_told() {
    let place = Place::new();
    place.add([reply(1, "bash", 100, 100, 5)]);
    let mut history = place.history();
    let other = rusqlite::Connection::open(place.path().join(FILE)).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    place.add([reply(2, "bash", 100, 100, 5)]);
    history.refresh().unwrap();
    assert_eq!(history.statistics(Period::default(), None).unwrap().total.calls, 1);
    other.execute_batch("ROLLBACK").unwrap();
    history.refresh().unwrap();
    assert_eq!(history.statistics(Period::default(), None).unwrap().total.calls, 2);
}
