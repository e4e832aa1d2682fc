//! What cleaning makes of bytes, case by case, and its laws over random ones.

use proptest::prelude::*;

use super::*;

/// Cleans `bytes` in the given chunks.
fn clean_chunks<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> (String, Changes) {
    let mut cleaner = Cleaner::default();
    let mut scratch = String::new();
    let mut out = String::new();
    for chunk in chunks {
        out.push_str(cleaner.push(chunk, &mut scratch));
    }
    out.push_str(cleaner.finish(&mut scratch));
    (out, *cleaner.changes())
}

/// Cleans `bytes` whole, and checks that any other chunking does the same.
fn clean(bytes: &[u8]) -> (String, Changes) {
    let whole = clean_chunks([bytes]);
    assert_eq!(clean_chunks(bytes.chunks(1)), whole, "byte by byte: {:?}", String::from_utf8_lossy(bytes));
    assert_eq!(clean_chunks(bytes.chunks(3)), whole, "in threes: {:?}", String::from_utf8_lossy(bytes));
    whole
}

fn check(input: impl AsRef<[u8]>, expected: &str) {
    let input = input.as_ref();
    assert_eq!(clean(input).0, expected, "{:?}", String::from_utf8_lossy(input));
}

#[test]
fn text_that_needs_nothing_stays_as_it_is() {
    for text in ["", "a", "a\n", "a\tb\r\nc\n\n", "é世🎉 « » \u{a0}\n", "\n\n\r\n", "one\rtwo\rthree\r", "x\r"] {
        check(text, text);
    }
}

#[test]
fn input_that_is_clean_is_returned_without_a_copy() {
    let input = b"one\ntwo\r\nthree\n";
    let mut scratch = String::new();
    let mut cleaner = Cleaner::default();
    let text = cleaner.push(input, &mut scratch);
    assert!(std::ptr::eq(text.as_bytes(), input.as_slice()));
}

#[test]
fn invalid_bytes_become_replacement_characters() {
    check(b"a\xffb\n", "a\u{fffd}b\n");
    check(b"a\xe4\xb8\n\xf0\x9f\x8e", "a\u{fffd}\n\u{fffd}");
    check(b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}");
    check(b"\xef\xbb", "\u{fffd}");
    check(b"\xefa", "\u{fffd}a");
}

#[test]
fn nuls_that_separate_texts_end_a_line() {
    check(".\0./a\0./b\0", ".\n./a\n./b\n");
    check("HOME=/root\0PATH=/bin:/usr/bin\0", "HOME=/root\nPATH=/bin:/usr/bin\n");
    check("src/main.rs\0fn main() {\nsrc/lib.rs\0fn lib() {\n", "src/main.rs\nfn main() {\nsrc/lib.rs\nfn lib() {\n");
    check("two words\0\0and two more\0\0", "two words\nand two more\n");
    let pad = "\0".repeat(500);
    check(format!("a hole{pad} in a log\n"), "a hole in a log\n");
    check("w\0i\0d\0e\0\n", "wide\n");
    // Longer than what is held of a line.
    let paths: Vec<String> = (0..20_000).map(|n| format!("./some/folder/file{n}")).collect();
    check(&(paths.join("\0") + "\0"), &(paths.join("\n") + "\n"));
}

#[test]
fn nuls_and_control_characters_go() {
    check("a\0b\x07c\x7fd\u{85}e\x0cf\n", "abcdef\n");
    assert_eq!(clean(b"\0\0\x07").1, Changes { nuls: 2, controls: 1, ..Changes::default() });
}

#[test]
fn a_byte_order_mark_goes_and_utf_16_is_read() {
    check("\u{feff}{}\n", "{}\n");
    check("a\u{feff}b", "a\u{feff}b");
    let units: Vec<u16> = "hé🎉\r\n".encode_utf16().collect();
    let little: Vec<u8> = [0xff, 0xfe].into_iter().chain(units.iter().flat_map(|unit| unit.to_le_bytes())).collect();
    let big: Vec<u8> = [0xfe, 0xff].into_iter().chain(units.iter().flat_map(|unit| unit.to_be_bytes())).collect();
    check(little, "hé🎉\r\n");
    check(big, "hé🎉\r\n");
    check(b"\xff\xfea\0\0\xd8b\0", "a\u{fffd}b");
}

#[test]
fn colours_titles_and_character_sets_go() {
    check("\x1b[1;31merror\x1b[0m: no\n", "error: no\n");
    check("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", "alink\n");
    check("\x1b(B\x1b=\x1bPq#0\x1b\\x\u{9b}31my\n", "xy\n");
    check("\x1b]no end\nnext\n", "no end\nnext\n");
    check("\x1b[", "");
    check("a\x1b", "a");
    check("\x1b[38;5;\u{e9}x\n", "éx\n");
}

#[test]
fn a_progress_line_collapses_to_its_last_state() {
    check("abc\rX\n", "Xbc\n");
    check("10%\r20%\r100%\n", "100%\n");
    check("10%\r20%\r", "20%");
    check("long state 1\rshort\x1b[K\n", "short\n");
    check("one\x1b[2K\rtwo\n", "two\n");
    check("Progress (1): 1.0 kB\r                    \rDownloaded\n", "Downloaded\n");
    check("fold\r\x1b[0K\x1b[33mWorker\x1b[0m\n", "Worker\n");
    check("\r|\r/\r-\r\\\rdone\n", "done\n");
    assert_eq!(clean(b"10%\r20%\r30%\nx\n").1.overwritten, 1);
}

#[test]
fn backspaces_and_columns_overwrite() {
    check("abc\x08\x08X\n", "aXc\n");
    check("a\x08\x08\x08b\n", "b\n");
    check("abc\x1b[1GX\x1b[3GZ\n", "XbZ\n");
    check("a\x1b[2Cb\n", "a  b\n");
}

#[test]
fn carriage_returns_end_the_lines_of_a_text_that_has_no_other_ends() {
    check("Dear all,\rsee below.\r\rYours\r", "Dear all,\rsee below.\r\rYours\r");
    let poem = "the fog comes\ron little cat feet\rit sits looking\rover harbor and city\rand then moves on\n";
    check(poem, poem);
}

#[test]
fn carriage_returns_end_lines_also_where_colours_stand_in_them() {
    let log: String = (1..=2000).map(|n| format!("step {n} of the build went well\r")).collect();
    let coloured = log.replacen("step 7 ", "\x1b[31mstep\x1b[0m 7 ", 1);
    check(&coloured, &log);
    // A line end before the log, or behind it, does not change what its other lines are.
    check(format!("begin\n{coloured}"), &format!("begin\n{log}"));
    check(format!("{coloured}end\n"), &format!("{log}end\n"));
    let dated: String = (1..=2000).map(|n| format!("2026/11/16 10:00:{:02} worker {n} ready\r", n % 60)).collect();
    check(format!("\x1b[1m{dated}"), &dated);
    // Compilers erase behind each colour, and mean nothing by it.
    let erasing = "\x1b[01m\x1b[Kmain.c:1:\x1b[m\x1b[K \x1b[31m\x1b[Kerror\x1b[m\x1b[K\r".repeat(200);
    check(erasing, &"main.c:1: error\r".repeat(200));
}

#[test]
fn a_message_among_the_states_of_a_long_progress_line_stays() {
    let progress = |from: u32| (from..from + 500).map(|n| format!("Fetching {n}/1000\r")).collect::<String>();
    let output = format!("{}cannot reach the mirror\r{}", progress(0), progress(500));
    check(output, "Fetching 499/1000\rcannot reach the mirror\rFetching 999/1000");
    let erasing = "\x1b[2K\rworking on something".repeat(100) + "\x1b[2K\rdone\n";
    check(erasing, "done\n");
}

#[test]
fn line_ends_of_a_pseudo_terminal_are_line_ends() {
    check("a\r\r\nb\r\n", "a\r\nb\r\n");
    check("\r\n\r\n", "\r\n\r\n");
}

#[test]
fn redrawn_lines_collapse() {
    check("\x1b[?25la: 1\nb: 1\n\x1b[2Aa: 2\nb: 2\n", "a: 2\nb: 2\n");
    check("x\n\x1b[1A\x1b[2K\ry\n\x1b[Jz\n", "x\ny\nz\n");
    check("\x1b[?25la\nb\nc\n\x1b[3A\x1b[Jd\n", "d\n");
    check("\x1b[Ka\nb\n\x1b[2A\x1b[2K\rA\x1b[2Bend\n", "A\nb\n end\n");
    check("one\x1b[2J\x1b[Htwo\n", "one\ntwo\n");
}

#[test]
fn the_time_before_a_line_of_a_ci_log_is_not_overwritten() {
    let time = "2022-05-29T16:48:34.6988856Z ";
    check(format!("{time}1%\r2%\x1b[K\n{time}\x1b[A\n{time}\x1b[2Kx\n"), &format!("{time}2%\n{time}\n{time}x\n"));
}

#[test]
fn a_line_too_long_to_hold_is_let_go() {
    let long = "x".repeat(LIMIT + 5);
    let mut cleaner = Cleaner::default();
    let mut scratch = String::new();
    assert_eq!(cleaner.push(long.as_bytes(), &mut scratch).len(), LIMIT + 5);
    assert_eq!(cleaner.push(b"\rY", &mut scratch), "\r");
    assert_eq!(cleaner.finish(&mut scratch), "Y");
    let progress: String = (0..50_000).map(|n| format!("\rReceiving objects: {n}/50000")).collect();
    let (whole, _) = clean_chunks([format!("{progress}, done\n").as_bytes()]);
    assert_eq!(whole, "Receiving objects: 49999/50000, done\n");
}

#[test]
fn memory_is_bounded() {
    let mut cleaner = Cleaner::default();
    let mut scratch = String::new();
    for piece in ["\x1b[?25l", "\x1b]", "é\r", "\x1b[A", "a\n"] {
        for _ in 0..40 {
            cleaner.push(piece.repeat(9_000).as_bytes(), &mut scratch);
            assert!(cleaner.line.len() <= LIMIT);
            assert!(cleaner.screen.held() <= 2 * LIMIT);
        }
    }
}

/// A terminal the obvious way: all rows kept, one character at a time.
fn terminal(input: &str) -> String {
    let mut rows: Vec<Vec<char>> = vec![vec![]];
    let (mut row, mut column) = (0, 0);
    let mut chars = input.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\n' => {
                (row, column) = (row + 1, 0);
                if rows.len() == row {
                    rows.push(vec![]);
                }
            }
            '\r' => column = 0,
            '\x08' => column = usize::saturating_sub(column, 1),
            '\x1b' => {
                chars.next();
                let mut count = 0;
                while let Some(digit) = chars.peek().and_then(|char| char.to_digit(10)) {
                    count = count * 10 + digit as usize;
                    chars.next();
                }
                match chars.next() {
                    Some('A') => row = row.saturating_sub(count.max(1)),
                    Some('B') => row = (row + count.max(1)).min(rows.len() - 1),
                    Some('K') if count == 2 => rows[row].clear(),
                    Some('K') => rows[row].truncate(column),
                    _ => {}
                }
            }
            other => {
                while rows[row].len() <= column {
                    rows[row].push(' ');
                }
                rows[row][column] = other;
                column += 1;
            }
        }
    }
    let lines: Vec<String> = rows.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned()).collect();
    lines.join("\n")
}

fn without_trailing_blanks(text: &str) -> String {
    text.split('\n').map(str::trim_end).collect::<Vec<_>>().join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_result_does_not_depend_on_the_chunks(
        pieces in prop::collection::vec(prop_oneof![
            Just(b"\n".to_vec()), Just(b"\r".to_vec()), Just(b"\r\n".to_vec()), Just(b"\x1b[".to_vec()),
            Just(b"\x1b]".to_vec()), Just(b"\x1b[2A".to_vec()), Just(b"\x1b[K".to_vec()), Just(b"\x08".to_vec()),
            Just("é🎉".as_bytes().to_vec()), Just(b"10%".to_vec()), Just(b"\x1b\\".to_vec()),
            Just(b"2022-05-29T16:48:34.6988856Z ".to_vec()), Just(b"\xff\xfe".to_vec()),
            prop::collection::vec(any::<u8>(), 0..8), "[ -~]{0,20}".prop_map(String::into_bytes),
        ], 0..60),
        cuts in prop::collection::vec(0usize..400, 0..8),
    ) {
        let bytes = pieces.concat();
        let whole = clean(&bytes);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
        cuts.sort_unstable();
        let chunks = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        prop_assert_eq!(clean_chunks(chunks), whole);
    }

    #[test]
    fn long_lines_do_not_depend_on_the_chunks_either(
        pieces in prop::collection::vec((prop_oneof![
            Just("x"), Just("é"), Just("\r"), Just("\n"), Just("\x1b[m"), Just("\x1b]"), Just("5%\r"), Just("\x08"),
            Just("line\n"), Just("\x1b[K\n"), Just("世\r\n"),
        ], 0usize..40_000), 0..6),
        size in 1usize..100_000,
    ) {
        let bytes: Vec<u8> = pieces.iter().flat_map(|(piece, count)| piece.repeat(*count).into_bytes()).collect();
        let whole = clean_chunks([bytes.as_slice()]);
        prop_assert!(clean_chunks(bytes.chunks(size)) == whole);
    }

    #[test]
    fn words_of_a_text_whose_lines_end_with_cr_are_never_lost(
        lines in prop::collection::vec(("[a-z]{1,12}( [a-z]{1,9}){0,6}", prop::sample::select(vec![
            "", "", "", "\x1b[31m", "\x1b[0m", "\x08", "\x07", "\x1b]0;t\x07", "\x1b[?25l", "\x1b(B",
        ]), 0usize..3), 70..300),
        feed_first in any::<bool>(),
    ) {
        let mut input = if feed_first { "first\n".to_owned() } else { String::new() };
        for (number, (words, control, at)) in lines.iter().enumerate() {
            // A backspace takes nothing away where nothing is written over it.
            match at {
                0 => input.push_str(&format!("{control}<{number}> {words}\r")),
                1 => input.push_str(&format!("<{number}>{control} {words}\r")),
                _ => input.push_str(&format!("<{number}> {words}{control}\r")),
            }
        }
        let shown = clean(input.as_bytes()).0;
        for (number, (words, control, at)) in lines.iter().enumerate() {
            let written_over = *control == "\x08" && *at == 1;
            let wanted = if written_over { words.clone() } else { format!("<{number}> {words}\r") };
            prop_assert!(shown.contains(&wanted), "{wanted:?}");
        }
    }

    #[test]
    fn clean_text_comes_out_byte_for_byte(text in "([ -~\té世🎉]{0,30}(\n|\r\n)){0,20}[ -~]{0,9}") {
        prop_assert_eq!(clean(text.as_bytes()), (text, Changes::default()));
    }

    #[test]
    fn what_comes_out_is_clean_and_stays_as_it_is(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let (once, _) = clean(&bytes);
        prop_assert!(!once.chars().any(|char| char.is_control() && !matches!(char, '\t' | '\n' | '\r')));
    }

    #[test]
    fn bytes_without_controls_decode_like_the_standard_library(bytes in prop::collection::vec(
        prop_oneof![Just(b'\n'), 0x20u8..0x7f, 0xa0u8..=0xc1, 0xc3u8..=0xfd], 0..200)) {
        prop_assume!(!bytes.starts_with(b"\xef\xbb\xbf"));
        prop_assert_eq!(clean(&bytes).0, String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn lines_are_what_a_terminal_shows(pieces in prop::collection::vec(prop::sample::select(vec![
        "a", "bc", "def 5%", " ", "\n", "\n", "\r", "\x08", "\x1b[K", "\x1b[2K", "\x1b[A", "\x1b[2A", "\x1b[B", "\x1b[m",
    ]), 0..40)) {
        let input = format!("start\n\x1b[K{}\x1b[m\n", pieces.concat());
        // A line end is CRLF for us where the naive terminal sees two movements.
        let cleaned = clean(input.as_bytes()).0.replace("\r\n", "\n");
        prop_assume!(!cleaned.contains('\r'));
        let shown = terminal(&input.replacen("start\n", "", 1));
        let (shown, cleaned) = (format!("start\n{shown}"), without_trailing_blanks(&cleaned));
        prop_assert_eq!(cleaned.trim_end_matches('\n'), shown.trim_end_matches('\n'));
    }
}

#[test]
fn endless_carriage_returns_come_to_an_end() {
    let returns = "\r".repeat(2 * LIMIT + 3);
    assert_eq!(clean_chunks([format!("a\n{returns}b\n").as_bytes()]).0, "a\nb\n");
}

#[test]
fn what_was_overwritten_is_handed_out_state_by_state() {
    let check = |input: &str, expected: &str| {
        let mut cleaner = Cleaner::default();
        let mut scratch = String::new();
        cleaner.push(input.as_bytes(), &mut scratch);
        cleaner.finish(&mut scratch);
        let states = cleaner.take_overwritten();
        assert_eq!(states, expected, "{input:?}");
        assert_eq!(cleaner.changes().overwritten_chars, states.lines().map(|state| state.len() as u64).sum::<u64>());
        assert_eq!(cleaner.take_overwritten(), "");
    };
    check("a\nb\n", "");
    check("get 1%\rget 2%\rget 3%\n", "get 1%\nget 2%\n");
    check("\x1b[Kone\ntwo\n\x1b[2A\x1b[2K1\n\x1b[2K2\n", "one\ntwo\n");
    check("work |\x08/\x08-\n", "work |\n");
    check("\x1b[31mred\x1b[0m\r\n", "");
}
