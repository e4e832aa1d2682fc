//! Access logs.

/// Worth below this is not shown: a request like others is worth its line where there is room.
pub(in crate::strategy::lines) const FLOOR: f32 = 0.01;

/// The first line of a class of statuses, and of a status.
pub(in crate::strategy::lines) const FIRST_OF_CLASS: f32 = 95.0;
pub(in crate::strategy::lines) const FIRST_OF_STATUS: f32 = 80.0;

/// A line that is no request.
pub(in crate::strategy::lines) const OTHER: f32 = 10.0;

/// The first and the last line of the log.
pub(in crate::strategy::lines) const END: f32 = 30.0;

/// What each line of a status and a path leaves of the next one's worth, and each line of a status.
pub(in crate::strategy::lines) const NEXT: f32 = 0.5;
pub(in crate::strategy::lines) const NEXT_OF_STATUS: f32 = 0.97;

/// What a request is worth by the class of its status.
pub(in crate::strategy::lines) fn of_class(class: u16) -> f32 {
    match class {
        5 => 40.0,
        4 => 20.0,
        1 | 3 => 6.0,
        _ => 3.0,
    }
}
