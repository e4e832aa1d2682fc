//! A project with a few calls, and its dashboard.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use offcut::event_log::EventLog;
use offcut::{Call, Offcut, Reply};
use offcut_core::notice::Recall;
use offcut_history::Bounds;
use offcut_ui::{Dashboard, DashboardOptions, router};
use tempfile::TempDir;
use tower::ServiceExt;

/// A store with an event log, and the dashboard over it.
pub(crate) struct Project {
    _directory: TempDir,
    pub(crate) offcut: Offcut,
    router: Router,
}

/// An answer to a request.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Project {
    pub(crate) fn new() -> Project {
        Project::named("project")
    }

    /// A project of this name.
    pub(crate) fn named(name: &str) -> Project {
        let directory = tempfile::tempdir().unwrap();
        let store = directory.path().join("store");
        let log = Arc::new(EventLog::in_store(&store));
        let wording = Recall::default();
        let offcut = Offcut::builder().store(&store).observer(log).outlived().wording(wording).build().unwrap();
        let options = DashboardOptions {
            offcut: offcut.clone(),
            log_directory: Some(store),
            bounds: Bounds::default(),
            project: name.to_owned(),
            suffix: " --store 'a b'".to_owned(),
        };
        let router = router(Dashboard::new(options).unwrap());
        Project { _directory: directory, offcut, router }
    }

    /// The reply to an output.
    pub(crate) fn reply(&self, tool: &str, output: &str) -> Reply {
        self.offcut.process(Call::new(tool), output).unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask(Request::get(path).body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &str) -> Answer {
        self.ask(Request::post(path).body(Body::from(body.to_owned())).unwrap()).await
    }

    pub(crate) async fn ask(&self, request: Request<Body>) -> Answer {
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = answer.into_parts();
        let body = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    /// A page that must be there.
    pub(crate) async fn page(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        answer.body
    }
}

/// So many numbered lines.
pub(crate) fn lines(count: u64) -> String {
    (1..=count).map(|number| format!("entry {number} of the log\n")).collect()
}
