//! What every page has in common: the head, the navigation, and the rules for the browser.

use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use crate::dashboard::Dashboard;

/// The pages, as the navigation lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Overview,
    Calls,
    Artifacts,
    Retrievals,
    Savings,
    Conversations,
    Problems,
    Playground,
}

impl Section {
    const ALL: [Section; 8] = [
        Section::Overview,
        Section::Calls,
        Section::Artifacts,
        Section::Retrievals,
        Section::Savings,
        Section::Conversations,
        Section::Problems,
        Section::Playground,
    ];

    fn name(self) -> &'static str {
        match self {
            Section::Overview => "Overview",
            Section::Calls => "Calls",
            Section::Artifacts => "Artifacts",
            Section::Retrievals => "Retrievals",
            Section::Savings => "Savings",
            Section::Conversations => "Conversations",
            Section::Problems => "Problems",
            Section::Playground => "Playground",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Section::Overview => "/",
            Section::Calls => "/ui/calls",
            Section::Artifacts => "/ui/artifacts",
            Section::Retrievals => "/ui/retrievals",
            Section::Savings => "/ui/savings",
            Section::Conversations => "/ui/conversations",
            Section::Problems => "/ui/problems",
            Section::Playground => "/ui/playground",
        }
    }
}

/// A page of the dashboard.
pub(crate) fn page(dashboard: &Dashboard, section: Section, title: &str, body: Markup) -> Response {
    let navigation = html! {
        header.top {
            a.skip href="#main" { "Skip to content" }
            a.brand href="/" { (icon()) span { "Offcut" } }
            nav aria-label="Pages" {
                @for other in Section::ALL {
                    a href=(other.path()) aria-current=[(other == section).then_some("page")] { (other.name()) }
                }
            }
            form.search action="/ui/search" role="search" {
                input type="search" name="q" placeholder="Search outputs  ( / )" aria-label="Search outputs" autocomplete="off";
            }
        }
        main #main {
            div.title { h1 { (title) } span.project { (dashboard.project()) } }
            (body)
        }
    };
    bare(&format!("{title} · Offcut"), navigation)
}

/// A page with this body and nothing else.
pub(crate) fn bare(title: &str, body: Markup) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="stylesheet" href="/ui/style.css";
                link rel="icon" type="image/svg+xml" href="/ui/icon.svg";
                script src="/ui/script.js" defer {}
            }
            body { (body) }
        }
    };
    Html(page.into_string()).into_response()
}

/// A part of a page, for the script to put in its place.
pub(crate) fn fragment(part: Markup) -> Response {
    Html(part.into_string()).into_response()
}

fn icon() -> Markup {
    html! {
        svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" {
            rect.keep x="2" y="3" width="20" height="4" rx="1.5" {}
            rect.gap x="2" y="10" width="20" height="4" rx="1.5" {}
            rect.keep x="2" y="17" width="20" height="4" rx="1.5" {}
        }
    }
}
