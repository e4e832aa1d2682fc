//! Which program this is: version, commit, features.

/// The version of the package.
pub(crate) const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// What `--version` prints behind the name.
pub(crate) const LINE: &str = if env!("BUILD_COMMIT").is_empty() {
    concat!(env!("CARGO_PKG_VERSION"), env!("BUILD_FEATURES"))
} else {
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("BUILD_COMMIT"), ")", env!("BUILD_FEATURES"))
};

/// The commit that the program was built from, where it is known.
pub(crate) fn commit() -> Option<&'static str> {
    Some(env!("BUILD_COMMIT")).filter(|commit| !commit.is_empty())
}
