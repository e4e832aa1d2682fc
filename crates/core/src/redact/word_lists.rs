//! The lists of words that code compares with, as the rules' files name them: `[commands] called = […]` is
//! `COMMANDS_CALLED`.

include!(concat!(env!("OUT_DIR"), "/rule_word_lists.rs"));
