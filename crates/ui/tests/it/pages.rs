//! Every page, and what a browser may do with it.

use axum::body::Body;
use http::{Request, StatusCode};
use offcut::event::{Event, Requester};
use offcut::recall::{Request as RecallRequest, Selector};

use crate::testkit::{Project, lines};

const PAGES: [&str; 10] = [
    "/",
    "/ui",
    "/ui/calls",
    "/ui/artifacts",
    "/ui/search?q=entry",
    "/ui/retrievals",
    "/ui/savings?by=agent&days=7&price=gpt-5",
    "/ui/conversations",
    "/ui/problems",
    "/ui/playground",
];

#[tokio::test]
async fn every_page_is_there_before_and_after_the_first_call() {
    let project = Project::new();
    for path in PAGES {
        assert!(project.page(path).await.starts_with("<!DOCTYPE html>"), "{path}");
    }
    project.reply("bash", &lines(5000));
    for path in PAGES {
        assert!(project.page(path).await.ends_with("</html>"), "{path}");
    }
    std::thread::sleep(std::time::Duration::from_millis(250));
    let overview = project.page("/").await;
    assert!(overview.contains("<td class=\"name\">bash</td>"), "{overview}");
    for (path, status) in [
        ("/ui/calls/99", 404),
        ("/ui/calls/x", 400),
        ("/ui/artifacts/default/art_1_none", 404),
        ("/ui/artifacts/..%2f..%2fetc/passwd", 400),
        ("/ui/nothing", 404),
    ] {
        assert_eq!(project.get(path).await.status.as_u16(), status, "{path}");
    }
}

#[tokio::test]
async fn a_browser_may_run_nothing_but_the_one_script_and_other_sites_get_nothing() {
    let project = Project::new();
    for path in PAGES.into_iter().chain(["/ui/script.js", "/ui/style.css", "/metrics", "/ui/nothing"]) {
        let answer = project.get(path).await;
        let told = |name: &str| answer.headers[name].to_str().unwrap().to_owned();
        let policy = told("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"), "{path}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}");
        assert_eq!(told("x-content-type-options"), "nosniff");
        assert_eq!(told("cross-origin-resource-policy"), "same-origin");
        assert!(
            !answer.body.contains("<style") && !answer.body.contains(" style=") && !answer.body.contains("javascript:")
        );
    }
    let from_elsewhere = |mode: &str| {
        let request = Request::get("/ui/calls").header("sec-fetch-site", "cross-site").header("sec-fetch-mode", mode);
        project.ask(request.body(Body::empty()).unwrap())
    };
    assert_eq!(from_elsewhere("no-cors").await.status, StatusCode::FORBIDDEN);
    assert_eq!(from_elsewhere("cors").await.status, StatusCode::FORBIDDEN);
    assert_eq!(from_elsewhere("navigate").await.status, StatusCode::OK);
}

#[tokio::test]
async fn new_calls_are_told_to_who_watches() {
    let project = Project::new();
    project.reply("bash", &lines(5000));
    let first = project.page("/ui/calls/new").await;
    assert_eq!(first.matches("data-id=").count(), 1);
    assert_eq!(project.page("/ui/calls/new?after=1").await, "");
    project.reply("grep", "small\n");
    std::thread::sleep(std::time::Duration::from_millis(250));
    let next = project.page("/ui/calls/new?after=1").await;
    assert!(next.contains("data-id=\"2\"") && next.contains("grep") && !next.contains("bash"), "{next}");
    assert_eq!(project.page("/ui/calls/new?after=0&tool=grep").await.matches("data-id=").count(), 1);
    assert_eq!(project.page("/ui/calls?only=cut").await.matches("data-id=").count(), 1);
}

#[tokio::test]
async fn what_the_model_saw_stands_beside_the_whole_output() {
    let project = Project::new();
    let output = lines(4000) + "error: disk full\n" + &lines(4000);
    let reply = project.reply("bash", &output);
    let page = project.page("/ui/calls/1").await;
    assert!(page.contains("What the model saw") && page.contains("The whole output"), "{page}");
    let (seen, whole) = page.split_once("id=\"whole\"").unwrap();
    assert!(seen.contains("error: disk full") && seen.contains(" lines not shown ("), "{seen}");
    // Every line that the report calls kept is in the left pane, and no other.
    let kept: u64 = reply.report.kept.iter().map(|(first, last)| last - first + 1).sum();
    assert_eq!(seen.matches("data-line=").count() as u64, kept);
    assert_eq!(whole.matches("data-line=").count(), 300);
    let id = reply.report.artifact_id.unwrap();
    let path = format!("/ui/artifacts/default/{id}");
    assert!(project.page(&format!("{path}?first=7800")).await.contains("data-line=\"8001\""));
    let opened = project.page(&format!("{path}/lines?first=4001&count=1")).await;
    assert!(opened.contains("error: disk full") && opened.matches("<tr").count() == 1, "{opened}");
    assert!(project.page(&path).await.contains("offcut artifacts show"));
    // A person's look is a retrieval like any other.
    std::thread::sleep(std::time::Duration::from_millis(250));
    assert!(project.page("/ui/retrievals").await.contains("lines 7800-8001"));
    // But it is not a model's, and nothing that was saved is lost by it.
    let metrics = project.get("/metrics").await.body;
    assert!(metrics.contains("offcut_retrievals_total{range=\"lines\",by=\"user\",outcome=\"ok\"}"), "{metrics}");
    assert!(!metrics.contains("by=\"model\""), "{metrics}");
    let savings = project.page("/ui/savings").await;
    let (_, read_back) = savings.split_once("Read back by models").unwrap();
    assert!(read_back.starts_with("</th><td class=\"number\">0</td>"), "{read_back}");
}

#[tokio::test]
async fn search_goes_over_every_artifact() {
    let project = Project::new();
    project.reply("bash", &(lines(3000) + "error: disk full\n"));
    project.reply("read_file", &(lines(3000) + "all is well\n"));
    let found = project.page("/ui/search?q=DISK.full").await;
    assert!(found.contains("0 artifacts match"), "case matters where a capital is written: {found}");
    let found = project.page("/ui/search?q=disk.full").await;
    assert!(found.contains("1 artifacts match; 2 of 2 were searched"), "{found}");
    assert!(found.contains("error: <mark>disk full</mark>") && found.contains(">3001</a>"), "{found}");
    assert!(project.page("/ui/artifacts?about=read_file").await.contains("1 artifacts, "));
}

#[tokio::test]
async fn the_playground_makes_the_reply_that_the_library_makes() {
    let project = Project::new();
    let output = lines(4000) + "error: disk full\n" + &lines(4000);
    let same = |text: &str| {
        let id = regex::Regex::new(r"art_[0-9]+_[0-9a-z]+|\b[a-z][0-9]{3}[0-9a-z]*\b").unwrap();
        id.replace_all(text, "ID").into_owned()
    };
    for (query, limit, strategy) in [("limit=3000", 3000, None), ("limit=6000&strategy=tail", 6000, Some("tail"))] {
        let answer = project.post(&format!("/ui/playground/cut?tool=bash&{query}"), &output).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        let made: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        let mut call = offcut::Call::new("bash").limits(offcut_core::limit::Limit::chars(limit));
        call.strategy = strategy.map(str::to_owned);
        let expected = project.offcut.process(call, &output).unwrap();
        assert_eq!(same(made["reply"]["text"].as_str().unwrap()), same(&expected.text));
        assert_eq!(made["reply"]["report"]["kept"], serde_json::to_value(&expected.report.kept).unwrap());
        assert!(made["explained"].as_str().unwrap().contains("characters left out"));
    }
    // Nothing of it is kept, and an artifact gives what its text gives.
    let reply = project.reply("bash", &output);
    assert_eq!(project.offcut.recall().list().unwrap().len(), 3);
    let id = reply.report.artifact_id.unwrap();
    let path = format!("/ui/playground/cut?limit=3000&tool=bash&artifact=default/{id}");
    let made: serde_json::Value = serde_json::from_str(&project.post(&path, "").await.body).unwrap();
    let pasted = project.post("/ui/playground/cut?limit=3000&tool=bash", &output).await;
    let pasted: serde_json::Value = serde_json::from_str(&pasted.body).unwrap();
    let text = |made: &serde_json::Value| same(made["reply"]["text"].as_str().unwrap());
    assert_eq!(text(&made), text(&pasted));
    for wrong in ["limit=banana", "strategy=banana", "profile=banana", "artifact=default/art_1_none", "artifact=x"] {
        let answer = project.post(&format!("/ui/playground/cut?{wrong}"), "x").await;
        assert!(answer.status.is_client_error() && answer.body.contains("<main>"), "{wrong}: {}", answer.body);
    }
}

#[tokio::test]
async fn metrics_count_what_happened() {
    let project = Project::new();
    let reply = project.reply("bash", &lines(5000));
    project.reply("bash", "small\n");
    let id = reply.report.artifact_id.unwrap();
    project.offcut.recall().by(Requester::Model).read(&id, &Selector::Lines { start: Some(1), end: Some(5) }).unwrap();
    let _ = project.offcut.recall().turn(&RecallRequest { id: "art_1_none".to_owned(), ..RecallRequest::default() });
    let answer = project.get("/metrics").await;
    assert_eq!(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    for line in [
        "offcut_calls_total{tool=\"bash\"} 2",
        "offcut_truncated_calls_total{tool=\"bash\"} 1",
        "offcut_truncation_ratio{tool=\"bash\"} 0.5",
        "offcut_artifacts_created_total{tool=\"bash\"} 1",
        "offcut_retrievals_total{range=\"lines\",by=\"model\",outcome=\"ok\"} 1",
        "offcut_store_artifacts 1",
        "offcut_output_characters_count{tool=\"bash\"} 2",
    ] {
        assert!(answer.body.lines().any(|found| found == line), "{line} is missing in:\n{}", answer.body);
    }
    assert!(
        answer.body.contains("offcut_retrievals_total{range=\"whole\",by=\"model\",outcome=\"not_found\"} 1"),
        "{}",
        answer.body
    );
}

#[tokio::test]
async fn a_conversation_shows_its_requests_and_what_was_saved() {
    let project = Project::new();
    project.reply("bash", &lines(5000));
    for request in 0..3 {
        project.offcut.emit(Event::Request {
            session: "default".to_owned(),
            conversation: "c0ffee".to_owned(),
            model: "claude-sonnet-4-5".to_owned(),
            format: "anthropic".to_owned(),
            request,
            tokens_before: 10_000 * (request + 1),
            tokens_after: 4000 * (request + 1),
            cut: 1,
            shortened: request,
            cost_before: 0.03,
            cost_after: 0.01,
            total_before: 0.03 * (request + 1) as f64,
            total_after: 0.01 * (request + 1) as f64,
        });
    }
    let list = project.page("/ui/conversations").await;
    assert!(list.contains("/ui/conversations/c0ffee") && list.contains("claude-sonnet-4-5"), "{list}");
    let one = project.page("/ui/conversations/c0ffee").await;
    assert_eq!(one.matches("data-request=").count(), 3);
    assert!(one.contains("$0.0900") && one.contains("$0.0300") && one.contains("30,000"), "{one}");
    assert_eq!(project.get("/ui/conversations/none").await.status, StatusCode::NOT_FOUND);
    let metrics = project.page("/metrics").await;
    assert!(metrics.contains("offcut_proxy_requests_total{format=\"anthropic\"} 3\n"), "{metrics}");
    assert!(metrics.contains("offcut_proxy_saved_tokens_total{format=\"anthropic\"} 36000\n"), "{metrics}");
}
