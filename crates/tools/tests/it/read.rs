//! `read`.

use offcut::Cancel;
use offcut_tools::{Content, Read, Tool};
use serde_json::json;

use crate::bench::{Bench, lines};

#[test]
fn a_file_within_the_limits_is_shown_as_it_is() {
    let bench = Bench::paged();
    for count in [1, 1999, 2000] {
        bench.file("a.txt", lines(count));
        let reply = bench.call(Tool::Read, json!({"path": "a.txt"}));
        assert_eq!(reply.text(), lines(count));
        assert_eq!(reply.details, json!({}));
        assert!(!reply.is_error && !reply.report.unwrap().was_truncated);
    }
    bench.file("a.txt", "no end");
    assert_eq!(bench.text(Tool::Read, json!({"path": "a.txt"})), "no end");
    bench.file("a.txt", "two\r\nlines\r\n");
    assert_eq!(bench.text(Tool::Read, json!({"path": "a.txt"})), "two\r\nlines\r\n");
    bench.file("a.txt", "");
    assert_eq!(bench.text(Tool::Read, json!({"path": "a.txt"})), "(empty file)");
}

#[test]
fn the_line_limit_is_announced_with_the_offset_that_goes_on() {
    let bench = Bench::paged();
    bench.file("a.txt", lines(5000));
    let reply = bench.call(Tool::Read, json!({"path": "a.txt"}));
    let notice = "\n[Showing lines 1-2000 of 5000. Use offset=2001 to continue]";
    assert_eq!(reply.text(), lines(2000) + notice);
    let truncation = json!({
        "truncated": true, "truncatedBy": "lines", "outputLines": 2000, "totalLines": 5000, "lastLinePartial": false
    });
    assert_eq!(reply.details, json!({"truncation": truncation}));
    let report = reply.report.unwrap();
    assert_eq!((report.kept, report.omitted_lines, report.was_truncated), (vec![(1, 2000)], 3000, true));
    bench.file("a.txt", lines(2001));
    let notice = "\n[Showing lines 1-2000 of 2001. Use offset=2001 to continue]";
    assert_eq!(bench.text(Tool::Read, json!({"path": "a.txt"})), lines(2000) + notice);
}

#[test]
fn the_line_limit_counts_from_the_offset() {
    let bench = Bench::paged();
    bench.file("a.txt", lines(5000));
    let text = bench.text(Tool::Read, json!({"path": "a.txt", "offset": 1000}));
    let shown: String = (1000..=2999).map(|n| format!("line {n}\n")).collect();
    assert_eq!(text, shown + "\n[Showing lines 1000-2999 of 5000. Use offset=3000 to continue]");
    let text = bench.text(Tool::Read, json!({"path": "a.txt", "offset": 4999}));
    assert_eq!(text, "line 4999\nline 5000\n");
    let text = bench.text(Tool::Read, json!({"path": "a.txt", "offset": 2, "limit": 2}));
    assert_eq!(text, "line 2\nline 3\n\n[Showing lines 2-3 of 5000. Use offset=4 to continue]");
    assert_eq!(
        bench.error(Tool::Read, json!({"path": "a.txt", "offset": 5001})),
        "read: `offset` is 5001: expected at most 5000, the lines of a.txt"
    );
}

#[test]
fn the_byte_limit_is_announced_and_exactly_at_it_is_not() {
    let bench = Bench::paged();
    let line = |n: u32| format!("{n:06}{}\n", "x".repeat(53));
    let sixty = |count: u32| (1..=count).map(line).collect::<String>();
    // 512 lines of 60 bytes are 30 KB, of which the last line's end does not count.
    bench.file("a.txt", sixty(512));
    assert_eq!(bench.text(Tool::Read, json!({"path": "a.txt"})), sixty(512));
    bench.file("a.txt", sixty(511) + &line(512).replace('\n', "y"));
    assert_eq!(bench.text(Tool::Read, json!({"path": "a.txt"})), sixty(511) + &line(512).replace('\n', "y"));
    bench.file("a.txt", sixty(511) + &line(512).replace('\n', "yy"));
    let notice = "\n[Showing lines 1-511 of 512 (30KB limit). Use offset=512 to continue]";
    assert_eq!(bench.text(Tool::Read, json!({"path": "a.txt"})), sixty(511) + notice);
    bench.file("a.txt", sixty(5000));
    let reply = bench.call(Tool::Read, json!({"path": "a.txt"}));
    let notice = "\n[Showing lines 1-512 of 5000 (30KB limit). Use offset=513 to continue]";
    assert_eq!(reply.text(), sixty(512) + notice);
    let truncation = json!({
        "truncated": true, "truncatedBy": "bytes", "outputLines": 512, "totalLines": 5000, "lastLinePartial": false
    });
    assert_eq!(reply.details, json!({"truncation": truncation}));
    let text = bench.text(Tool::Read, json!({"path": "a.txt", "offset": 1000}));
    let shown: String = (1000..=1511).map(line).collect();
    assert_eq!(text, shown + "\n[Showing lines 1000-1511 of 5000 (30KB limit). Use offset=1512 to continue]");
}

#[test]
fn a_first_line_over_the_limit_is_answered_with_the_command_that_shows_it() {
    let bench = Bench::paged();
    bench.file("path/to/file", "x".repeat(50 * 1024) + "\nnext\n");
    let reply = bench.call(Tool::Read, json!({"path": "path/to/file"}));
    let notice = "[Line 1 is 50KB, exceeds 30KB limit. Use bash to read: head -c 30000 path/to/file]";
    assert_eq!(reply.text(), notice);
    let truncation = json!({
        "truncated": true, "truncatedBy": "bytes", "outputLines": 0, "totalLines": 2, "lastLinePartial": false
    });
    assert_eq!(reply.details, json!({"truncation": truncation}));
    bench.file("file", lines(999) + &"x".repeat(50 * 1024) + "\n");
    assert_eq!(
        bench.text(Tool::Read, json!({"path": "file", "offset": 1000})),
        "[Line 1000 is 50KB, exceeds 30KB limit. Use bash: sed -n '1000p' file | head -c 30000]"
    );
    bench.file("my file", "x".repeat(30 * 1024 + 1));
    let quoted = "[Line 1 is 30.0KB, exceeds 30KB limit. Use bash to read: head -c 30000 'my file']";
    assert_eq!(bench.text(Tool::Read, json!({"path": "my file"})).replace("is 30KB", "is 30.0KB"), quoted);
    bench.file("my file", "x".repeat(30 * 1024));
    assert_eq!(bench.text(Tool::Read, json!({"path": "my file"})), "x".repeat(30 * 1024));
}

#[test]
fn secrets_stay_out_also_where_their_beginning_is_not_on_the_page() {
    let bench = Bench::paged();
    let key = "MIIEowIBAAKCAQEA4f6wg4PzpZ8JYkVbzmkCWJ2tYh7U0pP1zDkQxTqQm3nD0c\n".repeat(20);
    bench.file("key.pem", format!("-----BEGIN RSA PRIVATE KEY-----\n{key}-----END RSA PRIVATE KEY-----\nend\n"));
    let text = bench.text(Tool::Read, json!({"path": "key.pem"}));
    assert!(!text.contains("MIIEow") && text.contains("REDACTED") && text.ends_with("end\n"), "{text}");
    let text = bench.text(Tool::Read, json!({"path": "key.pem", "offset": 12}));
    assert!(!text.contains("MIIEow") && text.ends_with("end\n"), "{text}");
    bench.file("env", "DB=postgres://app:hunter22@db.local/main\n");
    let reply = bench.call(Tool::Read, json!({"path": "env"}));
    assert_eq!(reply.text(), "DB=postgres://app:[REDACTED: PASSWORD]@db.local/main\n");
    assert_eq!(reply.report.unwrap().redactions.get("PASSWORD"), Some(&1));
}

#[test]
fn a_range_is_shown_exactly_under_every_profile() {
    for profile in ["auto", "balanced", "handle", "bookends"] {
        let bench = Bench::new(profile);
        bench.file("a.txt", lines(100_000));
        let shown: String = (50_000..51_000).map(|n| format!("line {n}\n")).collect();
        let text = bench.text(Tool::Read, json!({"path": "a.txt", "offset": 50_000, "limit": 1000}));
        let notice = "\n[Showing lines 50000-50999 of 100000. Use offset=51000 to continue]";
        assert_eq!(text, shown + notice, "{profile}");
        let text = bench.text(Tool::Read, json!({"path": "a.txt", "offset": 99_999}));
        assert_eq!(text, "line 99999\nline 100000\n", "{profile}");
    }
    let bench = Bench::new("auto");
    bench.file("a.txt", lines(10_000));
    let text = bench.text(Tool::Read, json!({"path": "a.txt", "offset": 1}));
    assert!(
        text.ends_with("\n\n[Showing lines 1-1710 of 10000 (15.6KB limit). Use offset=1711 to continue]"),
        "{text}"
    );
}

#[test]
fn a_whole_file_is_cut_like_any_output_under_auto() {
    let bench = Bench::new("auto");
    bench.file("small.txt", lines(10));
    assert_eq!(bench.text(Tool::Read, json!({"path": "small.txt"})), lines(10));
    bench.file("large.txt", lines(50_000));
    let reply = bench.call(Tool::Read, json!({"path": "large.txt"}));
    let report = reply.report.clone().unwrap();
    assert!(reply.text().chars().count() <= 8000);
    assert_eq!(report.original_lines, Some(50_000));
    let id = report.artifact_id.unwrap();
    assert_eq!(bench.tools.offcut().recall().whole(&id).unwrap(), lines(50_000));
}

#[test]
fn a_range_of_one_huge_line_is_cut_like_any_output_under_auto() {
    let bench = Bench::new("auto");
    bench.file("min.js", lines(3) + &"var a=1;".repeat(100_000) + "\nend\n");
    let reply = bench.call(Tool::Read, json!({"path": "min.js", "offset": 4, "limit": 1}));
    let report = reply.report.unwrap();
    assert_eq!((report.original_size, report.original_lines), (Some(800_001), Some(1)));
    assert!(report.artifact_created);
}

#[test]
fn images_come_as_images_and_other_binary_files_by_name() {
    let bench = Bench::new("auto");
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0".to_vec();
    bench.file("pixel.dat", &png);
    let reply = bench.call(Tool::Read, json!({"path": "pixel.dat"}));
    let about = Content::Text("[Binary file pixel.dat: PNG image, 29B]".to_owned());
    assert_eq!(reply.content, [Content::Image { media_type: "image/png".to_owned(), data: png.clone() }, about]);
    bench.file("a.out", [b"\x7fELF\x02\x01\x01\0".as_slice(), &[0; 2040]].concat());
    assert_eq!(bench.text(Tool::Read, json!({"path": "a.out"})), "[Binary file a.out: ELF binary, 2KB]");
    bench.file("huge.png", [png, vec![0; 6 << 20]].concat());
    assert_eq!(
        bench.text(Tool::Read, json!({"path": "huge.png"})),
        "[Binary file huge.png: PNG image, 6MB; images up to 5MB are shown]"
    );
}

#[test]
fn other_encodings_are_read() {
    for bench in [Bench::paged(), Bench::new("auto")] {
        let wide: Vec<u8> = "\u{feff}eins\nzwölf 🎉\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        bench.file("wide.txt", wide);
        assert_eq!(bench.text(Tool::Read, json!({"path": "wide.txt"})), "eins\nzwölf 🎉\n");
        assert_eq!(bench.text(Tool::Read, json!({"path": "wide.txt", "offset": 2})), "zwölf 🎉\n");
        let wide: Vec<u8> =
            format!("\u{feff}{}", "ö\n".repeat(40_000)).encode_utf16().flat_map(u16::to_be_bytes).collect();
        bench.file("big.txt", wide);
        assert_eq!(bench.text(Tool::Read, json!({"path": "big.txt", "offset": 40_000})), "ö\n");
        for (broken, shown) in [(&b"\xff\xfea\0\x00\xd8b\0"[..], "a\u{fffd}b"), (b"\xff\xfea\0\x00\xd8", "a\u{fffd}")] {
            bench.file("torn.txt", broken);
            assert_eq!(bench.text(Tool::Read, json!({"path": "torn.txt"})), shown);
        }
        bench.file("marked.txt", "\u{feff}one\ntwo\n");
        assert_eq!(bench.text(Tool::Read, json!({"path": "marked.txt"})), "one\ntwo\n");
        bench.file("broken.txt", b"a\xffb\n");
        assert_eq!(bench.text(Tool::Read, json!({"path": "broken.txt"})), "a\u{fffd}b\n");
    }
}

#[test]
fn absolute_paths_lead_out_of_the_root() {
    let (bench, other) = (Bench::paged(), Bench::paged());
    other.file("a.txt", "there\n");
    let path = other.path("a.txt").display().to_string();
    let read = Read { path, ..Read::default() };
    assert_eq!(bench.tools.read(&read, &Cancel::new()).unwrap().text(), "there\n");
}
