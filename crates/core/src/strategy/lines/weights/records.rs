//! JSON records among other lines.

/// Worth below this is not shown: a record like others is worth its line where there is room.
pub(in crate::strategy::lines) const FLOOR: f32 = 0.02;

/// How much counts what a record gains by its values, and how much of that at most.
pub(in crate::strategy::lines) const VALUES: f32 = 0.8;
pub(in crate::strategy::lines) const MOST: f32 = 80.0;

/// What each record with the same values leaves of the next one's worth.
pub(in crate::strategy::lines) const NEXT: f32 = 0.6;
