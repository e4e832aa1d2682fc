//! An output is hostile, and so is every name around it: nothing of them becomes part of a page.

use std::path::PathBuf;

use offcut::Call;
use offcut::event::{Event, Observer, Record, Requester};
use offcut::event_log::EventLog;

use crate::testkit::{Project, lines};

/// Texts that would run, load or break out where they are not escaped.
const PAYLOADS: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "'-alert(1)-'",
    "</title></textarea><svg onload=alert(1)>",
    "<a href=\"javascript:alert(1)\">",
    "{{7*7}}${alert(1)}<!--",
];

/// No payload has become markup.
fn assert_inert(page: &str, of: &str) {
    for sign in ["<script>", "<img", "<svg onload", "<a href=\"javascript", "onerror=alert(1)>", "<!--"] {
        assert!(!page.contains(sign), "{of}: `{sign}` in\n{page}");
    }
}

#[tokio::test]
async fn payloads_in_every_field_are_inert_on_every_page() {
    let all = PAYLOADS.join("\n");
    let project = Project::named(&all);
    let output = lines(3000) + "error: " + &all + "\n" + &lines(3000);
    for payload in PAYLOADS {
        let offcut = project.offcut.for_agent(payload);
        let call = Call::new(payload).arguments(payload).call_id(payload);
        offcut.process(call, &output).unwrap();
    }
    // Fields that no call can set are as hostile in a log that somebody else wrote.
    let (store, _) = project.offcut.store().unwrap();
    let log = EventLog::in_store(PathBuf::from(store.location()));
    for payload in PAYLOADS {
        let text = || payload.to_owned();
        let events = [
            Event::Reply {
                tool: text(),
                session: text(),
                kind: text(),
                strategy: text(),
                original_size: 9000,
                truncated_size: 10,
                was_truncated: true,
                redactions: std::collections::BTreeMap::from([(text(), 3)]),
                artifact_id: Some(text()),
                degraded: 2,
                duration_us: 10,
                original_tokens: 5,
                truncated_tokens: 1,
                kept: vec![(1, 2)],
            },
            Event::Artifact { id: text(), session: text(), tool: text(), bytes: 1 },
            Event::Retrieval {
                id: text(),
                session: text(),
                range: text(),
                by: Requester::User,
                outcome: text(),
                bytes: 1,
            },
            Event::Extraction {
                id: text(),
                session: text(),
                tool: text(),
                by: Requester::Model,
                mode: text(),
                model: text(),
                calls: 1,
                input_tokens: 1,
                output_tokens: 1,
                fallbacks: 0,
                outcome: text(),
                duration_us: 1,
            },
            Event::Refusal { id: text(), session: text(), by: Requester::Model, reason: text() },
            Event::Request {
                session: text(),
                conversation: text(),
                model: text(),
                format: text(),
                request: 1,
                tokens_before: 2,
                tokens_after: 1,
                cut: 1,
                shortened: 1,
                cost_before: 0.5,
                cost_after: 0.25,
                total_before: 1.0,
                total_after: 0.5,
            },
            Event::Oversize { tool: text(), session: text(), bytes: 9, max: 1 },
        ];
        for event in events {
            log.observe(&Record { at_ms: 1_800_000_000_000, agent: text(), trace: None, event });
        }
    }
    let mut pages =
        vec!["/".to_owned(), "/ui/calls".to_owned(), "/ui/calls/new".to_owned(), "/ui/artifacts".to_owned()];
    pages.extend(
        ["/ui/retrievals", "/ui/savings", "/ui/problems", "/ui/conversations", "/ui/overview/figures"]
            .map(str::to_owned),
    );
    pages.extend(["tool", "kind", "strategy", "agent"].map(|by| format!("/ui/savings?by={by}")));
    for payload in PAYLOADS {
        let encoded: String = payload.bytes().map(|byte| format!("%{byte:02x}")).collect();
        pages.push(format!("/ui/search?q={encoded}"));
        pages.push(format!("/ui/artifacts?about={encoded}"));
        pages.push(format!("/ui/calls?tool={encoded}&only={encoded}&order={encoded}"));
        pages.push(format!("/ui/retrievals?artifact={encoded}"));
        pages.push(format!("/ui/savings?price={encoded}&by={encoded}"));
        pages.push(format!("/ui/playground?artifact={encoded}"));
        pages.push(format!("/ui/conversations/{encoded}"));
    }
    for id in 1..=12 {
        pages.push(format!("/ui/calls/{id}"));
    }
    for info in project.offcut.recall().list().unwrap() {
        let path = format!("/ui/artifacts/default/{}", info.id);
        pages.push(format!("{path}?first=2990"));
        pages.push(format!("{path}/lines?first=3001&count=9"));
    }
    let mut told = 0;
    for path in pages {
        let answer = project.get(&path).await;
        assert!(answer.status.as_u16() < 500, "{path}: {}", answer.body);
        assert_inert(&answer.body, &path);
        told += usize::from(answer.body.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    }
    assert!(told > 20, "the payloads are on {told} pages");
    let made = project.post("/ui/playground/cut?limit=3000", &output).await;
    let made: serde_json::Value = serde_json::from_str(&made.body).unwrap();
    assert!(made["explained"].as_str().unwrap().contains("&lt;script&gt;"));
    assert_inert(made["explained"].as_str().unwrap(), "the playground");
    let refused = project.post("/ui/playground/cut?strategy=%3Cscript%3Ealert(1)%3C/script%3E", "x").await;
    assert_inert(&refused.body, "a refusal");
}
