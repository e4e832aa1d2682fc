use serde_json::json;

use super::*;

/// Each result's text, tool and turn.
fn results(body: &serde_json::Value) -> Vec<(String, String, u64)> {
    let body = body.to_string();
    let conversation = Conversation::read(body.as_bytes(), None).unwrap();
    let told = |result: &ResultText<'_>| (result.text().unwrap().into_owned(), result.tool.clone(), result.turn);
    conversation.results.iter().map(told).collect()
}

fn result(text: &str, tool: &str, turn: u64) -> (String, String, u64) {
    (text.to_owned(), tool.to_owned(), turn)
}

fn anthropic() -> serde_json::Value {
    json!({
        "model": "claude-sonnet-4-5",
        "tools": [{"name": "Bash"}, {"name": "mcp__offcut__get_artifact"}],
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [
                {"type": "text", "text": "two at once"},
                {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "ls"}},
                {"type": "tool_use", "id": "b", "name": "Read", "input": {"path": "x"}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "b", "content": [
                    {"type": "text", "text": "b1"},
                    {"type": "image", "source": {"type": "base64", "data": "aaaa", "text": "no"}},
                    {"type": "text", "text": "b2", "cache_control": {"type": "ephemeral"}}]},
                {"type": "tool_result", "tool_use_id": "a", "content": "a\n\"é\""}]},
            {"role": "assistant", "content": "no call: no turn"},
            {"role": "user", "content": "again"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "Bash", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}, {"type": "text", "text": "hint"}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "unknown", "content": "?"}]}
        ]
    })
}

#[test]
fn anthropic_results_are_blocks_of_the_user() {
    let expected =
        [result("b1", "Read", 1), result("b2", "Read", 1), result("a\n\"é\"", "Bash", 1), result("?", "", 2)];
    assert_eq!(results(&anthropic()), expected);
    let body = anthropic().to_string();
    let conversation = Conversation::read(body.as_bytes(), None).unwrap();
    assert_eq!((conversation.format, conversation.turn, conversation.requests), (Format::Anthropic, 2, 3));
    assert_eq!(conversation.turn_at, [0, 1, 1, 2]);
    assert_eq!(conversation.tools, ["Bash", "mcp__offcut__get_artifact"]);
    assert_eq!(conversation.cache, CacheMarks { marked: true, long: false, preamble: false, depths: 0b100 });
    assert_eq!(conversation.blocks_at, [3, 8, 10, 14]);
    assert_eq!(conversation.results[2].arguments, r#"{"command":"ls"}"#);
    assert_eq!(conversation.model.as_deref(), Some("claude-sonnet-4-5"));
}

#[test]
fn marks_are_told_by_the_request_that_they_stand_in() {
    let marked = |text: &str| json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]);
    let messages = json!([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
        {"role": "user", "content": marked("c")}, {"role": "assistant", "content": "d"},
        {"role": "user", "content": marked("e")}]);
    let read = |body: serde_json::Value| Conversation::read(body.to_string().as_bytes(), None).unwrap().cache;
    let agents = read(json!({"system": marked("s"), "messages": messages}));
    assert_eq!(agents, CacheMarks::of_agents());
    let whole = read(json!({"system": "s", "cache_control": {"type": "ephemeral", "ttl": "1h"}, "messages": []}));
    assert_eq!(whole, CacheMarks { marked: true, long: true, preamble: false, depths: 1 });
    let instructions = read(json!({"system": marked("s"), "messages": [{"role": "user", "content": "a"}]}));
    assert_eq!(instructions, CacheMarks { depths: 0, ..CacheMarks::of_agents() });
}

#[test]
fn words_are_what_a_model_reads_beside_the_results() {
    let body = concat!(
        r#"{"system":"be brief","tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"go"},"#,
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},"#,
        r#"{"type":"tool_use","id":"a","name":"Bash","input":{"command":"ls"}}]},{"role":"user","content":["#,
        r#"{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"result"},"#,
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aaaa"}}]}]}]}"#,
    );
    let conversation = Conversation::read(body.as_bytes(), None).unwrap();
    let texts = [r#""be brief""#, r#"[{"name":"Bash"}]"#, r#""go""#, r#""hm""#].map(ModelText::Text);
    let call = [ModelText::Part(r#""Bash""#), ModelText::Text(r#"{"command":"ls"}"#), ModelText::Picture];
    assert_eq!(conversation.words, [&texts[..], &call].concat());
    let counted: usize = conversation.segments.iter().map(|segment| segment.words).sum();
    assert_eq!(counted, conversation.words.len());
}

#[test]
fn chat_results_are_messages_of_the_role_tool() {
    let body = json!({
        "model": "gpt-5",
        "tools": [{"type": "function", "function": {"name": "shell"}}],
        "messages": [
            {"role": "system", "content": "be good"},
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "shell", "arguments": "{\"command\":\"ls\"}"}},
                {"id": "b", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "A"},
            {"role": "tool", "tool_call_id": "b", "content": [{"type": "text", "text": "B"}, {"type": "image_url", "image_url": {"url": "data:"}}]},
            {"role": "assistant", "content": null, "function_call": {"name": "old", "arguments": "{}"}},
            {"role": "function", "name": "old", "content": "C"}
        ]
    });
    assert_eq!(results(&body), [result("A", "shell", 1), result("B", "read", 1), result("C", "old", 2)]);
    let text = body.to_string();
    let conversation = Conversation::read(text.as_bytes(), None).unwrap();
    assert_eq!((conversation.format, conversation.turn), (Format::OpenAiChat, 2));
    assert_eq!(conversation.tools, ["shell"]);
    assert_eq!(conversation.results[0].arguments, r#"{"command":"ls"}"#);
}

#[test]
fn responses_results_are_items_and_calls_of_one_answer_are_one_turn() {
    let body = json!({
        "model": "gpt-5", "prompt_cache_retention": "24h",
        "tools": [{"type": "namespace", "name": "mcp__ev", "tools": [{"name": "echo"}]}, {"type": "local_shell"}],
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
            {"type": "reasoning", "encrypted_content": "x"},
            {"type": "function_call", "call_id": "a", "name": "shell", "arguments": "{}"},
            {"type": "custom_tool_call", "call_id": "b", "name": "exec", "input": "1+1"},
            {"type": "function_call_output", "call_id": "a", "output": "A"},
            {"type": "custom_tool_call_output", "call_id": "b", "output": [{"type": "input_text", "text": "B"}, {"type": "input_image", "image_url": "data:"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "so"}]},
            {"type": "local_shell_call", "call_id": "c", "action": {"command": ["ls"]}},
            {"type": "local_shell_call_output", "call_id": "c", "output": [{"stdout": "C", "stderr": "", "outcome": {"type": "exit"}}]},
            {"type": "web_search_call", "id": "w"},
            {"role": "user", "content": "text"}
        ]
    });
    let expected =
        [result("A", "shell", 1), result("B", "exec", 1), result("C", "local_shell", 2), result("", "local_shell", 2)];
    assert_eq!(results(&body), expected);
    let text = body.to_string();
    let conversation = Conversation::read(text.as_bytes(), None).unwrap();
    assert_eq!((conversation.format, conversation.turn, conversation.requests), (Format::OpenAiResponses, 2, 3));
    assert_eq!(conversation.tools, ["mcp__ev__echo", "mcp__ev", "local_shell"]);
    assert!(conversation.cache.long);
    assert_eq!(Conversation::read(br#"{"input":"hello"}"#, None).unwrap().results.len(), 0);
}

#[test]
fn neutral_messages_say_their_turn_and_trace() {
    let body = json!([
        {"type": "tool_result", "id": "1", "turn": 4, "traceId": "t", "content": "x"},
        {"type": "user", "id": "2", "turn": 9, "content": "y"}]);
    let text = body.to_string();
    let conversation = Conversation::read(text.as_bytes(), None).unwrap();
    assert_eq!((conversation.format, conversation.turn), (Format::Neutral, 9));
    assert_eq!(conversation.results[0].trace_id.as_deref(), Some("t"));
    let refused = |body: &str| Conversation::read(body.as_bytes(), Some(Format::Neutral)).unwrap_err().to_string();
    assert_eq!(refused(r#"[{"type":"tool_result","turn":1,"content":"x"}]"#), "tool result 0 has no `traceId`");
    assert!(refused(r#"[{"type":"user"}]"#).contains("has no `turn`"));
}

#[test]
fn only_the_edited_strings_change() {
    // Odd spacing, a key written twice, escapes, numbers that no parser keeps: all stay.
    let body = concat!(
        " {\"x\" : 1.000000000000000000001e400 , \"messages\":[ {\"role\":\"tool\",\"content\":\"first\",",
        "\"tool_call_id\":\"a\",\"content\" : \"\\u0041\\n\\/\", \"extra\":{\"\\u00e9\":[ ]}}\r\n, ",
        "{\"role\":\"tool\",\"tool_call_id\":\"b\",\"content\":\"keep\"}]\t, \"x\":2}\n"
    );
    let conversation = Conversation::read(body.as_bytes(), None).unwrap();
    let texts: Vec<_> = conversation.results.iter().map(|result| result.text().unwrap().into_owned()).collect();
    assert_eq!(texts, ["A\n/", "keep"]);
    assert_eq!(conversation.edited(&BTreeMap::<usize, String>::new()), body);
    let edited = conversation.edited(&BTreeMap::from([(0, "\"new\"".to_owned())]));
    assert_eq!(edited, body.replace("\"\\u0041\\n\\/\"", "\"new\""));
    let bytes: u64 = conversation.segments.iter().map(|segment| segment.bytes).sum();
    assert!(bytes <= body.len() as u64 && bytes + 20 > body.len() as u64, "{bytes} of {}", body.len());
}

#[test]
fn what_is_no_conversation_is_refused_and_said() {
    let refused = |body: &[u8]| Conversation::read(body, None).unwrap_err();
    assert_eq!(refused(b"\xff{}"), ConversationError::NotText);
    assert!(matches!(refused(b"{\"messages\": ["), ConversationError::Malformed(_)));
    for body in ["1", "{}", "\"x\"", "{\"messages\": 1}", "{\"prompt\": \"x\"}"] {
        assert!(matches!(refused(body.as_bytes()), ConversationError::Unknown { .. }), "{body}");
    }
    // A shape that is said, but is not there.
    assert!(Conversation::read(b"{\"input\": 7}", Some(Format::OpenAiResponses)).is_err());
    assert!(Conversation::read(b"{}", Some(Format::Anthropic)).is_err());
}

#[test]
fn odd_values_where_texts_are_expected_are_passed_over() {
    let body = json!({"messages": [
        {"role": "assistant", "tool_calls": [null, 1, {"id": 7}, {"id": "a", "function": null}]},
        {"role": "tool", "tool_call_id": null, "content": null},
        {"role": "tool", "content": {"text": "x"}},
        {"role": "tool", "content": [1, null, {"type": "text"}, {"type": "text", "text": 5}, "x"]},
        "message", null, []]});
    assert_eq!(results(&body), []);
    let surrogate = br#"{"messages":[{"role":"tool","content":"\ud800"}]}"#;
    assert_eq!(Conversation::read(surrogate, None).unwrap().results[0].text(), None);
}

#[test]
fn results_of_the_gemini_api_are_found_in_their_objects() {
    let body = json!({
        "systemInstruction": {"parts": [{"text": "be brief"}]},
        "tools": [{"functionDeclarations": [{"name": "run_shell_command"}, {"name": "get_artifact"}]}],
        "contents": [
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": [
                {"thought": true, "text": "hm"},
                {"functionCall": {"id": "1", "name": "run_shell_command", "args": {"command": "ls"}}, "thoughtSignature": "x"},
                {"functionCall": {"name": "read_file", "args": {"path": "a"}}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "1", "name": "run_shell_command", "response": {"output": "a\n\"é\""}}},
                {"functionResponse": {"name": "read_file", "response": {"error": "no such file", "code": 2}}}]},
            {"role": "model", "parts": [{"functionCall": {"id": "2", "name": "big", "args": {}}}]},
            {"role": "function", "parts": [
                {"functionResponse": {"id": "2", "name": "big", "response": {"content": [{"type": "text", "text": "b1"}, {"type": "image", "text": "no"}]}}}]}
        ]
    });
    assert_eq!(
        results(&body),
        [result("a\n\"é\"", "run_shell_command", 1), result("no such file", "read_file", 1), result("b1", "big", 2)]
    );
    let text = body.to_string();
    let conversation = Conversation::read(text.as_bytes(), None).unwrap();
    assert_eq!((conversation.format, conversation.turn, conversation.requests), (Format::Gemini, 2, 2));
    assert_eq!(conversation.tools, ["run_shell_command", "get_artifact"]);
    assert_eq!(conversation.results[0].arguments, r#"{"command":"ls"}"#);
    assert!(conversation.results[1].failed && !conversation.results[0].failed);
    let edited = conversation.edited(&BTreeMap::from([(0, "\"short\"")]));
    assert_eq!(edited, text.replacen(r#""a\n\"é\"""#, "\"short\"", 1));
}
