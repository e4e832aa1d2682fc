//! Offcut over HTTP: the proxy in front of a language model.
