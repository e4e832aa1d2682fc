//! The user's desktop.

use std::process::Command;

/// The command that shows `address` in the user's browser.
pub fn browser(address: &str) -> Option<Command> {
    let mut command = Command::new("rundll32");
    command.args(["url.dll,FileProtocolHandler", address]);
    Some(command)
}
