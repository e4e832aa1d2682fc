//! Which size gets which reply: the table of limits and decisions.

use offcut::options::{ArtifactView, LimitOption, Options};
use offcut::{Call, Offcut, Reply};
use offcut_core::limit::Limits;
use offcut_core::tokens::{TokenCounter, Tokenizer};

use crate::outputs::lines;

fn offcut(profile: &str) -> Offcut {
    Offcut::builder().profile(profile).in_memory().build().unwrap()
}

fn process(offcut: &Offcut, output: &str) -> Reply {
    offcut.process(Call::new("read_file"), output).unwrap()
}

/// `chars` characters in lines of 49 that differ.
fn sized(chars: usize) -> String {
    let line = |n: usize| format!("{:04x} fghi jklmnopqrs tuvwxyz ABCDEFGHI JKLMNOPQRS\n", n * 7919 % 65_536);
    let mut text: String = (0..=chars / 49).map(line).collect();
    text.truncate(chars);
    text
}

#[test]
fn an_output_at_the_limit_is_whole_and_one_more_character_is_cut() {
    // AC-080, AC-081
    for profile in ["auto", "balanced"] {
        let offcut = offcut(profile);
        let whole = process(&offcut, &sized(8000));
        assert_eq!(whole.text, sized(8000));
        assert!(!whole.report.was_truncated && !whole.report.artifact_created);
        assert_eq!(whole.report.limit, None);
        let cut = process(&offcut, &sized(8001));
        assert!(cut.report.was_truncated && cut.report.artifact_created, "{profile}");
        assert_eq!(cut.report.limit.as_deref(), Some("8000"));
    }
}

#[test]
fn characters_are_counted_not_bytes() {
    // AC-016, AC-082
    let offcut = offcut("auto");
    let wide = "世".repeat(8000);
    assert_eq!(process(&offcut, &wide).text, wide);
    let cut = process(&offcut, &"世".repeat(8001));
    assert!(cut.report.was_truncated);
    assert!(!cut.text.contains('\u{fffd}'));
}

#[test]
fn an_output_at_the_artifact_threshold_is_a_reference() {
    // AC-095
    let offcut = offcut("balanced");
    let below = process(&offcut, &sized(49_999));
    assert!(!below.text.contains("[Artifact: "));
    let at = process(&offcut, &sized(50_000));
    let id = at.report.artifact_id.clone().unwrap();
    assert!(at.text.starts_with(&format!("[Artifact: {id}] ")), "{}", at.text);
    assert!(at.text.contains("\nRetrieval options:\n- Full content: get_artifact(id=\""));
    assert_eq!(offcut.recall().whole(&id).unwrap(), sized(50_000));
}

#[test]
fn crossing_a_threshold_never_shrinks_what_is_shown() {
    for profile in ["auto", "balanced"] {
        let offcut = offcut(profile);
        let kept = |chars: usize| {
            let report = process(&offcut, &sized(chars)).report;
            report.original_size.unwrap() - report.omitted_characters
        };
        let (before, after) = (kept(49_999), kept(50_000));
        assert!(after + 60 >= before, "{profile}: {before} then {after}");
    }
}

#[test]
fn an_output_at_the_maximum_size_is_refused_and_still_shown_in_part() {
    // AC-096, AC-107
    let options = Options {
        profile: Some("balanced".to_owned()),
        max_artifact_size: Some(LimitOption::Text("1MB".to_owned())),
        ..Options::default()
    };
    let offcut = Offcut::builder().options(options).in_memory().build().unwrap();
    let reply = process(&offcut, &sized(1 << 20));
    assert!(reply.text.starts_with("Output size (1.0 MB) exceeds maximum artifact size (1.0 MB)"), "{}", reply.text);
    assert!(reply.text.contains("`max_artifact_size`"));
    assert!(reply.text.contains(" fghi jklmnopqrs"));
    assert!(reply.report.is_error && !reply.report.artifact_created);
    let below = process(&offcut, &sized((1 << 20) - 1));
    assert!(!below.report.is_error && below.report.artifact_created);
}

#[test]
fn empty_and_blank_outputs_pass_unchanged() {
    // AC-079, AC-097
    let offcut = offcut("auto");
    for blank in ["", " ", "\n\n\n", "  \t \r\n"] {
        let reply = process(&offcut, blank);
        assert_eq!(reply.text, blank);
        assert!(!reply.report.was_truncated);
    }
}

#[test]
fn an_artifact_can_be_shown_as_a_preview_or_not_at_all() {
    let with = |view| {
        let mut options = Options { profile: Some("balanced".to_owned()), ..Options::default() };
        options.artifacts.artifact_view = Some(view);
        let offcut = Offcut::builder().options(options).in_memory().build().unwrap();
        process(&offcut, &lines(20_000)).text
    };
    let preview = with(ArtifactView::Preview);
    let first: String = lines(20_000).chars().take(500).collect();
    assert!(preview.contains(&format!("Preview (first 500 characters):\n{first}")), "{preview}");
    assert!(!with(ArtifactView::None).contains("line 1\n"));
}

#[test]
fn limits_in_tokens_bytes_and_lines_are_measured_in_their_unit() {
    let offcut = offcut("auto");
    let check = |limit: &str, size: &dyn Fn(&str) -> u64, most: u64| {
        let call = Call::new("x").strategy("head_tail").limits(limit.parse::<Limits>().unwrap());
        let reply = offcut.process(call, lines(3000)).unwrap();
        let size = size(&reply.text);
        assert!(size <= most && size * 10 > most * 6, "{limit}: {size} of {most}\n{}", reply.text);
        assert_eq!(reply.report.limit.as_deref(), Some(limit));
    };
    check("500 tokens", &|text| Tokenizer::O200k.count(text), 500);
    check("4KB", &|text| text.len() as u64, 4096);
    check("50 lines", &|text| text.lines().count() as u64, 50);
}

#[test]
fn a_real_tokenizer_is_exact() {
    let options = Options { tokenizer: Some("o200k".to_owned()), ..Options::default() };
    let offcut = Offcut::builder().options(options).in_memory().build().unwrap();
    let call = Call::new("x").limits("400 tokens".parse::<Limits>().unwrap());
    let reply = offcut.process(call, lines(3000)).unwrap();
    assert!(Tokenizer::O200k.count(&reply.text) <= 400);
    assert_eq!(reply.report.truncated_tokens, Some(Tokenizer::O200k.count(&reply.text)));
    assert_eq!(reply.report.original_tokens, Some(Tokenizer::O200k.count(&lines(3000))));
}

#[test]
fn a_policy_too_small_for_its_own_notice_is_refused_when_it_is_built() {
    let refused = |value| {
        let options = Options { inline_limit: Some(LimitOption::Number(value)), ..Options::default() };
        Offcut::builder().options(options).build().unwrap_err().to_string()
    };
    assert_eq!(
        refused(100),
        "`inline_limit` is `100`: expected at least 400 characters, which the notices of the profile `auto` need"
    );
    for value in [0, -5] {
        let error = refused(value);
        assert!(error.starts_with(&format!("`inline_limit` is `{value}`: expected a positive")), "{error}");
    }
}
