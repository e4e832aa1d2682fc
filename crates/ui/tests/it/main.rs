//! The dashboard as a browser asks for it.

mod escaping;
mod pages;
mod testkit;
