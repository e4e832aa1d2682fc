//! From flags to a library object that is ready to work.

use std::sync::Arc;

use offcut::core::notice::Recall;
use offcut::event_log::EventLog;
use offcut::{Call, Offcut};

use crate::args::{CutFlags, PlaceFlags, ToolFlags};
use crate::config::Config;
use crate::failure::Failure;
use crate::place::{self, Place};

/// The tool whose output is read where nobody says.
pub(crate) const TOOL: &str = "execute_command";

/// The library, built, and how it came to be so.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) offcut: Offcut,
    pub(crate) config: Config,
    pub(crate) place: Place,
}

impl Setup {
    /// Builds the library by flags, environment and configuration.
    pub(crate) fn new(flags: &PlaceFlags, profile: Option<&str>) -> Result<Setup, Failure> {
        let (config, place) = load(flags, profile)?;
        let mut builder = Offcut::builder()
            .options(config.options.clone())
            .session(&place.session)
            .wording(Recall::Shell(place.suffix.clone()));
        if let Some(directory) = &place.store {
            builder = builder.store(directory).observer(Arc::new(EventLog::in_store(directory)));
        }
        let offcut = builder.build().map_err(|error| match error {
            offcut::BuildError::Policy(error) => config.refused(&error),
            other => other.into(),
        })?;
        Ok(Setup { offcut, config, place })
    }
}

/// The configuration and the place, before anything is built from them.
pub(crate) fn load(flags: &PlaceFlags, profile: Option<&str>) -> Result<(Config, Place), Failure> {
    let root = place::root();
    let mut config = Config::load(&root, place::only_config(flags.config.as_deref()).as_deref())?;
    if let Some(profile) = profile {
        config.set_profile(profile);
    }
    let place = Place::find(root, flags, &config)?;
    Ok((config, place))
}

/// The call that flags describe.
pub(crate) fn call(cut: &CutFlags, tool: &ToolFlags) -> Call {
    let mut call = Call::new(tool.tool.as_deref().unwrap_or(TOOL));
    if let Some(arguments) = &tool.args {
        call = call.arguments(arguments);
    }
    call.limits = cut.limit.clone();
    call.kind = cut.kind;
    call.strategy = cut.strategy.clone();
    call
}
