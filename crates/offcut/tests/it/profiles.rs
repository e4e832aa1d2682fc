//! The wordings of the profiles, compared whole.

use offcut::options::{ElementOptions, LimitOption, LineOptions, Options, ToolOptions};
use offcut::{Call, Offcut};

use crate::outputs::{lines, without_ids};

fn with(profile: &str, change: impl FnOnce(&mut Options)) -> Offcut {
    let mut options = Options { profile: Some(profile.to_owned()), ..Options::default() };
    change(&mut options);
    Offcut::builder().options(options).in_memory().build().unwrap()
}

#[test]
fn bookends_shows_both_ends_behind_the_file_notice() {
    let directory = tempfile::tempdir().unwrap();
    let offcut = Offcut::builder().profile("bookends").store(directory.path()).build().unwrap();
    let output: String =
        (0..50_000u32).map(|n| if n % 40 == 39 { '\n' } else { char::from(b'a' + (n % 26) as u8) }).collect();
    let call = Call::new("Bash").call_id("call_abc123");
    let reply = offcut.process(call, &output).unwrap();
    let path = reply.report.artifact_path.clone().unwrap();
    let name = std::path::Path::new(&path).file_name().unwrap().to_str().unwrap().to_owned();
    assert!(name.starts_with("Bash-call_abc123-") && name.ends_with(".txt"), "{name}");
    let expected = format!(
        "[Output truncated: 30000 chars hidden, full output saved to {path}. Use Read tool or rg to get details. \
         Showing first 10000 and last 10000 chars below.]\n\n{}\n\n... (30000 characters truncated) ...\n\n\
         [Last 10000 chars below]\n{}",
        output.get(..10_000).unwrap(),
        output.get(40_000..).unwrap()
    );
    assert_eq!(reply.text, expected);
    assert_eq!(std::fs::read_to_string(path).unwrap(), output);
    assert!(!offcut.process(Call::new("Bash"), "x".repeat(40_000)).unwrap().report.was_truncated);
}

#[test]
fn bookends_shows_the_beginning_alone_where_nothing_can_be_saved() {
    let offcut = Offcut::builder().profile("bookends").build().unwrap();
    let reply = offcut.process(Call::new("Bash"), "x".repeat(50_000)).unwrap();
    assert_eq!(
        reply.text,
        format!(
            "{}\n\n... (40000 characters truncated; the full output could not be saved: no store is configured) ...",
            "x".repeat(10_000)
        )
    );
    assert_eq!(reply.report.degraded, ["the full output was not kept: no store is configured"]);
}

#[test]
fn handle_hands_out_a_handle_by_size_and_by_the_budget_left() {
    let offcut = with("handle", |_| {});
    let reply = offcut.process(Call::new("x"), lines(5000)).unwrap();
    let id = reply.report.artifact_id.clone().unwrap();
    assert_eq!(
        reply.text,
        format!(
            "Tool output is too large (48893 bytes, 5000 lines, 12224 tokens).\n\
             Call tool_output(handle = \"session-default/{id}\", extract = \"what to extract\").\n\
             Provide precise and detailed instructions in `extract` about what you are looking for."
        )
    );
    assert_eq!(offcut.recall().whole(&format!("session-default/{id}")).unwrap(), lines(5000));
    let small = lines(1000);
    assert_eq!(offcut.process(Call::new("x"), &small).unwrap().text, small);
    let charged = offcut.process(Call::new("x").token_budget(1000), &small).unwrap();
    assert!(charged.text.starts_with("Tool output is too large ("), "{}", charged.text);
}

#[test]
fn paged_keeps_whole_lines_of_one_end() {
    let offcut = with("paged", |_| {});
    let reply = |tool: &str, arguments: &str, output: &str| {
        without_ids(&offcut.process(Call::new(tool).arguments(arguments), output).unwrap().text)
    };
    let last = |text: &str| text.lines().last().unwrap_or_default().to_owned();
    let file = r#"{"path": "path/to/file"}"#;
    let read = reply("read_file", file, &lines(2500));
    assert_eq!(last(&read), "[Showing lines 1-2000 of 2500. Use offset=2001 to continue]");
    assert!(read.starts_with("line 1\n") && read.contains("line 2000\n\n[Showing"));
    let wide = "x".repeat(60) + "\n";
    let read = reply("read_file", file, &wide.repeat(1900));
    assert_eq!(last(&read), "[Showing lines 1-503 of 1900 (30KB limit). Use offset=504 to continue]");
    let bash = reply("bash", "", &lines(2500));
    assert_eq!(last(&bash), "[Showing lines 501-2500 of 2500. Full output: art_1]");
    let bash = reply("bash", "", &wide.repeat(1900));
    assert_eq!(last(&bash), "[Showing lines 1398-1900 of 1900 (30KB limit). Full output: art_1]");
    let long = reply("bash", "", &("short\n".to_owned() + &"y".repeat(100 * 1024)));
    assert_eq!(last(&long), "[Showing last 30KB of line 2 (line is 100KB). Full output: art_1]");
    assert_eq!(long.lines().next().unwrap().len(), 30 * 1024);
    let long = reply("read_file", file, &("y".repeat(50 * 1024) + "\n"));
    assert_eq!(long, "[Line 1 is 50KB, exceeds 30KB limit. Use bash to read: head -c 30000 path/to/file]");
}

#[test]
fn exactly_at_a_page_limit_is_not_cut_and_not_announced() {
    let offcut = with("paged", |_| {});
    for output in [lines(2000), "x".repeat(30 * 1024)] {
        let reply = offcut.process(Call::new("bash"), &output).unwrap();
        assert_eq!(reply.text, output);
        assert!(!reply.report.was_truncated);
    }
}

#[test]
fn balanced_keeps_the_tail_of_a_command() {
    // The integration test of the first design, to the letter.
    let offcut = with("balanced", |options| {
        options.inline_limit = Some(LimitOption::Number(1000));
        options.artifact_threshold = Some(LimitOption::Number(10_000));
        options.overrides.insert(
            "execute_command".to_owned(),
            ToolOptions {
                strategy: Some("tail".to_owned()),
                line_truncation: LineOptions { tail_lines: Some(50), ..LineOptions::default() },
                ..ToolOptions::default()
            },
        );
    });
    let output: Vec<String> = (1..=500).map(|n| format!("[INFO] Log line {n}")).collect();
    let reply = offcut.process(Call::new("execute_command"), output.join("\n")).unwrap();
    assert!(reply.report.was_truncated);
    assert!(reply.text.contains("Log line 500"));
    assert!(!reply.text.contains("Log line 1\n"));
    assert_eq!(reply.report.strategy.as_deref(), Some("tail"));
    assert!(reply.text.starts_with("... ["), "{}", reply.text);
}

#[test]
fn balanced_makes_an_artifact_of_massive_content() {
    let offcut = with("balanced", |options| {
        options.inline_limit = Some(LimitOption::Number(1000));
        options.artifact_threshold = Some(LimitOption::Number(5000));
    });
    let massive = "X".repeat(100_000);
    let reply = offcut.process(Call::new("read_file"), &massive).unwrap();
    let id = reply.report.artifact_id.unwrap();
    assert!(reply.text.contains("[Artifact:") && reply.text.contains(&id));
    assert!(reply.report.artifact_created);
    assert_eq!(offcut.recall().whole(&id).unwrap(), massive);
}

#[test]
fn a_cut_of_json_is_json_alone_under_balanced() {
    let offcut = with("balanced", |options| {
        options.inline_limit = Some(LimitOption::Number(150));
        options.element_truncation =
            ElementOptions { first_elements: Some(2), last_elements: Some(2), ..ElementOptions::default() };
    });
    let numbers: Vec<u32> = (1..=100).collect();
    let output = serde_json::to_string(&numbers).unwrap();
    let reply = offcut.process(Call::new("http_request"), &output).unwrap();
    serde_json::from_str::<Vec<serde_json::Value>>(&reply.text).unwrap();
    assert!(reply.text.contains("96 items omitted"), "{}", reply.text);
    assert_eq!(reply.report.omitted_elements, Some(96));
    let id = reply.report.artifact_id.unwrap();
    assert!(reply.report.notice.unwrap().contains(&id));
}

#[test]
fn the_report_leaves_out_what_the_configuration_does_not_want() {
    let offcut = with("auto", |options| {
        options.metadata.include_original_size = Some(false);
        options.metadata.include_token_estimate = Some(false);
        options.metadata.include_strategy = Some(false);
        options.metadata.include_retrieval_instructions = Some(false);
    });
    let reply = offcut.process(Call::new("x"), lines(20_000)).unwrap();
    let report = serde_json::to_value(&reply.report).unwrap();
    for key in ["original_size", "original_bytes", "original_tokens", "truncated_tokens", "strategy"] {
        assert!(report.get(key).is_none(), "{key}");
    }
    assert!(!reply.text.contains("Retrieval options:"));
}
