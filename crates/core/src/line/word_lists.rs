//! The lists of words that code compares with, as the rules' files name them: `[frames] foreign = […]` is
//! `FRAMES_FOREIGN`.

include!(concat!(env!("OUT_DIR"), "/line_word_lists.rs"));
