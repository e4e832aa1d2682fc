//! A server behind a wrap, over real pipes, with the bytes that a peer would send.

mod cutting;
mod ends;
mod http;
mod hub;
mod hub_stateless;
mod laws;
mod passing;
mod rig;
mod sampling;
mod secrets;
mod specs;
mod tools;
