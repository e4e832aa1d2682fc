//! Why there is no page, as people read it.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use maud::html;
use offcut::BuildError;
use offcut::policy::PolicyError;
use offcut_history::HistoryError;
use offcut_store::StoreError;

use crate::page::bare;

/// Why a page could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PageError {
    /// There is nothing of that name.
    #[error("{0} was not found")]
    NotFound(String),
    /// The request asks for something that cannot be.
    #[error("{0}")]
    Refused(String),
    /// The history says no.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The store says no.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something could not be read.
    #[error(transparent)]
    Read(#[from] std::io::Error),
    /// An error inside of the dashboard.
    #[error("an error inside of the dashboard")]
    Broken,
}

impl From<PolicyError> for PageError {
    fn from(error: PolicyError) -> PageError {
        PageError::Refused(error.to_string())
    }
}

impl From<BuildError> for PageError {
    fn from(error: BuildError) -> PageError {
        PageError::Refused(error.to_string())
    }
}

impl PageError {
    fn status(&self) -> StatusCode {
        match self {
            PageError::NotFound(_) | PageError::Store(StoreError::NotFound { .. }) => StatusCode::NOT_FOUND,
            PageError::Refused(_) | PageError::Store(StoreError::InvalidId { .. }) => StatusCode::BAD_REQUEST,
            PageError::History(_) | PageError::Store(_) | PageError::Read(_) | PageError::Broken => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        }
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let status = self.status();
        if status.is_server_error() {
            tracing::warn!(error = %self, "a page could not be made");
        }
        let page = bare(
            status.canonical_reason().unwrap_or("Error"),
            html! { main { h1 { (status.canonical_reason().unwrap_or("Error")) } p { (self.to_string()) }
            p { a href="/" { "Overview" } } } },
        );
        (status, page).into_response()
    }
}
