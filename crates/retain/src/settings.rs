//! What a configuration says about conversations.

use offcut::options::{Options, RetentionMode};
use offcut::policy::{PolicyError, count};
use offcut_core::retention::Retention;

use super::retainer::{Mode, RetainOptions};

impl RetainOptions {
    /// Checks what the options say and makes it the rules for the requests of a proxy. A file of prices is the
    /// caller's to read.
    pub fn of(options: &Options) -> Result<RetainOptions, PolicyError> {
        let (said, usual, rule) = (&options.retention, RetainOptions::default(), Retention::default());
        let mode = match said.mode.unwrap_or_default() {
            RetentionMode::Pays => Mode::Pays,
            RetentionMode::Window => Mode::Window,
            RetentionMode::Off => Mode::Off,
        };
        let ahead = match said.ahead_percent {
            None => usual.ahead,
            Some(percent) if (0.0..=100.0).contains(&percent) => (percent * 100.0).round() as u64,
            Some(percent) => {
                return Err(PolicyError::new("retention.ahead_percent", percent, "a number from 0 to 100"));
            }
        };
        Ok(RetainOptions {
            retention: Retention {
                window: count("retention.window", said.window, rule.window)?,
                lines: count("retention.lines", said.lines, rule.lines)?,
                ..rule
            },
            mode,
            cut: said.cut.unwrap_or(true),
            newest: count("retention.newest", said.newest, usual.newest)?,
            protected: said.protect.clone().unwrap_or_default(),
            ahead,
            ..usual
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use offcut::options::RetentionOptions;

    fn read(said: RetentionOptions) -> Result<RetainOptions, String> {
        RetainOptions::of(&Options { retention: said, ..Options::default() }).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_said_is_as_the_proxy_does_it() {
        let usual = RetainOptions { mode: Mode::Pays, cut: true, ..RetainOptions::default() };
        assert_eq!(read(RetentionOptions::default()), Ok(usual));
    }

    #[test]
    fn every_key_holds_and_a_wrong_value_is_named() {
        let said = RetentionOptions {
            mode: Some(RetentionMode::Window),
            cut: Some(false),
            window: Some(4),
            newest: Some(7),
            lines: Some(9),
            protect: Some(vec!["read".to_owned()]),
            ahead_percent: Some(2.5),
            prices: None,
        };
        let options = read(said.clone()).unwrap();
        assert_eq!((options.mode, options.cut, options.newest, options.ahead), (Mode::Window, false, 7, 250));
        assert_eq!((options.retention.window, options.retention.lines), (4, 9));
        assert_eq!(options.protected, ["read"]);
        let wrong = read(RetentionOptions { ahead_percent: Some(-1.0), ..said.clone() }).unwrap_err();
        assert!(wrong.contains("`-1`") && wrong.contains("from 0 to 100"), "{wrong}");
        assert!(read(RetentionOptions { newest: Some(0), ..said }).is_err());
    }
}
