//! Tables in columns.

/// Worth below this is not shown: a row like others is worth its line where there is room.
pub(in crate::strategy::lines) const FLOOR: f32 = 0.01;

/// The names of the columns; each equal header leaves so much of the next one's worth.
pub(in crate::strategy::lines) const HEADER: f32 = 95.0;
pub(in crate::strategy::lines) const NEXT_HEADER: f32 = 0.3;

/// The rule below the first header, and another one.
pub(in crate::strategy::lines) const FIRST_RULE: f32 = 20.0;
pub(in crate::strategy::lines) const RULE: f32 = 0.2;

/// A line that is no row: the first one, the last one, another one, and what each alike leaves of the next one's worth.
pub(in crate::strategy::lines) const FIRST_OTHER: f32 = 60.0;
pub(in crate::strategy::lines) const LAST_OTHER: f32 = 70.0;
pub(in crate::strategy::lines) const OTHER: f32 = 45.0;

pub(in crate::strategy::lines) const NEXT_OTHER: f32 = 0.5;

/// A line of the few above the first table.
pub(in crate::strategy::lines) const LEAD: f32 = 75.0;

/// The first row of a group, the last one, and any.
pub(in crate::strategy::lines) const FIRST_ROW: f32 = 30.0;
pub(in crate::strategy::lines) const LAST_ROW: f32 = 25.0;
pub(in crate::strategy::lines) const ROW: f32 = 3.0;

/// What each row with the same values leaves of the next one's worth.
pub(in crate::strategy::lines) const NEXT_ROW: f32 = 0.9;

/// What a row gains each time that a value of it is half as frequent as the column's values are on average, in columns
/// with few, and how many times that counts.
pub(in crate::strategy::lines) const RARE: f32 = 5.0;
pub(in crate::strategy::lines) const RAREST: f32 = 7.0;

/// What the first row with each value gains in a column with so many different ones at most.
pub(in crate::strategy::lines) const FIRST_OF_KIND: f32 = 30.0;
pub(in crate::strategy::lines) const KINDS: usize = 8;

/// What the row with the largest value of a column gains, the row with the smallest, and one far from the middle.
pub(in crate::strategy::lines) const LARGEST: f32 = 22.0;
pub(in crate::strategy::lines) const SMALLEST: f32 = 6.0;
pub(in crate::strategy::lines) const FAR: f32 = 14.0;

/// What a row tells of trouble counts in this share.
pub(in crate::strategy::lines) const TROUBLE: f32 = 0.9;

/// A row lends so much to the line above its table, which says when or where, from this worth on.
pub(in crate::strategy::lines) const LENT: f32 = 0.5;
pub(in crate::strategy::lines) const LENDS: f32 = 25.0;
