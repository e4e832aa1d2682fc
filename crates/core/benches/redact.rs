//! How fast redaction is.
fn main() {}
