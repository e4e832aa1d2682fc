//! The five tools of a coding agent, native and fast: read, bash, grep, find, ls.
