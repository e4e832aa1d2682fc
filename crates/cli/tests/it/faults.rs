//! Whatever goes wrong around a command line that works: nothing is lost, nothing hangs, nothing is said that is not so.

mod any_configuration;
mod configuration;
mod trust;
