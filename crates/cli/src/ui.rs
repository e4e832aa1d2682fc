//! `offcut ui`: the dashboard in a browser.

use std::io::{self, IsTerminal};
use std::net::SocketAddr;
use std::process::{ExitCode, Stdio};

use clap::Args;
use offcut_history::Bounds;
use offcut_http::{AccessPolicy, Arrival, guarded};
use offcut_platform::browser;
use offcut_ui::{Dashboard, DashboardOptions, health};

use crate::failure::Failure;
use crate::flags::PlaceFlags;
use crate::listen::{self, tell};
use crate::setup::Setup;

const EXAMPLES: &str = "\
Examples:
  offcut ui
  offcut ui --listen 127.0.0.1:0 --no-open
  OFFCUT_TOKEN=$(openssl rand -hex 24) offcut ui --listen 0.0.0.0:3921

Shows the calls of this project as they come, what the model saw of each beside
the whole output, artifacts with search, retrievals, redactions, savings, and a
playground. Without a token only this machine has access; with one, a browser
asks for it as the password. `offcut serve` has the same dashboard at /.";

/// Where it listens unless somebody says otherwise.
const ADDRESS: &str = "127.0.0.1:3921";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UiArgs {
    /// Listen on this address
    #[arg(long, value_name = "ADDRESS", default_value = ADDRESS)]
    listen: String,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    place: PlaceFlags,
}

/// Serves the dashboard until somebody interrupts.
pub(crate) fn ui(args: &UiArgs) -> Result<ExitCode, Failure> {
    let setup = Setup::new(&args.place, None)?;
    let is_seen = !args.no_open && io::stderr().is_terminal();
    listen::listen_and(
        &args.listen,
        |access| router(&setup, access),
        |at| {
            tell(at);
            if is_seen {
                open(at);
            }
        },
    )
}

/// The dashboard and the metrics for those whom `access` admits, and for everybody whether we are there.
pub(crate) fn router(setup: &Setup, access: AccessPolicy) -> Result<axum::Router, Failure> {
    let dashboard = Dashboard::new(DashboardOptions {
        offcut: setup.offcut.clone(),
        log_directory: setup.place.log_directory(),
        bounds: Bounds::of(&setup.config.options)?,
        project: setup.place.root.display().to_string(),
        suffix: setup.place.suffix.clone(),
    })?;
    Ok(guarded(offcut_ui::router(dashboard), access, Arrival::default()).merge(health()))
}

/// Opens a browser where there is a screen for one; that it could not be is no failure.
fn open(at: SocketAddr) {
    let Some(mut command) = browser(&format!("http://{at}/")) else { return };
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(error) = command.spawn() {
        tracing::debug!(%error, program = ?command.get_program(), "no browser was opened");
    }
}
