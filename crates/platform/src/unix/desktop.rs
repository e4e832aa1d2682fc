//! The user's desktop.

use std::process::Command;

/// The command that shows `address` in the user's browser; none where there is no screen for one.
pub fn browser(address: &str) -> Option<Command> {
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"].into_iter().any(|name| std::env::var_os(name).is_some());
    let program = match (cfg!(target_os = "macos"), has_screen) {
        (true, _) => "open",
        (false, true) => "xdg-open",
        (false, false) => return None,
    };
    let mut command = Command::new(program);
    command.arg(address);
    Some(command)
}
