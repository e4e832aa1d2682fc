//! Signals by number, as every system's exit codes tell them.

/// A signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal(i32);

impl Signal {
    /// The terminal is gone.
    pub const HANG_UP: Signal = Signal(1);
    /// Ctrl-C.
    pub const INTERRUPT: Signal = Signal(2);
    /// Ctrl-\.
    pub const QUIT: Signal = Signal(3);
    /// The end, at once.
    pub const KILL: Signal = Signal(9);
    /// The request to end.
    pub const TERMINATE: Signal = Signal(15);

    /// The signal of this number.
    pub const fn new(number: i32) -> Signal {
        Signal(number)
    }

    /// Its number.
    pub const fn number(self) -> i32 {
        self.0
    }
}

/// A signal that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceivedSignal {
    /// Which one.
    pub signal: Signal,
    /// Whether somebody typed it (Ctrl-C): then the whole foreground group has it too.
    pub typed: bool,
}

/// Who has something to say, of those that were waited for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ready {
    /// Stdin has something to read, or has ended.
    pub stdin: bool,
    /// A signal has come.
    pub signal: bool,
}
