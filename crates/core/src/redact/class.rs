//! The classes of secrets that names tell apart.

/// What a name says about the value that is assigned to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// `password`, `pwd`, `passphrase`: people choose these, so any shape may be one.
    Password,
    /// `secret`, `client_secret`, `credentials`: made by machines, so a shape is asked for.
    Secret,
    /// `token`, `access_token`.
    Token,
    /// `api_key`, `access_key`, `private_key` and the like.
    Key,
    /// `Authorization`, with or without a scheme before the credentials.
    Authorization,
    /// A name that ends in `key` and says nothing else: only a value that chance alone can have made is a secret.
    SomeKey,
}
