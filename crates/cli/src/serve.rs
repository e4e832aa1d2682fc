//! `offcut serve`: everything that is served over HTTP, behind one door.

use std::process::ExitCode;

use clap::Args;

use crate::extract;
use crate::failure::Failure;
use crate::listen::listen;
use crate::mcp::{self, ServerFlags};
use crate::proxy::ProxyFlags;
use crate::setup::Setup;
use crate::ui;

const EXAMPLES: &str = "\
Examples:
  offcut serve
  ANTHROPIC_BASE_URL=http://127.0.0.1:3920 claude
  OPENAI_BASE_URL=http://127.0.0.1:3920/v1 qwen
  GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:3920 gemini
  OFFCUT_TOKEN=$(openssl rand -hex 24) offcut serve --listen 0.0.0.0:3920

The tools of `offcut mcp` are at /mcp, for many clients, each with its own session.
The dashboard is at /, and /metrics, /healthz and /readyz are for those who watch.

Requests to /v1/messages, /v1/chat/completions, /v1/responses and the Gemini API
(:generateContent, :streamGenerateContent) go on to their provider with oversized
tool results cut and old ones shortened, the same way every turn; everything else
passes through. The header `x-offcut` of a response says what was done.

Without a token only this machine has access. With one, every request must send it
as `x-offcut-token: …` or `Proxy-Authorization: Bearer …`, or as `Authorization:
Bearer …` where that is not the provider's.";

/// Where it listens unless somebody says otherwise.
const ADDRESS: &str = "127.0.0.1:3920";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) at: ServerFlags,
    /// Listen on this address
    #[arg(long, value_name = "ADDRESS", default_value = ADDRESS)]
    pub(crate) listen: String,
    #[command(flatten)]
    pub(crate) proxy: ProxyFlags,
}

/// Serves until somebody interrupts.
pub(crate) fn serve(args: &ServeArgs) -> Result<ExitCode, Failure> {
    let here = args.at.enter()?;
    let setup = Setup::new(&args.at.place, args.at.profile.as_deref())?;
    let server = mcp::server(&setup, here, extract::model(&setup)?);
    listen(&args.listen, |access| {
        let router = server.router(access.clone()).merge(ui::router(&setup, access.clone())?);
        Ok(router.merge(args.proxy.router(&setup, access)?))
    })
}
